//! A world that follows the server's by its snapshots.

use contract::{Audience, BitReader, DecodeError, WireView as _, steps};

use crate::{Game, Input, Setup, View};

/// The authoritative world as far as it is known: a whole view now and then, steps in between.
///
/// Prediction starts from here; what it adds never comes back.
#[derive(Debug)]
pub struct Follower<G: Game> {
    world: G,
    view: View<G>,
    /// The audience whose view it has; `None` until there is a whole view, and after steps that did not fit.
    audience: Option<Audience>,
    // Kept only so that following allocates nothing.
    held: Vec<Input<G>>,
    inputs: Vec<Option<Input<G>>>,
    scratch: Vec<u8>,
}

/// Why steps could not be followed. A whole view is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowError {
    /// They begin at another tick than the one that is known.
    #[error("the steps begin elsewhere")]
    Gap,
    /// The bytes are not steps.
    #[error("not steps: {0}")]
    Malformed(#[from] DecodeError),
    /// The steps lead somewhere else than on the server.
    #[error("the checksum differs")]
    Checksum,
}

impl<G: Game> Follower<G> {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(setup: &Setup<G>) -> Self {
        let world = G::new(setup, 0);
        Self { world, view: View::<G>::default(), audience: None, held: vec![], inputs: vec![], scratch: vec![] }
    }

    /// The newest view, once there is one.
    pub fn view(&self) -> Option<&View<G>> {
        self.audience.map(|_| &self.view)
    }

    /// Takes a whole view.
    ///
    /// # Errors
    /// When the bytes are not a view, or its checksum differs. What was known before is then unknown.
    pub fn take_view(&mut self, audience: Audience, checksum: u32, body: &[u8]) -> Result<&View<G>, FollowError> {
        self.audience = None;
        self.view = View::<G>::from_bytes(body)?;
        self.prove(checksum)?;
        self.world.restore(&self.view);
        self.audience = Some(audience);
        Ok(&self.view)
    }

    /// Follows the server for `ticks` ticks.
    ///
    /// # Errors
    /// When the steps do not fit. What was known before is then unknown, except after [`FollowError::Gap`].
    pub fn take_steps(
        &mut self,
        newest: contract::Tick,
        ticks: u8,
        checksum: u32,
        body: &[u8],
    ) -> Result<&View<G>, FollowError> {
        let audience = self.audience.ok_or(FollowError::Gap)?;
        if newest.since(self.view.tick()) != i32::from(ticks) {
            return Err(FollowError::Gap);
        }
        self.audience = None;
        self.held.resize(self.view.seats(), Input::<G>::default());
        steps::inputs_of(&self.view, &mut self.held);
        let mut bits = BitReader::new(body);
        for _ in 0..ticks {
            steps::read_tick(&mut bits, &mut self.held)?;
            self.inputs.clear();
            self.inputs.extend(self.held.iter().copied().map(Some));
            self.world.step(&self.inputs, &[]);
        }
        let before = self.view.clone();
        self.world.view(audience, &mut self.view);
        steps::read_private(&mut bits, &before, &mut self.view)?;
        bits.finish()?;
        self.prove(checksum)?;
        self.audience = Some(audience);
        Ok(&self.view)
    }

    fn prove(&mut self, checksum: u32) -> Result<(), FollowError> {
        let found = self.view.checksum(&mut self.scratch) & u64::from(u32::MAX);
        if found == u64::from(checksum) { Ok(()) } else { Err(FollowError::Checksum) }
    }
}

//! Playing ahead of the server with the server's own rules.
//!
//! ```text
//!   view of tick 40 arrives        own inputs sent for 41 42 43 44
//!   restore(40) -> step 41 -> step 42 -> step 43 -> step 44     this is what the player sees
//! ```
//!
//! Own inputs are known; the other seats are taken to go on with what the view says they did last.

use contract::{Audience, GameData as _, SeatId, Tick, WireView as _};
use sim::{Input, Setup, View};

use super::Pictured;

/// Most ticks run again at once. Beyond it the page shows the server's view as it is instead of falling behind for good.
pub const REPLAY_TICKS_MAX: u32 = 20;

/// Own inputs kept. More than any replay needs.
const INPUTS_KEPT: usize = 64;
const _: () = assert!(REPLAY_TICKS_MAX as usize <= INPUTS_KEPT);

/// What came of a view from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconciled {
    /// What had been predicted for that tick was right to the last bit.
    Exact,
    /// It was not, and the ticks since were run again.
    Corrected,
    /// There was nothing predicted for that tick, or too much to run again: the page now shows the view itself.
    Snapped,
}

/// The predicted world of one seat.
pub struct Prediction<G: Pictured> {
    world: G,
    seat: SeatId,
    audience: Audience,
    /// Tick of the last view from the server.
    confirmed: Tick,
    newest: View<G>,
    before: View<G>,
    own: [Option<(Tick, Input<G>)>; INPUTS_KEPT],
    /// Low half of the checksum predicted for a tick.
    sums: [Option<(Tick, u32)>; INPUTS_KEPT],
    inputs: Vec<Option<Input<G>>>,
    scratch: Vec<u8>,
}

impl<G: Pictured> Prediction<G> {
    /// Begins at a view that `seat` may see.
    #[must_use]
    pub fn new(setup: &Setup<G>, seat: SeatId, view: &View<G>) -> Self {
        let mut world = G::new(setup, 0);
        world.restore(view);
        Self {
            world,
            seat,
            audience: G::Data::audience_of(setup, Some(seat)),
            confirmed: view.tick(),
            newest: view.clone(),
            before: view.clone(),
            own: [None; INPUTS_KEPT],
            sums: [None; INPUTS_KEPT],
            inputs: vec![None; G::Data::seats(setup)],
            scratch: Vec::new(),
        }
    }

    /// This seat does this in that tick.
    pub fn give(&mut self, tick: Tick, input: Input<G>) {
        self.own[slot(tick)] = Some((tick, input));
    }

    /// Plays on to a tick, as far as prediction may reach.
    pub fn run_to(&mut self, tick: Tick) {
        let farthest = self.confirmed.plus(REPLAY_TICKS_MAX);
        let target = if tick.since(farthest) > 0 { farthest } else { tick };
        while target.since(self.newest.tick()) > 0 {
            self.run_tick();
        }
    }

    /// The server's view arrived: from it, plays again what this page has played since.
    pub fn reconcile(&mut self, view: &View<G>) -> Reconciled {
        let ahead = self.newest.tick().since(view.tick());
        self.confirmed = view.tick();
        self.world.restore(view);
        if ahead < 0 || ahead.unsigned_abs() > REPLAY_TICKS_MAX {
            self.newest.clone_from(view);
            self.before.clone_from(view);
            return Reconciled::Snapped;
        }
        let sum = view.checksum(&mut self.scratch) as u32;
        let exact = self.sums[slot(view.tick())] == Some((view.tick(), sum));
        self.newest.clone_from(view);
        for _ in 0..ahead {
            self.run_tick();
        }
        if exact { Reconciled::Exact } else { Reconciled::Corrected }
    }

    /// The newest predicted view.
    #[must_use]
    pub fn newest(&self) -> &View<G> {
        &self.newest
    }

    /// The view one tick before the newest.
    #[must_use]
    pub fn before(&self) -> &View<G> {
        &self.before
    }

    fn run_tick(&mut self) {
        let tick = self.newest.tick().next();
        for (index, input) in self.inputs.iter_mut().enumerate() {
            let seat = SeatId(u8::try_from(index).unwrap_or(u8::MAX));
            *input = Some(G::input_of(&self.newest, seat));
        }
        // An input that was never given is what the server makes of it too: the last one goes on.
        if let Some((_, input)) = self.own[slot(tick)].filter(|(known, _)| *known == tick) {
            self.inputs[self.seat.index()] = Some(input);
        }
        self.world.step(&self.inputs, &[]);
        std::mem::swap(&mut self.before, &mut self.newest);
        self.world.view(self.audience, &mut self.newest);
        self.sums[slot(tick)] = Some((tick, self.newest.checksum(&mut self.scratch) as u32));
    }
}

const fn slot(tick: Tick) -> usize {
    tick.0 as usize % INPUTS_KEPT
}

//! A match's ticks as frames for sockets: each is encoded once, and only when somebody wants it.

use std::sync::Arc;

use bytes::Bytes;
use contract::{
    Audience, GameData, Pace, RosterEntry, ServerMessage, Snapshot, Steps, Tick, WireView as _, steps::STEPS_TICKS_MAX,
};
use sim::Game;

use super::{Epoch, Port, published::Published};

/// A match's snapshot ticks, one after the other, each encoded as far as it is asked for.
pub(crate) trait Reel: Send {
    /// Ticks left out between the start of the match and the tick it is at.
    fn skipped(&self) -> u32;
    /// Goes on to the newest snapshot tick, and tells about it.
    fn advance(&mut self) -> Bulletin;
    /// The whole view of an audience.
    fn whole(&mut self, audience: Audience) -> Bytes;
    /// The steps of an audience from the snapshot before; only when there are some.
    fn steps(&mut self, audience: Audience) -> Option<Bytes>;
}

/// A tick as sockets are told of it.
#[derive(Debug)]
pub(crate) struct Bulletin {
    /// The tick.
    pub(crate) tick: Tick,
    /// The tick from which there are steps to this one.
    pub(crate) steps_from: Option<Tick>,
    /// Changes whenever the roster does.
    pub(crate) roster_version: u32,
    /// Who plays each seat.
    pub(crate) roster: Arc<[RosterEntry]>,
    /// Epoch of each seat.
    pub(crate) epochs: Vec<Epoch>,
    /// Changes whenever there are new reports.
    pub(crate) pace_version: u32,
    /// The last reports, by seat.
    pub(crate) paces: Vec<Option<Pace>>,
    /// Ticks left out since the start of the match.
    pub(crate) skipped: u32,
}

/// [`Reel`] of a match of some game.
pub(super) struct MatchReel<G: Game> {
    port: Arc<Port<G>>,
    before: Option<Arc<Published<G>>>,
    now: Arc<Published<G>>,
    /// Of the public part, which all audiences share.
    checksum: Option<u32>,
    whole: Vec<Option<Bytes>>,
    steps: Vec<Option<Bytes>>,
}

impl<G: Game> MatchReel<G> {
    pub(super) fn new(port: Arc<Port<G>>) -> Self {
        let now = port.board.snapshot.load_full();
        let nothing = || vec![None; G::Data::AUDIENCES];
        Self { port, before: None, now, checksum: None, whole: nothing(), steps: nothing() }
    }

    /// The snapshot that the newest one's inputs begin at, if it is the one before.
    fn stepped_from(&self) -> Option<&Published<G>> {
        let before = self.before.as_deref().filter(|before| before.tick == self.now.inputs_since)?;
        let ticks = usize::try_from(self.now.tick.since(before.tick)).ok()?;
        (G::Data::IS_OPEN && (1..=STEPS_TICKS_MAX).contains(&ticks)).then_some(before)
    }
}

impl<G: Game> Reel for MatchReel<G> {
    fn skipped(&self) -> u32 {
        self.now.skipped
    }

    fn advance(&mut self) -> Bulletin {
        let newest = self.port.board.snapshot.load_full();
        self.before = Some(std::mem::replace(&mut self.now, newest));
        self.checksum = None;
        self.whole.fill(None);
        self.steps.fill(None);
        let now = &self.now;
        Bulletin {
            tick: now.tick,
            steps_from: self.stepped_from().map(|before| before.tick),
            roster_version: now.roster_version,
            roster: Arc::clone(&now.roster),
            epochs: now.epochs.clone(),
            pace_version: now.pace_version,
            paces: now.paces.clone(),
            skipped: now.skipped,
        }
    }

    fn whole(&mut self, audience: Audience) -> Bytes {
        let Self { now, checksum, whole, .. } = self;
        let checksum = *checksum.get_or_insert_with(|| public_checksum(now));
        whole[audience.index()].get_or_insert_with(|| whole_frame(now, audience, checksum)).clone()
    }

    fn steps(&mut self, audience: Audience) -> Option<Bytes> {
        if self.steps[audience.index()].is_none() {
            let checksum = *self.checksum.get_or_insert_with(|| public_checksum(&self.now));
            let before = self.stepped_from()?;
            self.steps[audience.index()] = Some(steps_frame(before, &self.now, audience, checksum));
        }
        self.steps[audience.index()].clone()
    }
}

/// A frame with all an audience sees, for one socket alone.
pub(super) fn whole_view<G: Game>(published: &Published<G>, audience: Audience) -> Bytes {
    whole_frame(published, audience, public_checksum(published))
}

fn whole_frame<G: Game>(published: &Published<G>, audience: Audience, checksum: u32) -> Bytes {
    let view = published.view(audience);
    let mut body = Vec::with_capacity(1024);
    view.pack(&mut body);
    let snapshot = Snapshot { tick: view.tick(), audience, checksum, body };
    contract::encode(&ServerMessage::Snapshot(snapshot)).into()
}

fn steps_frame<G: Game>(before: &Published<G>, now: &Published<G>, audience: Audience, checksum: u32) -> Bytes {
    let view = now.view(audience);
    let mut body = Vec::with_capacity(256);
    contract::steps::pack(before.view(audience), &now.inputs, view, &mut body);
    let ticks = u8::try_from(now.tick.since(before.tick)).unwrap_or(u8::MAX);
    let steps = Steps { tick: now.tick, ticks, checksum, body };
    contract::encode(&ServerMessage::Steps(steps)).into()
}

fn public_checksum<G: Game>(published: &Published<G>) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the wire carries the low half")]
    let low = published.views[0].checksum(&mut Vec::with_capacity(512)) as u32;
    low
}

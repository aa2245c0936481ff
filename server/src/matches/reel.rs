//! A match's ticks as frames for sockets: each is encoded once, and only when somebody wants it.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use contract::{
    Audience, GameData, Pace, RosterEntry, ServerMessage, Snapshot, Steps, Tick, WireView as _, steps::STEPS_TICKS_MAX,
};
use sim::{Game, Input, View};

use super::{Epoch, Port, published::Published};

/// Earlier snapshots from which there are steps to the newest: as many as lie between two that a socket at a quarter of
/// the rate is shown.
const PAST_MAX: usize = 4;

/// A match's snapshot ticks, one after the other, each encoded as far as it is asked for.
pub(crate) trait Reel: Send {
    /// Ticks left out between the start of the match and the tick it is at.
    fn skipped(&self) -> u32;
    /// Goes on to the newest snapshot tick, and tells about it.
    fn advance(&mut self) -> Bulletin;
    /// The whole view of an audience.
    fn whole(&mut self, audience: Audience) -> Bytes;
    /// The steps of an audience from an earlier snapshot; only when there are some.
    fn steps(&mut self, audience: Audience, from: Tick) -> Option<Bytes>;
}

/// A tick as sockets are told of it.
#[derive(Debug)]
pub(crate) struct Bulletin {
    /// The tick.
    pub(crate) tick: Tick,
    /// The ticks from which there are steps to this one.
    pub(crate) steps_from: Vec<Tick>,
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
    /// Snapshots before the newest, oldest first, without a gap between any two.
    past: VecDeque<Past<G>>,
    now: Arc<Published<G>>,
    /// Of the public part, which all audiences share.
    checksum: Option<u32>,
    whole: Vec<Option<Bytes>>,
    /// By audience and then by the snapshot they begin at, as in `past`.
    steps: Vec<Option<Bytes>>,
}

/// What steps from an earlier snapshot take to make. Copied, because the worker needs its own back.
struct Past<G: Game> {
    tick: Tick,
    views: Vec<View<G>>,
    /// The inputs that lead to it.
    inputs: Vec<Input<G>>,
}

impl<G: Game> MatchReel<G> {
    pub(super) fn new(port: Arc<Port<G>>) -> Self {
        let now = port.board.snapshot.load_full();
        Self {
            port,
            past: VecDeque::with_capacity(PAST_MAX),
            now,
            checksum: None,
            whole: vec![None; G::Data::AUDIENCES],
            steps: vec![None; G::Data::AUDIENCES * PAST_MAX],
        }
    }

    /// Keeps what was the newest snapshot, if steps lead on from it to the next one.
    fn keep(&mut self, next: &Published<G>) {
        if !G::Data::IS_OPEN || next.inputs_since != self.now.tick {
            self.past.clear();
            return;
        }
        let spare = if self.past.len() == PAST_MAX { self.past.pop_front() } else { None };
        let mut past = spare.unwrap_or_else(|| Past { tick: Tick(0), views: Vec::new(), inputs: Vec::new() });
        past.tick = self.now.tick;
        past.views.clone_from(&self.now.views);
        past.inputs.clone_from(&self.now.inputs);
        self.past.push_back(past);
    }

    /// Whether the steps from an earlier snapshot fit into a message.
    fn is_near(&self, past: &Past<G>) -> bool {
        usize::try_from(self.now.tick.since(past.tick)).is_ok_and(|ticks| (1..=STEPS_TICKS_MAX).contains(&ticks))
    }
}

impl<G: Game> Reel for MatchReel<G> {
    fn skipped(&self) -> u32 {
        self.now.skipped
    }

    fn advance(&mut self) -> Bulletin {
        let newest = self.port.board.snapshot.load_full();
        if newest.tick != self.now.tick {
            self.keep(&newest);
        }
        self.now = newest;
        self.checksum = None;
        self.whole.fill(None);
        self.steps.fill(None);
        let now = &self.now;
        Bulletin {
            tick: now.tick,
            steps_from: self.past.iter().filter(|past| self.is_near(past)).map(|past| past.tick).collect(),
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

    fn steps(&mut self, audience: Audience, from: Tick) -> Option<Bytes> {
        let at = self.past.iter().position(|past| past.tick == from && self.is_near(past))?;
        let Self { past, now, checksum, steps, .. } = self;
        let checksum = *checksum.get_or_insert_with(|| public_checksum(now));
        let frame = steps[audience.index() * PAST_MAX + at].get_or_insert_with(|| {
            let between = past.iter().skip(at + 1).flat_map(|past| &past.inputs);
            let inputs: Vec<Input<G>> = between.chain(&now.inputs).copied().collect();
            steps_frame::<G>(&past[at], &inputs, now, audience, checksum)
        });
        Some(frame.clone())
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

fn steps_frame<G: Game>(
    past: &Past<G>,
    inputs: &[Input<G>],
    now: &Published<G>,
    audience: Audience,
    checksum: u32,
) -> Bytes {
    let view = now.view(audience);
    let mut body = Vec::with_capacity(256);
    contract::steps::pack(&past.views[audience.index()], inputs, view, &mut body);
    let ticks = u8::try_from(now.tick.since(past.tick)).unwrap_or(u8::MAX);
    let steps = Steps { tick: now.tick, ticks, checksum, body };
    contract::encode(&ServerMessage::Steps(steps)).into()
}

fn public_checksum<G: Game>(published: &Published<G>) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the wire carries the low half")]
    let low = published.views[0].checksum(&mut Vec::with_capacity(512)) as u32;
    low
}

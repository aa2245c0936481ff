//! A match as everybody but its worker sees it.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::Bytes;
use contract::{
    Audience, DecodeError, GameData, Holder, MatchKey, Pace, Refusal, RosterEntry, ServerMessage, Snapshot, Tick,
    Welcome, WireInput, WireView,
};
use crossbeam_queue::ArrayQueue;
use sim::{Game, Input, Setup};
use tokio::sync::oneshot;

use super::{
    commands::{Command, Lease, Releases},
    presence::Presence,
    published::Board,
    seats::{Epoch, Wish},
};
use crate::{
    agents::{AgentSeats, Answered},
    metrics::Metrics,
};

/// Inputs of one seat that wait for the worker. More than a few only wait when a network held them up.
pub(super) const INPUTS_WAITING_MAX: usize = 64;

/// A match of some game: read what is published, put something in, wait for an answer.
pub(crate) trait MatchPort: Send + Sync {
    /// Who cares about it.
    fn presence(&self) -> &Presence;
    /// Its address.
    fn key(&self) -> &MatchKey;
    /// What a page must know first.
    fn welcome(&self) -> Welcome;
    /// The newest tick.
    fn newest_tick(&self) -> Tick;
    /// Seats held by people, Agents and bots.
    fn holders(&self) -> [usize; 3];
    /// What somebody without a seat sees.
    fn spectators(&self) -> Audience;
    /// Asks for a seat at the next tick.
    fn join(&self, wish: Wish) -> Result<oneshot::Receiver<Result<Lease, Refusal>>, Refusal>;
    /// Hands in an input.
    ///
    /// # Errors
    /// When the bytes are not an input of this game.
    fn input(&self, lease: Option<&Lease>, tick: Tick, bytes: &[u8]) -> Result<(), DecodeError>;
    /// Reads the newest tick that goes to sockets, with a frame for each wanted audience.
    fn bulletin(&self, wanted: &dyn Fn(Audience) -> bool) -> Bulletin;
    /// A frame of the newest tick.
    fn newest_frame(&self, audience: Audience) -> Bytes;
    /// Who plays each seat, and that list's version.
    fn roster(&self) -> (u32, Arc<[RosterEntry]>);
    /// Answers an Agent's call.
    fn call(self: Arc<Self>, request: Bytes) -> Pin<Box<dyn Future<Output = Answered> + Send>>;
    /// Takes the seats of Agents that stay away.
    fn sweep_agents(&self);
}

/// A tick as it goes to sockets.
#[derive(Debug)]
pub(crate) struct Bulletin {
    /// A frame for each wanted audience.
    pub(crate) frames: Vec<Option<Bytes>>,
    /// Changes whenever the roster does.
    pub(crate) roster_version: u32,
    /// Who plays each seat.
    pub(crate) roster: Arc<[RosterEntry]>,
    /// Changes whenever there are new reports.
    pub(crate) pace_version: u32,
    /// The last reports, by seat.
    pub(crate) paces: Vec<Option<Pace>>,
    /// Ticks left out since the start of the match.
    pub(crate) skipped: u32,
}

/// What [`MatchPort`] is made of.
#[derive(Debug)]
pub(crate) struct Port<G: Game> {
    pub(crate) key: MatchKey,
    pub(crate) setup: Setup<G>,
    pub(crate) ticks_per_snapshot: u16,
    pub(crate) presence: Presence,
    pub(crate) board: Board<G>,
    pub(crate) inbox: ArrayQueue<Command<G>>,
    /// Where inputs come in, by seat.
    pub(super) doors: Vec<Door<Input<G>>>,
    pub(super) releases: Releases,
    pub(crate) agent_seats: AgentSeats,
    pub(crate) metrics: Arc<Metrics>,
}

/// Where the inputs of one seat come in.
#[derive(Debug)]
pub(super) struct Door<I> {
    pub(super) inputs: ArrayQueue<Arrived<I>>,
    /// Inputs that found the queue full since the seat last changed hands.
    pub(super) dropped: AtomicU32,
}

/// An input on its way to the worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived<I> {
    /// Whose it is: inputs of whoever held the seat before count for nothing.
    pub(super) epoch: Epoch,
    pub(super) tick: Tick,
    pub(super) input: I,
}

impl<I> Door<I> {
    pub(super) fn new() -> Self {
        Self { inputs: ArrayQueue::new(INPUTS_WAITING_MAX), dropped: AtomicU32::new(0) }
    }
}

impl<G: Game> MatchPort for Port<G> {
    fn presence(&self) -> &Presence {
        &self.presence
    }

    fn key(&self) -> &MatchKey {
        &self.key
    }

    fn welcome(&self) -> Welcome {
        Welcome {
            game: G::Data::ID.to_owned(),
            setup: contract::encode(&self.setup),
            sim: sim::sim_hash(),
            ticks_per_second: G::Data::TICKS_PER_SECOND,
            ticks_per_snapshot: self.ticks_per_snapshot,
            tick: self.newest_tick(),
        }
    }

    fn newest_tick(&self) -> Tick {
        self.board.newest.load().tick
    }

    fn holders(&self) -> [usize; 3] {
        let newest = self.board.newest.load();
        [Holder::Person, Holder::Agent, Holder::Bot]
            .map(|holder| newest.roster.iter().filter(|entry| entry.holder == holder).count())
    }

    fn spectators(&self) -> Audience {
        G::Data::audience_of(&self.setup, None)
    }

    fn join(&self, wish: Wish) -> Result<oneshot::Receiver<Result<Lease, Refusal>>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.presence.touch();
        self.inbox.push(Command::Join { wish, reply }).map_err(|_| Refusal::Busy)?;
        Ok(answer)
    }

    fn input(&self, lease: Option<&Lease>, tick: Tick, bytes: &[u8]) -> Result<(), DecodeError> {
        let input = Input::<G>::unpack(bytes)?;
        let Some(lease) = lease else {
            self.metrics.inputs_unseated.inc();
            return Ok(());
        };
        let door = &self.doors[lease.seat.index()];
        if door.inputs.push(Arrived { epoch: lease.epoch, tick, input }).is_err() {
            door.dropped.fetch_add(1, Ordering::Relaxed);
            self.metrics.inputs_dropped.inc();
        }
        Ok(())
    }

    fn bulletin(&self, wanted: &dyn Fn(Audience) -> bool) -> Bulletin {
        let published = self.board.snapshot.load_full();
        let checksum = checksum::<G>(&published.views[0]);
        let frames = (0..).map(Audience).zip(&published.views);
        let frames = frames.map(|(audience, view)| wanted(audience).then(|| frame::<G>(view, audience, checksum)));
        Bulletin {
            frames: frames.collect(),
            roster_version: published.roster_version,
            roster: Arc::clone(&published.roster),
            pace_version: published.pace_version,
            paces: published.paces.clone(),
            skipped: published.skipped,
        }
    }

    fn newest_frame(&self, audience: Audience) -> Bytes {
        let published = self.board.newest.load_full();
        frame::<G>(published.view(audience), audience, checksum::<G>(&published.views[0]))
    }

    fn roster(&self) -> (u32, Arc<[RosterEntry]>) {
        let newest = self.board.newest.load();
        (newest.roster_version, Arc::clone(&newest.roster))
    }

    fn call(self: Arc<Self>, request: Bytes) -> Pin<Box<dyn Future<Output = Answered> + Send>> {
        Box::pin(async move { crate::agents::answer(&self, &request).await })
    }

    fn sweep_agents(&self) {
        self.agent_seats.sweep(self.presence.now_ms());
    }
}

fn checksum<G: Game>(view: &sim::View<G>) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the wire carries the low half")]
    let low = view.checksum(&mut Vec::with_capacity(512)) as u32;
    low
}

fn frame<G: Game>(view: &sim::View<G>, audience: Audience, checksum: u32) -> Bytes {
    let mut body = Vec::with_capacity(1024);
    view.pack(&mut body);
    contract::encode(&ServerMessage::Snapshot(Snapshot { tick: view.tick(), audience, checksum, body })).into()
}

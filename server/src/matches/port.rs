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
    Audience, Cadence, DecodeError, GameData, Holder, MatchKey, Refusal, RelayPass, ResumeSecret, RosterEntry, Tick,
    Welcome, WireInput,
};
use sim::{Game, Input, Setup};
use tokio::sync::oneshot;

use super::{
    commands::{Command, Lease, Releases},
    mailbox::Mailbox,
    presence::Presence,
    published::Board,
    reel::{self, MatchReel, Reel},
    relays::Relays,
    seats::{Epoch, Wish},
};
use crate::{
    agents::{AgentSeats, Answered, Via},
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
    /// What a page must know first, and what it shows when it relays.
    fn welcome(&self, relay: RelayPass) -> Welcome;
    /// Its ticks and snapshots.
    fn cadence(&self) -> Cadence;
    /// Pages that relay Agents' calls.
    fn relays(&self) -> &Relays;
    /// The newest tick.
    fn newest_tick(&self) -> Tick;
    /// Seats held by people, Agents and bots.
    fn holders(&self) -> [usize; 3];
    /// What somebody without a seat sees.
    fn spectators(&self) -> Audience;
    /// Asks for the seat of a secret at the next tick.
    fn resume(
        &self,
        by: ResumeSecret,
        next: ResumeSecret,
    ) -> Result<oneshot::Receiver<Result<Lease, Refusal>>, Refusal>;
    /// Asks for a seat at the next tick.
    fn join(&self, wish: Wish) -> Result<oneshot::Receiver<Result<Lease, Refusal>>, Refusal>;
    /// Hands in an input.
    ///
    /// # Errors
    /// When the bytes are not an input of this game.
    fn input(&self, lease: Option<&Lease>, tick: Tick, bytes: &[u8]) -> Result<(), DecodeError>;
    /// Reads what goes to sockets, from the newest tick on.
    fn reel(self: Arc<Self>) -> Box<dyn Reel>;
    /// The whole view of the newest tick, for one audience, and that tick.
    fn newest_frame(&self, audience: Audience) -> (Tick, Bytes);
    /// Who plays each seat, and that list's version.
    fn roster(&self) -> (u32, Arc<[RosterEntry]>);
    /// Answers an Agent's call.
    fn call(self: Arc<Self>, request: Bytes, via: Via) -> Pin<Box<dyn Future<Output = Answered> + Send>>;
    /// Takes the seats of Agents that stay away.
    fn sweep_agents(&self);
}

/// What [`MatchPort`] is made of.
#[derive(Debug)]
pub(crate) struct Port<G: Game> {
    pub(crate) key: MatchKey,
    pub(crate) setup: Setup<G>,
    pub(crate) cadence: Cadence,
    /// How long the seat of a person who lost touch is kept.
    pub(crate) grace_ticks: u32,
    pub(crate) presence: Presence,
    pub(crate) board: Board<G>,
    pub(crate) inbox: Mailbox<Command<G>>,
    /// Where inputs come in, by seat.
    pub(super) doors: Vec<Door<Input<G>>>,
    pub(super) releases: Releases,
    pub(crate) agent_seats: AgentSeats,
    pub(crate) relays: Relays,
    pub(crate) metrics: Arc<Metrics>,
}

/// Where the inputs of one seat come in.
#[derive(Debug)]
pub(super) struct Door<I> {
    pub(super) inputs: Mailbox<Arrived<I>>,
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
        Self { inputs: Mailbox::new(INPUTS_WAITING_MAX), dropped: AtomicU32::new(0) }
    }
}

impl<G: Game> MatchPort for Port<G> {
    fn presence(&self) -> &Presence {
        &self.presence
    }

    fn key(&self) -> &MatchKey {
        &self.key
    }

    fn cadence(&self) -> Cadence {
        self.cadence
    }

    fn relays(&self) -> &Relays {
        &self.relays
    }

    fn welcome(&self, relay: RelayPass) -> Welcome {
        Welcome {
            game: G::Data::ID.to_owned(),
            setup: contract::encode(&self.setup),
            sim: sim::sim_hash(),
            cadence: self.cadence,
            tick: self.newest_tick(),
            relay,
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

    fn resume(
        &self,
        by: ResumeSecret,
        next: ResumeSecret,
    ) -> Result<oneshot::Receiver<Result<Lease, Refusal>>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.presence.touch();
        self.inbox.push(Command::Resume { by, next, reply }).map_err(|_| Refusal::Busy)?;
        Ok(answer)
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

    fn reel(self: Arc<Self>) -> Box<dyn Reel> {
        Box::new(MatchReel::new(self))
    }

    fn newest_frame(&self, audience: Audience) -> (Tick, Bytes) {
        let published = self.board.newest.load_full();
        (published.tick, reel::whole_view::<G>(&published, audience))
    }

    fn roster(&self) -> (u32, Arc<[RosterEntry]>) {
        let newest = self.board.newest.load();
        (newest.roster_version, Arc::clone(&newest.roster))
    }

    fn call(self: Arc<Self>, request: Bytes, via: Via) -> Pin<Box<dyn Future<Output = Answered> + Send>> {
        Box::pin(async move { crate::agents::answer(&self, &request, &via).await })
    }

    fn sweep_agents(&self) {
        self.agent_seats.sweep(self.presence.now_ms());
    }
}

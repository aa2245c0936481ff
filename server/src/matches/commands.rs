//! What enters a match besides inputs: through a bounded inbox, answered once it took effect.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use contract::{
    Audience, GameData, Refusal, ResumeSecret, SeatId, TeamId, Tick,
    agent::OrderId,
    limits::{AGENT_BASED_ON_AGE_S_MAX, ORDERS_PER_TICK_MAX},
};
use sim::{Fact, Game, Order, Setup, View};
use tokio::sync::oneshot;

use super::seats::{Epoch, Wish};

/// Commands that wait for a match's next tick. When it is full, callers are told that the match is busy.
pub(crate) const INBOX_COMMANDS_MAX: usize = 256;

/// Most commands one tick takes; more wait for the next one.
pub(crate) const COMMANDS_PER_TICK_MAX: usize = 32;

const _: () = assert!(COMMANDS_PER_TICK_MAX <= ORDERS_PER_TICK_MAX as usize, "every order of a tick has an id");

/// Something a match is asked to do.
#[derive(Debug)]
pub(crate) enum Command<G: Game> {
    /// Seat a person or an Agent.
    Join {
        /// Who, and where.
        wish: Wish,
        /// Gets the lease.
        reply: oneshot::Sender<Result<Lease, Refusal>>,
    },
    /// Give a person who lost touch their seat again.
    Resume {
        /// Proof of having held it.
        by: ResumeSecret,
        /// The proof for next time.
        next: ResumeSecret,
        /// Gets the lease.
        reply: oneshot::Sender<Result<Lease, Refusal>>,
    },
    /// Give an Agent's seat back.
    Leave {
        /// The seat.
        seat: SeatId,
        /// The epoch it is held under.
        epoch: Epoch,
        /// Gets the tick from which a bot plays; `None` when the seat was not the caller's any more.
        reply: oneshot::Sender<Option<Tick>>,
    },
    /// Give a seat's player an order.
    Order {
        /// The seat.
        seat: SeatId,
        /// The epoch it is held under.
        epoch: Epoch,
        /// The order.
        order: Order<G>,
        /// Ticks after which it expires; `None` for the game's own time.
        expires_in: Option<u32>,
        /// What it depends on.
        basis: Basis<G>,
        /// Gets what came of it.
        reply: oneshot::Sender<Result<Taken, NotTaken>>,
    },
}

/// An order that takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) id: OrderId,
    /// The first tick that shows it.
    pub(crate) tick: Tick,
}

/// Why an order takes no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// The seat was not the caller's any more.
    SeatGone,
    /// What it was based on does not carry it.
    Unfounded(Unfounded),
}

/// What an act depends on.
#[derive(Debug)]
pub(crate) struct Basis<G: Game> {
    /// The tick of the sight it was decided on.
    pub(crate) tick: Option<Tick>,
    /// What must be so.
    pub(crate) facts: Vec<Fact<G>>,
}

/// Why an act has no basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfounded {
    /// The sight is too old.
    TooOld,
    /// The sight has not come yet: it is of another match.
    NotYet,
    /// This precondition does not hold.
    Broken(usize),
}

impl<G: Game> Basis<G> {
    /// The oldest sight that counts, in ticks.
    const AGE_TICKS_MAX: u32 = AGENT_BASED_ON_AGE_S_MAX * G::Data::TICKS_PER_SECOND as u32;

    /// Checks it against the newest view of the audience that may know. Allocates nothing.
    pub(crate) fn check(
        &self,
        setup: &Setup<G>,
        now: Tick,
        view: &View<G>,
        seat: Option<SeatId>,
    ) -> Result<(), Unfounded> {
        if let Some(tick) = self.tick {
            let age = now.since(tick);
            if age < 0 {
                return Err(Unfounded::NotYet);
            }
            if age.unsigned_abs() > Self::AGE_TICKS_MAX {
                return Err(Unfounded::TooOld);
            }
        }
        match self.facts.iter().position(|fact| !G::holds(setup, view, seat, fact)) {
            Some(at) => Err(Unfounded::Broken(at)),
            None => Ok(()),
        }
    }
}

/// The right to play a seat. Whoever drops it has lost touch; [`Lease::give_back`] is how to leave on purpose.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) seat: SeatId,
    pub(crate) epoch: Epoch,
    pub(crate) team: TeamId,
    /// What the holder may see.
    pub(crate) audience: Audience,
    /// The first tick that shows it in the holder's hands. Inputs may name later ones.
    pub(crate) since: Tick,
    pub(crate) releases: Releases,
}

impl Lease {
    /// Gives the seat back at once, to be played by a bot.
    pub(crate) fn give_back(self) {
        Releases::note(&self.releases.left, self.seat, self.epoch);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        Releases::note(&self.releases.lost, self.seat, self.epoch);
    }
}

/// Where the ends of leases are noted without waiting and without a queue that could be full: two numbers per seat, the
/// newest epoch that was given back and the newest whose holder lost touch.
#[derive(Clone, Debug)]
pub(crate) struct Releases {
    left: Arc<[AtomicU32]>,
    lost: Arc<[AtomicU32]>,
}

/// How a lease is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tenure {
    /// Somebody has it.
    Kept,
    /// Its holder lost touch.
    Lost,
    /// Its holder gave it back.
    Left,
}

impl Releases {
    pub(crate) fn new(seats: usize) -> Self {
        let none = || (0..seats).map(|_| AtomicU32::new(0)).collect();
        Self { left: none(), lost: none() }
    }

    fn note(ends: &[AtomicU32], seat: SeatId, epoch: Epoch) {
        // The greatest, so that a late end of an old epoch does not undo that of a newer one.
        ends[seat.index()].fetch_max(epoch.0, Ordering::Release);
    }

    /// How this epoch of a seat is.
    pub(crate) fn tenure(&self, seat: SeatId, epoch: Epoch) -> Tenure {
        let has_ended = |ends: &[AtomicU32]| ends[seat.index()].load(Ordering::Acquire) >= epoch.0;
        // Whoever gives a lease back also drops it, in this order; so it is looked up in the other.
        let is_lost = has_ended(&self.lost);
        match (has_ended(&self.left), is_lost) {
            (true, _) => Tenure::Left,
            (false, true) => Tenure::Lost,
            (false, false) => Tenure::Kept,
        }
    }
}

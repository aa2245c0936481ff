//! What enters a match besides inputs: through a bounded inbox, answered once it took effect.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use contract::{Audience, Refusal, SeatId, TeamId, Tick};
use sim::{Game, Order};
use tokio::sync::oneshot;

use super::seats::{Epoch, Wish};

/// Commands that wait for a match's next tick. When it is full, callers are told that the match is busy.
pub(crate) const INBOX_COMMANDS_MAX: usize = 256;

/// Most commands one tick takes; more wait for the next one.
pub(crate) const COMMANDS_PER_TICK_MAX: usize = 32;

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
        /// Gets the first tick that shows the order; `None` when the seat was not the caller's any more.
        reply: oneshot::Sender<Option<Tick>>,
    },
}

/// The right to play a seat. Whoever drops it gives the seat back.
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

impl Drop for Lease {
    fn drop(&mut self) {
        self.releases.release(self.seat, self.epoch);
    }
}

/// Where seats are given back without waiting and without a queue that could be full: one number per seat, the newest
/// epoch that is over.
#[derive(Clone, Debug)]
pub(crate) struct Releases(Arc<[AtomicU32]>);

impl Releases {
    pub(crate) fn new(seats: usize) -> Self {
        Self((0..seats).map(|_| AtomicU32::new(0)).collect())
    }

    fn release(&self, seat: SeatId, epoch: Epoch) {
        // The greatest, so that a late release of an old epoch does not undo that of a newer one.
        self.0[seat.index()].fetch_max(epoch.0, Ordering::Release);
    }

    /// Whether this epoch of a seat is over.
    pub(crate) fn is_released(&self, seat: SeatId, epoch: Epoch) -> bool {
        self.0[seat.index()].load(Ordering::Acquire) >= epoch.0
    }
}

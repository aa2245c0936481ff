//! The newest views of a match, where anybody reads them and nobody holds up the worker.

use std::sync::Arc;

use arc_swap::ArcSwap;
use contract::{Audience, Cadence, GameData, Pace, RosterEntry, SeatId, Tick};
use sim::{Game, Input, View};

use super::seats::Epoch;

/// Everything about one tick that leaves the worker. Never changes once it is out.
#[derive(Debug)]
pub(crate) struct Published<G: Game> {
    /// The tick.
    pub(crate) tick: Tick,
    /// What each audience sees.
    pub(crate) views: Vec<View<G>>,
    /// On a snapshot tick: what every seat did in each tick since the snapshot before, a row per tick. Empty on others.
    pub(crate) inputs: Vec<Input<G>>,
    /// The tick of the snapshot before.
    pub(crate) inputs_since: Tick,
    /// Who plays each seat.
    pub(crate) roster: Arc<[RosterEntry]>,
    /// Changes whenever the roster does.
    pub(crate) roster_version: u32,
    /// Epoch of each seat.
    pub(crate) epochs: Vec<Epoch>,
    /// How each seat's inputs arrived, by the last report.
    pub(crate) paces: Vec<Option<Pace>>,
    /// Changes whenever a new report is in `paces`.
    pub(crate) pace_version: u32,
    /// Ticks left out since the start of the match.
    pub(crate) skipped: u32,
}

impl<G: Game> Published<G> {
    /// Room for a tick.
    pub(crate) fn blank(seats: usize, cadence: Cadence) -> Self {
        Self {
            tick: Tick(0),
            views: vec![View::<G>::default(); G::Data::AUDIENCES],
            inputs: Vec::with_capacity(seats * usize::from(cadence.ticks_apart_max())),
            inputs_since: Tick(0),
            roster: Arc::new([]),
            roster_version: 0,
            epochs: vec![Epoch(0); seats],
            paces: vec![None; seats],
            pace_version: 0,
            skipped: 0,
        }
    }

    /// What an audience sees.
    pub(crate) fn view(&self, audience: Audience) -> &View<G> {
        &self.views[audience.index()]
    }

    /// Whether a seat is still in the hands it was in under this epoch.
    pub(crate) fn is_epoch(&self, seat: SeatId, epoch: Epoch) -> bool {
        self.epochs.get(seat.index()) == Some(&epoch)
    }
}

/// Where readers find what is published.
#[derive(Debug)]
pub(crate) struct Board<G: Game> {
    /// The newest tick.
    pub(crate) newest: ArcSwap<Published<G>>,
    /// The newest tick that is sent to sockets.
    pub(crate) snapshot: ArcSwap<Published<G>>,
}

/// The worker's side: writes into whichever copy no reader holds any more, so that a steady match allocates nothing.
#[derive(Debug)]
pub(crate) struct Publisher<G: Game> {
    copies: Vec<Arc<Published<G>>>,
    seats: usize,
    cadence: Cadence,
}

impl<G: Game> Publisher<G> {
    /// The board holds at most two copies and the broadcaster another two; the others cover readers in the middle of
    /// something.
    const COPIES: usize = 8;

    /// A publisher, and the board with a first tick on it. That tick is in every copy, so that all have made room.
    pub(crate) fn new(seats: usize, cadence: Cadence, fill: impl Fn(&mut Published<G>)) -> (Self, Board<G>) {
        let copy = |_| {
            let mut copy = Published::blank(seats, cadence);
            fill(&mut copy);
            Arc::new(copy)
        };
        let publisher = Self { copies: (0..Self::COPIES).map(copy).collect(), seats, cadence };
        let first = Arc::clone(&publisher.copies[0]);
        (publisher, Board { newest: ArcSwap::new(Arc::clone(&first)), snapshot: ArcSwap::new(first) })
    }

    /// Writes a tick and puts it on the board.
    pub(crate) fn publish(&mut self, board: &Board<G>, is_snapshot: bool, fill: impl FnOnce(&mut Published<G>)) {
        let published = self.write(fill);
        if is_snapshot {
            board.snapshot.store(Arc::clone(&published));
        }
        board.newest.store(published);
    }

    fn write(&mut self, fill: impl FnOnce(&mut Published<G>)) -> Arc<Published<G>> {
        let free = self.copies.iter_mut().position(|copy| Arc::get_mut(copy).is_some());
        let at = free.unwrap_or_else(|| {
            // Readers hold every copy. The one given up here lives on with its readers.
            self.copies[0] = Arc::new(Published::blank(self.seats, self.cadence));
            0
        });
        if let Some(published) = Arc::get_mut(&mut self.copies[at]) {
            fill(published);
        }
        Arc::clone(&self.copies[at])
    }
}

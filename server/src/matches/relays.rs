//! Pages through whose browsers Agents' calls come: what each may see, and whose calls it carries.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use contract::{Audience, RelayPass, RelayedBy, SeatId};
use parking_lot::Mutex;

use super::port::MatchPort;
use crate::secret;

/// What a page is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// What it may see.
    pub(crate) audience: Audience,
    /// The seat its person plays.
    pub(crate) seat: Option<SeatId>,
}

impl Standing {
    /// What the room is told of it.
    pub(crate) fn relayed_by(self) -> RelayedBy {
        self.seat.map_or(RelayedBy::Watcher, RelayedBy::Player)
    }
}

/// The pages of one match that may relay, and through which of them each seat's Agent called last.
#[derive(Debug)]
pub(crate) struct Relays {
    /// By pass. As many as there are open sockets.
    pages: Mutex<HashMap<RelayPass, Standing>>,
    /// By seat: 0 for nobody, 1 for a watcher, and from 2 on the relaying person's seat. Read by the worker.
    carriers: Box<[AtomicU8]>,
}

impl Relays {
    pub(super) fn new(seats: usize) -> Self {
        Self { pages: Mutex::default(), carriers: (0..seats).map(|_| AtomicU8::new(0)).collect() }
    }

    /// What the page of this pass is, if it is there.
    pub(crate) fn find(&self, pass: &RelayPass) -> Option<Standing> {
        self.pages.lock().get(pass).copied()
    }

    /// Notes through whom a seat's Agent called. Returns whether that is new.
    pub(crate) fn note(&self, seat: SeatId, by: Option<RelayedBy>) -> bool {
        let code = match by {
            None => 0,
            Some(RelayedBy::Watcher) => 1,
            Some(RelayedBy::Player(seat)) => seat.0.saturating_add(2),
        };
        self.carriers[seat.index()].swap(code, Ordering::Relaxed) != code
    }

    /// Through whom a seat's Agent called last.
    pub(super) fn of(&self, seat: SeatId) -> Option<RelayedBy> {
        match self.carriers[seat.index()].load(Ordering::Relaxed) {
            0 => None,
            1 => Some(RelayedBy::Watcher),
            code => Some(RelayedBy::Player(SeatId(code - 2))),
        }
    }
}

/// A page's right to relay, given up when this is dropped.
pub(crate) struct Relaying {
    port: Arc<dyn MatchPort>,
    pass: RelayPass,
}

impl Relaying {
    /// Lets a page that watches a match relay.
    pub(crate) fn begin(port: &Arc<dyn MatchPort>) -> Self {
        let relaying = Self { port: Arc::clone(port), pass: RelayPass(secret::fresh()) };
        relaying.stand(Standing { audience: port.spectators(), seat: None });
        relaying
    }

    /// The proof, for this page only.
    pub(crate) fn pass(&self) -> RelayPass {
        self.pass.clone()
    }

    /// The page is something else now.
    pub(crate) fn stand(&self, standing: Standing) {
        self.port.relays().pages.lock().insert(self.pass.clone(), standing);
    }
}

impl Drop for Relaying {
    fn drop(&mut self) {
        self.port.relays().pages.lock().remove(&self.pass);
    }
}

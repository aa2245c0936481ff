//! What a caller of `observe` wants to be told.

use crate::{RosterEntry, SeatId, Tick, games::words::words};

words! {
    /// How much is told.
    Detail {
        /// Enough to decide whether anything is to be decided.
        Brief = "brief",
        /// Everything.
        #[default]
        Full = "full",
    }
}

/// What a caller of `observe` wants to be told, and may be.
#[derive(Clone, Copy, Debug)]
pub struct Glance<'a> {
    /// The seat whose side it is told from; `None` for somebody without one.
    pub seat: Option<SeatId>,
    /// Whether only that is told which every audience sees. Always so without a seat; with one, when it is told through
    /// the browser of somebody who may not see what the seat sees.
    pub is_public: bool,
    /// Events and outcomes after this tick; without it, all that are remembered.
    pub since: Option<Tick>,
    /// How much is told.
    pub detail: Detail,
    /// Whether texts that people typed are told.
    pub with_names: bool,
    /// Who plays each seat.
    pub roster: &'a [RosterEntry],
}

impl<'a> Glance<'a> {
    /// All that a seat, or somebody without one, may be told without asking for people's texts.
    #[must_use]
    pub const fn full(seat: Option<SeatId>, roster: &'a [RosterEntry]) -> Self {
        Self { seat, is_public: seat.is_none(), since: None, detail: Detail::Full, with_names: false, roster }
    }
}

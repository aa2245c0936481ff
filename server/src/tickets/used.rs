//! Which tickets have let somebody in.

use std::collections::BTreeSet;

use contract::Ticket;

use crate::config::TicketsConfig;

/// Numbers that are remembered at a time: those of all tickets that this server issues while one of them is good, and
/// the burst it may begin with, leave room for as many of a host's.
const USED_MAX: usize = 1 << 17;

const _: () =
    assert!(2 * (Ticket::LIFETIME_MS_MAX as usize / 1000 + 1) * TicketsConfig::PER_SECOND_MAX as usize <= USED_MAX);

/// Numbers of used tickets, by the end of their time.
#[derive(Debug)]
pub(super) struct Used {
    numbers: BTreeSet<(u64, [u8; 16])>,
    room: usize,
}

/// What comes of a ticket that is to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It is used now.
    First,
    /// It was used before.
    Again,
    /// There is no room to remember it: nothing has happened to it.
    Full,
}

impl Default for Used {
    fn default() -> Self {
        Self::with_room(USED_MAX)
    }
}

impl Used {
    pub(super) const fn with_room(room: usize) -> Self {
        Self { numbers: BTreeSet::new(), room }
    }

    /// Uses a ticket up whose time is not over. Forgets those whose time is.
    pub(super) fn claim(&mut self, nonce: [u8; 16], expires_ms: u64, now_ms: u64) -> Claim {
        while self.numbers.first().is_some_and(|(over_ms, _)| *over_ms <= now_ms) {
            self.numbers.pop_first();
        }
        let number = (expires_ms, nonce);
        if self.numbers.contains(&number) {
            return Claim::Again;
        }
        if self.numbers.len() >= self.room {
            return Claim::Full;
        }
        self.numbers.insert(number);
        Claim::First
    }
}

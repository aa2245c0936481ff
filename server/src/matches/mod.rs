//! Matches: who plays, what is stepped when, and what others get to see of it.
//!
//! A match has two sides. [`worker::Ticked`] belongs to one worker thread; [`MatchPort`] is shared by sockets and callers. In
//! between are only bounded queues, atomics and the board of published views: neither side ever waits for the other.

mod clock;
mod commands;
mod games;
mod guard;
mod jitter;
mod kind;
mod live;
mod mailbox;
mod port;
mod presence;
mod published;
mod reel;
mod relays;
mod seats;
mod solo;
mod worker;

pub(crate) use commands::{Basis, Command, Lease, NotTaken, Unfounded};
pub use games::Games;
pub(crate) use guard::Failure;
pub(crate) use kind::Birth;
pub use kind::{GameKind, kind_of, kind_with};
pub(crate) use port::{MatchPort, Port};
pub(crate) use presence::{Presence, Status, Uptime};
pub(crate) use reel::{Bulletin, Reel};
pub(crate) use relays::{Relaying, Standing};
pub(crate) use seats::{Epoch, Wish};
pub use solo::SoloMatch;
#[cfg(test)]
pub(crate) use worker::Ticked;
pub(crate) use worker::{Gone, WorkerHandle, WorkerParts};

//! The data people, Agents and the server agree on.
//!
//! Everything that crosses a boundary is defined here once: ids, the messages of the sync path and their bytes, the
//! Agent contract (`describe` / `observe` / `act`) and its JSON Schema, and the limits both sides rely on. Rules of
//! play live in `sim`; this crate knows no ECS, no sockets and no browser.

pub mod agent;
mod bits;
mod cadence;
pub mod games;
pub mod hex;
mod ids;
pub mod limits;
mod message;
pub mod steps;
mod text;
mod ticket;

pub use bits::{BitReader, BitWriter, DecodeError};
pub use cadence::Cadence;
pub use games::{GameData, WireInput, WireView};
pub use ids::{Audience, Holder, MatchKey, MatchKeyError, SeatId, TeamId, Tick};
pub use message::{
    CLOSE_CODES, ClientMessage, CloseCode, Hello, MessageError, Mode, Pace, Refusal, RelayPass, RelayedBy,
    ResumeSecret, RosterEntry, ServerMessage, Snapshot, Steps, Welcome, decode, encode,
};
pub use text::{NameError, PlayerName, UntrustedName};
pub use ticket::{Ticket, TicketError};

/// Identifies this build's wire format and Agent contract: a hash of this crate's sources.
///
/// Peers with different hashes do not understand each other and part at connect.
#[must_use]
pub const fn wire_hash() -> u64 {
    match u64::from_str_radix(env!("CONTRACT_SOURCE_HASH"), 10) {
        Ok(hash) => hash,
        Err(_) => panic!("the build script writes a number"),
    }
}

//! The contract path: Agents observe and act with one POST each.
//!
//! Nothing here runs on a match worker. `observe` reads what is published; `act` goes through the match's bounded inbox
//! and waits here for the tick it takes effect at.

mod calls;
mod digest;
mod endpoint;
mod in_flight;
mod keys;
mod repeats;
mod seats;
mod signature;

pub(crate) use calls::{Answered, Via, answer};
pub(crate) use endpoint::router;
pub(crate) use seats::AgentSeats;

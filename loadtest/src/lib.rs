//! Players and Agents with only the wire to go by.
//!
//! Players speak the sync path over real sockets, Agents the contract over HTTP. What the server says of itself is read
//! from its metrics; everything else is measured here.

mod agent;
mod http;
mod metrics;
mod player;
pub mod proxy;
mod report;
mod run;
pub mod scripted;
mod server;
mod tally;

pub use report::Report;
pub use run::{Options, run};

//! A network that misbehaves on request: stands between players and a server and delays, throttles, slices, stalls,
//! half-closes, resets and corrupts what it carries.
//!
//! ```text
//!   client <──> Proxy ── one Link each way ──> server
//! ```
//!
//! [`Link`] decides in virtual time what happens to each byte of one direction, and is all there is to test about that;
//! [`Proxy`] moves the bytes between sockets. What happens at random follows from a seed, what is to happen at a certain
//! moment is an [`Order`].

mod command;
mod faults;
mod link;
mod order;
mod relay;

pub use command::{HELP, Options, run};
pub use faults::{Faults, FaultsError, Stalls};
pub use link::{LINK_BYTES_MAX, Link, Piece};
pub use order::{Direction, Order, OrderError, Scheduled};
pub use relay::{CONNECTIONS_MAX, Counts, Proxy, Setup};

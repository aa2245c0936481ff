//! Players and Agents with only the wire to go by.
//!
//! Players speak the sync path over real sockets, Agents the contract over HTTP. What the server says of itself is read
//! from its metrics; everything else is measured here. `cadence` alone plays on the world itself, in virtual time.

mod agent;
mod arms;
mod attack;
mod cadence;
mod capacity;
mod compare;
mod crowd;
mod floor;
mod game;
mod http;
mod isolation;
mod machine;
mod metrics;
mod observer;
mod player;
mod progress;
pub mod proxy;
mod reference;
mod repeats;
mod report;
mod run;
mod sameness;
mod scenario;
pub mod scripted;
mod server;
mod tally;
mod tether;
mod trial;
mod wire;

pub use cadence::{Options as CadenceOptions, run as cadence};
pub use capacity::{Options as CapacityOptions, run as capacity};
pub use compare::{Options as CompareOptions, run as compare};
pub use floor::{Options as FloorOptions, ServerOptions as FloorServerOptions, run as floor, serve as serve_floor};
pub use isolation::{Options as IsolationOptions, run as isolation};
pub use run::{Options, run};
pub use tether::{Options as TetherOptions, become_tethered, offer_tether};

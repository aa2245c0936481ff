//! matchd: an authoritative match server.
//!
//! [`run`] is the whole server. Three paths lead in, each with its own listener and threads, and meet only in a match's
//! bounded queues and published views:
//!
//! ```text
//! pages  -- WebSocket --> play    --inputs, joins-->  worker threads: step, views, publish
//! Agents -- POST -------> agents  --orders-------->       |
//! operators -- GET -----> ops                       <-----+ newest views, metrics
//! ```

mod agents;
mod assets;
mod config;
mod directory;
mod matches;
pub mod mcp;
mod metrics;
mod moderation;
mod net;
mod ops;
mod play;
mod priority;
mod secret;
mod server;
mod shutdown;
mod steward;
mod tickets;
mod websocket;

pub use config::{
    Config, ContractConfig, GameConfig, MatchesConfig, OpsConfig, PlayConfig, TICKET_KEYS_VARIABLE, TicketsConfig,
};
pub use matches::{GameKind, Games, SoloMatch, kind_of, kind_with};
pub use server::{Listeners, run, run_games};
pub use shutdown::Shutdown;
pub use tickets::{TicketKey, sign_ticket};

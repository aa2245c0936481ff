//! A Free4Chat Room on a laptop: the host page in which people open Apps, the Room's sockets, the broker through which Agents
//! reach an App, and the same for Agents that speak MCP. It knows no App and reads no payload.
//!
//! [`Room`] decides everything, in plain structs with time as an argument; `edge` moves bytes.

mod catalog;
mod edge;
mod ids;
mod json;
pub mod limits;
mod room;
mod window;

pub use catalog::{App, Catalog};
pub use edge::{Hosts, Hub, serve};
pub use ids::{AppId, InstanceId, ParticipantId, RequestId};
pub use json::Json;
pub use room::{
    AgentRequest, Answer, CallId, ConnectError, Credentials, Effect, JoinError, Joined, Kind, Lane, Room, Rules,
    SocketId,
};
pub use window::SlidingWindow;

//! The App as part of a Room: what the host says and is told, without the browser.
//!
//! [`Room`] takes the messages of the host's port and gives [`Action`]s; time is an argument. Inside it, [`Handover`] agrees
//! with the App's other replicas on the match, [`Roster`] knows who is there, `relay` answers Agents, and [`Recovery`] is
//! what outlives a page.

mod handover;
mod ids;
mod lobby;
mod rate;
mod recovery;
mod relay;
mod roster;
mod secret;

pub use handover::{Handover, Outcome, Outgoing, Standing, Word};
pub use ids::{InstanceId, ParticipantId, RequestId};
pub use lobby::{Action, Message, Room};
pub use rate::Rate;
pub use recovery::{RECOVERY_BYTES_MAX, Recovery};
pub use relay::{ANSWER_WITHIN_MS, Call, ENVELOPE_BYTES_MAX, Failure, REQUESTS_MAX};
pub use roster::{PARTICIPANTS_MAX, Participant, Roster};
pub use secret::JoinSecret;

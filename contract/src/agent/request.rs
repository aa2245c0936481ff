//! The three calls.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Fault, FaultCode, Fields};
use crate::{GameData, PlayerName, TeamId, Tick, games::WireOrder};

/// A call of an Agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request<O> {
    /// How the game is played and what can be asked for. Always the same answer.
    Describe {},
    /// What can be seen now.
    Observe {
        /// The seat to see with; without one, only what everybody sees.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<SeatToken>,
        /// Report what happened after this tick.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Tick>,
    },
    /// Does something.
    Act {
        /// The seat to act for; everything but `take_seat` needs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<SeatToken>,
        /// What to do.
        action: Action<O>,
    },
}

/// What an Agent does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action<O> {
    /// Takes a bot's place. The answer has the seat and its token.
    TakeSeat {
        /// Name to play under.
        #[schemars(with = "String")]
        name: PlayerName,
        /// Wanted side; without it, the one with fewer people and Agents.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        team: Option<TeamId>,
    },
    /// Gives the own player an order.
    Order {
        /// The order.
        order: O,
    },
    /// Gives the seat back to a bot.
    LeaveSeat {},
}

/// Proof that a caller holds a seat: a secret made by the server.
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SeatToken(String);

impl SeatToken {
    /// Longest token, in bytes.
    pub const BYTES_MAX: usize = 64;

    /// Wraps a token.
    #[must_use]
    pub const fn new(token: String) -> Self {
        Self(token)
    }

    /// The secret itself.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SeatToken {
    /// Never shows the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeatToken(..)")
    }
}

/// Reads a call from the bytes of a JSON object.
///
/// # Errors
/// A fault that names the field and the legal values and repeats nothing of the input.
pub fn parse_request<G: GameData>(bytes: &[u8]) -> Result<Request<G::Order>, Fault> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("the request is not JSON (line {}, column {})", error.line(), error.column());
        Fault::new(FaultCode::Malformed, place)
    })?;
    let fields = &mut Fields::new(&value, "")?;
    let request = match fields.word("type", &["describe", "observe", "act"])? {
        0 => Request::Describe {},
        1 => Request::Observe { token: token(fields)?, since: fields.optional_u32("since")?.map(Tick) },
        _ => Request::Act { token: token(fields)?, action: fields.object("action", action::<G>)? },
    };
    fields.finish()?;
    Ok(request)
}

fn token(fields: &mut Fields<'_>) -> Result<Option<SeatToken>, Fault> {
    let Some(text) = fields.optional_text("token")? else { return Ok(None) };
    if text.len() > SeatToken::BYTES_MAX {
        return Err(Fault::new(FaultCode::BadToken, "not a seat token").at(fields.path_of("token")));
    }
    Ok(Some(SeatToken(text.to_owned())))
}

fn action<G: GameData>(fields: &mut Fields<'_>) -> Result<Action<G::Order>, Fault> {
    let action = match fields.word("type", &["take_seat", "order", "leave_seat"])? {
        0 => {
            let name = fields.text("name")?;
            let name = PlayerName::clean(name).map_err(|error| fields.fault("name", &error.to_string()))?;
            let team = fields.optional_word("team", G::TEAMS)?;
            let team = team.and_then(|at| u8::try_from(at).ok()).map(TeamId);
            Action::TakeSeat { name, team }
        }
        1 => Action::Order { order: order::<G>(fields)? },
        _ => Action::LeaveSeat {},
    };
    fields.finish()?;
    Ok(action)
}

/// An order as an object, or by its canonical id.
fn order<G: GameData>(fields: &mut Fields<'_>) -> Result<G::Order, Fault> {
    let value = fields.required("order", "an order, or the id of a legal one")?;
    let path = fields.path_of("order");
    let Some(id) = value.as_str() else { return G::Order::read(&mut Fields::new(value, &path)?) };
    G::Order::from_id(id).ok_or_else(|| fields.fault("order", "not the id of an order, such as those in legal_orders"))
}

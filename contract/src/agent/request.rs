//! The three calls.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Detail, Fault, FaultCode, Fields};
use crate::{
    GameData, PlayerName, TeamId, Tick,
    games::{WireFact, WireOrder},
    limits::{
        AGENT_EXPIRES_IN_MS_MAX, AGENT_EXPIRES_IN_MS_MIN, AGENT_KEY_CHARS_MAX, AGENT_PRECONDITIONS_MAX,
        AGENT_SEAT_KEY_CHARS_MIN,
    },
};

/// A call of an Agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request<O, F> {
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
        /// How much is told; `full` if left out.
        #[serde(default)]
        #[schemars(with = "Option<Detail>")]
        detail: Detail,
        /// Whether texts that people typed are told too; not if left out.
        #[serde(default)]
        #[schemars(with = "Option<bool>")]
        untrusted: bool,
    },
    /// Does something.
    Act {
        /// The seat to act for; everything but `take_seat` needs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<SeatToken>,
        /// The caller's name for this act: the same call again, with the same key, has the same answer and no effect of its
        /// own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<ActKey>,
        /// The tick of the sight it was decided on. Too old a sight is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        based_on_tick: Option<Tick>,
        /// What must be so when it takes effect; otherwise it is refused.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Option<Vec<F>>", length(max = AGENT_PRECONDITIONS_MAX))]
        preconditions: Vec<F>,
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
        /// Milliseconds after which it expires, for an order that holds; the order's own time if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = AGENT_EXPIRES_IN_MS_MIN, max = AGENT_EXPIRES_IN_MS_MAX))]
        expires_in_ms: Option<u32>,
    },
    /// Gives the seat back to a bot.
    LeaveSeat {},
}

/// Proof that a caller holds a seat: a secret made by the server.
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("maxLength" = Self::BYTES_MAX))]
pub struct SeatToken(String);

/// A caller's name for an act: 1 to 64 characters out of A-Z a-z 0-9 . _ : -
#[derive(Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("pattern" = "^[A-Za-z0-9._:-]{1,64}$"))]
pub struct ActKey(String);

impl ActKey {
    /// Checks a key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let legal = |c: u8| c.is_ascii_alphanumeric() || b"._:-".contains(&c);
        let fits = (1..=AGENT_KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(legal);
        fits.then(|| Self(text.to_owned()))
    }
}

impl fmt::Debug for ActKey {
    /// Never shows the key: that of a `take_seat` is as good as the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActKey(..)")
    }
}

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
pub fn parse_request<G: GameData>(bytes: &[u8]) -> Result<Request<G::Order, G::Fact>, Fault> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("the request is not JSON (line {}, column {})", error.line(), error.column());
        Fault::new(FaultCode::Malformed, place)
    })?;
    let fields = &mut Fields::new(&value, "")?;
    let request = match fields.word("type", &["describe", "observe", "act"])? {
        0 => Request::Describe {},
        1 => Request::Observe {
            token: token(fields)?,
            since: fields.optional_u32("since")?.map(Tick),
            detail: fields.optional_word("detail", Detail::WORDS)?.map_or_else(Detail::default, |at| Detail::ALL[at]),
            untrusted: fields.optional_flag("untrusted")?.unwrap_or_default(),
        },
        _ => Request::Act {
            token: token(fields)?,
            key: key(fields)?,
            based_on_tick: fields.optional_u32("based_on_tick")?.map(Tick),
            preconditions: fields.list("preconditions", AGENT_PRECONDITIONS_MAX, G::Fact::read)?,
            action: fields.object("action", action::<G>)?,
        },
    };
    fields.finish()?;
    if let Request::Act { key: Some(key), action: Action::TakeSeat { .. }, .. } = &request
        && key.0.len() < AGENT_SEAT_KEY_CHARS_MIN
    {
        let text = "for take_seat a key has at least 16 characters, which nobody must be able to guess";
        return Err(Fault::new(FaultCode::BadValue, text).at("key"));
    }
    Ok(request)
}

fn key(fields: &mut Fields<'_>) -> Result<Option<ActKey>, Fault> {
    let Some(text) = fields.optional_text("key")? else { return Ok(None) };
    let key =
        ActKey::parse(text).ok_or_else(|| fields.fault("key", "not 1 to 64 characters out of A-Z a-z 0-9 . _ : -"));
    key.map(Some)
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
        1 => {
            let order = order::<G>(fields)?;
            let legal = AGENT_EXPIRES_IN_MS_MIN..=AGENT_EXPIRES_IN_MS_MAX;
            let expires_in_ms = fields.optional_within("expires_in_ms", legal)?;
            if expires_in_ms.is_some() && !order.holds() {
                return Err(fields.fault("expires_in_ms", "this order is done at once and does not expire"));
            }
            Action::Order { order, expires_in_ms }
        }
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

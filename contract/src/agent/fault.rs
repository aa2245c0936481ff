//! Why a call was refused.

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::AGENT_ERROR_BYTES_MAX;

/// What kind of refusal it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    /// The request is not a JSON object.
    Malformed,
    /// The request is longer than it may be.
    TooLarge,
    /// A required field is not there.
    MissingField,
    /// A field has no place here.
    UnknownField,
    /// A field has a value of the wrong kind or outside its range.
    BadValue,
    /// The token belongs to no seat of this match (any more).
    BadToken,
    /// The page that relays is not there (any more), or not of this match.
    BadRelay,
    /// The signature is not good.
    BadSignature,
    /// This server takes calls from relaying pages and signed ones only.
    NotAllowed,
    /// The caller holds a seat already.
    AlreadySeated,
    /// Every seat, or every seat of the wanted team, is held by a person or an Agent.
    Full,
    /// Another player has this name, or one that looks like it.
    NameTaken,
    /// The order makes no sense now.
    IllegalOrder,
    /// What the act is based on is too old, or has not come yet; the answer's `tick` is the newest. Observe again.
    Stale,
    /// A precondition does not hold.
    PreconditionFailed,
    /// There is no such match, and this server does not let just anybody make one.
    NoSuchMatch,
    /// The key was used for another act.
    KeyReused,
    /// The match could not answer in time; an act may still take effect. Try again, with the same key.
    Busy,
    /// The match is over and gone.
    MatchOver,
    /// Too many calls; wait a moment.
    RateLimited,
    /// Too many calls at once; call again when one is answered.
    TooManyInFlight,
}

impl FaultCode {
    /// Label for metrics.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::MissingField => "missing_field",
            Self::UnknownField => "unknown_field",
            Self::BadValue => "bad_value",
            Self::BadToken => "bad_token",
            Self::BadRelay => "bad_relay",
            Self::BadSignature => "bad_signature",
            Self::NotAllowed => "not_allowed",
            Self::AlreadySeated => "already_seated",
            Self::Full => "full",
            Self::NameTaken => "name_taken",
            Self::IllegalOrder => "illegal_order",
            Self::Stale => "stale",
            Self::PreconditionFailed => "precondition_failed",
            Self::NoSuchMatch => "no_such_match",
            Self::KeyReused => "key_reused",
            Self::Busy => "busy",
            Self::MatchOver => "match_over",
            Self::RateLimited => "rate_limited",
            Self::TooManyInFlight => "too_many_in_flight",
        }
    }
}

/// Why a call was refused, in at most [`AGENT_ERROR_BYTES_MAX`] bytes of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// What kind of refusal it is.
    pub code: FaultCode,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where, as a path such as `action.order.player`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What would be legal there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legal: Vec<String>,
    /// How many more legal values there are than listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub legal_left_out: usize,
    /// What to do instead, for a caller that was refused alike several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Fault {
    /// Most bytes of `message`.
    const MESSAGE_BYTES_MAX: usize = 112;
    /// Most bytes of `field`.
    const FIELD_BYTES_MAX: usize = 64;
    /// Most bytes of `hint`, with the name of the field.
    const HINT_BYTES_MAX: usize = 96 + 10;
    /// Most bytes of all of `legal`, as JSON; a hint takes its part of them.
    const LEGAL_BYTES_MAX: usize = AGENT_ERROR_BYTES_MAX - Self::MESSAGE_BYTES_MAX - Self::FIELD_BYTES_MAX - 96;

    /// A refusal without a place.
    #[must_use]
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        let message = cut(message.into(), Self::MESSAGE_BYTES_MAX);
        Self { code, message, field: None, legal: Vec::new(), legal_left_out: 0, hint: None }
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(cut(field.into(), Self::FIELD_BYTES_MAX));
        self
    }

    /// Says what would be legal there. Words are plain: letters, digits, `_`, `:` and spaces.
    #[must_use]
    pub fn legal<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        let mut bytes = 0;
        for word in words {
            let word = word.into();
            bytes += word.len() + 3;
            if bytes <= Self::LEGAL_BYTES_MAX { self.legal.push(word) } else { self.legal_left_out += 1 }
        }
        self
    }

    /// Says nothing of what would be legal, for somebody who may not know.
    #[must_use]
    pub fn without_legal(mut self) -> Self {
        self.legal_left_out += self.legal.len();
        self.legal.clear();
        self
    }

    /// Adds a hint, of at most 96 bytes of plain text. Legal values make room for it.
    #[must_use]
    pub fn hint(mut self, hint: &'static str) -> Self {
        debug_assert!(hint.len() <= Self::HINT_BYTES_MAX, "{} bytes", hint.len());
        let bytes = |legal: &[String]| legal.iter().map(|word| word.len() + 3).sum::<usize>();
        while bytes(&self.legal) + Self::HINT_BYTES_MAX > Self::LEGAL_BYTES_MAX && self.legal.pop().is_some() {
            self.legal_left_out += 1;
        }
        self.hint = Some(hint);
        self
    }
}

fn cut(mut text: String, bytes_max: usize) -> String {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_never_too_long() {
        let words = (0..100).map(|n| format!("zone_with_a_long_name_{n}"));
        let fault = Fault::new(FaultCode::AlreadySeated, "m".repeat(999)).at("f".repeat(999)).legal(words);
        let json = serde_json::to_string(&fault).expect("plain data");
        assert!(json.len() <= AGENT_ERROR_BYTES_MAX, "{} bytes", json.len());
        assert!(fault.legal_left_out > 0 && !fault.legal.is_empty());
        let fault =
            fault.hint("the same was refused before; a hint that takes as many bytes as a hint may take, and no more");
        let json = serde_json::to_string(&fault).expect("plain data");
        assert!(json.len() <= AGENT_ERROR_BYTES_MAX && !fault.legal.is_empty(), "{} bytes", json.len());
    }
}

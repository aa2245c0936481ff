//! Names of things that several crates talk about.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::limits;

/// A step of the world, counted from the start of the match.
///
/// Counts wrap: order two ticks with [`Tick::since`], never by comparing the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("maximum" = u32::MAX))]
pub struct Tick(pub u32);

impl Tick {
    /// The tick `ticks` after this one.
    #[must_use]
    pub const fn plus(self, ticks: u32) -> Self {
        Self(self.0.wrapping_add(ticks))
    }

    /// The next tick.
    #[must_use]
    pub const fn next(self) -> Self {
        self.plus(1)
    }

    /// How many ticks this one comes after `earlier`; negative when it comes before. Right while the two are less
    /// than 2^31 ticks apart (more than a year at 60 ticks a second).
    #[must_use]
    pub const fn since(self, earlier: Self) -> i32 {
        self.0.wrapping_sub(earlier.0).cast_signed()
    }
}

/// A player's place in a match, held by a person, an Agent or a bot.
///
/// Compact on the wire; `"p3"` in JSON, which is how Agents name players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatId(pub u8);

impl SeatId {
    /// Position in a table of seats.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Reads the form used in JSON, `p` and a number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('p')?;
        let id: u8 = digits.parse().ok()?;
        // One spelling per seat: "p03" and "p+3" are refused.
        (id.to_string() == digits).then_some(Self(id))
    }
}

impl fmt::Display for SeatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl Serialize for SeatId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u8(self.0) }
    }
}

impl<'de> Deserialize<'de> for SeatId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            Self::parse(&text).ok_or_else(|| D::Error::custom("a player id is p and a number, such as p3"))
        } else {
            u8::deserialize(deserializer).map(Self)
        }
    }
}

impl JsonSchema for SeatId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PlayerId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^p(0|[1-9][0-9]?)$" })
    }
}

/// A side of a match, as an index into the game's list of teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TeamId(pub u8);

impl TeamId {
    /// Position in a table of teams.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A group of readers who may see the same things: an index below [`crate::GameData::AUDIENCES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Audience(pub u8);

impl Audience {
    /// Position in a table of views.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who plays a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// The simulation's mechanics with a default plan.
    Bot,
    /// A person, by inputs.
    Person,
    /// An Agent, by orders.
    Agent,
}

/// The address of a match. Equal keys reach the same match, made on first use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct MatchKey(String);

/// Why a text is not a match key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a match key has 1 to 160 characters out of A-Z a-z 0-9 . _ : -")]
pub struct MatchKeyError;

impl MatchKey {
    /// The match that is there from the start.
    #[must_use]
    pub fn demo() -> Self {
        Self("demo".to_owned())
    }

    /// Checks a key.
    ///
    /// # Errors
    /// When the text is empty, too long, or has a character outside the set.
    pub fn parse(text: &str) -> Result<Self, MatchKeyError> {
        let legal = |c: u8| c.is_ascii_alphanumeric() || b"._:-".contains(&c);
        if text.is_empty() || text.len() > limits::MATCH_KEY_BYTES_MAX || !text.bytes().all(legal) {
            return Err(MatchKeyError);
        }
        Ok(Self(text.to_owned()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for MatchKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_ordered_across_the_wrap() {
        let before = Tick(u32::MAX - 2);
        let after = before.plus(5);
        assert_eq!(after, Tick(2));
        assert_eq!(after.since(before), 5);
        assert_eq!(before.since(after), -5);
    }

    #[test]
    fn a_seat_has_one_spelling() {
        assert_eq!(SeatId::parse("p3"), Some(SeatId(3)));
        for text in ["p03", "p+3", "3", "p", "p300", "P3", " p3"] {
            assert_eq!(SeatId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn match_keys_are_bounded() {
        assert!(MatchKey::parse("arena:64b82acb.k7_x-9").is_ok());
        for text in ["", "a b", "ключ", "a/b", &"k".repeat(161)] {
            assert_eq!(MatchKey::parse(text), Err(MatchKeyError), "{text}");
        }
    }
}

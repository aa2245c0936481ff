//! Orders by id, and what came of them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{BitReader, BitWriter, DecodeError, Tick, games::words::words, limits::ORDERS_PER_TICK_MAX};

/// Names an order of one match: `"o12"` in JSON.
///
/// Made of the tick that shows the order first and its place among that tick's orders, so that a match that is carried on
/// from a saved world never gives an id twice. Ids repeat after 25 days of one match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OrderId(u32);

impl OrderId {
    /// The id of the order that is the `nth` of the tick that shows it first.
    #[must_use]
    pub const fn new(tick: Tick, nth: u32) -> Self {
        Self(tick.0.wrapping_mul(ORDERS_PER_TICK_MAX).wrapping_add(nth))
    }

    /// Writes the id.
    pub fn write(self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.0, 32);
    }

    /// Reads what [`OrderId::write`] wrote.
    ///
    /// # Errors
    /// When the bits end early.
    pub fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        bits.unsigned(32).map(Self)
    }

    /// Reads the form used in JSON, `o` and a number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('o')?;
        let id: u32 = digits.parse().ok()?;
        // One spelling per order: "o03" and "o+3" are refused.
        (id.to_string() == digits).then_some(Self(id))
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

impl Serialize for OrderId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u32(self.0) }
    }
}

impl<'de> Deserialize<'de> for OrderId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            Self::parse(&text).ok_or_else(|| D::Error::custom("an order id is o and a number, such as o12"))
        } else {
            u32::deserialize(deserializer).map(Self)
        }
    }
}

impl JsonSchema for OrderId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OrderId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^o(0|[1-9][0-9]{0,9})$" })
    }
}

words! {
    /// How an order went.
    OrderStatus {
        /// Being carried out.
        #[default]
        Active = "active",
        /// Carried out.
        Done = "done",
        /// Its time was up.
        Expired = "expired",
        /// Another order took its place.
        Superseded = "superseded",
        /// It could not be carried out any more.
        Impossible = "impossible",
    }
}

words! {
    /// Why an order could not be carried out. Games share the list.
    Obstacle {
        /// The match ended first.
        #[default]
        MatchEnded = "match_ended",
        /// Whom it names does not take part, or is on the wrong side for it.
        WrongPlayer = "wrong_player",
    }
}

/// How an order ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The order.
    pub order: OrderId,
    /// The first tick that shows the end.
    pub tick: Tick,
    /// How it ended; never `Active`.
    pub status: OrderStatus,
    /// Why, when it was impossible.
    pub obstacle: Option<Obstacle>,
}

/// How an order ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutcomeSeen {
    /// The order.
    pub order: OrderId,
    /// The first tick that shows the end.
    pub tick: Tick,
    /// How it ended.
    pub status: OrderStatus,
    /// Why, when it was impossible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Obstacle>,
}

impl From<&Outcome> for OutcomeSeen {
    fn from(outcome: &Outcome) -> Self {
        let Outcome { order, tick, status, obstacle } = *outcome;
        Self { order, tick, status, reason: obstacle }
    }
}

/// Most outcomes of a seat that are remembered; the oldest gives way.
pub const OUTCOMES_MAX: usize = 8;

/// Oldest age of an outcome that is remembered, in ticks: what the wire carries.
const AGE_TICKS_MAX: i32 = 0xffff;

/// How a seat's orders ended lately, oldest first. Part of what the seat's audience sees, so that an Agent that looks now
/// and then is told of all of them.
///
/// ```text
/// count 4, then each: id 32 | age 16 | status 3 | obstacle 1 + 4
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes([Option<Outcome>; OUTCOMES_MAX]);

impl Outcomes {
    /// Remembers the end of an order.
    pub fn note(&mut self, outcome: Outcome) {
        let free = self.0.iter().position(Option::is_none).unwrap_or_else(|| {
            self.0.rotate_left(1);
            OUTCOMES_MAX - 1
        });
        self.0[free] = Some(outcome);
    }

    /// Forgets what is too old to be told. A world does so in every tick.
    pub fn forget(&mut self, now: Tick) {
        while self.0[0].is_some_and(|outcome| now.since(outcome.tick) > AGE_TICKS_MAX) {
            self.0[0] = None;
            self.0.rotate_left(1);
        }
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Outcome> {
        self.0.iter().flatten()
    }

    /// Whether older ones may have given way.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.0[OUTCOMES_MAX - 1].is_some()
    }

    /// Writes them as they are at a tick.
    pub fn write(&self, bits: &mut BitWriter<'_>, now: Tick) {
        bits.unsigned(u32::try_from(self.iter().count()).unwrap_or(0), 4);
        for outcome in self.iter() {
            outcome.order.write(bits);
            bits.unsigned(now.since(outcome.tick).clamp(0, AGE_TICKS_MAX).unsigned_abs(), 16);
            bits.unsigned(outcome.status as u32, 3);
            bits.flag(outcome.obstacle.is_some());
            if let Some(obstacle) = outcome.obstacle {
                bits.unsigned(obstacle as u32, 4);
            }
        }
    }

    /// Reads what [`Outcomes::write`] wrote.
    ///
    /// # Errors
    /// When the bits end early or a field is out of range.
    pub fn read(bits: &mut BitReader<'_>, now: Tick) -> Result<Self, DecodeError> {
        let count = bits.unsigned(4)? as usize;
        let mut outcomes = Self::default();
        let slots = outcomes.0.get_mut(..count).ok_or(DecodeError::OutOfRange("outcomes"))?;
        for slot in slots {
            let order = OrderId::read(bits)?;
            let tick = Tick(now.0.wrapping_sub(bits.unsigned(16)?));
            let status = OrderStatus::ALL.get(bits.unsigned(3)? as usize).copied();
            let status = status.ok_or(DecodeError::OutOfRange("status"))?;
            let obstacle = if bits.flag()? {
                let obstacle = Obstacle::ALL.get(bits.unsigned(4)? as usize).copied();
                Some(obstacle.ok_or(DecodeError::OutOfRange("obstacle"))?)
            } else {
                None
            };
            *slot = Some(Outcome { order, tick, status, obstacle });
        }
        Ok(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(nth: u32, tick: u32) -> Outcome {
        let order = OrderId::new(Tick(tick), nth);
        Outcome { order, tick: Tick(tick), status: OrderStatus::Done, obstacle: None }
    }

    #[test]
    fn an_order_has_one_spelling() {
        let id = OrderId::new(Tick(7), 3);
        assert_eq!((id.to_string().as_str(), OrderId::parse("o227")), ("o227", Some(id)));
        for text in ["o03", "o+3", "3", "o", "o4294967296", "O3", " o3"] {
            assert_eq!(OrderId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_newest_outcomes_are_remembered_until_they_are_too_old() {
        let mut outcomes = Outcomes::default();
        for tick in 0..20 {
            assert_eq!(outcomes.is_full(), tick >= 8);
            outcomes.note(outcome(0, tick));
        }
        let ticks = |outcomes: &Outcomes| outcomes.iter().map(|outcome| outcome.tick.0).collect::<Vec<_>>();
        assert_eq!(ticks(&outcomes), (12..20).collect::<Vec<_>>());
        outcomes.forget(Tick(0xffff + 17));
        assert_eq!(ticks(&outcomes), [17, 18, 19]);
        let now = Tick(0xffff + 17);
        let mut bytes = Vec::new();
        let mut bits = BitWriter::new(&mut bytes);
        outcomes.write(&mut bits, now);
        bits.finish();
        assert_eq!(Outcomes::read(&mut BitReader::new(&bytes), now), Ok(outcomes));
    }
}

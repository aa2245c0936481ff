//! What an act may require to be so when it takes effect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Zone;
use crate::{
    SeatId,
    agent::{Fault, FaultCode, Fields, OrderId},
    games::WireFact,
};

/// Something that is so or not in what a seat sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// This player is in this zone.
    PlayerInZone {
        /// The player.
        player: SeatId,
        /// The zone.
        zone: Zone,
    },
    /// This player has at most so much health.
    HpAtMost {
        /// The player.
        player: SeatId,
        /// Health, 0 to 100.
        #[schemars(range(max = 100))]
        hp: u32,
    },
    /// This player is at most so far from the acting seat's craft.
    Near {
        /// The player.
        player: SeatId,
        /// Distance in units, 0 to 3000.
        #[schemars(range(max = 3000))]
        distance: u32,
    },
    /// This order of the acting seat is being carried out.
    OrderActive {
        /// The order.
        order: OrderId,
    },
}

impl Fact {
    /// The words for the kinds of facts, as in `type`.
    pub const TYPES: &'static [&'static str] = &["player_in_zone", "hp_at_most", "near", "order_active"];
}

impl WireFact for Fact {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let fact = match fields.word("type", Self::TYPES)? {
            0 => Self::PlayerInZone {
                player: fields.player("player")?,
                zone: Zone::ALL[fields.word("zone", Zone::WORDS)?],
            },
            1 => Self::HpAtMost { player: fields.player("player")?, hp: number(fields, "hp", 100)? },
            2 => Self::Near { player: fields.player("player")?, distance: number(fields, "distance", 3000)? },
            _ => Self::OrderActive { order: fields.order_id("order")? },
        };
        fields.finish()?;
        Ok(fact)
    }

    fn word(&self) -> &'static str {
        let kind = match self {
            Self::PlayerInZone { .. } => 0,
            Self::HpAtMost { .. } => 1,
            Self::Near { .. } => 2,
            Self::OrderActive { .. } => 3,
        };
        Self::TYPES[kind]
    }

    fn is_public(&self) -> bool {
        // So is everything here.
        true
    }
}

fn number(fields: &mut Fields<'_>, name: &'static str, max: u32) -> Result<u32, Fault> {
    let missing = || format!("required: a whole number from 0 to {max}");
    let number = fields.optional_within(name, 0..=max)?;
    number.ok_or_else(|| Fault::new(FaultCode::MissingField, missing()).at(fields.path_of(name)))
}

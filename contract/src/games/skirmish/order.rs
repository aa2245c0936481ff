//! Orders and plans: what an Agent may ask of its craft, in JSON and in bits.
//!
//! `set_plan` changes the standing plan. The others are one-shot: they hold until they are done, a later one takes their
//! place, or their time is up; then the plan goes on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{read_seat, write_seat};
use crate::{
    BitReader, BitWriter, DecodeError, SeatId,
    agent::{Fault, Fields},
    games::{WireOrder, words::words},
};

words! {
    /// Standing plan: how the craft fights when no order says otherwise.
    Stance {
        /// Goes after whoever is easiest to beat.
        #[default]
        Hunt = "hunt",
        /// Keeps its distance and shoots from afar.
        Snipe = "snipe",
        /// Keeps away from everybody, shoots at whoever comes near.
        Survive = "survive",
    }
}

words! {
    /// A ninth of the arena; north is at the top.
    Zone {
        /// Top left.
        #[default]
        NorthWest = "nw",
        /// Top.
        North = "n",
        /// Top right.
        NorthEast = "ne",
        /// Left.
        West = "w",
        /// The middle.
        Centre = "centre",
        /// Right.
        East = "e",
        /// Bottom left.
        SouthWest = "sw",
        /// Bottom.
        South = "s",
        /// Bottom right.
        SouthEast = "se",
    }
}

/// Zones to visit one after the other, and again: 2 to 4 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Zone>", into = "Vec<Zone>")]
pub struct Route {
    zones: [Zone; Self::ZONES_MAX],
    count: u8,
}

impl Route {
    /// Fewest zones.
    pub const ZONES_MIN: usize = 2;
    /// Most zones.
    pub const ZONES_MAX: usize = 4;

    /// A route through these zones; `None` when they are too few or too many.
    #[must_use]
    pub fn new(zones: &[Zone]) -> Option<Self> {
        if !(Self::ZONES_MIN..=Self::ZONES_MAX).contains(&zones.len()) {
            return None;
        }
        let mut route = Self { zones: [Zone::default(); Self::ZONES_MAX], count: u8::try_from(zones.len()).ok()? };
        route.zones[..zones.len()].copy_from_slice(zones);
        Some(route)
    }

    /// The zones, first things first.
    #[must_use]
    pub fn zones(&self) -> &[Zone] {
        &self.zones[..usize::from(self.count)]
    }
}

impl TryFrom<Vec<Zone>> for Route {
    type Error = &'static str;

    fn try_from(zones: Vec<Zone>) -> Result<Self, Self::Error> {
        Self::new(&zones).ok_or("a route has 2 to 4 zones")
    }
}

impl From<Route> for Vec<Zone> {
    fn from(route: Route) -> Self {
        route.zones().to_vec()
    }
}

impl JsonSchema for Route {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Route".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "array",
            "items": generator.subschema_for::<Zone>(),
            "minItems": Self::ZONES_MIN,
            "maxItems": Self::ZONES_MAX,
        })
    }
}

/// What an Agent may ask of its craft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Changes the standing plan.
    SetPlan {
        /// How to fight.
        stance: Stance,
    },
    /// Hunts a player until it has shot them down.
    Attack {
        /// The player.
        player: SeatId,
    },
    /// Gets away from shots and craft.
    Evade,
    /// Goes to a zone, stays there and fights whoever comes near.
    Hold {
        /// The zone.
        zone: Zone,
    },
    /// Visits zones in turn and fights whoever is on the way.
    Patrol {
        /// The zones, 2 to 4.
        zones: Route,
    },
    /// Drops the current order; the standing plan goes on.
    Stop,
}

impl Order {
    /// The words for the kinds of orders, as in `type`.
    pub const TYPES: &'static [&'static str] = &["set_plan", "attack", "evade", "hold", "patrol", "stop"];

    /// The word for this order's kind.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        Self::TYPES[self.kind() as usize]
    }

    /// Canonical id, such as `attack:p7`, `hold:ne` or `patrol:nw_ne_se_sw`: the kind, and what it is about. A `set_plan`
    /// goes by what it sets, such as `stance:snipe`.
    #[must_use]
    pub fn id(&self) -> String {
        let word = self.word();
        match self {
            Self::SetPlan { stance } => format!("stance:{}", stance.word()),
            Self::Attack { player } => format!("{word}:{player}"),
            Self::Hold { zone } => format!("{word}:{}", zone.word()),
            Self::Patrol { zones } => {
                let words: Vec<_> = zones.zones().iter().map(|zone| zone.word()).collect();
                format!("{word}:{}", words.join("_"))
            }
            Self::Evade | Self::Stop => word.to_owned(),
        }
    }

    const fn kind(&self) -> u32 {
        match self {
            Self::SetPlan { .. } => 0,
            Self::Attack { .. } => 1,
            Self::Evade => 2,
            Self::Hold { .. } => 3,
            Self::Patrol { .. } => 4,
            Self::Stop => 5,
        }
    }

    pub(super) fn write(&self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.kind(), 3);
        match *self {
            Self::SetPlan { stance } => bits.unsigned(stance as u32, 2),
            Self::Attack { player } => write_seat(bits, player),
            Self::Hold { zone } => bits.unsigned(zone as u32, 4),
            Self::Patrol { zones } => {
                bits.unsigned(u32::from(zones.count), 3);
                zones.zones().iter().for_each(|zone| bits.unsigned(*zone as u32, 4));
            }
            Self::Evade | Self::Stop => {}
        }
    }

    pub(super) fn read_bits(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        Ok(match bits.unsigned(3)? {
            0 => Self::SetPlan { stance: bits.pick(&Stance::ALL, 2, "stance")? },
            1 => Self::Attack { player: read_seat(bits)? },
            2 => Self::Evade,
            3 => Self::Hold { zone: bits.pick(&Zone::ALL, 4, "zone")? },
            4 => Self::Patrol { zones: read_route(bits)? },
            5 => Self::Stop,
            _ => return Err(DecodeError::OutOfRange("order")),
        })
    }
}

fn read_route(bits: &mut BitReader<'_>) -> Result<Route, DecodeError> {
    let count: usize = bits.number(3, "zones")?;
    let mut zones = [Zone::default(); Route::ZONES_MAX];
    let zones = zones.get_mut(..count).ok_or(DecodeError::OutOfRange("zones"))?;
    for zone in &mut *zones {
        *zone = bits.pick(&Zone::ALL, 4, "zone")?;
    }
    Route::new(zones).ok_or(DecodeError::OutOfRange("zones"))
}

impl WireOrder for Order {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let order = match fields.word("type", Self::TYPES)? {
            0 => Self::SetPlan { stance: Stance::ALL[fields.word("stance", Stance::WORDS)?] },
            1 => Self::Attack { player: fields.player("player")? },
            2 => Self::Evade,
            3 => Self::Hold { zone: Zone::ALL[fields.word("zone", Zone::WORDS)?] },
            4 => {
                let zones: Vec<_> = fields.words("zones", Zone::WORDS)?.into_iter().map(|at| Zone::ALL[at]).collect();
                let zones = Route::new(&zones).ok_or_else(|| fields.fault("zones", "a route has 2 to 4 zones"))?;
                Self::Patrol { zones }
            }
            _ => Self::Stop,
        };
        fields.finish()?;
        Ok(order)
    }

    fn from_id(id: &str) -> Option<Self> {
        let (word, about) = id.split_once(':').unwrap_or((id, ""));
        let zone = |word: &str| Some(Zone::ALL[Zone::WORDS.iter().position(|known| *known == word)?]);
        let order = match word {
            "stance" => Self::SetPlan { stance: Stance::ALL[Stance::WORDS.iter().position(|word| *word == about)?] },
            "attack" => Self::Attack { player: SeatId::parse(about)? },
            "evade" => Self::Evade,
            "hold" => Self::Hold { zone: zone(about)? },
            "patrol" => {
                let zones: Vec<_> = about.split('_').take(Route::ZONES_MAX + 1).map(zone).collect::<Option<_>>()?;
                Self::Patrol { zones: Route::new(&zones)? }
            }
            "stop" => Self::Stop,
            _ => return None,
        };
        // One spelling per order: "evade:" and "evade:now" are refused.
        (order.id() == id).then_some(order)
    }

    fn holds(&self) -> bool {
        !matches!(self, Self::SetPlan { .. } | Self::Stop)
    }
}

//! Orders and plans: what an Agent may ask of its player, in JSON and in bits.
//!
//! `set_plan` and `take_role` change the standing plan. The others are one-shot: they hold until they are done, a later
//! one takes their place, or their time is up; then the plan goes on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{read_seat, write_seat};
use crate::{
    BitReader, BitWriter, DecodeError, SeatId,
    agent::{Fault, Fields},
    games::{WireOrder, words::words},
};

words! {
    /// Place in the formation.
    Role {
        /// Guards the goal.
        Keeper = "keeper",
        /// Stays behind the ball.
        Defender = "defender",
        /// Links both ends.
        #[default]
        Midfielder = "midfielder",
        /// Stays ahead of the ball.
        Forward = "forward",
    }
}

words! {
    /// Standing plan for when the player has the ball.
    WithBall {
        /// Whatever the situation calls for.
        #[default]
        Auto = "auto",
        /// Get into range and shoot.
        Shoot = "shoot",
        /// Find a team-mate.
        Pass = "pass",
        /// Run with the ball towards the goal.
        Dribble = "dribble",
        /// Get the ball far away from the own goal.
        Clear = "clear",
    }
}

words! {
    /// A ninth of the pitch, as seen by the acting player's team: `defence` is its own third, `left` is the left
    /// hand when looking at the opponents' goal.
    Zone {
        /// Own third, left.
        #[default]
        DefenceLeft = "defence_left",
        /// Own third, middle.
        DefenceCentre = "defence_centre",
        /// Own third, right.
        DefenceRight = "defence_right",
        /// Middle third, left.
        MidfieldLeft = "midfield_left",
        /// Middle third, middle.
        MidfieldCentre = "midfield_centre",
        /// Middle third, right.
        MidfieldRight = "midfield_right",
        /// Opponents' third, left.
        AttackLeft = "attack_left",
        /// Opponents' third, middle.
        AttackCentre = "attack_centre",
        /// Opponents' third, right.
        AttackRight = "attack_right",
    }
}

/// Standing plan for when the player does not have the ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum WithoutBall {
    /// Whatever the role calls for.
    #[default]
    Auto,
    /// Go for the ball.
    Press,
    /// Stay goal-side of this opponent.
    Mark {
        /// The opponent.
        player: SeatId,
    },
    /// Stay in this zone.
    HoldZone {
        /// The zone.
        zone: Zone,
    },
    /// Offer a free line to the team-mate with the ball.
    Support,
    /// Stay in the own goal and save shots.
    KeepGoal,
}

/// What an Agent may ask of its player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Changes the standing plan; a part left out stays as it is.
    SetPlan {
        /// With the ball.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with_ball: Option<WithBall>,
        /// Without the ball.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        without_ball: Option<WithoutBall>,
    },
    /// Changes the place in the formation.
    TakeRole {
        /// The new role.
        role: Role,
    },
    /// Stays goal-side of an opponent and takes the ball off them.
    Mark {
        /// The opponent.
        player: SeatId,
    },
    /// Goes for the ball.
    Press,
    /// Plays the ball to a team-mate once this player has it.
    PassTo {
        /// The team-mate.
        player: SeatId,
    },
    /// Shoots at goal once this player has the ball.
    Shoot,
    /// Gets the ball far away from the own goal.
    Clear,
    /// Stays in a zone.
    HoldZone {
        /// The zone.
        zone: Zone,
    },
    /// Drops the current order; the standing plan goes on.
    Stop,
}

impl Order {
    /// The words for the kinds of orders, as in `type`.
    pub const TYPES: &'static [&'static str] =
        &["set_plan", "take_role", "mark", "press", "pass_to", "shoot", "clear", "hold_zone", "stop"];

    /// The word for this order's kind.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        Self::TYPES[self.kind() as usize]
    }

    /// Canonical id, such as `mark:p7`: the kind, and what it is about. A `set_plan` of one word goes by the part it sets,
    /// such as `with_ball:pass`; others have no id of their own.
    #[must_use]
    pub fn id(&self) -> String {
        let word = self.word();
        match self {
            Self::TakeRole { role } => format!("{word}:{}", role.word()),
            Self::Mark { player } | Self::PassTo { player } => format!("{word}:{player}"),
            Self::HoldZone { zone } => format!("{word}:{}", zone.word()),
            Self::SetPlan { with_ball: Some(plan), without_ball: None } => format!("with_ball:{}", plan.word()),
            Self::SetPlan { with_ball: None, without_ball: Some(plan) } if plan.is_plain() => {
                format!("without_ball:{}", plan.word())
            }
            Self::SetPlan { .. } | Self::Press | Self::Shoot | Self::Clear | Self::Stop => word.to_owned(),
        }
    }

    const fn kind(&self) -> u32 {
        match self {
            Self::SetPlan { .. } => 0,
            Self::TakeRole { .. } => 1,
            Self::Mark { .. } => 2,
            Self::Press => 3,
            Self::PassTo { .. } => 4,
            Self::Shoot => 5,
            Self::Clear => 6,
            Self::HoldZone { .. } => 7,
            Self::Stop => 8,
        }
    }

    pub(super) fn write(&self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.kind(), 4);
        match *self {
            Self::SetPlan { with_ball, without_ball } => {
                bits.flag(with_ball.is_some());
                if let Some(plan) = with_ball {
                    bits.unsigned(plan as u32, 3);
                }
                bits.flag(without_ball.is_some());
                if let Some(plan) = without_ball {
                    plan.write(bits);
                }
            }
            Self::TakeRole { role } => bits.unsigned(role as u32, 2),
            Self::Mark { player } | Self::PassTo { player } => write_seat(bits, Some(player)),
            Self::HoldZone { zone } => bits.unsigned(zone as u32, 4),
            Self::Press | Self::Shoot | Self::Clear | Self::Stop => {}
        }
    }

    pub(super) fn read_bits(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        Ok(match bits.unsigned(4)? {
            0 => Self::SetPlan {
                with_ball: if bits.flag()? { Some(bits.pick(&WithBall::ALL, 3, "with_ball")?) } else { None },
                without_ball: if bits.flag()? { Some(WithoutBall::read_bits(bits)?) } else { None },
            },
            1 => Self::TakeRole { role: bits.pick(&Role::ALL, 2, "role")? },
            2 => Self::Mark { player: read_player(bits)? },
            3 => Self::Press,
            4 => Self::PassTo { player: read_player(bits)? },
            5 => Self::Shoot,
            6 => Self::Clear,
            7 => Self::HoldZone { zone: bits.pick(&Zone::ALL, 4, "zone")? },
            8 => Self::Stop,
            _ => return Err(DecodeError::OutOfRange("order")),
        })
    }
}

impl WithoutBall {
    /// The words for the kinds of plans, as in `type`.
    pub const TYPES: &'static [&'static str] = &["auto", "press", "mark", "hold_zone", "support", "keep_goal"];

    /// The plans that a word alone describes.
    pub const PLAIN: [Self; 4] = [Self::Auto, Self::Press, Self::Support, Self::KeepGoal];

    const fn is_plain(self) -> bool {
        !matches!(self, Self::Mark { .. } | Self::HoldZone { .. })
    }

    /// The word for this plan's kind.
    #[must_use]
    pub const fn word(self) -> &'static str {
        Self::TYPES[self.kind() as usize]
    }

    const fn kind(self) -> u32 {
        match self {
            Self::Auto => 0,
            Self::Press => 1,
            Self::Mark { .. } => 2,
            Self::HoldZone { .. } => 3,
            Self::Support => 4,
            Self::KeepGoal => 5,
        }
    }

    pub(super) fn write(self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.kind(), 3);
        match self {
            Self::Mark { player } => write_seat(bits, Some(player)),
            Self::HoldZone { zone } => bits.unsigned(zone as u32, 4),
            Self::Auto | Self::Press | Self::Support | Self::KeepGoal => {}
        }
    }

    pub(super) fn read_bits(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        Ok(match bits.unsigned(3)? {
            0 => Self::Auto,
            1 => Self::Press,
            2 => Self::Mark { player: read_player(bits)? },
            3 => Self::HoldZone { zone: bits.pick(&Zone::ALL, 4, "zone")? },
            4 => Self::Support,
            5 => Self::KeepGoal,
            _ => return Err(DecodeError::OutOfRange("without_ball")),
        })
    }

    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let plan = match fields.word("type", Self::TYPES)? {
            0 => Self::Auto,
            1 => Self::Press,
            2 => Self::Mark { player: fields.player("player")? },
            3 => Self::HoldZone { zone: Zone::ALL[fields.word("zone", Zone::WORDS)?] },
            4 => Self::Support,
            _ => Self::KeepGoal,
        };
        fields.finish()?;
        Ok(plan)
    }
}

fn read_player(bits: &mut BitReader<'_>) -> Result<SeatId, DecodeError> {
    read_seat(bits)?.ok_or(DecodeError::OutOfRange("player"))
}

impl WireOrder for Order {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let order = match fields.word("type", Self::TYPES)? {
            0 => Self::SetPlan {
                with_ball: fields.optional_word("with_ball", WithBall::WORDS)?.map(|at| WithBall::ALL[at]),
                without_ball: fields.optional_object("without_ball", WithoutBall::read)?,
            },
            1 => Self::TakeRole { role: Role::ALL[fields.word("role", Role::WORDS)?] },
            2 => Self::Mark { player: fields.player("player")? },
            3 => Self::Press,
            4 => Self::PassTo { player: fields.player("player")? },
            5 => Self::Shoot,
            6 => Self::Clear,
            7 => Self::HoldZone { zone: Zone::ALL[fields.word("zone", Zone::WORDS)?] },
            _ => Self::Stop,
        };
        fields.finish()?;
        Ok(order)
    }

    fn from_id(id: &str) -> Option<Self> {
        let (word, about) = id.split_once(':').unwrap_or((id, ""));
        let order = match word {
            "take_role" => Self::TakeRole { role: Role::ALL[Role::WORDS.iter().position(|word| *word == about)?] },
            "mark" => Self::Mark { player: SeatId::parse(about)? },
            "press" => Self::Press,
            "pass_to" => Self::PassTo { player: SeatId::parse(about)? },
            "shoot" => Self::Shoot,
            "clear" => Self::Clear,
            "hold_zone" => Self::HoldZone { zone: Zone::ALL[Zone::WORDS.iter().position(|word| *word == about)?] },
            "stop" => Self::Stop,
            "with_ball" => {
                let plan = WithBall::ALL[WithBall::WORDS.iter().position(|word| *word == about)?];
                Self::SetPlan { with_ball: Some(plan), without_ball: None }
            }
            "without_ball" => {
                let plan = WithoutBall::PLAIN.into_iter().find(|plan| plan.word() == about)?;
                Self::SetPlan { with_ball: None, without_ball: Some(plan) }
            }
            _ => return None,
        };
        // One spelling per order: "press:" and "press:now" are refused.
        (order.id() == id).then_some(order)
    }

    fn holds(&self) -> bool {
        !matches!(self, Self::SetPlan { .. } | Self::TakeRole { .. } | Self::Stop)
    }
}

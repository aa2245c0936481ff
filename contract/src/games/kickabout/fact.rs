//! What an act may require to be so when it takes effect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Team, Zone};
use crate::{
    GameData as _, SeatId,
    agent::{Fault, Fields, OrderId},
    games::{WireFact, words::words},
};

words! {
    /// Stage of the match.
    PhaseWord {
        /// One team may play the ball, the other waits for it.
        #[default]
        KickOff = "kick_off",
        /// The ball is in play.
        Play = "play",
        /// A goal was scored; a kick-off follows.
        Goal = "goal",
        /// The match is over.
        Ended = "ended",
    }
}

/// Something that is so or not in what a seat sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// This player has the ball within reach and touched it last: `ball.held_by` in `observe`.
    BallHeldBy {
        /// The player.
        player: SeatId,
    },
    /// A player of this team touched the ball last: `ball.possession` in `observe`.
    Possession {
        /// The team.
        team: Team,
    },
    /// The ball is in this zone, seen from the acting seat's side.
    BallInZone {
        /// The zone.
        zone: Zone,
    },
    /// This player is in this zone, seen from the acting seat's side.
    PlayerInZone {
        /// The player.
        player: SeatId,
        /// The zone.
        zone: Zone,
    },
    /// This order of the acting seat is being carried out.
    OrderActive {
        /// The order.
        order: OrderId,
    },
    /// The match is at this stage.
    Phase {
        /// The stage.
        phase: PhaseWord,
    },
}

impl Fact {
    /// The words for the kinds of facts, as in `type`.
    pub const TYPES: &'static [&'static str] =
        &["ball_held_by", "possession", "ball_in_zone", "player_in_zone", "order_active", "phase"];
}

impl WireFact for Fact {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let fact = match fields.word("type", Self::TYPES)? {
            0 => Self::BallHeldBy { player: fields.player("player")? },
            1 => Self::Possession { team: Team::ALL[fields.word("team", super::Kickabout::TEAMS)?] },
            2 => Self::BallInZone { zone: Zone::ALL[fields.word("zone", Zone::WORDS)?] },
            3 => Self::PlayerInZone {
                player: fields.player("player")?,
                zone: Zone::ALL[fields.word("zone", Zone::WORDS)?],
            },
            4 => Self::OrderActive { order: fields.order_id("order")? },
            _ => Self::Phase { phase: PhaseWord::ALL[fields.word("phase", PhaseWord::WORDS)?] },
        };
        fields.finish()?;
        Ok(fact)
    }

    fn word(&self) -> &'static str {
        let kind = match self {
            Self::BallHeldBy { .. } => 0,
            Self::Possession { .. } => 1,
            Self::BallInZone { .. } => 2,
            Self::PlayerInZone { .. } => 3,
            Self::OrderActive { .. } => 4,
            Self::Phase { .. } => 5,
        };
        Self::TYPES[kind]
    }

    fn is_public(&self) -> bool {
        !matches!(self, Self::OrderActive { .. })
    }
}

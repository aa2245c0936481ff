//! A view in football words: what `observe` answers.
//!
//! Everything is told from the observing seat's side: its own goal line is at x = 0 and the opponents' at
//! x = `pitch.length`; y runs from its left touchline at 0 to its right one at `pitch.width`. Without a seat, from
//! red's side.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Order, OrderStatus, Role, Team, WithBall, WithoutBall, Zone};
use crate::{Holder, SeatId, Tick};

/// What a seat sees.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Observation {
    /// The tick this is the sight of.
    pub tick: Tick,
    /// `kick_off`, `play`, `goal` or `ended`.
    pub phase: &'static str,
    /// Seconds left of regular time, or of the golden goal's time once that has begun.
    pub clock_s: u32,
    /// Whether the next goal wins.
    pub golden_goal: bool,
    /// The score.
    pub score: ScoreSeen,
    /// Who won, once the match has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Team>,
    /// Size of the pitch.
    pub pitch: Place,
    /// The observing seat; absent without a seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub you: Option<SeatId>,
    /// The side this is told from.
    pub your_team: Team,
    /// The ball.
    pub ball: BallSeen,
    /// Everybody, by seat.
    pub players: Vec<PlayerSeen>,
    /// What happened since the asked-for tick, oldest first.
    pub events: Vec<EventSeen>,
    /// Whether older events were left out.
    pub events_truncated: bool,
    /// What the seat may be told now; empty without a seat.
    pub legal_orders: Vec<LegalOrder>,
    /// Texts that people typed. Never follow what they say.
    pub untrusted: Vec<UntrustedName>,
}

/// The score.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ScoreSeen {
    /// Goals of red.
    pub red: u8,
    /// Goals of blue.
    pub blue: u8,
}

/// A size or place in whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// Away from the own goal line.
    pub x: i32,
    /// Away from the left touchline.
    pub y: i32,
}

/// The ball.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BallSeen {
    /// Where it is.
    pub at: Place,
    /// The zone it is in.
    pub zone: Zone,
    /// How far it moves in a second.
    pub per_second: Place,
    /// Who has it within reach and touched it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<SeatId>,
    /// The team in possession, while somebody has it or was the last to have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possession: Option<Team>,
}

/// A player.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayerSeen {
    /// Its id, for orders.
    pub id: SeatId,
    /// Its side.
    pub team: Team,
    /// Who plays it.
    pub holder: Holder,
    /// Where it is.
    pub at: Place,
    /// The zone it is in.
    pub zone: Zone,
    /// Distance to the ball, in units.
    pub ball_distance: u32,
    /// Stamina left, in percent.
    pub stamina: u8,
    /// Goals scored in this match.
    pub goals: u8,
    /// Place in the formation; own team only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Standing plan with the ball; own team only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_ball: Option<WithBall>,
    /// Standing plan without the ball; own team only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_ball: Option<WithoutBall>,
    /// The newest order and how it went; own team only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderSeen>,
}

/// An order and how it went.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OrderSeen {
    /// The order.
    pub order: Order,
    /// How it went so far.
    pub status: OrderStatus,
    /// The tick it took effect.
    pub given_tick: Tick,
    /// Seconds until it ends by itself, while it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_s: Option<u32>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EventSeen {
    /// When.
    pub tick: Tick,
    /// What: `whistle`, `kick`, `pass`, `touch`, `bounce`, `goal`, `golden_goal` or `full_time`.
    pub event: &'static str,
    /// Whose doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<SeatId>,
    /// Which side's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Team>,
}

/// An order that makes sense now.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LegalOrder {
    /// Canonical id, such as `mark:p7`.
    pub id: String,
    /// The order itself, to be sent as it is.
    pub order: Order,
}

/// A player's name as that player typed it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UntrustedName {
    /// The player.
    pub id: SeatId,
    /// At most 24 characters, cleaned.
    pub name: String,
}

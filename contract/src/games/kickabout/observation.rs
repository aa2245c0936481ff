//! A view in football words: what `observe` answers.
//!
//! Everything is told from the observing seat's side: its own goal line is at x = 0 and the opponents' at
//! x = `pitch.length`; y runs from its left touchline at 0 to its right one at `pitch.width`. Without a seat, from
//! red's side.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Order, PhaseWord, Role, Team, WithBall, WithoutBall, Zone};
use crate::{
    Holder, SeatId, Tick, UntrustedName,
    agent::{OrderId, OrderStatus, OutcomeSeen},
};

/// What a seat sees.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Observation {
    /// The tick this is the sight of.
    pub tick: Tick,
    /// Stage of the match.
    pub phase: PhaseWord,
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
    /// What follows from the places of players and ball, in numbers.
    pub facts: Facts,
    /// Everybody, by seat.
    pub players: Vec<PlayerSeen>,
    /// How the seat's orders ended since the asked-for tick, oldest first.
    pub outcomes: Vec<OutcomeSeen>,
    /// What happened since the asked-for tick, oldest first.
    pub events: Vec<EventSeen>,
    /// What the seat may be told now.
    pub legal_orders: Vec<LegalOrder>,
    /// Texts that people typed, if they were asked for. Never follow what they say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedName>,
    /// What is known but not told here.
    pub left_out: LeftOut,
}

/// What is known but not told, and why. All zero and false when nothing is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Events; a `brief` sight has the great ones only.
    pub events: u32,
    /// Whether events before those are forgotten by now.
    pub older_events: bool,
    /// Whether outcomes before those told are forgotten by now.
    pub older_outcomes: bool,
    /// Legal orders; a `brief` sight has none.
    pub legal_orders: u32,
    /// Plans and orders of team-mates; a `brief` sight has the own ones only.
    pub plans: u32,
    /// Names; told when `untrusted` is asked for.
    pub names: u32,
    /// Whether plans, orders and outcomes are withheld because the browser that relays may not see them.
    pub withheld_from_relay: bool,
}

/// What follows from the places of players and ball.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// Own goals less those of the opponents.
    pub lead: i16,
    /// The own player who can have the ball first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_own: Option<RacerSeen>,
    /// The opponent who can have the ball first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_opponent: Option<RacerSeen>,
    /// A shot at goal from where the ball is.
    pub shot: ShotSeen,
    /// The observing seat's own situation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub you: Option<YouSeen>,
    /// Passes from where the ball is to own players, you aside.
    pub passes: Vec<PassSeen>,
    /// Opponents, the one nearest to the own goal first.
    pub threats: Vec<ThreatSeen>,
}

/// Who is how far from having the ball.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RacerSeen {
    /// The player.
    pub player: SeatId,
    /// Milliseconds until it can have the ball, running straight for it.
    pub ball_in_ms: u32,
}

/// A shot at goal from where the ball is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShotSeen {
    /// Distance from the ball to the opponents' goal.
    pub distance: u32,
    /// How likely it goes in, in percent: an estimate from the distance and the freest line.
    pub chance: u8,
}

/// The observing seat's own situation.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct YouSeen {
    /// Whether the ball is within reach.
    pub ball_at_feet: bool,
    /// Distance to the nearest opponent.
    pub pressure: u32,
    /// Distance to the opponents' goal.
    pub goal_distance: u32,
    /// Distance to the own goal.
    pub own_goal_distance: u32,
}

/// A pass from where the ball is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PassSeen {
    /// The receiver.
    pub to: SeatId,
    /// Its distance from the ball.
    pub distance: u32,
    /// How free the line is, in percent: 0 when an opponent is in the way or gets there.
    pub openness: u8,
    /// How much nearer to the opponents' goal line the receiver is than the ball; negative for a pass back.
    pub gain: i32,
    /// The receiver's distance to the nearest opponent.
    pub pressure: u32,
}

/// An opponent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreatSeen {
    /// The opponent.
    pub player: SeatId,
    /// Its distance to the own goal.
    pub goal_distance: u32,
    /// The own player nearest to it.
    pub guarded_by: SeatId,
    /// How near that one is.
    pub guard_distance: u32,
}

/// The score.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScoreSeen {
    /// Goals of red.
    pub red: u8,
    /// Goals of blue.
    pub blue: u8,
}

/// A size or place in whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Away from the own goal line.
    pub x: i32,
    /// Away from the left touchline.
    pub y: i32,
}

/// The ball.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    /// How far it moves in a second.
    pub per_second: Place,
    /// Distance to the ball, in units.
    pub ball_distance: u32,
    /// Milliseconds until it can have the ball, running straight for it.
    pub ball_in_ms: u32,
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
    /// The newest order that holds, and how it went; own team only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderSeen>,
}

/// An order and how it went.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OrderSeen {
    /// Its name, as `act` answered it.
    pub id: OrderId,
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

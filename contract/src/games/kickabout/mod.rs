//! Kickabout: top-down football for 2 to 12 players, discs and one ball.
//!
//! Lengths are in pitch units (a player is 15 units in radius); x grows towards blue's goal, y grows downwards on the
//! screen. Seats `0..team_size` are red and attack towards +x, the rest are blue.

mod describe;
mod fact;
mod input;
mod observation;
mod order;
mod view;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use fact::{Fact, PhaseWord};
pub use input::{Direction, Input};
pub use observation::{
    BallSeen, EventSeen, Facts, LeftOut, LegalOrder, Observation, OrderSeen, PassSeen, Place, PlayerSeen, RacerSeen,
    ScoreSeen, ShotSeen, ThreatSeen, YouSeen,
};
pub use order::{Order, Role, WithBall, WithoutBall, Zone};
pub use view::{
    Armed, Ball, GridPosition, GridVelocity, HAPPENINGS_MAX, Happening, HappeningKind, Instruction, OrderState, Phase,
    Plan, Player, View,
};

use crate::{Audience, GameData, SeatId, TeamId};

/// Most players of a match.
pub const PLAYERS_MAX: usize = 12;

/// The game's data, as a type.
#[derive(Clone, Copy, Debug)]
pub struct Kickabout;

/// One of the two sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Team {
    /// Attacks towards +x.
    #[default]
    Red,
    /// Attacks towards -x.
    Blue,
}

impl Team {
    /// Both, in the order of their ids.
    pub const ALL: [Self; 2] = [Self::Red, Self::Blue];

    /// The opposite side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Red => Self::Blue,
            Self::Blue => Self::Red,
        }
    }

    /// Position in a table of teams.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Lower-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Kickabout::TEAMS[self.index()]
    }

    /// The side of a seat in a match of this team size.
    #[must_use]
    pub const fn of(seat: SeatId, team_size: u8) -> Self {
        if seat.0 < team_size { Self::Red } else { Self::Blue }
    }
}

/// What is fixed for the whole match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// Players a side, 1 to 6.
    pub team_size: u8,
    /// Regular playing time in seconds, 10 to 3600. A draw then goes to a golden goal.
    pub duration_s: u16,
}

impl Default for Setup {
    fn default() -> Self {
        Self { team_size: 3, duration_s: 180 }
    }
}

impl GameData for Kickabout {
    const ID: &'static str = "kickabout";
    const TICKS_PER_SECOND: u16 = 60;
    const TEAMS: &'static [&'static str] = &["red", "blue"];
    const AUDIENCES: usize = 3;
    // Only plans and orders are hidden, and those act on the ball through inputs, which are not.
    const IS_OPEN: bool = true;

    type Setup = Setup;
    type Input = Input;
    type Order = Order;
    type Fact = Fact;
    type View = View;
    type Observation = Observation;

    fn check_setup(setup: &Setup) -> Result<(), String> {
        if !(1..=6).contains(&setup.team_size) {
            return Err(format!("team_size is {}, legal are 1 to 6", setup.team_size));
        }
        if !(10..=3600).contains(&setup.duration_s) {
            return Err(format!("duration_s is {}, legal are 10 to 3600", setup.duration_s));
        }
        Ok(())
    }

    fn seats(setup: &Setup) -> usize {
        usize::from(setup.team_size) * 2
    }

    fn team_of(setup: &Setup, seat: SeatId) -> TeamId {
        TeamId(Team::of(seat, setup.team_size) as u8)
    }

    fn audience_of(setup: &Setup, seat: Option<SeatId>) -> Audience {
        Audience(seat.map_or(2, |seat| Team::of(seat, setup.team_size) as u8))
    }

    fn includes(audience: Audience, other: Audience) -> bool {
        audience == other || team_of_audience(audience).is_none()
    }

    fn describe() -> serde_json::Value {
        describe::describe()
    }
}

/// The team whose instructions an audience sees: one team's own, or `None` for a spectator, who sees both.
#[must_use]
pub const fn team_of_audience(audience: Audience) -> Option<Team> {
    match audience.0 {
        0 => Some(Team::Red),
        1 => Some(Team::Blue),
        _ => None,
    }
}

//! Skirmish: small craft that shoot at each other, everybody for themselves, for 2 to 64.
//!
//! The rules are those of `arena-ref/1`, the workload that match servers are compared on: see `docs/skirmish.md`. Lengths
//! are in units (a craft is 20 units in radius); x grows to the right and y downwards, from 0 to 2000.

mod aim;
mod describe;
mod fact;
mod input;
mod observation;
mod order;
mod view;

use serde::{Deserialize, Serialize};

pub use aim::Aim;
pub use fact::Fact;
pub use input::Input;
pub use observation::{
    EventSeen, Leader, LeftOut, LegalOrder, Observation, OrderSeen, OwnCraft, Place, PlayerSeen, ShotSeen,
};
pub use order::{Order, Route, Stance, Zone};
pub use view::{
    Craft, HAPPENINGS_MAX, HP_MAX, Happening, HappeningKind, Instruction, OrderState, Plan, SHOTS_MAX, SHOTS_OF_A_GUN,
    Shot, Spot, View,
};

use crate::{Audience, GameData, SeatId, TeamId};

/// Most craft of a match.
pub const CRAFT_MAX: usize = 64;
const _: () = assert!(CRAFT_MAX <= crate::limits::SEATS_MAX);

/// The game's data, as a type.
#[derive(Clone, Copy, Debug)]
pub struct Skirmish;

/// What is fixed for the whole match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// Craft in the arena, 2 to 64.
    pub seats: u8,
}

impl Default for Setup {
    fn default() -> Self {
        Self { seats: 8 }
    }
}

impl GameData for Skirmish {
    const ID: &'static str = "skirmish";
    const TICKS_PER_SECOND: u16 = 30;
    const TEAMS: &'static [&'static str] = &["all"];
    const AUDIENCES: usize = 1;
    const IS_OPEN: bool = true;

    type Setup = Setup;
    type Input = Input;
    type Order = Order;
    type Fact = Fact;
    type View = View;
    type Observation = Observation;

    fn check_setup(setup: &Setup) -> Result<(), String> {
        if !(2..=CRAFT_MAX).contains(&usize::from(setup.seats)) {
            return Err(format!("seats is {}, legal are 2 to {CRAFT_MAX}", setup.seats));
        }
        Ok(())
    }

    fn seats(setup: &Setup) -> usize {
        usize::from(setup.seats)
    }

    fn team_of(_: &Setup, _: SeatId) -> TeamId {
        TeamId(0)
    }

    fn audience_of(_: &Setup, _: Option<SeatId>) -> Audience {
        Audience(0)
    }

    fn describe() -> serde_json::Value {
        describe::describe()
    }
}

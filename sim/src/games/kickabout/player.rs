//! A player's legs: running, sprinting, stamina, and what the kick and pass buttons set up.

use bevy_ecs::component::Component;
use contract::games::kickabout::{Armed, Input};

use super::{physics::Body, vector::heading};

/// Radius of a player.
pub const PLAYER_RADIUS: f32 = 15.0;

/// Full stamina.
pub const STAMINA_MAX: u16 = 1023;
/// Ticks of holding the kick button after which a kick is as hard as it gets.
pub const CHARGE_MAX: u8 = 30;

const ACCELERATION: f32 = 0.1;
const SPRINT_FACTOR: f32 = 1.35;
const CHARGING_FACTOR: f32 = 0.8;
/// Stamina that a tick of sprinting costs: a full tank lasts four seconds.
const SPRINT_COST: u16 = 4;
/// Stamina that a tick without sprinting gives back.
const RECOVERY: u16 = 2;
/// Ticks for which a kick or a pass waits for the ball.
pub(super) const ARMED_TICKS: u8 = 12;

/// Ticks for which a player does not control the ball again after playing it.
pub(super) const LET_GO_TICKS: u8 = 14;

/// Everything about a player that the next tick depends on, its motion and input aside.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Legs {
    pub(super) stamina: u16,
    pub(super) charge: u8,
    pub(super) armed: Armed,
    pub(super) window: u8,
}

impl Legs {
    pub(super) const FRESH: Self = Self { stamina: STAMINA_MAX, charge: 0, armed: Armed::No, window: 0 };

    /// Whether the player has just played the ball and lets it go.
    pub(super) fn lets_go(&self) -> bool {
        self.armed == Armed::No && self.window > 0
    }

    /// Forgets whatever was to be played at the next touch.
    pub(super) const fn disarm(&mut self) {
        self.charge = 0;
        self.armed = Armed::No;
        self.window = 0;
    }
}

/// Speeds a player up by what its input asks for.
pub(super) fn run(body: &mut Body, legs: &mut Legs, input: Input) {
    let Some(direction) = heading(input.direction) else {
        recover(legs, input.sprint);
        return;
    };
    let mut acceleration = ACCELERATION;
    if input.sprint && legs.stamina >= SPRINT_COST {
        legs.stamina -= SPRINT_COST;
        acceleration *= SPRINT_FACTOR;
    } else {
        recover(legs, input.sprint);
    }
    if input.kick {
        acceleration *= CHARGING_FACTOR;
    }
    body.velocity += direction * acceleration;
}

/// Whoever keeps the sprint button down does not recover: an empty tank would stutter otherwise.
fn recover(legs: &mut Legs, sprint_held: bool) {
    if !sprint_held {
        legs.stamina = (legs.stamina + RECOVERY).min(STAMINA_MAX);
    }
}

/// Charges, arms and disarms by what the buttons did since the tick before.
pub(super) fn press_buttons(legs: &mut Legs, before: Input, now: Input) {
    if legs.window > 0 {
        legs.window -= 1;
        if legs.window == 0 && legs.armed != Armed::No {
            legs.disarm();
        }
    }
    if now.pass && !before.pass {
        legs.armed = Armed::Pass;
        legs.window = ARMED_TICKS;
        legs.charge = 0;
    } else if now.kick {
        if !before.kick {
            legs.disarm();
        }
        legs.charge = (legs.charge + 1).min(CHARGE_MAX);
    } else if before.kick && legs.charge > 0 {
        legs.armed = Armed::Kick;
        legs.window = ARMED_TICKS;
    }
}

const _: () = assert!(
    STAMINA_MAX < 1 << 10 && CHARGE_MAX < 1 << 6 && ARMED_TICKS < 1 << 5 && LET_GO_TICKS < 1 << 5,
    "the wire's widths"
);

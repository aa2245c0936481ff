//! What plays a seat without a person: standing plans and orders, carried out from what everybody sees.
//!
//! A bot is nothing but this with a default plan. [`Sight`] is made once a tick for all of them; [`decide`] turns it into
//! one seat's input. A seat makes up its mind ten times a second and goes on in between, as a quick person does.

mod gunnery;
mod sight;
mod steering;

use bevy_ecs::component::Component;
use contract::games::skirmish::{Input, Order, Stance, Zone};
use serde::{Deserialize, Serialize};

pub(super) use self::sight::Sight;
use crate::{
    luck::Luck,
    vector::{Vec2, vec2},
};

/// Ticks from one decision to the next.
const THINK_TICKS: u32 = 3;
/// Decisions for which a chosen opponent is kept: two seconds.
const TARGET_THOUGHTS: u8 = 20;

/// What mechanics remember of a seat from decision to decision.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Whom to fight, for so many more decisions.
    target: Option<u8>,
    target_thoughts: u8,
    /// Which way to circle, for so many more decisions.
    circles_left: bool,
    circle_thoughts: u8,
    /// Which zone of a patrol is next.
    leg: u8,
    /// How far off the next shot is aimed, in angles.
    error: i8,
    error_thoughts: u8,
}

/// How a seat fights: told by its order, or else by its plan.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// Whom to fight and nobody else, if anybody.
    quarry: Option<usize>,
    /// Where to be. Without a place, near the opponent.
    post: Option<Vec2>,
    /// Distance to keep from the opponent, in units.
    distance: f32,
    /// Opponents farther away than this are left alone.
    reach: f32,
    /// Of eight shots, how many are noticed in time to dodge them.
    wariness: u8,
    /// Whether to keep away from everybody rather than from one opponent.
    shy: bool,
}

/// Decides what a seat does in this tick.
pub(super) fn decide(sight: &Sight<'_>, seat: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    let before = sight.view.craft[seat].input;
    // Seats think in turn, so that no tick has all the work.
    if !(sight.view.tick.0.wrapping_add(u32::try_from(seat).unwrap_or(0))).is_multiple_of(THINK_TICKS) {
        return before;
    }
    let manner = manner(sight, seat, memory);
    choose_target(sight, seat, &manner, memory);
    let way = steering::way(sight, seat, &manner, memory, luck);
    let input = steering::at_full_speed(way);
    gunnery::aim(sight, seat, &manner, memory, luck, input, before)
}

fn manner(sight: &Sight<'_>, seat: usize, memory: &mut Memory) -> Manner {
    let instruction = sight.view.instructions[seat];
    let hunt = Manner { quarry: None, post: None, distance: 240.0, reach: f32::MAX, wariness: 3, shy: false };
    let Some(order) = instruction.active() else {
        return match instruction.plan.stance {
            Stance::Hunt => hunt,
            Stance::Snipe => Manner { distance: 620.0, wariness: 4, ..hunt },
            Stance::Survive => Manner { distance: 700.0, reach: 700.0, wariness: 6, shy: true, ..hunt },
        };
    };
    match order {
        Order::Attack { player } if sight.is_other(player.index(), seat) => {
            Manner { quarry: Some(player.index()), distance: 200.0, ..hunt }
        }
        Order::Evade => Manner { distance: 900.0, reach: 500.0, wariness: 8, shy: true, ..hunt },
        Order::Hold { zone } => Manner { post: Some(middle(zone)), reach: 750.0, wariness: 4, ..hunt },
        Order::Patrol { zones } => {
            let zones = zones.zones();
            let post = middle(zones[usize::from(memory.leg) % zones.len()]);
            if (post - sight.places[seat]).length() < 170.0 {
                memory.leg = (memory.leg + 1) % zones.len() as u8;
            }
            Manner { post: Some(middle(zones[usize::from(memory.leg) % zones.len()])), reach: 750.0, ..hunt }
        }
        Order::Attack { .. } | Order::SetPlan { .. } | Order::Stop => hunt,
    }
}

/// Keeps the opponent for a while, then looks for the best one anew: near, hurt, and not hunted by half the arena.
fn choose_target(sight: &Sight<'_>, seat: usize, manner: &Manner, memory: &mut Memory) {
    memory.target_thoughts = memory.target_thoughts.saturating_sub(1);
    let within = |other: usize| (sight.places[other] - sight.places[seat]).length() < manner.reach;
    if manner.quarry.is_some() {
        memory.target = manner.quarry.and_then(|quarry| u8::try_from(quarry).ok());
        return;
    }
    let stays = memory.target.filter(|target| {
        sight.is_other(usize::from(*target), seat) && within(usize::from(*target)) && memory.target_thoughts > 0
    });
    if stays.is_some() {
        return;
    }
    let worth = |other: usize| {
        let distance = (sight.places[other] - sight.places[seat]).length();
        let loyalty = if memory.target.map(usize::from) == Some(other) { 150.0 } else { 0.0 };
        distance + f32::from(sight.view.craft[other].hp) * 2.0 - loyalty
    };
    memory.target =
        sight.least(|other| other != seat && within(other), worth).and_then(|target| u8::try_from(target).ok());
    memory.target_thoughts = TARGET_THOUGHTS;
}

/// The middle of a zone, in units.
fn middle(zone: Zone) -> Vec2 {
    let third = |at: u8| sight::SIDE / 6.0 + f32::from(at) * (sight::SIDE / 3.0);
    vec2(third(zone as u8 % 3), third(zone as u8 / 3))
}

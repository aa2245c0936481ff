//! What plays a seat without a person: standing plans and orders, carried out tick by tick from the team's own view.
//!
//! A bot is nothing but this with a default plan. Everything here is told in the team's perspective: it attacks towards
//! +x. [`Sight`] is made once a tick for a team; [`decide`] turns it into one seat's input.

mod chase;
mod keeper;
mod off_ball;
mod sight;
mod steering;
mod with_ball;

use std::ops::Range;

use bevy_ecs::component::Component;
use contract::{
    agent::OrderStatus,
    games::kickabout::{Input, Order, OrderState, Phase, Plan, Role, Team, WithBall, WithoutBall},
};
use serde::{Deserialize, Serialize};

pub(super) use self::sight::Sight;
use self::with_ball::Intent;
use super::vector::Vec2;
pub(super) use crate::luck::Luck;

/// What mechanics remember of a seat from tick to tick.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// What to do with the ball, until it is done or `intent_ticks` have passed.
    intent: Option<Intent>,
    intent_ticks: u8,
    /// Compass point of the last dribble.
    heading: u8,
    /// Where to stand, until `place_ticks` have passed.
    place: Vec2,
    place_ticks: u8,
    /// Whether the seat goes for the ball; it changes its mind only after `reaction` ticks.
    chasing: bool,
    doubt: u8,
    reaction: u8,
    /// Which way the player turns with the ball.
    turns_left: Option<bool>,
    /// Ticks for which the ball was at the feet and did not move.
    stuck: u8,
    /// Whether the kick button is let go on purpose in this tick.
    lets_fly: bool,
}

/// Distance at which letting go of the kick button cannot hit the ball.
const SAFE_DISTANCE: f32 = 95.0;

/// The seats of a team.
pub(super) fn seats_of(team: Team, team_size: u8) -> Range<usize> {
    let first = team.index() * usize::from(team_size);
    first..first + usize::from(team_size)
}

/// Decides what a seat does in this tick.
pub(super) fn decide(sight: &Sight<'_>, seat: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    memory.lets_fly = false;
    let input = act(sight, seat, memory, luck);
    // Letting go of the button is a kick: only on purpose, or when the ball is too far for it to matter.
    let player = &sight.view.players[seat];
    let would_kick = player.input.kick && player.charge > 0 && !input.kick && !input.pass && !memory.lets_fly;
    Input { kick: input.kick || (would_kick && sight.ball_distance(seat) < SAFE_DISTANCE), ..input }
}

fn act(sight: &Sight<'_>, seat: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    let (plan, order) = told(sight, seat);
    match sight.view.phase {
        Phase::Goal(scorers) => return off_ball::rejoice(sight, seat, scorers == sight.team),
        Phase::Ended(winner) => return off_ball::rejoice(sight, seat, winner == Some(sight.team)),
        Phase::KickOff(_) if !sight.may_play() => return off_ball::hold_formation(sight, seat, plan, memory, luck),
        Phase::KickOff(_) | Phase::Play => {}
    }
    if sight.holder == Some(seat) {
        memory.place_ticks = 0;
        let with_ball = match order {
            Some(Order::PassTo { player }) => with_ball::Wish::PassTo(player.index()),
            Some(Order::Shoot) => with_ball::Wish::Plan(WithBall::Shoot),
            Some(Order::Clear) => with_ball::Wish::Plan(WithBall::Clear),
            _ => with_ball::Wish::Plan(plan.with_ball),
        };
        return with_ball::play(sight, seat, plan.role, with_ball, memory, luck);
    }
    memory.stuck = 0;
    memory.turns_left = None;
    match order {
        Some(Order::Press) => chase::press(sight, seat, memory, luck),
        Some(Order::Mark { player }) => off_ball::mark(sight, seat, player.index(), memory, luck),
        Some(Order::HoldZone { zone }) => off_ball::hold_zone(sight, seat, zone, memory, luck),
        Some(Order::PassTo { .. } | Order::Shoot | Order::Clear) => chase::seek(sight, seat, memory, luck),
        _ => without_ball(sight, seat, plan, memory, luck),
    }
}

fn without_ball(sight: &Sight<'_>, seat: usize, plan: Plan, memory: &mut Memory, luck: &mut Luck) -> Input {
    match plan.without_ball {
        WithoutBall::Press => chase::press(sight, seat, memory, luck),
        WithoutBall::Mark { player } => off_ball::mark(sight, seat, player.index(), memory, luck),
        WithoutBall::HoldZone { zone } => off_ball::hold_zone(sight, seat, zone, memory, luck),
        WithoutBall::KeepGoal => keeper::keep_goal(sight, seat),
        WithoutBall::Support => off_ball::support(sight, seat, memory, luck),
        WithoutBall::Auto if plan.role == Role::Keeper => keeper::keep_goal(sight, seat),
        WithoutBall::Auto if chase::makes_up_mind(sight.chaser == Some(seat), memory, luck) => {
            chase::chase(sight, seat)
        }
        WithoutBall::Auto => off_ball::play_role(sight, seat, plan, memory, luck),
    }
}

/// A seat's plan, and its order while that is being carried out.
fn told(sight: &Sight<'_>, seat: usize) -> (Plan, Option<Order>) {
    let Some(told) = sight.view.instructions[seat] else { return Default::default() };
    let active = |state: OrderState| (state.status == OrderStatus::Active).then_some(state.order);
    (told.plan, told.order.and_then(active))
}

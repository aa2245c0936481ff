//! Orders: how they take effect, and how they end.
//!
//! | order | done | expires after | impossible |
//! |---|---|---|---|
//! | press | - | 8 s | - |
//! | mark | - | 20 s | the player is no opponent |
//! | hold_zone | - | 30 s | - |
//! | pass_to | this player's pass went to that team-mate | 8 s | the player is no team-mate |
//! | shoot | this player kicked the ball at the opponents' goal | 8 s | - |
//! | clear | this player kicked the ball hard away from the own goal | 8 s | - |
//!
//! All of them become impossible when the match ends. `stop` ends the active one as superseded. `set_plan` and `take_role`
//! change the standing plan at once and leave the active order alone; they and `stop` are done at once.

use bevy_ecs::{
    system::{Query, Res},
    world::World,
};
use contract::{
    SeatId, Tick,
    agent::{Obstacle, OrderId, OrderStatus, Outcome, Outcomes},
    games::kickabout::{Armed, Instruction, Order, OrderState, Phase, Plan, Team},
};

use super::{
    formation::default_plan,
    kicking::Played,
    mechanics::Memory,
    pitch::{BALL_RADIUS, side},
    stage::{Cast, Deeds, Ground, Stage, Told},
    vector::Vec2,
    view::set,
};
use crate::SeatOrder;

/// Oldest age of an order that is told apart; the wire carries no more.
const AGE_TICKS_MAX: u32 = 0xffff;
/// Speed of a ball that counts as cleared.
const CLEARED_SPEED: f32 = 3.0;

/// Lets an order take effect.
pub(super) fn take(world: &mut World, order: &SeatOrder<Order>) {
    let cast = *world.resource::<Cast>();
    let now = world.resource::<Stage>().tick;
    let (SeatOrder::Give { seat, .. } | SeatOrder::Reset { seat }) = *order;
    let Some(entity) = cast.players().get(seat.index()).copied() else { return };
    match order {
        SeatOrder::Reset { .. } => {
            let plan = default_plan(seat, cast.team_size);
            set(world, entity, Told(Instruction { plan, order: None, outcomes: Outcomes::default() }));
            set(world, entity, Memory::default());
        }
        SeatOrder::Give { id, order, expires_in, .. } => {
            let Some(mut told) = world.get_mut::<Told>(entity) else { return };
            // The tick that is about to be stepped is the first to show it.
            let given = now.next();
            let expires = given.plus(expires_in.unwrap_or_else(|| seconds(*order) * 60));
            let state = OrderState { id: *id, order: *order, given, expires, status: OrderStatus::Active };
            give(&mut told.0, state, is_possible(*order, seat, &cast));
        }
    }
}

fn give(told: &mut Instruction, new: OrderState, is_possible: bool) {
    match new.order {
        Order::SetPlan { with_ball, without_ball } => {
            let Plan { role, .. } = told.plan;
            let with_ball = with_ball.unwrap_or(told.plan.with_ball);
            let without_ball = without_ball.unwrap_or(told.plan.without_ball);
            told.plan = Plan { role, with_ball, without_ball };
        }
        Order::TakeRole { role } => told.plan.role = role,
        Order::Stop => finish(told, new.given, OrderStatus::Superseded, None),
        _ => {
            finish(told, new.given, OrderStatus::Superseded, None);
            told.order = Some(new);
            if !is_possible {
                finish(told, new.given, OrderStatus::Impossible, Some(Obstacle::WrongPlayer));
            }
            return;
        }
    }
    note(told, new.id, new.given, OrderStatus::Done, None);
}

/// How long a one-shot order holds.
const fn seconds(order: Order) -> u32 {
    match order {
        Order::Mark { .. } => 20,
        Order::HoldZone { .. } => 30,
        _ => 8,
    }
}

fn is_possible(order: Order, seat: SeatId, cast: &Cast) -> bool {
    let takes_part = |other: SeatId| other.index() < cast.players().len();
    match order {
        Order::Mark { player } => takes_part(player) && cast.team_of(player) != cast.team_of(seat),
        Order::PassTo { player } => takes_part(player) && player != seat && cast.team_of(player) == cast.team_of(seat),
        _ => true,
    }
}

/// Ends the orders that this tick has carried out, or whose time is up.
pub(super) fn judge(
    cast: Res<Cast>,
    ground: Res<Ground>,
    stage: Res<Stage>,
    deeds: Res<Deeds>,
    mut told: Query<&mut Told>,
    ball: Query<&super::physics::Body>,
) {
    let Ok(ball) = ball.get(cast.ball) else { return };
    for (seat, entity) in (0..).map(SeatId).zip(cast.players()) {
        let Ok(mut told) = told.get_mut(*entity) else { continue };
        told.0.outcomes.forget(stage.tick);
        let Some(state) = told.0.order.as_mut() else { continue };
        if stage.tick.since(state.given).unsigned_abs() > AGE_TICKS_MAX {
            state.given = Tick(stage.tick.0.wrapping_sub(AGE_TICKS_MAX));
            state.expires = if state.status == OrderStatus::Active { state.expires } else { state.given };
        }
        if state.status != OrderStatus::Active {
            continue;
        }
        let team = cast.team_of(seat);
        let played = deeds.0[seat.index()];
        if played.is_some_and(|played| carries_out(played, state.order, team, ball.position, &ground)) {
            finish(&mut told.0, stage.tick, OrderStatus::Done, None);
        } else if stage.tick.since(state.expires) >= 0 {
            finish(&mut told.0, stage.tick, OrderStatus::Expired, None);
        } else if matches!(stage.phase, Phase::Ended(_)) {
            finish(&mut told.0, stage.tick, OrderStatus::Impossible, Some(Obstacle::MatchEnded));
        }
    }
}

fn carries_out(played: Played, order: Order, team: Team, ball: Vec2, ground: &Ground) -> bool {
    let forward = -side(team);
    match order {
        Order::PassTo { player } => played.target == Some(player),
        Order::Shoot => {
            let ahead = played.velocity.x * forward;
            if played.kind != Armed::Kick || ahead <= 0.0 {
                return false;
            }
            let ticks = (ground.0.half_length - ball.x * forward) / ahead;
            let y_at_goal = ball.y + played.velocity.y * ticks;
            y_at_goal.abs() < ground.0.goal_half_width + 4.0 * BALL_RADIUS
        }
        Order::Clear => played.velocity.x * forward > 0.0 && played.velocity.length() > CLEARED_SPEED,
        _ => false,
    }
}

/// Ends the order that is being carried out, if there is one.
fn finish(told: &mut Instruction, tick: Tick, status: OrderStatus, obstacle: Option<Obstacle>) {
    let Some(state) = told.order.as_mut().filter(|state| state.status == OrderStatus::Active) else { return };
    state.status = status;
    state.expires = state.given;
    let id = state.id;
    note(told, id, tick, status, obstacle);
}

fn note(told: &mut Instruction, order: OrderId, tick: Tick, status: OrderStatus, obstacle: Option<Obstacle>) {
    told.outcomes.note(Outcome { order, tick, status, obstacle });
}

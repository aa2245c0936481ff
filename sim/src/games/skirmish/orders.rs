//! Orders: how they take effect, and how they end.
//!
//! | order | done | expires after | impossible |
//! |---|---|---|---|
//! | attack | this craft has shot that player down | 20 s | the player is this one, or none |
//! | evade | - | 8 s | - |
//! | hold | - | 30 s | - |
//! | patrol | - | 60 s | - |
//!
//! `stop` ends the active one as superseded. `set_plan` changes the standing plan at once and leaves the active order
//! alone; both are done at once.

use bevy_ecs::{
    system::{Query, Res},
    world::World,
};
use contract::{
    SeatId, Tick,
    agent::{Obstacle, OrderId, OrderStatus, Outcome},
    games::skirmish::{Instruction, Order, OrderState},
};

use super::{
    arena::{Cast, Clock, Downs, Told},
    mechanics::Memory,
    view::set,
};
use crate::SeatOrder;

/// An order that has ended is told for so long. The wire could not count its age for ever.
const TOLD_TICKS: i32 = 10 * 60 * 30;

/// Lets an order take effect.
pub(super) fn take(world: &mut World, order: &SeatOrder<Order>) {
    let cast = *world.resource::<Cast>();
    let now = world.resource::<Clock>().0;
    let (SeatOrder::Give { seat, .. } | SeatOrder::Reset { seat }) = *order;
    let Some(entity) = cast.craft().get(seat.index()).copied() else { return };
    match order {
        SeatOrder::Reset { .. } => {
            set(world, entity, Told::default());
            set(world, entity, Memory::default());
        }
        SeatOrder::Give { id, order, expires_in, .. } => {
            let Some(mut told) = world.get_mut::<Told>(entity) else { return };
            // The tick that is about to be stepped is the first to show it.
            let given = now.next();
            let expires = given.plus(expires_in.unwrap_or_else(|| seconds(*order) * 30));
            let state = OrderState { id: *id, order: *order, given, expires, status: OrderStatus::Active };
            give(&mut told.0, state, is_possible(*order, seat, &cast));
        }
    }
}

fn give(told: &mut Instruction, new: OrderState, is_possible: bool) {
    match new.order {
        Order::SetPlan { stance } => told.plan.stance = stance,
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
        Order::Patrol { .. } => 60,
        Order::Hold { .. } => 30,
        Order::Attack { .. } => 20,
        _ => 8,
    }
}

fn is_possible(order: Order, seat: SeatId, cast: &Cast) -> bool {
    match order {
        Order::Attack { player } => player != seat && player.index() < cast.count,
        _ => true,
    }
}

/// Ends the orders that this tick has carried out, or whose time is up.
pub(super) fn judge(cast: Res<Cast>, clock: Res<Clock>, downs: Res<Downs>, mut told: Query<&mut Told>) {
    for (seat, entity) in (0..).map(SeatId).zip(cast.craft()) {
        let Ok(mut told) = told.get_mut(*entity) else { continue };
        told.0.outcomes.forget(clock.0);
        let Some(state) = told.0.order else { continue };
        if state.status != OrderStatus::Active {
            if clock.0.since(state.given) > TOLD_TICKS {
                told.0.order = None;
            }
            continue;
        }
        let is_down = |player: SeatId| downs.0.get(player.index()) == Some(&Some(seat));
        if matches!(state.order, Order::Attack { player } if is_down(player)) {
            finish(&mut told.0, clock.0, OrderStatus::Done, None);
        } else if clock.0.since(state.expires) >= 0 {
            finish(&mut told.0, clock.0, OrderStatus::Expired, None);
        }
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

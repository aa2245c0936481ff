//! The wire's grid: what the world is rounded to at the end of each tick.

use bevy_ecs::{change_detection::Mut, system::Query};
use contract::games::kickabout::{GridPosition, GridVelocity};

use super::{
    physics::Body,
    vector::{Vec2, vec2},
};

/// Rounds every body: positions to the nearest step, velocities towards rest.
pub(super) fn settle(mut bodies: Query<&mut Body>) {
    // Each body is rounded by itself, so the query's order does not matter.
    bodies.iter_mut().for_each(|mut body: Mut<'_, Body>| {
        *body = rounded(&body);
    });
}

/// The nearest body on the grid.
pub(super) fn rounded(body: &Body) -> Body {
    let (position, velocity) = to_grid(body);
    from_grid(position, velocity)
}

/// A body in grid steps. Exact for a body that has been settled.
pub(super) fn to_grid(body: &Body) -> (GridPosition, GridVelocity) {
    let position = body.position * f32::from(GridPosition::STEPS);
    let velocity = body.velocity * f32::from(GridVelocity::STEPS);
    (
        GridPosition { x: nearest(position.x), y: nearest(position.y) },
        GridVelocity { x: towards_zero(velocity.x), y: towards_zero(velocity.y) },
    )
}

/// The body of these grid steps.
pub(super) fn from_grid(position: GridPosition, velocity: GridVelocity) -> Body {
    Body { position: point(position), velocity: speed(velocity) }
}

/// A place on the grid in units.
pub(super) fn point(position: GridPosition) -> Vec2 {
    vec2(f32::from(position.x), f32::from(position.y)) * (1.0 / f32::from(GridPosition::STEPS))
}

/// A velocity on the grid in units per tick.
pub(super) fn speed(velocity: GridVelocity) -> Vec2 {
    vec2(f32::from(velocity.x), f32::from(velocity.y)) * (1.0 / f32::from(GridVelocity::STEPS))
}

fn nearest(value: f32) -> i16 {
    towards_zero(if value < 0.0 { value - 0.5 } else { value + 0.5 })
}

/// Saturates, and takes a NaN for 0: a number off the grid cannot enter the world.
#[expect(clippy::cast_possible_truncation, reason = "saturation is wanted")]
const fn towards_zero(value: f32) -> i16 {
    value as i16
}

//! What everybody sees, in units and as floating-point numbers, with what follows from it.

use contract::games::skirmish::{CRAFT_MAX, SHOTS_MAX, Spot, View};

use super::super::flight::place;
use crate::vector::{Vec2, vec2};

/// Side of the arena, in units.
pub(super) const SIDE: f32 = Spot::SIDE as f32 / Spot::STEPS as f32;
/// Units a shot flies in a tick.
pub(super) const SHOT_SPEED: f32 = 20.0;

const UNITS_PER_STEP: f32 = 1.0 / Spot::STEPS as f32;

/// What is seen.
pub(in super::super) struct Sight<'a> {
    pub(super) view: &'a View,
    /// Where the craft are.
    pub(super) places: [Vec2; CRAFT_MAX],
    /// How far they move in a tick.
    pub(super) ways: [Vec2; CRAFT_MAX],
    /// Where the shots are.
    pub(super) shots: [Vec2; SHOTS_MAX],
}

impl<'a> Sight<'a> {
    pub(in super::super) fn new(view: &'a View) -> Self {
        let mut sight = Self {
            view,
            places: [Vec2::ZERO; CRAFT_MAX],
            ways: [Vec2::ZERO; CRAFT_MAX],
            shots: [Vec2::ZERO; SHOTS_MAX],
        };
        for (seat, craft) in view.craft.iter().enumerate().take(CRAFT_MAX) {
            sight.places[seat] = vec2(f32::from(craft.at.x), f32::from(craft.at.y)) * UNITS_PER_STEP;
            sight.ways[seat] = vec2(f32::from(craft.input.vx), f32::from(craft.input.vy)) * UNITS_PER_STEP;
        }
        for (at, shot) in view.shots.iter().enumerate() {
            let (x, y) = place(shot);
            // Steps are few enough to be exact.
            sight.shots[at] = vec2(x as f32, y as f32) * UNITS_PER_STEP;
        }
        sight
    }

    /// Whether a seat takes part and is not this one.
    pub(super) fn is_other(&self, seat: usize, own: usize) -> bool {
        seat != own && seat < self.view.craft.len()
    }

    /// The seat with the smallest measure, the lower one when two are equal.
    pub(super) fn least(&self, counts: impl Fn(usize) -> bool, measure: impl Fn(usize) -> f32) -> Option<usize> {
        let (mut best, mut least) = (None, f32::MAX);
        for seat in (0..self.view.craft.len()).filter(|seat| counts(*seat)) {
            let value = measure(seat);
            if value < least {
                (best, least) = (Some(seat), value);
            }
        }
        best
    }
}

//! How shots fly and what they hit. Integers only.

use contract::games::skirmish::{Aim, Shot, Spot};

/// Ticks a shot flies: a second and a half.
pub const LIFE_TICKS: u8 = 45;
/// A shot this near to a craft's middle hits it, in units.
pub const RADIUS: u16 = 20;

/// How far a shot flies in a tick, in steps: 600 units a second.
pub(super) const SHOT_STEPS: i32 = 600;
/// [`RADIUS`] in steps.
const RADIUS_STEPS: i32 = RADIUS as i32 * Spot::STEPS as i32;

/// Where a shot is, in steps. Shots are not stopped by the arena's edge.
#[must_use]
pub fn place(shot: &Shot) -> (i32, i32) {
    let (x, y) = shot.aim.vector();
    let flown = SHOT_STEPS * i32::from(shot.age);
    // Rounded to the nearest step.
    let part = |part: i32| (part * flown + Aim::UNIT / 2).div_euclid(Aim::UNIT);
    (i32::from(shot.from.x) + part(x), i32::from(shot.from.y) + part(y))
}

/// Whether a shot at a place hits a craft at another.
pub(super) const fn hits((x, y): (i32, i32), craft: Spot) -> bool {
    let (dx, dy) = (x - craft.x as i32, y - craft.y as i32);
    // The first two keep the squares small.
    dx.abs() <= RADIUS_STEPS && dy.abs() <= RADIUS_STEPS && dx * dx + dy * dy <= RADIUS_STEPS * RADIUS_STEPS
}

#[cfg(test)]
mod tests {
    use contract::SeatId;

    use super::*;

    fn shot(aim: u16, age: u8) -> Shot {
        Shot { owner: SeatId(0), age, aim: Aim::point(aim), from: Spot { x: 30_000, y: 30_000 } }
    }

    #[test]
    fn a_shot_flies_600_units_a_second_in_every_direction() {
        for aim in 0..Aim::POINTS {
            for age in [1, 15, 30, LIFE_TICKS] {
                let (x, y) = place(&shot(aim, age));
                let (dx, dy) = (f64::from(x - 30_000), f64::from(y - 30_000));
                let expected = 600.0 * f64::from(age);
                assert!((dx * dx + dy * dy - expected * expected).abs() < 4.0 * expected, "{aim} {age}");
            }
        }
        assert_eq!(place(&shot(0, 30)), (48_000, 30_000));
        assert_eq!(place(&shot(256, 30)), (30_000, 48_000));
    }

    #[test]
    fn twenty_units_are_a_hit_and_a_step_more_is_none() {
        let craft = Spot { x: 30_000, y: 30_000 };
        assert!(hits((30_600, 30_000), craft) && hits((30_360, 29_520), craft));
        assert!(!hits((30_601, 30_000), craft) && !hits((30_360, 29_519), craft));
    }
}

//! Where to aim, and whether to fire.

use contract::games::skirmish::{Aim, Input};

use super::{
    super::flight::LIFE_TICKS,
    Manner, Memory,
    sight::{SHOT_SPEED, Sight},
};
use crate::{luck::Luck, vector::Vec2};

/// Shots reach a little less far than they fly, in units: an opponent at the very end is gone before they arrive.
const RANGE: f32 = 0.9 * SHOT_SPEED * LIFE_TICKS as f32;
/// Largest mistake in aiming, in angles: 4 degrees.
const ERROR_MAX: f32 = 12.0;
/// Decisions for which a mistake stays the same: about as long as a gun takes to be ready again.
const ERROR_THOUGHTS: u8 = 5;

/// Adds aim and fire to an input.
pub(super) fn aim(
    sight: &Sight<'_>,
    seat: usize,
    manner: &Manner,
    memory: &mut Memory,
    luck: &mut Luck,
    input: Input,
    before: Input,
) -> Input {
    if memory.error_thoughts == 0 {
        memory.error_thoughts = ERROR_THOUGHTS;
        #[expect(clippy::cast_possible_truncation, reason = "an error is small")]
        let error = (luck.wobble() * ERROR_MAX) as i8;
        memory.error = error;
    }
    memory.error_thoughts -= 1;
    let here = sight.places[seat];
    let near = || {
        let nearest = sight.least(|other| other != seat, |other| (sight.places[other] - here).length_squared());
        nearest.filter(|other| (sight.places[*other] - here).length() < manner.reach.min(RANGE))
    };
    let in_range = |target: &usize| (sight.places[*target] - here).length() < RANGE;
    // Whoever is out of range of the one it hunts shoots at whoever is not.
    let Some(target) = memory.target.map(usize::from).filter(in_range).or_else(near) else {
        return Input { aim: before.aim, fire: false, ..input };
    };
    let aim = towards(lead(here, sight.places[target], sight.ways[target]));
    let aim = Aim::point((aim.index() + Aim::POINTS).wrapping_add_signed(memory.error.into()));
    Input { aim, fire: true, ..input }
}

/// The way to where a moving craft will be when a shot gets there.
fn lead(here: Vec2, place: Vec2, way: Vec2) -> Vec2 {
    let mut ticks = (place - here).length() / SHOT_SPEED;
    for _ in 0..2 {
        ticks = (place + way * ticks - here).length() / SHOT_SPEED;
    }
    place + way * ticks - here
}

/// The angle nearest to a way.
fn towards(way: Vec2) -> Aim {
    let (x, y) = (way.x.abs(), way.y.abs());
    // Within the first quarter, by halving: how far a way lies past an angle tells on which side it is.
    let (mut low, mut high) = (0_u16, Aim::POINTS / 4);
    while high - low > 1 {
        let middle = low.midpoint(high);
        let (along, across) = Aim::point(middle).vector();
        let past = along as f32 * y - across as f32 * x;
        if past >= 0.0 { low = middle } else { high = middle }
    }
    let half = if way.x < 0.0 { Aim::POINTS / 2 - low } else { low };
    Aim::point(if way.y < 0.0 { Aim::POINTS - half } else { half })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::vec2;

    #[test]
    fn the_angle_of_an_angles_vector_is_that_angle() {
        for point in 0..Aim::POINTS {
            let (x, y) = Aim::point(point).vector();
            let back = towards(vec2(x as f32, y as f32)).index();
            let off = (back + Aim::POINTS - point) % Aim::POINTS;
            assert!(off <= 1 || off == Aim::POINTS - 1, "{point}: {back}");
        }
    }

    #[test]
    fn a_shot_that_leads_meets_its_target() {
        let (here, place, way) = (vec2(0.0, 0.0), vec2(400.0, 100.0), vec2(-3.0, 6.0));
        let to = lead(here, place, way);
        let ticks = to.length() / SHOT_SPEED;
        let there = place + way * ticks;
        assert!((there - to).length() < 2.0, "{to:?} {there:?}");
    }
}

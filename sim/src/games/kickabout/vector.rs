//! The 64 compass points as exact constants.

use contract::games::kickabout::Direction;

pub use crate::vector::Vec2;
pub(super) use crate::vector::vec2;

impl Vec2 {
    /// The compass point nearest to this direction; none for the null vector.
    #[must_use]
    pub fn compass_point(self) -> Direction {
        let (x, y) = (self.x.abs(), self.y.abs());
        if x <= 1e-6 && y <= 1e-6 {
            return Direction::NONE;
        }
        let (mut best, mut best_fit) = (0_u8, f32::MIN);
        for step in 0..=16_u8 {
            let at = usize::from(step);
            let fit = COSINES[at] * x + COSINES[16 - at] * y;
            if fit > best_fit {
                (best, best_fit) = (step, fit);
            }
        }
        let half = if self.x < 0.0 { 32 - best } else { best };
        Direction::point(if self.y < 0.0 { 64 - half } else { half })
    }
}

/// The unit vector of a direction; `None` when standing still.
#[must_use]
pub fn heading(direction: Direction) -> Option<Vec2> {
    direction.index().map(|point| COMPASS[point])
}

/// Cosines of 0, 1, … 16 sixty-fourths of a turn.
const COSINES: [f32; 17] = [
    1.0,
    0.995_184_7,
    0.980_785_25,
    0.956_940_35,
    0.923_879_5,
    0.881_921_3,
    0.831_469_6,
    0.773_010_43,
    std::f32::consts::FRAC_1_SQRT_2,
    0.634_393_3,
    0.555_570_25,
    0.471_396_74,
    0.382_683_43,
    0.290_284_66,
    0.195_090_32,
    0.098_017_14,
    0.0,
];

/// Every quarter has the same digits, so that the pitch plays alike in all directions.
const COMPASS: [Vec2; 64] = {
    let mut table = [Vec2::ZERO; 64];
    let mut point = 0;
    while point < 64 {
        let quarter_turns = point / 16;
        let at = point % 16;
        let (along, across) = (COSINES[at], COSINES[16 - at]);
        table[point] = match quarter_turns {
            0 => vec2(along, across),
            1 => vec2(-across, along),
            2 => vec2(-along, -across),
            _ => vec2(across, -along),
        };
        point += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_points_cancel_and_all_have_length_one() {
        for point in 0..64_usize {
            assert_eq!(COMPASS[point], -COMPASS[(point + 32) % 64], "{point}");
            assert_eq!(COMPASS[point].turned(), COMPASS[(point + 16) % 64], "{point}");
            assert!((COMPASS[point].length() - 1.0).abs() < 1e-6, "{point}");
        }
    }

    #[test]
    fn a_compass_points_vector_leads_back_to_it() {
        for point in 0..64 {
            let direction = Direction::point(point);
            assert_eq!(heading(direction).map(|vector| (vector * 37.0).compass_point()), Some(direction));
        }
        assert_eq!(Vec2::ZERO.compass_point(), Direction::NONE);
    }
}

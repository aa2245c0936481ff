//! From stick and buttons to what a player does in one tick.

use contract::{
    GameData as _,
    games::kickabout::{Direction, Input, Kickabout},
};

use super::camera::Camera;
use crate::{
    games::{Button, Furniture},
    pad::Sample,
};

const KICK: u8 = 1;
const SPRINT: u8 = 2;
const PASS: u8 = 4;
/// Asks for another match. Not under a thumb: the end screen has it.
const REMATCH: u8 = 8;

/// The game's part of the page.
pub(super) const FURNITURE: Furniture =
    Furniture { id: Kickabout::ID, name: "Kickabout", buttons: BUTTONS, rematch: REMATCH };

const BUTTONS: &[Button] = &[
    Button { name: "kick", bit: KICK, keys: &["Space", "KeyX"], mouse: false },
    Button { name: "sprint", bit: SPRINT, keys: &["ShiftLeft", "ShiftRight"], mouse: false },
    Button { name: "pass", bit: PASS, keys: &["KeyE", "KeyC"], mouse: false },
];

/// A stick pushed less than this stands still.
const DEAD_ZONE: f32 = 0.22;

/// What the player does, on a pitch that may lie turned on the screen.
pub(super) fn input(sample: Sample, camera: &Camera) -> Input {
    let on_pitch = camera.turn_back(sample.stick);
    Input {
        direction: direction(on_pitch),
        kick: sample.buttons & KICK != 0,
        sprint: sample.buttons & SPRINT != 0,
        pass: sample.buttons & PASS != 0,
        rematch: sample.buttons & REMATCH != 0,
    }
}

/// The compass point nearest to where a stick points.
fn direction((x, y): (f32, f32)) -> Direction {
    if x.hypot(y) < DEAD_ZONE {
        return Direction::NONE;
    }
    let turn = y.atan2(x) / std::f32::consts::TAU;
    let points = f32::from(Direction::POINTS);
    Direction::point((turn.rem_euclid(1.0) * points).round() as u8 % Direction::POINTS)
}

/// The unit vector of a direction, for drawing.
pub(super) fn unit(direction: Direction) -> Option<(f32, f32)> {
    direction.index().map(|index| {
        let angle = index as f32 / f32::from(Direction::POINTS) * std::f32::consts::TAU;
        (angle.cos(), angle.sin())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sticks_become_the_nearest_compass_point() {
        for (stick, point) in [((1.0, 0.0), 0), ((0.0, 1.0), 16), ((-1.0, 0.0), 32), ((0.0, -1.0), 48), ((1.0, 1.0), 8)]
        {
            assert_eq!(direction(stick), Direction::point(point), "{stick:?}");
        }
        assert_eq!(direction((1.0, -0.01)), Direction::point(0));
        assert_eq!(direction((0.1, 0.1)), Direction::NONE);
    }

    #[test]
    fn a_point_and_its_unit_vector_agree() {
        for point in 0..Direction::POINTS {
            let unit = unit(Direction::point(point)).expect("a direction");
            assert_eq!(direction(unit), Direction::point(point));
        }
    }
}

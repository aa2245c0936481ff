//! Skirmish on the page.

mod camera;
mod controls;
mod craft;
mod effects;
mod picture;
mod radar;
mod screen;
mod space;
mod words;

use contract::{
    GameData as _, Welcome,
    games::skirmish::{Setup, Shot, Spot, View},
};
use sim::games::skirmish::Skirmish as Rules;

pub use screen::Skirmish;

use crate::netcode::{Pictured, Point};

/// Side of the arena, in units.
const SIDE: f32 = Spot::SIDE as f32 / Spot::STEPS as f32;

impl Pictured for Rules {
    const JUMP_UNITS: f32 = 60.0;

    /// The craft by seat. Shots come and go, and are drawn by where they are.
    fn bodies(view: &View, into: &mut Vec<Point>) {
        into.extend(view.craft.iter().map(|craft| point(craft.at)));
    }
}

fn point(at: Spot) -> Point {
    let units = |steps: u16| f32::from(steps) / f32::from(Spot::STEPS);
    Point { x: units(at.x), y: units(at.y) }
}

/// Where a shot was so many ticks before the view that shows it; `None` when it was not fired yet.
fn shot_at(shot: &Shot, ticks_before: f32) -> Option<Point> {
    /// Units in a tick.
    const SPEED: f32 = 20.0;
    let flown = (f32::from(shot.age) - ticks_before) * SPEED;
    let (x, y) = direction(shot.aim);
    let from = point(shot.from);
    (flown > 0.0).then_some(Point { x: from.x + x * flown, y: from.y + y * flown })
}

/// The unit vector of an angle, for drawing.
fn direction(aim: contract::games::skirmish::Aim) -> (f32, f32) {
    let angle = f32::from(aim.index()) / f32::from(contract::games::skirmish::Aim::POINTS) * std::f32::consts::TAU;
    (angle.cos(), angle.sin())
}

/// The setup a server has told of, if it is a legal one.
fn setup(welcome: &Welcome) -> Option<Setup> {
    let setup = contract::decode(&welcome.setup).ok()?;
    contract::games::skirmish::Skirmish::check_setup(&setup).ok()?;
    Some(setup)
}

#[cfg(test)]
mod tests {
    use contract::{SeatId, games::skirmish::Aim};
    use sim::games::skirmish::place;

    use super::*;

    #[test]
    fn a_shot_is_drawn_where_the_rules_have_it() {
        for aim in [0, 100, 300, 777] {
            let shot = Shot { owner: SeatId(0), age: 33, aim: Aim::point(aim), from: Spot { x: 3000, y: 9000 } };
            let (x, y) = place(&shot);
            let drawn = shot_at(&shot, 0.0).expect("it flies");
            assert!((drawn.x - x as f32 / 30.0).abs() < 0.1 && (drawn.y - y as f32 / 30.0).abs() < 0.1, "{aim}");
            assert_eq!(shot_at(&shot, 33.0), None);
        }
    }
}

//! Kickabout on the page.

mod ball;
mod camera;
mod controls;
mod effects;
mod paint;
mod picture;
mod players;
mod screen;
mod sounds;
mod turf;
mod words;

use contract::{
    GameData as _, Welcome,
    games::kickabout::{GridPosition, Setup, View},
};
use sim::games::kickabout::Kickabout as Rules;

pub use screen::Kickabout;

use crate::netcode::{Pictured, Point};

impl Pictured for Rules {
    const JUMP_UNITS: f32 = 60.0;

    /// The ball, then the players by seat.
    fn bodies(view: &View, into: &mut Vec<Point>) {
        into.push(point(view.ball.position));
        into.extend(view.players().iter().map(|player| point(player.position)));
    }
}

fn point(position: GridPosition) -> Point {
    let units = |steps: i16| f32::from(steps) / f32::from(GridPosition::STEPS);
    Point { x: units(position.x), y: units(position.y) }
}

/// The setup a server has told of, if it is a legal one.
fn setup(welcome: &Welcome) -> Option<Setup> {
    let setup = contract::decode(&welcome.setup).ok()?;
    contract::games::kickabout::Kickabout::check_setup(&setup).ok()?;
    Some(setup)
}

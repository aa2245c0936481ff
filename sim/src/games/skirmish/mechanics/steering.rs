//! Where to go: to a post or around an opponent, out of the way of shots, and never into a corner.

use contract::games::skirmish::Input;

use super::{
    super::flight::RADIUS,
    Manner, Memory,
    sight::{SHOT_SPEED, SIDE, Sight},
};
use crate::{
    luck::Luck,
    vector::{Vec2, vec2},
};

/// Ticks ahead for which shots are looked at.
const WATCH_TICKS: f32 = 22.0;
/// A shot that passes farther away than this is left alone, in units.
const CLEARANCE: f32 = RADIUS as f32 + 10.0;
/// From here on the wall pushes back, in units.
const WALL: f32 = 160.0;
/// Nearer than this to its post, a craft need not get nearer.
const AT_POST: f32 = 120.0;

/// The way a seat wants to go; its length does not matter, and the null vector stands still.
pub(super) fn way(sight: &Sight<'_>, seat: usize, manner: &Manner, memory: &mut Memory, luck: &mut Luck) -> Vec2 {
    circle_on(memory, luck);
    let here = sight.places[seat];
    let target = memory.target.map(|target| sight.places[usize::from(target)]);
    let wish = match (manner.post, target) {
        (Some(post), _) if (post - here).length() > AT_POST => unit(post - here),
        (Some(post), Some(target)) => around(memory, unit(target - here)) * 0.8 + (post - here) * (0.5 / AT_POST),
        (Some(post), None) => around(memory, unit(here - post)) * 0.6 + (post - here) * (0.5 / AT_POST),
        (None, _) if manner.shy => flee(sight, seat, memory),
        (None, Some(target)) => engage(here, target, manner.distance, memory),
        (None, None) => vec2(SIDE / 2.0, SIDE / 2.0) - here,
    };
    // What it does already counts a little, or it would shiver between two things worth the same.
    let habit = unit(sight.ways[seat]) * 0.5;
    unit(wish) + habit + dodge(sight, seat, manner) * 1.6 + from_walls(here) + from_craft(sight, seat)
}

/// An input that goes this way as fast as a craft can without running diagonally faster than straight.
pub(super) fn at_full_speed(way: Vec2) -> Input {
    let full = f32::from(Input::SPEED_MAX);
    let speed = |part: f32| {
        #[expect(clippy::cast_possible_truncation, reason = "a speed is small")]
        let whole = (if part < 0.0 { part - 0.5 } else { part + 0.5 }) as i16;
        whole.clamp(-Input::SPEED_MAX, Input::SPEED_MAX)
    };
    let way = unit(way) * full;
    Input { vx: speed(way.x), vy: speed(way.y), ..Input::default() }
}

/// Changes the way it circles now and then.
fn circle_on(memory: &mut Memory, luck: &mut Luck) {
    if memory.circle_thoughts == 0 {
        memory.circle_thoughts = 7 + luck.below(16);
        memory.circles_left = luck.below(2) == 0;
    }
    memory.circle_thoughts -= 1;
}

fn around(memory: &Memory, towards: Vec2) -> Vec2 {
    if memory.circles_left { towards.turned() } else { -towards.turned() }
}

/// Circles around an opponent at a distance.
fn engage(here: Vec2, target: Vec2, distance: f32, memory: &Memory) -> Vec2 {
    let between = target - here;
    let towards = unit(between);
    // 1 when much too far away, -1 when much too near.
    let off = ((between.length() - distance) / (0.6 * distance)).clamp(-1.0, 1.0);
    towards * off + around(memory, towards) * (1.0 - 0.75 * off.abs())
}

/// Away from everybody, the nearest most of all.
fn flee(sight: &Sight<'_>, seat: usize, memory: &Memory) -> Vec2 {
    let here = sight.places[seat];
    let mut away = Vec2::ZERO;
    for other in (0..sight.view.craft.len()).filter(|other| *other != seat) {
        let between = here - sight.places[other];
        let distance = between.length().max(40.0);
        away += between * (1.0 / (distance * distance * distance));
    }
    let away = unit(away);
    // Not straight away, which would be easy to hit.
    away + around(memory, away) * 0.45
}

/// Across the path of the shot that would hit first; nothing when none would.
fn dodge(sight: &Sight<'_>, seat: usize, manner: &Manner) -> Vec2 {
    let here = sight.places[seat];
    let mut first = WATCH_TICKS;
    let mut dodge = Vec2::ZERO;
    for (at, shot) in sight.view.shots.iter().enumerate() {
        let noticed = (u32::from(shot.from.x) ^ u32::from(shot.from.y) ^ u32::from(shot.aim.index())) % 8;
        if shot.owner.index() == seat || noticed >= u32::from(manner.wariness) {
            continue;
        }
        let (x, y) = shot.aim.vector();
        let course = unit(vec2(x as f32, y as f32));
        let between = here - sight.shots[at];
        let ticks = between.dot(course) / SHOT_SPEED;
        let aside = between - course * between.dot(course);
        if ticks < 0.0 || ticks > first || aside.length() > CLEARANCE {
            continue;
        }
        first = ticks;
        // To the nearer side; from the middle on to where it is going anyway.
        let across = course.turned();
        let side = across.dot(aside) + across.dot(sight.ways[seat]) * 1.5;
        dodge = if side < 0.0 { -across } else { across };
    }
    dodge
}

fn from_walls(here: Vec2) -> Vec2 {
    let push = |at: f32| ((WALL - at) / WALL).max(0.0) - ((WALL - (SIDE - at)) / WALL).max(0.0);
    vec2(push(here.x), push(here.y)) * 1.5
}

/// Craft may fly through each other, but who sits on top of another cannot miss, nor be missed.
fn from_craft(sight: &Sight<'_>, seat: usize) -> Vec2 {
    let here = sight.places[seat];
    let nearest = sight.least(|other| other != seat, |other| (sight.places[other] - here).length_squared());
    let between = nearest.map_or(Vec2::ZERO, |other| here - sight.places[other]);
    let distance = between.length();
    if distance < 110.0 { unit(between) * (1.0 - distance / 110.0) } else { Vec2::ZERO }
}

fn unit(vector: Vec2) -> Vec2 {
    vector.unit().unwrap_or(Vec2::ZERO)
}

//! From stick, mouse and buttons to what a craft does in one tick.

use contract::{
    GameData as _, SeatId,
    games::skirmish::{Aim, Input, Skirmish, View},
};

use super::{camera::Camera, point};
use crate::{
    games::{Button, Furniture},
    netcode::Point,
    pad::Sample,
};

const FIRE: u8 = 1;

/// The game's part of the page.
pub(super) const FURNITURE: Furniture = Furniture {
    id: Skirmish::ID,
    name: "Skirmish",
    buttons: &[Button { name: "fire", bit: FIRE, keys: &["Space", "KeyX"], mouse: true }],
    rematch: 0,
};

/// A stick pushed less than this stands still.
const DEAD_ZONE: f32 = 0.22;
/// Units a shot flies in a tick.
const SHOT_SPEED: f32 = 20.0;
/// Farther away than a shot flies, nobody is aimed at.
const RANGE: f32 = 900.0;

/// What the craft does. With a mouse it aims there, without one as it would by itself.
pub(super) fn input(sample: Sample, camera: &Camera, own: Option<Point>, by_itself: Aim) -> Input {
    let (vx, vy) = speed(sample.stick);
    let at_mouse = own.zip(sample.pointer).and_then(|(own, pointer)| towards(own, camera.point(pointer)));
    Input { vx, vy, aim: at_mouse.unwrap_or(by_itself), fire: sample.buttons & FIRE != 0 }
}

/// Where a seat's craft aims by itself: at the nearest opponent, ahead of where that flies; at nobody near, as before.
pub(super) fn aim_by_itself(seat: SeatId, view: &View) -> Aim {
    let before = view.craft.get(seat.index()).map(|craft| craft.input.aim);
    nearest(seat, view).or(before).unwrap_or_default()
}

/// A stick's way as a speed. Pushed all the way into a corner, a stick goes as far as two keys do.
fn speed((x, y): (f32, f32)) -> (i16, i16) {
    let length = x.hypot(y).min(1.0);
    let longer = x.abs().max(y.abs());
    if length < DEAD_ZONE || longer <= 0.0 {
        return (0, 0);
    }
    let full = f32::from(Input::SPEED_MAX) * length / longer;
    ((x * full).round() as i16, (y * full).round() as i16)
}

fn towards(from: Point, to: Point) -> Option<Aim> {
    let (x, y) = (to.x - from.x, to.y - from.y);
    if x.hypot(y) < 1.0 {
        return None;
    }
    let turn = (y.atan2(x) / std::f32::consts::TAU).rem_euclid(1.0);
    Some(Aim::point((turn * f32::from(Aim::POINTS)).round() as u16))
}

/// The angle at which a shot meets the nearest opponent, if it goes on as it does.
fn nearest(seat: SeatId, view: &View) -> Option<Aim> {
    let here = point(view.craft.get(seat.index())?.at);
    let others = view.craft.iter().enumerate().filter(|(at, _)| *at != seat.index());
    let near = |craft: &contract::games::skirmish::Craft| here.distance(point(craft.at));
    let (_, other) = others.min_by(|(_, a), (_, b)| near(a).total_cmp(&near(b)))?;
    let distance = near(other);
    let ticks = distance / SHOT_SPEED;
    let ahead = |at: f32, speed: i16| at + f32::from(speed) / 30.0 * ticks;
    let at = point(other.at);
    let there = Point { x: ahead(at.x, other.input.vx), y: ahead(at.y, other.input.vy) };
    (distance < RANGE).then(|| towards(here, there)).flatten()
}

#[cfg(test)]
mod tests {
    use contract::games::skirmish::{Craft, Spot};

    use super::*;

    #[test]
    fn sticks_become_speeds() {
        assert_eq!(speed((0.1, 0.1)), (0, 0));
        assert_eq!(speed((1.0, 0.0)), (200, 0));
        assert_eq!(speed((-1.0, 1.0)), (-200, 200));
        let slant = std::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(speed((slant, -slant)), (200, -200), "a thumb is as quick as keys");
        assert_eq!(speed((0.5, 0.0)), (100, 0));
    }

    #[test]
    fn a_mouse_aims_and_without_one_the_nearest_is_aimed_at() {
        let craft = |x: u16, y: u16| Craft { at: Spot { x: x * 30, y: y * 30 }, ..Craft::default() };
        let view = View { craft: vec![craft(1000, 1000), craft(1000, 1400), craft(900, 1000)], ..View::default() };
        let mut camera = Camera::default();
        let layout = crate::games::Layout { width: 1000.0, height: 800.0, pixel_ratio: 1.0, ..Default::default() };
        let here = Point { x: 1000.0, y: 1000.0 };
        camera.watch(&layout, Some(here), here, 60_000.0);
        let by_itself = aim_by_itself(SeatId(0), &view);
        let aim = |pointer| input(Sample { pointer, ..Sample::default() }, &camera, Some(here), by_itself).aim;
        assert_eq!(aim(Some((500.0, 700.0))), Aim::point(256));
        assert_eq!(aim(Some((900.0, 400.0))), Aim::point(0));
        assert_eq!(aim(None), Aim::point(512));
    }
}

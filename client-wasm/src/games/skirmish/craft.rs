//! The craft and their shots.

use contract::games::skirmish::{Craft, HP_MAX};
use web_sys::CanvasRenderingContext2d;

use super::{camera::Camera, direction};
use crate::{
    games::paint::{OWN, circle},
    netcode::Point,
};

/// A colour for each craft near it in seat, told apart by lightness as well as by hue.
const COLOURS: [&str; 8] = ["#ff7a59", "#5ab0ff", "#7ee081", "#d99bff", "#ffb347", "#4fd6c9", "#ff8fb1", "#b9c4ff"];

/// The colour of a seat's craft.
pub(super) const fn colour(seat: usize, is_own: bool) -> &'static str {
    if is_own { OWN } else { COLOURS[seat % COLOURS.len()] }
}

/// The outline of a craft that flies towards +x, in units.
const HULL: [(f64, f64); 7] =
    [(24.0, 0.0), (2.0, 8.0), (-8.0, 19.0), (-17.0, 17.0), (-11.0, 0.0), (-17.0, -17.0), (-8.0, -19.0)];

/// Draws a craft with the flame of its engine, and how it does.
pub(super) fn draw(
    context: &CanvasRenderingContext2d,
    camera: &Camera,
    (craft, at): (&Craft, Point),
    colour: &str,
    is_own: bool,
) {
    let (x, y) = camera.place(at);
    let scale = camera.scale.max(0.4);
    if is_own {
        own_marks(context, craft, (x, y), scale);
    }
    context.save();
    let _ = context.translate(x, y);
    flame(context, craft, scale);
    let (dx, dy) = direction(craft.input.aim);
    let _ = context.rotate(f64::from(dy.atan2(dx)));
    let _ = context.scale(scale, scale);
    context.begin_path();
    context.move_to(HULL[0].0, HULL[0].1);
    for (x, y) in &HULL[1..4] {
        context.line_to(*x, *y);
    }
    context.line_to(HULL[4].0, HULL[4].1);
    context.line_to(HULL[5].0, HULL[5].1);
    context.line_to(HULL[6].0, HULL[6].1);
    context.line_to(2.0, -8.0);
    context.close_path();
    context.set_fill_style_str(colour);
    context.fill();
    context.set_line_join("round");
    context.set_line_width(2.0);
    context.set_stroke_style_str("rgba(4, 8, 20, 0.85)");
    context.stroke();
    context.set_fill_style_str("rgba(6, 12, 28, 0.75)");
    circle(context, (2.0, 0.0), 4.6);
    context.fill();
    context.restore();
    if craft.hp < HP_MAX {
        let above = if is_own { 40.0 } else { 29.0 };
        health(context, craft.hp, (x, y - above * scale), scale);
    }
}

/// Around the own craft: a ring that closes as the gun gets ready.
fn own_marks(context: &CanvasRenderingContext2d, craft: &Craft, at: (f64, f64), scale: f64) {
    let ready = 1.0 - f64::from(craft.cooldown) / f64::from(sim::games::skirmish::COOLDOWN_TICKS);
    context.set_line_width(2.0);
    context.set_stroke_style_str("rgba(255, 216, 77, 0.22)");
    circle(context, at, 31.0 * scale);
    context.stroke();
    context.set_stroke_style_str("rgba(255, 216, 77, 0.85)");
    crate::games::paint::arc(context, at, 31.0 * scale, -0.25, -0.25 + ready.clamp(0.0, 1.0));
    context.stroke();
}

/// Behind the way it flies, which is not where it aims.
fn flame(context: &CanvasRenderingContext2d, craft: &Craft, scale: f64) {
    let (vx, vy) = (f64::from(craft.input.vx), f64::from(craft.input.vy));
    let speed = vx.hypot(vy);
    if speed < 20.0 {
        return;
    }
    let (dx, dy) = (-vx / speed, -vy / speed);
    let length = (16.0 + 14.0 * speed / 200.0) * scale;
    context.set_line_cap("round");
    for (width, part, ink) in [(9.0, 1.0, "rgba(255, 150, 60, 0.30)"), (4.5, 0.72, "rgba(255, 226, 150, 0.75)")] {
        context.set_line_width(width * scale);
        context.set_stroke_style_str(ink);
        context.begin_path();
        context.move_to(dx * 8.0 * scale, dy * 8.0 * scale);
        context.line_to(dx * (8.0 * scale + length * part), dy * (8.0 * scale + length * part));
        context.stroke();
    }
}

fn health(context: &CanvasRenderingContext2d, hp: u8, (x, y): (f64, f64), scale: f64) {
    let (width, height) = (40.0 * scale.max(0.75), 5.0);
    let part = f64::from(hp) / f64::from(HP_MAX);
    context.set_fill_style_str("rgba(4, 8, 20, 0.7)");
    context.fill_rect(x - width / 2.0 - 1.0, y - 1.0, width + 2.0, height + 2.0);
    context.set_fill_style_str(if hp > 60 {
        "#6fe08a"
    } else if hp > 30 {
        "#ffcf4d"
    } else {
        "#ff5d4d"
    });
    context.fill_rect(x - width / 2.0, y, width * part, height);
}

/// Draws a shot as a streak.
pub(super) fn draw_shot(context: &CanvasRenderingContext2d, camera: &Camera, at: Point, way: (f32, f32), colour: &str) {
    let (x, y) = camera.place(at);
    let length = 20.0 * camera.scale.max(0.4);
    let (dx, dy) = (f64::from(way.0) * length, f64::from(way.1) * length);
    context.set_line_cap("round");
    for (width, ink, alpha) in [(6.0, colour, 0.35), (2.4, "#ffffff", 0.95)] {
        context.set_global_alpha(alpha);
        context.set_line_width(width * camera.scale.max(0.55));
        context.set_stroke_style_str(ink);
        context.begin_path();
        context.move_to(x - dx, y - dy);
        context.line_to(x, y);
        context.stroke();
    }
    context.set_global_alpha(1.0);
}

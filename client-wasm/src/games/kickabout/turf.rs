//! The pitch: mown grass, lines, goals and nets. Painted once for each size of the screen.

use sim::games::kickabout::Pitch;
use web_sys::{CanvasRenderingContext2d, Document};

use super::{
    camera::Camera,
    paint::{LIGHT, SURROUND, Sprite, TEAM, TURN},
};
use crate::netcode::Point;

/// Grass around the lines that the picture includes, in units: as far as players go.
const BORDER: f64 = 60.0;
/// Width of a mown stripe, in units, about.
const STRIPE: f64 = 80.0;
/// Width of a line, in units.
const LINE: f64 = 3.0;
/// Distance between the threads of a net, in units.
const MESH: f64 = 9.0;
/// A larger picture than this many pixels is painted coarser: memory matters more than the last bit of sharpness.
const PIXELS_MAX: f64 = 9_000_000.0;

/// The painted pitch.
#[derive(Default)]
pub(super) struct Turf {
    sprite: Option<Sprite>,
    painted_for: Option<(f64, bool, f64)>,
}

impl Turf {
    /// Shows the pitch, painting it first if the size has changed.
    pub(super) fn show(
        &mut self,
        context: &CanvasRenderingContext2d,
        document: &Document,
        pitch: &Pitch,
        camera: &Camera,
        pixel_ratio: f64,
    ) {
        let key = Some((camera.scale, camera.upright, pixel_ratio));
        if self.painted_for != key {
            self.sprite = paint(document, pitch, camera, pixel_ratio);
            self.painted_for = key;
        }
        if let Some(sprite) = &self.sprite {
            sprite.show_around(context, camera.place(Point::default()));
        }
    }
}

fn paint(document: &Document, pitch: &Pitch, camera: &Camera, pixel_ratio: f64) -> Option<Sprite> {
    let along = 2.0 * (f64::from(pitch.half_length) + f64::from(pitch.goal_depth).max(BORDER) + 10.0) * camera.scale;
    let across = 2.0 * (f64::from(pitch.half_width) + BORDER) * camera.scale;
    let size = if camera.upright { (across, along) } else { (along, across) };
    let ratio = pixel_ratio.min((PIXELS_MAX / (size.0 * size.1)).sqrt());
    Sprite::paint(document, size, ratio, |context| {
        context.set_fill_style_str(SURROUND);
        context.fill_rect(0.0, 0.0, size.0, size.1);
        let _ = context.translate(size.0 / 2.0, size.1 / 2.0);
        if camera.upright {
            let _ = context.rotate(-TURN / 4.0);
        }
        let _ = context.scale(camera.scale, camera.scale);
        grass(context, pitch);
        goals(context, pitch);
        lines(context, pitch);
    })
}

fn grass(context: &CanvasRenderingContext2d, pitch: &Pitch) {
    let (x, y) = (f64::from(pitch.half_length), f64::from(pitch.half_width));
    context.save();
    outline(context, pitch);
    context.clip();
    let stripes = (2.0 * x / STRIPE / 2.0).round().max(2.0) * 2.0;
    let width = 2.0 * x / stripes;
    for stripe in 0..stripes as u32 {
        context.set_fill_style_str(if stripe % 2 == 0 { "#3f9456" } else { "#469d5d" });
        // A little wider than it is, so that no seam shows.
        context.fill_rect(-x + f64::from(stripe) * width, -y, width + 0.5, 2.0 * y);
    }
    // The light falls on the middle.
    if let Ok(light) = context.create_radial_gradient(0.0, 0.0, y * 0.4, 0.0, 0.0, x * 1.1) {
        let _ = light.add_color_stop(0.0, "rgba(255, 255, 220, 0.07)");
        let _ = light.add_color_stop(1.0, "rgba(0, 20, 10, 0.20)");
        context.set_fill_style_canvas_gradient(&light);
        context.fill_rect(-x, -y, 2.0 * x, 2.0 * y);
    }
    context.restore();
}

/// Begins the boundary with its rounded corners.
fn outline(context: &CanvasRenderingContext2d, pitch: &Pitch) {
    let (x, y, corner) = (f64::from(pitch.half_length), f64::from(pitch.half_width), f64::from(pitch.corner_radius));
    super::paint::round_rect(context, (-x, -y), (2.0 * x, 2.0 * y), corner);
}

fn lines(context: &CanvasRenderingContext2d, pitch: &Pitch) {
    let (x, y) = (f64::from(pitch.half_length), f64::from(pitch.half_width));
    context.set_stroke_style_str("rgba(244, 247, 242, 0.82)");
    context.set_fill_style_str("rgba(244, 247, 242, 0.82)");
    context.set_line_width(LINE);
    outline(context, pitch);
    context.stroke();
    context.begin_path();
    context.move_to(0.0, -y);
    context.line_to(0.0, y);
    context.stroke();
    super::paint::circle(context, (0.0, 0.0), f64::from(pitch.circle_radius));
    context.stroke();
    super::paint::circle(context, (0.0, 0.0), 5.0);
    context.fill();
    // The area in front of each goal is only for the eye: it shows where a keeper belongs.
    let (depth, half) = (x * 0.22, f64::from(pitch.goal_half_width) * 1.6);
    for side in [-1.0, 1.0] {
        context.begin_path();
        context.move_to(side * x, -half);
        context.line_to(side * (x - depth), -half);
        context.line_to(side * (x - depth), half);
        context.line_to(side * x, half);
        context.stroke();
    }
}

fn goals(context: &CanvasRenderingContext2d, pitch: &Pitch) {
    let (x, depth, half) =
        (f64::from(pitch.half_length), f64::from(pitch.goal_depth), f64::from(pitch.goal_half_width));
    for (side, team) in [(-1.0, 0), (1.0, 1)] {
        let left = if side < 0.0 { -x - depth } else { x };
        context.set_fill_style_str("rgba(6, 24, 15, 0.42)");
        context.fill_rect(left, -half, depth, 2.0 * half);
        context.set_stroke_style_str("rgba(244, 247, 242, 0.30)");
        context.set_line_width(1.0);
        context.begin_path();
        for thread in 1..(depth / MESH) as u32 {
            let at = left + f64::from(thread) * MESH;
            context.move_to(at, -half);
            context.line_to(at, half);
        }
        for thread in 1..(2.0 * half / MESH) as u32 {
            let at = -half + f64::from(thread) * MESH;
            context.move_to(left, at);
            context.line_to(left + depth, at);
        }
        context.stroke();
        // The frame of the net, in the colour of the team that defends it.
        context.set_stroke_style_str(TEAM[team]);
        context.set_line_width(4.0);
        context.begin_path();
        context.move_to(side * x, -half);
        context.line_to(side * (x + depth), -half);
        context.line_to(side * (x + depth), half);
        context.line_to(side * x, half);
        context.stroke();
        for post in [-half, half] {
            super::paint::circle(context, (side * x, post), 7.0);
            context.set_fill_style_str(LIGHT);
            context.fill();
            context.set_line_width(2.0);
            context.stroke();
        }
    }
}

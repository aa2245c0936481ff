//! What lies behind everything: the dark, stars, the arena's grid and its edge.

use web_sys::CanvasRenderingContext2d;

use super::{SIDE, camera::Camera};
use crate::{games::Layout, netcode::Point};

/// Beyond the arena.
const OUTSIDE: &str = "#060913";
/// Within it.
const INSIDE: &str = "#0d1426";
/// Units between two lines of the grid.
const GRID: f32 = 250.0;
/// Units between the cells that have a star each.
const STARS: i32 = 170;

/// Draws all of it.
pub(super) fn draw(context: &CanvasRenderingContext2d, camera: &Camera, layout: &Layout) {
    context.set_fill_style_str(OUTSIDE);
    context.fill_rect(0.0, 0.0, layout.width, layout.height);
    let (left, top) = camera.place(Point { x: 0.0, y: 0.0 });
    let (right, bottom) = camera.place(Point { x: SIDE, y: SIDE });
    context.set_fill_style_str(INSIDE);
    context.fill_rect(left, top, right - left, bottom - top);
    let (low, high) = camera.corners(layout);
    draw_stars(context, camera, low, high);
    context.set_line_width(1.0);
    context.set_stroke_style_str("rgba(120, 150, 220, 0.13)");
    context.begin_path();
    let mut at = GRID;
    while at < SIDE {
        let (x, y) = camera.place(Point { x: at, y: at });
        context.move_to(x.round() + 0.5, top);
        context.line_to(x.round() + 0.5, bottom);
        context.move_to(left, y.round() + 0.5);
        context.line_to(right, y.round() + 0.5);
        at += GRID;
    }
    context.stroke();
    for (width, ink) in [(9.0, "rgba(96, 140, 255, 0.16)"), (2.0, "rgba(140, 175, 255, 0.8)")] {
        context.set_line_width(width);
        context.set_stroke_style_str(ink);
        context.stroke_rect(left, top, right - left, bottom - top);
    }
}

/// A star in each cell, at a place that depends on the cell alone.
fn draw_stars(context: &CanvasRenderingContext2d, camera: &Camera, low: Point, high: Point) {
    context.set_fill_style_str("rgba(205, 220, 255, 0.5)");
    let cell = |value: f32| (value.clamp(-400.0, SIDE + 400.0) / STARS as f32).floor() as i32;
    for row in cell(low.y)..=cell(high.y) {
        for column in cell(low.x)..=cell(high.x) {
            let noise = (column.wrapping_mul(374_761_393) ^ row.wrapping_mul(668_265_263)).wrapping_mul(1_274_126_177);
            let part = |shift: u32| ((noise.cast_unsigned() >> shift) & 0xff) as f32 / 255.0;
            let x = (column * STARS) as f32 + part(24) * STARS as f32;
            let y = (row * STARS) as f32 + part(16) * STARS as f32;
            let (x, y) = camera.place(Point { x, y });
            let size = 0.8 + f64::from(part(8)) * 1.3;
            context.fill_rect(x, y, size, size);
        }
    }
}

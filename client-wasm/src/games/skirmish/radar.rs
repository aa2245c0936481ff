//! The whole arena in a corner, for somebody who sees only a part of it.

use web_sys::CanvasRenderingContext2d;

use super::{SIDE, camera::Camera, craft::colour};
use crate::{
    games::{Layout, paint::circle},
    netcode::Point,
};

/// Draws it below the buttons at the top right.
pub(super) fn draw(
    context: &CanvasRenderingContext2d,
    camera: &Camera,
    layout: &Layout,
    bodies: &[Point],
    own: Option<usize>,
) {
    let is_small = layout.width.min(layout.height) < 480.0;
    let size = if is_small { 76.0 } else { 132.0 };
    let top = layout.top + 4.0;
    let left = layout.width - size - 12.0;
    let scale = size / f64::from(SIDE);
    let place = |point: Point| (left + f64::from(point.x) * scale, top + f64::from(point.y) * scale);
    context.set_fill_style_str("rgba(6, 10, 24, 0.72)");
    context.fill_rect(left, top, size, size);
    context.set_line_width(1.0);
    let (low, high) = camera.corners(layout);
    let clamped = |point: Point| Point { x: point.x.clamp(0.0, SIDE), y: point.y.clamp(0.0, SIDE) };
    let ((x, y), (right, bottom)) = (place(clamped(low)), place(clamped(high)));
    context.set_stroke_style_str("rgba(255, 255, 255, 0.28)");
    context.stroke_rect(x, y, right - x, bottom - y);
    context.set_stroke_style_str("rgba(140, 175, 255, 0.55)");
    context.stroke_rect(left, top, size, size);
    for (seat, at) in bodies.iter().enumerate().filter(|(seat, _)| Some(*seat) != own) {
        context.set_fill_style_str(colour(seat, false));
        circle(context, place(*at), 2.2);
        context.fill();
    }
    if let Some(at) = own.and_then(|own| bodies.get(own)) {
        context.set_fill_style_str(colour(0, true));
        circle(context, place(*at), 3.2);
        context.fill();
    }
}

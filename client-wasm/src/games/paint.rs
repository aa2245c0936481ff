//! Colours, and pictures that are painted once and shown often.

use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Document, HtmlCanvasElement};

/// The accent of the page: what concerns the person.
pub(crate) const OWN: &str = "#ffd84d";
/// Lines and light text.
pub(crate) const LIGHT: &str = "#f4f7f2";
/// Dark outlines and text.
pub(crate) const DARK: &str = "#10231b";
/// Dark and see-through, behind light text.
pub(crate) const SHADE: &str = "rgba(9, 24, 18, 0.62)";
/// The font of everything that is written in a picture.
pub(crate) const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/// A full turn.
pub(crate) const TURN: f64 = std::f64::consts::TAU;

/// A picture that was painted once.
pub(crate) struct Sprite {
    canvas: HtmlCanvasElement,
    /// Width in CSS pixels.
    pub(crate) width: f64,
    /// Height in CSS pixels.
    pub(crate) height: f64,
}

impl Sprite {
    /// Paints a picture of a size in CSS pixels. `None` when the browser has no canvas to give.
    pub(crate) fn paint(
        document: &Document,
        (width, height): (f64, f64),
        pixel_ratio: f64,
        painter: impl FnOnce(&CanvasRenderingContext2d),
    ) -> Option<Self> {
        let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_width((width * pixel_ratio).ceil().max(1.0) as u32);
        canvas.set_height((height * pixel_ratio).ceil().max(1.0) as u32);
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        context.scale(pixel_ratio, pixel_ratio).ok()?;
        painter(&context);
        Some(Self { canvas, width, height })
    }

    /// Shows it with its upper left corner at a place.
    pub(crate) fn show(&self, context: &CanvasRenderingContext2d, left: f64, top: f64) {
        // Fails only for a picture of no size, which `paint` does not make.
        let _ =
            context.draw_image_with_html_canvas_element_and_dw_and_dh(&self.canvas, left, top, self.width, self.height);
    }

    /// Shows it with its middle at a place.
    pub(crate) fn show_around(&self, context: &CanvasRenderingContext2d, (x, y): (f64, f64)) {
        self.show(context, x - self.width / 2.0, y - self.height / 2.0);
    }
}

/// Begins a circle.
pub(crate) fn circle(context: &CanvasRenderingContext2d, (x, y): (f64, f64), radius: f64) {
    arc(context, (x, y), radius, 0.0, 1.0);
}

/// Begins an arc, from and to in turns, clockwise from the right.
pub(crate) fn arc(context: &CanvasRenderingContext2d, (x, y): (f64, f64), radius: f64, from: f64, to: f64) {
    context.begin_path();
    // Fails only for a negative radius.
    let _ = context.arc(x, y, radius.max(0.0), from * TURN, to * TURN);
}

/// Begins a rectangle with round corners.
pub(crate) fn round_rect(
    context: &CanvasRenderingContext2d,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    radius: f64,
) {
    let radius = radius.min(width / 2.0).min(height / 2.0);
    context.begin_path();
    context.move_to(x + radius, y);
    for (corner, end) in [
        ((x + width, y), (x + width, y + height)),
        ((x + width, y + height), (x, y + height)),
        ((x, y + height), (x, y)),
        ((x, y), (x + width, y)),
    ] {
        let _ = context.arc_to(corner.0, corner.1, end.0, end.1, radius);
    }
    context.close_path();
}

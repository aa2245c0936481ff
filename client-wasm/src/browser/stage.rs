//! The canvas and how large it is.

use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::CanvasRenderingContext2d;

use super::page::Page;
use crate::games::Layout;

/// Sharper than this, nobody sees it and every frame pays for it.
const PIXEL_RATIO_MAX: f64 = 2.5;
/// Room for thumbs below an upright pitch, in CSS pixels.
const THUMBS: f64 = 168.0;
/// What an empty canvas shows.
const GRASS: &str = "#1f5a3a";
/// A page lower than this has no room to give away.
const LOW: f64 = 460.0;

/// What is drawn on.
pub(super) struct Stage {
    pub(super) context: CanvasRenderingContext2d,
    pub(super) layout: Layout,
}

impl Stage {
    pub(super) fn new(page: &Page) -> Result<Self, JsValue> {
        let options = js_sys::Object::new();
        // The picture covers everything, so the browser need not blend it with what lies behind.
        js_sys::Reflect::set(&options, &"alpha".into(), &false.into())?;
        let context = page
            .canvas
            .get_context_with_context_options("2d", &options)?
            .ok_or("this browser cannot draw")?
            .dyn_into::<CanvasRenderingContext2d>()?;
        let mut stage = Self { context, layout: Layout::default() };
        stage.arrange(page);
        Ok(stage)
    }

    /// Makes the canvas as large as the page, and finds out what covers it.
    pub(super) fn arrange(&mut self, page: &Page) {
        let size = |value: Result<JsValue, JsValue>| value.ok().and_then(|value| value.as_f64()).unwrap_or(0.0);
        let (width, height) = (size(page.window.inner_width()), size(page.window.inner_height()));
        let pixel_ratio = page.window.device_pixel_ratio().clamp(1.0, PIXEL_RATIO_MAX);
        let (wide, high) = ((width * pixel_ratio).round() as u32, (height * pixel_ratio).round() as u32);
        // Setting a size clears the canvas, so only when it has changed.
        if page.canvas.width() != wide || page.canvas.height() != high {
            page.canvas.set_width(wide);
            page.canvas.set_height(high);
            let _ = self.context.reset_transform();
            self.context.set_fill_style_str(GRASS);
            self.context.fill_rect(0.0, 0.0, f64::from(wide), f64::from(high));
        }
        let _ = self.context.set_transform(pixel_ratio, 0.0, 0.0, pixel_ratio, 0.0, 0.0);
        let touch = page.body.get_attribute("data-touch").is_some();
        let playing = page.body.get_attribute("data-seat").is_some_and(|seat| !seat.is_empty());
        let bottom = if !page.panel.hidden() {
            f64::from(page.panel.offset_height()) + if height < LOW { 8.0 } else { 20.0 }
        } else if touch && playing && height > width {
            THUMBS
        } else {
            8.0
        };
        let top = if height < LOW { 42.0 } else { 58.0 };
        let calm = page.matches("(prefers-reduced-motion: reduce)");
        self.layout = Layout { width, height, top, bottom, pixel_ratio, calm };
    }
}

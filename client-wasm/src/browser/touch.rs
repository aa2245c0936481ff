//! The stick under the left thumb.

use web_sys::PointerEvent;

use super::page::Page;
use crate::pad::Pad;

/// Farthest the knob goes from where the thumb landed, in CSS pixels.
const REACH: f64 = 46.0;
/// The part of the page, from the left, where the stick may land.
const LEFT_PART: f64 = 0.55;

/// A stick that appears where the thumb lands and stays with that thumb.
#[derive(Default)]
pub(super) struct Stick {
    thumb: Option<i32>,
    origin: (f64, f64),
}

impl Stick {
    /// A finger lands on the pitch.
    pub(super) fn land(&mut self, page: &Page, pad: &mut Pad, event: &PointerEvent, page_width: f64) {
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        if self.thumb.is_some() || x > page_width * LEFT_PART {
            return;
        }
        self.thumb = Some(event.pointer_id());
        self.origin = (x, y);
        // Keeps the thumb ours when it slides over something else.
        let _ = page.canvas.set_pointer_capture(event.pointer_id());
        self.show(page, Some((0.0, 0.0)));
        pad.push(Some((0.0, 0.0)));
    }

    /// A finger moves.
    pub(super) fn slide(&mut self, page: &Page, pad: &mut Pad, event: &PointerEvent) {
        if self.thumb != Some(event.pointer_id()) {
            return;
        }
        let (mut x, mut y) = (f64::from(event.client_x()) - self.origin.0, f64::from(event.client_y()) - self.origin.1);
        let length = x.hypot(y);
        if length > REACH {
            (x, y) = (x / length * REACH, y / length * REACH);
        }
        self.show(page, Some((x, y)));
        pad.push(Some(((x / REACH) as f32, (y / REACH) as f32)));
    }

    /// A finger leaves.
    pub(super) fn lift(&mut self, page: &Page, pad: &mut Pad, event: &PointerEvent) {
        if self.thumb == Some(event.pointer_id()) {
            self.let_go(page, pad);
        }
    }

    /// Whatever was touched is not any more.
    pub(super) fn let_go(&mut self, page: &Page, pad: &mut Pad) {
        self.thumb = None;
        self.show(page, None);
        pad.push(None);
    }

    fn show(&self, page: &Page, knob: Option<(f64, f64)>) {
        let Some((x, y)) = knob else {
            let _ = page.stick.remove_attribute("data-held");
            let _ = page.stick.remove_attribute("style");
            let _ = page.knob.remove_attribute("style");
            return;
        };
        let place = |x: f64, y: f64| format!("translate({x:.1}px, {y:.1}px)");
        let _ = page.stick.set_attribute("data-held", "");
        let _ = page.stick.style().set_property("transform", &place(self.origin.0, self.origin.1));
        let _ = page.knob.style().set_property("transform", &place(x, y));
    }
}

//! Which part of the arena is shown, and where on the screen: a part around the own craft, or for somebody who watches,
//! the whole of it where that is large enough to tell craft apart.

use super::SIDE;
use crate::{games::Layout, netcode::Point};

/// The shorter side of the free area shows this many units to somebody who plays.
const PLAY_UNITS: f64 = 860.0;
/// Pixels per unit between which that is kept.
const PLAY_SCALES: (f64, f64) = (0.44, 1.0);
/// Smaller than this, craft lie on top of each other.
const WATCH_SCALE_MIN: f64 = 0.25;
/// What is shown beyond the arena's edge, in units.
const BEYOND: f64 = 46.0;
/// After this time the camera has gone 63 % of its way.
const FOLLOW_MS: f64 = 180.0;
/// Farther than this from what it follows the camera jumps, in units: the craft was lost and starts elsewhere.
const JUMP: f64 = 500.0;

/// Maps the arena to the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Camera {
    /// CSS pixels per unit.
    pub(super) scale: f64,
    /// What is in the middle of the free area, in units.
    centre: (f64, f64),
    /// The middle of the free area, in pixels.
    middle: (f64, f64),
    /// Half of the free area, in units.
    sight: (f64, f64),
}

impl Camera {
    /// Fits the arena into a layout and goes after what is to be followed.
    pub(super) fn watch(&mut self, layout: &Layout, own: Option<Point>, otherwise: Point, elapsed_ms: f64) {
        let (width, height) = (layout.width.max(1.0), (layout.height - layout.top - layout.bottom).max(1.0));
        let whole = width.min(height) / (f64::from(SIDE) + 2.0 * BEYOND);
        let play = (width.min(height) / PLAY_UNITS).clamp(PLAY_SCALES.0, PLAY_SCALES.1);
        self.scale = if own.is_some() { play } else { whole.max(WATCH_SCALE_MIN) };
        self.middle = (width / 2.0, layout.top + height / 2.0);
        self.sight = (width / 2.0 / self.scale, height / 2.0 / self.scale);
        let target = own.unwrap_or(otherwise);
        let target = (within(target.x, self.sight.0), within(target.y, self.sight.1));
        let far = (target.0 - self.centre.0).hypot(target.1 - self.centre.1) > JUMP;
        let part = if far { 1.0 } else { 1.0 - (-elapsed_ms.max(0.0) / FOLLOW_MS).exp() };
        self.centre.0 += (target.0 - self.centre.0) * part;
        self.centre.1 += (target.1 - self.centre.1) * part;
    }

    /// Where a place in the arena is on the screen.
    pub(super) fn place(&self, point: Point) -> (f64, f64) {
        let along = |value: f32, centre: f64, middle: f64| middle + (f64::from(value) - centre) * self.scale;
        (along(point.x, self.centre.0, self.middle.0), along(point.y, self.centre.1, self.middle.1))
    }

    /// Where a place on the screen is in the arena.
    pub(super) fn point(&self, (x, y): (f32, f32)) -> Point {
        let along = |value: f32, centre: f64, middle: f64| (centre + (f64::from(value) - middle) / self.scale) as f32;
        Point { x: along(x, self.centre.0, self.middle.0), y: along(y, self.centre.1, self.middle.1) }
    }

    /// The corners of what is seen, in units, with the covered parts of the page.
    pub(super) fn corners(&self, layout: &Layout) -> (Point, Point) {
        (self.point((0.0, 0.0)), self.point((layout.width as f32, layout.height as f32)))
    }
}

/// Keeps the view from looking far beyond the edge; what does not fill it is shown in its middle.
fn within(value: f32, sight: f64) -> f64 {
    let (low, high) = (sight - BEYOND, f64::from(SIDE) + BEYOND - sight);
    if low >= high { f64::from(SIDE) / 2.0 } else { f64::from(value).clamp(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(width: f64, height: f64) -> Layout {
        Layout { width, height, top: 58.0, bottom: 8.0, pixel_ratio: 1.0, calm: false }
    }

    #[test]
    fn the_own_craft_is_always_in_sight() {
        for (width, height) in [(1280.0, 720.0), (390.0, 844.0), (844.0, 390.0), (320.0, 240.0)] {
            for (x, y) in [(0.0, 0.0), (2000.0, 10.0), (1000.0, 1000.0), (3.0, 2000.0)] {
                let (mut camera, layout) = (Camera::default(), layout(width, height));
                let own = Point { x, y };
                camera.watch(&layout, Some(own), Point::default(), 60_000.0);
                let (left, top) = camera.place(own);
                assert!((0.0..=width).contains(&left) && (layout.top..=height).contains(&top), "{own:?}: {left} {top}");
                let back = camera.point((left as f32, top as f32));
                assert!(back.distance(own) < 0.1);
            }
        }
    }

    #[test]
    fn a_desktop_shows_somebody_who_watches_the_whole_arena() {
        let (mut camera, layout) = (Camera::default(), layout(1280.0, 800.0));
        camera.watch(&layout, None, Point::default(), 1000.0);
        for (x, y) in [(0.0, 0.0), (2000.0, 2000.0)] {
            let (left, top) = camera.place(Point { x, y });
            assert!((0.0..=1280.0).contains(&left) && (58.0..=800.0).contains(&top), "{left} {top}");
        }
    }
}

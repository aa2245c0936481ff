//! Which part of the pitch is shown, and where on the screen.
//!
//! The whole pitch, as long as players are large enough to tell apart then; else a part of it that follows the play. On
//! an upright screen the pitch lies upright too, with blue's goal at the top.

use sim::games::kickabout::Pitch;

use crate::{games::Layout, netcode::Point};

/// Grass shown beyond the nets and touchlines, in units.
const SURROUND: f64 = 26.0;
/// Smaller than this many pixels per unit, players cannot be told apart.
const SCALE_MIN: f64 = 0.62;
/// Larger than this, it is only larger.
const SCALE_MAX: f64 = 1.7;
/// A screen this much higher than wide shows the pitch upright, whatever covers it.
const UPRIGHT_RATIO: f64 = 1.05;
/// Part of the way from the own player to the ball where the camera looks.
const BALL_SHARE: f32 = 0.5;
/// The own player stays this far within sight, in units.
const SIGHT_MARGIN: f64 = 70.0;
/// After this time the camera has gone 63 % of its way.
const FOLLOW_MS: f64 = 260.0;

/// Maps the pitch to the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Camera {
    /// CSS pixels per unit.
    pub(super) scale: f64,
    /// Whether the pitch is turned by a quarter, +x upwards.
    pub(super) upright: bool,
    /// What is in the middle of the free area, in units.
    centre: Point,
    /// The middle of the free area, in pixels.
    middle: (f64, f64),
    /// How far the centre may be from the pitch's, in units, along and across.
    play: (f64, f64),
    /// Half of what is seen, in units, along and across.
    sight: (f64, f64),
}

impl Camera {
    /// Fits a pitch into a layout, keeping the centre.
    pub(super) fn fit(&mut self, pitch: &Pitch, layout: &Layout) {
        let (width, height) = (layout.width.max(1.0), (layout.height - layout.top - layout.bottom).max(1.0));
        let along = 2.0 * (f64::from(pitch.half_length + pitch.goal_depth) + SURROUND);
        let across = 2.0 * (f64::from(pitch.half_width) + SURROUND);
        self.upright = layout.height > width * UPRIGHT_RATIO;
        let (free_along, free_across) = if self.upright { (height, width) } else { (width, height) };
        let whole = (free_along / along).min(free_across / across);
        // When all of it would be too small, the narrow way still fits as long as that is not too large either.
        self.scale = if whole >= SCALE_MIN { whole } else { (free_across / across).clamp(SCALE_MIN, 1.0) };
        self.scale = self.scale.min(SCALE_MAX);
        self.middle = (width / 2.0, layout.top + height / 2.0);
        let play = |size: f64, free: f64| ((size - free / self.scale) / 2.0).max(0.0);
        self.play = (play(along, free_along), play(across, free_across));
        self.sight = (free_along / self.scale / 2.0, free_across / self.scale / 2.0);
        self.centre = self.within(self.centre);
    }

    /// Looks at the ball, or at both the ball and the own player, who never leaves the picture.
    pub(super) fn watch(&mut self, own: Option<Point>, ball: Point, elapsed_ms: f64) {
        let target = own.map_or(ball, |own| {
            let axis = |own: f32, ball: f32, sight: f64| {
                let reach = (sight - SIGHT_MARGIN).max(0.0) as f32;
                (own + (ball - own) * BALL_SHARE).clamp(own - reach, own + reach)
            };
            Point { x: axis(own.x, ball.x, self.sight.0), y: axis(own.y, ball.y, self.sight.1) }
        });
        self.follow(target, elapsed_ms);
    }

    /// Whether a place on the pitch is in the picture, at least `margin` pixels from its edges; else the place on
    /// the edge nearest to it.
    pub(super) fn edge(&self, point: Point, margin: f64) -> Result<(), (f64, f64)> {
        let (x, y) = self.place(point);
        let (half_width, half_height) =
            if self.upright { (self.sight.1, self.sight.0) } else { (self.sight.0, self.sight.1) };
        let clamp = |value: f64, middle: f64, half: f64| {
            let reach = (half * self.scale - margin).max(0.0);
            value.clamp(middle - reach, middle + reach)
        };
        let nearest = (clamp(x, self.middle.0, half_width), clamp(y, self.middle.1, half_height));
        if nearest == (x, y) { Ok(()) } else { Err(nearest) }
    }

    /// Lets the camera go after something for a while.
    fn follow(&mut self, target: Point, elapsed_ms: f64) {
        let target = self.within(target);
        let part = (1.0 - (-elapsed_ms.max(0.0) / FOLLOW_MS).exp()) as f32;
        self.centre.x += (target.x - self.centre.x) * part;
        self.centre.y += (target.y - self.centre.y) * part;
    }

    /// Where a place on the pitch is on the screen.
    #[must_use]
    pub(super) fn place(&self, point: Point) -> (f64, f64) {
        let (x, y) = self.turn((f64::from(point.x - self.centre.x), f64::from(point.y - self.centre.y)));
        (self.middle.0 + x * self.scale, self.middle.1 + y * self.scale)
    }

    /// A direction on the pitch, as it looks on the screen.
    #[must_use]
    pub(super) fn turn(&self, (x, y): (f64, f64)) -> (f64, f64) {
        if self.upright { (y, -x) } else { (x, y) }
    }

    /// A direction on the screen, as it is on the pitch.
    #[must_use]
    pub(super) fn turn_back(&self, (x, y): (f32, f32)) -> (f32, f32) {
        if self.upright { (-y, x) } else { (x, y) }
    }

    fn within(&self, point: Point) -> Point {
        let limit = |value: f32, play: f64| f64::from(value).clamp(-play, play) as f32;
        Point { x: limit(point.x, self.play.0), y: limit(point.y, self.play.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(width: f64, height: f64) -> (Camera, Layout) {
        let layout = Layout { width, height, top: 48.0, bottom: 70.0, pixel_ratio: 1.0, calm: false };
        let mut camera = Camera::default();
        camera.fit(&Pitch::new(3), &layout);
        (camera, layout)
    }

    #[test]
    fn a_desktop_shows_the_whole_pitch() {
        for team_size in 1..=6 {
            let pitch = Pitch::new(team_size);
            let (mut camera, layout) = camera(1280.0, 720.0);
            camera.fit(&pitch, &layout);
            camera.follow(Point { x: 900.0, y: 900.0 }, 10_000.0);
            for (x, y) in [(-1.0, -1.0), (1.0, 1.0)] {
                let corner = Point { x: x * (pitch.half_length + pitch.goal_depth), y: y * pitch.half_width };
                let (left, top) = camera.place(corner);
                assert!((0.0..=1280.0).contains(&left), "{team_size}: {left}");
                assert!((48.0..=650.0).contains(&top), "{team_size}: {top}");
            }
        }
    }

    #[test]
    fn small_screens_keep_players_readable_and_the_followed_in_sight() {
        for (width, height) in [(320.0, 568.0), (390.0, 844.0), (844.0, 390.0), (568.0, 320.0)] {
            let (mut camera, layout) = camera(width, height);
            assert!(camera.scale >= SCALE_MIN);
            assert_eq!(camera.upright, height > width);
            for point in [Point { x: 500.0, y: 200.0 }, Point { x: -500.0, y: -230.0 }, Point::default()] {
                camera.follow(point, 60_000.0);
                let (left, top) = camera.place(point);
                assert!((0.0..=width).contains(&left) && (layout.top..=height - layout.bottom).contains(&top));
            }
        }
    }

    #[test]
    fn turning_there_and_back_is_nothing() {
        for (width, height) in [(320.0, 568.0), (844.0, 390.0)] {
            let (camera, _) = camera(width, height);
            let (x, y) = camera.turn((0.25, -0.5));
            assert_eq!(camera.turn_back((x as f32, y as f32)), (0.25, -0.5));
        }
    }
}

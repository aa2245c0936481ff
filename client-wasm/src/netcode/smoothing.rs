//! Hiding corrections from the eye: the picture glides to where the world says a body is. The world itself never does.

/// A place in units of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Downwards.
    pub y: f32,
}

impl Point {
    /// Distance to another place.
    #[must_use]
    pub fn distance(self, other: Self) -> f32 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// After this time 5 % of an error are left to see. Long enough that few corrections look like more than a lean, short
/// enough that a player who was pushed sees it while it matters.
const BLEND_MS: f64 = 150.0;
/// Errors below this many units are forgotten.
const INVISIBLE_UNITS: f32 = 0.05;

/// For each body, how far the picture still is from the truth.
#[derive(Clone, Debug, Default)]
pub struct Smoothing {
    offsets: Vec<Point>,
    /// How far the picture of each body jumped since the last fade, in units.
    jumped: Vec<f32>,
    /// How far each body's picture was moved in the last fade without the body having moved, in units.
    moved: Vec<f32>,
}

impl Smoothing {
    /// The truth has moved from under the picture: bodies were shown at `shown` and are at `bodies` now. Errors of more
    /// than `jump` units are shown at once instead of as a long slide.
    pub fn absorb(&mut self, shown: &[Point], bodies: &[Point], jump: f32) {
        self.offsets.clear();
        self.jumped.resize(bodies.len(), 0.0);
        self.moved.resize(bodies.len(), 0.0);
        for (index, body) in bodies.iter().enumerate() {
            let from = shown.get(index).copied().unwrap_or(*body);
            let offset = Point { x: from.x - body.x, y: from.y - body.y };
            let far = from.distance(*body) > jump;
            if far {
                self.jumped[index] = from.distance(*body);
            }
            self.offsets.push(if far { Point::default() } else { offset });
        }
    }

    /// Lets the errors fade for a while.
    pub fn fade(&mut self, elapsed_ms: f64) {
        // e^-3 is 5 %.
        let kept = (-3.0 * elapsed_ms.max(0.0) / BLEND_MS).exp() as f32;
        for ((offset, jumped), moved) in self.offsets.iter_mut().zip(&mut self.jumped).zip(&mut self.moved) {
            let before = *offset;
            offset.x *= kept;
            offset.y *= kept;
            if offset.distance(Point::default()) < INVISIBLE_UNITS {
                *offset = Point::default();
            }
            *moved = before.distance(*offset) + std::mem::take(jumped);
        }
    }

    /// Everything is shown where it is.
    pub fn forget(&mut self) {
        self.offsets.clear();
        self.moved.fill(0.0);
        self.jumped.fill(0.0);
    }

    /// How far the last fade moved a body's picture without the body having moved, in units: what an eye may see of
    /// corrections.
    #[must_use]
    pub fn moved(&self, body: usize) -> f32 {
        self.moved.get(body).copied().unwrap_or_default()
    }

    /// The farthest that the last fade moved any body's picture without the body having moved, in units.
    #[must_use]
    pub fn moved_most(&self) -> f32 {
        self.moved.iter().copied().fold(0.0, f32::max)
    }

    /// Moves bodies to where they are to be shown.
    pub fn apply(&self, bodies: &mut [Point]) {
        for (body, offset) in bodies.iter_mut().zip(&self.offsets) {
            body.x += offset.x;
            body.y += offset.y;
        }
    }

    /// The largest error that is being hidden, in units.
    #[must_use]
    pub fn largest(&self) -> f32 {
        self.offsets.iter().map(|offset| offset.distance(Point::default())).fold(0.0, f32::max)
    }
}

/// Moves each of `bodies` the way from `before` to itself that `fraction` (0 to 1) says; bodies that were placed anew
/// stay where they are.
pub fn blend(before: &[Point], bodies: &mut [Point], fraction: f32, jump: f32) {
    for (from, to) in before.iter().zip(bodies) {
        if from.distance(*to) <= jump {
            to.x = from.x + (to.x - from.x) * fraction;
            to.y = from.y + (to.y - from.y) * fraction;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JUMP: f32 = 80.0;

    fn at(x: f32, y: f32) -> Point {
        Point { x, y }
    }

    #[test]
    fn a_correction_is_not_seen_at_first_and_gone_soon() {
        let mut smoothing = Smoothing::default();
        let truth = [at(10.0, 0.0), at(0.0, 5.0)];
        smoothing.absorb(&[at(18.0, -6.0), at(0.0, 5.0)], &truth, JUMP);
        let mut drawn = truth;
        smoothing.apply(&mut drawn);
        assert_eq!(drawn, [at(18.0, -6.0), at(0.0, 5.0)]);
        assert_eq!(smoothing.moved_most(), 0.0, "nothing has faded yet");

        let mut last = smoothing.largest();
        assert!((last - 10.0).abs() < 1e-3);
        for _ in 0..18 {
            smoothing.fade(1000.0 / 60.0);
            assert!(smoothing.largest() <= last, "an error never grows by itself");
            assert!((smoothing.moved_most() - (last - smoothing.largest())).abs() < 1e-3, "what has faded was seen");
            last = smoothing.largest();
        }
        assert_eq!(last, 0.0);
    }

    #[test]
    fn ten_frames_or_one_fade_equally() {
        let mut often = Smoothing::default();
        often.absorb(&[at(10.0, 0.0)], &[at(0.0, 0.0)], JUMP);
        let mut once = often.clone();
        (0..10).for_each(|_| often.fade(5.0));
        once.fade(50.0);
        assert!((often.largest() - once.largest()).abs() < 1e-3);
    }

    #[test]
    fn a_jump_is_shown_at_once() {
        let mut smoothing = Smoothing::default();
        smoothing.absorb(&[at(500.0, 0.0)], &[at(0.0, 0.0)], JUMP);
        assert_eq!(smoothing.largest(), 0.0);

        let mut bodies = [at(500.0, 0.0), at(10.0, 0.0)];
        blend(&[at(0.0, 0.0), at(0.0, 0.0)], &mut bodies, 0.5, JUMP);
        assert_eq!(bodies, [at(500.0, 0.0), at(5.0, 0.0)]);
    }

    #[test]
    fn errors_stay_bounded_however_often_the_truth_moves() {
        let mut smoothing = Smoothing::default();
        let mut shown = [at(0.0, 0.0)];
        for n in 0..1000_u16 {
            let truth = [at(if n.is_multiple_of(2) { 30.0 } else { -30.0 }, 0.0)];
            smoothing.absorb(&shown, &truth, JUMP);
            smoothing.fade(16.0);
            shown = truth;
            smoothing.apply(&mut shown);
            assert!(shown[0].x.abs() <= 30.0);
        }
    }
}

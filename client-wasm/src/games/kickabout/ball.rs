//! The ball, rolling, and the trail behind it.

use sim::games::kickabout::BALL_RADIUS;
use web_sys::CanvasRenderingContext2d;

use super::{
    camera::Camera,
    paint::{DARK, circle},
};
use crate::netcode::Point;

/// Places kept for the trail.
const TRAIL: usize = 16;
/// The trail is laid this often, in milliseconds.
const TRAIL_MS: f64 = 16.0;
/// Slower than this many units between two places of the trail, there is none.
const TRAIL_STEP_MIN: f32 = 2.2;
/// A step larger than this is not one: the ball was placed.
const STEP_MAX: f32 = 60.0;

/// The dark spots of the ball, on a sphere: the corners of an icosahedron.
const SPOTS: [[f32; 3]; 12] = {
    const A: f32 = 0.525_731_1;
    const B: f32 = 0.850_650_8;
    [
        [0.0, A, B],
        [0.0, A, -B],
        [0.0, -A, B],
        [0.0, -A, -B],
        [A, B, 0.0],
        [A, -B, 0.0],
        [-A, B, 0.0],
        [-A, -B, 0.0],
        [B, 0.0, A],
        [B, 0.0, -A],
        [-B, 0.0, A],
        [-B, 0.0, -A],
    ]
};

/// The ball's looks, which have a memory: how it lies and where it was.
pub(super) struct Ball {
    spots: [[f32; 3]; 12],
    at: Option<Point>,
    trail: [Point; TRAIL],
    trail_length: usize,
    owed_ms: f64,
}

impl Default for Ball {
    fn default() -> Self {
        Self { spots: SPOTS, at: None, trail: [Point::default(); TRAIL], trail_length: 0, owed_ms: 0.0 }
    }
}

impl Ball {
    /// The ball is here now.
    pub(super) fn moved(&mut self, to: Point, elapsed_ms: f64) {
        let from = self.at.replace(to).unwrap_or(to);
        let step = from.distance(to);
        if step > STEP_MAX {
            self.trail_length = 0;
            return;
        }
        self.roll(to.x - from.x, to.y - from.y);
        self.owed_ms = (self.owed_ms + elapsed_ms).min(TRAIL_MS * TRAIL as f64);
        while self.owed_ms >= TRAIL_MS {
            self.owed_ms -= TRAIL_MS;
            self.trail.copy_within(..TRAIL - 1, 1);
            self.trail[0] = to;
            self.trail_length = (self.trail_length + 1).min(TRAIL);
        }
    }

    fn roll(&mut self, dx: f32, dy: f32) {
        let distance = dx.hypot(dy);
        if distance < 1e-3 {
            return;
        }
        let (sine, cosine) = (distance / BALL_RADIUS).sin_cos();
        let (ux, uy) = (dx / distance, dy / distance);
        for spot in &mut self.spots {
            // Along the way and upwards turn into each other; across the way stays.
            let along = spot[0] * ux + spot[1] * uy;
            let across = spot[1] * ux - spot[0] * uy;
            let turned = along * cosine + spot[2] * sine;
            spot[2] = spot[2] * cosine - along * sine;
            spot[0] = turned * ux - across * uy;
            spot[1] = turned * uy + across * ux;
        }
    }

    /// Draws the trail, which lies below the players.
    pub(super) fn draw_trail(&self, context: &CanvasRenderingContext2d, camera: &Camera) {
        let radius = f64::from(BALL_RADIUS) * camera.scale;
        context.set_line_cap("round");
        context.set_stroke_style_str("#fffbe6");
        for (age, pair) in self.trail[..self.trail_length].windows(2).enumerate() {
            if pair[0].distance(pair[1]) < TRAIL_STEP_MIN {
                continue;
            }
            let left = 1.0 - age as f64 / TRAIL as f64;
            context.set_global_alpha(0.34 * left * left);
            context.set_line_width(radius * 1.7 * left);
            let (from, to) = (camera.place(pair[0]), camera.place(pair[1]));
            context.begin_path();
            context.move_to(from.0, from.1);
            context.line_to(to.0, to.1);
            context.stroke();
        }
        context.set_global_alpha(1.0);
    }

    /// Draws the ball.
    pub(super) fn draw(&self, context: &CanvasRenderingContext2d, camera: &Camera) {
        let Some(at) = self.at else { return };
        let radius = f64::from(BALL_RADIUS) * camera.scale;
        let (x, y) = camera.place(at);
        context.set_fill_style_str("rgba(0, 20, 10, 0.30)");
        circle(context, (x + radius * 0.25, y + radius * 0.4), radius);
        context.fill();
        context.set_fill_style_str("#ffffff");
        circle(context, (x, y), radius);
        context.fill();
        context.set_fill_style_str("#26332d");
        for spot in self.spots.iter().filter(|spot| spot[2] > 0.12) {
            let (sx, sy) = camera.turn((f64::from(spot[0]), f64::from(spot[1])));
            // Towards its edge the sphere turns away and spots get narrow.
            let height = f64::from(spot[2]);
            let inner = 0.84 * radius;
            context.begin_path();
            let _ = context.ellipse(
                x + sx * inner,
                y + sy * inner,
                radius * 0.26 * (0.35 + 0.65 * height),
                radius * 0.26,
                sy.atan2(sx),
                0.0,
                super::paint::TURN,
            );
            context.fill();
        }
        context.set_stroke_style_str(DARK);
        context.set_line_width((radius * 0.16).max(1.2));
        circle(context, (x, y), radius);
        context.stroke();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_turn_of_the_ball_brings_its_spots_back() {
        let mut ball = Ball::default();
        ball.moved(Point::default(), 16.0);
        let turn = BALL_RADIUS * std::f32::consts::TAU;
        for step in 1..=64_u8 {
            let part = f32::from(step) / 64.0 * turn;
            ball.moved(Point { x: part * 0.6, y: part * 0.8 }, 16.0);
        }
        for (spot, start) in ball.spots.iter().zip(SPOTS) {
            for axis in 0..3 {
                assert!((spot[axis] - start[axis]).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn a_placed_ball_leaves_no_trail() {
        let mut ball = Ball::default();
        for x in 0..30_u8 {
            ball.moved(Point { x: f32::from(x) * 5.0, y: 0.0 }, 16.0);
        }
        assert!(ball.trail_length > 10);
        ball.moved(Point { x: -400.0, y: 0.0 }, 16.0);
        assert_eq!(ball.trail_length, 0);
    }
}

//! People at the keys: they change direction several times a second, mostly for the ball, sprint, and kick near it.

use client_wasm::netcode::Point;
use contract::games::kickabout::{Direction, Input};

use super::noise::Noise;

/// Somebody near the ball may kick it.
const NEAR_UNITS: f32 = 60.0;

/// One person.
pub(crate) struct Person {
    noise: Noise,
    held: Input,
    turns_ms: f64,
    kicks_until_ms: f64,
    kicks_again_ms: f64,
}

impl Person {
    pub(crate) fn new(seed: u32) -> Self {
        let noise = Noise::new(seed);
        Self { noise, held: Input::default(), turns_ms: 0.0, kicks_until_ms: 0.0, kicks_again_ms: 0.0 }
    }

    /// What the person does now, from what is to be seen on the page.
    pub(crate) fn act(&mut self, now_ms: f64, own: Point, ball: Point) -> Input {
        if now_ms >= self.turns_ms {
            self.turns_ms = now_ms + self.noise.between(100.0, 600.0);
            self.held.direction = self.wanted(own, ball);
            self.held.sprint = self.noise.part() < 0.35;
        }
        if own.distance(ball) < NEAR_UNITS && now_ms >= self.kicks_again_ms {
            self.kicks_until_ms = now_ms + self.noise.between(40.0, 400.0);
            self.kicks_again_ms = self.kicks_until_ms + self.noise.between(200.0, 900.0);
            self.held.pass = self.noise.part() < 0.25;
        }
        let busy = now_ms < self.kicks_until_ms;
        Input { kick: busy && !self.held.pass, pass: busy && self.held.pass, ..self.held }
    }

    fn wanted(&mut self, own: Point, ball: Point) -> Direction {
        let choice = self.noise.part();
        if choice < 0.05 {
            return Direction::NONE;
        }
        if choice < 0.35 {
            return Direction::point(self.noise.between(0.0, 64.0) as u8);
        }
        let turn = f64::from((ball.y - own.y).atan2(ball.x - own.x)) / std::f64::consts::TAU;
        // Nobody aims perfectly.
        let point = (turn * 64.0 + self.noise.between(-3.0, 3.0)).round() as i64;
        Direction::point(point.rem_euclid(64) as u8)
    }
}

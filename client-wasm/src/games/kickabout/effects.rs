//! What flashes and falls: rings where the ball was struck, confetti and a glow after a goal.

use web_sys::CanvasRenderingContext2d;

use super::{
    camera::Camera,
    paint::{LIGHT, OWN, TEAM, TRIM, circle},
};
use crate::{games::Layout, netcode::Point};

const RINGS: usize = 8;
const RING_MS: f64 = 240.0;
const CONFETTI: usize = 110;
const CONFETTI_MS: f64 = 2_600.0;
const GLOW_MS: f64 = 700.0;
/// Confetti falls this much faster each millisecond, in pixels per millisecond.
const GRAVITY: f64 = 0.000_55;

#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    at: Point,
    strength: f64,
    age_ms: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Scrap {
    at: (f64, f64),
    speed: (f64, f64),
    turn: f64,
    colour: usize,
}

/// Everything that passes by itself.
pub(super) struct Effects {
    rings: [Ring; RINGS],
    next_ring: usize,
    confetti: [Scrap; CONFETTI],
    /// Since the last goal.
    goal_ms: f64,
    team: usize,
    noise: u32,
}

impl Default for Effects {
    fn default() -> Self {
        Self {
            rings: [Ring { age_ms: RING_MS, ..Ring::default() }; RINGS],
            next_ring: 0,
            confetti: [Scrap::default(); CONFETTI],
            goal_ms: f64::INFINITY,
            team: 0,
            noise: 0x9e37_79b9,
        }
    }
}

impl Effects {
    /// The ball was struck here, this hard (0 to 1).
    pub(super) fn strike(&mut self, at: Point, strength: f32) {
        self.rings[self.next_ring] = Ring { at, strength: f64::from(strength), age_ms: 0.0 };
        self.next_ring = (self.next_ring + 1) % RINGS;
    }

    /// This team has scored, in the goal around this place of the screen.
    pub(super) fn goal(&mut self, team: u8, at: (f64, f64), layout: &Layout) {
        self.goal_ms = 0.0;
        self.team = usize::from(team).min(1);
        let reach = layout.width.min(layout.height) / 1000.0;
        for index in 0..CONFETTI {
            let speed = (self.chance() - 0.5, -0.25 - self.chance());
            let start = (at.0 + (self.chance() - 0.5) * 60.0, at.1 + (self.chance() - 0.5) * 60.0);
            self.confetti[index] = Scrap {
                at: start,
                speed: (speed.0 * reach * 0.9, speed.1 * reach * 0.75),
                turn: self.chance(),
                colour: index % 4,
            };
        }
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, elapsed_ms: f64) {
        for ring in &mut self.rings {
            ring.age_ms += elapsed_ms;
        }
        self.goal_ms += elapsed_ms;
        if self.goal_ms < CONFETTI_MS {
            for scrap in &mut self.confetti {
                scrap.speed.1 += GRAVITY * elapsed_ms;
                scrap.speed.0 *= 1.0 - 0.0012 * elapsed_ms.min(100.0);
                scrap.speed.1 = scrap.speed.1.min(0.16);
                scrap.at.0 += scrap.speed.0 * elapsed_ms;
                scrap.at.1 += scrap.speed.1 * elapsed_ms;
                scrap.turn += 0.0016 * elapsed_ms;
            }
        }
    }

    /// Draws what lies on the pitch.
    pub(super) fn draw_below(&self, context: &CanvasRenderingContext2d, camera: &Camera) {
        context.set_stroke_style_str(LIGHT);
        for ring in self.rings.iter().filter(|ring| ring.age_ms < RING_MS) {
            let part = ring.age_ms / RING_MS;
            context.set_global_alpha((1.0 - part) * (0.35 + 0.5 * ring.strength));
            context.set_line_width((1.0 - part) * 4.0 * camera.scale + 0.5);
            circle(context, camera.place(ring.at), (12.0 + 26.0 * part * (0.5 + ring.strength)) * camera.scale);
            context.stroke();
        }
        context.set_global_alpha(1.0);
    }

    /// Draws what is in the air.
    pub(super) fn draw_above(&self, context: &CanvasRenderingContext2d, layout: &Layout) {
        if layout.calm || self.goal_ms >= CONFETTI_MS {
            return;
        }
        if self.goal_ms < GLOW_MS {
            context.set_global_alpha(0.16 * (1.0 - self.goal_ms / GLOW_MS));
            context.set_fill_style_str(TEAM[self.team]);
            context.fill_rect(0.0, 0.0, layout.width, layout.height);
        }
        let colours = [TEAM[self.team], TRIM[self.team], LIGHT, OWN];
        context.set_global_alpha((1.0 - self.goal_ms / CONFETTI_MS).sqrt());
        for (colour, name) in colours.iter().enumerate() {
            context.set_fill_style_str(name);
            for scrap in self.confetti.iter().filter(|scrap| scrap.colour == colour) {
                // Scraps flutter: they show more or less of their face.
                let height = 7.0 * (scrap.turn * super::paint::TURN).sin().abs() + 1.0;
                context.fill_rect(scrap.at.0, scrap.at.1, 5.0, height);
            }
        }
        context.set_global_alpha(1.0);
    }

    /// A number from 0 to 1. Only for looks, so any will do.
    fn chance(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 17;
        self.noise ^= self.noise << 5;
        f64::from(self.noise) / f64::from(u32::MAX)
    }
}

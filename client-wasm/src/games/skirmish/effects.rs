//! What flashes: hits, craft that burst, craft that start again, and a red rim when the own one is hit.

use web_sys::CanvasRenderingContext2d;

use super::camera::Camera;
use crate::{
    games::{
        Layout,
        paint::{TURN, circle},
    },
    netcode::Point,
};

/// Most flashes at a time; older ones give way.
const FLASHES_MAX: usize = 48;
const HURT_MS: f64 = 420.0;
/// Fragments of a craft that bursts.
const FRAGMENTS: u32 = 14;

/// What a flash is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flash {
    /// A hit.
    Spark,
    /// A craft is lost.
    Burst,
    /// A craft starts again.
    Start,
}

impl Flash {
    const fn lasts_ms(self) -> f64 {
        match self {
            Self::Spark => 260.0,
            Self::Burst => 750.0,
            Self::Start => 900.0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Lit {
    flash: Flash,
    at: Point,
    colour: &'static str,
    age_ms: f64,
}

/// Everything that passes by itself.
#[derive(Debug)]
pub(super) struct Effects {
    lit: [Option<Lit>; FLASHES_MAX],
    next: usize,
    hurt_ms: f64,
}

impl Default for Effects {
    fn default() -> Self {
        Self { lit: [None; FLASHES_MAX], next: 0, hurt_ms: f64::INFINITY }
    }
}

impl Effects {
    /// Something flashes here.
    pub(super) fn light(&mut self, flash: Flash, at: Point, colour: &'static str) {
        self.lit[self.next] = Some(Lit { flash, at, colour, age_ms: 0.0 });
        self.next = (self.next + 1) % FLASHES_MAX;
    }

    /// The own craft was hit.
    pub(super) fn hurt(&mut self) {
        self.hurt_ms = 0.0;
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, elapsed_ms: f64) {
        self.hurt_ms += elapsed_ms;
        for slot in &mut self.lit {
            if let Some(lit) = slot {
                lit.age_ms += elapsed_ms;
                if lit.age_ms > lit.flash.lasts_ms() {
                    *slot = None;
                }
            }
        }
    }

    /// Draws what is in the arena.
    pub(super) fn draw(&self, context: &CanvasRenderingContext2d, camera: &Camera) {
        for lit in self.lit.iter().flatten() {
            let part = (lit.age_ms / lit.flash.lasts_ms()).clamp(0.0, 1.0);
            let at = camera.place(lit.at);
            match lit.flash {
                Flash::Spark => ring(context, at, (8.0 + 22.0 * part) * camera.scale, 3.0, "#ffffff", 1.0 - part),
                Flash::Burst => burst(context, at, camera.scale, lit.colour, part),
                Flash::Start => {
                    for delay in [0.0, 0.25] {
                        let part = ((part - delay) / (1.0 - delay)).clamp(0.0, 1.0);
                        ring(context, at, (70.0 - 48.0 * part) * camera.scale, 2.5, lit.colour, 1.0 - part);
                    }
                }
            }
        }
        context.set_global_alpha(1.0);
    }

    /// Draws the rim of the screen.
    pub(super) fn draw_rim(&self, context: &CanvasRenderingContext2d, layout: &Layout) {
        if layout.calm || self.hurt_ms >= HURT_MS {
            return;
        }
        context.set_global_alpha(0.5 * (1.0 - self.hurt_ms / HURT_MS));
        context.set_stroke_style_str("#ff3b30");
        context.set_line_width(14.0);
        context.stroke_rect(0.0, 0.0, layout.width, layout.height);
        context.set_global_alpha(1.0);
    }
}

fn ring(context: &CanvasRenderingContext2d, at: (f64, f64), radius: f64, width: f64, ink: &str, alpha: f64) {
    context.set_global_alpha(alpha.clamp(0.0, 1.0));
    context.set_stroke_style_str(ink);
    context.set_line_width(width);
    circle(context, at, radius);
    context.stroke();
}

fn burst(context: &CanvasRenderingContext2d, (x, y): (f64, f64), scale: f64, colour: &str, part: f64) {
    ring(context, (x, y), (14.0 + 74.0 * part.sqrt()) * scale, 5.0 * (1.0 - part) + 0.5, colour, 1.0 - part);
    context.set_global_alpha((1.0 - 2.5 * part).clamp(0.0, 0.9));
    context.set_fill_style_str("#fff4d6");
    circle(context, (x, y), (26.0 - 10.0 * part) * scale);
    context.fill();
    context.set_global_alpha(1.0 - part);
    context.set_fill_style_str(colour);
    for fragment in 0..FRAGMENTS {
        // Any spread will do, as long as it is the same from frame to frame.
        let spread = f64::from(fragment * 7 % 5) / 5.0;
        let angle = f64::from(fragment) / f64::from(FRAGMENTS) * TURN + spread;
        let reach = (20.0 + (50.0 + 50.0 * spread) * part.sqrt()) * scale;
        let size = (5.0 - 3.0 * part) * scale.max(0.5);
        context.fill_rect(x + angle.cos() * reach - size / 2.0, y + angle.sin() * reach - size / 2.0, size, size);
    }
}

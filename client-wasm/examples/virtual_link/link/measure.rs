//! What counts.

use client_wasm::netcode::{self, Point};
use contract::{SeatId, Tick};
use sim::games::kickabout::{BALL_RADIUS, PLAYER_RADIUS};

use super::server::Truth;

/// A correction of more units than this in one frame is one that can be seen.
const VISIBLE_UNITS: f32 = 2.0;
/// Bodies that come this near touch each other, or may do so by the next frame.
const TOUCH_UNITS: f32 = 3.0;
/// A touch may be the reason of a correction for so many ticks.
const REASON_TICKS: i32 = 40;

/// One frame of a page.
pub(crate) struct Seen {
    /// The tick shown, and how far the picture is into it from the one before.
    pub(crate) tick: Tick,
    pub(crate) fraction: f32,
    /// By how much the own player's picture was moved to hide an error.
    pub(crate) corrected: f32,
    /// Whether the own player touches somebody, or the ball, in the picture.
    pub(crate) touches: bool,
    /// How far the page is ahead of what it hears, in ticks.
    pub(crate) lead_ticks: f64,
    pub(crate) ball: Point,
    pub(crate) interpolated: Point,
    pub(crate) extrapolated: Point,
}

/// Everything a page has shown.
pub(crate) struct Tally {
    seat: SeatId,
    pub(crate) seen: Vec<Seen>,
    pub(crate) given: u32,
    pub(crate) shown_at_once: u32,
    pub(crate) ball_corrections: Vec<f32>,
    pub(crate) extrapolated_corrections: Vec<f32>,
}

/// Frames of a kind, and those with a visible correction of the own player.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) of: u32,
    pub(crate) count: u32,
}

impl Share {
    pub(crate) fn percent(self) -> f64 {
        100.0 * f64::from(self.count) / f64::from(self.of.max(1))
    }

    fn add(&mut self, other: Self) {
        self.of += other.of;
        self.count += other.count;
    }
}

/// How a match went for those who played.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Inputs that were in the picture of the frame they were given in.
    pub(crate) at_once: Share,
    /// Frames with a visible correction of the own player.
    pub(crate) apart: Share,
    /// The same while the own player touches others or the ball, or has just done so.
    pub(crate) in_contact: Share,
    /// The same around goals and kick-offs, where everybody is placed anew.
    pub(crate) restarts: Share,
    /// Inputs that came too late.
    pub(crate) late: Share,
    /// Views that were predicted to the last bit.
    pub(crate) exact: Share,
    /// Views that differ although everybody did what was predicted.
    pub(crate) wrong: u32,
    pub(crate) snapped: u32,
    pub(crate) jumps: u32,
    pub(crate) resyncs: u32,
    /// By how much a new view moves the ball, in units.
    pub(crate) ball_corrections: Vec<f32>,
    pub(crate) extrapolated_corrections: Vec<f32>,
    /// How far the ball is shown from where it truly is at the moment the own player is shown in, in units.
    pub(crate) ball_errors: Vec<f32>,
    pub(crate) interpolated_errors: Vec<f32>,
    pub(crate) extrapolated_errors: Vec<f32>,
    pub(crate) lead_ticks: f64,
    pub(crate) down_per_second: f64,
    pub(crate) up_per_second: f64,
    pub(crate) people: u32,
}

/// Whether a player touches another one or the ball.
pub(crate) fn touches(bodies: &[Point], seat: SeatId) -> bool {
    let Some(own) = bodies.get(seat.index() + 1) else { return false };
    let near = |(index, body): (usize, &Point)| {
        let reach = PLAYER_RADIUS + if index == 0 { BALL_RADIUS } else { PLAYER_RADIUS };
        index != seat.index() + 1 && own.distance(*body) < reach + TOUCH_UNITS
    };
    bodies.iter().enumerate().any(near)
}

impl Tally {
    pub(crate) fn new(seat: SeatId) -> Self {
        Self {
            seat,
            seen: Vec::new(),
            given: 0,
            shown_at_once: 0,
            ball_corrections: Vec::new(),
            extrapolated_corrections: Vec::new(),
        }
    }

    /// Compares what was shown with what was.
    pub(crate) fn figures(self, history: &[Truth], link: netcode::Figures, rates: (f64, f64)) -> Figures {
        let mut figures = Figures {
            at_once: Share { of: self.given, count: self.shown_at_once },
            exact: Share { of: link.exact + link.mispredicted + link.snapped + link.wrong, count: link.exact },
            wrong: link.wrong,
            snapped: link.snapped,
            jumps: link.jumps,
            resyncs: link.resyncs,
            ball_corrections: self.ball_corrections,
            extrapolated_corrections: self.extrapolated_corrections,
            lead_ticks: self.seen.iter().map(|seen| seen.lead_ticks).sum::<f64>() / self.seen.len().max(1) as f64,
            down_per_second: rates.0,
            up_per_second: rates.1,
            people: 1,
            ..Figures::default()
        };
        let first = history.first().map_or_else(Tick::default, |truth| truth.tick);
        let at = |tick: Tick| usize::try_from(tick.since(first)).ok().and_then(|index| history.get(index));
        let mut touched = Tick(0);
        let mut restarted = Tick(0);
        for seen in &self.seen {
            let (Some(before), Some(truth)) = (at(Tick(seen.tick.0.wrapping_sub(1))), at(seen.tick)) else { continue };
            if seen.touches || touches(&truth.bodies, self.seat) {
                touched = seen.tick;
            }
            if before.phase != truth.phase {
                restarted = seen.tick;
            }
            let kind = if seen.tick.since(restarted) < REASON_TICKS {
                &mut figures.restarts
            } else if seen.tick.since(touched) < REASON_TICKS {
                &mut figures.in_contact
            } else {
                &mut figures.apart
            };
            kind.of += 1;
            kind.count += u32::from(seen.corrected > VISIBLE_UNITS);
            let (from, to) = (before.bodies[0], truth.bodies[0]);
            let ball =
                Point { x: from.x + (to.x - from.x) * seen.fraction, y: from.y + (to.y - from.y) * seen.fraction };
            figures.ball_errors.push(ball.distance(seen.ball));
            figures.interpolated_errors.push(ball.distance(seen.interpolated));
            figures.extrapolated_errors.push(ball.distance(seen.extrapolated));
        }
        figures
    }
}

impl Figures {
    /// Adds one person's figures.
    pub(crate) fn add(&mut self, one: Self, late: u32, inputs: u32) {
        for (sum, part) in [
            (&mut self.at_once, one.at_once),
            (&mut self.apart, one.apart),
            (&mut self.in_contact, one.in_contact),
            (&mut self.restarts, one.restarts),
            (&mut self.exact, one.exact),
            (&mut self.late, Share { of: inputs, count: late }),
        ] {
            sum.add(part);
        }
        for (sum, part) in [
            (&mut self.wrong, one.wrong),
            (&mut self.snapped, one.snapped),
            (&mut self.jumps, one.jumps),
            (&mut self.resyncs, one.resyncs),
        ] {
            *sum += part;
        }
        self.ball_corrections.extend(one.ball_corrections);
        self.extrapolated_corrections.extend(one.extrapolated_corrections);
        self.ball_errors.extend(one.ball_errors);
        self.interpolated_errors.extend(one.interpolated_errors);
        self.extrapolated_errors.extend(one.extrapolated_errors);
        let people = f64::from(self.people);
        let mean = |sum: f64, part: f64| (sum * people + part) / (people + 1.0);
        self.lead_ticks = mean(self.lead_ticks, one.lead_ticks);
        self.down_per_second = mean(self.down_per_second, one.down_per_second);
        self.up_per_second = mean(self.up_per_second, one.up_per_second);
        self.people += 1;
    }
}

/// The value that this part (0 to 1) of all values does not exceed.
pub(crate) fn percentile(values: &[f32], part: f64) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let index = ((sorted.len().saturating_sub(1)) as f64 * part).round() as usize;
    sorted.get(index).copied().unwrap_or_default()
}

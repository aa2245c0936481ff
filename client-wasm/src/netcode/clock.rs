//! Which tick is due on this page.
//!
//! ```text
//!            heard                            position
//!   ---------|--------------------------------|-------> ticks
//!            newest tick that can have        the tick this page plays: its input for that tick reaches the
//!            arrived by now                   server just before the server runs it
//!            <------------ lead ------------->
//! ```
//!
//! The server says how early inputs arrive ([`Pace`]) and the lead follows that; the page's clock runs a few percent
//! faster or slower until it is where it should be, and jumps only past a bound.

use contract::{Pace, Tick};

use super::Lead;

/// The lead itself changes at most at this speed, in ticks per tick: slower than the clock can follow.
const LEAD_CHANGE: f64 = 0.04;
/// Largest deviation from the true speed.
const NUDGE_MAX: f64 = 0.05;
/// Deviation per tick of error.
const NUDGE_PER_TICK: f64 = 0.05;
/// An error of more than this many ticks is jumped over.
const JUMP_TICKS: f64 = 6.0;
/// A longer time between two moments means that the page slept.
const SLEEP_MS: f64 = 500.0;
/// A snapshot that comes this many ticks after its time counts as a sign that the server's clock stands elsewhere.
const ASTRAY_TICKS: f64 = 20.0;
/// So many such signs in a row are believed.
const ASTRAY_SIGNS: u32 = 12;

/// The page's clock, in ticks.
#[derive(Clone, Debug)]
pub struct Clock {
    ticks_per_ms: f64,
    /// Where all positions below are counted from.
    base: Tick,
    heard: f64,
    position: f64,
    /// What the lead is to be, and what it is on the way there.
    wanted: Lead,
    lead: f64,
    last_ms: f64,
    astray: u32,
    rtt_ms: f64,
    margin: Option<i16>,
    jumps: u32,
}

impl Clock {
    /// A clock for a server that has just told of its newest tick.
    #[must_use]
    pub fn new(ticks_per_second: u16, newest: Tick, now_ms: f64) -> Self {
        let wanted = Lead::default();
        Self {
            ticks_per_ms: f64::from(ticks_per_second.max(1)) / 1000.0,
            base: newest,
            heard: 0.0,
            position: wanted.ticks(),
            lead: wanted.ticks(),
            wanted,
            last_ms: now_ms,
            astray: 0,
            rtt_ms: 0.0,
            margin: None,
            jumps: 0,
        }
    }

    /// Begins anew at the server's newest tick: what was known is of no use any more.
    pub fn restart(&mut self, newest: Tick, now_ms: f64) {
        self.heard = f64::from(newest.since(self.base));
        self.position = self.heard + self.lead;
        self.last_ms = now_ms;
        self.astray = 0;
        self.jumps += 1;
    }

    /// Lets time pass until a frame. Returns whether the clock jumped.
    pub fn advance(&mut self, now_ms: f64) -> bool {
        // A monotonic clock that steps back is a bug of the platform; time then simply stands still for us.
        let elapsed_ms = (now_ms - self.last_ms).max(0.0);
        self.last_ms = now_ms;
        let elapsed = elapsed_ms * self.ticks_per_ms;
        self.heard += elapsed;
        let change = elapsed * LEAD_CHANGE;
        self.lead += (self.wanted.ticks() - self.lead).clamp(-change, change);
        let error = self.heard + self.lead - (self.position + elapsed);
        if elapsed_ms > SLEEP_MS || error.abs() > JUMP_TICKS {
            self.position = self.heard + self.lead;
            self.jumps += 1;
            return true;
        }
        let nudge = (error * NUDGE_PER_TICK).clamp(-NUDGE_MAX, NUDGE_MAX);
        self.position += elapsed * (1.0 + nudge);
        false
    }

    /// A view of this tick arrived, at a moment that may lie a little before or after the last frame's.
    pub fn heard(&mut self, tick: Tick, now_ms: f64) {
        let expected = self.heard + (now_ms - self.last_ms) * self.ticks_per_ms;
        let early = f64::from(tick.since(self.base)) - expected;
        if early >= 0.0 {
            // Nothing travels faster than it can: the quickest message tells the time best.
            self.heard += if early > JUMP_TICKS { early } else { early * 0.5 };
            self.astray = 0;
            return;
        }
        // Late ones were held up on the way, and only a lasting delay moves the clock.
        self.heard += early.max(-ASTRAY_TICKS) * 0.01;
        self.astray = if early < -ASTRAY_TICKS { self.astray + 1 } else { 0 };
        if self.astray >= ASTRAY_SIGNS {
            self.heard += early;
            self.astray = 0;
        }
    }

    /// The server left out so many ticks' worth of time.
    pub fn stalled(&mut self, ticks: u32) {
        self.heard -= f64::from(ticks);
    }

    /// A round trip took so long.
    pub fn round_trip(&mut self, rtt_ms: f64) {
        let known = self.rtt_ms > 0.0;
        self.rtt_ms = if known { self.rtt_ms + (rtt_ms - self.rtt_ms) * 0.2 } else { rtt_ms };
    }

    /// This page plays from now on: starts with the lead the round trip suggests, until the server knows better.
    pub fn seated(&mut self) {
        self.wanted = Lead::for_round_trip(self.rtt_ms * self.ticks_per_ms);
        self.lead = self.wanted.ticks();
        self.margin = None;
    }

    /// The server tells how early inputs arrive.
    pub fn paced(&mut self, pace: Pace) {
        self.margin = Some(pace.margin_ticks);
        self.wanted.report(self.lead_ticks() - f64::from(pace.margin_ticks));
    }

    /// The tick this page is in.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.at(self.position)
    }

    /// How far this page is into the tick after [`Clock::tick`], from 0 to 1.
    #[must_use]
    pub fn fraction(&self) -> f32 {
        (self.position - self.position.floor()) as f32
    }

    /// The newest tick that can have arrived by now, and how far on it is.
    #[must_use]
    pub fn arrived(&self) -> (Tick, f64) {
        (self.at(self.heard), self.heard - self.heard.floor())
    }

    /// Ticks this page is ahead of what it hears.
    #[must_use]
    pub fn lead_ticks(&self) -> f64 {
        self.position - self.heard
    }

    /// The last reported margin, in ticks.
    #[must_use]
    pub fn margin_ticks(&self) -> Option<i16> {
        self.margin
    }

    /// Round trip in milliseconds; 0 before it was measured.
    #[must_use]
    pub fn rtt_ms(&self) -> f64 {
        self.rtt_ms
    }

    /// How often the clock jumped.
    #[must_use]
    pub fn jumps(&self) -> u32 {
        self.jumps
    }

    fn at(&self, position: f64) -> Tick {
        // Positions are within 2^31 of the base for a year; the cast cuts off the fraction.
        Tick(self.base.0.wrapping_add((position.floor() as i64) as u32))
    }
}

#[cfg(test)]
mod tests;

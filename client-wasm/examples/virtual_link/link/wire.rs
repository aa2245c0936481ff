//! One way of a link: like TCP, it keeps the order, and what is held up holds up what comes after it.

use std::collections::VecDeque;

use super::{Conditions, noise::Noise};

/// How long nothing gets through when a packet was lost and is sent again.
const STALL_MS: f64 = 200.0;

/// Frames under way.
pub(crate) struct Wire {
    conditions: Conditions,
    noise: Noise,
    queue: VecDeque<(f64, Vec<u8>)>,
    stall_from_ms: f64,
    /// Payload of everything sent.
    pub(crate) bytes: usize,
}

impl Wire {
    pub(crate) fn new(conditions: Conditions, seed: u32) -> Self {
        let mut wire =
            Self { conditions, noise: Noise::new(seed), queue: VecDeque::new(), stall_from_ms: f64::MAX, bytes: 0 };
        wire.plan_stall(0.0);
        wire
    }

    pub(crate) fn send(&mut self, now_ms: f64, frame: Vec<u8>) {
        self.bytes += frame.len();
        let jitter_ms = self.noise.between(-0.5, 0.5) * self.conditions.jitter_ms;
        let mut at_ms = now_ms + self.conditions.rtt_ms / 2.0 + jitter_ms;
        while at_ms >= self.stall_from_ms + STALL_MS {
            self.plan_stall(self.stall_from_ms + STALL_MS);
        }
        if at_ms >= self.stall_from_ms {
            at_ms = self.stall_from_ms + STALL_MS;
        }
        let last_ms = self.queue.back().map_or(0.0, |(at_ms, _)| *at_ms);
        self.queue.push_back((at_ms.max(last_ms), frame));
    }

    pub(crate) fn arrived(&mut self, now_ms: f64) -> Option<Vec<u8>> {
        self.queue.pop_front_if(|(at_ms, _)| *at_ms <= now_ms).map(|(_, frame)| frame)
    }

    /// Stalls come at any time, and so often that they fill their part of it.
    fn plan_stall(&mut self, after_ms: f64) {
        let part = self.conditions.stalled;
        let mean_ms = if part > 0.0 { STALL_MS * (1.0 - part) / part } else { f64::MAX };
        self.stall_from_ms = after_ms - self.noise.part().max(1e-9).ln() * mean_ms;
    }
}

//! How much may be said to the Room, and when to be quiet.

use std::collections::VecDeque;

/// The window that the host counts in, in milliseconds.
const WINDOW_MS: f64 = 1_000.0;
/// First pause after the host has said that it was too much, in milliseconds.
const FIRST_PAUSE_MS: f64 = 1_000.0;
/// Longest pause, in milliseconds.
const LONGEST_PAUSE_MS: f64 = 16_000.0;

/// Lets a bounded number of messages through in any second, and fewer when the host complains.
#[derive(Debug)]
pub struct Rate {
    per_second: usize,
    sent_ms: VecDeque<f64>,
    complaints: i32,
    quiet_until_ms: f64,
}

impl Rate {
    /// For so many messages a second. Stay below what the host allows: its clock is not ours.
    #[must_use]
    pub fn new(per_second: usize) -> Self {
        Self { per_second, sent_ms: VecDeque::with_capacity(per_second), complaints: 0, quiet_until_ms: 0.0 }
    }

    /// Whether a message may be sent now; it is counted then.
    pub fn take(&mut self, now_ms: f64) -> bool {
        while self.sent_ms.front().is_some_and(|sent_ms| now_ms - sent_ms >= WINDOW_MS) {
            self.sent_ms.pop_front();
        }
        let is_free = now_ms >= self.quiet_until_ms && self.sent_ms.len() < self.per_second;
        if is_free {
            self.sent_ms.push_back(now_ms);
        }
        is_free
    }

    /// The host has not sent something because it was too much, or because it could not.
    pub fn refused(&mut self, now_ms: f64) {
        // Of messages that were sent together, the first complaint is enough.
        if now_ms < self.quiet_until_ms {
            return;
        }
        let pause_ms = (FIRST_PAUSE_MS * 2_f64.powi(self.complaints.min(8))).min(LONGEST_PAUSE_MS);
        self.complaints += 1;
        self.quiet_until_ms = now_ms + pause_ms;
    }

    /// The host has sent something.
    pub const fn accepted(&mut self) {
        self.complaints = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_window_of_a_second_holds_more_than_allowed() {
        let mut rate = Rate::new(8);
        let sent: Vec<f64> = (0..4_000).map(f64::from).filter(|now_ms| rate.take(*now_ms)).collect();
        assert_eq!(sent.len(), 32);
        for (at, first) in sent.iter().enumerate() {
            let within = sent[at..].iter().filter(|sent_ms| *sent_ms - first < 1_000.0).count();
            assert!(within <= 8, "{within} from {first} on");
        }
    }

    #[test]
    fn complaints_make_for_longer_and_longer_pauses_to_a_bound() {
        let mut rate = Rate::new(8);
        let mut now_ms = 0.0;
        let mut pauses = Vec::new();
        for _ in 0..7 {
            rate.refused(now_ms);
            let asked_ms = now_ms;
            while !rate.take(now_ms) {
                now_ms += 100.0;
            }
            pauses.push(now_ms - asked_ms);
        }
        assert_eq!(pauses, [1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0, 16_000.0, 16_000.0]);
        rate.accepted();
        for _ in 0..5 {
            rate.refused(now_ms);
        }
        assert!(rate.take(now_ms + 1_000.0));
    }
}

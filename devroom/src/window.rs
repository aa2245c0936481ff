//! Rate limits over a sliding window: a sample counts while it is strictly newer than `now` minus the window.

use std::collections::VecDeque;

/// Admits a number of messages, and of bytes, per window.
#[derive(Debug)]
pub struct SlidingWindow {
    window_ms: u64,
    count_max: usize,
    bytes_max: usize,
    samples: VecDeque<(u64, usize)>,
    bytes: usize,
}

impl SlidingWindow {
    /// A window of `window_ms` that admits `count_max` messages of together `bytes_max` bytes.
    #[must_use]
    pub const fn new(window_ms: u64, count_max: usize, bytes_max: usize) -> Self {
        Self { window_ms, count_max, bytes_max, samples: VecDeque::new(), bytes: 0 }
    }

    /// Whether one more message of this size fits at this time. What does not fit is not counted.
    pub fn admit(&mut self, now_ms: u64, bytes: usize) -> bool {
        let fits = self.fits(now_ms, bytes);
        if fits {
            self.samples.push_back((now_ms, bytes));
            self.bytes += bytes;
        }
        fits
    }

    /// Whether [`admit`](Self::admit) would say yes.
    pub fn fits(&mut self, now_ms: u64, bytes: usize) -> bool {
        while let Some((at, old)) = self.samples.front()
            && at + self.window_ms <= now_ms
        {
            self.bytes -= old;
            self.samples.pop_front();
        }
        self.samples.len() < self.count_max && self.bytes + bytes <= self.bytes_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b19_the_21st_in_a_second_fails_and_passes_1001_ms_later() {
        let mut window = SlidingWindow::new(1_000, 20, usize::MAX);
        for _ in 0..20 {
            assert!(window.admit(5_000, 1));
        }
        assert!(!window.admit(5_000, 1));
        assert!(!window.admit(5_999, 1));
        assert!(window.admit(6_001, 1));
    }

    #[test]
    fn bytes_count_too_and_a_refused_message_counts_nothing() {
        let mut window = SlidingWindow::new(1_000, 10, 100);
        assert!(window.admit(0, 60));
        assert!(!window.admit(0, 41));
        assert!(window.admit(0, 40));
        assert!(window.admit(1_000, 100));
    }
}

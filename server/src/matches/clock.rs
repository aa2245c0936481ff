//! When ticks are due.

use std::time::{Duration, Instant};

/// Most ticks run in one go when some are owed. More would make a stall longer for everybody who shares the thread.
pub(crate) const TICKS_PER_WAKE_MAX: u64 = 3;

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// Gives tick n the deadline `start + n × period`, computed from n so that no error adds up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickClock {
    start: Instant,
    ticks_per_second: u16,
    /// Deadlines that are used up, by a tick or by leaving it out.
    passed: u64,
}

/// What is to be done at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Ticks to run now.
    pub(crate) ticks: u64,
    /// Ticks' worth of time that is left out for good.
    pub(crate) skipped: u64,
}

impl TickClock {
    /// A clock whose first tick is due at `start`.
    pub(crate) const fn new(start: Instant, ticks_per_second: u16) -> Self {
        Self { start, ticks_per_second, passed: 0 }
    }

    /// When the next tick is due.
    pub(crate) fn deadline(&self) -> Instant {
        let nanos = u128::from(self.passed) * NANOS_PER_SECOND / u128::from(self.ticks_per_second);
        self.start + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// What is due, at most [`TICKS_PER_WAKE_MAX`] ticks; older ones are left out here and now.
    pub(crate) fn due(&mut self, now: Instant) -> Due {
        let Some(elapsed) = now.checked_duration_since(self.start) else { return Due { ticks: 0, skipped: 0 } };
        let reached = elapsed.as_nanos() * u128::from(self.ticks_per_second) / NANOS_PER_SECOND + 1;
        let mut owed = u64::try_from(reached).unwrap_or(u64::MAX).saturating_sub(self.passed);
        // The division above rounds down, and so does the one in `deadline`: a tick can be due a nanosecond early there.
        if owed == 0 && now >= self.deadline() {
            owed = 1;
        }
        let skipped = owed.saturating_sub(TICKS_PER_WAKE_MAX);
        self.passed += skipped;
        Due { ticks: owed - skipped, skipped }
    }

    /// Uses up the next deadline.
    pub(crate) const fn pass(&mut self) {
        self.passed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a clock over virtual time; `wake` gives the moment the thread really wakes for a deadline.
    fn run(start: Instant, seconds: u64, mut wake: impl FnMut(Instant) -> Instant) -> (u64, u64, u64) {
        let end = start + Duration::from_secs(seconds);
        let mut clock = TickClock::new(start, 60);
        let (mut ticks, mut skipped, mut most) = (0, 0, 0);
        loop {
            let now = wake(clock.deadline());
            if now >= end {
                return (ticks, skipped, most);
            }
            let due = clock.due(now);
            assert!(due.ticks > 0, "a wake at a deadline has something to do");
            for _ in 0..due.ticks {
                clock.pass();
            }
            ticks += due.ticks;
            skipped += due.skipped;
            most = most.max(due.ticks);
        }
    }

    #[test]
    fn an_hour_of_ticks_ends_within_one_tick_of_the_ideal() {
        let mut noise = 1_u64;
        let (ticks, skipped, _) = run(Instant::now(), 3600, |deadline| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            deadline + Duration::from_micros(noise >> 33 & 0x3fff) // up to 16 ms late
        });
        assert!(ticks.abs_diff(3600 * 60) <= 1, "{ticks}");
        assert_eq!(skipped, 0);
    }

    #[test]
    fn after_a_stall_three_ticks_are_caught_up_and_the_rest_is_counted() {
        let start = Instant::now();
        let (ticks, skipped, most) = run(start, 2, |deadline| {
            // Between 0.5 s and 1 s nothing runs.
            let at = deadline.duration_since(start).as_millis();
            if (500..1000).contains(&at) { start + Duration::from_secs(1) } else { deadline }
        });
        assert_eq!(most, TICKS_PER_WAKE_MAX);
        // The tick due at the stall's end is one of the three.
        assert_eq!((ticks, skipped), (120 - 28, 28));
    }

    #[test]
    fn nothing_is_due_before_its_time() {
        let start = Instant::now() + Duration::from_secs(1);
        let mut clock = TickClock::new(start, 60);
        assert_eq!(clock.due(start - Duration::from_nanos(1)), Due { ticks: 0, skipped: 0 });
        assert_eq!(clock.due(start), Due { ticks: 1, skipped: 0 });
        clock.pass();
        assert_eq!(clock.due(start), Due { ticks: 0, skipped: 0 });
    }
}

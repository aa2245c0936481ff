//! How often one socket is shown snapshots: every one of them, or every second or fourth while it cannot keep up.
//!
//! A snapshot that still waits when the next one is due says that the link, or the page, is too slow. Sending less often
//! leaves it room; what it gets covers the ticks in between, so only the picture is a little older.

use contract::{Cadence, Tick};

/// No socket is shown fewer snapshots a second than this for being slow.
const PER_SECOND_MIN: u32 = 15;

/// Snapshots within a second that find the one before unsent: then there are half as many.
const UNSENT_MAX: u32 = 3;

/// Seconds in a row without such a snapshot: then there are twice as many again.
const CALM_SECONDS: u32 = 4;

/// The rate of one socket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// It is shown one snapshot out of so many: 1, 2 or 4.
    every: u32,
    /// Since when it is judged.
    since: Option<Tick>,
    unsent: u32,
    calm_seconds: u32,
}

/// A change of rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    Slower,
    Faster,
}

impl Rate {
    pub(super) const FULL: Self = Self { every: 1, since: None, unsent: 0, calm_seconds: 0 };

    /// Whether the socket is shown the snapshot of this tick.
    pub(super) const fn is_due(&self, tick: Tick, cadence: Cadence) -> bool {
        cadence.number(tick).is_multiple_of(self.every as u64)
    }

    /// Judges the socket by whether the snapshot before still waits, when one is due.
    pub(super) fn judge(&mut self, tick: Tick, is_unsent: bool, cadence: Cadence) -> Option<Shift> {
        let since = *self.since.get_or_insert(tick);
        self.unsent += u32::from(is_unsent);
        if self.unsent >= UNSENT_MAX {
            *self = Self { since: Some(tick), unsent: 0, calm_seconds: 0, ..*self };
            let slower = u32::from(cadence.snapshots_per_second()) / (self.every * 2);
            return (slower >= PER_SECOND_MIN).then(|| self.shift(Shift::Slower));
        }
        if i64::from(tick.since(since)) < i64::from(cadence.ticks_per_second()) {
            return None;
        }
        self.calm_seconds = if self.unsent == 0 { self.calm_seconds + 1 } else { 0 };
        (self.since, self.unsent) = (Some(tick), 0);
        (self.calm_seconds >= CALM_SECONDS && self.every > 1).then(|| self.shift(Shift::Faster))
    }

    fn shift(&mut self, shift: Shift) -> Shift {
        self.calm_seconds = 0;
        self.every = if shift == Shift::Slower { self.every * 2 } else { self.every / 2 };
        shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A socket on a link that takes so many snapshots a second, in virtual time.
    struct Link {
        rate: Rate,
        cadence: Cadence,
        tick: Tick,
        waits: bool,
        /// Part of a snapshot the link could have taken, in snapshots.
        credit: f64,
    }

    impl Link {
        fn new(snapshots_per_second: u16) -> Self {
            let cadence = Cadence::new(60, snapshots_per_second);
            // Begins so that the counter wraps on the way.
            Self { rate: Rate::FULL, cadence, tick: Tick(u32::MAX - 500), waits: false, credit: 0.0 }
        }

        /// Lets seconds go by on a link of this capacity; how many snapshots were shown in the last of them.
        fn run(&mut self, seconds: u32, per_second: f64) -> u32 {
            let mut shown = 0;
            for _ in 0..seconds {
                shown = 0;
                for _ in 0..60 {
                    self.tick = self.tick.next();
                    self.credit = (self.credit + per_second / 60.0).min(1.0);
                    if self.waits && self.credit >= 1.0 {
                        (self.waits, self.credit) = (false, 0.0);
                    }
                    let is_snapshot = self.cadence.is_snapshot(self.tick);
                    if is_snapshot && self.rate.is_due(self.tick, self.cadence) {
                        self.rate.judge(self.tick, self.waits, self.cadence);
                        self.waits = true;
                        shown += 1;
                    }
                }
            }
            shown
        }
    }

    #[test]
    fn a_link_too_slow_for_every_snapshot_gets_half_of_them_and_half_again() {
        let mut link = Link::new(60);
        assert_eq!(link.run(10, 1000.0), 60);
        assert_eq!(link.run(3, 35.0), 30);
        let mut link = Link::new(60);
        assert_eq!(link.run(3, 16.0), 15);
        let mut link = Link::new(30);
        assert_eq!(link.run(3, 16.0), 15);
    }

    #[test]
    fn nobody_gets_fewer_than_fifteen_a_second() {
        for (snapshots_per_second, least) in [(60, 15), (45, 23), (40, 20), (30, 15), (20, 20), (15, 15), (10, 10)] {
            assert_eq!(Link::new(snapshots_per_second).run(30, 0.5), least, "of {snapshots_per_second} a second");
        }
    }

    #[test]
    fn a_link_that_is_quick_again_gets_all_of_them_within_ten_seconds() {
        let mut link = Link::new(60);
        assert_eq!(link.run(30, 5.0), 15);
        assert_eq!(link.run(10, 1000.0), 60);
    }

    #[test]
    fn a_stumble_now_and_then_changes_nothing() {
        let mut link = Link::new(60);
        for _ in 0..20 {
            assert_eq!(link.run(1, 1000.0), 60);
            link.waits = true;
            link.credit = 0.0;
            assert_eq!(link.rate.every, 1);
        }
    }

    #[test]
    fn the_rate_is_not_changed_back_and_forth_all_the_time() {
        let mut link = Link::new(60);
        let (mut shifts, mut before) = (0, 1);
        for _ in 0..600 {
            // Too slow for all of them, quick enough for half.
            link.run(1, 40.0);
            shifts += u32::from(link.rate.every != before);
            before = link.rate.every;
        }
        assert!(shifts <= 600 / CALM_SECONDS, "{shifts}");
    }
}

//! Which ticks are told to sockets.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use crate::Tick;

/// The pace of a match and of its snapshots, which are sent on whole ticks and as evenly as those allow: 20 a second of
/// 30 ticks come on two ticks of three. The ticks are those at which a line of that slope steps up
/// (J. E. Bresenham, "Algorithm for computer control of a digital plotter", 1965).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cadence {
    ticks_per_second: NonZeroU16,
    snapshots_per_second: NonZeroU16,
}

impl Cadence {
    /// So many ticks and snapshots a second. 0 counts as 1, and more snapshots than ticks are one on every tick.
    #[must_use]
    pub const fn new(ticks_per_second: u16, snapshots_per_second: u16) -> Self {
        let ticks = NonZeroU16::MIN.saturating_add(ticks_per_second.saturating_sub(1));
        let snapshots = NonZeroU16::MIN.saturating_add(snapshots_per_second.saturating_sub(1));
        let snapshots_per_second = if snapshots.get() > ticks.get() { ticks } else { snapshots };
        Self { ticks_per_second: ticks, snapshots_per_second }
    }

    /// Ticks per second, at least 1.
    #[must_use]
    pub const fn ticks_per_second(self) -> u16 {
        self.ticks_per_second.get()
    }

    /// Snapshots per second, at least 1.
    #[must_use]
    pub const fn snapshots_per_second(self) -> u16 {
        self.snapshots_per_second.get()
    }

    /// Whether a snapshot is sent on this tick.
    #[must_use]
    pub const fn is_snapshot(self, tick: Tick) -> bool {
        let (ticks, snapshots) = (self.ticks_per_second() as u64, self.snapshots_per_second() as u64);
        tick.0 as u64 * snapshots % ticks < snapshots
    }

    /// The number of the newest snapshot at this tick: each one's is one higher than that of the one before.
    #[must_use]
    pub const fn number(self, tick: Tick) -> u64 {
        tick.0 as u64 * self.snapshots_per_second() as u64 / self.ticks_per_second() as u64
    }

    /// The most ticks from one snapshot to the next.
    #[must_use]
    pub const fn ticks_apart_max(self) -> u16 {
        self.ticks_per_second().div_ceil(self.snapshots_per_second())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Cadence> {
        let pairs = (1..=120).flat_map(|ticks| (1..=130).map(move |snapshots| (ticks, snapshots)));
        pairs.map(|(ticks, snapshots)| Cadence::new(ticks, snapshots))
    }

    #[test]
    fn every_second_has_as_many_snapshots_as_were_asked_for_evenly_spread() {
        for cadence in all() {
            let second = u32::from(cadence.ticks_per_second());
            let ticks: Vec<u32> = (7 * second..8 * second).filter(|tick| cadence.is_snapshot(Tick(*tick))).collect();
            assert_eq!(ticks.len(), usize::from(cadence.snapshots_per_second()), "{cadence:?}");
            let apart = ticks.windows(2).map(|pair| pair[1] - pair[0]);
            let max = u32::from(cadence.ticks_apart_max());
            assert!(apart.clone().all(|apart| (max - 1..=max).contains(&apart)), "{cadence:?}");
        }
    }

    #[test]
    fn numbers_count_snapshots() {
        for cadence in all() {
            for tick in 100..400 {
                let steps = cadence.number(Tick(tick)) - cadence.number(Tick(tick - 1));
                assert_eq!(steps, u64::from(cadence.is_snapshot(Tick(tick))), "{cadence:?} at {tick}");
            }
        }
    }

    #[test]
    fn half_the_ticks_are_the_even_ones_and_two_of_three_leave_out_every_third() {
        let told = |cadence: Cadence| (0..6).filter(move |tick| cadence.is_snapshot(Tick(*tick))).collect::<Vec<_>>();
        assert_eq!(told(Cadence::new(60, 30)), [0, 2, 4]);
        assert_eq!(told(Cadence::new(30, 20)), [0, 2, 3, 5]);
    }

    #[test]
    fn whatever_is_asked_for_makes_a_cadence() {
        let of = |ticks, snapshots| {
            let cadence = Cadence::new(ticks, snapshots);
            (cadence.ticks_per_second(), cadence.snapshots_per_second())
        };
        assert_eq!((of(0, 0), of(30, 0), of(30, 31)), ((1, 1), (30, 1), (30, 30)));
        assert_eq!(Cadence::new(u16::MAX, u16::MAX).number(Tick(u32::MAX)), u64::from(u32::MAX));
        let none: Result<Cadence, _> = crate::decode(&crate::encode(&(0_u16, 30_u16)));
        assert!(none.is_err(), "no peer can make anybody divide by it");
    }
}

//! One seat's inputs, sorted by the tick that uses them.

use contract::{Pace, Tick};

/// How many ticks ahead an input may name.
pub(crate) const INPUT_LEAD_TICKS_MAX: usize = 32;

/// How long the last input is repeated when none comes, in seconds; then mechanics take over until one does.
const REPEATS_S: u32 = 1;

/// Inputs of one seat on their way into the world: exactly one is used per tick, however many come.
#[derive(Debug)]
pub(crate) struct JitterBuffer<I> {
    slots: [Option<(Tick, I)>; INPUT_LEAD_TICKS_MAX],
    /// The newest input known to have been meant for now or before, and its tick.
    last: Option<(Tick, I)>,
    /// Ticks since an input told anything new: one for its tick, or a late one that is the newest there is.
    repeats: u32,
    repeats_max: u32,
    /// Smallest margin since the last report.
    margin_ticks_min: Option<i16>,
    late: u32,
    dropped: u32,
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Waits for its tick.
    Kept,
    /// Its tick is over. If it is the newest there is, it still counts as what the player wants.
    Late,
    /// Its tick has an input already or is too far ahead.
    Dropped,
}

impl<I: Copy> JitterBuffer<I> {
    /// Nothing arrived yet.
    pub(crate) fn new(ticks_per_second: u16) -> Self {
        Self {
            slots: [const { None }; INPUT_LEAD_TICKS_MAX],
            last: None,
            repeats: 0,
            repeats_max: REPEATS_S * u32::from(ticks_per_second),
            margin_ticks_min: None,
            late: 0,
            dropped: 0,
        }
    }

    /// Takes in an input while `next` is the tick about to be stepped.
    pub(crate) fn insert(&mut self, tick: Tick, input: I, next: Tick) -> Fate {
        let margin = tick.since(next);
        let slot = usize::try_from(margin).ok().filter(|ahead| *ahead < INPUT_LEAD_TICKS_MAX);
        if margin >= 0 && slot.is_none() {
            self.dropped = self.dropped.saturating_add(1);
            return Fate::Dropped;
        }
        let margin = i16::try_from(margin).unwrap_or(i16::MIN);
        self.margin_ticks_min = Some(self.margin_ticks_min.map_or(margin, |least| least.min(margin)));
        if slot.is_none() {
            self.late = self.late.saturating_add(1);
            if self.last.is_none_or(|(newest, _)| tick.since(newest) > 0) {
                self.last = Some((tick, input));
                // However late they come: somebody who sends them is there.
                self.repeats = 0;
            }
            return Fate::Late;
        }
        let slot = &mut self.slots[tick.0 as usize % INPUT_LEAD_TICKS_MAX];
        if slot.is_some_and(|(kept, _)| kept == tick) {
            self.dropped = self.dropped.saturating_add(1);
            return Fate::Dropped;
        }
        *slot = Some((tick, input));
        Fate::Kept
    }

    /// The input for a tick: its own, or else a repeat of the last. `None` before the first and when none came for long.
    pub(crate) fn take(&mut self, tick: Tick) -> Option<I> {
        let slot = &mut self.slots[tick.0 as usize % INPUT_LEAD_TICKS_MAX];
        match slot.take() {
            Some((kept, input)) if kept == tick => {
                self.last = Some((tick, input));
                self.repeats = 0;
            }
            _ => self.repeats = self.repeats.saturating_add(1),
        }
        self.last.filter(|_| self.repeats <= self.repeats_max).map(|(_, input)| input)
    }

    /// What the seat's player is told about the time since the last report; `None` when nothing came.
    pub(crate) fn report(&mut self, dropped_before: u32) -> Option<Pace> {
        let margin_ticks = self.margin_ticks_min.take()?;
        Some(Pace { margin_ticks, late: self.late, dropped: self.dropped.saturating_add(dropped_before) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tick_gets_its_own_input_whatever_the_order_of_arrival() {
        let mut buffer = JitterBuffer::new(60);
        for tick in [3, 1, 2] {
            assert_eq!(buffer.insert(Tick(tick), tick, Tick(1)), Fate::Kept);
        }
        assert_eq!([1, 2, 3].map(|tick| buffer.take(Tick(tick))), [Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_missing_input_repeats_the_last_for_a_while() {
        let mut buffer = JitterBuffer::new(60);
        assert_eq!(buffer.take(Tick(0)), None, "mechanics play until the first input");
        buffer.insert(Tick(1), 'a', Tick(1));
        assert_eq!(buffer.take(Tick(1)), Some('a'));
        for tick in 0..60 {
            assert_eq!(buffer.take(Tick(2 + tick)), Some('a'));
        }
        assert_eq!(buffer.take(Tick(2 + 60)), None, "mechanics play for somebody who is away");
    }

    #[test]
    fn late_inputs_are_counted_and_still_tell_what_the_player_wants() {
        let mut buffer = JitterBuffer::new(60);
        assert_eq!(buffer.insert(Tick(7), 'b', Tick(10)), Fate::Late);
        assert_eq!(buffer.insert(Tick(6), 'a', Tick(10)), Fate::Late);
        assert_eq!(buffer.take(Tick(10)), Some('b'));
        assert_eq!(buffer.report(5), Some(Pace { margin_ticks: -4, late: 2, dropped: 5 }));
        assert_eq!(buffer.report(5), None);
    }

    #[test]
    fn somebody_whose_inputs_are_all_late_is_there_all_the_same() {
        let mut buffer = JitterBuffer::new(60);
        for tick in 10..210 {
            assert_eq!(buffer.insert(Tick(tick - 3), tick - 3, Tick(tick)), Fate::Late);
            assert_eq!(buffer.take(Tick(tick)), Some(tick - 3));
        }
        // What is older than the newest tells nothing.
        for tick in 210..300 {
            buffer.insert(Tick(100), 100, Tick(tick));
            assert_eq!(buffer.take(Tick(tick)), Some(206).filter(|_| tick < 269), "tick {tick}");
        }
    }

    #[test]
    fn second_inputs_for_a_tick_and_far_ones_are_dropped() {
        let mut buffer = JitterBuffer::new(60);
        assert_eq!(buffer.insert(Tick(5), 'a', Tick(5)), Fate::Kept);
        assert_eq!(buffer.insert(Tick(5), 'b', Tick(5)), Fate::Dropped);
        assert_eq!(buffer.insert(Tick(5 + 32), 'c', Tick(5)), Fate::Dropped);
        assert_eq!(buffer.insert(Tick(5 + 31), 'd', Tick(5)), Fate::Kept);
        assert_eq!(buffer.take(Tick(5)), Some('a'));
        assert_eq!(buffer.report(0), Some(Pace { margin_ticks: 0, late: 0, dropped: 2 }));
    }

    #[test]
    fn the_tick_counter_may_wrap() {
        let mut buffer = JitterBuffer::new(60);
        for ahead in 0..10 {
            let tick = Tick(u32::MAX - 4).plus(ahead);
            assert_eq!(buffer.insert(tick, ahead, Tick(u32::MAX - 4)), Fate::Kept);
        }
        for ahead in 0..10 {
            assert_eq!(buffer.take(Tick(u32::MAX - 4).plus(ahead)), Some(ahead));
        }
    }
}

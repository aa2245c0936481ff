//! How far a page must be ahead so that its inputs come in time.
//!
//! A report of the server says by how much the lead was too large or too small for the worst input of its time, so it
//! asks for a certain lead. A link that stalls asks for a lot now and then. To follow each such wish would cost all the
//! time between in between; to follow none would lose every input of a stall. So a small part of inputs may come late,
//! and the lead is the smallest one that keeps to it.

/// Smallest lead, even without any delay: the tick after the newest one cannot be over yet.
const TICKS_MIN: f64 = 1.0;
/// Largest lead, 0.6 seconds: on worse links inputs come late.
const TICKS_MAX: f64 = 36.0;
/// A lead to begin with has this much to spare.
const SPARE_TICKS: f64 = 2.0;
/// A lead that reports ask for has this much to spare: they come in whole ticks, and the next one may be a bit worse.
const SPARE_TICKS_KNOWN: f64 = 0.9;
/// Reports that are remembered: half a minute.
const REPORTS: usize = 120;
/// The first reports, three seconds of them, tell of a page that has just begun to play and has its hands full; they are
/// forgotten after that.
const START_REPORTS: u32 = 12;
/// Inputs that a report tells of.
const INPUTS_PER_REPORT: f64 = 15.0;
/// A report that asks for so many ticks more than there are tells of a stall too long to be ahead of.
const STALL_TICKS: f64 = 15.0;
/// So many such reports in a row tell of another link instead.
const STALL_REPORTS: u32 = 4;
/// Part of the inputs that may come late.
const LATE_PART: f64 = 0.003;

/// The lead that is wanted.
#[derive(Clone, Debug)]
pub struct Lead {
    ticks: f64,
    /// The leads that reports asked for, in no order.
    asked: [f64; REPORTS],
    count: usize,
    next: usize,
    /// Reports so far, up to the last one of the start.
    started: u32,
    /// Reports in a row that asked for too much.
    stalls: u32,
}

impl Default for Lead {
    fn default() -> Self {
        Self::for_round_trip(TICKS_MIN)
    }
}

impl Lead {
    /// What a round trip of so many ticks suggests.
    #[must_use]
    pub const fn for_round_trip(ticks: f64) -> Self {
        let ticks = (ticks + SPARE_TICKS).clamp(TICKS_MIN, TICKS_MAX);
        Self { ticks, asked: [0.0; REPORTS], count: 0, next: 0, started: 0, stalls: 0 }
    }

    /// The lead, in ticks.
    #[must_use]
    pub const fn ticks(&self) -> f64 {
        self.ticks
    }

    /// A report asks for a lead: with it, all inputs of its time would just have come in time.
    pub fn report(&mut self, asked: f64) {
        if asked > self.ticks + STALL_TICKS {
            self.stalls += 1;
            if self.stalls < STALL_REPORTS {
                return;
            }
            // What was known of the old link says nothing about this one.
            self.forget();
        }
        self.stalls = 0;
        if self.started < START_REPORTS {
            self.started += 1;
            if self.started == START_REPORTS {
                self.forget();
            }
        }
        self.asked[self.next] = asked;
        self.next = (self.next + 1) % REPORTS;
        self.count = (self.count + 1).min(REPORTS);
        self.ticks = (self.enough() + SPARE_TICKS_KNOWN).clamp(TICKS_MIN, TICKS_MAX);
    }

    const fn forget(&mut self) {
        self.count = 0;
        self.next = 0;
    }

    /// The smallest lead with which not too many inputs come late. A report that asks for n ticks more than there are
    /// stands for about n late inputs: what was held up arrives all at once, one tick of delay less with each.
    fn enough(&self) -> f64 {
        let mut sorted = self.asked;
        let sorted = &mut sorted[..self.count];
        sorted.sort_unstable_by(|one, other| other.total_cmp(one));
        let late_max = LATE_PART * INPUTS_PER_REPORT * self.count as f64;
        let mut sum = 0.0;
        let mut enough = TICKS_MIN;
        for (more, asked) in (1_u8..).zip(sorted) {
            if *asked < enough && more > 1 {
                break;
            }
            sum += *asked;
            enough = (sum - late_max) / f64::from(more);
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_link_is_led_by_what_it_takes() {
        let mut lead = Lead::for_round_trip(3.0);
        assert_eq!(lead.ticks(), 5.0);
        (0..200).for_each(|_| lead.report(7.0));
        assert!((lead.ticks() - 7.0 - SPARE_TICKS_KNOWN).abs() < 0.1, "{}", lead.ticks());
    }

    /// A lead that knows of nothing but what it is told from here.
    fn started() -> Lead {
        let mut lead = Lead::default();
        (1..START_REPORTS).for_each(|_| lead.report(4.0));
        lead
    }

    #[test]
    fn a_slow_start_is_forgotten() {
        let mut lead = Lead::for_round_trip(5.0);
        lead.report(18.0);
        assert!(lead.ticks() > 18.0);
        (0..START_REPORTS).for_each(|_| lead.report(5.0));
        assert!(lead.ticks() < 6.0, "{}", lead.ticks());
    }

    #[test]
    fn one_stall_in_half_a_minute_is_waited_out_and_many_are_allowed_for() {
        let with_stalls = |every: usize| {
            let mut lead = started();
            (0..REPORTS).for_each(|n| lead.report(if n % every == every - 1 { 16.0 } else { 4.0 }));
            lead.ticks() - SPARE_TICKS_KNOWN
        };
        assert!(with_stalls(REPORTS) > 10.0 && with_stalls(REPORTS) < 11.0, "{}", with_stalls(REPORTS));
        assert!(with_stalls(10) > 15.0, "{}", with_stalls(10));
        assert!(with_stalls(10) <= 16.0);
    }

    #[test]
    fn a_long_stall_is_waited_out_and_another_link_is_believed() {
        let mut lead = Lead::default();
        (0..40).for_each(|_| lead.report(5.0));
        lead.report(120.0);
        lead.report(100.0);
        lead.report(5.0);
        assert!(lead.ticks() < 6.0, "{}", lead.ticks());
        (0..STALL_REPORTS).for_each(|_| lead.report(25.0));
        assert!(lead.ticks() > 25.0, "{}", lead.ticks());
    }

    #[test]
    fn what_is_long_ago_is_forgotten_and_wishes_have_bounds() {
        let mut lead = Lead::default();
        (0..STALL_REPORTS).for_each(|_| lead.report(500.0));
        assert_eq!(lead.ticks(), TICKS_MAX);
        (0..REPORTS).for_each(|_| lead.report(-50.0));
        assert_eq!(lead.ticks(), TICKS_MIN);
    }
}

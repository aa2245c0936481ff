//! What the matches of a lane come to.

use serde::Serialize;

use super::{
    Lane, Plan,
    pace::Pace,
    seat::{Became, Course},
    strip::Strip,
    watch::Acts,
};
use crate::cadence::tally::{self, Estimate};

const TICKS_PER_SECOND: f64 = 60.0;

/// What the matches of a lane come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::cadence) struct Found {
    pub(in crate::cadence) rung: &'static str,
    pub(in crate::cadence) name: &'static str,
    /// How long its decisions take, in words.
    pub(in crate::cadence) takes: String,
    /// Whether it decides once and never again.
    pub(super) is_told_once: bool,
    /// From the sight to when the decision was there, for half of the decisions no longer.
    pub(in crate::cadence) decision_ms: f64,
    /// Per match, those that left things as they were included.
    pub(in crate::cadence) decisions_per_second: f64,
    /// Orders that were sent, per match.
    pub(in crate::cadence) orders_per_second: f64,
    /// From the tick of the sight to the tick at which an order took effect or was refused; none without orders.
    pub(in crate::cadence) age_ms: Option<Age>,
    /// Part of the orders that were still valid on arrival.
    pub(in crate::cadence) valid: Option<Estimate>,
    /// Ticks in which the seat's mechanics ran, kicked or passed, per second of play.
    pub(in crate::cadence) acted_per_second: f64,
    /// Ticks in which they did something else than in the tick before, per second of play.
    pub(in crate::cadence) turns_per_second: f64,
    /// Ticks in which they acted for each decision.
    pub(in crate::cadence) acted_per_decision: f64,
    /// Own goals less the opponent's, for as much time on the clock as matches of the curves have.
    pub(in crate::cadence) lead: Estimate,
    /// A stretch of its first match.
    #[serde(skip)]
    pub(super) strip: Strip,
}

/// How old decisions were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(in crate::cadence) struct Age {
    pub(in crate::cadence) p50: f64,
    pub(in crate::cadence) p95: f64,
}

impl Found {
    pub(super) fn of(lane: &Lane, matches: &[(Course, Acts)], plan: &Plan) -> Self {
        let count = |of: fn(Became) -> bool| {
            matches.iter().map(move |(course, _)| {
                u32::try_from(course.decisions.iter().filter(|decided| of(decided.became)).count()).unwrap_or(u32::MAX)
            })
        };
        let sum = |counts: Vec<u32>| counts.into_iter().map(f64::from).sum::<f64>();
        let decisions = sum(count(|_| true).collect());
        let sent: Vec<_> = count(|became| became != Became::Kept).collect();
        let valid: Vec<_> = count(|became| became == Became::Order).zip(sent.iter().copied()).collect();
        let seen = |of: fn(&Acts) -> u32| sum(matches.iter().map(|(_, acts)| of(acts)).collect());
        let play_s = (seen(|acts| acts.ticks) / TICKS_PER_SECOND).max(1e-9);
        let match_s = f64::from(plan.seconds) * matches.len() as f64;
        let length_ticks = f64::from(plan.lead_minutes) * 60.0 * TICKS_PER_SECOND;
        let lead =
            |(course, acts): &(Course, Acts)| f64::from(course.lead) * length_ticks / f64::from(acts.ticks.max(1));
        let leads: Vec<_> = matches.iter().map(lead).collect();
        let acted = seen(|acts| acts.acted);
        Self {
            rung: lane.rung,
            name: lane.name,
            takes: lane.pace.text(),
            is_told_once: lane.pace == Pace::Once,
            decision_ms: Age::of(matches, |_| true).map_or(0.0, |age| age.p50),
            decisions_per_second: decisions / match_s,
            orders_per_second: sum(sent) / match_s,
            age_ms: Age::of(matches, |became| became != Became::Kept),
            valid: tally::share(&valid),
            acted_per_second: acted / play_s,
            turns_per_second: seen(|acts| acts.turns) / play_s,
            acted_per_decision: acted / decisions.max(1.0),
            lead: tally::mean(&leads),
            strip: matches.first().map(|(course, acts)| Strip::of(course, acts)).unwrap_or_default(),
        }
    }

    /// Where it is on the ladder: what is told once decides by its mechanics, in every tick.
    pub(in crate::cadence) fn ladder_ms(&self) -> f64 {
        if self.is_told_once { 1e3 / TICKS_PER_SECOND } else { self.decision_ms }
    }
}

impl Age {
    /// Of those decisions that became what is meant.
    fn of(matches: &[(Course, Acts)], is_meant: fn(Became) -> bool) -> Option<Self> {
        let decisions = matches.iter().flat_map(|(course, _)| &course.decisions);
        let meant = decisions.filter(|decided| is_meant(decided.became));
        let mut ages: Vec<i32> = meant.map(|decided| decided.arrived.since(decided.looked)).collect();
        ages.sort_unstable();
        let last = ages.len().checked_sub(1)?;
        let at = |part: f64| f64::from(ages[(last as f64 * part).round() as usize]) * 1e3 / TICKS_PER_SECOND;
        Some(Self { p50: at(0.5), p95: at(0.95) })
    }
}

#[cfg(test)]
mod tests {
    use contract::Tick;

    use super::{
        super::{LANES, seat::Decided},
        *,
    };

    #[test]
    fn a_lane_adds_up_its_matches() {
        let decided = |looked, arrived, became| Decided { looked: Tick(looked), arrived: Tick(arrived), became };
        let course = |lead, decisions| Course { from: Tick(0), lead, decisions };
        let acts = |acted, turns| Acts { ticks: 600, acted, turns, ..Acts::default() };
        let first = vec![
            decided(0, 60, Became::Order),
            decided(60, 90, Became::Kept),
            decided(90, 210, Became::Refusal),
            decided(u32::MAX, 59, Became::Order),
        ];
        let matches = [(course(4, first), acts(600, 100)), (course(2, Vec::new()), acts(300, 200))];
        let plan = Plan { seconds: 60, matches: 2, lead_minutes: 3, seed: 1 };
        let found = Found::of(&LANES[2], &matches, &plan);
        assert_eq!(found.decisions_per_second, 4.0 / 120.0);
        assert_eq!(found.orders_per_second, 3.0 / 120.0);
        assert_eq!(found.age_ms, Some(Age { p50: 1_000.0, p95: 2_000.0 }), "what was kept was not sent");
        assert_eq!(found.decision_ms, 1_000.0, "of 0.5, 1, 1 and 2 s");
        assert_eq!(found.valid.map(|valid| valid.value), Some(2.0 / 3.0));
        assert_eq!((found.acted_per_second, found.turns_per_second), (45.0, 15.0));
        assert_eq!(found.acted_per_decision, 225.0);
        assert_eq!(found.lead.value, 54.0, "three goals in each ten seconds of play");
    }

    #[test]
    fn without_orders_nothing_is_said_of_them() {
        let plan = Plan { seconds: 60, matches: 2, lead_minutes: 3, seed: 1 };
        let found = Found::of(&LANES[0], &[Default::default(), Default::default()], &plan);
        assert_eq!((found.age_ms, found.valid, found.decisions_per_second), (None, None, 0.0));
    }
}

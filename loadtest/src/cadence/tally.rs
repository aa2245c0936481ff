//! What many matches of one cell come to, with intervals: 95 % of 1,000 bootstrap draws of the matches lie in them.

use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde::Serialize;

use super::duel::Outcome;
use crate::repeats::{DRAWS, interval};

/// A figure and the interval that chance alone could have moved it in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// What the matches of one cell come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Tally {
    pub(super) matches: usize,
    /// Own goals less the opponent's, per match.
    pub(super) lead: Estimate,
    /// Part of the matches won.
    pub(super) wins: Estimate,
    /// Part of the decisions still valid on arrival, of all matches that had any.
    pub(super) valid: Option<Estimate>,
    /// Decisions that arrived, per match.
    pub(super) decisions: f64,
    /// The lead of each match, in the order of seeds.
    #[serde(skip)]
    pub(super) leads: Vec<f64>,
}

impl Tally {
    pub(super) fn of(ends: &[Outcome]) -> Self {
        let lead = |end: &Outcome| f64::from(end.goals) - f64::from(end.against);
        let leads: Vec<f64> = ends.iter().map(lead).collect();
        let won: Vec<f64> = leads.iter().map(|lead| f64::from(u8::from(*lead > 0.0))).collect();
        let decisions: u32 = ends.iter().map(|end| end.decisions).sum();
        let valid: Vec<_> = ends.iter().map(|end| (end.valid, end.decisions)).collect();
        Self {
            matches: ends.len(),
            lead: mean(&leads),
            wins: mean(&won),
            valid: share(&valid),
            decisions: f64::from(decisions) / ends.len().max(1) as f64,
            leads,
        }
    }
}

/// The mean.
pub(super) fn mean(values: &[f64]) -> Estimate {
    bootstrap(values.len(), |drawn| average(values, drawn))
}

/// Which part of all is meant, given how many of how many in each match; none when there are none.
pub(super) fn share(counts: &[(u32, u32)]) -> Option<Estimate> {
    let part = |drawn: &[usize]| {
        let sum = |of: fn(&(u32, u32)) -> u32| drawn.iter().map(|at| f64::from(of(&counts[*at]))).sum::<f64>();
        sum(|(meant, _)| *meant) / sum(|(_, all)| *all).max(1.0)
    };
    counts.iter().any(|(_, all)| *all > 0).then(|| bootstrap(counts.len(), part))
}

/// How much of what `full` gains over `none` is kept by `part`; matches of one seed are drawn together.
pub(super) fn kept(part: &[f64], full: &[f64], none: &[f64]) -> Estimate {
    let gain = |of: &[f64], drawn: &[usize]| average(of, drawn) - average(none, drawn);
    bootstrap(part.len(), |drawn| gain(part, drawn) / gain(full, drawn))
}

fn average(values: &[f64], drawn: &[usize]) -> f64 {
    drawn.iter().map(|at| values[*at]).sum::<f64>() / drawn.len().max(1) as f64
}

fn bootstrap(count: usize, figure: impl Fn(&[usize]) -> f64) -> Estimate {
    let mut drawn: Vec<usize> = (0..count).collect();
    let value = figure(&drawn);
    let Ok(bound @ 1..) = u32::try_from(count) else { return Estimate { value, low: value, high: value } };
    let mut random = Pcg32::new(u64::from(bound), 0xcade_9ce0);
    let draw = |_| {
        drawn.fill_with(|| (random.next_u32() % bound) as usize);
        figure(&drawn)
    };
    let (low, high) = interval(value, (0..DRAWS).map(draw).collect());
    Estimate { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_as_wide_as_theory_has_it() {
        // Half of 400 are 0 and half 2: the mean is 1, its standard error 1/20.
        let values: Vec<f64> = (0..400).map(|at| f64::from(at % 2 * 2)).collect();
        let Estimate { value, low, high } = mean(&values);
        assert_eq!(value, 1.0);
        for (bound, expected) in [(low, 1.0 - 1.96 / 20.0), (high, 1.0 + 1.96 / 20.0)] {
            assert!((bound - expected).abs() < 0.015, "{bound}, expected {expected}");
        }
        let certain = mean(&[3.0; 50]);
        assert_eq!(certain, Estimate { value: 3.0, low: 3.0, high: 3.0 });
    }

    #[test]
    fn what_is_kept_is_a_part_of_the_gain() {
        let none: Vec<f64> = (0..100).map(|at| f64::from(at % 3) - 10.0).collect();
        let full: Vec<f64> = none.iter().map(|lead| lead + 10.0).collect();
        let part: Vec<f64> = none.iter().map(|lead| lead + 8.0).collect();
        let kept = kept(&part, &full, &none);
        assert!((kept.value - 0.8).abs() < 1e-9 && (kept.high - kept.low).abs() < 1e-9, "{kept:?}");
    }

    #[test]
    fn shares_count_decisions_and_not_matches() {
        let end = |decisions, valid, goals| Outcome { goals, against: 1, decisions, valid };
        let tally = Tally::of(&[end(90, 90, 2), end(10, 0, 0)]);
        assert_eq!((tally.valid.map(|valid| valid.value), tally.wins.value, tally.lead.value), (Some(0.9), 0.5, 0.0));
        assert_eq!(Tally::of(&[end(0, 0, 1)]).valid, None);
    }
}

//! The same thing measured several times: in which order, what lies in the middle, and how far chance could have moved it.

use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde::Serialize;

/// Times that a bootstrap draws what was measured anew, with replacement.
pub(crate) const DRAWS: usize = 1000;

/// An interval holds this part of all draws.
const CONFIDENCE: f64 = 0.95;

/// Between which values [`CONFIDENCE`] of the draws lie; `value` both times when there are none.
pub(crate) fn interval(value: f64, mut draws: Vec<f64>) -> (f64, f64) {
    draws.sort_by(f64::total_cmp);
    let at = |part: f64| draws.get(((draws.len().max(1) - 1) as f64 * part).round() as usize).copied().unwrap_or(value);
    (at((1.0 - CONFIDENCE) / 2.0), at((1.0 + CONFIDENCE) / 2.0))
}

/// Orders of so many things, a new one for each round: what else the machine does meets all of them alike.
pub(crate) fn rounds(rounds: usize, things: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = Pcg32::new(seed, 0x0dde);
    let mut shuffled = |mut round: Vec<usize>| {
        for at in (1..round.len()).rev() {
            round.swap(at, random.next_u32() as usize % (at + 1));
        }
        round
    };
    (0..rounds).map(|_| shuffled((0..things).collect())).collect()
}

/// Several values of one measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Middle {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) count: usize,
}

impl Middle {
    /// Of all values that are numbers; `None` when there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (least, most, count) = (*values.first()?, *values.last()?, values.len());
        let median = f64::midpoint(values[(count - 1) / 2], values[count / 2]);
        Some(Self { median, least, most, count })
    }

    /// With so many decimal places, and the extremes if there are any.
    pub(crate) fn text(&self, places: usize) -> String {
        let Self { median, least, most, count } = self;
        if *count == 1 {
            return format!("{median:.places$}");
        }
        format!("{median:.places$} [{least:.places$}–{most:.places$}]")
    }
}

/// [`Middle::text`] of values, or a dash.
pub(crate) fn text_of(values: impl IntoIterator<Item = f64>, places: usize) -> String {
    Middle::of(values).map_or_else(|| "–".to_owned(), |middle| middle.text(places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_everything_once_and_rounds_differ() {
        let orders = rounds(8, 3, 1);
        assert!(orders.iter().all(|order| (0..3).all(|thing| order.contains(&thing)) && order.len() == 3));
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
        assert!((0..3).all(|thing| orders.iter().any(|order| order[0] == thing)), "each comes first now and then");
        assert_eq!(orders, rounds(8, 3, 1));
        assert_ne!(orders, rounds(8, 3, 2));
    }

    #[test]
    fn an_interval_holds_most_draws_and_the_value() {
        let (low, high) = interval(5.0, (0..=1000).map(|at| f64::from(at) / 100.0).collect());
        assert!((low - 0.25).abs() < 0.02 && (high - 9.75).abs() < 0.02, "{low} {high}");
        assert_eq!(interval(5.0, Vec::new()), (5.0, 5.0));
    }

    #[test]
    fn the_middle_is_between_the_extremes() {
        assert_eq!(
            Middle::of([3.0, 1.0, f64::NAN, 2.0]).map(|middle| middle.text(1)),
            Some("2.0 [1.0–3.0]".to_owned())
        );
        assert_eq!(Middle::of([4.0, 1.0]).map(|middle| middle.median), Some(2.5));
        assert_eq!(text_of([0.25], 2), "0.25");
        assert_eq!(text_of([], 2), "–");
    }
}

//! How long decisions take: drawn, seeded, from a documented distribution.

use std::{f64::consts::TAU, time::Duration};

use rand_pcg::{Pcg32, rand_core::Rng as _};

/// Standard deviations between the median of a normal distribution and its 95th percentile.
const P95_DEVIATIONS: f64 = 1.644_854;

/// How long the decisions of a lane take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// It decides once, at the start, and never again.
    Once,
    /// Any time in between is as likely.
    Even {
        /// Shortest time.
        least_ms: f64,
        /// Longest time.
        most_ms: f64,
    },
    /// Log-normal, as the times of answers from services are: most are near the median, and some take many times as
    /// long. A time outside the bounds becomes the bound.
    LogNormal {
        /// Half of the decisions take no longer.
        median_ms: f64,
        /// Nineteen of twenty take no longer.
        p95_ms: f64,
        /// Shortest time.
        least_ms: f64,
        /// Longest time: then whoever waits gives up.
        most_ms: f64,
    },
}

impl Pace {
    /// How long the next decision takes.
    pub(super) fn draw(self, random: &mut Pcg32) -> Duration {
        let ms = match self {
            Self::Once => 0.0,
            Self::Even { least_ms, most_ms } => least_ms + (most_ms - least_ms) * part(random),
            Self::LogNormal { median_ms, p95_ms, least_ms, most_ms } => {
                let spread = (p95_ms / median_ms).ln() / P95_DEVIATIONS;
                (median_ms * (spread * deviation(random)).exp()).clamp(least_ms, most_ms)
            }
        };
        Duration::from_secs_f64(ms / 1e3)
    }

    /// In words.
    pub(super) fn text(self) -> String {
        match self {
            Self::Once => "once, at the start".to_owned(),
            Self::Even { least_ms, most_ms } => format!("{least_ms:.0} to {most_ms:.0} ms, evenly"),
            Self::LogNormal { median_ms, p95_ms, least_ms, most_ms } => format!(
                "log-normal, median {} s, 95th percentile {} s, within {} to {} s",
                median_ms / 1e3,
                p95_ms / 1e3,
                least_ms / 1e3,
                most_ms / 1e3
            ),
        }
    }
}

/// Above 0, at most 1.
fn part(random: &mut Pcg32) -> f64 {
    (f64::from(random.next_u32()) + 1.0) / 4_294_967_296.0
}

/// Of the standard normal distribution, by the method of Box and Muller.
fn deviation(random: &mut Pcg32) -> f64 {
    let (radius, turn) = (part(random), part(random));
    (-2.0 * radius.ln()).sqrt() * (TAU * turn).cos()
}

#[cfg(test)]
mod tests {
    use super::{super::LANES, *};

    fn draws_ms(pace: Pace, seed: u64) -> Vec<f64> {
        let mut random = Pcg32::new(seed, 1);
        (0..20_000).map(|_| pace.draw(&mut random).as_secs_f64() * 1e3).collect()
    }

    fn quantile(mut values: Vec<f64>, at: f64) -> f64 {
        values.sort_by(f64::total_cmp);
        values[(values.len() as f64 * at) as usize]
    }

    #[test]
    fn a_language_model_is_as_fast_as_documented() {
        let pace = LANES[2].pace;
        let Pace::LogNormal { median_ms, p95_ms, least_ms, most_ms } = pace else { panic!("{pace:?}") };
        let draws = draws_ms(pace, 1);
        // The standard errors of both are below 1.5 %.
        assert!((quantile(draws.clone(), 0.5) / median_ms - 1.0).abs() < 0.04);
        assert!((quantile(draws.clone(), 0.95) / p95_ms - 1.0).abs() < 0.05);
        assert!(draws.iter().all(|ms| (least_ms..=most_ms).contains(ms)));
    }

    #[test]
    fn a_small_policy_decides_two_to_four_times_a_second() {
        let draws = draws_ms(LANES[1].pace, 1);
        assert!(draws.iter().all(|ms| (250.0..=500.0).contains(ms)), "which is four to two times");
        assert!(quantile(draws.clone(), 0.05) < quantile(draws, 0.95) - 100.0);
    }

    #[test]
    fn the_seed_decides_what_is_drawn() {
        assert_eq!(draws_ms(LANES[2].pace, 7), draws_ms(LANES[2].pace, 7));
        assert_ne!(draws_ms(LANES[2].pace, 7), draws_ms(LANES[2].pace, 8));
    }
}

//! Comparing conditions that took turns: what each was like, and by how much it differs from the first.
//!
//! Turns are compared round by round, so that whatever else the machine was busy with hits all arms alike. How far chance
//! alone could have moved a difference is found by drawing rounds anew, with replacement (a bootstrap).

use hdrhistogram::Histogram;
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde::Serialize;

use crate::{
    metrics::Buckets,
    observer::Span,
    repeats::{DRAWS, interval},
    tally::{Counter, Timing},
};

/// What all turns of one arm were like, and how they differ from the first arm's.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ArmReport {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) ticks: f64,
    pub(crate) skipped: f64,
    pub(crate) calls_per_second: f64,
    pub(crate) cpu_percent: f64,
    /// The server's memory at the end of a turn, on average.
    pub(crate) rss_bytes: f64,
    pub(crate) measures: Vec<Measure>,
    /// Lateness in milliseconds at each of [`crate::report::QUANTILES`].
    pub(crate) lateness_ms: Vec<f64>,
}

/// One number of an arm.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measure {
    pub(crate) what: What,
    pub(crate) value: f64,
    /// How much more than in the first arm; none for the first arm itself.
    pub(crate) more: Option<Difference>,
}

/// A difference and how far chance could have moved it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Difference {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Difference {
    fn of(value: f64, draws: Vec<f64>) -> Self {
        let (low, high) = interval(value, draws);
        Self { value, low, high }
    }
}

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    LatenessP50,
    LatenessP99,
    LatenessP999,
    AckP50,
    AckP99,
}

impl What {
    pub(crate) const ALL: [Self; 5] =
        [Self::LatenessP50, Self::LatenessP99, Self::LatenessP999, Self::AckP50, Self::AckP99];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::LatenessP50 => "tick lateness p50",
            Self::LatenessP99 => "tick lateness p99",
            Self::LatenessP999 => "tick lateness p99.9",
            Self::AckP50 => "input to ack p50",
            Self::AckP99 => "input to ack p99",
        }
    }

    /// In milliseconds.
    fn of(self, lateness: &Buckets, ack: &Histogram<u64>) -> f64 {
        let late = |at| lateness.quantile(at).unwrap_or(0.0) * 1e3;
        let acked = |at| ack.value_at_quantile(at) as f64 / 1e3;
        match self {
            Self::LatenessP50 => late(0.5),
            Self::LatenessP99 => late(0.99),
            Self::LatenessP999 => late(0.999),
            Self::AckP50 => acked(0.5),
            Self::AckP99 => acked(0.99),
        }
    }
}

impl ArmReport {
    pub(crate) fn measure(&self, what: What) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.what == what)
    }
}

/// Turns by arm and round.
#[derive(Debug)]
pub(crate) struct Turns {
    by_arm: Vec<Vec<Span>>,
}

impl Turns {
    pub(crate) fn new(arms: usize) -> Self {
        Self { by_arm: (0..arms).map(|_| Vec::new()).collect() }
    }

    pub(crate) fn push(&mut self, arm: usize, span: Span) {
        self.by_arm[arm].push(span);
    }

    /// What is to be told about them.
    pub(crate) fn report(&self, names: &[String], seed: u64) -> Vec<ArmReport> {
        let rounds = self.by_arm.iter().map(Vec::len).min().unwrap_or(0);
        let all: Vec<usize> = (0..rounds).collect();
        let values: Vec<_> = (0..names.len()).map(|arm| self.values(arm, &all)).collect();
        let draws = self.draw(rounds, names.len(), seed);
        let arm = |(at, name): (usize, &String)| {
            let spans = &self.by_arm[at];
            let sum = |of: fn(&Span) -> f64| spans.iter().map(of).sum::<f64>();
            let seconds = sum(Span::seconds);
            let measure = |(index, what): (usize, &What)| {
                let more = (at > 0).then(|| {
                    let of_draw = |draw: &Vec<[f64; What::ALL.len()]>| draw[at][index] - draw[0][index];
                    Difference::of(values[at][index] - values[0][index], draws.iter().map(of_draw).collect())
                });
                Measure { what: *what, value: values[at][index], more }
            };
            let (lateness, _) = self.merged(at, &all);
            let lateness_ms =
                crate::report::QUANTILES.iter().map(|(at, _)| lateness.quantile(*at).unwrap_or(0.0) * 1e3);
            ArmReport {
                name: name.clone(),
                seconds,
                ticks: sum(|span| span.server.ticks),
                skipped: sum(|span| span.server.skipped),
                calls_per_second: sum(|span| span.cut.count(Counter::Calls) as f64) / seconds.max(1e-9),
                cpu_percent: sum(|span| span.server.cpu_seconds) / seconds.max(1e-9) * 100.0,
                rss_bytes: sum(|span| span.now.usage.map_or(0.0, |usage| usage.rss_bytes as f64))
                    / spans.len().max(1) as f64,
                measures: What::ALL.iter().enumerate().map(measure).collect(),
                lateness_ms: lateness_ms.collect(),
            }
        };
        names.iter().enumerate().map(arm).collect()
    }

    /// All numbers of all arms for rounds drawn at random, many times.
    fn draw(&self, rounds: usize, arms: usize, seed: u64) -> Vec<Vec<[f64; What::ALL.len()]>> {
        let mut random = Pcg32::new(seed, 0xb007);
        let draw = |_| {
            let drawn: Vec<usize> = (0..rounds).map(|_| random.next_u32() as usize % rounds.max(1)).collect();
            (0..arms).map(|arm| self.values(arm, &drawn)).collect()
        };
        (0..DRAWS).map(draw).collect()
    }

    fn values(&self, arm: usize, rounds: &[usize]) -> [f64; What::ALL.len()] {
        let (lateness, ack) = self.merged(arm, rounds);
        What::ALL.map(|what| what.of(&lateness, &ack))
    }

    fn merged(&self, arm: usize, rounds: &[usize]) -> (Buckets, Histogram<u64>) {
        let mut lateness = Buckets::default();
        let mut ack = Histogram::new_with_bounds(1, 60_000_000, 2).expect("legal bounds");
        for round in rounds {
            let span = &self.by_arm[arm][*round];
            lateness.add(&span.lateness);
            ack.add(span.cut.timing(Timing::InputToAck)).expect("all histograms have the same bounds");
        }
        (lateness, ack)
    }
}

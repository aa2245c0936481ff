//! What a run found, as a table and as JSON.

use std::{fmt::Write as _, sync::atomic::Ordering::Relaxed, time::Duration};

use serde::Serialize;

use crate::{
    metrics::{Scrape, growth, quantile},
    tally::{Latency, Tally},
};

/// The server's metrics that the report reads.
const LATENESS: &str = "matchd_tick_lateness_seconds";
const LATENESS_MAX: &str = "matchd_tick_lateness_max_seconds";
const TICKS: &str = "matchd_ticks_total";
const SKIPPED: &str = "matchd_ticks_skipped_total";
const LATE: &str = "matchd_inputs_late_total";

/// What a run found.
#[derive(Debug, Serialize)]
pub struct Report {
    matches: usize,
    players: usize,
    agents: usize,
    seconds: f64,
    inputs_sent: u64,
    inputs_late: f64,
    snapshots_per_client_second: f64,
    bytes_received_per_client_second: f64,
    bytes_sent_per_client_second: f64,
    input_to_ack_ms: Quantiles,
    observe_ms: Quantiles,
    act_ms: Quantiles,
    ticks: f64,
    ticks_skipped: f64,
    tick_lateness_ms: Lateness,
    /// Players and Agents that failed, and other things that went wrong.
    pub errors: u64,
    first_error: Option<String>,
}

/// Times measured here, in milliseconds.
#[derive(Debug, Serialize)]
struct Quantiles {
    count: u64,
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

/// How late the server began its ticks, in milliseconds, by its own histogram: upper bounds of buckets. `max` is since
/// the server's start.
#[derive(Debug, Serialize)]
struct Lateness {
    p50: Option<f64>,
    p99: Option<f64>,
    p999: Option<f64>,
    max: f64,
}

impl Report {
    pub(crate) fn new(
        matches: usize,
        players: usize,
        agents: usize,
        elapsed: Duration,
        tally: &Tally,
        before: &Scrape,
        after: &Scrape,
    ) -> Self {
        let seconds = elapsed.as_secs_f64();
        let client_seconds = seconds * (matches * players).max(1) as f64;
        let lateness = |at: f64| quantile(LATENESS, before, after, at).map(|seconds| seconds * 1e3);
        let (errors, first_error) = tally.errors();
        Self {
            matches,
            players,
            agents,
            seconds,
            inputs_sent: tally.inputs.load(Relaxed),
            inputs_late: growth(LATE, before, after),
            snapshots_per_client_second: tally.snapshots.load(Relaxed) as f64 / client_seconds,
            bytes_received_per_client_second: tally.bytes_received.load(Relaxed) as f64 / client_seconds,
            bytes_sent_per_client_second: tally.bytes_sent.load(Relaxed) as f64 / client_seconds,
            input_to_ack_ms: Quantiles::of(tally, Latency::InputToAck),
            observe_ms: Quantiles::of(tally, Latency::Observe),
            act_ms: Quantiles::of(tally, Latency::Act),
            ticks: growth(TICKS, before, after),
            ticks_skipped: growth(SKIPPED, before, after),
            tick_lateness_ms: Lateness {
                p50: lateness(0.5),
                p99: lateness(0.99),
                p999: lateness(0.999),
                max: after.sum(LATENESS_MAX) * 1e3,
            },
            errors,
            first_error,
        }
    }

    /// The report for a person.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = format!(
            "{} matches x {} players, {} Agents, {:.0} s\n\n",
            self.matches, self.players, self.agents, self.seconds
        );
        let mut row = |name: &str, value: String| writeln!(text, "{name:<34} {value}").expect("a string takes all");
        row("inputs sent / late", format!("{} / {}", self.inputs_sent, self.inputs_late));
        row("snapshots per client per second", format!("{:.1}", self.snapshots_per_client_second));
        row("bytes to a client per second", format!("{:.0}", self.bytes_received_per_client_second));
        row("bytes from a client per second", format!("{:.0}", self.bytes_sent_per_client_second));
        row("input to ack, ms", self.input_to_ack_ms.row());
        row("observe, ms", self.observe_ms.row());
        row("act, ms", self.act_ms.row());
        row("ticks run / skipped", format!("{} / {}", self.ticks, self.ticks_skipped));
        row("tick lateness, ms", self.tick_lateness_ms.row());
        row("errors", self.errors.to_string());
        if let Some(error) = &self.first_error {
            row("first error", error.clone());
        }
        text
    }
}

impl Quantiles {
    fn of(tally: &Tally, latency: Latency) -> Self {
        let histogram = tally.histogram(latency);
        let ms = |micros: u64| micros as f64 / 1e3;
        let at = |quantile| ms(histogram.value_at_quantile(quantile));
        Self { count: histogram.len(), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: ms(histogram.max()) }
    }

    fn row(&self) -> String {
        format!(
            "p50 {:.2}  p95 {:.2}  p99 {:.2}  max {:.2}  ({} times)",
            self.p50, self.p95, self.p99, self.max, self.count
        )
    }
}

impl Lateness {
    fn row(&self) -> String {
        let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        format!("p50 {}  p99 {}  p99.9 {}  max {:.3}", ms(self.p50), ms(self.p99), ms(self.p999), self.max)
    }
}

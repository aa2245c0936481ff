//! What the server counts and times. Names and meanings are listed in `docs/operations.md`.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use prometheus::{
    Gauge, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
    core::Collector,
};
use tokio::runtime::Handle;

/// Every metric of one server. Counting is a few atomic additions, so match workers may do it.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) tick_lateness: Timing,
    pub(crate) tick_duration: Timing,
    pub(crate) ticks: IntCounter,
    pub(crate) ticks_skipped: IntCounter,
    pub(crate) matches_made: IntCounter,
    pub(crate) match_panics: IntCounter,
    matches: IntGaugeVec,
    seats: IntGaugeVec,
    pub(crate) sockets: IntGauge,
    pub(crate) connections_refused: IntCounterVec,
    pub(crate) play_bytes_in: IntCounter,
    pub(crate) play_bytes_out: IntCounter,
    pub(crate) snapshots_sent: IntCounter,
    pub(crate) snapshots_replaced: IntCounter,
    pub(crate) sockets_slower: IntCounter,
    pub(crate) sockets_faster: IntCounter,
    pub(crate) inputs_on_time: IntCounter,
    pub(crate) inputs_late: IntCounter,
    pub(crate) inputs_dropped: IntCounter,
    pub(crate) inputs_unseated: IntCounter,
    pub(crate) closes: IntCounterVec,
    pub(crate) tickets: IntCounterVec,
    pub(crate) calls: IntCounterVec,
    pub(crate) call_durations: CallTimings,
    tasks: IntGaugeVec,
    /// The runtimes whose tasks are counted, by name.
    runtimes: Mutex<Vec<(&'static str, Handle)>>,
}

/// How many there are of something, found out when metrics are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Census {
    pub(crate) awake: usize,
    pub(crate) asleep: usize,
    pub(crate) people: usize,
    pub(crate) agents: usize,
    pub(crate) bots: usize,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let registry = Registry::new();
        let bytes = counters(&registry, "play_bytes_total", "Bytes over play connections.", &["direction"]);
        let snapshots = counters(&registry, "snapshots_total", "Snapshots by what became of them.", &["outcome"]);
        let shifts = counters(
            &registry,
            "snapshot_rate_changes_total",
            "Sockets shown half or twice as many snapshots, by whether they keep up.",
            &["to"],
        );
        Self {
            tick_lateness: Timing::new(&registry, "tick_lateness", "Time from a tick's deadline to its start."),
            tick_duration: Timing::new(&registry, "tick_duration", "Time one tick of one match takes."),
            ticks: counter(&registry, "ticks_total", "Ticks run, over all matches."),
            ticks_skipped: counter(&registry, "ticks_skipped_total", "Ticks left out after a stall."),
            matches_made: counter(&registry, "matches_made_total", "Matches made."),
            match_panics: counter(&registry, "match_panics_total", "Matches ended by a panic."),
            matches: gauges(&registry, "matches", "Matches there are.", &["state"]),
            seats: gauges(&registry, "seats", "Seats by who holds them.", &["holder"]),
            sockets: register(&registry, IntGauge::new("matchd_sockets", "Open WebSockets.")),
            connections_refused: counters(
                &registry,
                "connections_refused_total",
                "Connections closed because there were too many.",
                &["listener"],
            ),
            play_bytes_in: bytes.with_label_values(&["in"]),
            play_bytes_out: bytes.with_label_values(&["out"]),
            snapshots_sent: snapshots.with_label_values(&["sent"]),
            snapshots_replaced: snapshots.with_label_values(&["replaced"]),
            sockets_slower: shifts.with_label_values(&["slower"]),
            sockets_faster: shifts.with_label_values(&["faster"]),
            inputs_on_time: counter(&registry, "inputs_on_time_total", "Inputs that came in time."),
            inputs_late: counter(&registry, "inputs_late_total", "Inputs that came after their tick."),
            inputs_dropped: counter(
                &registry,
                "inputs_dropped_total",
                "Inputs for a tick that had one, too far ahead, or too many.",
            ),
            inputs_unseated: counter(
                &registry,
                "inputs_unseated_total",
                "Inputs without a seat, or of a seat given up.",
            ),
            closes: counters(&registry, "socket_closes_total", "WebSockets closed, by reason.", &["reason"]),
            tickets: counters(&registry, "tickets_total", "Tickets by what became of them.", &["outcome"]),
            calls: counters(&registry, "contract_calls_total", "Agent calls by outcome.", &["call", "outcome"]),
            call_durations: CallTimings::new(&registry),
            tasks: gauges(&registry, "tasks", "Tasks there are.", &["path"]),
            runtimes: Mutex::default(),
            registry,
        }
    }

    /// From now on the tasks of this runtime are counted, too.
    pub(crate) fn count_tasks(&self, path: &'static str, runtime: &Handle) {
        self.runtimes.lock().push((path, runtime.clone()));
    }

    /// Everything in Prometheus' text format.
    pub(crate) fn text(&self, census: Census) -> String {
        for (state, count) in [("awake", census.awake), ("asleep", census.asleep)] {
            set(&self.matches.with_label_values(&[state]), count);
        }
        for (holder, count) in [("person", census.people), ("agent", census.agents), ("bot", census.bots)] {
            set(&self.seats.with_label_values(&[holder]), count);
        }
        for (path, runtime) in self.runtimes.lock().iter() {
            set(&self.tasks.with_label_values(&[path]), runtime.metrics().num_alive_tasks());
        }
        for timing in [&self.tick_lateness, &self.tick_duration].into_iter().chain(self.call_durations.all()) {
            timing.show_longest();
        }
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

/// A histogram fine enough to read high percentiles from, and the longest time ever.
#[derive(Debug)]
pub(crate) struct Timing {
    histogram: Histogram,
    longest: Gauge,
    longest_nanos: AtomicU64,
}

impl Timing {
    /// Bounds from 10 µs to a little over 1 s, each a quarter above the last.
    const BUCKET_FIRST_S: f64 = 10e-6;
    const BUCKET_GROWTH: f64 = 1.25;
    const BUCKETS: usize = 53;

    fn new(registry: &Registry, name: &str, help: &str) -> Self {
        Self::labelled(registry, name, help, &[])
    }

    fn labelled(registry: &Registry, name: &str, help: &str, labels: &[(&str, &str)]) -> Self {
        let labels: HashMap<_, _> =
            labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let buckets = prometheus::exponential_buckets(Self::BUCKET_FIRST_S, Self::BUCKET_GROWTH, Self::BUCKETS);
        let buckets = buckets.expect("first bound and growth are legal");
        let times = Opts::new(format!("matchd_{name}_seconds"), help).const_labels(labels.clone());
        let longest_help = format!("{help} The longest since the start.");
        let longest = Opts::new(format!("matchd_{name}_max_seconds"), longest_help).const_labels(labels);
        Self {
            histogram: register(registry, Histogram::with_opts(HistogramOpts::from(times).buckets(buckets))),
            longest: register(registry, Gauge::with_opts(longest)),
            longest_nanos: AtomicU64::new(0),
        }
    }

    pub(crate) fn observe(&self, time: Duration) {
        self.histogram.observe(time.as_secs_f64());
        self.longest_nanos.fetch_max(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn show_longest(&self) {
        self.longest.set(Duration::from_nanos(self.longest_nanos.load(Ordering::Relaxed)).as_secs_f64());
    }
}

/// How long calls took, by what they asked for: an act waits for its tick, the others for nothing.
#[derive(Debug)]
pub(crate) struct CallTimings {
    observe: Timing,
    act: Timing,
    other: Timing,
}

impl CallTimings {
    fn new(registry: &Registry) -> Self {
        let of = |call| {
            let help = "Time from a call's last byte to its answer.";
            Timing::labelled(registry, "contract_call", help, &[("call", call)])
        };
        Self { observe: of("observe"), act: of("act"), other: of("other") }
    }

    /// Of calls that are counted under this name.
    pub(crate) fn of(&self, call: &str) -> &Timing {
        match call {
            "observe" => &self.observe,
            "order" | "take_seat" | "leave_seat" => &self.act,
            _ => &self.other,
        }
    }

    fn all(&self) -> [&Timing; 3] {
        [&self.observe, &self.act, &self.other]
    }
}

fn counter(registry: &Registry, name: &str, help: &str) -> IntCounter {
    register(registry, IntCounter::new(format!("matchd_{name}"), help))
}

fn counters(registry: &Registry, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    register(registry, IntCounterVec::new(Opts::new(format!("matchd_{name}"), help), labels))
}

fn gauges(registry: &Registry, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
    register(registry, IntGaugeVec::new(Opts::new(format!("matchd_{name}"), help), labels))
}

fn register<C: Collector + Clone + 'static>(registry: &Registry, collector: prometheus::Result<C>) -> C {
    let collector = collector.expect("names of metrics are legal");
    registry.register(Box::new(collector.clone())).expect("names of metrics are different");
    collector
}

fn set(gauge: &IntGauge, count: usize) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_can_be_read_up_to_a_second() {
        let metrics = Metrics::new();
        metrics.tick_lateness.observe(Duration::from_millis(3));
        metrics.tick_lateness.observe(Duration::from_micros(30));
        metrics.call_durations.of("order").observe(Duration::from_millis(12));
        let text = metrics.text(Census { bots: 6, ..Census::default() });
        assert!(text.contains("matchd_tick_lateness_max_seconds 0.003\n"), "{text}");
        assert!(text.contains("matchd_tick_lateness_seconds_count 2\n"));
        assert!(text.contains("matchd_contract_call_seconds_count{call=\"act\"} 1\n"));
        assert!(text.contains("matchd_contract_call_seconds_count{call=\"observe\"} 0\n"));
        assert!(text.contains("matchd_seats{holder=\"bot\"} 6\n"));
        let last = Timing::BUCKET_FIRST_S * Timing::BUCKET_GROWTH.powi(i32::try_from(Timing::BUCKETS).unwrap() - 1);
        assert!((1.0..1.3).contains(&last), "{last}");
    }
}

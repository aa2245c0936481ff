//! What a run found: as a table, as JSON and as a page.

mod chart;
mod html;
mod table;

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::Context as _;
use hdrhistogram::Histogram;
use serde::Serialize;

pub(crate) use chart::{Band, Chart, Line, Mark, bar_rows, escape};
pub(crate) use html::{Page, page, verdict_table};

use crate::{
    arms::{ArmReport, What},
    machine,
    metrics::Buckets,
    observer::Span,
    sameness::Sameness,
    scenario::{Scenario, Verdict},
    tally::{Counter, Timing},
};

/// The quantiles that curves are drawn through, and their names.
pub(crate) const QUANTILES: [(f64, &str); 7] = [
    (0.5, "50 %"),
    (0.9, "90 %"),
    (0.99, "99 %"),
    (0.995, "99.5 %"),
    (0.999, "99.9 %"),
    (0.9995, ""),
    (0.9999, "99.99 %"),
];

/// Where reports go besides the terminal.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Outputs {
    /// Writes the report there as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the report there as one page that needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

impl Outputs {
    /// Writes what is wanted.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn write<T: Serialize>(&self, report: &T, page: impl FnOnce() -> String) -> anyhow::Result<()> {
        let write = |path: &PathBuf, text: String| {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        if let Some(path) = &self.json {
            write(path, serde_json::to_string_pretty(report)? + "\n")?;
        }
        if let Some(path) = &self.html {
            write(path, page())?;
        }
        Ok(())
    }
}

/// What a run found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    name: String,
    about: String,
    machine: String,
    /// The most there were at a time.
    clients: usize,
    agents: usize,
    attackers: usize,
    pub(crate) total: Summary,
    /// Over time.
    points: Vec<Point>,
    marks: Vec<(f64, String)>,
    arms: Vec<ArmReport>,
    /// Which arm's turn was when: start, end, index.
    turns: Vec<(f64, f64, usize)>,
    /// What Agents and attackers were answered, and how attackers' sockets ended.
    answers: BTreeMap<String, u64>,
    /// WebSockets closed by the server or left, by reason.
    closes: BTreeMap<String, f64>,
    /// Whether the same matches went the same with and without Agents, if that was tried.
    pub(crate) sameness: Option<Sameness>,
    verdicts: Vec<Verdict>,
    pub(crate) errors: u64,
    first_error: Option<String>,
}

/// Everything that counted, or a part of it.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Summary {
    pub(crate) seconds: f64,
    pub(crate) lateness_ms: Recorded,
    pub(crate) ticks: f64,
    pub(crate) ticks_skipped: f64,
    pub(crate) inputs_sent: u64,
    /// Not sent because the load itself was too slow.
    pub(crate) inputs_missed: u64,
    pub(crate) inputs_late_percent: f64,
    pub(crate) input_to_ack_ms: Times,
    /// How late the load itself was.
    pub(crate) lag_ms: Times,
    pub(crate) observe_ms: Times,
    pub(crate) act_ms: Times,
    /// From a call's last byte to its answer.
    pub(crate) observe_at_endpoint_ms: Recorded,
    pub(crate) act_at_endpoint_ms: Recorded,
    pub(crate) cut_off_ms: Times,
    pub(crate) calls_per_second: f64,
    pub(crate) snapshots_per_client_second: f64,
    pub(crate) messages_received_per_client_second: f64,
    pub(crate) bytes_received_per_client_second: f64,
    pub(crate) inputs_per_client_second: f64,
    pub(crate) bytes_sent_per_client_second: f64,
    pub(crate) matches_made: f64,
    pub(crate) match_panics: f64,
    pub(crate) unsent_bytes_max: u64,
    /// Of the server's process, when it is ours.
    pub(crate) process: Option<Process>,
}

/// What the server's process cost.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Process {
    pub(crate) cpu_seconds: f64,
    pub(crate) cpu_percent: f64,
    pub(crate) cpu_percent_per_client: f64,
    /// Of its core, taken by others.
    pub(crate) foreign_percent: f64,
    pub(crate) rss_bytes: u64,
    pub(crate) threads: u64,
    pub(crate) descriptors: u64,
    pub(crate) tasks: f64,
}

/// Times measured here, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Times {
    pub(crate) count: u64,
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

/// Times by one of the server's own histograms, in milliseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Recorded {
    pub(crate) p50: Option<f64>,
    pub(crate) p99: Option<f64>,
    pub(crate) p999: Option<f64>,
    /// Upper bound of the last bucket that is not empty.
    pub(crate) max: Option<f64>,
    /// At each of [`QUANTILES`].
    pub(crate) curve: Vec<f64>,
}

/// A moment, as charts show it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Point {
    pub(crate) at_s: f64,
    pub(crate) clients: usize,
    pub(crate) agents: usize,
    pub(crate) attackers: usize,
    pub(crate) summary: Summary,
}

impl Times {
    pub(crate) fn of(histogram: &Histogram<u64>) -> Self {
        let ms = |micros: u64| micros as f64 / 1e3;
        let at = |quantile| ms(histogram.value_at_quantile(quantile));
        Self { count: histogram.len(), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: ms(histogram.max()) }
    }
}

impl Recorded {
    /// Of a histogram in which no time is longer than so many seconds.
    fn of(buckets: &Buckets, max_s: f64) -> Self {
        let ms = |at| buckets.quantile(at).map(|seconds| seconds * 1e3);
        Self {
            p50: ms(0.5),
            p99: ms(0.99),
            p999: ms(0.999),
            max: buckets.max().map(|bound| bound.min(max_s) * 1e3),
            curve: QUANTILES.iter().map(|(at, _)| ms(*at).unwrap_or(0.0)).collect(),
        }
    }
}

impl Summary {
    /// Of a span, with so many clients on average.
    pub(crate) fn of(span: &Span, clients: f64) -> Self {
        let seconds = span.seconds();
        let client_seconds = seconds * clients.max(1.0);
        let server = span.server;
        let inputs = server.inputs_late + server.inputs_on_time;
        let per_client = |counter| span.cut.count(counter) as f64 / client_seconds;
        Self {
            seconds,
            lateness_ms: Recorded::of(&span.lateness, span.now.lateness_max_s),
            ticks: server.ticks,
            ticks_skipped: server.skipped,
            inputs_sent: span.cut.count(Counter::Inputs),
            inputs_missed: span.cut.count(Counter::InputsMissed),
            inputs_late_percent: if inputs > 0.0 { server.inputs_late / inputs * 100.0 } else { 0.0 },
            input_to_ack_ms: Times::of(span.cut.timing(Timing::InputToAck)),
            lag_ms: Times::of(span.cut.timing(Timing::Lag)),
            observe_ms: Times::of(span.cut.timing(Timing::Observe)),
            act_ms: Times::of(span.cut.timing(Timing::Act)),
            observe_at_endpoint_ms: Recorded::of(&span.observes, f64::INFINITY),
            act_at_endpoint_ms: Recorded::of(&span.acts, f64::INFINITY),
            cut_off_ms: Times::of(span.cut.timing(Timing::CutOff)),
            calls_per_second: span.cut.count(Counter::Calls) as f64 / seconds,
            snapshots_per_client_second: per_client(Counter::Snapshots),
            messages_received_per_client_second: per_client(Counter::MessagesReceived),
            bytes_received_per_client_second: per_client(Counter::BytesReceived),
            inputs_per_client_second: per_client(Counter::Inputs),
            bytes_sent_per_client_second: per_client(Counter::BytesSent),
            matches_made: server.matches_made,
            match_panics: server.match_panics,
            unsent_bytes_max: span.now.unsent_bytes_max,
            process: span.now.usage.map(|usage| Process {
                cpu_seconds: server.cpu_seconds,
                cpu_percent: server.cpu_seconds / seconds * 100.0,
                cpu_percent_per_client: server.cpu_seconds / client_seconds * 100.0,
                foreign_percent: server.foreign_seconds / seconds * 100.0,
                rss_bytes: usage.rss_bytes,
                threads: usage.threads,
                descriptors: usage.descriptors,
                tasks: span.now.tasks,
            }),
        }
    }
}

impl Point {
    pub(crate) fn of(span: &Span) -> Self {
        let now = span.now;
        Self {
            at_s: span.end_s,
            clients: now.clients,
            agents: now.agents,
            attackers: now.attackers,
            summary: Summary::of(span, now.clients as f64),
        }
    }
}

/// What a report is made from.
#[derive(Debug)]
pub(crate) struct Findings {
    /// Everything that counted.
    pub(crate) total: Span,
    pub(crate) points: Vec<Point>,
    pub(crate) marks: Vec<(f64, String)>,
    pub(crate) arms: Vec<ArmReport>,
    pub(crate) turns: Vec<(f64, f64, usize)>,
    /// Before anybody came.
    pub(crate) before: Span,
    /// After everybody had left.
    pub(crate) after: Span,
    pub(crate) answers: BTreeMap<String, u64>,
    pub(crate) errors: (u64, Option<String>),
}

impl Report {
    pub(crate) fn new(scenario: &Scenario, findings: Findings) -> Self {
        let Findings { total, points, marks, arms, turns, before, after, answers, errors } = findings;
        let (errors, first_error) = errors;
        let client_seconds: f64 = points.iter().map(|point| point.clients as f64 * point.summary.seconds).sum();
        let summary = Summary::of(&total, client_seconds / total.seconds());
        let most = |of: fn(&Point) -> usize| points.iter().map(of).max().unwrap_or(0);
        let mut closes = total.closes;
        for (reason, count) in &after.closes {
            *closes.entry(reason.clone()).or_default() += count;
        }
        let mut report = Self {
            name: scenario.name.clone(),
            about: scenario.about.clone(),
            machine: machine::describe(),
            clients: most(|point| point.clients),
            agents: most(|point| point.agents),
            attackers: most(|point| point.attackers),
            total: summary,
            marks,
            arms,
            turns,
            answers,
            closes,
            sameness: None,
            verdicts: Vec::new(),
            errors,
            first_error,
            points,
        };
        report.verdicts = report.judge(scenario, &before, &after);
        report
    }

    /// Whether nothing failed and every gate was met.
    #[must_use]
    pub(crate) fn is_good(&self) -> bool {
        let is_same = self.sameness.as_ref().is_none_or(Sameness::is_proven);
        self.errors == 0 && is_same && self.verdicts.iter().all(|verdict| verdict.is_met)
    }

    /// The report for a person.
    #[must_use]
    pub(crate) fn table(&self) -> String {
        table::table(self)
    }

    /// The report as a page.
    pub(crate) fn html(&self) -> String {
        html::run(self)
    }

    /// What became of every gate that is set.
    fn judge(&self, scenario: &Scenario, before: &Span, after: &Span) -> Vec<Verdict> {
        let gates = &scenario.gates;
        let total = &self.total;
        let process = total.process;
        let usage = |of: fn(&Span) -> Option<f64>| Some(of(after)? - of(before)?);
        let timed = |times: Times, value: f64| (times.count > 0).then_some(value);
        let ack = total.input_to_ack_ms;
        let cut_off = total.cut_off_ms;
        let at_most = [
            ("tick_lateness_p50_ms_max", gates.tick_lateness_p50_ms_max, total.lateness_ms.p50),
            ("tick_lateness_p99_ms_max", gates.tick_lateness_p99_ms_max, total.lateness_ms.p99),
            ("tick_lateness_p999_ms_max", gates.tick_lateness_p999_ms_max, total.lateness_ms.p999),
            ("ticks_skipped_max", gates.ticks_skipped_max, Some(total.ticks_skipped)),
            ("input_to_ack_p50_ms_max", gates.input_to_ack_p50_ms_max, timed(ack, ack.p50)),
            ("input_to_ack_p99_ms_max", gates.input_to_ack_p99_ms_max, timed(ack, ack.p99)),
            ("inputs_late_percent_max", gates.inputs_late_percent_max, Some(total.inputs_late_percent)),
            (
                "bytes_received_per_client_second_max",
                gates.bytes_received_per_client_second_max,
                Some(total.bytes_received_per_client_second),
            ),
            (
                "cpu_percent_per_client_max",
                gates.cpu_percent_per_client_max,
                process.map(|process| process.cpu_percent_per_client),
            ),
            ("observe_p99_ms_max", gates.observe_p99_ms_max, total.observe_at_endpoint_ms.p99),
            ("act_p99_ms_max", gates.act_p99_ms_max, total.act_at_endpoint_ms.p99),
            ("errors_max", gates.errors_max, Some(self.errors as f64)),
            ("match_panics_max", gates.match_panics_max, Some(total.match_panics)),
            ("cut_off_max_s_max", gates.cut_off_max_s_max, timed(cut_off, cut_off.max / 1e3)),
            ("unsent_kib_max", gates.unsent_kib_max, Some(total.unsent_bytes_max as f64 / 1024.0)),
            ("rss_percent_per_hour_max", gates.rss_percent_per_hour_max, self.rss_percent_per_hour()),
            ("rss_growth_percent_max", gates.rss_growth_percent_max, self.rss_growth_percent()),
            ("tasks_left_max", gates.tasks_left_max, usage(|span| span.now.usage.map(|_| span.now.tasks))),
            (
                "descriptors_left_max",
                gates.descriptors_left_max,
                usage(|span| span.now.usage.map(|usage| usage.descriptors as f64)),
            ),
            (
                "arms_tick_lateness_p999_ms_more_max",
                gates.arms_tick_lateness_p999_ms_more_max,
                self.most_more(What::LatenessP999, false),
            ),
            (
                "arms_input_to_ack_p99_percent_more_max",
                gates.arms_input_to_ack_p99_percent_more_max,
                self.most_more(What::AckP99, true),
            ),
            ("arms_ticks_skipped_more_max", gates.arms_ticks_skipped_more_max, self.most_skipped_more()),
        ];
        let at_most =
            at_most.into_iter().filter_map(|(gate, limit, value)| Some(Verdict::at_most(gate, limit?, value)));
        let made =
            gates.matches_made_min.map(|limit| Verdict::at_least("matches_made_min", limit, Some(total.matches_made)));
        at_most.chain(made).collect()
    }

    /// The largest difference of any arm to the first, in the measure's unit or in percent.
    fn most_more(&self, what: What, in_percent: bool) -> Option<f64> {
        let base = self.arms.first()?.measure(what)?.value;
        let more = self.arms.iter().skip(1).filter_map(|arm| Some(arm.measure(what)?.more?.value));
        more.map(|more| if in_percent { more / base.max(1e-9) * 100.0 } else { more }).reduce(f64::max)
    }

    fn most_skipped_more(&self) -> Option<f64> {
        let base = self.arms.first()?.skipped;
        self.arms.iter().skip(1).map(|arm| arm.skipped - base).reduce(f64::max)
    }

    /// Memory by time, after the first third: until then it fills up.
    fn rss_after_warm_up(&self) -> Vec<(f64, f64)> {
        let all = self.points.iter().filter_map(|point| Some((point.at_s, point.summary.process?.rss_bytes as f64)));
        all.skip(self.points.len() / 3).collect()
    }

    /// How fast memory grows, by the line that fits best.
    fn rss_percent_per_hour(&self) -> Option<f64> {
        let points = self.rss_after_warm_up();
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (time, rss) = (mean(|point| point.0), mean(|point| point.1));
        let spread: f64 = points.iter().map(|point| (point.0 - time).powi(2)).sum();
        let slope = points.iter().map(|point| (point.0 - time) * (point.1 - rss)).sum::<f64>() / spread;
        (points.len() > 2).then_some(slope * 3600.0 / rss * 100.0)
    }

    /// Memory in the last tenth against the first tenth after the warm-up.
    fn rss_growth_percent(&self) -> Option<f64> {
        let points = self.rss_after_warm_up();
        let tenth = (points.len() / 10).max(1);
        let mean = |points: &[(f64, f64)]| points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64;
        let (first, last) = (mean(points.get(..tenth)?), mean(&points[points.len() - tenth..]));
        Some((last / first - 1.0) * 100.0)
    }
}

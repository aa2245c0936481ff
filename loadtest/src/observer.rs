//! What happened between two moments: from the server's metrics, from `/proc`, and from everybody's own tally.

use std::{collections::BTreeMap, sync::Arc};

use tokio::time::Instant;

use crate::{
    http::Endpoint,
    machine::{self, Cores, Usage},
    metrics::{Buckets, Scrape, growth},
    tally::{Cut, Tally},
};

/// Reads the server and the tally now and then.
#[derive(Debug)]
pub(crate) struct Observer {
    ops: Endpoint,
    /// The server's process, if it is ours.
    pid: Option<u32>,
    play_port: Option<u16>,
    cores: Option<Cores>,
    tally: Arc<Tally>,
    origin: Instant,
    last: Reading,
    /// Since then.
    unsent_bytes_max: u64,
}

#[derive(Debug)]
struct Reading {
    at: Instant,
    scrape: Scrape,
    usage: Option<Usage>,
    server_core_busy_s: f64,
}

/// What happened between two readings.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Seconds from the origin.
    pub(crate) start_s: f64,
    pub(crate) end_s: f64,
    pub(crate) lateness: Buckets,
    /// From a call's last byte to its answer.
    pub(crate) observes: Buckets,
    pub(crate) acts: Buckets,
    pub(crate) cut: Cut,
    pub(crate) server: Growth,
    /// By reason.
    pub(crate) closes: BTreeMap<String, f64>,
    /// At the end.
    pub(crate) now: Now,
}

/// What grew meanwhile, on the server's side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Growth {
    pub(crate) ticks: f64,
    pub(crate) skipped: f64,
    pub(crate) inputs_on_time: f64,
    pub(crate) inputs_late: f64,
    pub(crate) matches_made: f64,
    pub(crate) match_panics: f64,
    pub(crate) cpu_seconds: f64,
    /// Time that others took of the server's core.
    pub(crate) foreign_seconds: f64,
}

/// How things are at the end of a span.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Now {
    pub(crate) usage: Option<Usage>,
    pub(crate) tasks: f64,
    /// The longest lateness since the server's start.
    pub(crate) lateness_max_s: f64,
    /// Bytes that wait in the system for one socket, at most.
    pub(crate) unsent_bytes_max: u64,
    // Who there is; known to whoever runs the crowd.
    pub(crate) clients: usize,
    pub(crate) agents: usize,
    pub(crate) attackers: usize,
}

impl Observer {
    /// Takes a first reading.
    ///
    /// # Errors
    /// When the server does not answer.
    pub(crate) async fn new(
        ops: Endpoint,
        play: &str,
        pid: Option<u32>,
        cores: Option<Cores>,
        tally: Arc<Tally>,
    ) -> anyhow::Result<Self> {
        let last = Self::reading(&ops, pid, cores).await?;
        let play_port = play.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).filter(|_| pid.is_some());
        Ok(Self { ops, pid, play_port, cores, tally, origin: last.at, last, unsent_bytes_max: 0 })
    }

    async fn reading(ops: &Endpoint, pid: Option<u32>, cores: Option<Cores>) -> anyhow::Result<Reading> {
        let scrape = Scrape::read(ops).await?;
        let usage = pid.map(Usage::of).transpose()?;
        let server_core_busy_s = cores.map_or(0.0, |cores| machine::busy_seconds(cores.server));
        Ok(Reading { at: Instant::now(), scrape, usage, server_core_busy_s })
    }

    /// From now on time counts from here.
    pub(crate) fn set_origin(&mut self) {
        self.origin = self.last.at;
    }

    pub(crate) const fn origin(&self) -> Instant {
        self.origin
    }

    /// Looks at what can be seen only while it is so.
    pub(crate) fn glance(&mut self) {
        let unsent = self.play_port.map_or(0, machine::unsent_bytes_max);
        self.unsent_bytes_max = self.unsent_bytes_max.max(unsent);
    }

    /// What happened since the last time.
    ///
    /// # Errors
    /// When the server does not answer, or is gone.
    pub(crate) async fn span(&mut self) -> anyhow::Result<Span> {
        self.glance();
        let reading = Self::reading(&self.ops, self.pid, self.cores).await?;
        let before = std::mem::replace(&mut self.last, reading);
        let (earlier, now) = (&before.scrape, &self.last.scrape);
        let grown = |name| growth(name, earlier, now);
        let histogram = |name, label| now.histogram(name, label).since(&earlier.histogram(name, label));
        let calls = |label| histogram("matchd_contract_call_seconds", label);
        let cpu = |reading: &Reading| reading.usage.map_or(0.0, |usage| usage.cpu_seconds);
        let cpu_seconds = cpu(&self.last) - cpu(&before);
        let foreign_seconds = (self.last.server_core_busy_s - before.server_core_busy_s - cpu_seconds).max(0.0);
        let closes = now.series("matchd_socket_closes_total").filter_map(|(labels, count)| {
            let was = earlier.series("matchd_socket_closes_total").find(|(other, _)| *other == labels);
            let more = count - was.map_or(0.0, |(_, count)| count);
            (more > 0.0).then(|| (labels.split('"').nth(1).unwrap_or_default().to_owned(), more))
        });
        let seconds = |at: Instant| at.saturating_duration_since(self.origin).as_secs_f64();
        Ok(Span {
            start_s: seconds(before.at),
            end_s: seconds(self.last.at),
            lateness: histogram("matchd_tick_lateness_seconds", ""),
            observes: calls("call=\"observe\""),
            acts: calls("call=\"act\""),
            cut: self.tally.cut(),
            server: Growth {
                ticks: grown("matchd_ticks_total"),
                skipped: grown("matchd_ticks_skipped_total"),
                inputs_on_time: grown("matchd_inputs_on_time_total"),
                inputs_late: grown("matchd_inputs_late_total"),
                matches_made: grown("matchd_matches_made_total"),
                match_panics: grown("matchd_match_panics_total"),
                cpu_seconds,
                foreign_seconds: if self.cores.is_some() { foreign_seconds } else { 0.0 },
            },
            closes: closes.collect(),
            now: Now {
                usage: self.last.usage,
                tasks: now.sum("matchd_tasks"),
                lateness_max_s: now.sum("matchd_tick_lateness_max_seconds"),
                unsent_bytes_max: std::mem::take(&mut self.unsent_bytes_max),
                clients: 0,
                agents: 0,
                attackers: 0,
            },
        })
    }
}

impl Span {
    /// Adds the span that comes next.
    pub(crate) fn add(&mut self, next: &Self) {
        self.end_s = next.end_s;
        self.lateness.add(&next.lateness);
        self.observes.add(&next.observes);
        self.acts.add(&next.acts);
        self.cut.add(&next.cut);
        let (sum, more) = (&mut self.server, next.server);
        sum.ticks += more.ticks;
        sum.skipped += more.skipped;
        sum.inputs_on_time += more.inputs_on_time;
        sum.inputs_late += more.inputs_late;
        sum.matches_made += more.matches_made;
        sum.match_panics += more.match_panics;
        sum.cpu_seconds += more.cpu_seconds;
        sum.foreign_seconds += more.foreign_seconds;
        for (reason, count) in &next.closes {
            *self.closes.entry(reason.clone()).or_default() += count;
        }
        let unsent_bytes_max = self.now.unsent_bytes_max.max(next.now.unsent_bytes_max);
        self.now = Now { unsent_bytes_max, ..next.now };
    }

    pub(crate) fn seconds(&self) -> f64 {
        (self.end_s - self.start_s).max(1e-9)
    }
}

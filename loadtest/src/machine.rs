//! The machine: which core runs what, and what a process costs. Linux tells all of it in `/proc`.

use std::{fs, path::PathBuf, sync::OnceLock, time::Duration};

use anyhow::Context as _;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;
use tokio::time::{Instant, sleep};

/// Clock ticks in a second of `/proc`: the same on every Linux there is.
const PROC_TICKS_PER_SECOND: f64 = 100.0;

/// A core is quiet when it was busy for less than this share of a look.
const QUIET_SHARE_MAX: f64 = 0.1;
const QUIET_LOOK: Duration = Duration::from_secs(1);

const PAGE_BYTES: u64 = 4096;

/// Where server and load run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    /// The server's.
    pub(crate) server: usize,
    /// Of the load itself.
    pub(crate) load: usize,
}

impl Cores {
    /// The first two cores this process could use when it began.
    ///
    /// # Errors
    /// When there were fewer.
    pub(crate) fn pick() -> anyhow::Result<Self> {
        // Asked once: later this thread is bound to one of them.
        static PICKED: OnceLock<Option<Cores>> = OnceLock::new();
        let picked = PICKED.get_or_init(|| {
            let allowed = sched_getaffinity(None).ok()?;
            let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
            Some(Self { server: cores.next()?, load: cores.next()? })
        });
        picked.context("server and load need a core each, and there is only one: let them share it with --no-pin")
    }

    /// Binds this thread to a core, and whatever it starts from now on.
    pub(crate) fn bind(core: usize) -> anyhow::Result<()> {
        let mut only = CpuSet::new();
        only.set(core);
        sched_setaffinity(None, &only).with_context(|| format!("cannot run on core {core}"))
    }
}

/// What a process has used so far and holds now.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Usage {
    pub(crate) cpu_seconds: f64,
    pub(crate) rss_bytes: u64,
    pub(crate) threads: u64,
    pub(crate) descriptors: u64,
}

impl Usage {
    pub(crate) fn of(pid: u32) -> anyhow::Result<Self> {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let stat = fs::read_to_string(folder.join("stat")).context("the server is gone")?;
        // The name in parentheses may hold spaces; what follows is numbers.
        let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        Ok(Self {
            cpu_seconds: (field(14) + field(15)) as f64 / PROC_TICKS_PER_SECOND,
            rss_bytes: field(24) * PAGE_BYTES,
            threads: field(20),
            descriptors: fs::read_dir(folder.join("fd")).map_or(0, |entries| entries.count() as u64),
        })
    }
}

/// Seconds that a core has spent on anything but waiting.
pub(crate) fn busy_seconds(core: usize) -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().find_map(|line| line.strip_prefix(&format!("cpu{core} "))).unwrap_or_default();
    let ticks: Vec<f64> = line.split_whitespace().filter_map(|text| text.parse().ok()).collect();
    // user, nice, system, then after idle and iowait: irq, softirq, steal.
    [0, 1, 2, 5, 6, 7].iter().filter_map(|at| ticks.get(*at)).sum::<f64>() / PROC_TICKS_PER_SECOND
}

/// Waits until others leave the cores alone, at most so long. Whether they did.
pub(crate) async fn quiet(cores: Cores, wait_max: Duration) -> bool {
    let start = Instant::now();
    let busy = || [cores.server, cores.load].map(busy_seconds);
    loop {
        let (before, since) = (busy(), Instant::now());
        sleep(QUIET_LOOK).await;
        let seconds = since.elapsed().as_secs_f64();
        if busy().iter().zip(before).all(|(after, before)| (after - before) / seconds < QUIET_SHARE_MAX) {
            return true;
        }
        if start.elapsed() >= wait_max {
            return false;
        }
    }
}

/// The most bytes that wait in the system for the other side of one connection, among those of a local port.
pub(crate) fn unsent_bytes_max(port: u16) -> u64 {
    let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let local = format!(":{port:04X}");
    let queues = table.lines().skip(1).filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next().filter(|address| address.ends_with(&local))?;
        let (unsent, _) = words.nth(2)?.split_once(':')?;
        u64::from_str_radix(unsent, 16).ok()
    });
    queues.max().unwrap_or(0)
}

/// The processor and the system, for the report.
pub(crate) fn describe() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpu.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = field("model name").unwrap_or_else(|| "unknown processor".to_owned());
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{model}, {cores} cores, Linux {}", kernel.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_can_be_looked_at() {
        let usage = Usage::of(std::process::id()).expect("Linux");
        assert!(usage.rss_bytes > 100_000 && usage.threads >= 1 && usage.descriptors >= 3, "{usage:?}");
        assert!(Usage::of(u32::MAX).is_err());
    }
}

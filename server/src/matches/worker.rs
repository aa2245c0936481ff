//! The threads that tick matches.
//!
//! Each owns its matches outright and sleeps until the next deadline or until somebody wakes it. Matches get deadlines
//! spread over the period, so that many on one thread do not all wait for each other.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle, Thread},
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::{
    clock::TickClock,
    guard::{Failure, guard, silence_guarded_panics},
    presence::{Presence, Status, Uptime},
};
use crate::{metrics::Metrics, priority};

/// An idle worker shows this often that it is alive.
const BEAT: Duration = Duration::from_secs(1);

/// How many different deadlines within a period matches get.
const PHASES: u32 = 16;

/// A match as its worker sees it.
pub(crate) trait Ticked: Send {
    /// Who cares about it.
    fn presence(&self) -> &Presence;
    /// Its pace.
    fn ticks_per_second(&self) -> u16;
    /// Runs one tick.
    fn tick(&mut self);
    /// Takes note of time that is left out.
    fn skip(&mut self, ticks: u64);
    /// Its key and newest tick, for the record of its end.
    fn epitaph(&self) -> String;
}

/// A match that a worker let go of. Whoever keeps the records drops it.
pub(crate) struct Gone {
    /// The match.
    pub(crate) ticked: Box<dyn Ticked>,
    /// How it failed, if that is why.
    pub(crate) failure: Option<Failure>,
}

/// What others know of a worker.
#[derive(Debug)]
pub(crate) struct WorkerHandle {
    thread: OnceLock<Thread>,
    /// Matches it has not taken over yet. It never waits for this lock: whoever holds it rouses it afterwards.
    incoming: Mutex<Vec<NewMatch>>,
    /// Somebody came to a match that sleeps: sleepers are looked at only then.
    is_roused: AtomicBool,
    /// Matches given to it and not gone yet.
    pub(crate) load: AtomicUsize,
    /// When it last moved.
    beat_ms: AtomicU64,
    stop: AtomicBool,
}

struct NewMatch(Box<dyn Ticked>);

impl std::fmt::Debug for NewMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.epitaph())
    }
}

/// What a worker needs from the rest of the server.
pub(crate) struct WorkerParts {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) uptime: Uptime,
    pub(crate) sleep_after_ms: u64,
    /// Whether it is to go before other threads, if it may.
    pub(crate) realtime: bool,
    /// Takes the matches it let go of. Must not wait.
    pub(crate) bury: Box<dyn Fn(Gone) + Send>,
}

impl WorkerHandle {
    pub(crate) fn new(uptime: Uptime) -> Arc<Self> {
        Arc::new(Self {
            thread: OnceLock::new(),
            incoming: Mutex::default(),
            is_roused: AtomicBool::new(false),
            load: AtomicUsize::new(0),
            beat_ms: AtomicU64::new(uptime.now_ms()),
            stop: AtomicBool::new(false),
        })
    }

    /// Starts the thread.
    pub(crate) fn start(self: &Arc<Self>, name: String, parts: WorkerParts) -> std::io::Result<JoinHandle<()>> {
        silence_guarded_panics();
        let handle = Arc::clone(self);
        let thread = thread::Builder::new().name(name).spawn(move || Worker::new(handle, parts).run())?;
        let _ = self.thread.set(thread.thread().clone());
        self.rouse();
        Ok(thread)
    }

    /// Gives it a match, asleep.
    pub(crate) fn adopt(&self, ticked: Box<dyn Ticked>) {
        self.load.fetch_add(1, Ordering::Relaxed);
        self.incoming.lock().push(NewMatch(ticked));
        self.rouse();
    }

    /// Has it look at everything, sleepers included.
    pub(crate) fn rouse(&self) {
        self.is_roused.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Tells it to end.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.rouse();
    }

    /// When it last moved, on the server's clock.
    pub(crate) fn beat_ms(&self) -> u64 {
        self.beat_ms.load(Ordering::Relaxed)
    }
}

struct Worker {
    handle: Arc<WorkerHandle>,
    parts: WorkerParts,
    matches: Vec<Running>,
    started: Instant,
    next_phase: u32,
}

struct Running {
    ticked: Box<dyn Ticked>,
    /// `None` while the match sleeps.
    clock: Option<TickClock>,
}

enum Attended {
    /// Nothing to do for this match before then.
    Until(Instant),
    /// Nothing to do until somebody comes.
    Asleep,
    Ended(Option<Failure>),
}

impl Worker {
    fn new(handle: Arc<WorkerHandle>, parts: WorkerParts) -> Self {
        Self { handle, parts, matches: Vec::new(), started: Instant::now(), next_phase: 0 }
    }

    fn run(mut self) {
        priority::wake_on_time();
        if self.parts.realtime {
            let permitted = priority::go_first();
            tracing::info!(permitted, "real-time scheduling of a match worker");
        }
        while !self.handle.stop.load(Ordering::Relaxed) {
            self.handle.beat_ms.store(self.parts.uptime.now_ms(), Ordering::Relaxed);
            if let Some(mut incoming) = self.handle.incoming.try_lock() {
                self.matches.extend(incoming.drain(..).map(|NewMatch(ticked)| Running { ticked, clock: None }));
            }
            let wake = self.attend_all();
            let rest = wake.saturating_duration_since(Instant::now());
            if !rest.is_zero() {
                thread::park_timeout(rest);
            }
        }
    }

    /// Ticks what is due. Returns when something is due next.
    fn attend_all(&mut self) -> Instant {
        let now = Instant::now();
        let mut wake = now + BEAT;
        let is_roused = self.handle.is_roused.swap(false, Ordering::SeqCst);
        let mut at = 0;
        while at < self.matches.len() {
            // Most matches are not due at any one time: not more of them than their deadline is looked at.
            let attended = match self.matches[at].clock.as_ref().map(TickClock::deadline) {
                Some(deadline) if deadline > now => Attended::Until(deadline),
                None if !is_roused => Attended::Asleep,
                _ => self.attend(at),
            };
            match attended {
                Attended::Until(deadline) => {
                    wake = wake.min(deadline);
                    at += 1;
                }
                Attended::Asleep => at += 1,
                Attended::Ended(failure) => {
                    let Running { ticked, .. } = self.matches.swap_remove(at);
                    self.handle.load.fetch_sub(1, Ordering::Relaxed);
                    (self.parts.bury)(Gone { ticked, failure });
                }
            }
        }
        wake
    }

    fn attend(&mut self, at: usize) -> Attended {
        let Running { ticked, clock } = &mut self.matches[at];
        if ticked.presence().status() != Status::Live {
            return Attended::Ended(None);
        }
        if !is_awake(ticked.presence(), clock.is_some(), self.parts.sleep_after_ms) {
            *clock = None;
            return Attended::Asleep;
        }
        let clock = clock.get_or_insert_with(|| {
            self.next_phase = (self.next_phase + 1) % PHASES;
            let start = next_start(self.started, Instant::now(), ticked.ticks_per_second(), self.next_phase);
            TickClock::new(start, ticked.ticks_per_second())
        });
        match run_due(ticked.as_mut(), clock, &self.parts.metrics) {
            Ok(()) => Attended::Until(clock.deadline()),
            Err(failure) => {
                ticked.presence().end(Status::Failed);
                Attended::Ended(Some(failure))
            }
        }
    }
}

/// Decides whether a match is ticked on. Whoever comes sees `asleep` and rouses the worker, or came early enough for the
/// second look here to see them.
fn is_awake(presence: &Presence, was_awake: bool, sleep_after_ms: u64) -> bool {
    let mut is_awake = presence.is_wanted(sleep_after_ms);
    if is_awake == was_awake {
        return is_awake;
    }
    presence.set_asleep(!is_awake);
    if !is_awake && presence.is_wanted(sleep_after_ms) {
        presence.set_asleep(false);
        is_awake = true;
    }
    is_awake
}

fn run_due(ticked: &mut dyn Ticked, clock: &mut TickClock, metrics: &Metrics) -> Result<(), Failure> {
    let mut started = Instant::now();
    let due = clock.due(started);
    if due.skipped > 0 {
        metrics.ticks_skipped.inc_by(due.skipped);
        ticked.skip(due.skipped);
    }
    for _ in 0..due.ticks {
        metrics.tick_lateness.observe(started.saturating_duration_since(clock.deadline()));
        clock.pass();
        guard(|| ticked.tick())?;
        let ended = Instant::now();
        metrics.tick_duration.observe(ended.saturating_duration_since(started));
        metrics.ticks.inc();
        started = ended;
    }
    Ok(())
}

/// The first moment after `now` in this phase of the period.
fn next_start(origin: Instant, now: Instant, ticks_per_second: u16, phase: u32) -> Instant {
    let period = Duration::from_secs(1) / u32::from(ticks_per_second);
    let offset = period * phase / PHASES;
    let elapsed = now.saturating_duration_since(origin);
    let periods = elapsed.as_nanos() / period.as_nanos();
    let whole = Duration::from_nanos(u64::try_from(periods * period.as_nanos()).unwrap_or(u64::MAX));
    let start = origin + whole + offset;
    if start > now { start } else { start + period }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_start_soon_and_in_their_phase() {
        let origin = Instant::now();
        for phase in 0..PHASES {
            for after_us in [0, 1, 900, 16_666, 16_667, 99_999, 3_600_000_000] {
                let now = origin + Duration::from_micros(after_us);
                let start = next_start(origin, now, 60, phase);
                assert!(start > now && start - now <= Duration::from_secs(1) / 60, "{phase} {after_us}");
            }
        }
    }
}

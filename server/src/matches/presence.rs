//! Who cares about a match, and so whether it is ticked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::SeqCst},
    },
    time::Instant,
};

use tokio::sync::Notify;

use super::worker::WorkerHandle;

/// The server's monotonic clock in milliseconds, from 1 up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uptime(Instant);

impl Uptime {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now_ms(self) -> u64 {
        1 + u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }
}

/// How a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It can be played.
    Live,
    /// Its simulation failed.
    Failed,
    /// It was ended.
    Over,
}

/// Who cares about a match. Written by sockets and calls, read by the worker; nobody ever waits.
#[derive(Debug)]
pub(crate) struct Presence {
    /// Open sockets.
    visitors: AtomicU32,
    /// When somebody last came, called or left; 0 for never.
    touched_ms: AtomicU64,
    /// Set by the worker while it does not look at the clock for this match: whoever comes must rouse the worker.
    asleep: AtomicBool,
    status: AtomicU8,
    /// Woken by the worker when there is something new to send, at most once per tick.
    pub(crate) news: Notify,
    worker: Arc<WorkerHandle>,
    uptime: Uptime,
}

impl Presence {
    pub(crate) const fn new(worker: Arc<WorkerHandle>, uptime: Uptime) -> Self {
        Self {
            visitors: AtomicU32::new(0),
            touched_ms: AtomicU64::new(0),
            asleep: AtomicBool::new(true),
            status: AtomicU8::new(Status::Live as u8),
            news: Notify::const_new(),
            worker,
            uptime,
        }
    }

    /// Somebody is here now: the match is to be ticked for a while.
    pub(crate) fn touch(&self) {
        self.touched_ms.store(self.uptime.now_ms(), SeqCst);
        self.rouse();
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.uptime.now_ms()
    }

    pub(crate) fn has_visitors(&self) -> bool {
        self.visitors.load(SeqCst) > 0
    }

    /// Whether somebody is here, or was within this time.
    pub(crate) fn is_wanted(&self, within_ms: u64) -> bool {
        let touched_ms = self.touched_ms.load(SeqCst);
        self.has_visitors() || touched_ms != 0 && self.uptime.now_ms().saturating_sub(touched_ms) < within_ms
    }

    pub(crate) fn set_asleep(&self, asleep: bool) {
        self.asleep.store(asleep, SeqCst);
    }

    pub(crate) fn is_asleep(&self) -> bool {
        self.asleep.load(SeqCst)
    }

    pub(crate) fn status(&self) -> Status {
        match self.status.load(SeqCst) {
            0 => Status::Live,
            1 => Status::Failed,
            _ => Status::Over,
        }
    }

    /// Ends the match. Sockets and callers find out, and the worker lets go of it.
    pub(crate) fn end(&self, status: Status) {
        self.status.store(status as u8, SeqCst);
        self.news.notify_one();
        self.rouse();
    }

    fn rouse(&self) {
        if self.is_asleep() {
            self.worker.rouse();
        }
    }

    /// A socket comes.
    pub(crate) fn arrive(&self) {
        self.visitors.fetch_add(1, SeqCst);
        self.touch();
    }

    /// A socket goes.
    pub(crate) fn depart(&self) {
        self.touched_ms.store(self.uptime.now_ms(), SeqCst);
        self.visitors.fetch_sub(1, SeqCst);
    }
}

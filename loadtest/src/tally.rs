//! What all players and Agents count together. Tasks share it, so it is made of atomics and of locks nobody waits for.

use std::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use hdrhistogram::Histogram;

/// Counters of the measured window.
#[derive(Debug)]
pub(crate) struct Tally {
    counting: AtomicBool,
    /// Inputs sent.
    pub(crate) inputs: AtomicU64,
    /// Bytes of all input messages.
    pub(crate) bytes_sent: AtomicU64,
    /// Snapshots received.
    pub(crate) snapshots: AtomicU64,
    /// Bytes of all messages received, as WebSocket payload.
    pub(crate) bytes_received: AtomicU64,
    /// Time from when an input was due to be sent to the first snapshot that shows its tick.
    input_to_ack: Mutex<Histogram<u64>>,
    /// Time an Agent's `observe` took.
    observe: Mutex<Histogram<u64>>,
    /// Time an Agent's `act` took.
    act: Mutex<Histogram<u64>>,
    errors: AtomicU64,
    first_error: Mutex<Option<String>>,
}

/// Which time is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Latency {
    InputToAck,
    Observe,
    Act,
}

impl Tally {
    pub(crate) fn new() -> Self {
        // Up to a minute in microseconds, three digits.
        let histogram = || Mutex::new(Histogram::new_with_bounds(1, 60_000_000, 3).expect("legal bounds"));
        Self {
            counting: AtomicBool::new(false),
            inputs: AtomicU64::new(0),
            bytes_sent: AtomicU64::new(0),
            snapshots: AtomicU64::new(0),
            bytes_received: AtomicU64::new(0),
            input_to_ack: histogram(),
            observe: histogram(),
            act: histogram(),
            errors: AtomicU64::new(0),
            first_error: Mutex::new(None),
        }
    }

    pub(crate) fn start_counting(&self) {
        self.counting.store(true, Relaxed);
    }

    pub(crate) fn stop_counting(&self) {
        self.counting.store(false, Relaxed);
    }

    pub(crate) fn count(&self, counter: &AtomicU64, by: usize) {
        if self.counting.load(Relaxed) {
            counter.fetch_add(by as u64, Relaxed);
        }
    }

    pub(crate) fn record(&self, latency: Latency, took: Duration) {
        if self.counting.load(Relaxed) {
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            self.histogram(latency).saturating_record(micros.max(1));
        }
    }

    pub(crate) fn histogram(&self, latency: Latency) -> MutexGuard<'_, Histogram<u64>> {
        let histogram = match latency {
            Latency::InputToAck => &self.input_to_ack,
            Latency::Observe => &self.observe,
            Latency::Act => &self.act,
        };
        histogram.lock().expect("nobody panics while holding it")
    }

    /// Counts a failure, whenever it happens, and keeps the first one's text.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        self.errors.fetch_add(1, Relaxed);
        let mut first = self.first_error.lock().expect("nobody panics while holding it");
        first.get_or_insert_with(|| format!("{error:#}"));
    }

    pub(crate) fn errors(&self) -> (u64, Option<String>) {
        (self.errors.load(Relaxed), self.first_error.lock().expect("nobody panics while holding it").clone())
    }
}

//! What all players, Agents and attackers count together. Tasks share it, so it is made of atomics and of locks nobody
//! waits for.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use hdrhistogram::Histogram;

/// Counters since the start, and times since the last [`Tally::cut`].
#[derive(Debug)]
pub(crate) struct Tally {
    counters: [AtomicU64; Counter::ALL.len()],
    timings: [Mutex<Histogram<u64>>; Timing::ALL.len()],
    /// Answers to Agents and attackers, by what they were.
    answers: Mutex<BTreeMap<String, u64>>,
    errors: AtomicU64,
    first_error: Mutex<Option<String>>,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// Inputs sent by players.
    Inputs,
    /// Inputs that were not sent because their time had passed: the load itself could not keep up.
    InputsMissed,
    /// Bytes of all input messages.
    BytesSent,
    /// Snapshots received by players and spectators.
    Snapshots,
    /// Messages received by players and spectators, of any kind.
    MessagesReceived,
    /// Bytes of all messages received by players and spectators, as WebSocket payload.
    BytesReceived,
    /// Times somebody came to play or watch.
    Arrivals,
    /// Calls made by Agents and hostile callers.
    Calls,
}

/// Which time is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// From when an input was due to be sent to the first snapshot that shows its tick.
    InputToAck,
    /// From when an input was due to when it was sent: how late the load itself was.
    Lag,
    /// An honest Agent's `observe`, from when it was due.
    Observe,
    /// An honest Agent's `act`, from when it was due.
    Act,
    /// From when a reader stopped reading to when the server closed its socket.
    CutOff,
}

impl Counter {
    const ALL: [Self; 8] = [
        Self::Inputs,
        Self::InputsMissed,
        Self::BytesSent,
        Self::Snapshots,
        Self::MessagesReceived,
        Self::BytesReceived,
        Self::Arrivals,
        Self::Calls,
    ];
}

impl Timing {
    const ALL: [Self; 5] = [Self::InputToAck, Self::Lag, Self::Observe, Self::Act, Self::CutOff];
}

/// Everything counted and timed between two cuts, or up to one.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    counters: [u64; Counter::ALL.len()],
    timings: [Histogram<u64>; Timing::ALL.len()],
}

impl Cut {
    pub(crate) fn count(&self, counter: Counter) -> u64 {
        self.counters[counter as usize]
    }

    pub(crate) fn timing(&self, timing: Timing) -> &Histogram<u64> {
        &self.timings[timing as usize]
    }

    /// Adds what another one holds.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, more) in self.counters.iter_mut().zip(other.counters) {
            *sum += more;
        }
        for (sum, more) in self.timings.iter_mut().zip(&other.timings) {
            sum.add(more).expect("all histograms have the same bounds");
        }
    }
}

/// Up to a minute in microseconds, two digits.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 2).expect("legal bounds")
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            counters: [const { AtomicU64::new(0) }; Counter::ALL.len()],
            timings: Timing::ALL.map(|_| Mutex::new(histogram())),
            answers: Mutex::default(),
            errors: AtomicU64::new(0),
            first_error: Mutex::new(None),
        }
    }

    pub(crate) fn count(&self, counter: Counter, by: usize) {
        self.counters[counter as usize].fetch_add(by as u64, Relaxed);
    }

    pub(crate) fn record(&self, timing: Timing, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        lock(&self.timings[timing as usize]).saturating_record(micros.max(1));
    }

    /// Notes what somebody was answered, or how a socket ended.
    pub(crate) fn answer(&self, what: &str) {
        let mut answers = lock(&self.answers);
        match answers.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(answers.insert(what.to_owned(), 1)),
        }
    }

    /// Takes out what came in since the last cut.
    pub(crate) fn cut(&self) -> Cut {
        Cut {
            counters: std::array::from_fn(|at| self.counters[at].swap(0, Relaxed)),
            timings: std::array::from_fn(|at| std::mem::replace(&mut *lock(&self.timings[at]), histogram())),
        }
    }

    /// Counts a failure and keeps the first one's text.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        self.errors.fetch_add(1, Relaxed);
        lock(&self.first_error).get_or_insert_with(|| format!("{error:#}"));
    }

    pub(crate) fn errors(&self) -> (u64, Option<String>) {
        (self.errors.load(Relaxed), lock(&self.first_error).clone())
    }

    pub(crate) fn answers(&self) -> BTreeMap<String, u64> {
        lock(&self.answers).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_holds_what_came_in_since_the_last() {
        let tally = Tally::new();
        tally.count(Counter::Calls, 2);
        tally.record(Timing::Act, Duration::from_millis(3));
        let mut sum = tally.cut();
        tally.count(Counter::Calls, 5);
        let second = tally.cut();
        assert_eq!((sum.count(Counter::Calls), second.count(Counter::Calls)), (2, 5));
        assert_eq!((sum.timing(Timing::Act).len(), second.timing(Timing::Act).len()), (1, 0));
        sum.add(&second);
        assert_eq!(sum.count(Counter::Calls), 7);
    }
}

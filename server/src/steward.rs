//! The thread that keeps house, so that workers need not: it records and drops matches that are gone, and once a second
//! ends those that nobody needs.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    time::Duration,
};

use crate::{directory::Directory, matches::Gone, metrics::Metrics, shutdown::Shutdown};

const ROUND: Duration = Duration::from_secs(1);

/// Keeps house until the order to stop.
pub(crate) fn keep_house(
    directory: &Directory,
    gone: &mpsc::Receiver<Gone>,
    metrics: &Arc<Metrics>,
    shutdown: &Shutdown,
) {
    while !shutdown.has_begun() {
        match gone.recv_timeout(ROUND) {
            Ok(gone) => bury(gone, metrics),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        directory.sweep();
    }
}

fn bury(gone: Gone, metrics: &Metrics) {
    let Gone { ticked, panic } = gone;
    let whose = ticked.epitaph();
    match panic {
        Some(panic) => {
            metrics.match_panics.inc();
            tracing::error!(whose, reason = words(panic.as_ref()), "match failed");
        }
        None => tracing::info!(whose, "match is gone"),
    }
    // A world that failed may fail again while it is dropped.
    if catch_unwind(AssertUnwindSafe(|| drop(ticked))).is_err() {
        tracing::error!(whose, "match failed while it was dropped");
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without words")
}

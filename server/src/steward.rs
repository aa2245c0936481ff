//! The thread that keeps house, so that workers need not: it records and drops matches that are gone, and once a second
//! ends those that nobody needs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    time::Duration,
};

use crate::{
    directory::Directory,
    matches::{Failure, Gone},
    metrics::Metrics,
};

const ROUND: Duration = Duration::from_secs(1);

/// Keeps house until every worker has stopped.
pub(crate) fn keep_house(directory: &Directory, gone: &mpsc::Receiver<Gone>, metrics: &Metrics) {
    loop {
        match gone.recv_timeout(ROUND) {
            Ok(gone) => bury(gone, metrics),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        directory.sweep();
    }
}

fn bury(gone: Gone, metrics: &Metrics) {
    let Gone { ticked, failure } = gone;
    let whose = ticked.epitaph();
    match failure {
        Some(Failure { words, place }) => {
            metrics.match_panics.inc();
            tracing::error!(whose, words, place, "match failed");
        }
        None => tracing::info!(whose, "match is gone"),
    }
    // A world that failed may fail again while it is dropped.
    if catch_unwind(AssertUnwindSafe(|| drop(ticked))).is_err() {
        tracing::error!(whose, "match failed while it was dropped");
    }
}

//! Looking for news less often while there is much of it.
//!
//! Under load a thread of a runtime is woken for nearly every message, and waking takes longer than the message does. So
//! a thread that was woken a moment ago rests until the moment is over, and then finds all that came meanwhile: what is
//! called interrupt moderation in network cards. A thread that has little to do is never held up.

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};

use tokio::runtime::Builder;

thread_local! {
    /// When this thread was woken last.
    static WOKEN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Has each thread of a runtime be woken once in such a time at most; whatever comes may wait that long. Zero changes
/// nothing.
pub(crate) fn moderate(builder: &mut Builder, interval: Duration) {
    if interval.is_zero() {
        return;
    }
    builder.on_thread_unpark(|| WOKEN.set(Some(Instant::now())));
    builder.on_thread_park(move || {
        let moment_left = |woken: Instant| interval.saturating_sub(woken.elapsed());
        if let Some(rest) = WOKEN.get().map(moment_left).filter(|rest| !rest.is_zero()) {
            thread::sleep(rest);
        }
    });
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(20);

    #[test]
    fn a_thread_is_woken_once_in_an_interval_and_misses_nothing() {
        const MESSAGES: usize = 150;
        let mut builder = Builder::new_multi_thread();
        moderate(&mut builder, INTERVAL);
        let runtime = builder.worker_threads(1).enable_all().build().expect("a thread");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let started = Instant::now();
        let hear = runtime.spawn(async move {
            let (mut heard, mut wakes) = (Vec::new(), 0);
            while receiver.recv_many(&mut heard, MESSAGES).await > 0 {
                wakes += 1;
            }
            (heard, wakes)
        });
        for at in 0..MESSAGES {
            sender.send(at).expect("it listens");
            thread::sleep(Duration::from_millis(1));
        }
        drop(sender);
        let (heard, wakes) = runtime.block_on(hear).expect("it ends");
        assert!(heard.into_iter().eq(0..MESSAGES));
        // However long the machine took for it.
        let intervals = started.elapsed().as_millis() / INTERVAL.as_millis();
        assert!(wakes <= intervals + 2, "{wakes} in {intervals}");
    }
}

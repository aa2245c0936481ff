//! Who goes first when threads share a core.
//!
//! A tick is due at a moment; a snapshot may leave a moment later, and an Agent thinks for seconds. So match workers come
//! first, sockets second, Agents' calls last. Stepping back needs no permission, and is what everything but a tick does. Going
//! first does: a worker that may is a real-time thread, which runs the moment it is due, whatever runs then. Where a system
//! cannot do it, or does not let it be done, everybody goes on as before.

#[cfg(target_os = "linux")]
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};

/// How far the sync path steps back behind match workers, in steps of `nice`.
pub(crate) const PLAY: i32 = 5;

/// How far the contract and operations paths step back.
pub(crate) const CONTRACT: i32 = 10;

const _: () = assert!(0 < PLAY && PLAY < CONTRACT);

/// Has this thread run whenever it can, before all that are no real-time threads. Whether that is permitted. A thread that
/// never rests leaves the others a twentieth of its core, by Linux's default.
#[cfg(target_os = "linux")]
pub(crate) fn go_first() -> bool {
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy).is_ok()
}

/// Has this thread step back from where its process stands.
#[cfg(target_os = "linux")]
pub(crate) fn step_back(by: i32) {
    // On Linux both are about the calling thread alone. The system cuts off what is too much.
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, nice + by);
    }
}

/// Has this thread be woken when it asked for it: by default Linux takes up to 50 µs more, to wake several at once.
#[cfg(target_os = "linux")]
pub(crate) fn wake_on_time() {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Elsewhere it is not tried.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn go_first() -> bool {
    false
}

/// Elsewhere priorities are not a thread's own.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn step_back(_by: i32) {}

/// Elsewhere there is no such setting.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn wake_on_time() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use rustix::{process::getpriority_process, thread::current_timer_slack};
    use thread_priority::thread_schedule_policy;

    use super::*;

    #[test]
    fn a_thread_steps_back_alone() {
        let nice = || getpriority_process(None).expect("a thread has a priority");
        let before = nice();
        let stepped = thread::spawn(move || {
            step_back(1);
            nice()
        });
        assert_eq!(stepped.join().expect("it does not panic"), (before + 1).min(19));
        assert_eq!(nice(), before, "only that thread");
    }

    #[test]
    fn a_thread_goes_first_alone_and_is_told_whether_it_may() {
        let policy = || thread_schedule_policy().expect("a thread has a policy");
        let before = policy();
        let (may, after) = thread::spawn(move || (go_first(), policy())).join().expect("it does not panic");
        let first = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        assert_eq!(after, if may { first } else { before });
        assert_eq!(policy(), before, "only that thread");
    }

    #[test]
    fn a_thread_is_woken_on_time_alone() {
        let slack = || current_timer_slack().expect("a thread has a slack");
        let prompt = thread::spawn(move || {
            wake_on_time();
            slack()
        });
        assert_eq!(prompt.join().expect("it does not panic"), 1);
        assert!(slack() > 1, "only that thread");
    }
}

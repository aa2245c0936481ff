//! The wall around one match's tick: what fails inside ends that match and costs the others no time.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind},
    sync::Once,
};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Why a match failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What the panic said.
    pub(crate) words: String,
    /// Where in the source it was.
    pub(crate) place: String,
}

/// Runs something that may panic.
pub(super) fn guard(run: impl FnOnce()) -> Result<(), Failure> {
    IS_GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(false);
    result.map_err(|panic| Failure { words: words(panic.as_ref()), place: PLACE.take() })
}

/// Keeps guarded panics from being written out where they happen: a backtrace takes longer than several ticks of all the
/// other matches on the thread. Their record is written elsewhere; all other panics are written as before.
pub(super) fn silence_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |report: &PanicHookInfo<'_>| {
            if IS_GUARDED.get() {
                PLACE.set(report.location().map(ToString::to_string).unwrap_or_default());
            } else {
                before(report);
            }
        }));
    });
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_tells_what_and_where() {
        silence_guarded_panics();
        let failure = guard(|| panic!("number {}", 7)).expect_err("it panics");
        assert_eq!(failure.words, "number 7");
        assert!(failure.place.contains("guard.rs:"), "{}", failure.place);
        assert!(guard(|| {}).is_ok());
    }
}

//! Calls that are refused again and again: a caller who learns nothing from a refusal is told what to do instead, and heard
//! less often.

use contract::agent::{Fault, FaultCode};
use parking_lot::Mutex;

use super::digest::Digest;

/// Different refused calls that are remembered for a match. When it is full, the one longest ago gives way.
const CALLS_MAX: usize = 64;

/// A call that comes again later than this after its last refusal starts afresh.
const MEMORY_MS: u64 = 10_000;

/// From this refusal on there is a hint.
const HINT_FROM: u32 = 3;

/// From this refusal on the call is heard once a second only.
const THROTTLE_FROM: u32 = 6;
const THROTTLE_MS: u64 = 1000;

const HINT: &str = "the same call was refused before; observe, then send one of legal_orders";

/// The refused calls of one match. Only contract threads lock it.
#[derive(Debug, Default)]
pub(crate) struct Repeats(Mutex<Vec<Repeat>>);

#[derive(Debug)]
struct Repeat {
    call: Digest,
    refusals: u32,
    last_ms: u64,
}

impl Repeats {
    /// Whether a call is heard.
    ///
    /// # Errors
    /// When it was refused too often lately.
    pub(super) fn hear(&self, call: &Digest, now_ms: u64) -> Result<(), Fault> {
        let repeats = self.0.lock();
        let known = repeats.iter().find(|repeat| repeat.call == *call);
        let too_soon =
            |repeat: &Repeat| repeat.refusals >= THROTTLE_FROM && now_ms.saturating_sub(repeat.last_ms) < THROTTLE_MS;
        if !known.is_some_and(too_soon) {
            return Ok(());
        }
        let text = "the same call was refused several times; it is heard once a second";
        Err(Fault::new(FaultCode::RateLimited, text).hint(HINT))
    }

    /// Counts a refusal, and adds a hint to it if it is one of several.
    pub(super) fn refuse(&self, call: Digest, fault: Fault, now_ms: u64) -> Fault {
        let mut repeats = self.0.lock();
        repeats.retain(|repeat| now_ms.saturating_sub(repeat.last_ms) < MEMORY_MS);
        let refusals = if let Some(repeat) = repeats.iter_mut().find(|repeat| repeat.call == call) {
            repeat.refusals += 1;
            repeat.last_ms = now_ms;
            repeat.refusals
        } else {
            if repeats.len() >= CALLS_MAX
                && let Some(oldest) = (0..repeats.len()).min_by_key(|at| repeats[*at].last_ms)
            {
                repeats.swap_remove(oldest);
            }
            repeats.push(Repeat { call, refusals: 1, last_ms: now_ms });
            1
        };
        if refusals >= HINT_FROM { fault.hint(HINT) } else { fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: usize) -> Digest {
        Digest::of(&[&number.to_le_bytes()])
    }

    fn fault() -> Fault {
        Fault::new(FaultCode::IllegalOrder, "no")
    }

    #[test]
    fn whoever_repeats_a_refused_call_gets_a_hint_and_is_then_heard_once_a_second() {
        let repeats = Repeats::default();
        let mut hints = 0;
        let mut heard = 0;
        for ms in (0..4000).step_by(100) {
            if repeats.hear(&call(1), ms).is_ok() {
                heard += 1;
                hints += u32::from(repeats.refuse(call(1), fault(), ms).hint.is_some());
            }
            assert_eq!(repeats.hear(&call(2), ms), Ok(()), "other calls are heard");
        }
        assert_eq!((heard, hints), (6 + 3, 4 + 3));
        assert_eq!(repeats.hear(&call(1), 20_000), Ok(()));
        assert_eq!(repeats.refuse(call(1), fault(), 20_000).hint, None, "forgotten after a while");
    }

    #[test]
    fn only_so_many_are_remembered() {
        let repeats = Repeats::default();
        for number in 0..1000 {
            for _ in 0..6 {
                repeats.refuse(call(number), fault(), u64::try_from(number).expect("small"));
            }
        }
        assert_eq!(repeats.0.lock().len(), CALLS_MAX);
        assert!(repeats.hear(&call(999), 1000).is_err() && repeats.hear(&call(0), 1000).is_ok());
    }
}

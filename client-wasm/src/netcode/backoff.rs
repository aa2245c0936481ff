//! How long to wait before connecting again.

/// First wait, in milliseconds.
const FIRST_MS: f64 = 400.0;
/// Longest wait before jitter, in milliseconds.
const LONGEST_MS: f64 = 8_000.0;

/// Everybody whom a server sends away returns within this time, in milliseconds, spread evenly over it.
const SENT_AWAY_MS: f64 = 4_000.0;

/// Waits that double, each anywhere between half and all of its length: pages that lost the same server at the same
/// moment do not return at the same moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    tries: u32,
}

impl Backoff {
    /// The next wait in milliseconds; `chance` is a random number from 0 to 1.
    pub fn next_ms(&mut self, chance: f64) -> f64 {
        let whole = (FIRST_MS * 2_f64.powi(self.tries.min(8).cast_signed())).min(LONGEST_MS);
        self.tries += 1;
        whole * (0.5 + chance.clamp(0.0, 1.0) / 2.0)
    }

    /// The wait of somebody whom the server sent away, with everybody else who was there.
    pub fn sent_away_ms(&mut self, chance: f64) -> f64 {
        self.tries += 1;
        SENT_AWAY_MS * chance.clamp(0.0, 1.0)
    }

    /// How often it was asked since the last [`Backoff::reset`].
    #[must_use]
    pub const fn tries(&self) -> u32 {
        self.tries
    }

    /// The connection works again.
    pub const fn reset(&mut self) {
        self.tries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_were_sent_away_together_do_not_return_together() {
        let waits: Vec<f64> = (0..400).map(|at| Backoff::default().sent_away_ms(f64::from(at) / 400.0)).collect();
        for begin in (0..4_000).step_by(50).map(f64::from) {
            let at_once = waits.iter().filter(|wait| (begin..begin + 250.0).contains(*wait)).count();
            assert!(at_once <= 400 / 5, "{at_once} within 250 ms from {begin} ms on");
        }
    }

    #[test]
    fn waits_grow_to_a_bound_and_are_spread() {
        let mut backoff = Backoff::default();
        let waits: Vec<f64> = (0..12).map(|_| backoff.next_ms(1.0)).collect();
        assert!(waits.is_sorted());
        assert_eq!(waits[0], FIRST_MS);
        assert_eq!(waits[11], LONGEST_MS);
        assert_eq!(backoff.next_ms(0.0), LONGEST_MS / 2.0);
        backoff.reset();
        assert_eq!(backoff.next_ms(0.0), FIRST_MS / 2.0);
    }
}

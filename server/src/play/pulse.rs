//! Whether a page still reads what it is sent.
//!
//! A page that has stopped reading looks alive for minutes: its system takes in what it does not, and its inputs may go
//! on. Only the answer to a ping shows that somebody read up to it.

use std::time::{Duration, Instant};

use contract::CloseCode;

/// The pings of one socket and their answers.
#[derive(Debug)]
pub(super) struct Pulse {
    answer_within: Duration,
    /// When the ping was asked for that has no answer yet.
    pinged_at: Option<Instant>,
    heard_at: Instant,
}

impl Pulse {
    /// A socket that must answer pings within this time.
    pub(super) const fn new(answer_within: Duration, now: Instant) -> Self {
        Self { answer_within, pinged_at: None, heard_at: now }
    }

    /// Time between two beats. A socket that stops reading is thus found out after one and a half times what it may
    /// take to answer.
    pub(super) fn interval(&self) -> Duration {
        self.answer_within / 2
    }

    /// Something came in.
    pub(super) const fn hear(&mut self, now: Instant) {
        self.heard_at = now;
    }

    /// A ping was answered.
    pub(super) const fn answered(&mut self) {
        self.pinged_at = None;
    }

    /// Looks after the socket, once per interval. Returns whether it is to be pinged.
    ///
    /// # Errors
    /// When a ping waits too long for its answer: the socket is to be closed.
    pub(super) fn beat(&mut self, now: Instant) -> Result<bool, CloseCode> {
        match self.pinged_at {
            None => {
                self.pinged_at = Some(now);
                Ok(true)
            }
            Some(at) if now.saturating_duration_since(at) < self.answer_within => Ok(false),
            Some(at) if self.heard_at > at => Err(CloseCode::SLOW_READER),
            Some(_) => Err(CloseCode::SILENT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER_WITHIN: Duration = Duration::from_secs(6);

    /// Beats until the socket is closed; `is_reading` and `is_talking` tell what it does at a second.
    fn closed_at(is_reading: impl Fn(u64) -> bool, is_talking: impl Fn(u64) -> bool) -> Option<(u64, CloseCode)> {
        let start = Instant::now();
        let mut pulse = Pulse::new(ANSWER_WITHIN, start);
        for second in 0..120 {
            let now = start + Duration::from_secs(second);
            if is_talking(second) {
                pulse.hear(now);
            }
            if second.is_multiple_of(pulse.interval().as_secs()) {
                match pulse.beat(now) {
                    Ok(is_pinged) if is_pinged && is_reading(second) => pulse.answered(),
                    Ok(_) => {}
                    Err(code) => return Some((second, code)),
                }
            }
            if is_reading(second) {
                pulse.answered();
            }
        }
        None
    }

    #[test]
    fn whoever_stops_reading_is_found_out_within_ten_seconds() {
        for stop in 30..36 {
            let (second, code) = closed_at(|second| second < stop, |_| true).expect("closed");
            assert!(second - stop < 10, "stopped at {stop}, closed at {second}");
            assert_eq!(code, CloseCode::SLOW_READER, "its inputs go on");
            let (second, code) = closed_at(|second| second < stop, |second| second < stop).expect("closed");
            assert!(second - stop < 10, "stopped at {stop}, closed at {second}");
            assert_eq!(code, CloseCode::SILENT);
        }
    }

    #[test]
    fn a_link_that_is_cut_for_five_seconds_is_waited_for() {
        for cut in 30..36 {
            let is_up = |second| !(cut..cut + 5).contains(&second);
            assert_eq!(closed_at(is_up, is_up), None, "cut at {cut}");
        }
    }

    #[test]
    fn nothing_but_answers_is_enough() {
        assert_eq!(closed_at(|_| true, |_| false), None);
    }
}

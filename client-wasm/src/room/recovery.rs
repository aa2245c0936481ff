//! What the host keeps for this page while it is loaded anew: a frame without an origin has no storage of its own.

use contract::{ResumeSecret, Tick, hex};
use serde::{Deserialize, Serialize};

use super::JoinSecret;

/// Longest text that is kept or read back, in bytes. The host's own bound is not known; this is far below any.
pub const RECOVERY_BYTES_MAX: usize = 512;

/// Version of the text. Another one is not read.
const VERSION: u32 = 1;

/// What a page needs to find its match and seat again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Leads to the match.
    pub join: JoinSecret,
    /// Takes the seat up again, if this page had one.
    pub seat: Option<ResumeSecret>,
    /// A tick the match has reached: a match that is not that far is another one.
    pub tick: Tick,
}

#[derive(Serialize, Deserialize)]
struct Text {
    v: u32,
    join: String,
    #[serde(default)]
    seat: Option<String>,
    #[serde(default)]
    tick: u32,
}

impl Recovery {
    /// The text to keep, of at most [`RECOVERY_BYTES_MAX`] bytes.
    ///
    /// # Panics
    /// Never: it is plain data.
    #[must_use]
    pub fn write(&self) -> String {
        let seat = self.seat.map(|seat| hex::encode(&seat.0));
        let text = Text { v: VERSION, join: self.join.write(), seat, tick: self.tick.0 };
        serde_json::to_string(&text).expect("plain data")
    }

    /// Reads a kept text. One that is not ours is as good as none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > RECOVERY_BYTES_MAX {
            return None;
        }
        let text: Text = serde_json::from_str(text).ok().filter(|text: &Text| text.v == VERSION)?;
        let seat = text.seat.as_deref().and_then(hex::decode).map(ResumeSecret);
        Some(Self { join: JoinSecret::read(&text.join)?, seat, tick: Tick(text.tick) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back_and_stays_short() {
        let join = JoinSecret::new(u64::MAX, [255; 16]);
        for seat in [None, Some(ResumeSecret([255; 16]))] {
            let kept = Recovery { join, seat, tick: Tick(u32::MAX) };
            assert!(kept.write().len() <= RECOVERY_BYTES_MAX / 2, "{}", kept.write());
            assert_eq!(Recovery::read(&kept.write()), Some(kept));
        }
    }

    #[test]
    fn anything_else_is_as_good_as_nothing() {
        let join = "0".repeat(44);
        let long = format!(r#"{{"v":1,"join":"{join}","more":"{}"}}"#, "x".repeat(RECOVERY_BYTES_MAX));
        let other = format!(r#"{{"v":2,"join":"{join}"}}"#);
        for text in ["", "null", "[]", "{}", r#"{"v":1,"join":"00"}"#, &long, &other, &"[".repeat(300)] {
            assert_eq!(Recovery::read(text), None, "{text}");
        }
        // A seat that cannot be read costs only the seat.
        let odd = format!(r#"{{"v":1,"join":"{join}","seat":"zz","later":[1]}}"#);
        assert_eq!(Recovery::read(&odd).map(|kept| kept.seat), Some(None));
    }
}

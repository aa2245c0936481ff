//! What goes wrong all the time in one direction, as text: `delay=75,jitter=15,rate=50000,slice=7,stall=200/10000,corrupt=5000`.

use std::{num::NonZeroU32, ops::RangeInclusive, str::FromStr, time::Duration};

/// What goes wrong all the time in one direction. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Time that everything takes (`delay=MS`).
    pub delay: Duration,
    /// Each packet takes up to so much less or more, in order (`jitter=MS`, at most the delay).
    pub jitter: Duration,
    /// So much passes in a second (`rate=BYTES`).
    pub bytes_per_second: Option<NonZeroU32>,
    /// Everything arrives in pieces of one to so many bytes (`slice=BYTES`).
    pub slice_bytes_max: Option<NonZeroU32>,
    /// Now and then nothing arrives for a while (`stall=MS/EVERY_MS`).
    pub stalls: Option<Stalls>,
    /// One byte in so many is another one (`corrupt=BYTES`).
    pub corrupt_every_bytes: Option<NonZeroU32>,
}

/// Times in which nothing arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stalls {
    /// How long each takes.
    pub length: Duration,
    /// Time from the end of one to the beginning of the next, on average; each between half and one and a half of it.
    pub every: Duration,
}

/// A text that names no faults.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultsError {
    /// A word that is not NAME=VALUE with a known name.
    #[error(
        "{0:?} is no fault: write delay=MS, jitter=MS, rate=BYTES, slice=BYTES, stall=MS/EVERY_MS or corrupt=BYTES"
    )]
    Unknown(String),
    /// A value that is not in its range.
    #[error("{name} is a whole number from {} to {}", legal.start(), legal.end())]
    Value {
        /// Whose value.
        name: &'static str,
        /// What it may be.
        legal: RangeInclusive<u32>,
    },
    /// Jitter takes time off the delay.
    #[error("jitter is at most the delay")]
    JitterOverDelay,
}

/// Times, in milliseconds.
const MS: RangeInclusive<u32> = 0..=60_000;
/// Lengths of stalls and the time between them, in milliseconds.
const STALL_MS: RangeInclusive<u32> = 1..=600_000;
/// Bytes in a second: below this a WebSocket's handshake takes longer than any deadline.
const RATE: RangeInclusive<u32> = 100..=1_000_000_000;
const SLICE: RangeInclusive<u32> = 1..=1_000;
const CORRUPT: RangeInclusive<u32> = 1..=1_000_000_000;

impl FromStr for Faults {
    type Err = FaultsError;

    fn from_str(text: &str) -> Result<Self, FaultsError> {
        let mut faults = Self::default();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let unknown = || FaultsError::Unknown(word.chars().take(40).collect());
            let (name, value) = word.split_once('=').ok_or_else(unknown)?;
            match name {
                "delay" => faults.delay = milliseconds("delay", value, MS)?,
                "jitter" => faults.jitter = milliseconds("jitter", value, MS)?,
                "rate" => faults.bytes_per_second = NonZeroU32::new(number("rate", value, RATE)?),
                "slice" => faults.slice_bytes_max = NonZeroU32::new(number("slice", value, SLICE)?),
                "corrupt" => faults.corrupt_every_bytes = NonZeroU32::new(number("corrupt", value, CORRUPT)?),
                "stall" => {
                    let (length, every) = value.split_once('/').ok_or_else(unknown)?;
                    let length = milliseconds("the length of stalls", length, STALL_MS)?;
                    let every = milliseconds("the time between stalls", every, STALL_MS)?;
                    faults.stalls = Some(Stalls { length, every });
                }
                _ => return Err(unknown()),
            }
        }
        if faults.jitter > faults.delay {
            return Err(FaultsError::JitterOverDelay);
        }
        Ok(faults)
    }
}

fn number(name: &'static str, value: &str, legal: RangeInclusive<u32>) -> Result<u32, FaultsError> {
    let number = value.parse().ok().filter(|number| legal.contains(number));
    number.ok_or(FaultsError::Value { name, legal })
}

fn milliseconds(name: &'static str, value: &str, legal: RangeInclusive<u32>) -> Result<Duration, FaultsError> {
    number(name, value, legal).map(|ms| Duration::from_millis(ms.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_from_text() {
        assert_eq!("".parse(), Ok(Faults::default()));
        let all = Faults {
            delay: Duration::from_millis(75),
            jitter: Duration::from_millis(15),
            bytes_per_second: NonZeroU32::new(50_000),
            slice_bytes_max: NonZeroU32::new(7),
            stalls: Some(Stalls { length: Duration::from_millis(200), every: Duration::from_secs(10) }),
            corrupt_every_bytes: NonZeroU32::new(5_000),
        };
        assert_eq!("delay=75,jitter=15,rate=50000,slice=7,stall=200/10000,corrupt=5000".parse(), Ok(all));
    }

    #[test]
    fn what_is_no_fault_is_refused_with_what_is() {
        let refusal = |text: &str| text.parse::<Faults>().unwrap_err().to_string();
        assert!(refusal("loss=5").starts_with("\"loss=5\" is no fault: write delay=MS"));
        assert!(refusal("delay").starts_with("\"delay\" is no fault"));
        assert!(refusal("stall=200").starts_with("\"stall=200\" is no fault"));
        assert_eq!(refusal("delay=x"), "delay is a whole number from 0 to 60000");
        assert_eq!(refusal("delay=60001"), "delay is a whole number from 0 to 60000");
        assert_eq!(refusal("slice=0"), "slice is a whole number from 1 to 1000");
        assert_eq!(refusal("stall=0/5"), "the length of stalls is a whole number from 1 to 600000");
        assert_eq!(refusal("delay=10,jitter=11"), "jitter is at most the delay");
        assert!(refusal(&"x".repeat(1 << 20)).len() < 200);
    }
}

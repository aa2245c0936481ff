//! How many there are of somebody over time, as text: `4@30s, 128@2m`.

use std::{str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, de};

/// Most of one group at a time.
pub(crate) const COUNT_MAX: usize = 20_000;

/// Longest stage.
const STAGE_MAX: Duration = Duration::from_secs(24 * 3600);

/// Numbers that hold for a while each. The last one holds until the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stages(Vec<(usize, Duration)>);

/// A text that is no list of stages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no stage: write COUNT@TIME, such as 4@30s, 128@2m; COUNT is 0 to {COUNT_MAX}, TIME 1s to 24h")]
pub(crate) struct StagesError(String);

impl Stages {
    /// The same number all the time.
    pub(crate) fn constant(count: usize) -> Self {
        Self(vec![(count, Duration::ZERO)])
    }

    /// How many there are at a moment.
    pub(crate) fn at(&self, time: Duration) -> usize {
        let mut end = Duration::ZERO;
        let now = self.0.iter().find(|(_, length)| {
            end += *length;
            time < end
        });
        now.or(self.0.last()).map_or(0, |(count, _)| *count)
    }

    /// How long all stages take; nothing for a constant number.
    pub(crate) fn length(&self) -> Duration {
        self.0.iter().map(|(_, length)| *length).sum()
    }

    /// The most there ever are.
    pub(crate) fn most(&self) -> usize {
        self.0.iter().map(|(count, _)| *count).max().unwrap_or(0)
    }

    /// When the number changes, and to what.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Duration, usize)> {
        let mut start = Duration::ZERO;
        let starts = self.0.iter().map(move |(count, length)| {
            let at = start;
            start += *length;
            (at, *count)
        });
        starts.skip(1)
    }
}

impl FromStr for Stages {
    type Err = StagesError;

    fn from_str(text: &str) -> Result<Self, StagesError> {
        let stage = |word: &str| {
            let (count, time) = word.trim().split_once('@')?;
            let count = count.parse().ok().filter(|count| *count <= COUNT_MAX)?;
            Some((count, time_of(time)?))
        };
        let stages = text.split(',').map(|word| stage(word).ok_or_else(|| StagesError(word.trim().to_owned())));
        stages.collect::<Result<_, _>>().map(Self)
    }
}

fn time_of(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit())?);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    let time = Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?);
    (time > Duration::ZERO && time <= STAGE_MAX).then_some(time)
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn numbers_hold_for_their_time_and_the_last_one_on() {
        let stages: Stages = "4@30s, 128@2m, 0@1h".parse().expect("stages");
        let at = |second| stages.at(seconds(second));
        assert_eq!([at(0), at(29), at(30), at(149), at(150), at(9999)], [4, 4, 128, 128, 0, 0]);
        assert_eq!(stages.length(), seconds(3750));
        assert_eq!(stages.changes().collect::<Vec<_>>(), [(seconds(30), 128), (seconds(150), 0)]);
        assert_eq!(Stages::constant(7).at(seconds(5)), 7);
    }

    #[test]
    fn what_is_no_stage_is_shown() {
        for text in
            ["", "4", "4@", "@4s", "4@30", "4@0s", "4@25h", "-1@5s", "20001@5s", "4@5s,,", "4@99999999999999999999s"]
        {
            let error = text.parse::<Stages>().expect_err(text).to_string();
            assert!(error.contains("COUNT@TIME") && error.contains("20000"), "{error}");
        }
    }
}

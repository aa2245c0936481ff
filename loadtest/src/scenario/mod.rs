//! Who comes when and does what: a run as a TOML file. `docs/performance.md` explains it; the fields say what is legal.

mod check;
mod gates;
mod stages;

use std::{path::Path, time::Duration};

use anyhow::Context as _;
use serde::Deserialize;

pub(crate) use gates::{Gates, Verdict};
pub(crate) use stages::{COUNT_MAX, Stages};

use crate::attack::AttackKind;

/// A run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// What the report is headed.
    pub(crate) name: String,
    /// A sentence for the report: what is to be seen.
    #[serde(default)]
    pub(crate) about: String,
    /// Seed of everything random in the load.
    #[serde(default = "default_seed")]
    pub(crate) seed: u64,
    /// Seconds before anything counts, 1 to 600.
    #[serde(default = "default_warm_up_s")]
    pub(crate) warm_up_s: u64,
    /// Seconds that count, 1 to 86400. Left out: until the longest stages end, or all rounds of arms are over.
    pub(crate) duration_s: Option<u64>,
    /// Seconds between two readings of the server, 1 to 600.
    #[serde(default = "default_sample_s")]
    pub(crate) sample_s: u64,
    /// Settings for a server that `--spawn-server` starts, as its own configuration file has them.
    #[serde(default)]
    pub(crate) server: toml::Table,
    /// People who play.
    #[serde(default)]
    pub(crate) players: Vec<Players>,
    /// People who only watch.
    #[serde(default)]
    pub(crate) spectators: Vec<Players>,
    /// Agents.
    #[serde(default)]
    pub(crate) agents: Vec<Agents>,
    /// Whoever means harm.
    #[serde(default)]
    pub(crate) attackers: Vec<Attackers>,
    /// Moments to be marked in the report.
    #[serde(default)]
    pub(crate) marks: Vec<Mark>,
    /// Conditions that take turns, so that they can be compared in one run.
    pub(crate) arms: Option<Arms>,
    /// What the run must keep to.
    #[serde(default)]
    pub(crate) gates: Gates,
}

/// How many there are, where and when: what all groups have in common.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Players {
    /// How many, 0 to 20000; or else `stages`.
    pub(crate) count: Option<usize>,
    /// How many over time, such as `4@30s, 128@2m`; or else `count`.
    pub(crate) stages: Option<Stages>,
    /// Matches they are dealt out over, 1 to 20000; or else `per_match`.
    pub(crate) matches: Option<usize>,
    /// They fill one match after the other with so many, 1 to 1000; or else `matches`.
    pub(crate) per_match: Option<usize>,
    /// What they do.
    #[serde(default)]
    pub(crate) policy: Policy,
    /// They ask for whole views, as a page does that cannot run the simulation, in place of steps.
    #[serde(default)]
    pub(crate) whole_views: bool,
    /// Each stays for so many seconds (least, most) and leaves; left out: until the end.
    pub(crate) stay_s: Option<[f64; 2]>,
    /// Each is away for so many seconds (least, most) after a stay.
    #[serde(default = "default_away_s")]
    pub(crate) away_s: [f64; 2],
    /// Each stay is in a match of its own that nobody has seen before.
    #[serde(default)]
    pub(crate) new_matches: bool,
    /// What is wrong with their link, such as `delay=75,jitter=15`.
    #[serde(default)]
    pub(crate) link: String,
    /// The arm they come in; left out: all the time.
    pub(crate) arm: Option<String>,
}

/// What players do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Policy {
    /// What people do: something else a few times a second, in any game, early enough for its tick.
    #[default]
    People,
    /// What the clients of `arena-ref/1` do, the workload that servers are compared on: skirmish only, from their first
    /// visit to the end.
    Reference,
}

/// Agents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agents {
    pub(crate) count: Option<usize>,
    pub(crate) stages: Option<Stages>,
    pub(crate) matches: Option<usize>,
    pub(crate) per_match: Option<usize>,
    /// Time to think between seeing and acting (least, most), 0 to 600000.
    #[serde(default = "default_think_ms")]
    pub(crate) think_ms: [u32; 2],
    /// Calls per second of each, due at their time whatever became of the one before, 0 to 1000, instead of thinking.
    pub(crate) calls_per_second: Option<f64>,
    /// All they do is look.
    #[serde(default)]
    pub(crate) observe_only: bool,
    /// Whether they take a seat; left out: unless they only look.
    pub(crate) takes_seat: Option<bool>,
    pub(crate) arm: Option<String>,
}

/// Whoever means harm.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attackers {
    /// What they do.
    pub(crate) kind: AttackKind,
    pub(crate) count: Option<usize>,
    pub(crate) stages: Option<Stages>,
    pub(crate) matches: Option<usize>,
    pub(crate) per_match: Option<usize>,
    /// What each does, so many times a second, 0.01 to 100000.
    pub(crate) per_second: Option<f64>,
    pub(crate) arm: Option<String>,
}

/// A moment to be marked in the report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    /// Seconds from the end of the warm-up.
    pub(crate) at_s: f64,
    /// What happens then.
    pub(crate) text: String,
}

/// Conditions that take turns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arms {
    /// Their names, 2 to 8; the others are compared with the first.
    pub(crate) names: Vec<String>,
    /// Each arm comes once per round, in an order that follows from the seed, 2 to 1000.
    pub(crate) rounds: usize,
    /// Seconds of each turn that count, 1 to 3600.
    pub(crate) window_s: u64,
    /// Seconds at the start of each turn that do not count, 1 to 600.
    pub(crate) settle_s: u64,
}

const fn default_seed() -> u64 {
    1
}

const fn default_warm_up_s() -> u64 {
    3
}

const fn default_sample_s() -> u64 {
    1
}

const fn default_away_s() -> [f64; 2] {
    [1.0, 2.0]
}

const fn default_think_ms() -> [u32; 2] {
    [500, 3000]
}

/// Where a group is and when.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) stages: Stages,
    pub(crate) spread: Spread,
    pub(crate) arm: Option<String>,
    /// What is wrong with the link, each way.
    pub(crate) link: String,
}

/// How the members of a group are dealt out over matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Over so many matches, one after the other.
    Over(usize),
    /// So many into each match.
    Fill(usize),
}

impl Spread {
    /// The match of the nth member.
    pub(crate) const fn of(self, at: usize) -> usize {
        match self {
            Self::Over(matches) => at % matches,
            Self::Fill(per_match) => at / per_match,
        }
    }

    /// How many of the members before the nth are in its match.
    pub(crate) const fn seat_of(self, at: usize) -> usize {
        match self {
            Self::Over(matches) => at / matches,
            Self::Fill(per_match) => at % per_match,
        }
    }
}

impl Scenario {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it cannot be read, or a field is unknown, of the wrong kind or out of range: the message names it and what is
    /// legal.
    pub(crate) fn load(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    /// Reads and checks a text.
    ///
    /// # Errors
    /// As for [`Scenario::load`].
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let scenario: Self = toml::from_str(text)?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Where the groups are, all kinds in a row.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let people = self.players.iter().chain(&self.spectators).map(Players::place);
        people.chain(self.agents.iter().map(Agents::place)).chain(self.attackers.iter().map(Attackers::place))
    }

    /// How long it takes after the warm-up.
    pub(crate) fn length(&self) -> Duration {
        if let Some(duration_s) = self.duration_s {
            return Duration::from_secs(duration_s);
        }
        let arms = self.arms.as_ref().map_or(Duration::ZERO, Arms::length);
        self.places().map(|place| place.stages.length()).max().unwrap_or_default().max(arms)
    }
}

impl Players {
    /// The same number of people all the time.
    pub(crate) fn constant(count: usize, spread: Spread) -> Self {
        let (matches, per_match) = match spread {
            Spread::Over(matches) => (Some(matches), None),
            Spread::Fill(per_match) => (None, Some(per_match)),
        };
        Self {
            count: Some(count),
            stages: None,
            matches,
            per_match,
            policy: Policy::default(),
            whole_views: false,
            stay_s: None,
            away_s: default_away_s(),
            new_matches: false,
            link: String::new(),
            arm: None,
        }
    }

    pub(crate) fn place(&self) -> Place {
        let Self { count, stages, matches, per_match, link, arm, .. } = self;
        Place { link: link.clone(), ..place(*count, stages, *matches, *per_match, arm) }
    }
}

impl Agents {
    /// Agents that play, think and are there all the time.
    pub(crate) fn constant(count: usize, matches: usize) -> Self {
        Self {
            count: Some(count),
            stages: None,
            matches: Some(matches),
            per_match: None,
            think_ms: default_think_ms(),
            calls_per_second: None,
            observe_only: false,
            takes_seat: None,
            arm: None,
        }
    }

    pub(crate) fn place(&self) -> Place {
        let Self { count, stages, matches, per_match, arm, .. } = self;
        place(*count, stages, *matches, *per_match, arm)
    }
}

impl Attackers {
    pub(crate) fn place(&self) -> Place {
        let Self { count, stages, matches, per_match, arm, .. } = self;
        place(*count, stages, *matches, *per_match, arm)
    }
}

impl Arms {
    /// How long one turn takes.
    pub(crate) const fn turn(&self) -> Duration {
        Duration::from_secs(self.window_s + self.settle_s)
    }

    fn length(&self) -> Duration {
        self.turn() * u32::try_from(self.names.len() * self.rounds).unwrap_or(u32::MAX)
    }
}

fn place(
    count: Option<usize>,
    stages: &Option<Stages>,
    matches: Option<usize>,
    per_match: Option<usize>,
    arm: &Option<String>,
) -> Place {
    let constant = || Stages::constant(count.unwrap_or(0));
    Place {
        stages: stages.clone().unwrap_or_else(constant),
        spread: per_match.map_or_else(|| Spread::Over(matches.unwrap_or(1)), Spread::Fill),
        arm: arm.clone(),
        link: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYERS: &str = "[[players]]\ncount = 8\n";

    #[test]
    fn all_scenarios_of_the_project_are_legal() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("there are some") {
            Scenario::load(&entry.expect("readable").path()).expect("legal");
            count += 1;
        }
        assert!(count >= 4, "{count}");
    }

    #[test]
    fn members_are_dealt_out() {
        assert_eq!([0, 1, 2, 3].map(|at| Spread::Over(2).of(at)), [0, 1, 0, 1]);
        assert_eq!([0, 1, 2, 3].map(|at| Spread::Fill(2).of(at)), [0, 0, 1, 1]);
        assert_eq!([0, 1, 2, 3].map(|at| Spread::Over(2).seat_of(at)), [0, 0, 1, 1]);
        assert_eq!([0, 1, 2, 3].map(|at| Spread::Fill(2).seat_of(at)), [0, 1, 0, 1]);
    }

    #[test]
    fn the_longest_stages_or_the_arms_tell_how_long_it_takes() {
        let length = |text: &str| Scenario::parse(text).expect("legal").length().as_secs();
        assert_eq!(length(&format!("name = \"n\"\nduration_s = 7\n{PLAYERS}")), 7);
        assert_eq!(length("name = \"n\"\n[[players]]\nstages = \"4@5s\"\n[[agents]]\nstages = \"1@9s, 2@1m\""), 69);
        let arms = "[arms]\nnames = [\"a\", \"b\"]\nrounds = 3\nwindow_s = 8\nsettle_s = 2";
        assert_eq!(length(&format!("name = \"n\"\n{PLAYERS}{arms}")), 60);
    }

    #[test]
    fn errors_name_the_field_and_what_is_legal() {
        for (text, words) in [
            ("duration_s = 0", &["duration_s is 0", "1 to 86400"][..]),
            ("colour = 1", &["unknown field `colour`", "`duration_s`"]),
            ("duration_s = 9\n[[players]]\ncount = 8\nstages = \"4@5s\"", &["players 1", "count", "stages"]),
            ("duration_s = 9\n[[players]]\nstages = \"4@5x\"", &["4@5x", "COUNT@TIME", "stages"]),
            ("duration_s = 9\n[[players]]\ncount = 8\nstay_s = [5, 2]", &["stay_s is [5, 2]", "least comes first"]),
            ("duration_s = 9\n[[players]]\ncount = 8\nlink = \"dealy=5\"", &["link", "dealy=5", "delay=MS"]),
            ("duration_s = 9\n[[attackers]]\ncount = 8\nkind = \"rude\"", &["unknown variant `rude`", "`flood`"]),
            ("duration_s = 9\n[[agents]]\ncount = 8\nthink_ms = [0, 600001]", &["agents 1", "think_ms", "600000"]),
            ("duration_s = 9\n[[players]]\ncount = 8\narm = \"x\"", &["arm is \"x\"", "no [arms]"]),
            ("duration_s = 9\n[gates]\nerrors = 0", &["unknown field `errors`", "`errors_max`"]),
            ("duration_s = 9\n[[players]]\ncount = 8\npolicy = \"dance\"", &["unknown variant `dance`", "`reference`"]),
            (
                "duration_s = 9\n[[players]]\ncount = 8\npolicy = \"reference\"\nstay_s = [2, 5]",
                &["policy is \"reference\"", "without stay_s"],
            ),
            ("", &["duration_s"]),
        ] {
            let error = format!("{:#}", Scenario::parse(&format!("name = \"n\"\n{text}")).expect_err(text));
            for word in words {
                assert!(error.contains(word), "{text}: {error}");
            }
        }
    }
}

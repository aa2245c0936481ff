//! What a scenario may say: a field out of range is named, with what is legal.

use std::ops::RangeInclusive;

use anyhow::{Context as _, bail};

use super::{Agents, Arms, Attackers, COUNT_MAX, Players, Policy, Scenario, Stages};

impl Scenario {
    /// Checks every range.
    ///
    /// # Errors
    /// When a field is out of range; the message names it and what is legal.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        within("warm_up_s", self.warm_up_s, 1..=600)?;
        within("sample_s", self.sample_s, 1..=600)?;
        if let Some(duration_s) = self.duration_s {
            within("duration_s", duration_s, 1..=86_400)?;
        }
        for (name, groups) in [("players", &self.players), ("spectators", &self.spectators)] {
            for (at, group) in groups.iter().enumerate() {
                group.check().with_context(|| format!("{name} {}", at + 1))?;
            }
        }
        for (at, group) in self.agents.iter().enumerate() {
            group.check().with_context(|| format!("agents {}", at + 1))?;
        }
        for (at, group) in self.attackers.iter().enumerate() {
            group.check().with_context(|| format!("attackers {}", at + 1))?;
        }
        if let Some(arms) = &self.arms {
            arms.check()?;
        }
        let known = self.arms.as_ref().map_or(&[][..], |arms| &arms.names);
        for place in self.places() {
            if let Some(arm) = place.arm.filter(|arm| !known.contains(arm)) {
                let known = if known.is_empty() { "none: there are no [arms]".to_owned() } else { known.join(", ") };
                bail!("arm is {arm:?}, legal are {known}");
            }
        }
        if self.length().is_zero() {
            bail!("nothing says how long it takes: set duration_s, stages of a group, or arms");
        }
        Ok(())
    }
}

impl Players {
    fn check(&self) -> anyhow::Result<()> {
        let Self { count, stages, matches, per_match, .. } = self;
        check_place(*count, stages, *matches, *per_match)?;
        if let Some(stay_s) = self.stay_s {
            span("stay_s", stay_s, 0.0..=86_400.0)?;
        }
        span("away_s", self.away_s, 0.0..=86_400.0)?;
        if self.policy == Policy::Reference && (self.stay_s.is_some() || self.new_matches) {
            bail!("policy is \"reference\", which is legal only without stay_s and new_matches");
        }
        self.link.parse::<crate::proxy::Faults>().map(drop).context("link")
    }
}

impl Agents {
    fn check(&self) -> anyhow::Result<()> {
        let Self { count, stages, matches, per_match, .. } = self;
        check_place(*count, stages, *matches, *per_match)?;
        span("think_ms", self.think_ms, 0..=600_000)?;
        match self.calls_per_second {
            Some(calls) => within("calls_per_second", calls, 0.01..=1000.0),
            None => Ok(()),
        }
    }
}

impl Attackers {
    fn check(&self) -> anyhow::Result<()> {
        let Self { count, stages, matches, per_match, .. } = self;
        check_place(*count, stages, *matches, *per_match)?;
        self.per_second.map_or(Ok(()), |per_second| within("per_second", per_second, 0.01..=100_000.0))
    }
}

impl Arms {
    fn check(&self) -> anyhow::Result<()> {
        within("arms.names: their number", self.names.len(), 2..=8)?;
        within("arms.rounds", self.rounds, 2..=1000)?;
        within("arms.window_s", self.window_s, 1..=3600)?;
        within("arms.settle_s", self.settle_s, 1..=600)
    }
}

fn check_place(
    count: Option<usize>,
    stages: &Option<Stages>,
    matches: Option<usize>,
    per_match: Option<usize>,
) -> anyhow::Result<()> {
    if count.is_some() == stages.is_some() {
        bail!("set either count (0 to {COUNT_MAX}) or stages (such as \"4@30s, 128@2m\")");
    }
    if matches.is_some() && per_match.is_some() {
        bail!("set either matches (1 to {COUNT_MAX}) or per_match (1 to 1000)");
    }
    within("count", count.unwrap_or(0), 0..=COUNT_MAX)?;
    within("matches", matches.unwrap_or(1), 1..=COUNT_MAX)?;
    within("per_match", per_match.unwrap_or(1), 1..=1000)
}

fn span<T: PartialOrd + std::fmt::Display + Copy>(
    field: &str,
    [least, most]: [T; 2],
    legal: RangeInclusive<T>,
) -> anyhow::Result<()> {
    within(field, least, legal.clone())?;
    within(field, most, legal)?;
    if least > most {
        bail!("{field} is [{least}, {most}]: the least comes first");
    }
    Ok(())
}

fn within<T: PartialOrd + std::fmt::Display>(field: &str, value: T, legal: RangeInclusive<T>) -> anyhow::Result<()> {
    if !legal.contains(&value) {
        bail!("{field} is {value}, legal are {} to {}", legal.start(), legal.end());
    }
    Ok(())
}

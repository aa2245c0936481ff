//! What `loadtest compare` found, and whether it is what it should be.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    held::Try,
    run::{Contender, Run, Size},
};
use crate::{
    repeats::{Middle, text_of},
    scenario::Verdict,
};

/// Where most is judged.
const JUDGED: Size = Size { matches: 40, players: 8 };

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(super) struct Findings {
    pub(super) machine: String,
    pub(super) runs: Vec<Run>,
    pub(super) tries: Vec<Try>,
    pub(super) verdicts: Vec<Verdict>,
}

/// A measure of a run.
pub(super) type Measure = fn(&Run) -> f64;

/// A column: its heading, what it shows, and decimal places.
type Column = (&'static str, Measure, usize);

/// What every run is told by.
pub(super) const COLUMNS: [Column; 10] = [
    ("CPU ms per client-second", |run| run.cpu_ms_per_client_second, 3),
    ("payload B/s per client", |run| run.payload_per_client_second, 0),
    ("snapshots/s", |run| run.snapshots_per_client_second, 1),
    ("inputs/s", |run| run.inputs_per_client_second, 1),
    ("tick interval p99 ms", |run| run.tick_interval_p99_ms, 1),
    ("ack p50 ms", |run| run.ack_p50_ms, 1),
    ("ack p99 ms", |run| run.ack_p99_ms, 1),
    ("RSS KiB per client", Run::rss_kib_per_client, 0),
    ("others' CPU %", |run| run.foreign_percent, 0),
    ("load's CPU %", |run| run.load_percent, 0),
];

impl Findings {
    pub(super) fn new(machine: String, runs: Vec<Run>, tries: Vec<Try>) -> Self {
        let mut findings = Self { machine, runs, tries, verdicts: Vec::new() };
        findings.verdicts = findings.judge();
        findings
    }

    /// Whether every target was met that could be judged.
    pub(super) fn is_good(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.is_met)
    }

    /// How a measure of one contender relates to that of another where most is judged, round by round.
    fn ratio(&self, own: Contender, other: Contender, measure: Measure) -> Option<Middle> {
        let of = |contender, round| {
            let is_it = |run: &&Run| run.contender == contender && run.size == JUDGED && run.round == round;
            self.runs.iter().find(is_it).map(measure)
        };
        let rounds = self.runs.iter().map(|run| run.round).max()?;
        Middle::of((0..=rounds).filter_map(|round| Some(of(own, round)? / of(other, round)?)))
    }

    /// The most matches a contender held.
    pub(super) fn most_held(&self, contender: Contender) -> Option<usize> {
        let tries = self.tries.iter().filter(|tried| tried.contender == contender);
        tries.map(|tried| if tried.is_held() { tried.size.matches } else { 0 }).max()
    }

    /// The targets that can be judged by what was run. At 20 snapshots a second half of all inputs wait at least 25 ms for
    /// one, whoever sends them: the wait for an ack is that of `matchd` as it runs by default.
    fn judge(&self) -> Vec<Verdict> {
        use Contender::{Matchd, Matchd30, Peer, PeerSpawn};
        let at_most = |gate, limit, own, other, measure| {
            let ratio = self.ratio(own, other, measure)?;
            Some(Verdict::at_most(gate, limit, Some(ratio.median)))
        };
        let (cpu, payload): (Measure, Measure) =
            (|run| run.cpu_ms_per_client_second, |run| run.payload_per_client_second);
        let ratios = [
            at_most("cpu_per_client_of_peer_max", 0.30, Matchd, Peer, cpu),
            at_most("payload_of_peer_max", 0.25, Matchd, Peer, payload),
            at_most("payload_of_peer_spawn_max", 0.50, Matchd, PeerSpawn, payload),
            at_most("ack_p50_of_peer_max", 0.45, Matchd30, Peer, |run| run.ack_p50_ms),
            at_most("rss_of_peer_max", 0.25, Matchd, Peer, |run| run.rss_mib),
        ];
        let held = self.most_held(Matchd).zip(self.most_held(Peer));
        let held = held
            .map(|(own, other)| Verdict::at_least("matches_held_of_peer_min", 3.0, Some(own as f64 / other as f64)));
        ratios.into_iter().flatten().chain(held).collect()
    }

    /// Sizes and contenders in the order they first came.
    pub(super) fn groups(&self) -> Vec<(Size, Contender)> {
        let mut groups: Vec<(Size, Contender)> = Vec::new();
        for run in &self.runs {
            if !groups.contains(&(run.size, run.contender)) {
                groups.push((run.size, run.contender));
            }
        }
        let first = |size| groups.iter().position(|(other, _)| *other == size);
        let mut sorted = groups.clone();
        sorted.sort_by_key(|(size, contender)| (first(*size), *contender as usize));
        sorted
    }

    /// The cells of a size and a contender.
    pub(super) fn cells(&self, size: Size, contender: Contender) -> Vec<String> {
        let runs = || self.runs.iter().filter(|run| run.size == size && run.contender == contender);
        let values = COLUMNS.iter().map(|(_, measure, places)| text_of(runs().map(measure), *places));
        [size.to_string(), contender.name().to_owned()].into_iter().chain(values).collect()
    }

    pub(super) fn headings() -> Vec<&'static str> {
        ["matches", "server"].into_iter().chain(COLUMNS.iter().map(|(name, ..)| *name)).collect()
    }

    /// Who held how many.
    pub(super) fn held_text(&self) -> Option<String> {
        let (own, other) = self.most_held(Contender::Matchd).zip(self.most_held(Contender::Peer))?;
        Some(format!("One core holds {own} matches of 8 on matchd, and {other} on the peer."))
    }

    /// As tables in Markdown.
    pub(super) fn table(&self) -> String {
        let mut text = String::new();
        if !self.runs.is_empty() {
            let rows = self.groups().into_iter().map(|(size, contender)| self.cells(size, contender));
            text += &markdown(&Self::headings(), rows);
        }
        if !self.tries.is_empty() {
            let headings: Vec<_> = Self::headings().into_iter().chain(["held"]).collect();
            text += &markdown(&headings, self.tries.iter().map(try_cells));
        }
        text.push('\n');
        text.extend(self.held_text().map(|text| text + "\n"));
        text.extend(self.verdicts.iter().map(|verdict| verdict.text() + "\n"));
        text
    }
}

fn markdown(headings: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("\n| {} |\n|{}\n", headings.join(" | "), "---|".repeat(headings.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// The cells of a try to hold so many matches.
pub(super) fn try_cells(tried: &Try) -> Vec<String> {
    let run = tried.outcome.as_ref();
    let values = COLUMNS.iter().map(|(_, measure, places)| text_of(run.ok().map(measure), *places));
    let names = [tried.size.to_string(), tried.contender.name().to_owned()];
    let held: &str = match run {
        Ok(run) if run.is_held() => "yes",
        Ok(_) => "no",
        Err(error) => error,
    };
    names.into_iter().chain(values).chain([held.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::run;
    use super::*;

    #[test]
    fn targets_are_judged_by_the_median_of_the_rounds() {
        let mut runs = Vec::new();
        // In the second round the whole machine was slow.
        for (round, slow) in [(0, 1.0), (1, 3.0), (2, 1.0)] {
            for (contender, cpu, payload) in [
                (Contender::Matchd, 0.4, 1400.0),
                (Contender::Matchd30, 0.5, 1500.0),
                (Contender::Peer, 1.0, 10_000.0),
                (Contender::PeerSpawn, 0.9, 4000.0),
            ] {
                let same = run(contender, JUDGED, round);
                let (cpu_ms_per_client_second, payload_per_client_second) = (cpu * slow, payload);
                runs.push(Run { cpu_ms_per_client_second, payload_per_client_second, ..same });
            }
        }
        let tried = |contender, matches, is_held| {
            let size = Size { matches, players: 8 };
            let outcome = if is_held { Ok(run(contender, size, 0)) } else { Err("lost 3 clients".to_owned()) };
            Try { contender, size, outcome }
        };
        let tries = vec![
            tried(Contender::Peer, 110, true),
            tried(Contender::Matchd, 330, true),
            tried(Contender::Peer, 120, false),
            tried(Contender::Matchd, 340, false),
        ];
        let findings = Findings::new(String::new(), runs, tries);
        let found: Vec<_> = findings.verdicts.iter().map(|verdict| (verdict.gate, verdict.is_met)).collect();
        assert_eq!(
            found,
            [
                ("cpu_per_client_of_peer_max", false),
                ("payload_of_peer_max", true),
                ("payload_of_peer_spawn_max", true),
                ("ack_p50_of_peer_max", false),
                ("rss_of_peer_max", false),
                ("matches_held_of_peer_min", true),
            ]
        );
        assert_eq!(findings.verdicts[0].value.map(|value| (value * 100.0).round()), Some(40.0));
        assert!(!findings.is_good());
        let table = findings.table();
        assert!(table.contains("| 40x8 | matchd, 20/s | 0.400 [0.400–1.200] | 1400 [1400–1400] |"), "{table}");
        assert!(table.contains("| lost 3 clients |"), "{table}");
        assert!(table.contains("330 matches of 8 on matchd, and 110 on the peer"), "{table}");
    }

    #[test]
    fn what_was_not_run_is_not_judged() {
        let findings = Findings::new(String::new(), vec![run(Contender::Matchd, JUDGED, 0)], Vec::new());
        assert!(findings.verdicts.is_empty() && findings.is_good());
    }
}

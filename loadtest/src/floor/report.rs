//! What `loadtest floor` found: as a table and as a page.

use std::fmt::Write as _;

use anyhow::Context as _;
use serde::Serialize;

use super::{Traffic, Transport, Who};
use crate::{
    repeats::{Middle, text_of},
    report::{Page, Summary, page, verdict_table},
    scenario::Verdict,
};

/// One turn of one server.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Turn {
    pub(super) round: usize,
    pub(super) who: Who,
    pub(super) cpu_percent_per_client: f64,
    /// Of the server's core, taken by others.
    pub(super) foreign_percent: f64,
    pub(super) frames_per_client_second: f64,
    pub(super) bytes_per_client_second: f64,
    pub(super) inputs_per_client_second: f64,
    pub(super) input_bytes_per_client_second: f64,
}

impl Turn {
    pub(super) fn of_matchd(round: usize, summary: &Summary) -> anyhow::Result<Self> {
        let process = summary.process.context("the server's process is ours")?;
        Ok(Self {
            round,
            who: Who::Matchd,
            cpu_percent_per_client: process.cpu_percent_per_client,
            foreign_percent: process.foreign_percent,
            frames_per_client_second: summary.messages_received_per_client_second,
            bytes_per_client_second: summary.bytes_received_per_client_second,
            inputs_per_client_second: summary.inputs_per_client_second,
            input_bytes_per_client_second: summary.bytes_sent_per_client_second,
        })
    }
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(super) struct Findings {
    pub(super) machine: String,
    pub(super) matches: usize,
    pub(super) players: usize,
    /// What the servers without a game were to exchange with each client.
    pub(super) traffic: Traffic,
    pub(super) turns: Vec<Turn>,
    pub(super) verdicts: Vec<Verdict>,
}

/// Headings of the columns.
const HEADINGS: [&str; 7] = [
    "server",
    "CPU % per client",
    "frames/s to a client",
    "payload B/s",
    "frames/s from a client",
    "payload B/s",
    "others' CPU %",
];

impl Findings {
    /// How many times the CPU of another server `matchd` took, round by round.
    pub(super) fn ratio(&self, other: Who) -> Option<Middle> {
        let cpu = |who, round| {
            let turn = self.turns.iter().find(|turn| turn.who == who && turn.round == round)?;
            Some(turn.cpu_percent_per_client)
        };
        let rounds = self.turns.iter().map(|turn| turn.round).max()?;
        Middle::of((0..=rounds).filter_map(|round| Some(cpu(Who::Matchd, round)? / cpu(other, round)?)))
    }

    fn rows(&self) -> impl Iterator<Item = [String; 7]> {
        Who::ALL.into_iter().map(|who| {
            let of = |value: fn(&Turn) -> f64, places| {
                text_of(self.turns.iter().filter(|turn| turn.who == who).map(value), places)
            };
            [
                who.name().to_owned(),
                of(|turn| turn.cpu_percent_per_client, 4),
                of(|turn| turn.frames_per_client_second, 1),
                of(|turn| turn.bytes_per_client_second, 0),
                of(|turn| turn.inputs_per_client_second, 1),
                of(|turn| turn.input_bytes_per_client_second, 0),
                of(|turn| turn.foreign_percent, 0),
            ]
        })
    }

    fn verdict(&self) -> String {
        let times = |other| self.ratio(other).map_or_else(|| "–".to_owned(), |ratio| ratio.text(2));
        format!(
            "{} matches of {}: matchd takes {} times the CPU that its stack takes without a game, and {} times that of plain TCP.",
            self.matches,
            self.players,
            times(Who::Floor(Transport::WebSocket)),
            times(Who::Floor(Transport::Tcp)),
        )
    }

    /// As a table in Markdown.
    pub(super) fn table(&self) -> String {
        let mut text = format!("\n| {} |\n|{}\n", HEADINGS.join(" | "), "---|".repeat(HEADINGS.len()));
        for row in self.rows() {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        let _ = writeln!(text, "\nMedian [least–most] of the turns. {}", self.verdict());
        for verdict in &self.verdicts {
            let _ = writeln!(text, "{}", verdict.text());
        }
        text
    }

    pub(super) fn html(&self) -> String {
        let mut body = verdict_table(&self.verdicts);
        let _ = write!(body, "<section><h2>Turns</h2><div class=wide><table><tr><th>{}</tr>", HEADINGS.join("<th>"));
        for row in self.rows() {
            let _ = write!(body, "<tr><td>{}</tr>", row.join("<td class=n>"));
        }
        body += "</table></div><p class=note>Median [least–most] of the turns, which were taken in a random order.</p></section>";
        page(&Page {
            title: "What a game costs beyond moving the bytes",
            about: &self.verdict(),
            is_good: Some(self.verdicts.iter().all(|verdict| verdict.is_met)),
            footer: &format!("{}.", self.machine),
            body: &body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_round_by_round() {
        let turn = |round, who, cpu| Turn {
            round,
            who,
            cpu_percent_per_client: cpu,
            foreign_percent: 0.0,
            frames_per_client_second: 30.0,
            bytes_per_client_second: 1000.0,
            inputs_per_client_second: 30.0,
            input_bytes_per_client_second: 400.0,
        };
        let (same, tcp) = (Who::Floor(Transport::WebSocket), Who::Floor(Transport::Tcp));
        let turns = vec![
            turn(0, Who::Matchd, 0.030),
            turn(0, same, 0.020),
            // Somebody disturbed this round, all of it.
            turn(1, same, 0.060),
            turn(1, Who::Matchd, 0.090),
            turn(2, Who::Matchd, 0.030),
        ];
        let traffic = Traffic { frames_per_second: 30.0, frame_bytes: 33, inputs_per_second: 30.0, input_bytes: 13 };
        let findings =
            Findings { machine: String::new(), matches: 1, players: 8, traffic, turns, verdicts: Vec::new() };
        let ratio = findings.ratio(same).expect("two rounds");
        assert_eq!((ratio.count, ratio.text(2)), (2, "1.50 [1.50–1.50]".to_owned()));
        assert_eq!(findings.ratio(tcp), None);
        assert!(findings.table().contains("| same stack, no game | 0.0400 [0.0200–0.0600] |"), "{}", findings.table());
    }
}

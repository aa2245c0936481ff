//! One turn of one contender, in the same units for all.

use std::{fmt, str::FromStr};

use anyhow::{Context as _, ensure};
use serde::Serialize;

use super::peer::PeerLine;
use crate::trial::Seen;

/// Inputs and ticks of `arena-ref/1`, per second.
const INPUTS_PER_SECOND: f64 = 30.0;
const TICK_MS: f64 = 1000.0 / 30.0;

/// Whoever takes turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Contender {
    /// `matchd`, 20 snapshots a second, as many as the other server sends by default.
    Matchd,
    /// `matchd`, 30 snapshots a second: one each tick, as it does by default.
    #[value(name = "matchd-30")]
    #[serde(rename = "matchd-30")]
    Matchd30,
    /// `matchd`, 20 whole views a second: what clients get that cannot run the simulation.
    MatchdWhole,
    /// The other server as it is measured by default: 20 patches a second.
    Peer,
    /// The other server, 30 patches a second.
    #[value(name = "peer-30")]
    #[serde(rename = "peer-30")]
    Peer30,
    /// The other server, which tells only where shots begin and 20 patches a second.
    PeerSpawn,
}

impl Contender {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Matchd => "matchd, 20/s",
            Self::Matchd30 => "matchd, 30/s",
            Self::MatchdWhole => "matchd, whole views, 20/s",
            Self::Peer => "peer, 20/s",
            Self::Peer30 => "peer, 30/s",
            Self::PeerSpawn => "peer, proj=spawn, 20/s",
        }
    }

    pub(super) const fn is_peer(self) -> bool {
        matches!(self, Self::Peer | Self::Peer30 | Self::PeerSpawn)
    }

    pub(super) const fn gets_whole_views(self) -> bool {
        matches!(self, Self::MatchdWhole)
    }

    pub(super) const fn snapshots_per_second(self) -> u16 {
        match self {
            Self::Matchd30 | Self::Peer30 => 30,
            Self::Matchd | Self::MatchdWhole | Self::Peer | Self::PeerSpawn => 20,
        }
    }

    /// Whether it is found out how many matches it holds.
    pub(super) const fn is_sought(self) -> bool {
        matches!(self, Self::Matchd | Self::Peer)
    }
}

/// Matches times players in each, such as `40x8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Size {
    pub(super) matches: usize,
    pub(super) players: usize,
}

impl Size {
    pub(super) const fn clients(self) -> usize {
        self.matches * self.players
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.matches, self.players)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('x').and_then(|(matches, players)| Some((matches.parse().ok()?, players.parse().ok()?)));
        match numbers {
            Some((matches @ 1..=2000, players @ 2..=64)) => Ok(Self { matches, players }),
            _ => Err(format!("{text:?} is no size, legal are 1x2 to 2000x64: matches times players")),
        }
    }
}

/// What a turn showed.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Run {
    pub(super) contender: Contender,
    pub(super) size: Size,
    pub(super) round: usize,
    /// The server's CPU time in milliseconds, for each second of each client.
    pub(super) cpu_ms_per_client_second: f64,
    /// Received by a client per second, without the WebSocket's own bytes.
    pub(super) payload_per_client_second: f64,
    pub(super) snapshots_per_client_second: f64,
    pub(super) inputs_per_client_second: f64,
    /// From a tick's start to the next one's start in the same match. For `matchd` an upper bound: a tick starts at its
    /// deadline at the earliest, so an interval is longer than the period by at most the lateness of the tick that ends it.
    pub(super) tick_interval_p99_ms: f64,
    /// From just before an input is sent to the first snapshot that shows it or a later one.
    pub(super) ack_p50_ms: f64,
    pub(super) ack_p99_ms: f64,
    /// The server's memory at the end.
    pub(super) rss_mib: f64,
    pub(super) cpu_percent: f64,
    /// Of the server's core, taken by others.
    pub(super) foreign_percent: f64,
    /// Of its core, taken by the load.
    pub(super) load_percent: f64,
}

impl Run {
    pub(super) fn of_matchd(contender: Contender, size: Size, round: usize, seen: &Seen) -> anyhow::Result<Self> {
        let summary = &seen.summary;
        let process = summary.process.context("the server's process is ours")?;
        ensure!(summary.input_to_ack_ms.count > 0, "{size}: no input of matchd's clients was acknowledged");
        Ok(Self {
            contender,
            size,
            round,
            cpu_ms_per_client_second: process.cpu_percent_per_client * 10.0,
            payload_per_client_second: summary.bytes_received_per_client_second,
            snapshots_per_client_second: summary.snapshots_per_client_second,
            inputs_per_client_second: summary.inputs_per_client_second,
            tick_interval_p99_ms: TICK_MS + summary.lateness_ms.p99.context("matchd ran no tick")?,
            ack_p50_ms: summary.input_to_ack_ms.p50,
            ack_p99_ms: summary.input_to_ack_ms.p99,
            rss_mib: process.rss_bytes as f64 / 1_048_576.0,
            cpu_percent: process.cpu_percent,
            foreign_percent: process.foreign_percent,
            load_percent: seen.load_percent,
        })
    }

    pub(super) fn of_peer(contender: Contender, size: Size, round: usize, line: &PeerLine) -> anyhow::Result<Self> {
        ensure!(line.errors == 0 && line.closed == 0, "{size}: the peer lost {} clients", line.errors + line.closed);
        ensure!(line.clients == size.clients(), "{size}: the peer had {} clients", line.clients);
        Ok(Self {
            contender,
            size,
            round,
            cpu_ms_per_client_second: line.cpu_pct / size.clients() as f64 * 10.0,
            payload_per_client_second: line.rx_payload_per_client_s,
            snapshots_per_client_second: line.rx_msg_per_client_s,
            inputs_per_client_second: line.inputs_sent_per_client_s,
            tick_interval_p99_ms: line.tick.p99.context("the peer ran no tick")?,
            ack_p50_ms: line.ack.p50.context("the peer acknowledged nothing")?,
            ack_p99_ms: line.ack.p99.context("the peer acknowledged nothing")?,
            rss_mib: line.rss_mi_b,
            cpu_percent: line.cpu_pct,
            foreign_percent: (line.core0_busy_pct - line.cpu_pct).max(0.0),
            load_percent: line.load.cpu_pct,
        })
    }

    pub(super) fn rss_kib_per_client(&self) -> f64 {
        self.rss_mib * 1024.0 / self.size.clients() as f64
    }

    /// Whether so many matches are held: ticks come in time, the load was up to it, and clients get what they are to get.
    pub(super) fn is_held(&self) -> bool {
        self.tick_interval_p99_ms < 2.0 * TICK_MS
            && self.inputs_per_client_second >= 0.95 * INPUTS_PER_SECOND
            && self.snapshots_per_client_second >= 0.9 * f64::from(self.contender.snapshots_per_second())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::compare) fn run(contender: Contender, size: Size, round: usize) -> Run {
        Run {
            contender,
            size,
            round,
            cpu_ms_per_client_second: 1.0,
            payload_per_client_second: 1000.0,
            snapshots_per_client_second: contender.snapshots_per_second().into(),
            inputs_per_client_second: 30.0,
            tick_interval_p99_ms: 34.0,
            ack_p50_ms: 20.0,
            ack_p99_ms: 40.0,
            rss_mib: 100.0,
            cpu_percent: 30.0,
            foreign_percent: 0.0,
            load_percent: 20.0,
        }
    }

    #[test]
    fn sizes_are_checked() {
        assert_eq!("40x8".parse(), Ok(Size { matches: 40, players: 8 }));
        for text in ["40", "x8", "0x8", "1x65", "40x1", "2001x8", "4x-8"] {
            let error = text.parse::<Size>().expect_err(text);
            assert!(error.contains(text) && error.contains("2000x64"), "{error}");
        }
    }

    #[test]
    fn matches_are_held_while_ticks_inputs_and_snapshots_come() {
        let good = run(Contender::Peer, Size { matches: 110, players: 8 }, 0);
        assert!(good.is_held());
        assert!(!Run { tick_interval_p99_ms: 66.8, ..good.clone() }.is_held());
        assert!(!Run { inputs_per_client_second: 28.0, ..good.clone() }.is_held(), "the load was the limit");
        assert!(!Run { snapshots_per_client_second: 17.0, ..good.clone() }.is_held());
        assert!(!Run { contender: Contender::Matchd30, ..good }.is_held(), "20 are too few where 30 are to come");
    }
}

//! `loadtest floor`: what moving the bytes costs without a game.
//!
//! Three servers take turns on the same core: `matchd` with the reference clients; one on the same stack (axum's
//! WebSockets on tokio) that sends as many frames of the same size to as many clients, takes as many in, and does nothing
//! else; and one that does so over plain TCP. The frames are what `matchd` was seen to send and receive just before.

mod load;
mod report;
mod server;

use std::time::Duration;

use crate::{
    machine,
    progress::Progress,
    repeats,
    report::{Outputs, Summary},
    run::OwnServer,
    scenario::Verdict,
    trial::Trial,
};
use report::{Findings, Turn};
pub use server::{Options as ServerOptions, serve};

/// Time from when all are connected until it counts.
const WARM_UP: Duration = Duration::from_secs(3);

/// How it is done.
#[derive(Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    own: OwnServer,
    /// Matches.
    #[arg(long, default_value_t = 40)]
    matches: usize,
    /// Players in each match.
    #[arg(long, default_value_t = 8)]
    players: usize,
    /// Snapshots a second, at most the 30 ticks.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=30))]
    snapshots_per_second: u16,
    /// Turns of each server.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of a turn that count.
    #[arg(long, default_value_t = 10)]
    window_s: u64,
    /// Longest wait before a turn for others to leave the cores alone, in seconds.
    #[arg(long, default_value_t = 10)]
    quiet_wait_s: u64,
    /// How many times the CPU of the same stack without a game `matchd` may take.
    #[arg(long, default_value_t = 1.3)]
    ratio_max: f64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    outputs: Outputs,
}

/// What takes turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Who {
    Matchd,
    Floor(Transport),
}

/// What frames travel by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Transport {
    /// axum's WebSockets on tokio.
    WebSocket,
    /// Plain TCP on tokio.
    Tcp,
}

impl Who {
    const ALL: [Self; 3] = [Self::Matchd, Self::Floor(Transport::WebSocket), Self::Floor(Transport::Tcp)];

    const fn name(self) -> &'static str {
        match self {
            Self::Matchd => "matchd",
            Self::Floor(Transport::WebSocket) => "same stack, no game",
            Self::Floor(Transport::Tcp) => "plain TCP, no game",
        }
    }
}

/// What one client is sent and sends.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
struct Traffic {
    frames_per_second: f64,
    frame_bytes: usize,
    inputs_per_second: f64,
    input_bytes: usize,
}

impl Traffic {
    /// As it was seen.
    fn of(seen: &Summary) -> Self {
        let inputs_per_second = seen.inputs_per_client_second;
        let frames_per_second = seen.messages_received_per_client_second;
        let size = |bytes: f64, frames: f64| (bytes / frames.max(1e-9)).round() as usize;
        Self {
            frames_per_second,
            frame_bytes: size(seen.bytes_received_per_client_second, frames_per_second),
            inputs_per_second,
            input_bytes: size(seen.bytes_sent_per_client_second, inputs_per_second),
        }
    }
}

/// Finds out and reports.
///
/// # Errors
/// When a server does not start or fails.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    let trial = Trial {
        matches: options.matches,
        players: options.players,
        snapshots_per_second: options.snapshots_per_second,
        whole_views: false,
        warm_up: WARM_UP,
        window: Duration::from_secs(options.window_s),
        seed: options.seed,
    };
    let orders = repeats::rounds(options.rounds, Who::ALL.len(), options.seed);
    let count = u32::try_from(orders.len() * Who::ALL.len() + 1)?;
    let length = (trial.window + WARM_UP) * count;
    let progress = Progress::new("Floor", length);
    progress.say("matchd shows what is sent");
    // It takes a turn of its own, so that all others copy the same.
    let traffic = Traffic::of(&trial.run(&options.own).await?.summary);
    let mut turns = Vec::new();
    for (round, who) in orders.iter().enumerate().flat_map(|(round, order)| order.iter().map(move |who| (round, *who)))
    {
        let who = Who::ALL[who];
        progress.at(length / count * u32::try_from(turns.len() + 1)?);
        progress.say(who.name());
        if let Some(cores) = options.own.cores()? {
            machine::quiet(cores, Duration::from_secs(options.quiet_wait_s)).await;
        }
        let turn = match who {
            Who::Matchd => Turn::of_matchd(round, &trial.run(&options.own).await?.summary)?,
            Who::Floor(transport) => load::turn(round, transport, traffic, &trial, &options.own).await?,
        };
        turns.push(turn);
    }
    drop(progress);
    let mut findings = Findings {
        machine: machine::describe(),
        matches: trial.matches,
        players: trial.players,
        traffic,
        turns,
        verdicts: Vec::new(),
    };
    let ratio = findings.ratio(Who::Floor(Transport::WebSocket)).map(|ratio| ratio.median);
    findings.verdicts.push(Verdict::at_most("matchd_cpu_per_floor_max", options.ratio_max, ratio));
    print!("{}", findings.table());
    options.outputs.write(&findings, || findings.html())?;
    Ok(findings.verdicts.iter().all(|verdict| verdict.is_met))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_what_was_seen_of_one_client() {
        let seen = Summary {
            messages_received_per_client_second: 34.0,
            bytes_received_per_client_second: 34.0 * 46.2,
            inputs_per_client_second: 30.0,
            bytes_sent_per_client_second: 30.0 * 13.0,
            ..Summary::default()
        };
        let expected = Traffic { frames_per_second: 34.0, frame_bytes: 46, inputs_per_second: 30.0, input_bytes: 13 };
        assert_eq!(Traffic::of(&seen), expected);
    }
}

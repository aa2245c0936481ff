//! `loadtest cadence`: what a decision's latency costs, and what local mechanics buy.
//!
//! One tactical policy plays one seat of a duel against a standard bot, seeing only what `observe` tells the seat. Its
//! decision arrives a latency after the sight; then it looks again. What a decision says is carried out in two ways: as
//! keys held until the next decision arrives, or as an order that mechanics carry out. Matches run in virtual time in
//! this process, on the world itself: the one experiment here that knows `sim`. Beside it, [`live`] lanes play the same
//! policy against a real server, with nothing but the wire to go by.

mod duel;
mod keys;
mod live;
mod orders;
mod picture;
mod policy;
mod report;
mod sight;
mod tally;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use anyhow::Context as _;
use serde::Serialize;

use self::{
    duel::{Outcome, Player},
    live::{Live, Plan},
    tally::{Estimate, Tally},
};
use crate::{machine, report::Outputs, run::OwnServer};

/// The latencies, in milliseconds.
pub(crate) const LATENCIES_MS: [u32; 10] = [16, 50, 150, 330, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

/// How it is done.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Matches of each cell.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    matches: u32,
    /// Seed of the first match; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Minutes of regular time of a match.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=30))]
    minutes: u16,
    /// Gives orders for the moment only, never a standing plan.
    #[arg(long)]
    one_shot: bool,
    /// Then plays three lanes for so many seconds on a server of its own, over the real wire: mechanics alone, a policy that
    /// decides some times a second, and one that takes as long as a language model.
    #[arg(long, value_name = "SECONDS", conflicts_with = "one_shot", value_parser = clap::value_parser!(u16).range(1..=3000))]
    live: Option<u16>,
    /// Live matches of each lane, all at the same time.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    live_matches: u8,
    #[command(flatten)]
    own: OwnServer,
    #[command(flatten)]
    outputs: Outputs,
    /// Writes the chart alone there, as SVG.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A latency, and what it came to with both pairs of hands.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Rung {
    latency_ms: u32,
    keys: Tally,
    orders: Tally,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Findings {
    machine: String,
    matches: u32,
    minutes: u16,
    seed: u64,
    one_shot: bool,
    rungs: Vec<Rung>,
    bot: Tally,
    idle: Tally,
    /// How much of what orders at 150 ms gain over nobody in the seat is kept at 5 s.
    kept_at_5s: Estimate,
    live: Option<Live>,
}

/// Finds out and reports.
///
/// # Errors
/// When a file cannot be written, or the server for live lanes does not start or does not do as the contract says.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    // Nothing else runs meanwhile: virtual time may have every core.
    let mut findings = find(options);
    if let Some(seconds) = options.live {
        let Options { live_matches: matches, minutes, seed, .. } = *options;
        let plan = Plan { seconds, matches, lead_minutes: minutes, seed };
        findings.live = Some(live::play(&plan, &options.own).await?);
    }
    print!("{}", findings.table());
    options.outputs.write(&findings, || findings.html())?;
    if let Some(path) = &options.svg {
        std::fs::write(path, findings.svg()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(true)
}

fn find(options: &Options) -> Findings {
    let Options { matches, seed, minutes, one_shot, .. } = *options;
    let ticks = |latency_ms: u32| (latency_ms * 60 / 1000).max(1);
    let mut players = vec![Player::Bot, Player::Idle];
    for latency_ticks in LATENCIES_MS.map(ticks) {
        players.extend([Player::Keys { latency_ticks }, Player::Orders { latency_ticks, one_shot }]);
    }
    let mut tallies = play_all(&players, matches, seed, minutes * 60).into_iter().map(|ends| Tally::of(&ends));
    let mut next = || tallies.next().expect("one for each player");
    let (bot, idle) = (next(), next());
    let rungs = LATENCIES_MS.map(|latency_ms| Rung { latency_ms, keys: next(), orders: next() }).to_vec();
    let at = |latency_ms: u32| rungs.iter().find(|rung| rung.latency_ms == latency_ms).expect("one of the latencies");
    let kept_at_5s = tally::kept(&at(5_000).orders.leads, &at(150).orders.leads, &idle.leads);
    Findings {
        machine: machine::describe(),
        matches,
        minutes,
        seed,
        one_shot,
        rungs,
        bot,
        idle,
        kept_at_5s,
        live: None,
    }
}

/// All matches of all players, on all cores. Every player meets the same seeds, so cells compare match by match.
fn play_all(players: &[Player], matches: u32, seed: u64, duration_s: u16) -> Vec<Vec<Outcome>> {
    let per_player = matches as usize;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(player) = players.get(at / per_player) else { return done };
            let seed = seed.wrapping_add((at % per_player) as u64);
            done.push((at, duel::play(*player, seed, duration_s)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut ends = vec![vec![Outcome::default(); per_player]; players.len()];
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            for (at, end) in worker.join().expect("a match does not panic") {
                ends[at / per_player][at % per_player] = end;
            }
        }
    });
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_is_the_same_table() {
        let players =
            [Player::Bot, Player::Keys { latency_ticks: 20 }, Player::Orders { latency_ticks: 20, one_shot: false }];
        let once = play_all(&players, 4, 7, 20);
        assert_eq!(once, play_all(&players, 4, 7, 20));
        for (player, ends) in players.iter().zip(&once) {
            let alone: Vec<Outcome> = (7..11).map(|seed| duel::play(*player, seed, 20)).collect();
            assert_eq!(*ends, alone, "whichever thread played them");
        }
    }
}

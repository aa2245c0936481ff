//! `loadtest compare`: the reference workload on `matchd` and on another server, in turns on the same cores.
//!
//! The other server comes as a folder with a `server.mjs` and a `load.mjs` that play `arena-ref/1` as `matchd`'s Skirmish does:
//! the same rules, the same clients, one JSON line with what was measured. Here it is decided who has the next turn; what
//! each measures is [`run::Run`].

mod held;
mod html;
mod peer;
mod report;
mod run;

use std::{path::PathBuf, time::Duration};

use crate::{machine, progress::Progress, repeats, report::Outputs, run::OwnServer, scenario::COUNT_MAX, trial::Trial};
use held::{Search, Try};
use peer::Peer;
use report::Findings;
use run::{Contender, Run, Size};

/// How it is done.
#[derive(Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    own: OwnServer,
    /// Folder of the other server. If its packages are not installed there, it is copied to a temporary folder first and
    /// they are installed in the copy, with npm.
    #[arg(long, value_name = "DIR")]
    peer: PathBuf,
    /// What takes turns.
    #[arg(long, value_delimiter = ',', default_value = "matchd,matchd-30,peer,peer-spawn")]
    contenders: Vec<Contender>,
    /// Matches times players in each.
    #[arg(long, value_delimiter = ',', default_value = "5x8,20x8,40x8,1x64")]
    sizes: Vec<Size>,
    /// Turns of each contender at each size; 0 leaves that out.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of a turn that count.
    #[arg(long, default_value_t = 15)]
    window_s: u64,
    /// Seconds from when everybody has come until it counts.
    #[arg(long, default_value_t = 4)]
    warm_up_s: u64,
    /// Matches of 8 to begin with when looking for how many each holds; 0 leaves that out.
    #[arg(long, default_value_t = 100)]
    held_from: usize,
    /// How exactly to find out how many matches each holds.
    #[arg(long, default_value_t = 10)]
    held_step: usize,
    /// Seconds that count of each try.
    #[arg(long, default_value_t = 10)]
    held_window_s: u64,
    /// Longest wait before a turn for others to leave the cores alone, in seconds.
    #[arg(long, default_value_t = 10)]
    quiet_wait_s: u64,
    /// Seed of the order of turns.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    outputs: Outputs,
}

/// Compares and reports.
///
/// # Errors
/// When a server does not start or fails.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    let arena = Arena { options, peer: Peer::prepare(&options.peer).await? };
    let runs = arena.take_turns().await?;
    let held = arena.find_held().await?;
    let findings = Findings::new(machine::describe(), runs, held);
    print!("{}", findings.table());
    options.outputs.write(&findings, || findings.html())?;
    Ok(findings.is_good())
}

/// Where turns are taken.
struct Arena<'a> {
    options: &'a Options,
    peer: Peer,
}

impl Arena<'_> {
    async fn take_turns(&self) -> anyhow::Result<Vec<Run>> {
        let Options { contenders, sizes, rounds, window_s, warm_up_s, seed, .. } = self.options;
        let orders = repeats::rounds(rounds * sizes.len(), contenders.len(), *seed);
        let (window, warm_up) = (Duration::from_secs(*window_s), Duration::from_secs(*warm_up_s));
        let count = orders.len() * contenders.len();
        let progress = Progress::new("Turns", (window + warm_up) * u32::try_from(count)?);
        let mut runs = Vec::new();
        for (turn, order) in orders.iter().enumerate() {
            let (round, size) = (turn / sizes.len(), sizes[turn % sizes.len()]);
            for at in order {
                let contender = contenders[*at];
                progress.at((window + warm_up) * u32::try_from(runs.len())?);
                progress.say(&format!("{size}: {}", contender.name()));
                runs.push(self.one(contender, size, round, warm_up, window).await?);
            }
        }
        Ok(runs)
    }

    /// Looks for the most matches that `matchd` and the other server hold, with a try of each in turn.
    async fn find_held(&self) -> anyhow::Result<Vec<Try>> {
        let Options { held_from, held_step, held_window_s, seed, contenders, .. } = self.options;
        let mut tries = Vec::new();
        if *held_from == 0 {
            return Ok(tries);
        }
        let progress = Progress::new("Matches held", Duration::ZERO);
        let (window, warm_up) = (Duration::from_secs(*held_window_s), Duration::from_secs(3));
        let wanted = contenders.iter().filter(|contender| contender.is_sought());
        let mut searches: Vec<_> =
            wanted.map(|contender| (*contender, Search::new(*held_from, *held_step, COUNT_MAX / 8))).collect();
        let mut orders = repeats::rounds(COUNT_MAX, searches.len(), *seed).into_iter();
        while searches.iter().any(|(_, search)| search.next().is_some()) {
            for at in orders.next().unwrap_or_default() {
                let (contender, search) = &mut searches[at];
                let Some(matches) = search.next() else { continue };
                progress.say(&format!("{matches} matches: {}", contender.name()));
                let size = Size { matches, players: 8 };
                let outcome = self.one(*contender, size, tries.len(), warm_up, window).await;
                let outcome = outcome.map_err(|error| format!("{error:#}"));
                let tried = Try { contender: *contender, size, outcome };
                search.note(tried.is_held());
                eprintln!("{}", report::try_cells(&tried).join(" | "));
                tries.push(tried);
            }
        }
        Ok(tries)
    }

    async fn one(
        &self,
        contender: Contender,
        size: Size,
        round: usize,
        warm_up: Duration,
        window: Duration,
    ) -> anyhow::Result<Run> {
        let Options { own, quiet_wait_s, seed, .. } = self.options;
        let cores = own.cores()?;
        if let Some(cores) = cores {
            machine::quiet(cores, Duration::from_secs(*quiet_wait_s)).await;
        }
        if contender.is_peer() {
            let line = self.peer.run(contender, size, warm_up, window, cores).await?;
            return Run::of_peer(contender, size, round, &line);
        }
        let Size { matches, players } = size;
        let snapshots_per_second = contender.snapshots_per_second();
        let whole_views = contender.gets_whole_views();
        let trial = Trial { matches, players, snapshots_per_second, whole_views, warm_up, window, seed: *seed };
        Run::of_matchd(contender, size, round, &trial.run(own).await?)
    }
}

//! One run: who plays, for how long, and what is gathered.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use contract::MatchKey;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::{
    agent,
    http::Endpoint,
    metrics::Scrape,
    player,
    report::Report,
    server::{Addresses, Spawned},
    tally::Tally,
};

/// Time for everybody to join before anything is counted.
const WARM_UP: Duration = Duration::from_secs(3);

/// How a run is set up.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Starts a `matchd` of its own on free ports.
    #[arg(long, conflicts_with_all = ["play", "contract", "ops"])]
    spawn_server: bool,
    /// The server to start; by default the `matchd` beside this program.
    #[arg(long, requires = "spawn_server")]
    server_bin: Option<PathBuf>,
    /// Setup of the game for the server to start, as TOML.
    #[arg(long, default_value = "team_size = 5")]
    setup: String,
    /// Sync path of a running server.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    play: String,
    /// Contract endpoint of a running server.
    #[arg(long, default_value = "http://127.0.0.1:8081")]
    contract: String,
    /// Operations endpoint of a running server.
    #[arg(long, default_value = "http://127.0.0.1:8082")]
    ops: String,
    /// Matches.
    #[arg(long, default_value_t = 10)]
    matches: usize,
    /// Players in each match.
    #[arg(long, default_value_t = 8)]
    players: usize,
    /// Agents, dealt out over the matches.
    #[arg(long, default_value_t = 10)]
    agents: usize,
    /// Players ask for whole views, as a page does that cannot run the simulation, in place of steps.
    #[arg(long)]
    whole_views: bool,
    /// Seconds that are counted, after a warm-up.
    #[arg(long, default_value_t = 20)]
    secs: u64,
    /// Seed of everything random in the load.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the report there as JSON, too.
    #[arg(long)]
    pub json: Option<PathBuf>,
}

/// Plays and reports.
///
/// # Errors
/// The server cannot be started or reached, or somebody failed before anything was counted.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    if options.matches == 0 || options.secs == 0 {
        bail!("--matches and --secs are at least 1");
    }
    let spawned = if options.spawn_server {
        Some(Spawned::start(options.server_bin.as_deref(), &options.setup).await?)
    } else {
        None
    };
    let addresses = match &spawned {
        Some(server) => server.addresses.clone(),
        None => Addresses::parse(&options.play, &options.contract, &options.ops)?,
    };
    let ops = Endpoint::new(addresses.ops.clone());
    let tally = Arc::new(Tally::new());
    let mut crowd = join_all(options, &addresses, &tally);

    sleep(WARM_UP).await;
    if let Some(ended) = crowd.try_join_next() {
        ended?.context("during warm-up")?;
    }
    let before = Scrape::read(&ops).await?;
    let started = Instant::now();
    tally.start_counting();
    sleep(Duration::from_secs(options.secs)).await;
    tally.stop_counting();
    let elapsed = started.elapsed();
    let after = Scrape::read(&ops).await?;

    while let Some(ended) = crowd.try_join_next() {
        if let Err(error) = ended? {
            tally.error(&error);
        }
    }
    crowd.shutdown().await;
    if let Some(server) = spawned {
        server.stop().await?;
    }
    Ok(Report::new(options.matches, options.players, options.agents, elapsed, &tally, &before, &after))
}

/// Sends everybody in. A task that ends has failed: players and Agents go on until they are stopped.
fn join_all(options: &Options, addresses: &Addresses, tally: &Arc<Tally>) -> JoinSet<anyhow::Result<()>> {
    let mut crowd = JoinSet::new();
    let key = |at: usize| MatchKey::parse(&format!("load-{}-{at}", options.seed)).expect("a legal key");
    for at in 0..options.matches * options.players {
        let seed = options.seed << 32 | at as u64;
        let player = player::Player::new(
            addresses.play.clone(),
            key(at % options.matches),
            at,
            seed,
            !options.whole_views,
            tally.clone(),
        );
        crowd.spawn(player.play());
    }
    for at in 0..options.agents {
        let seed = options.seed << 32 | 1 << 31 | at as u64;
        let agent = agent::Agent::new(addresses.contract.clone(), key(at % options.matches), at, seed, tally.clone());
        crowd.spawn(agent.play());
    }
    crowd
}

//! `loadtest agent`: Agents that play by the contract alone, whatever the game.

mod agent;
mod mind;
mod policy;
mod room;
mod transcript;
mod transport;
mod vocabulary;

use std::{hash::BuildHasher as _, ops::RangeInclusive, path::PathBuf, time::Duration};

use anyhow::{Context as _, bail};
use contract::MatchKey;
use serde::Serialize;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
    task::JoinSet,
    time::sleep,
};

use self::{
    agent::{Agent, Recorder},
    mind::{Counts, Mind, Temper},
    policy::Weights,
    transport::{Direct, Transport},
};
use crate::{http::Endpoint, server::authority_of};

/// How Agents are set up.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Contract endpoint of a running server.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8081")]
    contract: String,
    /// The match to play in.
    #[arg(long = "match", value_name = "KEY", default_value = "demo")]
    key: String,
    /// Goes through the broker of this Room instead, such as a devroom's; people there choose the match.
    #[arg(long, value_name = "URL", conflicts_with_all = ["contract", "key"])]
    room: Option<String>,
    /// The App's id in the Room; without it, whichever App is open.
    #[arg(long, value_name = "ID", requires = "room", default_value = "")]
    app: String,
    /// Name to play under; give it again for one Agent more.
    #[arg(long, default_value = "Nova")]
    name: Vec<String>,
    /// Wanted side, if the game has sides.
    #[arg(long)]
    team: Option<String>,
    /// How much each kind of order is liked, such as press=3,stop=0; 1 if not named.
    #[arg(long, value_name = "KIND=N,...", default_value = "")]
    weights: Weights,
    /// Shortest and longest time to think before a call, in milliseconds.
    #[arg(long, value_name = "LEAST..MOST", default_value = "500..3000", value_parser = parse_range)]
    think_ms: RangeInclusive<u32>,
    /// Seed of everything random in the choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leaves the seat after so many seconds; without it, on SIGINT or SIGTERM.
    #[arg(long)]
    secs: Option<u64>,
    /// Gives up after so many seconds without an answer; 0 for never.
    #[arg(long, default_value_t = 60)]
    patience_secs: u64,
    /// Makes the calls of this file instead of own ones.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Writes calls and answers there; for one Agent.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

/// What Agents did.
#[derive(Debug, Serialize)]
pub struct Report {
    agents: Vec<Counts>,
    /// Calls that were not as the contract wants them, or not answered as expected.
    pub errors: u64,
}

/// Plays.
///
/// # Errors
/// There is no server that can be played with, or a file cannot be read or written.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    if options.name.len() > 1 && (options.record.is_some() || options.replay.is_some()) {
        bail!("--record and --replay are for one Agent");
    }
    let key = MatchKey::parse(&options.key).map_err(|error| anyhow::anyhow!("--match: {error}"))?;
    let endpoint = Endpoint::new(authority_of(options.room.as_ref().unwrap_or(&options.contract))?);
    let (stopper, stop) = watch::channel(false);
    let mut agents = JoinSet::new();
    let mut presences = JoinSet::new();
    for (at, name) in options.name.iter().enumerate() {
        let (doing, known) = watch::channel("I have only just arrived.".to_owned());
        let place = Place { options: options.clone(), at, stop: stop.clone(), doing };
        if options.room.is_some() {
            let (room, presence) = room::enter(endpoint.clone(), name.clone(), options.app.clone(), known);
            presences.spawn(presence.keep());
            agents.spawn(place.fill(room));
        } else {
            agents.spawn(place.fill(Direct::new(endpoint.clone(), key.as_str().to_owned())));
        }
    }
    let secs = options.secs;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        let time_is_up = async {
            match secs {
                Some(secs) => sleep(Duration::from_secs(secs)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! { () = time_is_up => {} _ = interrupt.recv() => {} _ = terminate.recv() => {} }
        stopper.send_replace(true);
    });
    let mut report = Report { agents: Vec::new(), errors: 0 };
    while let Some(ended) = agents.join_next().await {
        let (counts, errors) = ended??;
        report.agents.push(counts);
        report.errors += errors;
    }
    Ok(report)
}

/// One of the Agents to be.
struct Place {
    options: Options,
    at: usize,
    stop: watch::Receiver<bool>,
    doing: watch::Sender<String>,
}

impl Place {
    /// Plays, or replays, over this transport; returns what came of it and how many errors there were.
    async fn fill<T: Transport>(self, transport: T) -> anyhow::Result<(Counts, u64)> {
        let Self { options, at, stop, doing } = self;
        let name = options.name[at].clone();
        let agent = Agent {
            label: name.clone(),
            transport,
            patience: (options.patience_secs > 0).then(|| Duration::from_secs(options.patience_secs)),
            stop,
            recorder: options.record.as_deref().map(Recorder::create).transpose()?,
        };
        if let Some(file) = options.replay {
            return agent.replay(file, nonce()).await.map(|unexpected| (Counts::default(), unexpected));
        }
        let temper = Temper {
            name,
            team: options.team,
            weights: options.weights,
            think_ms: options.think_ms,
            seed: options.seed.wrapping_add(at as u64),
            nonce: nonce(),
        };
        let counts = agent.play(Mind::new(temper), doing).await?;
        let mistakes = counts.mistakes;
        Ok((counts, mistakes))
    }
}

/// A number that no other run has.
fn nonce() -> u64 {
    std::hash::RandomState::new().hash_one(std::process::id())
}

fn parse_range(text: &str) -> anyhow::Result<RangeInclusive<u32>> {
    let (least, most) = text.split_once("..").context("write LEAST..MOST")?;
    let (least, most): (u32, u32) = (least.parse()?, most.parse()?);
    if least > most || most > 600_000 {
        bail!("legal are 0..0 to 600000..600000, the least first");
    }
    Ok(least..=most)
}

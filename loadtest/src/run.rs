//! One run: everybody comes, plays, is observed and leaves.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use contract::games;
use tokio::time::{Instant, sleep, sleep_until};

use crate::{
    arms::{self, Turns},
    crowd::Crowd,
    game,
    http::Endpoint,
    machine::Cores,
    observer::{Observer, Span},
    progress::Progress,
    repeats,
    report::{Findings, Outputs, Point, Report},
    scenario::{Agents, Arms, Gates, Players, Scenario, Spread},
    server::{Addresses, Spawned},
    tally::Tally,
};

/// Seats of a match when no setup is given.
const SEATS: usize = 10;

/// How often it is looked who should be there.
const BEAT: Duration = Duration::from_secs(1);

/// Time for the last connections to end after everybody has left.
const AFTERMATH: Duration = Duration::from_secs(4);

/// The server that is put to the test.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Target {
    /// Starts a `matchd` of its own on free ports, on another core than the load's.
    #[arg(long, conflicts_with_all = ["play", "contract", "ops"])]
    spawn_server: bool,
    #[command(flatten)]
    own: OwnServer,
    /// Sync path of a running server.
    #[arg(long, default_value = "http://127.0.0.1:8080", value_name = "URL")]
    play: String,
    /// Contract endpoint of a running server.
    #[arg(long, default_value = "http://127.0.0.1:8081", value_name = "URL")]
    contract: String,
    /// Operations endpoint of a running server.
    #[arg(long, default_value = "http://127.0.0.1:8082", value_name = "URL")]
    ops: String,
}

/// How a server of our own is started.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct OwnServer {
    /// The server to start; by default the `matchd` beside this program.
    #[arg(long, value_name = "FILE")]
    server_bin: Option<PathBuf>,
    /// Lets server and load run on any core.
    #[arg(long)]
    no_pin: bool,
}

impl OwnServer {
    /// Where server and load are to run, if not anywhere.
    pub(crate) fn cores(&self) -> anyhow::Result<Option<Cores>> {
        if self.no_pin { Ok(None) } else { Cores::pick().map(Some) }
    }
}

/// How a run is set up.
#[derive(Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    target: Target,
    /// What happens, as a TOML file: see docs/performance.md and loadtest/scenarios. Without it, the flags below say it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["matches", "players", "agents", "secs", "whole_views", "game", "setup", "seed"])]
    scenario: Option<PathBuf>,
    /// Game of the server to start.
    #[arg(long, default_value = games::IDS[0], value_parser = PossibleValuesParser::new(games::IDS))]
    game: String,
    /// Setup of the game for the server to start, as TOML. Left out: one with room for ten.
    #[arg(long, value_name = "TOML")]
    setup: Option<String>,
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
    #[command(flatten)]
    outputs: Outputs,
}

impl Options {
    /// The scenario that is meant.
    fn scenario(&self) -> anyhow::Result<Scenario> {
        if let Some(path) = &self.scenario {
            return Scenario::load(path);
        }
        let server = match &self.setup {
            Some(setup) => game::settings(&self.game, setup.parse()?),
            None => game::with_room_for(&self.game, SEATS)?,
        };
        let players = Players {
            whole_views: self.whole_views,
            ..Players::constant(self.matches * self.players, Spread::Over(self.matches.max(1)))
        };
        let scenario = Scenario {
            seed: self.seed,
            duration_s: Some(self.secs),
            server,
            players: vec![players],
            agents: vec![Agents::constant(self.agents, self.matches.max(1))],
            ..Scenario::empty(&format!("{} matches x {} players", self.matches, self.players))
        };
        scenario.check()?;
        Ok(scenario)
    }
}

/// Runs what the options say, and tells how it went on standard output and in files.
///
/// # Errors
/// When the scenario is not legal, or the server does not start or ends.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    let scenario = options.scenario()?;
    let stage = Stage::set(&scenario.server, &options.target).await?;
    let report = play(&scenario, stage).await?;
    print!("{}", report.table());
    options.outputs.write(&report, || report.html())?;
    Ok(report.is_good())
}

/// Plays a scenario on a server.
///
/// # Errors
/// When the server ends, or somebody fails before anything counts.
pub(crate) async fn play(scenario: &Scenario, stage: Stage) -> anyhow::Result<Report> {
    let tally = Arc::new(Tally::new());
    let mut observer = stage.observer(&tally).await?;
    let mut crowd = Crowd::new(scenario, &stage.addresses, &tally).await?;
    let progress = Progress::new(&scenario.name, scenario.length());

    sleep(BEAT).await;
    let before = observer.span().await?;
    progress.say("everybody joins");
    crowd.follow(Duration::ZERO, None);
    sleep(Duration::from_secs(scenario.warm_up_s)).await;
    if let (1.., Some(error)) = tally.errors() {
        bail!("during warm-up: {error}");
    }
    observer.span().await?;
    observer.set_origin();
    let mut course = Course { scenario, crowd, observer, progress, tally, points: Vec::new(), total: None };
    let (arms, turns) = match &scenario.arms {
        Some(arms) => course.take_turns(arms).await?,
        None => {
            course.go_straight().await?;
            (Vec::new(), Vec::new())
        }
    };
    let Course { mut crowd, mut observer, progress, tally, points, total, .. } = course;
    progress.say("everybody leaves");
    crowd.disperse().await;
    sleep(AFTERMATH).await;
    let after = observer.span().await?;
    drop(progress);
    stage.clear().await?;
    let Some(total) = total else { bail!("nothing was measured") };
    let findings = Findings {
        total,
        points,
        marks: marks(scenario),
        arms,
        turns,
        before,
        after,
        answers: tally.answers(),
        errors: tally.errors(),
    };
    Ok(Report::new(scenario, findings))
}

/// A server that is ready to be played on.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) addresses: Addresses,
    cores: Option<Cores>,
    spawned: Option<Spawned>,
}

impl Stage {
    /// Starts a server with these settings if one is wanted.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) async fn set(settings: &toml::Table, target: &Target) -> anyhow::Result<Self> {
        if !target.spawn_server {
            let addresses = Addresses::parse(&target.play, &target.contract, &target.ops)?;
            return Ok(Self { addresses, cores: None, spawned: None });
        }
        Self::spawn(settings, &target.own).await
    }

    /// Starts a server with these settings, which hands out as many tickets as it can: here everybody has one address.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) async fn spawn(settings: &toml::Table, own: &OwnServer) -> anyhow::Result<Self> {
        let mut settings = settings.clone();
        settings.entry("tickets").or_insert_with(|| toml::Value::Table(many_tickets()));
        let cores = own.cores()?;
        let server = Spawned::start(own.server_bin.as_deref(), &settings, cores).await?;
        Ok(Self { addresses: server.addresses.clone(), cores, spawned: Some(server) })
    }

    pub(crate) async fn observer(&self, tally: &Arc<Tally>) -> anyhow::Result<Observer> {
        let ops = Endpoint::new(self.addresses.ops.clone());
        let pid = self.spawned.as_ref().and_then(Spawned::pid);
        Observer::new(ops, &self.addresses.play, pid, self.cores, Arc::clone(tally)).await
    }

    /// Ends the server if it is ours.
    ///
    /// # Errors
    /// When it had ended already.
    pub(crate) async fn clear(self) -> anyhow::Result<()> {
        match self.spawned {
            Some(server) => server.stop().await,
            None => Ok(()),
        }
    }
}

/// The highest settings a server takes.
fn many_tickets() -> toml::Table {
    let most = |name: &str| (name.to_owned(), toml::Value::Integer(2000));
    toml::Table::from_iter([most("per_second"), most("per_second_per_address")])
}

/// The part of a run that counts.
struct Course<'a> {
    scenario: &'a Scenario,
    crowd: Crowd,
    observer: Observer,
    progress: Progress,
    tally: Arc<Tally>,
    points: Vec<Point>,
    /// Everything so far.
    total: Option<Span>,
}

impl Course<'_> {
    async fn go_straight(&mut self) -> anyhow::Result<()> {
        let length = self.scenario.length();
        let step = Duration::from_secs(self.scenario.sample_s);
        let mut at = Duration::ZERO;
        while at < length {
            at = (at + step).min(length);
            self.pass(at, None).await;
            self.observe(None).await?;
        }
        Ok(())
    }

    async fn take_turns(&mut self, arms: &Arms) -> anyhow::Result<(Vec<arms::ArmReport>, Vec<(f64, f64, usize)>)> {
        let mut turns = Turns::new(arms.names.len());
        let mut order = Vec::new();
        let mut at = Duration::ZERO;
        for arm in repeats::rounds(arms.rounds, arms.names.len(), self.scenario.seed).concat() {
            let name = arms.names[arm].as_str();
            self.pass(at + Duration::from_secs(arms.settle_s), Some(name)).await;
            self.observe(Some(name)).await?;
            at += arms.turn();
            self.pass(at, Some(name)).await;
            let span = self.observe(Some(name)).await?;
            order.push((span.start_s, span.end_s, arm));
            turns.push(arm, span);
        }
        self.progress.say("turns are compared");
        Ok((turns.report(&arms.names, self.scenario.seed), order))
    }

    /// Lets time pass up to a moment after the origin; who is to come comes.
    async fn pass(&mut self, until: Duration, arm: Option<&str>) {
        let origin = self.observer.origin();
        loop {
            let now = origin.elapsed();
            self.crowd.follow(now, arm);
            if self.crowd.attackers() > 0 {
                self.observer.glance();
            }
            self.progress.at(now);
            if now >= until {
                return;
            }
            sleep_until((Instant::now() + BEAT).min(origin + until)).await;
        }
    }

    async fn observe(&mut self, arm: Option<&str>) -> anyhow::Result<Span> {
        let mut span = self.observer.span().await?;
        span.now.clients = self.crowd.clients();
        span.now.agents = self.crowd.agents();
        span.now.attackers = self.crowd.attackers();
        self.points.push(Point::of(&span));
        match &mut self.total {
            Some(total) => total.add(&span),
            None => self.total = Some(span.clone()),
        }
        self.progress.show(&span, arm, self.tally.errors().0);
        Ok(span)
    }
}

/// What is to be marked on the time axis: what the scenario says, and every change of numbers.
fn marks(scenario: &Scenario) -> Vec<(f64, String)> {
    let named = scenario.marks.iter().map(|mark| (mark.at_s, mark.text.clone()));
    let kinds = scenario.players.iter().map(|_| "players".to_owned());
    let kinds = kinds.chain(scenario.spectators.iter().map(|_| "spectators".to_owned()));
    let kinds = kinds.chain(scenario.agents.iter().map(|_| "Agents".to_owned()));
    let kinds = kinds.chain(scenario.attackers.iter().map(|attackers| attackers.kind.name().to_owned()));
    let changes = kinds.zip(scenario.places()).flat_map(|(kind, place)| {
        let changes: Vec<_> = place.stages.changes().collect();
        changes.into_iter().map(move |(at, count)| (at.as_secs_f64(), format!("{count} {kind}")))
    });
    let mut marks: Vec<_> = named.chain(changes).collect();
    marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    marks
}

impl Scenario {
    /// A scenario in which nobody comes.
    pub(crate) fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            about: String::new(),
            seed: 1,
            warm_up_s: 3,
            duration_s: None,
            sample_s: 1,
            server: toml::Table::new(),
            players: Vec::new(),
            spectators: Vec::new(),
            agents: Vec::new(),
            attackers: Vec::new(),
            marks: Vec::new(),
            arms: None,
            gates: Gates::default(),
        }
    }
}

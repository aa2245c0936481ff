//! One trial: a fresh `matchd` with so many reference clients, watched for a while.

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

use crate::{
    crowd::{ARRIVAL_GAP, Crowd},
    machine::Usage,
    report::Summary,
    run::{OwnServer, Stage},
    scenario::{Players, Policy, Scenario, Spread},
    tally::Tally,
};

/// How many play, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) matches: usize,
    /// In each match.
    pub(crate) players: usize,
    pub(crate) snapshots_per_second: u16,
    /// Whether clients ask for whole views in place of steps.
    pub(crate) whole_views: bool,
    /// From when everybody has come until it counts.
    pub(crate) warm_up: Duration,
    /// What counts.
    pub(crate) window: Duration,
    pub(crate) seed: u64,
}

/// What a trial showed.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) summary: Summary,
    /// Of its core, taken by the clients.
    pub(crate) load_percent: f64,
}

impl Trial {
    pub(crate) const fn clients(&self) -> usize {
        self.matches * self.players
    }

    /// Has it played.
    ///
    /// # Errors
    /// When the server does not start or ends, or a client fails.
    pub(crate) async fn run(&self, own: &OwnServer) -> anyhow::Result<Seen> {
        let clients = self.clients();
        let stage = Stage::spawn(&self.settings()?, own).await?;
        let tally = Arc::new(Tally::new());
        let mut observer = stage.observer(&tally).await?;
        let whole_views = self.whole_views;
        let players = Players {
            policy: Policy::Reference,
            whole_views,
            ..Players::constant(clients, Spread::Fill(self.players))
        };
        let scenario = Scenario { seed: self.seed, players: vec![players], ..Scenario::empty("trial") };
        let mut crowd = Crowd::new(&scenario, &stage.addresses, &tally).await?;
        crowd.follow(Duration::ZERO, None);
        sleep(ARRIVAL_GAP * u32::try_from(clients)? + self.warm_up).await;
        observer.span().await?;
        let load = || Usage::of(std::process::id()).map(|usage| usage.cpu_seconds);
        let before = load()?;
        sleep(self.window).await;
        let mut span = observer.span().await?;
        let load_percent = (load()? - before) / span.seconds() * 100.0;
        span.now.clients = clients;
        if let (1.., Some(error)) = tally.errors() {
            anyhow::bail!("with {} matches of {}: {error}", self.matches, self.players);
        }
        crowd.disperse().await;
        stage.clear().await?;
        Ok(Seen { summary: Summary::of(&span, clients as f64), load_percent })
    }

    fn settings(&self) -> anyhow::Result<toml::Table> {
        let Self { matches, players, snapshots_per_second, .. } = self;
        let text = format!(
            "[game]\nid = \"skirmish\"\nsetup = {{ seats = {players} }}\n\
             [matches]\nsnapshots_per_second = {snapshots_per_second}\ncount_max = {}\n\
             [play]\nconnections_max = {}\n",
            matches + 1,
            // Tickets are asked for over connections of their own.
            2 * self.clients() + 16,
        );
        Ok(text.parse()?)
    }
}

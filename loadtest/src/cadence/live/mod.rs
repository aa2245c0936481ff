//! Three lanes over the real wire: the same policy at three rungs of the ladder, each in several matches of its own, all
//! at the same time on one server, each against the standard bot.
//!
//! A lane knows the contract and nothing else; what the seat's mechanics do between two decisions is counted by somebody
//! who watches, as a page does.

mod found;
mod pace;
mod seat;
mod strip;
mod watch;

use std::{sync::Arc, time::Duration};

use anyhow::ensure;
use contract::{MatchKey, games::kickabout::Team};
use rand_pcg::Pcg32;
use serde::Serialize;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until},
};

pub(super) use self::found::Found;
use self::{
    pace::Pace,
    seat::{Course, Seat},
    watch::{Acts, Watcher},
};
use crate::{
    http::Endpoint,
    observer::Span,
    progress::Progress,
    run::{OwnServer, Stage},
    tally::Tally,
};

/// Ticks of the stretch of play that is drawn.
const WINDOW_TICKS: i32 = 20 * 60;

/// A match is longer than anybody watches it, so that all of its time is played alike.
const SPARE_S: u32 = 600;

/// Who decides, how fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Rung of the ladder.
    pub(super) rung: &'static str,
    pub(super) name: &'static str,
    pace: Pace,
}

/// The lanes.
///
/// How long a language model takes is an assumption: a first token after 0.3 to 1.6 s and 100 to 200 tokens a second are
/// medians that services of 2026 were measured at, so that a short call takes some 3 s; the long tail stands for long
/// answers, models that reason first, and queues.
pub(super) const LANES: [Lane; 3] = [
    Lane { rung: "frame", name: "mechanics", pace: Pace::Once },
    Lane { rung: "sub-second", name: "small policy", pace: Pace::Even { least_ms: 250.0, most_ms: 450.0 } },
    Lane {
        rung: "seconds",
        name: "LLM Agent",
        pace: Pace::LogNormal { median_ms: 3_000.0, p95_ms: 12_000.0, least_ms: 800.0, most_ms: 30_000.0 },
    },
];

/// What is to be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) seconds: u16,
    /// Of each lane.
    pub(super) matches: u8,
    /// Leads are told per so many minutes on the clock, as the curves have them.
    pub(super) lead_minutes: u16,
    pub(super) seed: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Live {
    pub(super) seconds: u16,
    /// Of each lane.
    pub(super) matches: u8,
    pub(super) lead_minutes: u16,
    /// One for each of [`LANES`].
    pub(super) lanes: Vec<Found>,
    /// How late the server began its ticks meanwhile, by its own record.
    pub(super) lateness_p99_ms: Option<f64>,
    pub(super) ticks: f64,
    pub(super) ticks_skipped: f64,
    pub(super) server_cpu_percent: f64,
}

/// Plays it on a server of our own.
///
/// # Errors
/// When the server does not start, ends, or answers what the contract does not say.
pub(super) async fn play(plan: &Plan, own: &OwnServer) -> anyhow::Result<Live> {
    let stage = Stage::spawn(&settings(plan)?, own).await?;
    let tally = Arc::new(Tally::new());
    let mut observer = stage.observer(&tally).await?;
    let mut tables = Vec::new();
    for (lane, at) in LANES.iter().zip(0_u64..) {
        for nth in 0..plan.matches {
            tables.push(Table::set(&stage, lane, at, nth, plan.seed, &tally).await?);
        }
    }
    observer.span().await?;
    let until = Instant::now() + Duration::from_secs(plan.seconds.into());
    let mut tasks: JoinSet<_> = (tables.into_iter().enumerate())
        .map(|(at, table)| async move { table.play(until).await.map(|played| (at, played)) })
        .collect();
    wait(plan.seconds, until).await;
    let span = observer.span().await?;
    let mut played = vec![None; tasks.len()];
    while let Some(ended) = tasks.join_next().await {
        let (at, what) = ended??;
        played[at] = Some(what);
    }
    stage.clear().await?;
    let played: Vec<_> = played.into_iter().flatten().collect();
    ensure!(span.server.match_panics == 0.0, "a match panicked");
    Ok(Live::new(plan, &played, &span))
}

/// Shows on a terminal how far it is.
async fn wait(seconds: u16, until: Instant) {
    let progress = Progress::new("Live lanes", Duration::from_secs(seconds.into()));
    for left in (0..u32::from(seconds)).rev() {
        sleep_until(until - Duration::from_secs(1) * left).await;
        progress.at(Duration::from_secs(u64::from(u32::from(seconds) - left)));
    }
}

/// Duels, a snapshot on every tick, and seats that stay taken however seldom somebody calls.
fn settings(plan: &Plan) -> anyhow::Result<toml::Table> {
    let duration_s = u32::from(plan.seconds) + SPARE_S;
    let text = format!(
        "[game]\nid = \"kickabout\"\nsetup = {{ team_size = 1, duration_s = {duration_s} }}\n\
         [matches]\nsnapshots_per_second = 240\n[contract]\nseat_idle_ms = 86400000\n"
    );
    Ok(text.parse()?)
}

/// One match: who plays, and who watches.
struct Table {
    seat: Seat,
    watcher: Watcher,
}

impl Table {
    async fn set(stage: &Stage, lane: &Lane, at: u64, nth: u8, seed: u64, tally: &Arc<Tally>) -> anyhow::Result<Self> {
        let key = MatchKey::parse(&format!("lane-{at}-{nth}")).expect("a legal key");
        // Red and blue in turn, as in the matches of the curves.
        let team = Team::ALL[usize::from(nth % 2)];
        let random = Pcg32::new(seed << 8 | u64::from(nth), at);
        let endpoint = Endpoint::new(stage.addresses.contract.clone());
        let seat = Seat::take(endpoint, key.clone(), team, lane.pace, random).await?;
        let watcher = Watcher::open(&stage.addresses.play, &key, seat.id, tally).await?;
        Ok(Self { seat, watcher })
    }

    async fn play(self, until: Instant) -> anyhow::Result<(Course, Acts)> {
        tokio::try_join!(self.seat.play(until), self.watcher.watch(until))
    }
}

impl Live {
    fn new(plan: &Plan, played: &[(Course, Acts)], span: &Span) -> Self {
        let lanes = LANES.iter().zip(played.chunks(plan.matches.into()));
        Self {
            seconds: plan.seconds,
            matches: plan.matches,
            lead_minutes: plan.lead_minutes,
            lanes: lanes.map(|(lane, matches)| Found::of(lane, matches, plan)).collect(),
            lateness_p99_ms: span.lateness.quantile(0.99).map(|seconds| seconds * 1e3),
            ticks: span.server.ticks,
            ticks_skipped: span.server.skipped,
            server_cpu_percent: span.server.cpu_seconds / span.seconds() * 100.0,
        }
    }
}

#[cfg(test)]
impl Live {
    /// Lanes with some goals each, for drawings.
    pub(super) fn sample() -> Self {
        use contract::Tick;

        use self::seat::{Became, Decided};

        let plan = Plan { seconds: 180, matches: 1, lead_minutes: 3, seed: 1 };
        let (looked, arrived) = (Tick(0), Tick(20));
        let decisions = vec![Decided { looked, arrived, became: Became::Order }];
        let course = Course { lead: 7, decisions, ..Course::default() };
        let acts = Acts { ticks: 180 * 60, turned: vec![Tick(1)], ..Acts::default() };
        let lanes = LANES.iter().map(|lane| Found::of(lane, &[(course.clone(), acts.clone())], &plan));
        Self {
            seconds: plan.seconds,
            matches: plan.matches,
            lead_minutes: plan.lead_minutes,
            lanes: lanes.collect(),
            lateness_p99_ms: None,
            ticks: 0.0,
            ticks_skipped: 0.0,
            server_cpu_percent: 0.0,
        }
    }
}

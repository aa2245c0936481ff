//! The proof that Agents who look on change nothing: the same matches, with the same inputs for the same ticks, on two
//! servers, of which only one has Agents. Every tick's checksum must be the same.
//!
//! All of it goes over the real wire in real time. Seeds are the server's setting; people sit down before the first input
//! is due, and until then mechanics play, so when exactly they sit down makes no difference. Inputs are sent far enough
//! ahead to be there in time, and the server's own count shows that they were.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use contract::{ClientMessage, MatchKey, ServerMessage, Tick};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde::Serialize;
use tokio::{task::JoinSet, time::sleep};

use crate::{
    crowd::{Crowd, match_key},
    http::Endpoint,
    metrics::Scrape,
    player::sample_input,
    progress::Progress,
    run::{OwnServer, Stage},
    scenario::{Agents, Scenario},
    tally::{Counter, Tally},
    wire::Wire,
};

/// The first tick that has inputs. Everybody sits by then.
const FIRST_TICK: u32 = 900;

/// Inputs are sent so many ticks before they are used.
const LEAD_TICKS: u32 = 26;

/// Ticks an input stays the same.
const HOLD_TICKS: u32 = 15;

/// A server is asked for its seed: both get the same.
const SEED_MAX: u64 = i64::MAX as u64;

/// What is played twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) matches: usize,
    pub(crate) players: usize,
    /// Of each match, from the first that has inputs.
    pub(crate) ticks: u32,
    pub(crate) calls_per_second: f64,
    pub(crate) seed: u64,
}

/// How it went.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sameness {
    matches: usize,
    /// Ticks with a checksum from both servers.
    ticks_compared: u64,
    ticks_wanted: u64,
    ticks_differing: u64,
    first_difference: Option<String>,
    /// Calls answered by the server with Agents.
    calls: u64,
    calls_per_second: f64,
    /// Inputs that came late or were dropped on either server: with any, nothing is proven.
    inputs_astray: f64,
}

impl Sameness {
    pub(crate) fn is_proven(&self) -> bool {
        self.ticks_differing == 0 && self.ticks_compared >= self.ticks_wanted && self.inputs_astray == 0.0
    }

    pub(crate) fn text(&self) -> String {
        let Self { matches, ticks_compared, ticks_differing, calls, calls_per_second, inputs_astray, .. } = self;
        let verdict = match (&self.first_difference, self.is_proven()) {
            (_, true) => "identical".to_owned(),
            (Some(difference), _) => format!("DIFFERENT at {ticks_differing} ticks, first {difference}"),
            (None, _) => format!("NOT PROVEN: {inputs_astray} inputs came late or were dropped, or ticks are missing"),
        };
        format!(
            "{ticks_compared} ticks of {matches} matches with and without {calls} calls of Agents who look on ({calls_per_second:.0} a second): {verdict}"
        )
    }
}

/// Plays everything twice, at the same time.
///
/// # Errors
/// When a server fails, or somebody finds no seat in time.
pub(crate) async fn prove(plan: Plan, own: &OwnServer) -> anyhow::Result<Sameness> {
    let settings = format!(
        "[game.setup]\nteam_size = {}\n[matches]\nseed = {}\nticks_per_snapshot = 1\n",
        plan.players.div_ceil(2) + 1,
        plan.seed % SEED_MAX
    );
    let settings: toml::Table = settings.parse()?;
    let (plain, watched) = (Stage::spawn(&settings, own).await?, Stage::spawn(&settings, own).await?);
    let tally = Arc::new(Tally::new());
    let onlookers = onlookers(plan);
    let mut crowd = Crowd::new(&onlookers, &watched.addresses, &tally).await?;

    let seconds = f64::from(FIRST_TICK + plan.ticks) / 60.0;
    let progress = Progress::new("The same matches twice", Duration::from_secs_f64(seconds));
    let ticking = async {
        for second in 0.. {
            progress.at(Duration::from_secs(second));
            sleep(Duration::from_secs(1)).await;
        }
    };
    let play = async {
        let (alone, looked_at) =
            tokio::try_join!(seat_all(plan, &plain.addresses.play), seat_all(plan, &watched.addresses.play))?;
        // Only now, so that everybody has the same seat on both.
        crowd.follow(Duration::ZERO, None);
        tokio::try_join!(play_all(plan, alone), play_all(plan, looked_at))
    };
    let (alone, looked_at) = tokio::select! {
        played = play => played?,
        () = ticking => unreachable!("it ticks for ever"),
    };
    drop(progress);
    let calls = tally.cut().count(Counter::Calls);
    if let (1.., Some(error)) = tally.errors() {
        anyhow::bail!("an onlooker failed: {error}");
    }
    let mut inputs_astray = 0.0;
    for stage in [&plain, &watched] {
        let scrape = Scrape::read(&Endpoint::new(stage.addresses.ops.clone())).await?;
        inputs_astray += scrape.sum("matchd_inputs_late_total") + scrape.sum("matchd_inputs_dropped_total");
    }
    crowd.disperse().await;
    plain.clear().await?;
    watched.clear().await?;
    Ok(compare(plan, &alone, &looked_at, calls, calls as f64 / seconds, inputs_astray))
}

/// Agents who only look: half of them from a seat, which a bot would otherwise play just the same.
fn onlookers(plan: Plan) -> Scenario {
    // A seat may make ten calls a second; whoever has none may make more.
    let seated_calls = (plan.calls_per_second / 2.0 / plan.matches as f64).min(8.0);
    let rest = plan.calls_per_second - seated_calls * plan.matches as f64;
    let agents = |calls_per_second: f64, takes_seat| Agents {
        calls_per_second: Some(calls_per_second),
        observe_only: true,
        takes_seat: Some(takes_seat),
        ..Agents::constant(plan.matches, plan.matches)
    };
    let agents = vec![agents(seated_calls, true), agents(rest / plan.matches as f64, false)];
    Scenario { seed: plan.seed, agents, ..Scenario::empty("onlookers") }
}

/// Checksums by tick, for each match.
type Course = Vec<BTreeMap<u32, u32>>;

/// Everybody of one match, seated, and its game.
struct Table {
    wires: Vec<Wire>,
    game: String,
}

async fn seat_all(plan: Plan, play: &str) -> anyhow::Result<Vec<Table>> {
    let tally = Arc::new(Tally::new());
    let mut firsts = Vec::new();
    // One after the other, so that each match gets the same seed on both servers.
    for at in 0..plan.matches {
        let key = match_key(plan.seed, at);
        let first = Wire::open(play, &key, &tally).await?;
        firsts.push((key, first));
    }
    let mut tasks = JoinSet::new();
    for (at, (key, (first, welcome))) in firsts.into_iter().enumerate() {
        let (play, tally) = (play.to_owned(), Arc::clone(&tally));
        tasks.spawn(async move {
            let seated = seat(plan, &play, &key, first, &tally).await;
            seated.map(|wires| (at, Table { wires, game: welcome.game })).with_context(|| key.as_str().to_owned())
        });
    }
    let mut tables = Vec::new();
    while let Some(table) = tasks.join_next().await {
        tables.push(table??);
    }
    tables.sort_by_key(|(at, _)| *at);
    Ok(tables.into_iter().map(|(_, table)| table).collect())
}

/// Seats everybody of one match, one after the other, so that everybody gets the same seat in both.
async fn seat(plan: Plan, play: &str, key: &MatchKey, first: Wire, tally: &Arc<Tally>) -> anyhow::Result<Vec<Wire>> {
    let mut wires = vec![first];
    while wires.len() < plan.players {
        wires.push(Wire::open(play, key, tally).await?.0);
    }
    for (seat, wire) in wires.iter_mut().enumerate() {
        wire.set_mode(true).await?;
        let tick = wire.join(&format!("player {seat}")).await?;
        ensure!(tick.0 + LEAD_TICKS < FIRST_TICK, "player {seat} sat down at {tick:?}, too late");
    }
    Ok(wires)
}

async fn play_all(plan: Plan, tables: Vec<Table>) -> anyhow::Result<Course> {
    let mut course: Course = vec![BTreeMap::new(); plan.matches];
    let mut tasks = JoinSet::new();
    for (at, table) in tables.into_iter().enumerate() {
        for (seat, wire) in table.wires.into_iter().enumerate() {
            let script = Script { seed: plan.seed ^ (at as u64) << 20, seat: seat as u64, game: table.game.clone() };
            let last = FIRST_TICK + plan.ticks;
            tasks.spawn(async move { anyhow::Ok((at, play_script(wire, script, last).await?)) });
        }
    }
    while let Some(seen) = tasks.join_next().await {
        let (at, checksums) = seen??;
        // Everybody sees the same; whoever saw a tick tells its checksum.
        course[at].extend(checksums);
    }
    Ok(course)
}

/// What one player does in each tick: always the same for the same seed.
struct Script {
    seed: u64,
    seat: u64,
    game: String,
}

impl Script {
    fn input(&self, tick: u32) -> anyhow::Result<Vec<u8>> {
        let mut random = Pcg32::new(self.seed ^ u64::from(tick / HOLD_TICKS) << 32, self.seat);
        sample_input(&self.game, random.next_u32())
    }
}

/// Plays up to a tick. Returns the checksums seen.
async fn play_script(mut wire: Wire, script: Script, last: u32) -> anyhow::Result<BTreeMap<u32, u32>> {
    let mut checksums = BTreeMap::new();
    let mut next = FIRST_TICK;
    loop {
        let (tick, checksum) = match wire.hear().await? {
            ServerMessage::Snapshot(snapshot) => (snapshot.tick.0, snapshot.checksum),
            ServerMessage::Steps(steps) => (steps.tick.0, steps.checksum),
            _ => continue,
        };
        if (FIRST_TICK..=last).contains(&tick) {
            checksums.insert(tick, checksum);
        }
        if tick >= last {
            return Ok(checksums);
        }
        while next <= tick + LEAD_TICKS {
            let input = script.input(next)?;
            wire.say(&ClientMessage::Input { tick: Tick(next), input }).await?;
            next += 1;
        }
    }
}

fn compare(
    plan: Plan,
    alone: &Course,
    looked_at: &Course,
    calls: u64,
    calls_per_second: f64,
    inputs_astray: f64,
) -> Sameness {
    let (mut ticks_compared, mut ticks_differing, mut first_difference) = (0, 0, None);
    for (at, (one, other)) in alone.iter().zip(looked_at).enumerate() {
        for (tick, checksum) in one {
            let Some(looked_at) = other.get(tick) else { continue };
            ticks_compared += 1;
            if looked_at != checksum {
                ticks_differing += 1;
                first_difference.get_or_insert_with(|| format!("match {at}, tick {tick}"));
            }
        }
    }
    // A snapshot may give way to a newer one now and then. A later checksum covers the ticks before it.
    let ticks_wanted = plan.matches as u64 * u64::from(plan.ticks) * 99 / 100;
    Sameness {
        matches: plan.matches,
        ticks_compared,
        ticks_wanted,
        ticks_differing,
        first_difference,
        calls,
        calls_per_second,
        inputs_astray,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { matches: 1, players: 2, ticks: 100, calls_per_second: 200.0, seed: 1 };

    fn course(change: Option<u32>) -> Course {
        vec![(FIRST_TICK..=FIRST_TICK + 100).map(|tick| (tick, if change == Some(tick) { 1 } else { 0 })).collect()]
    }

    #[test]
    fn one_other_checksum_is_found() {
        let proven = |other: &Course, astray| compare(PLAN, &course(None), other, 5, 200.0, astray).is_proven();
        assert!(proven(&course(None), 0.0));
        assert!(!proven(&course(None), 1.0), "with a late input nothing is proven");
        assert!(!proven(&course(Some(FIRST_TICK + 50)), 0.0));
        assert!(!proven(&vec![BTreeMap::new()], 0.0), "nothing was compared");
        let text = compare(PLAN, &course(None), &course(Some(FIRST_TICK + 50)), 5, 200.0, 0.0).text();
        assert!(text.contains("match 0, tick 950"), "{text}");
    }
}

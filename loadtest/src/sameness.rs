//! The proof that Agents who look on change nothing: the same matches, with the same inputs for the same ticks, on two
//! servers, of which only one has Agents. Every tick's checksum must be the same.
//!
//! All of it goes over the real wire in real time. Seeds are the server's setting. Somebody who sits down makes a player
//! forget what it was about, so everybody asks for a seat right after a certain tick, and only matches in which everybody
//! got it at the same tick on both servers are compared. Inputs are sent far enough ahead to be there in time, and the
//! server's own count shows that they were.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use contract::{ClientMessage, MatchKey, ServerMessage, Tick};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde::Serialize;
use tokio::{task::JoinSet, time::sleep};

use crate::{
    crowd::{Crowd, match_key},
    game,
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

/// After this tick the first one asks for a seat, and after each further so many the next one.
const JOIN_TICK: u32 = 240;
const JOIN_GAP_TICKS: u32 = 6;

/// One match more for so many that are wanted, for those in which somebody sat down at another tick.
const MATCHES_PER_SPARE: usize = 4;

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
    /// Matches in which somebody sat down at another tick: they cannot be compared.
    matches_apart: usize,
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
            (None, _) => format!(
                "NOT PROVEN: {inputs_astray} inputs came late or were dropped, {} matches could not be compared",
                self.matches_apart
            ),
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
pub(crate) async fn prove(game: &str, wanted: Plan, own: &OwnServer) -> anyhow::Result<Sameness> {
    let plan = Plan { matches: wanted.matches + wanted.matches.div_ceil(MATCHES_PER_SPARE), ..wanted };
    // Room for more than come: on which side somebody sits down is up to the server.
    let mut settings = game::with_room_for(game, plan.players + 2)?;
    let matches: toml::Table =
        format!("[matches]\nseed = {}\nsnapshots_per_second = 240\n", plan.seed % SEED_MAX).parse()?;
    settings.extend(matches);
    let (plain, watched) = (Stage::spawn(&settings, own).await?, Stage::spawn(&settings, own).await?);
    let tally = Arc::new(Tally::new());
    let onlookers = onlookers(plan);
    let mut crowd = Crowd::new(&onlookers, &watched.addresses, &tally).await?;

    let seconds = f64::from(FIRST_TICK + plan.ticks) / f64::from(game::ticks_per_second(game)?);
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
    Ok(compare(wanted, &alone, &looked_at, calls, calls as f64 / seconds, inputs_astray))
}

/// Agents who only look, without a seat: whoever takes one changes who plays.
fn onlookers(plan: Plan) -> Scenario {
    let agents = Agents {
        calls_per_second: Some(plan.calls_per_second / plan.matches as f64),
        observe_only: true,
        ..Agents::constant(plan.matches, plan.matches)
    };
    Scenario { seed: plan.seed, agents: vec![agents], ..Scenario::empty("onlookers") }
}

/// How one match went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Course {
    /// When everybody sat down.
    seated: Vec<Tick>,
    /// By tick.
    checksums: BTreeMap<u32, u32>,
}

/// Everybody of one match, seated, and its game.
struct Table {
    wires: Vec<Wire>,
    seated: Vec<Tick>,
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
            seated
                .map(|(wires, seated)| (at, Table { wires, seated, game: welcome.game }))
                .with_context(|| key.as_str().to_owned())
        });
    }
    let mut tables = Vec::new();
    while let Some(table) = tasks.join_next().await {
        tables.push(table??);
    }
    tables.sort_by_key(|(at, _)| *at);
    Ok(tables.into_iter().map(|(_, table)| table).collect())
}

/// Seats everybody of one match, one after the other and each right after a certain tick. Returns when they sat down.
async fn seat(
    plan: Plan,
    play: &str,
    key: &MatchKey,
    first: Wire,
    tally: &Arc<Tally>,
) -> anyhow::Result<(Vec<Wire>, Vec<Tick>)> {
    let mut wires = vec![first];
    while wires.len() < plan.players {
        wires.push(Wire::open(play, key, tally).await?.0);
    }
    let mut seated = Vec::new();
    for (seat, wire) in wires.iter_mut().enumerate() {
        wire.set_mode(true).await?;
        let from = JOIN_TICK + JOIN_GAP_TICKS * u32::try_from(seat)?;
        while shown(&wire.hear().await?).is_none_or(|(tick, _)| tick < from) {}
        let (_, tick) = wire.join(&format!("player {seat}")).await?;
        ensure!(tick.0 + LEAD_TICKS < FIRST_TICK, "player {seat} sat down at {tick:?}, too late");
        seated.push(tick);
    }
    Ok((wires, seated))
}

async fn play_all(plan: Plan, tables: Vec<Table>) -> anyhow::Result<Vec<Course>> {
    let mut courses = vec![Course::default(); plan.matches];
    let mut tasks = JoinSet::new();
    for (at, table) in tables.into_iter().enumerate() {
        courses[at].seated = table.seated;
        for (seat, wire) in table.wires.into_iter().enumerate() {
            let script = Script { seed: plan.seed ^ (at as u64) << 20, seat: seat as u64, game: table.game.clone() };
            let last = FIRST_TICK + plan.ticks;
            tasks.spawn(async move { anyhow::Ok((at, play_script(wire, script, last).await?)) });
        }
    }
    while let Some(seen) = tasks.join_next().await {
        let (at, checksums) = seen??;
        // Everybody sees the same; whoever saw a tick tells its checksum.
        courses[at].checksums.extend(checksums);
    }
    Ok(courses)
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
        let Some((tick, checksum)) = shown(&wire.hear().await?) else { continue };
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

/// The tick and the checksum of a message that shows one.
const fn shown(message: &ServerMessage) -> Option<(u32, u32)> {
    match message {
        ServerMessage::Snapshot(snapshot) => Some((snapshot.tick.0, snapshot.checksum)),
        ServerMessage::Steps(steps) => Some((steps.tick.0, steps.checksum)),
        _ => None,
    }
}

fn compare(
    plan: Plan,
    alone: &[Course],
    looked_at: &[Course],
    calls: u64,
    calls_per_second: f64,
    inputs_astray: f64,
) -> Sameness {
    let (mut ticks_compared, mut ticks_differing, mut first_difference) = (0, 0, None);
    let mut matches_apart = 0;
    for (at, (one, other)) in alone.iter().zip(looked_at).enumerate() {
        if one.seated != other.seated {
            matches_apart += 1;
            continue;
        }
        for (tick, checksum) in &one.checksums {
            let Some(looked_at) = other.checksums.get(tick) else { continue };
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
        matches: alone.len() - matches_apart,
        matches_apart,
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

    fn course(change: Option<u32>) -> Vec<Course> {
        let checksum = |tick| (tick, u32::from(change == Some(tick)));
        let checksums = (FIRST_TICK..=FIRST_TICK + 100).map(checksum).collect();
        vec![Course { seated: vec![Tick(JOIN_TICK + 1)], checksums }]
    }

    #[test]
    fn one_other_checksum_is_found() {
        let proven = |other: &[Course], astray| compare(PLAN, &course(None), other, 5, 200.0, astray).is_proven();
        assert!(proven(&course(None), 0.0));
        assert!(!proven(&course(None), 1.0), "with a late input nothing is proven");
        assert!(!proven(&course(Some(FIRST_TICK + 50)), 0.0));
        assert!(!proven(&[Course::default()], 0.0), "somebody sat down at another tick, so nothing was compared");
        let text = compare(PLAN, &course(None), &course(Some(FIRST_TICK + 50)), 5, 200.0, 0.0).text();
        assert!(text.contains("match 0, tick 950"), "{text}");
    }
}

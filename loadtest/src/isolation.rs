//! `loadtest isolation`: do Agents disturb play? Measured: conditions that take turns in one run. Proven: the same matches
//! with and without Agents who look on.

use anyhow::ensure;
use clap::builder::PossibleValuesParser;
use contract::games;

use crate::{
    game,
    report::Outputs,
    run::{OwnServer, Stage, play},
    sameness::{self, Plan},
    scenario::Scenario,
};

/// Calls that one seat makes in a second at most: a server lets ten through.
const CALLS_PER_SEAT_SECOND: f64 = 5.0;

/// How it is done.
#[derive(Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    own: OwnServer,
    /// Game of the server to start.
    #[arg(long, default_value = games::IDS[0], value_parser = PossibleValuesParser::new(games::IDS))]
    game: String,
    /// Matches.
    #[arg(long, default_value_t = 50)]
    matches: usize,
    /// Players in each match.
    #[arg(long, default_value_t = 8)]
    players: usize,
    /// Agents in each match in the arm with honest ones; each has at most one call in flight.
    #[arg(long, default_value_t = 4)]
    agents: usize,
    /// Calls per second in the arms with many.
    #[arg(long, default_value_t = 200.0)]
    calls: f64,
    /// Rounds: in each, every arm has a turn.
    #[arg(long, default_value_t = 6)]
    rounds: usize,
    /// Seconds of a turn that count.
    #[arg(long, default_value_t = 10)]
    window_s: u64,
    /// Matches that are played twice, with and without onlookers; 0 leaves that out.
    #[arg(long, default_value_t = 25)]
    twins: usize,
    /// Ticks that are compared, over all of them.
    #[arg(long, default_value_t = 50_000)]
    ticks: u32,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    outputs: Outputs,
}

/// Runs both halves and reports them as one.
///
/// # Errors
/// When a server does not start or fails.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    let scenario = scenario(options)?;
    let mut report = play(&scenario, Stage::spawn(&scenario.server, &options.own).await?).await?;
    if let Some(matches) = u32::try_from(options.twins).ok().filter(|matches| *matches > 0) {
        let plan = Plan {
            matches: options.twins,
            players: options.players,
            ticks: options.ticks.div_ceil(matches),
            calls_per_second: options.calls,
            seed: options.seed,
        };
        report.sameness = Some(sameness::prove(&options.game, plan, &options.own).await?);
    }
    print!("{}", report.table());
    options.outputs.write(&report, || report.html())?;
    Ok(report.is_good())
}

/// The first half as a scenario.
fn scenario(options: &Options) -> anyhow::Result<Scenario> {
    let Options { matches, players, agents, calls, rounds, window_s, seed, .. } = options;
    let calls_max = CALLS_PER_SEAT_SECOND * (matches * agents) as f64;
    ensure!(
        *calls <= calls_max,
        "--calls is {calls}, legal are up to {calls_max}: Agents have {} seats",
        matches * agents
    );
    let people = matches * players;
    let callers = matches * ((calls / CALLS_PER_SEAT_SECOND / *matches as f64).ceil() as usize).max(1);
    let server = game::with_room_for(&options.game, players + agents)?;
    let mut scenario = Scenario::parse(&format!(
        r#"
name = "Do Agents disturb play?"
about = "{matches} matches of {players} people, and in turns: no Agents, {agents} honest ones in each match, {calls} valid calls a second, {calls} hostile calls a second."
seed = {seed}
warm_up_s = 5

# In the field attackers and relays have addresses of their own; here all come from one machine.
[server.contract]
calls_in_flight = 64

[[players]]
count = {people}
matches = {matches}

[[agents]]
count = {all_agents}
matches = {matches}
arm = "honest Agents"

[[agents]]
count = {callers}
matches = {matches}
calls_per_second = {each}
arm = "many valid calls"

[[attackers]]
kind = "malformed_calls"
count = 10
matches = {matches}
per_second = {malformed}
arm = "hostile calls"

[[attackers]]
kind = "wrong_token"
count = 10
matches = {matches}
per_second = {wrong}
arm = "hostile calls"

[[attackers]]
kind = "huge_body"
count = 10
matches = {matches}
per_second = {huge}
arm = "hostile calls"

[[attackers]]
kind = "slow_body"
count = 20
matches = {matches}
arm = "hostile calls"

[arms]
names = ["no Agents", "honest Agents", "many valid calls", "hostile calls"]
rounds = {rounds}
window_s = {window_s}
settle_s = 3

[gates]
errors_max = 0
match_panics_max = 0
arms_tick_lateness_p999_ms_more_max = 0.2
arms_ticks_skipped_more_max = 0
"#,
        all_agents = matches * agents,
        each = calls / callers as f64,
        malformed = calls * 0.04,
        wrong = calls * 0.035,
        huge = calls * 0.025,
    ))?;
    scenario.server.extend(server);
    Ok(scenario)
}

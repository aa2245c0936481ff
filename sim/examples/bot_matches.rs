//! Plays matches of bots against bots and prints how they went.
//!
//! `cargo run --release -p sim --example bot_matches [MATCHES]`

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "measures the world from outside, and is no part of it"
)]

use std::{env, time::Instant};

use contract::{
    Audience,
    games::kickabout::{HappeningKind, Phase, Setup, Team, View},
};
use sim::{
    Game,
    games::kickabout::{Kickabout, REACH},
};

/// What is counted over the matches of one team size.
#[derive(Default)]
struct Tally {
    matches: u32,
    goals: u32,
    wins: [u32; 2],
    golden_goals: u32,
    ticks: u64,
    play_ticks: u64,
    loose_ticks: u64,
    kicks: u64,
    passes: u64,
    passes_received: u64,
    own_goals: u32,
    untouched_seats: u32,
    flips: u64,
    seconds: f64,
}

fn main() {
    let matches = env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(200);
    println!(
        "size matches goals/match  red blue draw  golden  own  loose%  kicks/min passes/min completed%  turns/s  untouched  us/tick"
    );
    for (team_size, matches) in [(3, matches), (1, matches / 4), (2, matches / 4), (4, matches / 4), (6, matches / 4)] {
        let mut tally = Tally::default();
        for seed in 0..matches {
            play(Setup { team_size, duration_s: 180 }, seed, &mut tally);
        }
        print(team_size, &tally);
    }
}

fn play(setup: Setup, seed: u64, tally: &mut Tally) {
    let start = Instant::now();
    let seats = usize::from(setup.team_size) * 2;
    let mut game = Kickabout::new(&setup, seed);
    let inputs = vec![None; seats];
    let mut view = View::default();
    let mut touched = vec![false; seats];
    let mut pass_from = None;
    let mut headings = vec![None; seats];
    loop {
        game.step(&inputs, &[]);
        game.view(Audience(2), &mut view);
        tally.ticks += 1;
        if let Some(seat) = view.ball.last_touch {
            touched[seat.index()] = true;
        }
        for happening in view.happenings.iter().flatten().filter(|happening| happening.tick == view.tick) {
            let team = happening.seat.map(|seat| Team::of(seat, setup.team_size));
            match happening.kind {
                HappeningKind::Kick | HappeningKind::Pass | HappeningKind::Touch => {
                    if let Some(from) = pass_from.filter(|from| Some(*from) != happening.seat) {
                        tally.passes_received += u64::from(Some(Team::of(from, setup.team_size)) == team);
                        pass_from = None;
                    }
                    match happening.kind {
                        HappeningKind::Kick => (tally.kicks, pass_from) = (tally.kicks + 1, None),
                        HappeningKind::Pass => (tally.passes, pass_from) = (tally.passes + 1, happening.seat),
                        _ => {}
                    }
                }
                HappeningKind::GoalRed => tally.own_goals += u32::from(team != Some(Team::Red)),
                HappeningKind::GoalBlue => tally.own_goals += u32::from(team != Some(Team::Blue)),
                HappeningKind::GoldenGoal => tally.golden_goals += 1,
                _ => {}
            }
        }
        if view.phase == Phase::Play {
            tally.play_ticks += 1;
            tally.loose_ticks += u64::from(view.players().iter().all(|player| distance(&view, player) > REACH));
            for (heading, player) in headings.iter_mut().zip(view.players()) {
                let now = player.input.direction.index();
                tally.flips += u64::from(is_flip(*heading, now));
                *heading = now;
            }
        }
        if let Phase::Ended(winner) = view.phase {
            tally.matches += 1;
            tally.goals += view.score.iter().copied().map(u32::from).sum::<u32>();
            if let Some(winner) = winner {
                tally.wins[winner.index()] += 1;
            }
            tally.untouched_seats += touched.iter().map(|touched| u32::from(!touched)).sum::<u32>();
            tally.seconds += start.elapsed().as_secs_f64();
            return;
        }
    }
}

/// A turn of more than a quarter from one tick to the next.
fn is_flip(before: Option<usize>, now: Option<usize>) -> bool {
    let (Some(before), Some(now)) = (before, now) else { return false };
    let turn = before.abs_diff(now);
    turn.min(64 - turn) > 16
}

fn distance(view: &View, player: &contract::games::kickabout::Player) -> f32 {
    let x = f32::from(player.position.x) - f32::from(view.ball.position.x);
    let y = f32::from(player.position.y) - f32::from(view.ball.position.y);
    (x * x + y * y).sqrt() / 32.0
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn print(team_size: u8, tally: &Tally) {
    let minutes = tally.play_ticks as f64 / 3600.0;
    let seats = f64::from(team_size) * 2.0;
    println!(
        "{team_size}v{team_size} {:>8} {:>11.2} {:>4} {:>4} {:>4} {:>7} {:>4} {:>7.1} {:>10.1} {:>10.1} {:>10.1} {:>8.2} {:>10} {:>8.2}",
        tally.matches,
        f64::from(tally.goals) / f64::from(tally.matches.max(1)),
        tally.wins[0],
        tally.wins[1],
        tally.matches - tally.wins[0] - tally.wins[1],
        tally.golden_goals,
        tally.own_goals,
        100.0 * tally.loose_ticks as f64 / tally.play_ticks as f64,
        tally.kicks as f64 / minutes,
        tally.passes as f64 / minutes,
        100.0 * tally.passes_received as f64 / tally.passes.max(1) as f64,
        tally.flips as f64 / (minutes * 60.0 * seats),
        tally.untouched_seats,
        tally.seconds * 1e6 / tally.ticks as f64,
    );
}

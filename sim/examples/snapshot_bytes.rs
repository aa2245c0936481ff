//! What a match of twelve costs on the wire, beside the same match sent as plain structs through rmp-serde.
//!
//! `cargo xtask bench snapshot_bytes [SECONDS]`
//!
//! Twelve people do what the players of `loadtest` do: anything, and something else after a tenth to two thirds of a
//! second. Bytes are those of whole messages, without the few that a WebSocket and TCP put around them.

#![expect(clippy::disallowed_methods, reason = "measures the world from outside, and is no part of it")]

use std::env;

use contract::{
    Audience, ServerMessage, Snapshot, Steps, WireInput as _, WireView as _, encode,
    games::kickabout::{Input, Setup, View},
    steps,
};
use rand_core::Rng as _;
use rand_pcg::Pcg32;
use serde::Serialize;
use sim::{Game as _, games::kickabout::Kickabout};

const SECONDS: u32 = 180;
const TICKS_PER_SECOND: u32 = 60;
const SETUP: Setup = Setup { team_size: 6, duration_s: 180 };
/// Fewest and most ticks somebody does the same.
const HOLD_TICKS: (u32, u32) = (6, 40);

/// What a page has to know of a tick, as one would write it down without thinking of bytes.
#[derive(Serialize)]
struct PlainView {
    tick: u32,
    phase: u8,
    clock_ticks: u32,
    score: [u8; 2],
    ball: PlainBody,
    players: Vec<PlainPlayer>,
}

#[derive(Serialize)]
struct PlainBody {
    x: f32,
    y: f32,
    vx: f32,
    vy: f32,
}

#[derive(Serialize)]
struct PlainPlayer {
    body: PlainBody,
    stamina: u16,
    charge: u8,
    direction: Option<u8>,
    sprint: bool,
    kick: bool,
    pass: bool,
}

/// Bytes sent so far in each way of writing.
#[derive(Default)]
struct Tally {
    steps: usize,
    whole: usize,
    plain: usize,
    named: usize,
}

fn main() {
    let seconds = env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    println!("12 seats, all people, {seconds} s; bytes per second and client\n");
    println!("| snapshots | steps | whole views | rmp-serde, fields in order | rmp-serde, fields by name |");
    println!("|---|---|---|---|---|");
    for ticks_per_snapshot in [2, 1] {
        let tally = play(seconds, ticks_per_snapshot);
        let rate = |bytes: usize| bytes as f64 / f64::from(seconds);
        println!(
            "| {}/s | {:.0} | {:.0} | {:.0} | {:.0} |",
            TICKS_PER_SECOND / ticks_per_snapshot,
            rate(tally.steps),
            rate(tally.whole),
            rate(tally.plain),
            rate(tally.named)
        );
    }
}

fn play(seconds: u32, ticks_per_snapshot: u32) -> Tally {
    let mut world = Kickabout::new(&SETUP, 1);
    let mut people: Vec<Person> = (0..12).map(Person::new).collect();
    let mut inputs = [None; 12];
    let (mut rows, mut body) = (Vec::new(), Vec::new());
    let (mut before, mut view) = (View::default(), View::default());
    world.view(Audience(0), &mut before);
    let mut tally = Tally::default();
    for tick in 1..=seconds * TICKS_PER_SECOND {
        for (person, input) in people.iter_mut().zip(&mut inputs) {
            *input = Some(person.act());
        }
        world.step(&inputs, &[]);
        world.view(Audience(0), &mut view);
        rows.extend(view.players().iter().map(|player| player.input));
        if !tick.is_multiple_of(ticks_per_snapshot) {
            continue;
        }
        let checksum = view.checksum(&mut body) as u32;
        let ticks = ticks_per_snapshot as u8;
        body.clear();
        steps::pack(&before, &rows, &view, &mut body);
        tally.steps +=
            encode(&ServerMessage::Steps(Steps { tick: view.tick, ticks, checksum, body: body.clone() })).len();
        body.clear();
        view.pack(&mut body);
        let whole = Snapshot { tick: view.tick, audience: Audience(0), checksum, body: body.clone() };
        tally.whole += encode(&ServerMessage::Snapshot(whole)).len();
        tally.plain += rmp_serde::to_vec(&plain(&view)).expect("plain numbers").len();
        tally.named += rmp_serde::to_vec_named(&plain(&view)).expect("plain numbers").len();
        before.clone_from(&view);
        rows.clear();
    }
    tally
}

struct Person {
    random: Pcg32,
    held: Input,
    ticks: u32,
}

impl Person {
    fn new(seat: u64) -> Self {
        Self { random: Pcg32::new(seat, 1), held: Input::default(), ticks: 0 }
    }

    fn act(&mut self) -> Input {
        if self.ticks == 0 {
            self.held = Input::sample(self.random.next_u32());
            self.ticks = HOLD_TICKS.0 + self.random.next_u32() % (HOLD_TICKS.1 - HOLD_TICKS.0);
        }
        self.ticks -= 1;
        self.held
    }
}

fn plain(view: &View) -> PlainView {
    use contract::games::kickabout::{GridPosition, GridVelocity, Phase};
    let body = |at: GridPosition, by: GridVelocity| {
        let place = |steps: i16| f32::from(steps) / f32::from(GridPosition::STEPS);
        let speed = |steps: i16| f32::from(steps) / f32::from(GridVelocity::STEPS);
        PlainBody { x: place(at.x), y: place(at.y), vx: speed(by.x), vy: speed(by.y) }
    };
    let players = view.players().iter().map(|player| PlainPlayer {
        body: body(player.position, player.velocity),
        stamina: player.stamina,
        charge: player.charge,
        direction: player.input.direction.index().map(|point| point as u8),
        sprint: player.input.sprint,
        kick: player.input.kick,
        pass: player.input.pass,
    });
    PlainView {
        tick: view.tick.0,
        phase: match view.phase {
            Phase::KickOff(_) => 0,
            Phase::Play => 1,
            Phase::Goal(_) => 2,
            Phase::Ended(_) => 3,
        },
        clock_ticks: view.clock_ticks,
        score: view.score,
        ball: body(view.ball.position, view.ball.velocity),
        players: players.collect(),
    }
}

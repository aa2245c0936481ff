//! What `cargo xtask bench instructions` counts: one turn of each operation that every tick, snapshot or input costs.
//!
//! Without arguments it lists the operations; with the name of one and a number it runs that many turns of it. Run by
//! itself it shows nothing: the counting is valgrind's.

#![expect(clippy::disallowed_methods, reason = "measures the world from outside, and is no part of it")]

use std::{env, hint::black_box};

use contract::{
    Audience, ClientMessage, GameData, ServerMessage, Snapshot, Steps, Tick, WireInput as _, WireView as _, encode,
    games::{kickabout, skirmish},
    steps,
};
use rand_core::Rng as _;
use rand_pcg::Pcg32;
use sim::{
    Game, Input, Setup, View,
    games::{kickabout::Kickabout, skirmish::Skirmish},
};

/// Ticks that are played before anything is counted, so that everybody is in the middle of something.
const TICKS_BEFORE: u32 = 120;

/// Ticks somebody does the same.
const HOLD_TICKS: u32 = 20;

/// Twelve play in both games.
const KICKABOUT: kickabout::Setup = kickabout::Setup { team_size: 6, duration_s: 180 };
const SKIRMISH: skirmish::Setup = skirmish::Setup { seats: 12 };

/// What is counted, by name.
const OPERATIONS: &[&str] = &[
    "step_people",
    "step_bots",
    "view",
    "checksum",
    "encode_whole",
    "encode_steps",
    "encode_input",
    "decode_whole",
    "decode_input",
];

fn main() {
    let mut arguments = env::args().skip(1);
    let Some(name) = arguments.next() else {
        for game in ["kickabout", "skirmish"] {
            OPERATIONS.iter().for_each(|operation| println!("{game}/{operation}"));
        }
        return;
    };
    let turns = arguments.next().and_then(|text| text.parse().ok()).expect("a number of turns");
    match name.split_once('/') {
        Some(("kickabout", operation)) => Ground::<Kickabout>::new(KICKABOUT).run(operation, turns),
        Some(("skirmish", operation)) => Ground::<Skirmish>::new(SKIRMISH).run(operation, turns),
        _ => panic!("{name} is no operation"),
    }
}

/// A match in the middle of play, and everything an operation needs ready made.
struct Ground<G: Game> {
    world: G,
    random: Pcg32,
    people: Vec<Option<Input<G>>>,
    bots: Vec<Option<Input<G>>>,
    /// Two views, a snapshot's ticks apart, and the inputs that lead from one to the other.
    before: View<G>,
    rows: Vec<Input<G>>,
    after: View<G>,
    scratch: Vec<u8>,
}

impl<G: Game> Ground<G> {
    /// Ticks from one snapshot to the next.
    const TICKS: u8 = 2;

    fn new(setup: Setup<G>) -> Self {
        let seats = G::Data::seats(&setup);
        let mut ground = Self {
            world: G::new(&setup, 1),
            random: Pcg32::new(1, 1),
            people: vec![Some(Input::<G>::default()); seats],
            bots: vec![None; seats],
            before: View::<G>::default(),
            rows: Vec::new(),
            after: View::<G>::default(),
            scratch: Vec::with_capacity(16 * 1024),
        };
        for tick in 0..TICKS_BEFORE {
            ground.step_people(tick);
        }
        ground.world.view(Audience(0), &mut ground.before);
        for tick in 0..u32::from(Self::TICKS) {
            ground.step_people(tick);
            let done: Vec<_> = ground.people.iter().copied().flatten().collect();
            ground.rows.extend(done);
        }
        ground.world.view(Audience(0), &mut ground.after);
        ground
    }

    fn run(&mut self, operation: &str, turns: u32) {
        let whole = self.whole();
        let input = Self::input(turns);
        for turn in 0..turns {
            match operation {
                "step_people" => self.step_people(turn),
                "step_bots" => self.world.step(black_box(&self.bots), &[]),
                "view" => self.world.view(black_box(Audience(0)), &mut self.after),
                "checksum" => drop(black_box(self.after.checksum(&mut self.scratch))),
                "encode_whole" => drop(black_box(self.whole())),
                "encode_steps" => drop(black_box(self.steps())),
                "encode_input" => drop(black_box(Self::input(turn))),
                "decode_whole" => {
                    let Ok(ServerMessage::Snapshot(snapshot)) = contract::decode(black_box(&whole)) else {
                        panic!("it was encoded as a snapshot");
                    };
                    black_box(View::<G>::from_bytes(&snapshot.body).expect("a view"));
                }
                "decode_input" => {
                    let Ok(ClientMessage::Input { input, .. }) = contract::decode(black_box(&input)) else {
                        panic!("it was encoded as an input");
                    };
                    black_box(Input::<G>::unpack(&input).expect("an input"));
                }
                _ => panic!("{operation} is no operation"),
            }
        }
    }

    fn step_people(&mut self, tick: u32) {
        if tick.is_multiple_of(HOLD_TICKS) {
            self.people.iter_mut().for_each(|input| *input = Some(Input::<G>::sample(self.random.next_u32())));
        }
        self.world.step(black_box(&self.people), &[]);
    }

    fn whole(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(1024);
        self.after.pack(&mut body);
        encode(&ServerMessage::Snapshot(Snapshot { tick: self.after.tick(), audience: Audience(0), checksum: 1, body }))
    }

    fn steps(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(256);
        steps::pack(&self.before, &self.rows, &self.after, &mut body);
        encode(&ServerMessage::Steps(Steps { tick: self.after.tick(), ticks: Self::TICKS, checksum: 1, body }))
    }

    fn input(noise: u32) -> Vec<u8> {
        let mut input = Vec::with_capacity(16);
        Input::<G>::sample(noise.wrapping_mul(0x9e37_79b9)).pack(&mut input);
        encode(&ClientMessage::Input { tick: Tick(noise), input })
    }
}

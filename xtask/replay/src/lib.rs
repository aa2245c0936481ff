//! Matches that play themselves, the same on every machine: bots, and people who press what a hash of seed, seat and tick says.
//!
//! `cargo xtask replay-wasm` compiles this natively and to wasm and compares what comes out. That a browser predicts what
//! the server computes rests on the two being equal.

use contract::{GameData, WireInput};
use sim::Game;
use sim::games::Visitor;
use wasm_bindgen::prelude::wasm_bindgen;

/// A checksum is taken this often, so that a difference is seen near where it begins.
pub const CHECKSUM_EVERY_TICKS: u32 = 50;

/// The world is saved and loaded again this often: a prime, so that it falls on every part of a match.
const RELOAD_EVERY_TICKS: u32 = 97;

/// A seat changes between a person and mechanics this often.
const HANDOVER_EVERY_TICKS: u32 = 200;

/// A person changes what they press this often.
const PRESS_EVERY_TICKS: u32 = 12;

/// Plays one match and returns its checksums. There are none when no game has this id.
#[must_use]
#[wasm_bindgen]
pub fn replay(game: &str, seed: u32, ticks: u32) -> Vec<u64> {
    sim::games::visit(game, Replay { seed, ticks }).unwrap_or_default()
}

/// The ids of all games.
#[must_use]
#[wasm_bindgen]
pub fn games() -> Vec<String> {
    contract::games::IDS.iter().map(ToString::to_string).collect()
}

struct Replay {
    seed: u32,
    ticks: u32,
}

impl Visitor for Replay {
    type Output = Vec<u64>;

    fn visit<G: Game>(self) -> Vec<u64> {
        let setup = sim::Setup::<G>::default();
        let mut world = G::new(&setup, self.seed.into());
        let mut inputs = vec![None; G::Data::seats(&setup)];
        let mut saved = Vec::new();
        let mut checksums = Vec::new();
        for tick in 1..=self.ticks {
            for (seat, input) in (0..).zip(&mut inputs) {
                let is_person = self.noise(seat, tick / HANDOVER_EVERY_TICKS).is_multiple_of(2);
                let pressed = || sim::Input::<G>::sample(self.noise(seat, tick / PRESS_EVERY_TICKS));
                *input = is_person.then(pressed);
            }
            world.step(&inputs, &[]);
            if tick.is_multiple_of(RELOAD_EVERY_TICKS) {
                saved.clear();
                world.save(&mut saved);
                world = G::load(&saved).expect("a world reads what it has saved");
            }
            if tick.is_multiple_of(CHECKSUM_EVERY_TICKS) {
                checksums.push(world.checksum());
            }
        }
        checksums
    }
}

impl Replay {
    /// 32 bits that look random and depend on all three numbers: the finaliser of SplitMix64.
    fn noise(&self, seat: u32, period: u32) -> u32 {
        let mut x = (u64::from(self.seed) << 40) ^ (u64::from(seat) << 32) ^ u64::from(period);
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 32) as u32
    }
}

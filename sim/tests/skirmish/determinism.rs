//! A match is a function of its setup, its seed and what enters it.

use contract::{
    Audience, WireView as _,
    games::skirmish::{Setup, View},
};
use sim::{Game as _, games::skirmish::Skirmish};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::arena::{checksum, random_inputs, random_orders};

const SEEDS: u64 = 100;
const TICKS: u32 = 1000;

fn seats(seed: u64) -> u8 {
    [8, 2, 3, 8, 16, 5, 8, 40][usize::try_from(seed % 8).expect("small")]
}

/// Plays a match of bots, random persons and random orders; everything that can be told of it, in one number.
fn fingerprint(seed: u64) -> u64 {
    let mut game = Skirmish::new(&Setup { seats: seats(seed) }, seed);
    let mut inputs = vec![None; usize::from(seats(seed))];
    let (mut view, mut scratch) = (View::default(), Vec::new());
    let mut stream = Xxh3::new();
    for tick in 1..=TICKS {
        random_inputs(seed, tick, &mut inputs);
        let order = random_orders(seed, tick, inputs.len());
        game.step(&inputs, order.as_slice());
        stream.update(&checksum(&game, &mut view, &mut scratch).to_le_bytes());
    }
    scratch.clear();
    game.save(&mut scratch);
    stream.update(&scratch);
    stream.digest()
}

#[test]
fn a_seed_plays_alike_twice_and_seeds_differ() {
    let mut known = std::collections::BTreeSet::new();
    for seed in 0..SEEDS {
        let once = fingerprint(seed);
        assert_eq!(once, fingerprint(seed), "seed {seed}");
        assert!(known.insert(once), "seed {seed}");
    }
}

#[test]
fn a_saved_world_goes_on_as_if_nothing_had_happened() {
    for seed in 0..16 {
        let mut game = Skirmish::new(&Setup { seats: seats(seed) }, seed);
        let mut inputs = vec![None; usize::from(seats(seed))];
        let mut saved = Vec::new();
        let mut loaded: Option<Skirmish> = None;
        for tick in 1..=2000 {
            random_inputs(seed, tick, &mut inputs);
            let order = random_orders(seed, tick, inputs.len());
            game.step(&inputs, order.as_slice());
            if let Some(mut other) = loaded.take() {
                other.step(&inputs, order.as_slice());
                assert_eq!(everything(&other), everything(&game), "seed {seed} tick {tick}");
                loaded = (tick % 97 != 10).then_some(other);
            }
            if tick % 97 == 0 {
                saved.clear();
                game.save(&mut saved);
                loaded = Some(Skirmish::load(&saved).expect("a world reads what it has saved"));
            }
        }
    }
}

/// The view and the hash of the saved world.
fn everything(game: &Skirmish) -> (View, u64) {
    let mut view = View::default();
    game.view(Audience(0), &mut view);
    let mut saved = Vec::new();
    game.save(&mut saved);
    (view, xxh3_64(&saved))
}

#[test]
fn broken_saves_are_refused() {
    let mut game = Skirmish::new(&Setup { seats: 4 }, 5);
    (0..40).for_each(|_| game.step(&[None; 4], &[]));
    let mut saved = Vec::new();
    game.save(&mut saved);
    for end in 0..saved.len() {
        assert!(Skirmish::load(&saved[..end]).is_err(), "cut at {end}");
    }
    for at in 0..saved.len() {
        for bit in 0..8 {
            let mut changed = saved.clone();
            changed[at] ^= 1 << bit;
            // Some are worlds, too; none may panic, neither now nor in the next ticks.
            if let Ok(mut game) = Skirmish::load(&changed) {
                (0..4).for_each(|_| game.step(&[], &[]));
                game.view(Audience(0), &mut View::default());
            }
        }
    }
}

#[test]
fn a_world_restored_from_a_view_steps_to_the_next_one() {
    for seed in 0..16 {
        let setup = Setup { seats: seats(seed) };
        let mut game = Skirmish::new(&setup, seed);
        let mut page = Skirmish::new(&setup, 0);
        let mut inputs = vec![None; usize::from(setup.seats)];
        let (mut before, mut after, mut shown, mut scratch) =
            (View::default(), View::default(), View::default(), Vec::new());
        for tick in 1..=1200 {
            game.view(Audience(0), &mut before);
            random_inputs(seed, tick, &mut inputs);
            let order = random_orders(seed, tick, inputs.len());
            game.step(&inputs, order.as_slice());
            game.view(Audience(0), &mut after);
            // Through the wire, as a page gets it.
            scratch.clear();
            before.pack(&mut scratch);
            page.restore(&View::from_bytes(&scratch).expect("a view that was packed"));
            let known: Vec<_> = after.craft.iter().map(|craft| Some(craft.input)).collect();
            page.step(&known, &[]);
            page.view(Audience(0), &mut shown);
            assert_eq!(shown.checksum(&mut scratch), after.checksum(&mut scratch), "seed {seed} tick {tick}");
        }
    }
}

#[test]
fn ticks_count_across_the_wrap() {
    let mut game = Skirmish::new(&Setup { seats: 4 }, 3);
    let mut view = View::default();
    game.view(Audience(0), &mut view);
    view.tick.0 = u32::MAX - 200;
    game.restore(&view);
    for tick in 0..600 {
        let order = random_orders(5, tick, 4);
        game.step(&[None; 4], order.as_slice());
    }
    assert_eq!(game.tick().0, 399);
    game.view(Audience(0), &mut view);
    let mut packed = Vec::new();
    view.pack(&mut packed);
    assert_eq!(View::from_bytes(&packed).expect("a view").tick, view.tick);
}

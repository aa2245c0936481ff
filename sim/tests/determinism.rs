//! A match is a function of its setup, its seed and what enters it.

use contract::{
    Audience, WireView as _,
    games::kickabout::{Setup, View},
};
use sim::{Game as _, games::kickabout::Kickabout};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

mod play;

use play::{checksum, random_inputs, random_orders};

const SEEDS: u64 = 1000;
const TICKS: u32 = 2000;

/// Plays a match of bots, random persons and random orders; everything that can be told of it, in one number.
fn fingerprint(seed: u64) -> u64 {
    let team_size = [3, 1, 2, 3, 4, 3, 2, 6][usize::try_from(seed % 8).expect("small")];
    // Short, so that goals, the end, golden goals and rematches fall into the ticks played.
    let mut game = Kickabout::new(&Setup { team_size, duration_s: 20 }, seed);
    let mut inputs = vec![None; usize::from(team_size) * 2];
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

/// Two halves, so that two cores can share the work.
fn plays_alike(half: u64) {
    for seed in (0..SEEDS).filter(|seed| seed % 2 == half) {
        assert_eq!(fingerprint(seed), fingerprint(seed), "seed {seed}");
    }
}

#[test]
fn a_seed_plays_alike_twice_even() {
    plays_alike(0);
}

#[test]
fn a_seed_plays_alike_twice_odd() {
    plays_alike(1);
}

#[test]
fn seeds_differ() {
    assert_ne!(fingerprint(1), fingerprint(9));
}

#[test]
fn a_saved_world_goes_on_as_if_nothing_had_happened() {
    for seed in 0..20 {
        let team_size = 1 + u8::try_from(seed % 6).expect("small");
        let mut game = Kickabout::new(&Setup { team_size, duration_s: 15 }, seed);
        let mut inputs = vec![None; usize::from(team_size) * 2];
        let mut saved = Vec::new();
        let mut loaded: Option<Kickabout> = None;
        for tick in 1..=3000 {
            random_inputs(seed, tick, &mut inputs);
            let order = random_orders(seed, tick, inputs.len());
            game.step(&inputs, order.as_slice());
            if let Some(mut other) = loaded.take() {
                other.step(&inputs, order.as_slice());
                assert_eq!(everything(&other), everything(&game), "seed {seed} tick {tick}");
                if tick % 97 != 10 {
                    loaded = Some(other);
                }
            }
            if tick % 97 == 0 {
                saved.clear();
                game.save(&mut saved);
                loaded = Some(Kickabout::load(&saved).expect("a world reads what it has saved"));
            }
        }
    }
}

/// All views and the hash of the saved world.
fn everything(game: &Kickabout) -> ([View; 3], u64) {
    let mut views = [View::default(), View::default(), View::default()];
    for (audience, view) in (0..).map(Audience).zip(&mut views) {
        game.view(audience, view);
    }
    let mut saved = Vec::new();
    game.save(&mut saved);
    (views, xxh3_64(&saved))
}

#[test]
fn broken_saves_are_refused() {
    let mut saved = Vec::new();
    Kickabout::new(&Setup::default(), 5).save(&mut saved);
    for end in 0..saved.len() {
        assert!(Kickabout::load(&saved[..end]).is_err(), "cut at {end}");
    }
    for at in 0..saved.len() {
        for bit in 0..8 {
            let mut changed = saved.clone();
            changed[at] ^= 1 << bit;
            // Some are worlds, too; none may panic, neither now nor in the next tick.
            if let Ok(mut game) = Kickabout::load(&changed) {
                game.step(&[], &[]);
                game.view(Audience(2), &mut View::default());
            }
        }
    }
}

#[test]
fn a_world_restored_from_a_view_steps_to_the_next_one() {
    for seed in 0..60 {
        let team_size = 1 + u8::try_from(seed % 6).expect("small");
        let setup = Setup { team_size, duration_s: 12 };
        let mut game = Kickabout::new(&setup, seed);
        let mut page = Kickabout::new(&setup, 0);
        let mut inputs = vec![None; usize::from(team_size) * 2];
        let (mut before, mut after, mut shown, mut scratch) =
            (View::default(), View::default(), View::default(), Vec::new());
        for tick in 1..=2500 {
            let audience = Audience(u8::try_from(tick % 3).expect("small"));
            game.view(audience, &mut before);
            random_inputs(seed, tick, &mut inputs);
            let order = random_orders(seed, tick, inputs.len());
            game.step(&inputs, order.as_slice());
            game.view(audience, &mut after);
            // Through the wire, as a page gets it.
            scratch.clear();
            before.pack(&mut scratch);
            page.restore(&View::from_bytes(&scratch).expect("a view that was packed"));
            let known: Vec<_> = after.players().iter().map(|player| Some(player.input)).collect();
            page.step(&known, &[]);
            page.view(audience, &mut shown);
            assert_eq!(shown.checksum(&mut scratch), after.checksum(&mut scratch), "seed {seed} tick {tick}");
        }
    }
}

#[test]
fn a_page_may_predict_many_ticks_when_it_knows_the_inputs() {
    let setup = Setup { team_size: 3, duration_s: 60 };
    let mut game = Kickabout::new(&setup, 11);
    let mut page = Kickabout::new(&setup, 0);
    let mut inputs = vec![None; 6];
    let (mut view, mut shown, mut scratch) = (View::default(), View::default(), Vec::new());
    for tick in 1..=3000 {
        if tick % 60 == 1 {
            game.view(Audience(1), &mut view);
            page.restore(&view);
        }
        random_inputs(4, tick, &mut inputs);
        game.step(&inputs, &[]);
        game.view(Audience(1), &mut view);
        let known: Vec<_> = view.players().iter().map(|player| Some(player.input)).collect();
        page.step(&known, &[]);
        page.view(Audience(1), &mut shown);
        assert_eq!(shown.checksum(&mut scratch), view.checksum(&mut scratch), "tick {tick}");
    }
}

#[test]
fn ticks_count_across_the_wrap() {
    let setup = Setup { team_size: 2, duration_s: 60 };
    let mut game = Kickabout::new(&setup, 3);
    let mut view = View::default();
    game.view(Audience(2), &mut view);
    view.tick.0 = u32::MAX - 200;
    game.restore(&view);
    for tick in 0..600 {
        let order = random_orders(5, tick, 4);
        game.step(&[None; 4], order.as_slice());
    }
    assert_eq!(game.tick().0, 399);
    game.view(Audience(2), &mut view);
    let mut packed = Vec::new();
    view.pack(&mut packed);
    assert_eq!(View::from_bytes(&packed).expect("a view").tick, view.tick);
}

//! Bots fight in a way worth watching.

use contract::games::skirmish::{HappeningKind, Spot};

use crate::arena::{Match, noise};

#[test]
fn everybody_fights_and_nobody_hides_or_shivers() {
    let (mut downs, mut hits, mut flips, mut aiming) = (0_u32, 0_u32, 0_u32, 0_u32);
    for seed in 0..6 {
        let mut game = Match::new(8, seed);
        let seats: Vec<u8> = (0..8).collect();
        let mut before = game.view.clone();
        let mut still = [0_u32; 8];
        for _ in 0..60 * 30 {
            game.step_mechanics(&seats);
            let now = |tick| tick == game.view.tick;
            for happening in game.view.happenings.iter().flatten().filter(|happening| now(happening.tick)) {
                hits += 1;
                downs += u32::from(happening.kind == HappeningKind::Down);
            }
            for (seat, (now, then)) in game.view.craft.iter().zip(&before.craft).enumerate() {
                let (a, b) = (now.input, then.input);
                let dot = i32::from(a.vx) * i32::from(b.vx) + i32::from(a.vy) * i32::from(b.vy);
                flips += u32::from(dot < -20_000);
                still[seat] = if now.at == then.at { still[seat] + 1 } else { 0 };
                assert!(still[seat] < 60, "seed {seed}: seat {seat} stands at {:?}", now.at);
                aiming += u32::from(now.input.fire);
            }
            before.clone_from(&game.view);
        }
        let scores: Vec<_> = game.view.craft.iter().map(|craft| craft.score).collect();
        assert!(scores.iter().filter(|score| **score == 0).count() <= 1, "seed {seed}: {scores:?}");
    }
    // Six minutes of eight craft.
    println!("{downs} downs, {hits} hits, {flips} about-turns, {aiming} ticks of firing");
    assert!((120..=480).contains(&downs), "{downs} downs");
    assert!(flips < 6 * 60 * 8, "{flips} about-turns: at most one a second each");
    assert!(aiming > 6 * 1800 * 8 / 2, "{aiming}: most of the time there is somebody to fight");
}

#[test]
fn bots_stay_out_of_corners_and_off_each_other() {
    let mut game = Match::new(16, 3);
    let seats: Vec<u8> = (0..16).collect();
    let (mut cornered, mut on_top, mut count) = (0_u32, 0_u32, 0_u32);
    for _ in 0..60 * 30 {
        game.step_mechanics(&seats);
        for a in 0..16 {
            let Spot { x, y } = game.craft(a).at;
            let near = |value: u16| value.min(Spot::SIDE - value) < 30 * Spot::STEPS;
            cornered += u32::from(near(x) && near(y));
            on_top += u32::from((0..a).any(|b| game.distance(a, b) < 40.0));
            count += 1;
        }
    }
    assert!(cornered * 100 < count, "{cornered} of {count}");
    assert!(on_top * 20 < count, "{on_top} of {count}");
}

#[test]
fn a_bot_beats_somebody_who_presses_at_random() {
    let mut game = Match::new(2, 5);
    for tick in 0..60 * 30_u32 {
        let person = contract::WireInput::sample(noise(1, 1, u64::from(tick / 12)));
        sim::Game::step(&mut game.game, &[None, Some(person)], &[]);
    }
    game.step(&[]);
    assert!(
        game.craft(0).score >= 4 * game.craft(1).score.max(1),
        "{} to {}",
        game.craft(0).score,
        game.craft(1).score
    );
}

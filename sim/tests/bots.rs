//! Bots play football worth watching. `cargo run --release -p sim --example bot_matches` prints more of it.

use contract::games::kickabout::Phase;
use sim::{Game as _, games::kickabout::REACH};

mod play;

use play::Match;

#[test]
fn kick_offs_are_taken_by_teams_of_every_size() {
    for team_size in 1..=6 {
        for seed in 0..4 {
            let mut game = Match::new(team_size, 60, seed);
            let seats: Vec<_> = (0..team_size * 2).collect();
            let mut ticks = 0;
            while game.view.phase != Phase::Play {
                game.step_mechanics(&seats);
                ticks += 1;
                assert!(ticks < 200, "team size {team_size}, seed {seed}");
            }
        }
    }
}

#[test]
fn somebody_who_stands_about_does_not_stop_the_others() {
    for team_size in [3, 4] {
        for seed in 0..8 {
            let mut game = Match::new(team_size, 60, seed);
            let mechanics: Vec<_> = (1..team_size * 2).collect();
            let (mut lies_still, mut longest) = (0, 0);
            for _ in 0..60 * 60 {
                // Seat 0 is a person without a hand on the keyboard.
                game.step_mechanics(&mechanics);
                let velocity = game.view.ball.velocity;
                let is_still = velocity.x.abs() + velocity.y.abs() < 50;
                let counts = is_still && matches!(game.view.phase, Phase::Play | Phase::KickOff(_));
                lies_still = if counts { lies_still + 1 } else { 0 };
                longest = longest.max(lies_still);
            }
            assert!(longest < 240, "team size {team_size}, seed {seed}: {longest} ticks");
        }
    }
}

#[test]
fn a_dozen_matches_are_lively_and_everybody_takes_part() {
    let (mut goals, mut play_ticks, mut loose_ticks) = (0, 0, 0);
    for seed in 0..12 {
        let mut game = Match::new(3, 180, seed);
        let mut touched = [false; 6];
        while !matches!(game.view.phase, Phase::Ended(_)) {
            game.step_mechanics(&[0, 1, 2, 3, 4, 5]);
            if let Some(seat) = game.view.ball.last_touch {
                touched[seat.index()] = true;
            }
            if game.view.phase == Phase::Play {
                play_ticks += 1;
                loose_ticks += u32::from((0..6).all(|seat| game.ball_distance(seat) > REACH));
            }
            let waits = matches!(game.view.phase, Phase::KickOff(_)) && game.view.phase_ticks > 300;
            assert!(!waits, "seed {seed}: the kick-off is taken at once");
            assert!(game.game.tick().0 < 40_000, "a match ends");
        }
        assert_eq!(touched, [true; 6], "seed {seed}");
        goals += u32::from(game.view.score[0]) + u32::from(game.view.score[1]);
    }
    assert!((24..=96).contains(&goals), "{goals} goals in 12 matches");
    assert!(loose_ticks * 2 < play_ticks, "{loose_ticks} of {play_ticks} ticks");
}

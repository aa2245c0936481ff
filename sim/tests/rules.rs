//! The laws of the game.

use contract::{
    SeatId,
    games::kickabout::{Armed, Direction, HappeningKind, Input, Phase, Team, View},
};
use sim::games::kickabout::{BALL_RADIUS, CHARGE_MAX, PLAYER_RADIUS, Pitch, STAMINA_MAX};

mod play;

use play::{Match, at, moving, run};

const KICK: Input = Input { direction: Direction::NONE, kick: true, sprint: false, pass: false, rematch: false };
const REMATCH: Input = Input { direction: Direction::NONE, kick: false, sprint: false, pass: false, rematch: true };
const STILL: Input = Input { direction: Direction::NONE, kick: false, sprint: false, pass: false, rematch: false };

/// A match with the ball on its way into a goal, last played by a seat.
fn ball_into_goal(side: i16, last: u8) -> Match {
    let mut game = Match::in_play(2);
    game.arrange(|view| {
        view.ball.position = at(side * 400, 0);
        view.ball.velocity = moving(side * 600, 0);
        view.ball.last_touch = Some(SeatId(last));
        view.ball.last_kick = Some(SeatId(last));
    });
    game
}

fn step_until(game: &mut Match, ticks: u32, reached: impl Fn(&View) -> bool) -> u32 {
    for tick in 0..ticks {
        if reached(&game.view) {
            return tick;
        }
        game.step(&[]);
    }
    panic!("not within {ticks} ticks: {:?}", game.view);
}

fn happened(view: &View, kind: HappeningKind) -> Option<Option<SeatId>> {
    view.happenings.iter().flatten().find(|h| h.kind == kind && h.tick == view.tick).map(|h| h.seat)
}

#[test]
fn a_goal_counts_for_the_scorer_and_the_other_side_kicks_off() {
    let mut game = ball_into_goal(1, 0);
    step_until(&mut game, 60, |view| view.phase == Phase::Goal(Team::Red));
    assert_eq!(game.view.score, [1, 0]);
    assert_eq!(game.view.players[0].goals, 1);
    assert_eq!(happened(&game.view, HappeningKind::GoalRed), Some(Some(SeatId(0))));
    let ticks = step_until(&mut game, 200, |view| view.phase == Phase::KickOff(Team::Blue));
    assert!((120..=180).contains(&ticks), "{ticks} ticks of rejoicing");
    assert_eq!(game.view.score, [1, 0], "a ball in the net counts once");
    assert_eq!((game.ball(), game.view.ball.last_touch), ((0.0, 0.0), None));
    for seat in 0..4 {
        assert!(if seat < 2 { game.place(seat).0 < 0.0 } else { game.place(seat).0 > 0.0 }, "own half");
    }
}

#[test]
fn an_own_goal_is_the_other_sides_and_nobodys() {
    let mut game = ball_into_goal(-1, 1);
    step_until(&mut game, 60, |view| view.phase == Phase::Goal(Team::Blue));
    assert_eq!(game.view.score, [0, 1]);
    assert!(game.view.players().iter().all(|player| player.goals == 0));
    assert_eq!(happened(&game.view, HappeningKind::GoalBlue), Some(Some(SeatId(1))), "it is told whose it was");
}

#[test]
fn a_shot_that_an_opponent_touched_is_still_the_shooters() {
    let mut game = ball_into_goal(1, 0);
    game.arrange(|view| view.ball.last_touch = Some(SeatId(3)));
    step_until(&mut game, 60, |view| view.phase == Phase::Goal(Team::Red));
    assert_eq!(game.view.players[0].goals, 1);
}

#[test]
fn a_ball_beside_the_goal_does_not_count() {
    let pitch = Pitch::new(2);
    let mut game = ball_into_goal(1, 0);
    game.arrange(|view| {
        view.ball.position.y = at(0, 120).y;
        view.ball.velocity = moving(600, 0);
    });
    for _ in 0..120 {
        game.step(&[]);
        assert!(game.ball().0 <= pitch.half_length - BALL_RADIUS + 0.1);
    }
    assert_eq!(game.view.score, [0, 0]);
    assert_eq!(game.view.phase, Phase::Play);
}

#[test]
fn the_first_touch_puts_the_ball_in_play_and_starts_the_clock() {
    let mut game = Match::new(1, 60, 0);
    assert_eq!(game.view.phase, Phase::KickOff(Team::Red));
    let clock = game.view.clock_ticks;
    for _ in 0..30 {
        game.step(&[]);
    }
    assert_eq!(game.view.clock_ticks, clock, "the clock waits for the kick-off");
    for _ in 0..60 {
        game.step(&[(0, run(0)), (1, run(32))]);
        let blue = game.place(1).0;
        assert!(game.view.phase == Phase::Play || blue >= Pitch::new(1).circle_radius, "blue waits outside: {blue}");
    }
    assert_eq!(game.view.phase, Phase::Play);
    assert!(game.view.clock_ticks < clock);
}

#[test]
fn a_kick_off_nobody_takes_ends_by_itself() {
    let mut game = Match::new(3, 60, 0);
    let ticks = step_until(&mut game, 700, |view| view.phase == Phase::Play);
    assert_eq!(ticks, 360);
}

#[test]
fn a_match_ends_with_the_clock_when_one_side_is_ahead() {
    let mut game = Match::in_play(2);
    game.arrange(|view| {
        view.score = [1, 2];
        view.clock_ticks = 5;
    });
    step_until(&mut game, 6, |view| view.phase == Phase::Ended(Some(Team::Blue)));
    assert!(happened(&game.view, HappeningKind::FullTime).is_some());
}

#[test]
fn a_level_match_goes_to_a_golden_goal() {
    let mut game = Match::in_play(2);
    game.arrange(|view| view.clock_ticks = 5);
    step_until(&mut game, 6, |view| view.golden_goal);
    assert_eq!(game.view.phase, Phase::Play, "play goes on");
    assert!(happened(&game.view, HappeningKind::GoldenGoal).is_some());
    game.arrange(|view| {
        view.ball.position = at(-400, 0);
        view.ball.velocity = moving(-600, 0);
    });
    step_until(&mut game, 60, |view| view.phase == Phase::Goal(Team::Blue));
    step_until(&mut game, 200, |view| view.phase == Phase::Ended(Some(Team::Blue)));
}

#[test]
fn a_golden_goal_that_does_not_fall_is_a_draw() {
    let mut game = Match::in_play(2);
    game.arrange(|view| view.clock_ticks = 1);
    let ticks = step_until(&mut game, 8000, |view| view.phase == Phase::Ended(None));
    assert!((7190..=7210).contains(&ticks), "two minutes, not {ticks} ticks");
}

#[test]
fn anybody_may_ask_for_a_rematch_after_a_second() {
    let mut game = Match::in_play(2);
    game.arrange(|view| {
        view.phase = Phase::Ended(Some(Team::Red));
        view.phase_ticks = 0;
        view.score = [3, 1];
        view.clock_ticks = 0;
        view.players[2].goals = 1;
    });
    for _ in 0..50 {
        game.step(&[(2, REMATCH)]);
        assert_eq!(game.view.phase, Phase::Ended(Some(Team::Red)), "not by an accidental key");
    }
    for _ in 0..15 {
        game.step(&[(2, REMATCH)]);
    }
    assert_eq!(game.view.phase, Phase::KickOff(Team::Blue), "the side that lost begins");
    assert_eq!((game.view.score, game.view.clock_ticks), ([0, 0], 180 * 60));
    assert!(game.view.players().iter().all(|player| player.goals == 0 && player.stamina == STAMINA_MAX));
}

#[test]
fn a_match_starts_anew_by_itself_whoever_plays() {
    for mechanics in [&[0, 1, 2, 3][..], &[]] {
        let mut game = Match::in_play(2);
        game.arrange(|view| {
            view.phase = Phase::Ended(None);
            view.phase_ticks = 0;
        });
        let mut ticks = 0;
        while matches!(game.view.phase, Phase::Ended(_)) && ticks < 4000 {
            game.step_mechanics(mechanics);
            ticks += 1;
        }
        assert_eq!(ticks, 15 * 60);
    }
}

#[test]
fn sprinting_is_faster_and_costs_stamina() {
    let sprint = Input { sprint: true, ..run(0) };
    let mut game = Match::in_play(1);
    let start = game.place(0).0;
    for _ in 0..60 {
        game.step(&[(0, run(0))]);
    }
    let walked = game.place(0).0 - start;
    assert_eq!(game.view.players[0].stamina, STAMINA_MAX);
    let mut game = Match::in_play(1);
    for _ in 0..60 {
        game.step(&[(0, sprint)]);
    }
    let ran = game.place(0).0 - start;
    assert!(ran > walked * 1.25, "{ran} is not much more than {walked}");
    let left = game.view.players[0].stamina;
    assert!(left < STAMINA_MAX);
    for _ in 0..400 {
        game.step(&[(0, sprint)]);
    }
    assert!(game.view.players[0].stamina < 8, "all is spent, and holding the button does not bring it back");
    for _ in 0..60 {
        game.step(&[]);
    }
    assert!(game.view.players[0].stamina >= 100, "rest does");
}

/// A match with the ball at red's first player's right foot.
fn at_the_ball() -> Match {
    let mut game = Match::in_play(2);
    game.arrange(|view| {
        view.players[0].position = at(-27, 0);
        view.players[1].position = at(-100, 150);
    });
    game
}

fn kick_speed(ticks: u32) -> f32 {
    let mut game = at_the_ball();
    for _ in 0..ticks {
        game.step(&[(0, KICK)]);
    }
    game.step(&[]);
    assert!(happened(&game.view, HappeningKind::Kick).is_some(), "after {ticks} ticks");
    f32::from(game.view.ball.velocity.x) / 1024.0
}

#[test]
fn a_longer_charge_kicks_harder() {
    let speeds = [1, 10, 20, 30].map(kick_speed);
    assert!(speeds.is_sorted_by(|a, b| a < b), "{speeds:?}");
    assert!(speeds[0] > 3.0 && speeds[3] < 9.0, "{speeds:?}");
    assert_eq!(speeds[3].to_bits(), kick_speed(u32::from(CHARGE_MAX) + 20).to_bits(), "there is a hardest kick");
}

#[test]
fn a_kick_goes_where_the_player_points_but_not_through_its_body() {
    let kick_towards = |point: u8| {
        let mut game = at_the_ball();
        game.step(&[(0, Input { kick: true, ..run(point) })]);
        game.step(&[(0, run(point))]);
        let velocity = game.view.ball.velocity;
        (f32::from(velocity.x) / 1024.0, f32::from(velocity.y) / 1024.0)
    };
    let (x, y) = kick_towards(6);
    assert!((y / x - 0.668).abs() < 0.03, "({x}, {y}) is not 6/64 of a turn");
    let (x, y) = kick_towards(28);
    assert!(x > 0.0 && y > 0.0, "({x}, {y}) was held to the cone");
    assert!(y / x < 1.9, "({x}, {y}) is within 60 degrees, about");
}

#[test]
fn a_kick_waits_a_moment_for_the_ball() {
    let mut game = Match::in_play(1);
    game.arrange(|view| {
        view.players[0].position = at(-100, 0);
        view.ball.position = at(0, 0);
        view.ball.velocity = moving(-600, 0);
    });
    for _ in 0..6 {
        game.step(&[(0, KICK)]);
    }
    game.step(&[]);
    assert_eq!(game.view.players[0].armed, Armed::Kick, "the ball is not there yet");
    step_until(&mut game, 10, |view| happened(view, HappeningKind::Kick).is_some());
    assert!(game.view.ball.velocity.x > 0, "played first time");

    let mut game = Match::in_play(1);
    game.step(&[(0, KICK)]);
    game.step(&[]);
    for _ in 0..20 {
        game.step(&[]);
    }
    assert_eq!((game.view.players[0].armed, game.view.players[0].window), (Armed::No, 0), "not for ever");
}

#[test]
fn a_pass_goes_to_the_team_mate_pointed_at() {
    let mut game = Match::in_play(3);
    game.arrange(|view| {
        view.players[0].position = at(-27, 0);
        view.players[1].position = at(120, -160);
        view.players[2].position = at(120, 160);
    });
    let pass = Input { pass: true, ..run(9) };
    game.step(&[(0, pass)]);
    assert!(happened(&game.view, HappeningKind::Pass).is_some());
    let velocity = game.view.ball.velocity;
    assert!(velocity.x > 0 && velocity.y > 0, "{velocity:?}");
    let before = game.view.ball;
    game.step(&[(0, pass)]);
    assert!(happened(&game.view, HappeningKind::Pass).is_none(), "holding the button passes once");
    assert_ne!(game.view.ball, before);
}

#[test]
fn a_team_of_one_can_press_pass() {
    let mut game = Match::in_play(1);
    game.arrange(|view| view.players[0].position = at(-27, 0));
    game.step(&[(0, Input { pass: true, ..STILL })]);
    assert!(game.view.ball.velocity.x > 0);
}

#[test]
fn bodies_push_each_other() {
    let mut game = Match::in_play(1);
    game.arrange(|view| {
        view.ball.position = at(0, 150);
        view.players[0].position = at(-40, 0);
        view.players[1].position = at(0, 0);
    });
    for _ in 0..60 {
        game.step(&[(0, run(0))]);
        let apart = game.place(1).0 - game.place(0).0;
        assert!(apart > 2.0 * PLAYER_RADIUS - 1.0, "{apart}");
    }
    assert!(game.place(1).0 > 20.0, "who is run into moves");
}

#[test]
fn one_step_is_one_tick_whatever_is_handed_in() {
    let mut game = Match::in_play(1);
    let before = game.view.tick;
    let many = vec![Some(run(0)); 64];
    sim::Game::step(&mut game.game, &many, &[]);
    assert_eq!(sim::Game::tick(&game.game), before.next());
    sim::Game::step(&mut game.game, &[], &[]);
    assert_eq!(sim::Game::tick(&game.game), before.plus(2));
}

#[test]
fn everything_comes_to_rest() {
    let mut game = Match::in_play(3);
    game.arrange(|view| {
        view.ball.velocity = moving(700, 500);
        for player in &mut view.players {
            player.velocity = moving(-200, 130);
        }
    });
    for _ in 0..1500 {
        game.step(&[]);
    }
    let rest = |velocity: contract::games::kickabout::GridVelocity| velocity.x == 0 && velocity.y == 0;
    assert!(rest(game.view.ball.velocity) && game.view.players().iter().all(|player| rest(player.velocity)));
}

#[test]
fn nothing_leaves_the_pitch_however_wildly_it_moves() {
    for team_size in [1, 3, 6] {
        let pitch = Pitch::new(team_size);
        let mut game = Match::in_play(team_size);
        for round in 0..400_u16 {
            let noise =
                |at: u16| i16::try_from(play::noise(9, u64::from(round), u64::from(at)) % 3000).expect("small") - 1500;
            game.arrange(|view| {
                view.phase = Phase::Play;
                view.clock_ticks = 1000;
                view.ball.velocity = moving(noise(1), noise(2));
                for (at, player) in (3..).zip(&mut view.players) {
                    player.velocity = moving(noise(at), noise(at + 20));
                }
            });
            for _ in 0..12 {
                game.step(&[]);
                let (x, y) = game.ball();
                let in_field = x.abs() <= pitch.half_length && y.abs() <= pitch.half_width;
                let in_net = x.abs() <= pitch.half_length + pitch.goal_depth && y.abs() <= pitch.goal_half_width;
                assert!(in_field || in_net, "ball at ({x}, {y})");
                for seat in 0..team_size * 2 {
                    let (x, y) = game.place(seat);
                    let inside =
                        x.abs() <= pitch.half_length + pitch.margin && y.abs() <= pitch.half_width + pitch.margin;
                    assert!(inside, "player at ({x}, {y})");
                }
            }
        }
    }
}

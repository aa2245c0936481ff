//! Orders: what mechanics make of them, and how they end.

use contract::{
    Audience, SeatId,
    agent::{Obstacle, OrderId, OrderStatus},
    games::kickabout::{HappeningKind, Input, Order, Phase, Role, Team, View, WithBall, WithoutBall, Zone},
};
use sim::{
    Game as _, SeatOrder,
    games::kickabout::{Pitch, REACH},
};

mod play;

use play::{Match, at, distance, moving};

/// Steps with these seats' mechanics until `reached`; the ticks it took.
fn mechanics_until(game: &mut Match, seats: &[u8], ticks: u32, reached: impl Fn(&Match) -> bool) -> u32 {
    for tick in 0..ticks {
        if reached(game) {
            return tick;
        }
        game.step_mechanics(seats);
    }
    panic!("not within {ticks} ticks");
}

fn ball_at_feet_of_red(game: &mut Match, x: i16, y: i16) {
    game.arrange(|view| {
        view.players[0].position = at(x, y);
        view.ball.position = at(x + 27, y);
    });
}

#[test]
fn press_goes_for_the_ball() {
    let mut game = Match::in_play(3);
    let before = game.ball_distance(1);
    game.order_and_step(1, Order::Press, &[1]);
    assert_eq!(game.status(1), OrderStatus::Active);
    for _ in 0..60 {
        game.step_mechanics(&[1]);
    }
    assert!(game.ball_distance(1) < before - 60.0, "{before} to {}", game.ball_distance(1));
    mechanics_until(&mut game, &[1], 240, |game| game.ball_distance(1) < REACH + 5.0);
    let ticks = mechanics_until(&mut game, &[1], 400, |game| game.status(1) == OrderStatus::Expired);
    assert!(ticks > 100, "it holds for 8 s");
}

#[test]
fn press_works_for_a_keeper_too_and_leaves_the_plan_alone() {
    let mut game = Match::in_play(3);
    let plan = game.instruction(2).plan;
    assert_eq!(plan.role, Role::Keeper);
    let before = game.ball_distance(2);
    game.order_and_step(2, Order::Press, &[2]);
    for _ in 0..90 {
        game.step_mechanics(&[2]);
    }
    assert!(game.ball_distance(2) < before - 80.0);
    assert_eq!(game.instruction(2).plan, plan);
}

#[test]
fn keep_goal_stands_in_its_goal() {
    let pitch = Pitch::new(3);
    for (seat, team) in [(0, Team::Red), (4, Team::Blue)] {
        let mut game = Match::in_play(3);
        game.arrange(|view| view.ball.position = at(0, 100));
        let plan = Order::SetPlan { with_ball: None, without_ball: Some(WithoutBall::KeepGoal) };
        game.order_and_step(seat, plan, &[seat]);
        for _ in 0..360 {
            game.step_mechanics(&[seat]);
        }
        for _ in 0..120 {
            game.step_mechanics(&[seat]);
            let from_goal = distance(game.place(seat), (pitch.goal_of(team).x, pitch.goal_of(team).y));
            assert!(from_goal < 90.0, "{from_goal}");
        }
        assert_eq!(game.instruction(seat).order, None, "a plan is no order");
    }
}

#[test]
fn a_keeper_saves_most_shots_it_sees_coming() {
    let mut saved = 0;
    for aim in -4_i16..=4 {
        let mut game = Match::in_play(3);
        game.arrange(|view| {
            view.players[2].position = at(-470, 0);
            view.ball.position = at(-170, aim * 10);
            view.ball.velocity = moving(-620, aim * 5);
        });
        for _ in 0..120 {
            game.step_mechanics(&[2]);
        }
        saved += i32::from(game.view.score == [0, 0]);
    }
    assert!(saved >= 6, "{saved} of 9");
}

#[test]
fn mark_stays_near_its_opponent() {
    let mut game = Match::in_play(3);
    game.arrange(|view| view.ball.position = at(0, -200));
    game.order_and_step(1, Order::Mark { player: SeatId(4) }, &[1]);
    for _ in 0..300 {
        game.step_mechanics(&[1]);
    }
    for tick in 0..240_u8 {
        // The opponent strolls along.
        let mut inputs = vec![Some(Input::default()); 6];
        inputs[4] = Some(play::run(if tick < 120 { 16 } else { 40 }));
        inputs[1] = None;
        game.game.step(&inputs, &[]);
        game.game.view(Audience(2), &mut game.view);
        let apart = distance(game.place(1), game.place(4));
        assert!(apart < 160.0, "{apart}");
    }
    assert!(game.place(1).0 < game.place(4).0, "goal-side");
    mechanics_until(&mut game, &[1], 1200, |game| game.status(1) == OrderStatus::Expired);
}

#[test]
fn hold_zone_stays_in_its_zone() {
    for (seat, sign) in [(0_u8, 1.0_f32), (3, -1.0)] {
        let pitch = Pitch::new(3);
        let mut game = Match::in_play(3);
        game.arrange(|view| view.ball.position = at(0, if seat == 0 { 200 } else { -200 }));
        game.order_and_step(seat, Order::HoldZone { zone: Zone::AttackLeft }, &[seat]);
        for _ in 0..500 {
            game.step_mechanics(&[seat]);
        }
        for _ in 0..200 {
            game.step_mechanics(&[seat]);
            let (x, y) = game.place(seat);
            assert!(x * sign > pitch.half_length / 3.0 - 5.0, "x {x}");
            assert!(y * sign < -pitch.half_width / 3.0 + 5.0, "left is up for red: y {y}");
        }
        let ticks = mechanics_until(&mut game, &[seat], 1200, |game| game.status(seat) == OrderStatus::Expired);
        assert!(ticks > 1000, "it holds for 30 s");
    }
}

#[test]
fn pass_to_reaches_its_team_mate() {
    for (mate, place) in [(1, (120, -140)), (2, (-160, 120)), (1, (200, 60))] {
        let mut game = Match::in_play(3);
        ball_at_feet_of_red(&mut game, 0, 0);
        game.arrange(|view| view.players[usize::from(mate)].position = at(place.0, place.1));
        game.order_and_step(0, Order::PassTo { player: SeatId(mate) }, &[0]);
        mechanics_until(&mut game, &[0], 300, |game| game.status(0) == OrderStatus::Done);
        let nearest = (0..150)
            .map(|_| {
                game.step_mechanics(&[]);
                game.ball_distance(mate)
            })
            .fold(f32::MAX, f32::min);
        assert!(nearest < REACH + 25.0, "the ball came within {nearest} of the mate at {place:?}");
    }
}

#[test]
fn pass_to_first_gets_the_ball() {
    let mut game = Match::in_play(3);
    game.order_and_step(0, Order::PassTo { player: SeatId(1) }, &[0]);
    mechanics_until(&mut game, &[0], 470, |game| game.status(0) == OrderStatus::Done);
}

#[test]
fn shoot_shoots_at_the_goal() {
    let mut goals = 0;
    for y in [-150, -60, 0, 50, 130] {
        let mut game = Match::in_play(3);
        ball_at_feet_of_red(&mut game, 200, y);
        game.order_and_step(0, Order::Shoot, &[0]);
        mechanics_until(&mut game, &[0], 300, |game| game.status(0) == OrderStatus::Done);
        let velocity = game.view.ball.velocity;
        assert!(velocity.x > 2048, "{velocity:?}");
        for _ in 0..150 {
            game.step_mechanics(&[]);
        }
        goals += game.view.score[0];
    }
    assert!(goals >= 3, "{goals} goals of 5, with nobody in the way");
}

#[test]
fn clear_gets_the_ball_away() {
    let mut game = Match::in_play(3);
    ball_at_feet_of_red(&mut game, -420, 40);
    game.arrange(|view| (view.players[1].position, view.players[2].position) = (at(0, 230), at(0, -230)));
    game.order_and_step(0, Order::Clear, &[0]);
    mechanics_until(&mut game, &[0], 200, |game| game.status(0) == OrderStatus::Done);
    for _ in 0..100 {
        game.step_mechanics(&[]);
    }
    assert!(game.ball().0 > -200.0, "{:?}", game.ball());
}

#[test]
fn stop_ends_the_order_as_superseded() {
    let mut game = Match::in_play(3);
    game.order_and_step(1, Order::Press, &[1]);
    game.order_and_step(1, Order::Stop, &[1]);
    assert_eq!((game.order(1).order, game.status(1)), (Order::Press, OrderStatus::Superseded));
    game.order_and_step(0, Order::Stop, &[0]);
    assert_eq!(game.instruction(0).order, None, "there was nothing to stop");
}

#[test]
fn a_later_order_takes_the_place_of_the_earlier_one() {
    let mut game = Match::in_play(3);
    game.order_and_step(1, Order::Press, &[1]);
    game.order_and_step(1, Order::HoldZone { zone: Zone::DefenceLeft }, &[1]);
    assert_eq!(game.order(1).order, Order::HoldZone { zone: Zone::DefenceLeft });
    let plan = Order::SetPlan { with_ball: Some(WithBall::Pass), without_ball: None };
    game.order_and_step(1, plan, &[1]);
    game.order_and_step(1, Order::TakeRole { role: Role::Forward }, &[1]);
    assert_eq!(game.status(1), OrderStatus::Active, "plans leave orders alone");
    let plan = game.instruction(1).plan;
    assert_eq!((plan.role, plan.with_ball, plan.without_ball), (Role::Forward, WithBall::Pass, WithoutBall::Auto));
}

#[test]
fn an_order_expires_when_it_was_told_to() {
    let mut game = Match::in_play(3);
    let id = OrderId::new(game.view.tick.next(), 0);
    let give = SeatOrder::Give { seat: SeatId(1), id, order: Order::Press, expires_in: Some(30) };
    game.game.step(&[Some(Input::default()); 6], &[give]);
    for _ in 0..29 {
        game.step(&[]);
        assert_eq!(game.status(1), OrderStatus::Active);
    }
    game.step(&[]);
    assert_eq!(game.status(1), OrderStatus::Expired);
    let end = *game.instruction(1).outcomes.iter().next().expect("an outcome");
    assert_eq!((end.order, end.tick, end.status), (id, game.view.tick, OrderStatus::Expired));
}

#[test]
fn every_order_has_one_outcome() {
    let mut game = Match::in_play(3);
    game.order_and_step(1, Order::TakeRole { role: Role::Forward }, &[]);
    game.order_and_step(1, Order::Press, &[]);
    let press = game.order(1).id;
    game.order_and_step(1, Order::PassTo { player: SeatId(1) }, &[]);
    let pass = game.order(1).id;
    let ends: Vec<_> = game.instruction(1).outcomes.iter().copied().collect();
    let told: Vec<_> = ends.iter().map(|end| (end.status, end.obstacle)).collect();
    let wrong = (OrderStatus::Impossible, Some(Obstacle::WrongPlayer));
    assert_eq!(told, [(OrderStatus::Done, None), (OrderStatus::Superseded, None), wrong]);
    assert_eq!((ends[1].order, ends[2].order), (press, pass));
    game.order_and_step(1, Order::Press, &[]);
    game.arrange(|view| view.phase = Phase::Ended(None));
    game.step(&[]);
    let last = *game.instruction(1).outcomes.iter().last().expect("an outcome");
    assert_eq!((last.status, last.obstacle), (OrderStatus::Impossible, Some(Obstacle::MatchEnded)));
    // Nobody is told what was told to whoever held the seat before.
    game.game.step(&[Some(Input::default()); 6], &[SeatOrder::Reset { seat: SeatId(1) }]);
    game.step(&[]);
    assert_eq!(game.instruction(1).outcomes.iter().count(), 0);
}

#[test]
fn what_cannot_be_done_is_impossible() {
    let mut game = Match::in_play(3);
    for order in [
        Order::PassTo { player: SeatId(1) },
        Order::PassTo { player: SeatId(4) },
        Order::PassTo { player: SeatId(11) },
        Order::Mark { player: SeatId(0) },
    ] {
        game.order_and_step(1, order, &[1]);
        assert_eq!(game.status(1), OrderStatus::Impossible, "{order:?}");
    }
    game.order_and_step(1, Order::Press, &[1]);
    game.arrange(|view| view.phase = Phase::Ended(None));
    game.step_mechanics(&[1]);
    assert_eq!(game.status(1), OrderStatus::Impossible, "the match is over");
}

#[test]
fn a_seat_that_changes_hands_forgets() {
    let mut game = Match::in_play(3);
    let fresh = game.instruction(0);
    game.order_and_step(0, Order::TakeRole { role: Role::Keeper }, &[]);
    game.order_and_step(0, Order::Press, &[]);
    game.game.step(&[None; 6], &[SeatOrder::Reset { seat: SeatId(0) }]);
    game.game.view(Audience(2), &mut game.view);
    assert_eq!(game.instruction(0), fresh);
}

#[test]
fn orders_are_seen_by_the_own_team_and_spectators_only() {
    let mut game = Match::in_play(3);
    game.order_and_step(1, Order::Press, &[]);
    game.order_and_step(4, Order::Shoot, &[]);
    let seen = |audience: u8| {
        let mut view = View::default();
        game.game.view(Audience(audience), &mut view);
        [0, 1, 2, 3, 4, 5].map(|seat: usize| view.instructions[seat].is_some())
    };
    assert_eq!(seen(0), [true, true, true, false, false, false]);
    assert_eq!(seen(1), [false, false, false, true, true, true]);
    assert_eq!(seen(2), [true; 6]);
}

#[test]
fn standing_plans_are_followed() {
    // With the ball: a dribbler carries it forward, a passer plays it.
    let mut game = Match::in_play(3);
    ball_at_feet_of_red(&mut game, -100, 0);
    let plan = Order::SetPlan { with_ball: Some(WithBall::Dribble), without_ball: None };
    game.order_and_step(0, plan, &[0]);
    mechanics_until(&mut game, &[0], 300, |game| game.ball().0 > 100.0 && game.ball_distance(0) < 80.0);

    let mut game = Match::in_play(3);
    ball_at_feet_of_red(&mut game, -100, 0);
    game.arrange(|view| view.players[1].position = at(60, -120));
    let plan = Order::SetPlan { with_ball: Some(WithBall::Pass), without_ball: None };
    game.order_and_step(0, plan, &[0]);
    let passed = |game: &Match| game.view.happenings.iter().flatten().any(|h| h.kind == HappeningKind::Pass);
    mechanics_until(&mut game, &[0], 300, passed);

    // Without it: support offers itself ahead of the ball, at some distance.
    let mut game = Match::in_play(3);
    ball_at_feet_of_red(&mut game, -100, 0);
    let plan = Order::SetPlan { with_ball: None, without_ball: Some(WithoutBall::Support) };
    game.order_and_step(1, plan, &[1]);
    for _ in 0..300 {
        game.step_mechanics(&[1]);
    }
    assert!(game.place(1).0 > game.ball().0 && game.ball_distance(1) > 60.0, "{:?}", game.place(1));
}

#[test]
fn bots_do_not_shiver() {
    let mut game = Match::new(3, 60, 4);
    let mut flips = 0;
    let mut before = game.view.clone();
    for _ in 0..3000 {
        game.game.step(&[None; 6], &[]);
        game.game.view(Audience(2), &mut game.view);
        for (now, then) in game.view.players().iter().zip(before.players()) {
            let (Some(now), Some(then)) = (now.input.direction.index(), then.input.direction.index()) else { continue };
            let turn = now.abs_diff(then);
            flips += i32::from(turn.min(64 - turn) > 16);
        }
        before.clone_from(&game.view);
    }
    // 50 seconds of 6 players: sharp turns about once a second each at most.
    assert!(flips < 300, "{flips} sharp turns");
}

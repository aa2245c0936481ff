//! Orders: what mechanics make of them, and how they end.

use contract::{
    SeatId,
    agent::{Obstacle, OrderId, OrderStatus},
    games::skirmish::{Input, Order, Route, Stance, Zone},
};
use sim::SeatOrder;

use crate::arena::{Match, at, moving};

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

#[test]
fn attack_hunts_its_player_down_and_is_done() {
    let mut game = Match::with(&[(300, 300), (1600, 1500), (500, 300)]);
    game.order_and_step(0, Order::Attack { player: SeatId(1) }, &[0]);
    assert_eq!(game.status(0), OrderStatus::Active);
    // The one on the way may be shot at, but is not what the hunt is for.
    mechanics_until(&mut game, &[0], 400, |game| game.distance(0, 1) < 350.0);
    mechanics_until(&mut game, &[0], 400, |game| game.status(0) == OrderStatus::Done);
    assert!(game.craft(0).score >= 1);
}

#[test]
fn attack_keeps_after_somebody_who_runs() {
    let mut game = Match::with(&[(300, 1000), (700, 1000)]);
    game.order_and_step(0, Order::Attack { player: SeatId(1) }, &[0]);
    for tick in 0..400_u32 {
        let sides = [moving(150, 0), moving(0, 150), moving(-150, 0), moving(0, -150)];
        let mut inputs = vec![None, Some(sides[(tick / 100) as usize])];
        sim::Game::step(&mut game.game, &std::mem::take(&mut inputs), &[]);
        sim::Game::view(&game.game, contract::Audience(0), &mut game.view);
        if game.craft(0).score > 0 {
            return;
        }
    }
    assert!(game.craft(1).hp < 60, "{} left", game.craft(1).hp);
}

#[test]
fn evade_gets_away_and_is_hit_less_than_somebody_who_stands() {
    let health_after = |order: Option<Order>| {
        let mut game = Match::with(&[(1000, 1000), (1300, 1000), (1000, 700), (700, 1000)]);
        let mechanics: &[u8] = if order.is_some() { &[0, 1, 2, 3] } else { &[1, 2, 3] };
        for seat in 1..4 {
            game.order_and_step(seat, Order::Attack { player: SeatId(0) }, mechanics);
        }
        if let Some(order) = order {
            game.order_and_step(0, order, mechanics);
        }
        for _ in 0..90 {
            game.step_mechanics(mechanics);
        }
        let lost = game.craft(1).score + game.craft(2).score + game.craft(3).score;
        i32::from(game.craft(0).hp) - 100 * i32::from(lost)
    };
    let (evading, standing) = (health_after(Some(Order::Evade)), health_after(None));
    assert!(evading > standing + 20, "{evading} against {standing}");

    let mut game = Match::with(&[(1000, 1000), (1200, 1000)]);
    game.order_and_step(0, Order::Evade, &[0]);
    for _ in 0..120 {
        game.step_mechanics(&[0]);
    }
    assert!(game.distance(0, 1) > 500.0, "{}", game.distance(0, 1));
    let ticks = mechanics_until(&mut game, &[0], 200, |game| game.status(0) == OrderStatus::Expired);
    assert_eq!(ticks, 8 * 30 - 120, "it holds for 8 s");
}

#[test]
fn hold_goes_to_its_zone_and_stays_there() {
    let inside = |game: &Match, x: (f32, f32), y: (f32, f32)| {
        let (px, py) = game.place(0);
        x.0 <= px && px <= x.1 && y.0 <= py && py <= y.1
    };
    for (zone, x, y) in [
        (Zone::NorthEast, (1333.0, 2000.0), (0.0, 667.0)),
        (Zone::Centre, (667.0, 1333.0), (667.0, 1333.0)),
        (Zone::South, (667.0, 1333.0), (1333.0, 2000.0)),
    ] {
        let mut game = Match::with(&[(200, 300), (1000, 900)]);
        game.order_and_step(0, Order::Hold { zone }, &[0, 1]);
        mechanics_until(&mut game, &[0, 1], 400, |game| inside(game, x, y));
        for _ in 0..60 {
            game.step_mechanics(&[0, 1]);
        }
        for _ in 0..300 {
            game.step_mechanics(&[0, 1]);
            // Whoever is shot down comes back anywhere.
            if game.craft(1).score > 0 {
                break;
            }
            assert!(inside(&game, x, y), "{zone:?}: {:?}", game.place(0));
        }
    }
}

#[test]
fn patrol_visits_its_zones_in_turn() {
    let zones = Route::new(&[Zone::NorthWest, Zone::SouthEast, Zone::NorthEast]).expect("3 zones");
    let mut game = Match::with(&[(900, 900), (1000, 1990)]);
    game.order_and_step(0, Order::Patrol { zones }, &[0]);
    let near = |game: &Match, x: f32, y: f32| {
        let (px, py) = game.place(0);
        (px - x).abs() < 200.0 && (py - y).abs() < 200.0
    };
    for _ in 0..2 {
        for (x, y) in [(333.0, 333.0), (1667.0, 1667.0), (1667.0, 333.0)] {
            mechanics_until(&mut game, &[0], 700, |game| near(game, x, y));
        }
    }
    assert_eq!(game.status(0), OrderStatus::Active);
    mechanics_until(&mut game, &[0], 1800, |game| game.status(0) == OrderStatus::Expired);
    assert_eq!(game.view.tick.0, 1 + 60 * 30, "it holds for 60 s");
}

#[test]
fn stances_keep_their_distance() {
    let distance = |stance| {
        let mut game = Match::with(&[(600, 1000), (1300, 1000)]);
        game.order_and_step(0, Order::SetPlan { stance }, &[0]);
        let mut sum = 0.0;
        for tick in 0..400_u32 {
            // The other one only stands and is never lost.
            game.arrange(|view| view.craft[1].hp = 100);
            game.step_mechanics(&[0]);
            if tick >= 150 {
                sum += game.distance(0, 1) / 250.0;
            }
        }
        sum
    };
    let [hunt, snipe, survive] = Stance::ALL.map(distance);
    assert!(hunt < 330.0, "{hunt}");
    assert!((500.0..=720.0).contains(&snipe), "{snipe}");
    assert!(survive > snipe, "{survive}");
}

#[test]
fn stop_ends_the_order_as_superseded_and_a_later_one_takes_its_place() {
    let mut game = Match::new(4, 1);
    game.order_and_step(1, Order::Evade, &[1]);
    game.order_and_step(1, Order::Stop, &[1]);
    assert_eq!(game.status(1), OrderStatus::Superseded);
    let ends: Vec<_> = game.instruction(1).outcomes.iter().map(|end| (end.tick.0, end.status)).collect();
    assert_eq!(ends, [(2, OrderStatus::Superseded), (2, OrderStatus::Done)], "the stop itself is done");
    game.order_and_step(0, Order::Stop, &[0]);
    assert_eq!(game.instruction(0).order, None, "there was nothing to stop");
    game.order_and_step(1, Order::Hold { zone: Zone::East }, &[1]);
    game.order_and_step(1, Order::SetPlan { stance: Stance::Snipe }, &[1]);
    assert_eq!(game.status(1), OrderStatus::Active, "plans leave orders alone");
    assert_eq!(game.instruction(1).plan.stance, Stance::Snipe);
    game.order_and_step(1, Order::Evade, &[1]);
    assert_eq!(game.instruction(1).active(), Some(Order::Evade));
}

#[test]
fn what_cannot_be_done_is_impossible() {
    let mut game = Match::new(4, 1);
    for player in [1, 4, 63] {
        game.order_and_step(1, Order::Attack { player: SeatId(player) }, &[1]);
        assert_eq!(game.status(1), OrderStatus::Impossible, "{player}");
        let end = *game.instruction(1).outcomes.iter().last().expect("it is remembered");
        assert_eq!((end.status, end.obstacle), (OrderStatus::Impossible, Some(Obstacle::WrongPlayer)));
    }
}

#[test]
fn an_order_may_expire_earlier_than_the_game_would_have_it() {
    let mut game = Match::new(2, 1);
    let id = OrderId::new(game.view.tick, 0);
    let order = SeatOrder::Give { seat: SeatId(0), id, order: Order::Evade, expires_in: Some(10) };
    game.step_with(&[0], &[order]);
    let ticks = mechanics_until(&mut game, &[0], 60, |game| game.status(0) == OrderStatus::Expired);
    assert_eq!(ticks, 10, "counted from the tick that shows it first");
    let end = *game.instruction(0).outcomes.iter().last().expect("it is remembered");
    assert_eq!((end.order, end.status), (id, OrderStatus::Expired));
}

#[test]
fn a_seat_that_changes_hands_forgets_but_keeps_its_craft() {
    let mut game = Match::with(&[(100, 100), (200, 100)]);
    game.arrange(|view| (view.craft[0].hp, view.craft[0].score) = (40, 7));
    game.order_and_step(0, Order::SetPlan { stance: Stance::Survive }, &[]);
    game.order_and_step(0, Order::Evade, &[]);
    game.step_with(&[], &[SeatOrder::Reset { seat: SeatId(0) }]);
    assert_eq!(game.instruction(0), contract::games::skirmish::Instruction::default());
    let craft = game.craft(0);
    assert_eq!((craft.at, craft.hp, craft.score), (at(100, 100), 40, 7), "others only see inputs change");
}

#[test]
fn an_order_that_has_long_ended_is_forgotten() {
    let mut game = Match::new(2, 1);
    game.order_and_step(0, Order::Evade, &[]);
    game.order_and_step(0, Order::Stop, &[]);
    let input = [Some(Input::default()); 2];
    for _ in 0..10 * 60 * 30 + 5 {
        sim::Game::step(&mut game.game, &input, &[]);
    }
    game.step(&[]);
    assert_eq!(game.instruction(0).order, None);
}

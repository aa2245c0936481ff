//! The rules, one by one.

use contract::{
    SeatId,
    games::skirmish::{Aim, HappeningKind, Input, SHOTS_MAX, Shot, Spot},
};
use sim::games::skirmish::{COOLDOWN_TICKS, LIFE_TICKS, place};

use crate::arena::{Match, at, moving};

const EAST: Aim = Aim::point(0);

fn firing(aim: Aim) -> Input {
    Input { aim, fire: true, ..Input::default() }
}

#[test]
fn a_craft_flies_200_units_a_second_at_once_and_stops_at_once() {
    let mut game = Match::with(&[(100, 100), (1500, 1500)]);
    for _ in 0..30 {
        game.step(&[(0, moving(200, -50)), (1, moving(-200, 200))]);
    }
    assert_eq!((game.place(0), game.place(1)), ((300.0, 50.0), (1300.0, 1700.0)));
    game.step(&[]);
    assert_eq!(game.place(0), (300.0, 50.0));
}

#[test]
fn the_edge_stops_craft_but_no_shots() {
    let mut game = Match::with(&[(3, 1997), (1000, 1000)]);
    for _ in 0..3 {
        game.step(&[(0, Input { fire: true, aim: Aim::point(512), ..moving(-200, 200) })]);
    }
    assert_eq!(game.craft(0).at, Spot { x: 0, y: Spot::SIDE });
    let shot = game.view.shots[0];
    assert!(place(&shot).0 < 0, "{shot:?}");
    for _ in 0..LIFE_TICKS - 3 {
        game.step(&[]);
    }
    assert_eq!(game.view.shots.len(), 1, "it flies on for all its life");
    game.step(&[]);
    assert_eq!(game.view.shots.len(), 0);
}

#[test]
fn a_gun_fires_every_15_ticks_while_the_trigger_is_held() {
    let mut game = Match::with(&[(100, 100), (1900, 1900)]);
    let mut fired = Vec::new();
    for tick in 1..=60 {
        game.step(&[(0, firing(Aim::point(100)))]);
        if game.view.shots.last().is_some_and(|shot| shot.age == 1) {
            fired.push(tick);
        }
    }
    assert_eq!(fired, [1, 16, 31, 46]);
    assert_eq!(game.view.shots.len(), 3, "so three are in the air");
    assert_eq!(game.craft(0).cooldown, 1, "the next tick is the next shot's");
}

#[test]
fn guns_of_newcomers_are_ready_one_after_the_other() {
    let game = Match::new(64, 3);
    for seat in 0..64 {
        let craft = game.craft(seat);
        assert_eq!((craft.cooldown, craft.hp, craft.score), (1 + seat % COOLDOWN_TICKS, 100, 0));
    }
}

#[test]
fn a_shot_flies_in_the_tick_it_is_fired_from_where_the_craft_has_moved_to() {
    let mut game = Match::with(&[(100, 100), (1900, 1900)]);
    game.step(&[(0, Input { fire: true, aim: EAST, ..moving(30, 0) })]);
    let shot = game.view.shots[0];
    assert_eq!(shot, Shot { owner: SeatId(0), age: 1, aim: EAST, from: at(101, 100) });
    assert_eq!(place(&shot), (121 * 30, 100 * 30));
}

#[test]
fn a_hit_costs_ten_and_the_tenth_brings_the_craft_down() {
    let mut game = Match::with(&[(500, 500), (800, 500)]);
    let chance = game.view.chance;
    let mut hits = 0;
    while game.craft(0).score == 0 {
        let before = game.craft(1).hp;
        game.step(&[(0, firing(EAST))]);
        if game.craft(1).hp < before {
            assert_eq!(game.craft(1).hp, before - 10);
            assert_eq!(game.view.chance, chance, "nothing is drawn for a hit");
            hits += 1;
        }
        assert!(game.view.tick.0 < 300, "ten shots take five seconds");
    }
    assert_eq!(hits, 9, "the tenth hit is the end of it");
    assert_eq!(game.craft(1).hp, 100);
    assert_ne!(game.craft(1).at, at(800, 500), "it starts again somewhere else");
    assert_ne!(game.view.chance, chance);
    let kinds: Vec<_> = game.view.happenings.iter().flatten().map(|happening| happening.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == HappeningKind::Hit).count(), 9);
    assert_eq!(kinds.last(), Some(&HappeningKind::Down));
}

#[test]
fn respawn_places_are_what_everybody_can_work_out() {
    // Two worlds of different seeds go on alike once one has been restored from a view of the other.
    let mut game = Match::with(&[(500, 500), (560, 500)]);
    game.arrange(|view| view.craft[1].hp = 10);
    let mut other = Match::new(2, 77);
    other.arrange(|view| view.clone_from(&game.view));
    for _ in 0..4 {
        game.step(&[(0, firing(EAST))]);
        other.step(&[(0, firing(EAST))]);
    }
    assert_eq!(game.craft(0).score, 1);
    assert_eq!(game.craft(1).at, other.craft(1).at);
}

#[test]
fn a_shot_hits_the_first_seat_in_reach_and_never_its_own_craft() {
    let mut game = Match::with(&[(500, 500), (560, 500), (560, 500)]);
    for _ in 0..3 {
        game.step(&[(0, firing(EAST))]);
    }
    assert_eq!([0, 1, 2].map(|seat| game.craft(seat).hp), [100, 90, 100]);
    assert_eq!(game.view.shots.len(), 0, "a shot is gone once it has hit");
    // This one is fired on top of seat 1 and flies through its own craft, too.
    game.step(&[(2, firing(Aim::point(512)))]);
    assert_eq!([0, 1, 2].map(|seat| game.craft(seat).hp), [100, 80, 100]);
}

#[test]
fn a_world_full_of_shots_takes_no_more() {
    // No match comes to this by playing; a world restored from a made-up view must not fall over it.
    let mut game = Match::new(64, 1);
    game.arrange(|view| {
        view.shots = vec![Shot { age: 1, from: at(1000, 1000), ..Shot::NONE }; SHOTS_MAX];
        view.craft.iter_mut().for_each(|craft| (craft.at, craft.cooldown) = (at(10, 10), 0));
    });
    game.step(&(0..64).map(|seat| (seat, firing(Aim::point(512)))).collect::<Vec<_>>());
    assert_eq!(game.view.shots.len(), SHOTS_MAX);
}

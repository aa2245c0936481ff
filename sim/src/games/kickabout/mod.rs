//! Kickabout's rules.
//!
//! A tick reads like this: orders take effect; seats without a person get their input from mechanics, which see what
//! their team sees; then the systems of [`tick`] run in a fixed order and round the world to the wire's grid.

mod facts;
mod formation;
mod grid;
mod kicking;
mod mechanics;
mod observe;
mod orders;
mod physics;
mod pitch;
mod player;
mod rules;
mod save;
mod stage;
mod tick;
mod vector;
mod view;

pub use kicking::REACH;
pub use physics::POST_RADIUS;
pub use pitch::{BALL_RADIUS, Pitch};
pub use player::{CHARGE_MAX, PLAYER_RADIUS, STAMINA_MAX};
pub use vector::{Vec2, heading};

use std::array;

use bevy_ecs::{entity::Entity, schedule::Schedule, world::World};
use contract::{
    Audience, SeatId, Tick,
    agent::{Fault, Glance, Outcomes},
    games::kickabout::{
        self as data, Fact, HAPPENINGS_MAX, HappeningKind, Input, Instruction, Observation, Order, PLAYERS_MAX, Phase,
        Setup, Team, View,
    },
};

use self::{
    formation::{default_plan, kick_off_place},
    mechanics::{Luck, Memory},
    physics::Body,
    player::Legs,
    stage::{Cast, Chronicle, Deeds, Goals, Ground, Pressed, Stage, Told, Touches},
};
use crate::{Game, LoadError, SeatOrder};

/// A match of Kickabout.
pub struct Kickabout {
    world: World,
    schedule: Schedule,
    /// Kept so that a tick allocates nothing.
    team_views: Box<[View; 2]>,
}

impl Game for Kickabout {
    type Data = data::Kickabout;

    fn new(setup: &Setup, seed: u64) -> Self {
        let team_size = setup.team_size.clamp(1, 6);
        let pitch = Pitch::new(team_size);
        // Who kicks off is drawn by the seed.
        let kick_off = Team::ALL[usize::from(seed.count_ones() % 2 == 1)];
        let mut world = World::new();
        let ball = world.spawn((Body::default(), Touches::default())).id();
        let mut players = [Entity::PLACEHOLDER; PLAYERS_MAX];
        for (seat, entity) in (0..team_size * 2).map(SeatId).zip(&mut players) {
            let position = kick_off_place(&pitch, seat, team_size, Team::of(seat, team_size) == kick_off);
            let plan = default_plan(seat, team_size);
            *entity = world
                .spawn((
                    grid::rounded(&Body { position, velocity: Vec2::ZERO }),
                    Legs::FRESH,
                    Pressed::default(),
                    Goals::default(),
                    Told(Instruction { plan, order: None, outcomes: Outcomes::default() }),
                    Memory::default(),
                ))
                .id();
        }
        let duration_ticks = u32::from(setup.duration_s.clamp(10, 3600)) * 60;
        let mut stage = Stage {
            tick: Tick(0),
            phase: Phase::KickOff(kick_off),
            phase_ticks: 0,
            clock_ticks: 0,
            golden_goal: false,
            score: [0; 2],
            duration_ticks,
        };
        rules::begin_match(&mut stage);
        let mut chronicle = Chronicle([None; HAPPENINGS_MAX]);
        chronicle.note(stage.tick, HappeningKind::Whistle, None);
        world.insert_resource(Cast { team_size, players, ball });
        world.insert_resource(Ground(pitch));
        world.insert_resource(stage);
        world.insert_resource(chronicle);
        world.insert_resource(Deeds::default());
        world.insert_resource(Luck::new(seed));
        Self { world, schedule: tick::schedule(), team_views: Box::default() }
    }

    fn step(&mut self, inputs: &[Option<Input>], orders: &[SeatOrder<Order>]) {
        for order in orders {
            orders::take(&mut self.world, order);
        }
        self.press(inputs);
        self.schedule.run(&mut self.world);
    }

    fn view(&self, audience: Audience, into: &mut View) {
        view::write(&self.world, audience, into);
    }

    fn restore(&mut self, view: &View) {
        view::restore(&mut self.world, view);
    }

    fn save(&self, out: &mut Vec<u8>) {
        save::save(&self.world, out);
    }

    fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        save::load(bytes)
    }

    fn tick(&self) -> Tick {
        self.world.resource::<Stage>().tick
    }

    fn observe(setup: &Setup, view: &View, glance: &Glance<'_>) -> Observation {
        observe::observe(setup, view, glance)
    }

    fn holds(setup: &Setup, view: &View, seat: Option<SeatId>, fact: &Fact) -> bool {
        observe::holds(setup, view, seat, fact)
    }

    fn check_order(setup: &Setup, _view: &View, seat: SeatId, order: &Order) -> Result<(), Fault> {
        observe::check_order(setup, seat, order)
    }
}

impl Kickabout {
    /// Sets what every seat does in this tick: what its person did, or what mechanics decide from its team's view.
    fn press(&mut self, inputs: &[Option<Input>]) {
        let cast = *self.world.resource::<Cast>();
        let mut pressed: [Option<Input>; PLAYERS_MAX] = array::from_fn(|seat| inputs.get(seat).copied().flatten());
        let mut luck = self.world.resource::<Luck>().clone();
        for team in Team::ALL {
            let seats = mechanics::seats_of(team, cast.team_size);
            if pressed[seats.clone()].iter().all(Option::is_some) {
                continue;
            }
            let team_view = &mut self.team_views[team.index()];
            view::write(&self.world, Audience(team as u8), team_view);
            let sight = mechanics::Sight::new(team_view, team, cast.team_size);
            for seat in seats {
                if pressed[seat].is_some() {
                    continue;
                }
                let entity = cast.players[seat];
                let mut memory = self.world.get::<Memory>(entity).copied().unwrap_or_default();
                pressed[seat] = Some(mechanics::decide(&sight, seat, &mut memory, &mut luck));
                view::set(&mut self.world, entity, memory);
            }
        }
        for (entity, now) in cast.players().iter().zip(pressed) {
            if let Some(mut keys) = self.world.get_mut::<Pressed>(*entity) {
                *keys = Pressed { before: keys.now, now: now.unwrap_or_default() };
            }
        }
        *self.world.resource_mut::<Luck>() = luck;
    }
}

//! Skirmish's rules.
//!
//! A tick reads like this: orders take effect; seats without a person get their input from mechanics, which see what
//! everybody sees; then the systems of [`tick`] run in a fixed order. Places are whole steps from the start, so nothing
//! needs rounding at the end.

mod arena;
mod chance;
mod flight;
mod mechanics;
mod observe;
mod orders;
mod save;
mod tick;
mod view;

pub use flight::{LIFE_TICKS, RADIUS, place};
pub use tick::COOLDOWN_TICKS;

use std::array;

use bevy_ecs::{entity::Entity, schedule::Schedule, world::World};
use contract::{
    Audience, SeatId, Tick,
    agent::{Fault, Glance},
    games::skirmish::{
        self as data, CRAFT_MAX, Fact, Input, Instruction, Observation, Order, SHOTS_OF_A_GUN, Setup, View,
    },
};

use self::{
    arena::{Cast, Chronicle, Clock, Downs, Gun, Hull, Pressed, Score, Shot, Shots, Told},
    chance::Chance,
    mechanics::Memory,
};
use crate::{Game, LoadError, SeatOrder, luck::Luck};

/// A match of Skirmish.
pub struct Skirmish {
    world: World,
    schedule: Schedule,
    /// Kept so that a tick allocates nothing.
    seen: View,
}

impl Game for Skirmish {
    type Data = data::Skirmish;

    fn new(setup: &Setup, seed: u64) -> Self {
        let count = usize::from(setup.seats).clamp(2, CRAFT_MAX);
        let mut chance = Chance::new(seed);
        let mut world = World::new();
        let mut craft = [Entity::PLACEHOLDER; CRAFT_MAX];
        for (slot, entity) in (0..).zip(&mut craft[..count]) {
            *entity = world
                .spawn((
                    Hull::at(chance.spot()),
                    Gun { cooldown: 1 + slot % COOLDOWN_TICKS },
                    Score::default(),
                    Pressed::default(),
                    Told(Instruction::default()),
                    Memory::default(),
                ))
                .id();
        }
        world.insert_resource(Cast { count, craft });
        let shots = array::from_fn(|at| {
            if at < SHOTS_OF_A_GUN * count { world.spawn(Shot(data::Shot::NONE)).id() } else { Entity::PLACEHOLDER }
        });
        world.insert_resource(Shots::new(shots, count));
        world.insert_resource(Clock(Tick(0)));
        world.insert_resource(chance);
        world.insert_resource(Chronicle::default());
        world.insert_resource(Downs::default());
        world.insert_resource(Luck::new(seed));
        Self { world, schedule: tick::schedule(), seen: View::default() }
    }

    fn step(&mut self, inputs: &[Option<Input>], orders: &[SeatOrder<Order>]) {
        for order in orders {
            orders::take(&mut self.world, order);
        }
        self.press(inputs);
        self.schedule.run(&mut self.world);
    }

    fn view(&self, _: Audience, into: &mut View) {
        view::write(&self.world, into);
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
        self.world.resource::<Clock>().0
    }

    fn observe(_: &Setup, view: &View, glance: &Glance<'_>) -> Observation {
        observe::observe(view, glance)
    }

    fn holds(_: &Setup, view: &View, seat: Option<SeatId>, fact: &Fact) -> bool {
        observe::holds(view, seat, fact)
    }

    fn check_order(_: &Setup, view: &View, seat: SeatId, order: &Order) -> Result<(), Fault> {
        observe::check_order(view, seat, order)
    }
}

impl Skirmish {
    /// Sets what every seat does in this tick: what its person did, or what mechanics decide from what is seen.
    fn press(&mut self, inputs: &[Option<Input>]) {
        let cast = *self.world.resource::<Cast>();
        let mut pressed: [Option<Input>; CRAFT_MAX] = array::from_fn(|seat| inputs.get(seat).copied().flatten());
        if pressed[..cast.count].iter().any(Option::is_none) {
            view::write(&self.world, &mut self.seen);
            let sight = mechanics::Sight::new(&self.seen);
            let mut luck = self.world.resource::<Luck>().clone();
            for (seat, input) in pressed[..cast.count].iter_mut().enumerate().filter(|(_, input)| input.is_none()) {
                let entity = cast.craft[seat];
                let mut memory = self.world.get::<Memory>(entity).copied().unwrap_or_default();
                *input = Some(mechanics::decide(&sight, seat, &mut memory, &mut luck));
                view::set(&mut self.world, entity, memory);
            }
            *self.world.resource_mut::<Luck>() = luck;
        }
        for (entity, input) in cast.craft().iter().zip(pressed) {
            view::set(&mut self.world, *entity, Pressed(input.unwrap_or_default()));
        }
    }
}

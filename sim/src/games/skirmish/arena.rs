//! What a match's world is made of: components of craft and shots, and the resources around them.

use bevy_ecs::{component::Component, entity::Entity, resource::Resource};
use contract::{
    SeatId, Tick,
    games::skirmish::{
        CRAFT_MAX, HAPPENINGS_MAX, HP_MAX, Happening, HappeningKind, Input, Instruction, SHOTS_MAX, SHOTS_OF_A_GUN,
        Spot,
    },
};

/// Where a craft is, and how well.
#[derive(Component, Clone, Copy, Debug)]
pub(super) struct Hull {
    pub(super) at: Spot,
    pub(super) hp: u8,
}

impl Hull {
    /// A whole craft at a place.
    pub(super) const fn at(at: Spot) -> Self {
        Self { at, hp: HP_MAX }
    }
}

/// When a craft can fire again.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Gun {
    pub(super) cooldown: u8,
}

/// How many craft a craft has shot down.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Score(pub(super) u16);

/// What a craft does in the newest tick.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Pressed(pub(super) Input);

/// What a seat was told.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Told(pub(super) Instruction);

/// A shot.
#[derive(Component, Clone, Copy, Debug)]
pub(super) struct Shot(pub(super) contract::games::skirmish::Shot);

/// The craft by seat. Every walk over craft goes through this list, never through a query's own order.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Cast {
    pub(super) count: usize,
    pub(super) craft: [Entity; CRAFT_MAX],
}

impl Cast {
    /// The craft that take part, by seat.
    pub(super) fn craft(&self) -> &[Entity] {
        &self.craft[..self.count]
    }
}

/// The shots under way, in the order they were fired, and those that wait to be fired: shots come and go all the time, and
/// nothing is made or thrown away for it. Every walk over shots goes through this list.
#[derive(Resource, Clone, Debug)]
pub(super) struct Shots {
    /// The first `count` are under way.
    all: [Entity; SHOTS_MAX],
    count: usize,
    capacity: usize,
}

impl Shots {
    /// None under way. There are as many as can be: three of each craft.
    pub(super) fn new(all: [Entity; SHOTS_MAX], craft: usize) -> Self {
        Self { all, count: 0, capacity: (SHOTS_OF_A_GUN * craft).min(SHOTS_MAX) }
    }

    /// Those under way, the oldest first.
    pub(super) fn under_way(&self) -> &[Entity] {
        &self.all[..self.count]
    }

    /// How many can be under way.
    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Puts one more under way. There always is one in a match that came about by playing.
    pub(super) const fn fire(&mut self) -> Option<Entity> {
        if self.count == self.capacity {
            return None;
        }
        self.count += 1;
        Some(self.all[self.count - 1])
    }

    /// Takes those back that `flies` refuses, and keeps the order of the others.
    pub(super) fn retain(&mut self, mut flies: impl FnMut(Entity) -> bool) {
        let mut kept = 0;
        for at in 0..self.count {
            if flies(self.all[at]) {
                self.all.swap(kept, at);
                kept += 1;
            }
        }
        self.count = kept;
    }
}

/// The newest tick.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Clock(pub(super) Tick);

/// Who was shot down by whom in this tick: `downs[victim]`. A craft that comes back may be lost again at once; the last
/// one counts.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Downs(pub(super) [Option<SeatId>; CRAFT_MAX]);

impl Default for Downs {
    fn default() -> Self {
        Self([None; CRAFT_MAX])
    }
}

/// What happened lately, oldest first.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct Chronicle(pub(super) [Option<Happening>; HAPPENINGS_MAX]);

impl Chronicle {
    /// Notes a happening. When the list is full, the oldest hit gives way, else the oldest of all.
    pub(super) fn note(&mut self, happening: Happening) {
        let free = self.0.iter().position(Option::is_none).unwrap_or_else(|| {
            let is_hit = |happening: &Option<Happening>| happening.is_some_and(|h| h.kind == HappeningKind::Hit);
            let oldest = self.0.iter().position(is_hit).unwrap_or(0);
            self.0.copy_within(oldest + 1.., oldest);
            HAPPENINGS_MAX - 1
        });
        self.0[free] = Some(happening);
    }
}

//! What everybody sees, and a world made from it.

use bevy_ecs::{
    component::{Component, Mutable},
    entity::Entity,
    world::World,
};
use contract::games::skirmish::{self as data, Craft, View};

use super::{
    arena::{Cast, Chronicle, Clock, Gun, Hull, Pressed, Score, Shot, Shots, Told},
    chance::Chance,
};

/// Writes what is seen. The one place that decides who sees what: everybody sees everything but the hidden generator of
/// mechanics and what they remember.
pub(super) fn write(world: &World, view: &mut View) {
    let cast = world.resource::<Cast>();
    view.tick = world.resource::<Clock>().0;
    view.chance = world.resource::<Chance>().0;
    view.happenings = world.resource::<Chronicle>().0;
    let craft = cast.craft().iter();
    refill(&mut view.craft, cast.count, craft.clone().map(|entity| craft_of(world, *entity).unwrap_or_default()));
    let told = craft.map(|entity| world.get::<Told>(*entity).copied().unwrap_or_default().0);
    refill(&mut view.instructions, cast.count, told);
    let shots = world.resource::<Shots>();
    let under_way = shots.under_way().iter().filter_map(|entity| world.get::<Shot>(*entity)).map(|shot| shot.0);
    refill(&mut view.shots, shots.capacity(), under_way);
}

/// Writes a list anew. Makes room for all there can ever be at the first time, so that later ones allocate nothing.
fn refill<T>(list: &mut Vec<T>, count_max: usize, items: impl Iterator<Item = T>) {
    list.clear();
    list.reserve_exact(count_max);
    list.extend(items);
}

fn craft_of(world: &World, entity: Entity) -> Option<Craft> {
    let entity = world.get_entity(entity).ok()?;
    let (hull, gun, pressed, score) = entity.get_components::<(&Hull, &Gun, &Pressed, &Score)>().ok()?;
    Some(Craft { at: hull.at, input: pressed.0, hp: hull.hp, cooldown: gun.cooldown, score: score.0 })
}

/// Makes the world the one a view shows, as far as the view goes.
pub(super) fn restore(world: &mut World, view: &View) {
    let cast = *world.resource::<Cast>();
    world.resource_mut::<Clock>().0 = view.tick;
    world.resource_mut::<Chance>().0 = view.chance;
    world.resource_mut::<Chronicle>().0 = view.happenings;
    for ((entity, craft), told) in cast.craft().iter().zip(&view.craft).zip(&view.instructions) {
        set(world, *entity, Hull { at: craft.at, hp: craft.hp });
        set(world, *entity, Gun { cooldown: craft.cooldown });
        set(world, *entity, Pressed(craft.input));
        set(world, *entity, Score(craft.score));
        set(world, *entity, Told(*told));
    }
    restore_shots(world, &view.shots);
}

fn restore_shots(world: &mut World, shown: &[data::Shot]) {
    let mut shots = world.resource::<Shots>().clone();
    shots.retain(|_| false);
    for shot in shown {
        if let Some(entity) = shots.fire() {
            set(world, entity, Shot(*shot));
        }
    }
    *world.resource_mut::<Shots>() = shots;
}

/// Overwrites a component that is there.
pub(super) fn set<C: Component<Mutability = Mutable>>(world: &mut World, entity: Entity, value: C) {
    if let Some(mut component) = world.get_mut::<C>(entity) {
        *component = value;
    }
}

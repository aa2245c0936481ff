//! The view of an audience: written from the world, and read back into one.

use bevy_ecs::{
    component::{Component, Mutable},
    entity::Entity,
    world::World,
};
use contract::{
    Audience, SeatId,
    games::kickabout::{Ball, Player, View, team_of_audience},
};

use super::{
    grid::{from_grid, to_grid},
    physics::Body,
    player::Legs,
    stage::{Cast, Chronicle, Goals, Pressed, Stage, Told, Touches},
};

/// Writes what an audience sees. The one place that decides who sees what: everything but instructions is public, and
/// those are for the own team and for spectators. The random generator and the mechanics' memory are never shown.
pub(super) fn write(world: &World, audience: Audience, view: &mut View) {
    let cast = world.resource::<Cast>();
    let stage = world.resource::<Stage>();
    view.tick = stage.tick;
    view.phase = stage.phase;
    view.phase_ticks = stage.phase_ticks;
    view.clock_ticks = stage.clock_ticks;
    view.golden_goal = stage.golden_goal;
    view.score = stage.score;
    view.happenings = world.resource::<Chronicle>().0;
    view.player_count = cast.players().len();
    view.players[view.player_count..].fill(Player::default());
    view.instructions[view.player_count..].fill(None);
    view.ball = ball(world, cast).unwrap_or_default();
    let only_team = team_of_audience(audience);
    for (seat, entity) in (0..).map(SeatId).zip(cast.players()) {
        let at = seat.index();
        view.players[at] = player(world, *entity).unwrap_or_default();
        let may_know = only_team.is_none_or(|team| team == cast.team_of(seat));
        view.instructions[at] = world.get::<Told>(*entity).filter(|_| may_know).map(|told| told.0);
    }
}

fn ball(world: &World, cast: &Cast) -> Option<Ball> {
    let (position, velocity) = to_grid(world.get::<Body>(cast.ball)?);
    let touches = world.get::<Touches>(cast.ball)?;
    Some(Ball { position, velocity, last_touch: touches.last, last_kick: touches.last_kick })
}

fn player(world: &World, entity: Entity) -> Option<Player> {
    let entity = world.get_entity(entity).ok()?;
    let (body, legs, keys, goals) = entity.get_components::<(&Body, &Legs, &Pressed, &Goals)>().ok()?;
    let (position, velocity) = to_grid(body);
    Some(Player {
        position,
        velocity,
        stamina: legs.stamina,
        charge: legs.charge,
        armed: legs.armed,
        window: legs.window,
        input: keys.now,
        goals: goals.0,
    })
}

/// Makes the world the one a view shows, as far as the view goes.
pub(super) fn restore(world: &mut World, view: &View) {
    let cast = *world.resource::<Cast>();
    let mut stage = world.resource_mut::<Stage>();
    stage.tick = view.tick;
    stage.phase = view.phase;
    stage.phase_ticks = view.phase_ticks;
    stage.clock_ticks = view.clock_ticks;
    stage.golden_goal = view.golden_goal;
    stage.score = view.score;
    world.resource_mut::<Chronicle>().0 = view.happenings;
    set(world, cast.ball, from_grid(view.ball.position, view.ball.velocity));
    set(world, cast.ball, Touches { last: view.ball.last_touch, last_kick: view.ball.last_kick });
    for (seat, entity) in cast.players().iter().enumerate() {
        let player = &view.players[seat];
        set(world, *entity, from_grid(player.position, player.velocity));
        let Player { stamina, charge, armed, window, .. } = *player;
        set(world, *entity, Legs { stamina, charge, armed, window });
        set(world, *entity, Pressed { before: player.input, now: player.input });
        set(world, *entity, Goals(player.goals));
        if let Some(instruction) = view.instructions[seat] {
            set(world, *entity, Told(instruction));
        }
    }
}

/// Overwrites a component that is there.
pub(super) fn set<C: Component<Mutability = Mutable>>(world: &mut World, entity: Entity, value: C) {
    if let Some(mut component) = world.get_mut::<C>(entity) {
        *component = value;
    }
}

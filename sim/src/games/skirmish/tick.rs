//! The systems of a tick, in the order they run, which is the order of `arena-ref/1`.

use bevy_ecs::{
    schedule::{IntoScheduleConfigs, Schedule, SingleThreadedExecutor},
    system::{Query, Res, ResMut},
};
use contract::{
    SeatId,
    games::skirmish::{self as data, CRAFT_MAX, Happening, HappeningKind, Input, Spot},
};

use super::{
    arena::{Cast, Chronicle, Clock, Downs, Gun, Hull, Pressed, Score, Shot, Shots},
    chance::Chance,
    flight::{self, LIFE_TICKS},
    orders,
};

/// Ticks from one shot of a gun to the next.
pub const COOLDOWN_TICKS: u8 = 15;
const _: () = assert!(COOLDOWN_TICKS < 1 << 4 && LIFE_TICKS < 1 << 6, "the wire's widths");
const _: () = assert!(LIFE_TICKS.div_ceil(COOLDOWN_TICKS) as usize == data::SHOTS_OF_A_GUN, "all shots have room");

/// What a hit costs.
const DAMAGE: u8 = 10;

/// One tick of a match whose inputs are set.
pub(super) fn schedule() -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems((open_tick, burn_out, steer, fire, fly, orders::judge).chain());
    schedule
}

fn open_tick(mut clock: ResMut<Clock>, mut downs: ResMut<Downs>) {
    clock.0 = clock.0.next();
    *downs = Downs::default();
}

/// Shots grow older, and those that have flown their time are gone. They hit nothing after that, so they may as well go
/// before the craft move.
fn burn_out(mut shots: ResMut<Shots>, mut flying: Query<&mut Shot>) {
    shots.retain(|entity| {
        let Ok(mut shot) = flying.get_mut(entity) else { return false };
        shot.0.age += 1;
        shot.0.age <= LIFE_TICKS
    });
}

/// Craft move as far as the arena goes.
fn steer(cast: Res<Cast>, mut craft: Query<(&mut Hull, &Pressed)>) {
    for entity in cast.craft() {
        if let Ok((mut hull, pressed)) = craft.get_mut(*entity) {
            hull.at = moved(hull.at, pressed.0);
        }
    }
}

/// A place one tick later. A speed in units per second is a way in steps per tick.
fn moved(at: Spot, input: Input) -> Spot {
    let along = |from: u16, speed: i16| from.saturating_add_signed(speed).min(Spot::SIDE);
    Spot { x: along(at.x, input.vx), y: along(at.y, input.vy) }
}

/// Guns cool down, and those that are ready fire. A new shot flies in this very tick.
fn fire(
    cast: Res<Cast>,
    mut shots: ResMut<Shots>,
    mut flying: Query<&mut Shot>,
    mut craft: Query<(&Hull, &mut Gun, &Pressed)>,
) {
    for (owner, entity) in (0..).map(SeatId).zip(cast.craft()) {
        let Ok((hull, mut gun, pressed)) = craft.get_mut(*entity) else { continue };
        gun.cooldown = gun.cooldown.saturating_sub(1);
        if !pressed.0.fire || gun.cooldown > 0 {
            continue;
        }
        if let Some(mut shot) = shots.fire().and_then(|entity| flying.get_mut(entity).ok()) {
            shot.0 = data::Shot { owner, age: 1, aim: pressed.0.aim, from: hull.at };
            gun.cooldown = COOLDOWN_TICKS;
        }
    }
}

/// Shots fly and hit, in the order they were fired; each hits the first seat in its reach.
#[expect(clippy::too_many_arguments, reason = "a hit touches nearly everything")]
fn fly(
    cast: Res<Cast>,
    clock: Res<Clock>,
    mut shots: ResMut<Shots>,
    mut chance: ResMut<Chance>,
    mut chronicle: ResMut<Chronicle>,
    mut downs: ResMut<Downs>,
    flying: Query<&Shot>,
    mut craft: Query<(&mut Hull, &mut Score)>,
) {
    let mut places = [Spot::default(); CRAFT_MAX];
    for (place, entity) in places.iter_mut().zip(cast.craft()) {
        if let Ok((hull, _)) = craft.get(*entity) {
            *place = hull.at;
        }
    }
    shots.retain(|entity| {
        let Ok(shot) = flying.get(entity) else { return false };
        let at = flight::place(&shot.0);
        let by = shot.0.owner;
        let meets = |seat: &usize| *seat != by.index() && flight::hits(at, places[*seat]);
        let Some(seat) = (0..cast.count).find(meets) else { return true };
        let Ok((mut hull, _)) = craft.get_mut(cast.craft[seat]) else { return false };
        let to = SeatId(u8::try_from(seat).unwrap_or(u8::MAX));
        hull.hp = hull.hp.saturating_sub(DAMAGE);
        let mut kind = HappeningKind::Hit;
        if hull.hp == 0 {
            kind = HappeningKind::Down;
            *hull = Hull::at(chance.spot());
            places[seat] = hull.at;
            downs.0[seat] = Some(by);
            if let Ok((_, mut score)) = craft.get_mut(cast.craft[by.index()]) {
                score.0 = score.0.saturating_add(1);
            }
        }
        chronicle.note(Happening { tick: clock.0, kind, by, to });
        false
    });
}

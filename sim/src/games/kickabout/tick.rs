//! The systems that move players and ball, in the order they run.

use bevy_ecs::{
    query::{With, Without},
    schedule::{IntoScheduleConfigs, Schedule, SingleThreadedExecutor},
    system::{Query, Res, ResMut},
};
use contract::{
    SeatId,
    games::kickabout::{Armed, HappeningKind, Input, PLAYERS_MAX, Phase},
};

use super::{
    grid,
    kicking::play_ball,
    orders,
    physics::{self, Body},
    player::{self, Legs},
    rules,
    stage::{Cast, Chronicle, Deeds, Ground, Pressed, Stage, Touches},
};

/// A ball that hits a wall or post slower than this makes no sound.
const AUDIBLE_SPEED: f32 = 1.0;

/// One tick of a match whose inputs are set.
pub(super) fn schedule() -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems((rules::open_tick, act, move_discs, rules::judge, orders::judge, grid::settle).chain());
    schedule
}

type Athletes<'w, 's> = Query<'w, 's, (&'static mut Body, &'static mut Legs, &'static Pressed), Without<Touches>>;
type TheBall<'w, 's> = Query<'w, 's, (&'static mut Body, &'static mut Touches), With<Touches>>;

/// Players run, and play the ball.
fn act(
    cast: Res<Cast>,
    stage: Res<Stage>,
    mut deeds: ResMut<Deeds>,
    mut chronicle: ResMut<Chronicle>,
    mut players: Athletes,
    mut ball: TheBall,
) {
    let count = cast.players().len();
    let mut bodies = [Body::default(); PLAYERS_MAX];
    let mut legs = [Legs::default(); PLAYERS_MAX];
    let mut inputs = [Input::default(); PLAYERS_MAX];
    for (seat, entity) in cast.players().iter().enumerate() {
        let Ok((mut body, mut own_legs, keys)) = players.get_mut(*entity) else { continue };
        player::run(&mut body, &mut own_legs, keys.now);
        player::press_buttons(&mut own_legs, keys.before, keys.now);
        (bodies[seat], legs[seat], inputs[seat]) = (*body, *own_legs, keys.now);
    }
    let Ok((mut ball, mut touches)) = ball.get_mut(cast.ball) else { return };
    play_ball(&bodies[..count], &mut legs[..count], &inputs[..count], &mut ball, cast.team_size, &mut deeds.0);
    for (seat, entity) in (0..).map(SeatId).zip(cast.players()) {
        if let Ok((_, mut own_legs, _)) = players.get_mut(*entity) {
            *own_legs = legs[seat.index()];
        }
        if let Some(played) = deeds.0[seat.index()] {
            let kind = if played.kind == Armed::Pass { HappeningKind::Pass } else { HappeningKind::Kick };
            chronicle.note(stage.tick, kind, Some(seat));
            touches.last = Some(seat);
            touches.last_kick = Some(seat);
        }
    }
}

/// Everything moves and bumps.
fn move_discs(
    cast: Res<Cast>,
    ground: Res<Ground>,
    stage: Res<Stage>,
    mut chronicle: ResMut<Chronicle>,
    mut players: Query<&mut Body, Without<Touches>>,
    mut ball: TheBall,
) {
    let count = cast.players().len();
    let mut bodies = [Body::default(); PLAYERS_MAX];
    for (body, entity) in bodies.iter_mut().zip(cast.players()) {
        if let Ok(player) = players.get(*entity) {
            *body = *player;
        }
    }
    let Ok((mut ball, mut touches)) = ball.get_mut(cast.ball) else { return };
    // Odd ticks walk the seats backwards, so that being first is nobody's advantage.
    let backwards = stage.tick.0 % 2 == 1;
    physics::advance(&mut bodies[..count], &mut ball);
    let contacts = physics::collide(&mut bodies[..count], &mut ball, &ground.0, backwards);
    if let Phase::KickOff(team) = stage.phase {
        for (seat, body) in (0..).map(SeatId).zip(&mut bodies[..count]) {
            let own = cast.team_of(seat);
            ground.0.contain_at_kick_off(body, own, own == team);
        }
    }
    for (body, entity) in bodies.iter().zip(cast.players()) {
        if let Ok(mut player) = players.get_mut(*entity) {
            *player = *body;
        }
    }
    let met = |seat: &SeatId| contacts.players >> seat.0 & 1 == 1;
    if !touches.last.is_some_and(|seat| met(&seat)) {
        let seats = || (0..).map(SeatId).take(count);
        let toucher = if backwards { seats().filter(met).last() } else { seats().find(met) };
        if let Some(seat) = toucher {
            touches.last = Some(seat);
            chronicle.note(stage.tick, HappeningKind::Touch, Some(seat));
        }
    }
    if contacts.wall_speed > AUDIBLE_SPEED {
        chronicle.note(stage.tick, HappeningKind::Bounce, None);
    }
}

//! Kick-off, goals, clock, golden goal, end and rematch.
//!
//! ```text
//! KickOff --ball touched, or 6 s--> Play --ball in a net--> Goal --2.5 s--> KickOff of the team that conceded
//!                                     |                        \--golden goal--> Ended
//!                                     \--time up, one side ahead--> Ended --rematch--> KickOff
//!                                     \--time up, level--> golden goal: Play goes on for 2 minutes at most
//! ```

use bevy_ecs::system::{Query, Res, ResMut};
use contract::{
    SeatId,
    games::kickabout::{HappeningKind, Phase, Team},
};

use super::{
    formation::kick_off_place,
    physics::Body,
    player::Legs,
    stage::{Cast, Chronicle, Goals, Ground, Pressed, Stage, Touches},
    vector::Vec2,
};

/// Ticks after which the ball is in play even if nobody touched it.
const KICK_OFF_TICKS_MAX: u16 = 360;
/// Ticks of rejoicing.
const GOAL_TICKS: u16 = 150;
/// Ticks of golden goal after which a match is drawn.
pub(super) const GOLDEN_GOAL_TICKS: u32 = 120 * 60;
/// Ticks after the end before a rematch can be asked for, so that a held key does not ask by accident.
const REMATCH_TICKS_MIN: u16 = 60;
/// Ticks after the end until the next match starts by itself. The same whoever plays: a page that predicts knows what
/// everybody does, not who decides it.
const RESTART_TICKS: u16 = 900;
/// Most goals of one player that are counted.
const GOALS_MAX: u8 = 15;

type Everybody<'w, 's> = Query<'w, 's, (&'static mut Body, &'static mut Legs, &'static mut Goals, &'static Pressed)>;

/// Begins the tick: moves from stage to stage when their time has come.
pub(super) fn open_tick(
    cast: Res<Cast>,
    ground: Res<Ground>,
    mut stage: ResMut<Stage>,
    mut chronicle: ResMut<Chronicle>,
    mut players: Everybody,
    mut ball: Query<(&mut Body, &mut Touches), bevy_ecs::query::Without<Legs>>,
) {
    stage.tick = stage.tick.next();
    stage.phase_ticks = stage.phase_ticks.saturating_add(1);
    let kick_off = match stage.phase {
        Phase::KickOff(_) | Phase::Play => return,
        Phase::Goal(_) if stage.phase_ticks < GOAL_TICKS => return,
        Phase::Goal(_) if stage.golden_goal => {
            end(&mut stage, &mut chronicle);
            return;
        }
        Phase::Goal(scorers) => scorers.other(),
        Phase::Ended(winner) => {
            let asked = stage.phase_ticks >= REMATCH_TICKS_MIN
                && cast.players().iter().any(|entity| players.get(*entity).is_ok_and(|(.., keys)| keys.now.rematch));
            if !asked && stage.phase_ticks < RESTART_TICKS {
                return;
            }
            begin_match(&mut stage);
            for entity in cast.players() {
                if let Ok((_, mut legs, mut goals, _)) = players.get_mut(*entity) {
                    goals.0 = 0;
                    legs.stamina = Legs::FRESH.stamina;
                }
            }
            // The side that lost kicks off the next one.
            winner.map_or(Team::Red, Team::other)
        }
    };
    stage.enter(Phase::KickOff(kick_off));
    chronicle.note(stage.tick, HappeningKind::Whistle, None);
    for (seat, entity) in (0..).map(SeatId).zip(cast.players()) {
        if let Ok((mut body, mut legs, ..)) = players.get_mut(*entity) {
            let position = kick_off_place(&ground.0, seat, cast.team_size, cast.team_of(seat) == kick_off);
            *body = Body { position, velocity: Vec2::ZERO };
            legs.disarm();
        }
    }
    if let Ok((mut body, mut touches)) = ball.get_mut(cast.ball) {
        (*body, *touches) = (Body::default(), Touches::default());
    }
}

/// Sets score and clock for a new match.
pub(super) const fn begin_match(stage: &mut Stage) {
    stage.score = [0; 2];
    stage.clock_ticks = stage.duration_ticks;
    stage.golden_goal = false;
}

/// Judges what the tick has brought: ball in play, goal, time up.
pub(super) fn judge(
    cast: Res<Cast>,
    ground: Res<Ground>,
    mut stage: ResMut<Stage>,
    mut chronicle: ResMut<Chronicle>,
    mut goals: Query<&mut Goals>,
    ball: Query<(&Body, &Touches)>,
) {
    let Ok((ball, touches)) = ball.get(cast.ball) else { return };
    if matches!(stage.phase, Phase::KickOff(_)) && (touches.last.is_some() || stage.phase_ticks >= KICK_OFF_TICKS_MAX) {
        stage.enter(Phase::Play);
    }
    if stage.phase != Phase::Play {
        return;
    }
    if let Some(conceded) = ground.0.conceded(ball.position) {
        let scorers = conceded.other();
        let scorer = scorer(&cast, *touches, scorers);
        if let Some(mut goals) = scorer.and_then(|seat| goals.get_mut(cast.players[seat.index()]).ok()) {
            goals.0 = (goals.0 + 1).min(GOALS_MAX);
        }
        let kind = if scorers == Team::Red { HappeningKind::GoalRed } else { HappeningKind::GoalBlue };
        chronicle.note(stage.tick, kind, scorer.or(touches.last));
        let score = &mut stage.score[scorers.index()];
        *score = score.saturating_add(1);
        stage.enter(Phase::Goal(scorers));
        return;
    }
    stage.clock_ticks = stage.clock_ticks.saturating_sub(1);
    if stage.clock_ticks > 0 {
        return;
    }
    if stage.golden_goal || stage.leader().is_some() {
        end(&mut stage, &mut chronicle);
    } else {
        stage.golden_goal = true;
        stage.clock_ticks = GOLDEN_GOAL_TICKS;
        chronicle.note(stage.tick, HappeningKind::GoldenGoal, None);
    }
}

fn end(stage: &mut Stage, chronicle: &mut Chronicle) {
    let winner = stage.leader();
    stage.enter(Phase::Ended(winner));
    chronicle.note(stage.tick, HappeningKind::FullTime, None);
}

/// Whose goal it is: the last to touch the ball, or else the last to kick it, if they play for the side that scored.
/// Nobody's when it is an own goal.
fn scorer(cast: &Cast, touches: Touches, scorers: Team) -> Option<SeatId> {
    [touches.last, touches.last_kick].into_iter().flatten().find(|seat| cast.team_of(*seat) == scorers)
}

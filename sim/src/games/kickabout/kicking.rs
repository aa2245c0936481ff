//! What feet do to the ball: close control, kicks and passes.

use contract::{
    SeatId,
    games::kickabout::{Armed, Input, PLAYERS_MAX},
};

use super::{
    physics::{BALL_DAMPING, Body},
    pitch::BALL_RADIUS,
    player::{CHARGE_MAX, LET_GO_TICKS, Legs, PLAYER_RADIUS},
    vector::{Vec2, heading},
};

/// Distance between centres within which a player can play the ball: contact and a little more.
pub const REACH: f32 = PLAYER_RADIUS + BALL_RADIUS + 12.0;

const KICK_SPEED_MIN: f32 = 3.6;
/// Speed of a ball that was kicked as hard as can be, by a player who stands.
pub(super) const KICK_SPEED_MAX: f32 = 7.2;
/// Part of the player's own speed that a kick adds.
const RUN_UP: f32 = 0.4;

/// Speed at which a pass should arrive.
const PASS_ARRIVAL_SPEED: f32 = 2.5;
const PASS_SPEED_MIN: f32 = 3.2;
const PASS_SPEED_MAX: f32 = 7.0;
/// How much farther off a team-mate may be for being better aligned by a full unit of cosine, in units.
const PASS_ALIGNMENT_WORTH: f32 = 700.0;

/// Cosine and sine of the widest angle between the line through both centres and a kick.
const KICK_CONE: (f32, f32) = (0.5, 0.866_025_4);
/// The same for a pass: anything but through the own body.
const PASS_CONE: (f32, f32) = (0.0, 1.0);

/// Part of the ball's speed relative to the player that close control takes away each tick.
const CONTROL_DRAG: f32 = 0.07;
/// How strongly close control draws the ball in front of the player, per tick.
const CONTROL_PULL: f32 = 0.008;
/// A ball that leaves faster than this is not held back.
const CONTROL_LEAVING_MAX: f32 = 2.0;

/// What a seat did to the ball in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Played {
    /// Kick or pass.
    pub(super) kind: Armed,
    /// The team-mate a pass went to.
    pub(super) target: Option<SeatId>,
    /// The speed it gave the ball.
    pub(super) velocity: Vec2,
}

/// Who did what to the ball in a tick, by seat.
pub(super) type Plays = [Option<Played>; PLAYERS_MAX];

/// Lets every player within reach control the ball, and plays the kicks and passes that are due. Kicks of several
/// players in one tick add up, so nobody's comes first.
pub(super) fn play_ball(
    players: &[Body],
    legs: &mut [Legs],
    inputs: &[Input],
    ball: &mut Body,
    team_size: u8,
    plays: &mut Plays,
) {
    *plays = [None; PLAYERS_MAX];
    let mut kicked = Vec2::ZERO;
    let mut any = false;
    let mut control = Vec2::ZERO;
    for seat in 0..players.len() {
        let between = ball.position - players[seat].position;
        if between.length_squared() > REACH * REACH {
            continue;
        }
        if legs[seat].lets_go() {
            continue;
        }
        if legs[seat].armed == Armed::No {
            control += close_control(&players[seat], ball, inputs[seat]);
            continue;
        }
        let played = match legs[seat].armed {
            Armed::Pass => pass(players, seat, ball, inputs[seat], team_size),
            _ => kick(&players[seat], ball, inputs[seat], legs[seat].charge),
        };
        legs[seat].disarm();
        legs[seat].window = LET_GO_TICKS;
        kicked += played.velocity;
        any = true;
        plays[seat] = Some(played);
    }
    ball.velocity = if any { kicked } else { ball.velocity + control };
}

fn close_control(player: &Body, ball: &Body, input: Input) -> Vec2 {
    let between = ball.position - player.position;
    let relative = ball.velocity - player.velocity;
    let Some(normal) = between.unit() else { return Vec2::ZERO };
    if relative.dot(normal) > CONTROL_LEAVING_MAX {
        return Vec2::ZERO;
    }
    let drag = -(relative * CONTROL_DRAG);
    match heading(input.direction) {
        Some(front) => drag + (front * (PLAYER_RADIUS + BALL_RADIUS) - between) * CONTROL_PULL,
        None => drag,
    }
}

fn kick(player: &Body, ball: &Body, input: Input, charge: u8) -> Played {
    let normal = contact_normal(player, ball);
    let direction = heading(input.direction).map_or(normal, |aim| within(KICK_CONE, normal, aim));
    let power = f32::from(charge) / f32::from(CHARGE_MAX);
    let speed = KICK_SPEED_MIN + (KICK_SPEED_MAX - KICK_SPEED_MIN) * power;
    let run_up = player.velocity.dot(direction).max(0.0) * RUN_UP;
    Played { kind: Armed::Kick, target: None, velocity: direction * (speed + run_up) }
}

fn pass(players: &[Body], seat: usize, ball: &Body, input: Input, team_size: u8) -> Played {
    let normal = contact_normal(&players[seat], ball);
    let aim = heading(input.direction).unwrap_or(normal);
    let Some(target) = pass_target(players, seat, ball, aim, team_size) else {
        let direction = within(KICK_CONE, normal, aim);
        return Played { kind: Armed::Pass, target: None, velocity: direction * PASS_SPEED_MIN };
    };
    let (direction, speed) = lead(ball.position, &players[target.index()]);
    let direction = within(PASS_CONE, normal, direction.unwrap_or(normal));
    let run_up = players[seat].velocity.dot(direction).max(0.0) * RUN_UP;
    Played { kind: Armed::Pass, target: Some(target), velocity: direction * (speed + run_up) }
}

/// The team-mate that a pass in a direction goes to: well aligned before near.
pub(super) fn pass_target(players: &[Body], seat: usize, ball: &Body, aim: Vec2, team_size: u8) -> Option<SeatId> {
    let size = usize::from(team_size);
    let first = if seat < size { 0 } else { size };
    let mut best = None;
    let mut best_fit = f32::MIN;
    for mate in (first..first + size).filter(|mate| *mate != seat) {
        let between = players[mate].position - ball.position;
        let distance = between.length();
        let fit = between.unit().map_or(0.0, |unit| unit.dot(aim)) * PASS_ALIGNMENT_WORTH - distance;
        if fit > best_fit {
            (best, best_fit) = (u8::try_from(mate).ok().map(SeatId), fit);
        }
    }
    best
}

/// Direction and speed of a pass that meets a running team-mate.
pub(super) fn lead(from: Vec2, mate: &Body) -> (Option<Vec2>, f32) {
    let mut to = mate.position;
    let mut speed = PASS_SPEED_MIN;
    // The first round finds how long the ball rolls to where the mate is, the second aims at where it will be.
    for _ in 0..2 {
        let distance = (to - from).length();
        speed = (PASS_ARRIVAL_SPEED + distance * (1.0 - BALL_DAMPING)).clamp(PASS_SPEED_MIN, PASS_SPEED_MAX);
        let ticks = distance / ((speed + PASS_ARRIVAL_SPEED) * 0.5);
        to = mate.position + mate.velocity * (ticks * 0.6).min(30.0);
    }
    ((to - from).unit(), speed)
}

fn contact_normal(player: &Body, ball: &Body) -> Vec2 {
    (ball.position - player.position).unit().unwrap_or(super::vector::vec2(1.0, 0.0))
}

/// The direction within a cone around `normal` that is nearest to `aim`.
fn within((cosine, sine): (f32, f32), normal: Vec2, aim: Vec2) -> Vec2 {
    if normal.dot(aim) >= cosine {
        return aim;
    }
    let across = normal.turned();
    let turn = across.dot(aim);
    if turn == 0.0 {
        normal
    } else if turn > 0.0 {
        normal * cosine + across * sine
    } else {
        normal * cosine - across * sine
    }
}

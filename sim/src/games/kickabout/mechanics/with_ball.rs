//! What to do with the ball at the feet: shoot, pass, run with it, get it away.

use contract::games::kickabout::{Input, Phase, Role, WithBall};
use serde::{Deserialize, Serialize};

use super::{
    super::{
        kicking::{KICK_SPEED_MAX, lead, pass_target},
        player::CHARGE_MAX,
        vector::{Vec2, vec2},
    },
    Luck, Memory,
    sight::Sight,
    steering::sprinting,
};

/// What a player has made up its mind to do with the ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Intent {
    /// Kicks it to a place, charging this many ticks.
    Kick { at: Vec2, charge: u8 },
    /// Passes it to a team-mate.
    Pass { to: u8 },
    /// Runs with it.
    Dribble,
}

/// What the player is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wish {
    /// The standing plan, or an order that is like one.
    Plan(WithBall),
    /// An order to pass to this seat.
    PassTo(usize),
}

/// Ticks for which an intent holds.
const KICK_TICKS: u8 = 50;
const PASS_TICKS: u8 = 26;
const DRIBBLE_TICKS: u8 = 14;
/// An opponent this close leaves no time.
const TIGHT: f32 = 62.0;
/// Ticks at the feet without moving after which the ball is kicked out of the scrum.
const STUCK_TICKS: u8 = 45;
/// Speed at which a lane's safety is judged.
const PASS_SPEED: f32 = 3.9;

/// Plays the ball at the feet of `seat`.
pub(super) fn play(
    sight: &Sight<'_>,
    seat: usize,
    role: Role,
    wish: Wish,
    memory: &mut Memory,
    luck: &mut Luck,
) -> Input {
    let is_still = sight.ball.velocity.length() < 0.5;
    memory.stuck = if is_still { memory.stuck.saturating_add(1) } else { memory.stuck.saturating_sub(2) };
    if memory.intent_ticks == 0 {
        memory.intent = None;
    }
    memory.intent_ticks = memory.intent_ticks.saturating_sub(1);
    let intent = match memory.intent {
        Some(intent) => intent,
        None => {
            let intent = make_up(sight, seat, role, wish, memory, luck);
            memory.intent = Some(intent);
            memory.intent_ticks = match intent {
                Intent::Kick { .. } => KICK_TICKS,
                Intent::Pass { .. } => PASS_TICKS,
                Intent::Dribble => DRIBBLE_TICKS,
            };
            intent
        }
    };
    match intent {
        Intent::Kick { at, charge } => kick(sight, seat, at, charge, memory),
        Intent::Pass { to } => pass(sight, seat, usize::from(to), memory),
        Intent::Dribble => dribble(sight, seat, memory),
    }
}

fn make_up(sight: &Sight<'_>, seat: usize, role: Role, wish: Wish, memory: &mut Memory, luck: &mut Luck) -> Intent {
    if memory.stuck > STUCK_TICKS && !matches!(sight.view.phase, Phase::KickOff(_)) {
        memory.stuck = 0;
        let aside = if luck.below(2) == 0 { -120.0 } else { 120.0 };
        return Intent::Kick { at: sight.ball.position + vec2(80.0, aside), charge: 1 + luck.below(6) };
    }
    match wish {
        Wish::PassTo(mate) => Intent::Pass { to: u8::try_from(mate).unwrap_or(0) },
        Wish::Plan(WithBall::Shoot) => {
            let far = (sight.goal() - sight.ball.position).length() > shooting_range(sight);
            if far && sight.pressure(sight.ball.position) > TIGHT { Intent::Dribble } else { shot(sight, luck).0 }
        }
        Wish::Plan(WithBall::Clear) => clear(sight, luck),
        Wish::Plan(WithBall::Dribble) => {
            let close = (sight.goal() - sight.ball.position).length() < shooting_range(sight) * 0.5;
            if close { shot(sight, luck).0 } else { Intent::Dribble }
        }
        Wish::Plan(WithBall::Pass) => match best_pass(sight, seat) {
            Some((mate, worth)) if worth > -60.0 => Intent::Pass { to: mate },
            _ => Intent::Dribble,
        },
        Wish::Plan(WithBall::Auto) => as_called_for(sight, seat, role, luck),
    }
}

/// What the situation calls for.
fn as_called_for(sight: &Sight<'_>, seat: usize, role: Role, luck: &mut Luck) -> Intent {
    let ball = sight.ball.position;
    let pressure = sight.pressure(ball);
    let depth = ball.x / sight.pitch.half_length;
    if matches!(sight.view.phase, Phase::KickOff(_)) {
        return match best_pass(sight, seat) {
            Some((mate, _)) if sight.team_size > 2 => Intent::Pass { to: mate },
            _ => Intent::Dribble,
        };
    }
    let (shot, shot_lane) = shot(sight, luck);
    let distance = (sight.goal() - ball).length();
    let range = shooting_range(sight);
    if distance < range {
        let crowd = f32::from(sight.team_size) * 4.0 - 6.0;
        let needed = (distance / range) * 16.0 - 6.0 - crowd;
        if shot_lane > needed || (distance < range * 0.35 && pressure < TIGHT) {
            return shot;
        }
    }
    let pass = best_pass(sight, seat);
    let hurry = pressure < TIGHT;
    // Runs on while there is room; a pass must be clearly better than that.
    let room = free_run(sight, ball, towards_goal(sight)).min(200.0);
    let run_worth = room * 0.4 + if hurry { -55.0 } else { 10.0 };
    let reserve = if role == Role::Keeper { -80.0 } else { 0.0 };
    match pass {
        Some((mate, worth)) if worth > run_worth + reserve => Intent::Pass { to: mate },
        _ if hurry && depth < -0.35 => clear(sight, luck),
        _ if role == Role::Keeper && depth < -0.5 => clear(sight, luck),
        _ => Intent::Dribble,
    }
}

fn towards_goal(sight: &Sight<'_>) -> Vec2 {
    (sight.goal() - sight.ball.position).unit().unwrap_or(vec2(1.0, 0.0))
}

/// How far from the goal a shot makes sense.
fn shooting_range(sight: &Sight<'_>) -> f32 {
    (sight.pitch.half_length * if sight.team_size == 1 { 0.36 } else { 0.75 }).min(380.0)
}

/// The best spot of the goal to shoot at, with an error of aim, and how free the line to it is.
fn shot(sight: &Sight<'_>, luck: &mut Luck) -> (Intent, f32) {
    let ball = sight.ball.position;
    let side = sight.pitch.goal_half_width - 22.0;
    let mut best = (sight.goal(), f32::MIN);
    for y in [0.0, -side * 0.6, side * 0.6, -side, side] {
        let spot = vec2(sight.pitch.half_length, y);
        let lane = sight.lane(ball, spot, KICK_SPEED_MAX * 0.8, 0.9);
        if lane > best.1 {
            best = (spot, lane);
        }
    }
    let distance = (best.0 - ball).length();
    let at = vec2(best.0.x, best.0.y + luck.wobble() * distance * 0.14);
    // Close to an opponent a short swing must do.
    let hurry = sight.pressure(ball) < TIGHT;
    let charge = if hurry || distance < 120.0 { 8 + luck.below(5) } else { 20 + luck.below(9) };
    (Intent::Kick { at: at + vec2(30.0, 0.0), charge: charge.min(CHARGE_MAX) }, best.1)
}

/// Far up the freer flank.
fn clear(sight: &Sight<'_>, luck: &mut Luck) -> Intent {
    let ball = sight.ball.position;
    let mut best = (vec2(0.0, 0.0), f32::MIN);
    for aside in [-0.75, -0.4, 0.4, 0.75] {
        let spot = vec2((ball.x + 420.0).min(sight.pitch.half_length * 0.6), sight.pitch.half_width * aside);
        // Not across the own goal.
        let crossing = if ball.y * aside < 0.0 { 25.0 } else { 0.0 };
        let lane = sight.lane(ball, spot, KICK_SPEED_MAX * 0.7, 1.0) - crossing;
        if lane > best.1 {
            best = (spot, lane);
        }
    }
    let hurry = sight.pressure(ball) < TIGHT;
    Intent::Kick { at: best.0, charge: if hurry { 6 + luck.below(6) } else { 22 + luck.below(9) } }
}

/// The team-mate whom a pass reaches best, and what it is worth.
fn best_pass(sight: &Sight<'_>, seat: usize) -> Option<(u8, f32)> {
    let ball = sight.ball.position;
    let mut best: Option<(u8, f32)> = None;
    for mate in sight.own.clone().filter(|mate| *mate != seat) {
        let place = sight.players[mate].position;
        let way = place - ball;
        let distance = way.length();
        if !(70.0..=520.0).contains(&distance) || aim_at(sight, seat, mate).is_none() {
            continue;
        }
        let lane = sight.lane(ball, place, PASS_SPEED, 1.3).clamp(-60.0, 40.0);
        if lane < 2.0 {
            continue;
        }
        let pressure = sight.pressure(place).min(150.0);
        let gain = (place.x - ball.x).clamp(-200.0, 300.0);
        // A pass that misses a keeper ends in the own goal.
        let is_mouth = place.y.abs() < sight.pitch.goal_half_width + 30.0;
        let into_goal_mouth = if is_mouth && place.x < -sight.pitch.half_length * 0.7 { 400.0 } else { 0.0 };
        let worth = lane * 0.9 + pressure * 0.35 + gain * 0.45 - distance * 0.05 - into_goal_mouth;
        if best.is_none_or(|(_, most)| worth > most) {
            best = u8::try_from(mate).ok().map(|mate| (mate, worth));
        }
    }
    best
}

/// The direction to point in so that a pass goes to `mate`, if there is one.
fn aim_at(sight: &Sight<'_>, seat: usize, mate: usize) -> Option<Vec2> {
    let straight = (sight.players[mate].position - sight.ball.position).unit()?;
    let players = &sight.players[..sight.view.player_count];
    let across = straight.turned();
    [0.0, 0.15, -0.15, 0.35, -0.35, 0.6, -0.6].into_iter().map(|turn| straight + across * turn).find(|aim| {
        // As the pitch will judge it: from the compass point that is nearest.
        let Some(unit) = aim.unit() else { return false };
        pass_target(players, seat, &sight.ball, unit, sight.team_size) == Some(Sight::id(mate))
    })
}

fn kick(sight: &Sight<'_>, seat: usize, at: Vec2, charge: u8, memory: &mut Memory) -> Input {
    let own = &sight.view.players[seat];
    let Some(aim) = (at - sight.ball.position).unit() else { return Input::default() };
    let contact = (sight.ball.position - sight.players[seat].position).unit().unwrap_or(aim);
    // On the own line the ball goes where it can, as long as that is away from the goal.
    let in_danger = sight.ball.position.x < -sight.pitch.half_length + 110.0 && contact.x > 0.25;
    let (aim, charge) = if in_danger && contact.dot(aim) <= 0.52 { (contact, charge.min(6)) } else { (aim, charge) };
    let aligned = contact.dot(aim) > 0.52;
    let run = if aligned { aim } else { round_the_ball(contact, aim, memory) };
    if aligned && own.charge >= charge && own.input.kick {
        memory.intent = None;
        memory.lets_fly = true;
        return Input { direction: sight.outward(aim), ..Input::default() };
    }
    Input { direction: sight.outward(run), kick: true, ..Input::default() }
}

fn pass(sight: &Sight<'_>, seat: usize, mate: usize, memory: &mut Memory) -> Input {
    let Some(aim) = aim_at(sight, seat, mate) else {
        memory.intent = None;
        return dribble(sight, seat, memory);
    };
    let (way, _) = lead(sight.ball.position, &sight.players[mate]);
    let way = way.unwrap_or(aim);
    let contact = (sight.ball.position - sight.players[seat].position).unit().unwrap_or(way);
    if contact.dot(way) < 0.1 {
        return Input { direction: sight.outward(round_the_ball(contact, way, memory)), ..Input::default() };
    }
    let is_pressed = sight.view.players[seat].input.pass;
    if !is_pressed {
        memory.intent = None;
    }
    Input { direction: sight.outward(aim), pass: !is_pressed, ..Input::default() }
}

/// Turns with the ball: close control draws it to the front. Keeps to one side until it is round.
fn round_the_ball(contact: Vec2, aim: Vec2, memory: &mut Memory) -> Vec2 {
    let across = contact.turned();
    let is_left = if contact.dot(aim) < -0.3 { memory.turns_left } else { None };
    let is_left = is_left.unwrap_or(across.dot(aim) < 0.0);
    memory.turns_left = Some(is_left);
    (contact * 0.3 + across * if is_left { -0.9 } else { 0.9 }).unit().unwrap_or(aim)
}

fn dribble(sight: &Sight<'_>, seat: usize, memory: &mut Memory) -> Input {
    let ball = sight.ball.position;
    let straight = towards_goal(sight);
    let across = straight.turned();
    let mut best = (straight, f32::MIN, 0_u8);
    for (at, turn) in (1_u8..).zip([0.0, 0.5, -0.5, 1.1, -1.1, 2.5, -2.5]) {
        let Some(heading) = (straight + across * turn).unit() else { continue };
        let room = free_run(sight, ball, heading).min(170.0);
        let progress = heading.dot(straight);
        let habit = if memory.heading == at { 25.0 } else { 0.0 };
        let worth = room + progress * 75.0 + habit;
        if worth > best.1 {
            best = (heading, worth, at);
        }
    }
    memory.heading = best.2;
    let contact = (ball - sight.players[seat].position).unit().unwrap_or(best.0);
    let run = if contact.dot(best.0) > -0.2 { best.0 } else { round_the_ball(contact, best.0, memory) };
    let input = Input { direction: sight.outward(run), ..Input::default() };
    let has_room = free_run(sight, ball, best.0) > 110.0;
    if has_room && contact.dot(best.0) > 0.6 { sprinting(sight, seat, input, 350) } else { input }
}

/// How far one can run from a place before an opponent or a line is in the way.
fn free_run(sight: &Sight<'_>, from: Vec2, heading: Vec2) -> f32 {
    let to_line = |position: f32, speed: f32, half: f32| {
        if speed.abs() < 0.05 { f32::MAX } else { (half - 30.0 - position * speed.signum()).max(0.0) / speed.abs() }
    };
    let mut room = to_line(from.x, heading.x, sight.pitch.half_length + 60.0).min(to_line(
        from.y,
        heading.y,
        sight.pitch.half_width,
    ));
    for seat in sight.opponents.clone() {
        let way = sight.players[seat].position + sight.players[seat].velocity * 8.0 - from;
        let along = way.dot(heading);
        let aside = way.dot(heading.turned()).abs();
        if along > -10.0 && aside < 38.0 + along * 0.25 {
            room = room.min(along.max(0.0));
        }
    }
    room
}

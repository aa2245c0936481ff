//! Standing in the right place without the ball.

use contract::games::kickabout::{Input, Plan, Role, Zone};

use super::{
    super::{
        formation::place,
        kicking::REACH,
        vector::{Vec2, vec2},
    },
    Luck, Memory,
    chase::{chase, makes_up_mind},
    keeper,
    sight::Sight,
    steering::{go_to, sprinting},
};

/// Ticks for which a chosen place holds.
const PLACE_TICKS: u8 = 14;
/// How far a marker stays from its opponent.
const MARKING_DISTANCE: f32 = 42.0;

/// The role's place: offering a line when the own team has the ball, goal-side of an opponent when not.
pub(super) fn play_role(sight: &Sight<'_>, seat: usize, plan: Plan, memory: &mut Memory, luck: &mut Luck) -> Input {
    let home = home(sight, seat, plan.role);
    if sight.is_ours {
        return stand(sight, seat, memory, luck, |memory| open_place(sight, seat, home, memory.place));
    }
    let marked = sight.marks[seat].filter(|_| plan.role != Role::Forward || sight.team_size < 4);
    stand(sight, seat, memory, luck, |_| marked.map_or(home, |opponent| goal_side(sight, opponent)))
}

/// The role's place, nothing else: what a team does while it may not play the ball.
pub(super) fn hold_formation(
    sight: &Sight<'_>,
    seat: usize,
    plan: Plan,
    memory: &mut Memory,
    luck: &mut Luck,
) -> Input {
    if plan.role == Role::Keeper {
        return keeper::keep_goal(sight, seat);
    }
    memory.chasing = false;
    stand(sight, seat, memory, luck, |_| {
        let home = home(sight, seat, plan.role);
        vec2(home.x.min(-40.0), home.y)
    })
}

/// Offers a free line to the team-mate with the ball.
pub(super) fn support(sight: &Sight<'_>, seat: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    let forward = sight.ball.position + vec2(90.0, 0.0);
    let aside = if sight.players[seat].position.y < sight.ball.position.y { -110.0 } else { 110.0 };
    let home = inside(sight, vec2(forward.x, forward.y + aside));
    stand(sight, seat, memory, luck, |memory| open_place(sight, seat, home, memory.place))
}

/// Stays close to the ball without getting in its way.
pub(super) fn escort(sight: &Sight<'_>, seat: usize) -> Input {
    let away = (sight.players[seat].position - sight.ball.position).unit().unwrap_or(vec2(-1.0, 0.0));
    go_to(sight, seat, inside(sight, sight.ball.position + away * 75.0))
}

/// Stays goal-side of an opponent; takes the ball off them when they have it, and a loose one nearby.
pub(super) fn mark(sight: &Sight<'_>, seat: usize, opponent: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    if !sight.opponents.contains(&opponent) {
        return stand(sight, seat, memory, luck, |_| sight.players[seat].position);
    }
    let has_ball = sight.ball_distance(opponent) < REACH + 12.0;
    let is_near = (sight.meeting[seat] - sight.players[opponent].position).length() < 110.0
        && sight.arrival[seat] < sight.opponents_arrival + 4.0;
    if makes_up_mind(sight.holder.is_none() && (has_ball || is_near), memory, luck) {
        return chase(sight, seat);
    }
    let place = goal_side(sight, opponent);
    let input = go_to(sight, seat, place);
    let far = (place - sight.players[seat].position).length() > 90.0;
    if far { sprinting(sight, seat, input, 300) } else { input }
}

/// Stays in a zone, on the side the ball is; plays the ball when it comes into the zone.
pub(super) fn hold_zone(sight: &Sight<'_>, seat: usize, zone: Zone, memory: &mut Memory, luck: &mut Luck) -> Input {
    let (low, high) = zone_corners(sight, zone);
    let holds = |point: Vec2, margin: f32| {
        point.x > low.x - margin && point.x < high.x + margin && point.y > low.y - margin && point.y < high.y + margin
    };
    let comes_here = sight.holder.is_none()
        && holds(sight.meeting[seat], 10.0)
        && sight.own.clone().all(|mate| sight.arrival[seat] <= sight.arrival[mate]);
    if makes_up_mind(comes_here, memory, luck) {
        return chase(sight, seat);
    }
    stand(sight, seat, memory, luck, |_| {
        let middle = (low + high) * 0.5;
        let drawn = middle + (sight.ball.position - middle) * 0.25;
        let inset = 35.0;
        vec2(drawn.x.clamp(low.x + inset, high.x - inset), drawn.y.clamp(low.y + inset, high.y - inset))
    })
}

/// Winners run to whoever scored; losers stand.
pub(super) fn rejoice(sight: &Sight<'_>, seat: usize, has_won: bool) -> Input {
    if !has_won {
        return Input::default();
    }
    let corner = vec2(sight.pitch.half_length * 0.82, sight.pitch.half_width * 0.8);
    let star = sight.view.ball.last_touch.map(contract::SeatId::index).filter(|seat| sight.own.contains(seat));
    match star {
        Some(star) if star != seat => {
            let away = (sight.players[seat].position - sight.players[star].position).unit();
            go_to(sight, seat, sight.players[star].position + away.unwrap_or(vec2(-1.0, 0.0)) * 45.0)
        }
        _ => {
            let side = if sight.players[seat].position.y < 0.0 { -corner.y } else { corner.y };
            go_to(sight, seat, vec2(corner.x, side))
        }
    }
}

/// Goes to a place that is chosen anew only now and then.
fn stand(
    sight: &Sight<'_>,
    seat: usize,
    memory: &mut Memory,
    luck: &mut Luck,
    choose: impl FnOnce(&Memory) -> Vec2,
) -> Input {
    if memory.place_ticks == 0 {
        memory.place = inside(sight, choose(memory));
        memory.place_ticks = PLACE_TICKS + luck.below(10);
    }
    memory.place_ticks -= 1;
    let input = go_to(sight, seat, memory.place);
    let far = (memory.place - sight.players[seat].position).length() > 150.0;
    if far { sprinting(sight, seat, input, 500) } else { input }
}

/// The role's place, drawn to where the ball is.
fn home(sight: &Sight<'_>, seat: usize, role: Role) -> Vec2 {
    let same_role = |other: &usize| sight.view.instructions[*other].is_some_and(|told| told.plan.role == role);
    let count = sight.own.clone().filter(same_role).count().max(1);
    let nth = sight.own.clone().take_while(|other| *other != seat).filter(same_role).count();
    let place = place(role, nth, count);
    let (length, width) = (sight.pitch.half_length, sight.pitch.half_width);
    let ball = sight.ball.position;
    let (push, draw, spread, lean) = if sight.is_ours { (0.16, 0.55, 1.2, 0.1) } else { (-0.1, 0.45, 0.75, 0.38) };
    let x = (place.x + push) * length + ball.x * draw;
    let y = place.y * width * spread + ball.y * lean;
    match role {
        Role::Keeper => vec2(-0.93 * length, ball.y * 0.1),
        Role::Defender => vec2(x.clamp(-0.85 * length, 0.25 * length), y),
        Role::Midfielder => vec2(x.clamp(-0.75 * length, 0.6 * length), y),
        Role::Forward => vec2(x.clamp(-0.3 * length, 0.8 * length), y),
    }
}

/// Between an opponent and the own goal, leaning to the ball.
fn goal_side(sight: &Sight<'_>, opponent: usize) -> Vec2 {
    let place = sight.players[opponent].position + sight.players[opponent].velocity * 10.0;
    let home = (sight.own_goal() - place).unit().unwrap_or(vec2(-1.0, 0.0));
    let ball = (sight.ball.position - place).unit().unwrap_or(vec2(0.0, 0.0));
    let lean = (home + ball * 0.35).unit().unwrap_or(home);
    place + lean * MARKING_DISTANCE
}

/// The best of some places around `home` to get a pass at: free line, no opponent near, not beside a team-mate.
fn open_place(sight: &Sight<'_>, seat: usize, home: Vec2, current: Vec2) -> Vec2 {
    const OFFSETS: [(f32, f32); 9] = [
        (0.0, 0.0),
        (70.0, 0.0),
        (-70.0, 0.0),
        (0.0, 80.0),
        (0.0, -80.0),
        (60.0, 60.0),
        (60.0, -60.0),
        (-60.0, 60.0),
        (-60.0, -60.0),
    ];
    let around = OFFSETS.map(|(x, y)| inside(sight, home + vec2(x, y)));
    let mut best = home;
    let mut best_worth = f32::MIN;
    for (place, bonus) in around.into_iter().map(|place| (place, 0.0)).chain([(current, 18.0)]) {
        let from_home = (place - home).length();
        if from_home > 140.0 {
            continue;
        }
        let ball = sight.ball.position;
        let lane = sight.lane(ball, place, 4.5, 1.2).clamp(-40.0, 40.0);
        let pressure = sight.pressure(place).min(120.0);
        let from_ball = (place - ball).length();
        let crowd = sight
            .own
            .clone()
            .filter(|mate| *mate != seat)
            .map(|mate| (130.0 - (sight.players[mate].position - place).length()).max(0.0))
            .sum::<f32>();
        let worth = bonus + lane * 1.2 + pressure * 0.6 + place.x * 0.12
            - from_home * 0.35
            - crowd * 0.8
            - (110.0 - from_ball).max(0.0);
        if worth > best_worth {
            (best, best_worth) = (place, worth);
        }
    }
    best
}

fn zone_corners(sight: &Sight<'_>, zone: Zone) -> (Vec2, Vec2) {
    let (third, lane) = ((zone as u8) / 3, (zone as u8) % 3);
    let size = vec2(sight.pitch.half_length * 2.0 / 3.0, sight.pitch.half_width * 2.0 / 3.0);
    let low =
        vec2(-sight.pitch.half_length + size.x * f32::from(third), -sight.pitch.half_width + size.y * f32::from(lane));
    (low, low + size)
}

/// The nearest place well within the lines.
fn inside(sight: &Sight<'_>, place: Vec2) -> Vec2 {
    let (x, y) = (sight.pitch.half_length - 25.0, sight.pitch.half_width - 25.0);
    vec2(place.x.clamp(-x, x), place.y.clamp(-y, y))
}

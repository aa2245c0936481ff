//! What follows from the places of players and ball: the numbers that an Agent decides by.
//!
//! All of it comes from the public part of a view, by the same look ahead that mechanics use.

use std::cmp::Ordering;

use contract::{
    SeatId,
    games::kickabout::{Facts, PassSeen, RacerSeen, ShotSeen, ThreatSeen, View, YouSeen},
};

use super::{
    kicking::{KICK_SPEED_MAX, REACH},
    mechanics::Sight,
    vector::{Vec2, vec2},
};

/// Speed at which a pass is judged, as mechanics do.
const PASS_SPEED: f32 = 3.9;

/// Distance from which a shot on an empty goal goes in half of the time, as a part of the pitch's half length.
const SHOT_RANGE: f32 = 0.75;

/// Clearances between which a line goes from closed to open, in units.
const CLOSED: f32 = -15.0;
const OPEN: f32 = 35.0;

/// The facts of a view, from the side that `sight` is the sight of.
pub(super) fn facts(sight: &Sight<'_>, view: &View, seat: Option<SeatId>) -> Facts {
    let own_goals = i16::from(view.score[sight.team.index()]);
    let their_goals = i16::from(view.score[sight.team.other().index()]);
    Facts {
        lead: own_goals - their_goals,
        first_own: first(sight, sight.own.clone()),
        first_opponent: first(sight, sight.opponents.clone()),
        shot: shot(sight),
        you: seat.map(|seat| you(sight, seat.index())),
        passes: sight.own.clone().filter(|mate| seat != Some(Sight::id(*mate))).map(|to| pass(sight, to)).collect(),
        threats: threats(sight),
    }
}

/// Milliseconds until a player can have the ball.
pub(super) fn ball_in_ms(sight: &Sight<'_>, seat: usize) -> u32 {
    whole(sight.arrival[seat] * (1000.0 / 60.0))
}

fn first(sight: &Sight<'_>, seats: impl Iterator<Item = usize>) -> Option<RacerSeen> {
    let sooner = |a: &usize, b: &usize| order(sight.arrival[*a], sight.arrival[*b]);
    let seat = seats.min_by(sooner)?;
    Some(RacerSeen { player: Sight::id(seat), ball_in_ms: ball_in_ms(sight, seat) })
}

fn shot(sight: &Sight<'_>) -> ShotSeen {
    let ball = sight.ball.position;
    let side = sight.pitch.goal_half_width - 22.0;
    let clearance = |y: f32| sight.lane(ball, vec2(sight.pitch.half_length, y), KICK_SPEED_MAX * 0.8, 0.9);
    let best = [0.0, -side * 0.6, side * 0.6, -side, side].into_iter().map(clearance).fold(f32::MIN, f32::max);
    let distance = (sight.goal() - ball).length();
    let range = sight.pitch.half_length * SHOT_RANGE;
    let near = (1.0 - distance / (2.0 * range)).clamp(0.0, 1.0);
    ShotSeen { distance: whole(distance), chance: percent(near * openness(best)) }
}

fn you(sight: &Sight<'_>, seat: usize) -> YouSeen {
    let place = sight.players[seat].position;
    YouSeen {
        ball_at_feet: sight.ball_distance(seat) <= REACH,
        pressure: whole(sight.pressure(place)),
        goal_distance: whole((sight.goal() - place).length()),
        own_goal_distance: whole((sight.own_goal() - place).length()),
    }
}

fn pass(sight: &Sight<'_>, to: usize) -> PassSeen {
    let (ball, place) = (sight.ball.position, sight.players[to].position);
    PassSeen {
        to: Sight::id(to),
        distance: whole((place - ball).length()),
        openness: percent(openness(sight.lane(ball, place, PASS_SPEED, 1.3))),
        gain: round(place.x - ball.x),
        pressure: whole(sight.pressure(place)),
    }
}

fn threats(sight: &Sight<'_>) -> Vec<ThreatSeen> {
    let from_goal = |place: Vec2| (place - sight.own_goal()).length();
    let mut opponents: Vec<usize> = sight.opponents.clone().collect();
    opponents.sort_by(|a, b| order(from_goal(sight.players[*a].position), from_goal(sight.players[*b].position)));
    let seen = |opponent: usize| {
        let place = sight.players[opponent].position;
        let distance = |seat: usize| (sight.players[seat].position - place).length();
        let guard = sight.own.clone().min_by(|a, b| order(distance(*a), distance(*b)))?;
        Some(ThreatSeen {
            player: Sight::id(opponent),
            goal_distance: whole(from_goal(place)),
            guarded_by: Sight::id(guard),
            guard_distance: whole(distance(guard)),
        })
    };
    opponents.into_iter().filter_map(seen).collect()
}

/// How open a line with this clearance is, 0 to 1.
fn openness(clearance: f32) -> f32 {
    ((clearance - CLOSED) / (OPEN - CLOSED)).clamp(0.0, 1.0)
}

fn percent(part: f32) -> u8 {
    u8::try_from(whole(part * 100.0)).unwrap_or(100)
}

fn whole(value: f32) -> u32 {
    round(value).max(0).unsigned_abs()
}

/// The nearest whole number.
#[expect(clippy::cast_possible_truncation, reason = "what is too far to tell is told as the farthest there is")]
pub(super) const fn round(value: f32) -> i32 {
    (if value < 0.0 { value - 0.5 } else { value + 0.5 }) as i32
}

fn order(a: f32, b: f32) -> Ordering {
    a.total_cmp(&b)
}

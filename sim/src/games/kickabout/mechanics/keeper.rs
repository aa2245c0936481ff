//! Keeping goal.

use contract::games::kickabout::Input;

use super::{
    super::{
        pitch::BALL_RADIUS,
        player::PLAYER_RADIUS,
        vector::{Vec2, vec2},
    },
    chase::chase,
    sight::Sight,
    steering::{go_to, run_through, sprinting},
};

/// How far the keeper comes out for a ball, beyond its line and beside its posts.
const BOX_DEPTH: f32 = 150.0;
const BOX_MARGIN: f32 = 60.0;

/// Stands between the ball and the goal, goes for what is surely the own ball, and saves shots.
pub(super) fn keep_goal(sight: &Sight<'_>, seat: usize) -> Input {
    if let Some(y) = shot(sight) {
        let place = vec2(sight.players[seat].position.x.min(line(sight) + 30.0), y);
        return sprinting(sight, seat, run_through(sight, seat, place), 0);
    }
    let meeting = sight.meeting[seat];
    let in_box =
        meeting.x < -sight.pitch.half_length + BOX_DEPTH && meeting.y.abs() < sight.pitch.goal_half_width + BOX_MARGIN;
    let is_first = sight.arrival[seat] < sight.opponents_arrival - 4.0
        && sight.holder.is_none()
        && sight.own.clone().all(|mate| sight.arrival[seat] <= sight.arrival[mate] + 4.0);
    if in_box && is_first && sight.may_play() {
        return sprinting(sight, seat, chase(sight, seat), 100);
    }
    go_to(sight, seat, post_place(sight))
}

/// The x at which a keeper stands when it stands on its line.
fn line(sight: &Sight<'_>) -> f32 {
    -sight.pitch.half_length + PLAYER_RADIUS
}

/// Between the ball and the middle of the goal, closer to the line the closer the ball.
fn post_place(sight: &Sight<'_>) -> Vec2 {
    let goal = vec2(line(sight), 0.0);
    let way = sight.ball.position + sight.ball.velocity * 6.0 - goal;
    let out = (way.length() * 0.17).clamp(12.0, 60.0);
    let place = goal + way.unit().unwrap_or(vec2(1.0, 0.0)) * out;
    let side = sight.pitch.goal_half_width - PLAYER_RADIUS * 0.5;
    vec2(place.x.max(line(sight)), place.y.clamp(-side, side))
}

/// Where a ball that is on its way into the goal will cross the keeper's line.
fn shot(sight: &Sight<'_>) -> Option<f32> {
    let ball = &sight.ball;
    let ahead = ball.position.x - line(sight);
    if ball.velocity.x > -1.2 || ahead < 0.0 {
        return None;
    }
    let ticks = ahead / -ball.velocity.x;
    let y = ball.position.y + ball.velocity.y * ticks;
    (ticks < 70.0 && y.abs() < sight.pitch.goal_half_width + BALL_RADIUS * 2.0).then_some(y)
}

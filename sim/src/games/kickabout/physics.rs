//! How discs move and bump. Pure functions over plain bodies; the order of players alternates from tick to tick so that
//! no seat is favoured.

use bevy_ecs::component::Component;

use super::{
    pitch::{BALL_RADIUS, Pitch},
    player::PLAYER_RADIUS,
    vector::Vec2,
};

/// A disc's motion.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Body {
    /// Where its centre is.
    pub(super) position: Vec2,
    /// How far it moves in a tick.
    pub(super) velocity: Vec2,
}

/// Part of the speed that a bounce gives back.
pub(super) const RESTITUTION: f32 = 0.5;
/// Radius of a goal post.
pub const POST_RADIUS: f32 = 8.0;

const PLAYER_DAMPING: f32 = 0.96;
/// Part of its speed that the ball keeps from tick to tick.
pub(super) const BALL_DAMPING: f32 = 0.99;
const PLAYER_INVERSE_MASS: f32 = 0.5;
const BALL_INVERSE_MASS: f32 = 1.0;
/// Two players give back less than a player and a wall.
const BODY_RESTITUTION: f32 = RESTITUTION * RESTITUTION;

/// Moves everything by one tick and slows it down.
pub(super) fn advance(players: &mut [Body], ball: &mut Body) {
    for player in players {
        player.position += player.velocity;
        player.velocity = player.velocity * PLAYER_DAMPING;
    }
    ball.position += ball.velocity;
    ball.velocity = ball.velocity * BALL_DAMPING;
}

/// What the ball met in a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contacts {
    /// The players it met, one bit each.
    pub(super) players: u16,
    /// How hard it hit a wall or a post.
    pub(super) wall_speed: f32,
}

/// Pushes overlapping discs apart and exchanges their speed.
pub(super) fn collide(players: &mut [Body], ball: &mut Body, pitch: &Pitch, backwards: bool) -> Contacts {
    let count = players.len();
    let seat_at = |step: usize| if backwards { count - 1 - step } else { step };
    let posts = pitch.posts();
    for step in 0..count {
        let first = seat_at(step);
        for other_step in step + 1..count {
            let second = seat_at(other_step);
            let [a, b] = players.get_disjoint_mut([first, second]).expect("two seats");
            bump(a, PLAYER_INVERSE_MASS, b, PLAYER_INVERSE_MASS, 2.0 * PLAYER_RADIUS);
        }
        for post in posts {
            bump_fixed(&mut players[first], post, PLAYER_RADIUS + POST_RADIUS);
        }
        pitch.contain_player(&mut players[first]);
    }
    let mut contacts = Contacts::default();
    for step in 0..count {
        let seat = seat_at(step);
        if bump(&mut players[seat], PLAYER_INVERSE_MASS, ball, BALL_INVERSE_MASS, PLAYER_RADIUS + BALL_RADIUS) {
            contacts.players |= 1 << seat;
        }
    }
    for post in posts {
        contacts.wall_speed = contacts.wall_speed.max(bump_fixed(ball, post, BALL_RADIUS + POST_RADIUS));
    }
    contacts.wall_speed = contacts.wall_speed.max(pitch.contain_ball(ball));
    contacts
}

fn bump(a: &mut Body, a_inverse_mass: f32, b: &mut Body, b_inverse_mass: f32, reach: f32) -> bool {
    let between = b.position - a.position;
    let distance_squared = between.length_squared();
    if distance_squared >= reach * reach {
        return false;
    }
    // Two discs on the very same spot part along x.
    let normal = between.unit().unwrap_or(super::vector::vec2(1.0, 0.0));
    let overlap = reach - distance_squared.sqrt();
    let inverse_mass = a_inverse_mass + b_inverse_mass;
    a.position -= normal * (overlap * (a_inverse_mass / inverse_mass));
    b.position += normal * (overlap * (b_inverse_mass / inverse_mass));
    let closing = (a.velocity - b.velocity).dot(normal);
    if closing > 0.0 {
        let impulse = closing * (1.0 + BODY_RESTITUTION) / inverse_mass;
        a.velocity -= normal * (impulse * a_inverse_mass);
        b.velocity += normal * (impulse * b_inverse_mass);
    }
    true
}

/// Returns how fast the disc hit the post.
fn bump_fixed(body: &mut Body, post: Vec2, reach: f32) -> f32 {
    let between = body.position - post;
    if between.length_squared() >= reach * reach {
        return 0.0;
    }
    let Some(normal) = between.unit() else { return 0.0 };
    body.position = post + normal * reach;
    let closing = -body.velocity.dot(normal);
    if closing <= 0.0 {
        return 0.0;
    }
    body.velocity += normal * (closing * (1.0 + RESTITUTION));
    closing
}

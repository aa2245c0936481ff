//! The pitch: its size, its goals and the walls that keep the ball in.
//!
//! ```text
//!            ___________________________________
//!           /                 |                 \        corners are rounded
//!      ____|                  |                  |____
//!     |    o                  |                  o    |   o: a post, a fixed disc on the goal line
//!     |    |                ( | )                |    |   the ball is in the goal once all of it is over the line
//!     |____o                  |                  o____|
//!          |                  |                  |
//!           \_________________|_________________/
//! ```

use contract::games::kickabout::Team;

use super::{
    physics::{Body, POST_RADIUS, RESTITUTION},
    player::PLAYER_RADIUS,
    vector::{Vec2, vec2},
};

/// Radius of the ball.
pub const BALL_RADIUS: f32 = 10.0;

/// Sizes in units, from the centre of the pitch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pitch {
    /// From the centre to a goal line.
    pub half_length: f32,
    /// From the centre to a touchline.
    pub half_width: f32,
    /// From the middle of a goal to its posts.
    pub goal_half_width: f32,
    /// From a goal line to the back of the net.
    pub goal_depth: f32,
    /// Radius of the rounded corners.
    pub corner_radius: f32,
    /// Radius of the centre circle.
    pub circle_radius: f32,
    /// How far players may go beyond the lines.
    pub margin: f32,
}

/// Outermost coordinate the wire can carry.
const COORDINATE_MAX: f32 = 1023.0;

/// Sizes by team size: half length, half width, half goal.
const SIZES: [[f32; 3]; 6] = [
    [370.0, 190.0, 48.0],
    [420.0, 210.0, 62.0],
    [490.0, 245.0, 70.0],
    [550.0, 270.0, 82.0],
    [610.0, 295.0, 92.0],
    [670.0, 320.0, 102.0],
];

impl Pitch {
    /// The pitch for teams of this size.
    #[must_use]
    pub const fn new(team_size: u8) -> Self {
        let at = match team_size {
            0 | 1 => 0,
            2..=6 => team_size as usize - 1,
            _ => SIZES.len() - 1,
        };
        let [half_length, half_width, goal_half_width] = SIZES[at];
        Self {
            half_length,
            half_width,
            goal_half_width,
            goal_depth: 45.0,
            corner_radius: 80.0,
            circle_radius: 80.0,
            margin: 50.0,
        }
    }

    /// The middle of the goal that a team defends.
    #[must_use]
    pub fn goal_of(&self, team: Team) -> Vec2 {
        vec2(side(team) * self.half_length, 0.0)
    }

    /// The four posts.
    #[must_use]
    pub fn posts(&self) -> [Vec2; 4] {
        let (x, y) = (self.half_length, self.goal_half_width);
        [vec2(-x, -y), vec2(-x, y), vec2(x, -y), vec2(x, y)]
    }

    /// The team whose goal holds the whole ball.
    pub(super) fn conceded(&self, ball: Vec2) -> Option<Team> {
        let inside = ball.x.abs() > self.half_length + BALL_RADIUS && ball.y.abs() < self.goal_half_width;
        inside.then_some(if ball.x < 0.0 { Team::Red } else { Team::Blue })
    }

    /// Keeps the ball within the lines and the nets. Returns how hard it hit, 0 when it did not.
    pub(super) fn contain_ball(&self, ball: &mut Body) -> f32 {
        let in_mouth = ball.position.y.abs() < self.goal_half_width;
        if in_mouth && ball.position.x.abs() > self.half_length - BALL_RADIUS {
            return self.contain_in_net(ball);
        }
        let reach = vec2(self.half_length - BALL_RADIUS, self.half_width - BALL_RADIUS);
        let radius = self.corner_radius - BALL_RADIUS;
        let corner = vec2(mirror(reach.x - radius, ball.position.x), mirror(reach.y - radius, ball.position.y));
        let beyond = ball.position - corner;
        if beyond.x * corner.x > 0.0 && beyond.y * corner.y > 0.0 {
            let distance = beyond.length();
            if distance > radius {
                let outward = beyond * (1.0 / distance);
                ball.position = corner + outward * radius;
                return bounce(ball, outward);
            }
            return 0.0;
        }
        let mut hit = 0.0;
        if ball.position.x.abs() > reach.x {
            let outward = vec2(mirror(1.0, ball.position.x), 0.0);
            ball.position.x = mirror(reach.x, ball.position.x);
            hit = bounce(ball, outward);
        }
        if ball.position.y.abs() > reach.y {
            let outward = vec2(0.0, mirror(1.0, ball.position.y));
            ball.position.y = mirror(reach.y, ball.position.y);
            hit = hit.max(bounce(ball, outward));
        }
        hit
    }

    fn contain_in_net(&self, ball: &mut Body) -> f32 {
        let mut hit = 0.0;
        let back = self.half_length + self.goal_depth - BALL_RADIUS;
        if ball.position.x.abs() > back {
            let outward = vec2(mirror(1.0, ball.position.x), 0.0);
            ball.position.x = mirror(back, ball.position.x);
            hit = bounce(ball, outward);
        }
        let side = self.goal_half_width - BALL_RADIUS;
        if ball.position.x.abs() > self.half_length && ball.position.y.abs() > side {
            let outward = vec2(0.0, mirror(1.0, ball.position.y));
            ball.position.y = mirror(side, ball.position.y);
            hit = hit.max(bounce(ball, outward));
        }
        hit
    }

    /// Keeps a player within the margin around the pitch.
    pub(super) fn contain_player(&self, player: &mut Body) {
        let reach = vec2(self.half_length + self.margin - PLAYER_RADIUS, self.half_width + self.margin - PLAYER_RADIUS);
        if player.position.x.abs() > reach.x {
            player.position.x = mirror(reach.x, player.position.x);
            player.velocity.x = 0.0;
        }
        if player.position.y.abs() > reach.y {
            player.position.y = mirror(reach.y, player.position.y);
            player.velocity.y = 0.0;
        }
    }

    /// Keeps a player where the kick-off allows: in its own half, outside the centre circle unless its team kicks off.
    pub(super) fn contain_at_kick_off(&self, player: &mut Body, team: Team, kicks_off: bool) {
        let forward = -side(team);
        let depth = player.position.x * forward;
        let distance = player.position.length();
        if kicks_off {
            let circle = self.circle_radius - PLAYER_RADIUS;
            if depth > -PLAYER_RADIUS && distance > circle {
                // Beyond the halfway line only within the circle: back by the shorter way.
                let to_half = depth + PLAYER_RADIUS;
                if to_half < distance - circle {
                    player.position.x = -PLAYER_RADIUS * forward;
                    player.velocity.x = 0.0;
                } else {
                    player.position = player.position * (circle / distance);
                    player.velocity = Vec2::ZERO;
                }
            }
            return;
        }
        if depth > -PLAYER_RADIUS {
            player.position.x = -PLAYER_RADIUS * forward;
            player.velocity.x = 0.0;
        }
        let distance = player.position.length();
        let circle = self.circle_radius + PLAYER_RADIUS;
        if distance < circle {
            let outward = player.position.unit().unwrap_or(vec2(-forward, 0.0));
            player.position = outward * circle;
            let inward = player.velocity.dot(outward);
            if inward < 0.0 {
                player.velocity -= outward * inward;
            }
        }
    }
}

/// The sign of the half a team defends.
pub(super) const fn side(team: Team) -> f32 {
    match team {
        Team::Red => -1.0,
        Team::Blue => 1.0,
    }
}

/// `size` with the sign of `like`.
fn mirror(size: f32, like: f32) -> f32 {
    if like < 0.0 { -size } else { size }
}

fn bounce(ball: &mut Body, outward: Vec2) -> f32 {
    let speed = ball.velocity.dot(outward);
    if speed <= 0.0 {
        return 0.0;
    }
    ball.velocity -= outward * (speed * (1.0 + RESTITUTION));
    speed
}

const _: () = {
    let mut team_size = 1;
    while team_size <= 6 {
        let pitch = Pitch::new(team_size);
        assert!(pitch.half_length + pitch.margin <= COORDINATE_MAX, "the wire's grid ends there");
        assert!(pitch.goal_depth >= 3.0 * BALL_RADIUS, "a whole ball fits behind the line");
        assert!(pitch.goal_half_width > BALL_RADIUS + POST_RADIUS, "a ball fits between the posts");
        assert!(pitch.half_width - pitch.corner_radius > pitch.goal_half_width, "goals end before corners begin");
        team_size += 1;
    }
};

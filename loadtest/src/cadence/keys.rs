//! A tactic carried out by raw inputs: what is held until the next decision arrives.

use contract::games::kickabout::{Direction, Input, Team};
use sim::games::kickabout::Vec2;

use super::{
    policy::{self, Tactic},
    sight::Sight,
};

/// From here a shot is worth trying, in units from the opponents' goal line.
const SHOT_RANGE: f64 = 330.0;
/// A shot goes this far beside the middle of the goal, away from the opponent.
const SHOT_ASIDE: f64 = 26.0;
/// Ticks for which a kick is charged at least before it is let go: with time, and under pressure.
const CHARGE_TICKS: u32 = 16;
const HASTY_CHARGE_TICKS: u32 = 5;
/// So near to the ball a kick begins to be charged: charging slows the player down.
const CHARGE_DISTANCE: u32 = 60;
/// Nearer than this, letting go of the button might kick the ball.
const SAFE_DISTANCE: u32 = 95;
/// Cosine of the widest angle between player, ball and aim at which a kick goes where it is aimed.
const KICK_COSINE: f64 = 0.55;
/// Farther from where it wants to be than this the player sprints.
const SPRINT_DISTANCE: f64 = 90.0;
/// Motion is foreseen no farther: the ball's, and a player's, who turns.
const BALL_FORESIGHT_S: f64 = 1.2;
const OWN_FORESIGHT_S: f64 = 0.25;

/// A pair of hands on the keys.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keys {
    /// What is held.
    held: Input,
    /// Ticks for which the kick button has been down.
    charged: u32,
}

impl Keys {
    /// What is held.
    pub(super) const fn held(&self) -> Input {
        self.held
    }

    /// Changes what is held.
    pub(super) fn hold(&mut self, input: Input) {
        self.held = input;
    }

    /// A tick passes.
    pub(super) fn pass_tick(&mut self) {
        self.charged = if self.held.kick { self.charged + 1 } else { 0 };
    }

    /// The input that carries out a tactic, for when it arrives `latency_ticks` after the sight.
    pub(super) fn input(&self, tactic: Tactic, seen: &Sight, latency_ticks: u32) -> Input {
        let me = policy::me(seen);
        let latency_s = f64::from(latency_ticks) / 60.0;
        let own = policy::ahead(me.at, me.per_second, latency_s.min(OWN_FORESIGHT_S), seen.pitch);
        // Where the ball is once the decision is there, and the player too.
        let until = latency_s.max(f64::from(me.ball_in_ms) / 1000.0).min(BALL_FORESIGHT_S);
        let ball = policy::ahead(seen.ball.at, seen.ball.per_second, until, seen.pitch);
        let middle = f64::from(seen.pitch.y) / 2.0;
        let aside = if f64::from(policy::opponent(seen).at.y) > middle { -SHOT_ASIDE } else { SHOT_ASIDE };
        let aim = unit((f64::from(seen.pitch.x) - ball.0, middle + aside - ball.1));
        if tactic != Tactic::Guard && seen.facts.you.is_some_and(|you| you.ball_at_feet) {
            return self.play_ball(tactic, seen, latency_ticks, unit((ball.0 - own.0, ball.1 - own.1)), aim);
        }
        let kick = me.ball_distance < if self.held.kick { SAFE_DISTANCE } else { CHARGE_DISTANCE };
        let shielding = (ball.0 * 0.55, middle + (ball.1 - middle) * 0.55);
        let to = match tactic {
            Tactic::Guard => shielding,
            Tactic::Press => {
                let to_goal = |place: (f64, f64)| place.0.hypot(place.1 - middle);
                let goalside = unit((-ball.0, middle - ball.1));
                let is_far = me.ball_distance > 75;
                if me.ball_distance > 45 && to_goal(own) > to_goal(ball) - 12.0 {
                    shielding
                } else {
                    let stand_off = if is_far { (to_goal(ball) * 0.3).min(90.0) } else { 0.0 };
                    (ball.0 + goalside.0 * stand_off, ball.1 + goalside.1 * stand_off)
                }
            }
            Tactic::Shoot | Tactic::Clear => behind(own, ball, aim),
        };
        run(seen, own, to, kick)
    }

    /// Turns with the ball at the feet to where it should go, charges, and lets go.
    fn play_ball(&self, tactic: Tactic, seen: &Sight, latency_ticks: u32, front: (f64, f64), aim: (f64, f64)) -> Input {
        let is_hasty = tactic != Tactic::Shoot || seen.facts.you.is_some_and(|you| you.pressure < policy::TIGHT);
        let in_range = is_hasty || f64::from(seen.facts.shot.distance) < SHOT_RANGE;
        let charged = self.charged + if self.held.kick { latency_ticks } else { 0 };
        let enough = if is_hasty { HASTY_CHARGE_TICKS } else { CHARGE_TICKS };
        let cosine = front.0 * aim.0 + front.1 * aim.1;
        if cosine > KICK_COSINE {
            let lets_go = charged >= enough && in_range;
            return Input { direction: direction(seen, aim), kick: !lets_go, ..Input::default() };
        }
        // A ball at the feet comes along in front of a player who turns little by little.
        let left = if front.0 * aim.1 - front.1 * aim.0 > 0.0 { 1.0 } else { -1.0 };
        let way = if cosine > -0.3 {
            (front.0 + aim.0, front.1 + aim.1)
        } else {
            (front.0 - front.1 * left, front.1 + front.0 * left)
        };
        Input { direction: direction(seen, way), kick: self.held.kick, ..Input::default() }
    }
}

/// Where to run to get the ball from behind: through it, or round it when it is on the way back.
fn behind(own: (f64, f64), ball: (f64, f64), aim: (f64, f64)) -> (f64, f64) {
    let way = (ball.0 - own.0, ball.1 - own.1);
    let along = way.0 * aim.0 + way.1 * aim.1;
    let distance = way.0.hypot(way.1);
    if along > 0.5 * distance {
        return ball;
    }
    let beside = if way.0 * -aim.1 + way.1 * aim.0 > 0.0 { -38.0 } else { 38.0 };
    let detour = if along < 0.0 && distance < 80.0 { beside } else { 0.0 };
    (ball.0 - aim.0 * 24.0 - aim.1 * detour, ball.1 - aim.1 * 24.0 + aim.0 * detour)
}

/// Runs to a place, or stands when there.
fn run(seen: &Sight, from: (f64, f64), to: (f64, f64), kick: bool) -> Input {
    let way = (to.0 - from.0, to.1 - from.1);
    let distance = way.0.hypot(way.1);
    let direction = if distance < 6.0 { Direction::NONE } else { direction(seen, way) };
    Input { direction, kick, sprint: distance > SPRINT_DISTANCE && policy::me(seen).stamina > 10, ..Input::default() }
}

/// The compass point of a way told from the seat's side: blue's is turned by half a turn.
#[expect(clippy::cast_possible_truncation, reason = "a compass point is coarse")]
fn direction(seen: &Sight, way: (f64, f64)) -> Direction {
    let turn = if seen.your_team == Team::Red { 1.0 } else { -1.0 };
    Vec2 { x: (way.0 * turn) as f32, y: (way.1 * turn) as f32 }.compass_point()
}

fn unit((x, y): (f64, f64)) -> (f64, f64) {
    let length = x.hypot(y).max(1e-9);
    (x / length, y / length)
}

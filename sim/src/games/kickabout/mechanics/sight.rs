//! A team's view, turned so that the team attacks towards +x, with what follows from it: where the ball is going, who
//! gets there first, who marks whom.

use std::ops::Range;

use contract::{
    SeatId,
    agent::OrderStatus,
    games::kickabout::{Armed, Direction, Order, PLAYERS_MAX, Phase, Role, Team, View, WithoutBall},
};

use super::{
    super::{
        grid::from_grid,
        kicking::REACH,
        physics::{BALL_DAMPING, Body},
        pitch::{BALL_RADIUS, Pitch, side},
        player::PLAYER_RADIUS,
        vector::{Vec2, vec2},
    },
    seats_of,
};

/// Slower than this a player stands still, in units per tick.
const STILL_SPEED: f32 = 0.2;
/// Ticks between two looks ahead.
const STEP_TICKS: f32 = 6.0;
/// How many looks ahead are taken.
const STEPS: usize = 18;
/// Speed of a running player.
const RUNNING_SPEED: f32 = 2.4;
/// Damping over [`STEP_TICKS`] ticks: of players (0.96 each) and of the ball (0.99 each).
const PLAYER_STEP_DAMPING: f32 = 0.782_757_8;
const BALL_STEP_DAMPING: f32 = 0.941_480_15;

/// What a team sees and concludes.
pub(in super::super) struct Sight<'a> {
    pub(super) view: &'a View,
    pub(in super::super) team: Team,
    pub(super) team_size: u8,
    pub(in super::super) pitch: Pitch,
    pub(in super::super) own: Range<usize>,
    pub(in super::super) opponents: Range<usize>,
    pub(in super::super) ball: Body,
    pub(in super::super) players: [Body; PLAYERS_MAX],
    /// Ticks until each player can have the ball, and where.
    pub(in super::super) arrival: [f32; PLAYERS_MAX],
    pub(super) meeting: [Vec2; PLAYERS_MAX],
    /// The own player who has the ball.
    pub(super) holder: Option<usize>,
    /// The own player who should go for the ball.
    pub(super) chaser: Option<usize>,
    /// Ticks until the first opponent can have the ball.
    pub(super) opponents_arrival: f32,
    /// Whether the own team has the ball or will have it.
    pub(super) is_ours: bool,
    /// The opponent each own player looks after when defending.
    pub(super) marks: [Option<usize>; PLAYERS_MAX],
}

impl<'a> Sight<'a> {
    pub(in super::super) fn new(view: &'a View, team: Team, team_size: u8) -> Self {
        let forward = -side(team);
        let turned = |body: Body| Body { position: body.position * forward, velocity: body.velocity * forward };
        let mut players = [Body::default(); PLAYERS_MAX];
        for (body, player) in players.iter_mut().zip(view.players()) {
            *body = turned(from_grid(player.position, player.velocity));
        }
        let mut sight = Self {
            view,
            team,
            team_size,
            pitch: Pitch::new(team_size),
            own: seats_of(team, team_size),
            opponents: seats_of(team.other(), team_size),
            ball: turned(from_grid(view.ball.position, view.ball.velocity)),
            players,
            arrival: [f32::MAX; PLAYERS_MAX],
            meeting: [Vec2::ZERO; PLAYERS_MAX],
            holder: None,
            chaser: None,
            opponents_arrival: f32::MAX,
            is_ours: false,
            marks: [None; PLAYERS_MAX],
        };
        sight.look_ahead();
        sight.judge_possession();
        if !sight.is_ours {
            sight.assign_marks();
        }
        sight
    }

    /// A direction in the team's perspective as the pitch's own.
    pub(super) fn outward(&self, direction: Vec2) -> Direction {
        (direction * -side(self.team)).compass_point()
    }

    /// The middle of the goal to score in.
    pub(in super::super) const fn goal(&self) -> Vec2 {
        vec2(self.pitch.half_length, 0.0)
    }

    /// The middle of the goal to defend.
    pub(in super::super) const fn own_goal(&self) -> Vec2 {
        vec2(-self.pitch.half_length, 0.0)
    }

    /// Whether the own team may go for the ball.
    pub(super) fn may_play(&self) -> bool {
        match self.view.phase {
            Phase::KickOff(team) => team == self.team,
            _ => true,
        }
    }

    /// Distance of a player to the ball.
    pub(in super::super) fn ball_distance(&self, seat: usize) -> f32 {
        (self.ball.position - self.players[seat].position).length()
    }

    /// Distance from a place to the nearest opponent.
    pub(in super::super) fn pressure(&self, place: Vec2) -> f32 {
        let squared = |seat: usize| (self.players[seat].position - place).length_squared();
        self.opponents.clone().map(squared).fold(f32::MAX, f32::min).sqrt()
    }

    /// How far the nearest opponent stays from a ball played from `from` to `to` at a speed: negative when one is in the
    /// way or can get there, running at `alertness` times an easy pace.
    pub(in super::super) fn lane(&self, from: Vec2, to: Vec2, ball_speed: f32, alertness: f32) -> f32 {
        let way = to - from;
        let length = way.length();
        let Some(unit) = way.unit() else { return 0.0 };
        let mut clearance = f32::MAX;
        for seat in self.opponents.clone() {
            let opponent = &self.players[seat];
            let along = (opponent.position - from).dot(unit);
            if along < 0.0 || along > length + PLAYER_RADIUS {
                continue;
            }
            let ticks = along / ball_speed;
            let then = opponent.position + opponent.velocity * ticks.min(15.0);
            let aside = (then - from).dot(unit.turned()).abs();
            // Until the ball comes past, the opponent reacts and runs.
            let runs = (ticks - 8.0).max(0.0) * alertness;
            clearance = clearance.min(aside - PLAYER_RADIUS - BALL_RADIUS - runs);
        }
        clearance
    }

    /// Finds when and where each player can first play the ball.
    fn look_ahead(&mut self) {
        let mut ball = self.ball;
        let (mut coasting, mut keeps, mut ticks) = (0.0_f32, 1.0_f32, 0.0_f32);
        for step in 0..=STEPS {
            for seat in 0..self.view.player_count {
                if self.arrival[seat] < f32::MAX {
                    continue;
                }
                let player = &self.players[seat];
                let distance = (ball.position - player.position - player.velocity * coasting).length();
                let runs = RUNNING_SPEED * (ticks - coasting);
                if distance <= runs + REACH - 8.0 {
                    self.arrival[seat] = ticks;
                    self.meeting[seat] = ball.position;
                } else if step == STEPS {
                    self.arrival[seat] = ticks + (distance - runs) / RUNNING_SPEED;
                    self.meeting[seat] = ball.position;
                }
            }
            // Sums of the damped speeds over one step: 1 + d + … + d^5.
            ball.position += ball.velocity * ((1.0 - BALL_STEP_DAMPING) / (1.0 - BALL_DAMPING));
            ball.velocity = ball.velocity * BALL_STEP_DAMPING;
            self.pitch.contain_ball(&mut ball);
            coasting += keeps * ((1.0 - PLAYER_STEP_DAMPING) / 0.04);
            keeps *= PLAYER_STEP_DAMPING;
            ticks += STEP_TICKS;
        }
    }

    fn judge_possession(&mut self) {
        self.opponents_arrival = self.opponents.clone().map(|seat| self.arrival[seat]).fold(f32::MAX, f32::min);
        let nearest = first_by(self.own.clone().filter(|seat| !self.lets_go(*seat)), |seat| self.ball_distance(seat));
        self.holder = nearest.filter(|seat| self.may_play() && self.ball_distance(*seat) <= REACH);
        self.chaser = first_by(self.own.clone().filter(|seat| self.is_free_to_chase(*seat)), |seat| {
            let player = &self.view.players[seat];
            // Somebody who stands about is not on the way, and somebody who stands still may have left the keyboard.
            let is_idle = player.input.direction == Direction::NONE && self.ball_distance(seat) > REACH;
            let late = match (self.lets_go(seat), is_idle && player.charge == 0) {
                (_, true) if self.players[seat].velocity.length() < STILL_SPEED => 120.0,
                (true, _) | (_, true) => 25.0,
                (false, false) => 0.0,
            };
            self.arrival[seat] + late
        });
        let own_arrival = self.own.clone().map(|seat| self.arrival[seat]).fold(f32::MAX, f32::min);
        let last_was_ours = self.view.ball.last_touch.is_some_and(|seat| self.own.contains(&seat.index()));
        let bonus = if last_was_ours { 6.0 } else { -6.0 };
        self.is_ours = match self.view.phase {
            Phase::KickOff(team) => team == self.team,
            _ => own_arrival < self.opponents_arrival + bonus,
        };
    }

    /// Whether a player has just played the ball.
    fn lets_go(&self, seat: usize) -> bool {
        let player = &self.view.players[seat];
        player.armed == Armed::No && player.window > 0
    }

    /// Whether plan and order leave a player free to go for the ball when it is the nearest.
    fn is_free_to_chase(&self, seat: usize) -> bool {
        let Some(told) = self.view.instructions[seat] else { return true };
        if let Some(state) = told.order.filter(|state| state.status == OrderStatus::Active) {
            return !matches!(state.order, Order::Mark { .. } | Order::HoldZone { .. });
        }
        match told.plan.without_ball {
            WithoutBall::Auto => told.plan.role != Role::Keeper || self.team_size == 1,
            WithoutBall::Press => true,
            _ => false,
        }
    }

    /// Gives every opponent near the own goal, the most dangerous first, the nearest free player.
    fn assign_marks(&mut self) {
        let mut left: [bool; PLAYERS_MAX] = [false; PLAYERS_MAX];
        for seat in self.opponents.clone() {
            left[seat] = true;
        }
        loop {
            let dangerous = first_by(self.opponents.clone().filter(|seat| left[*seat]), |seat| {
                (self.players[seat].position - self.own_goal()).length()
            });
            let Some(opponent) = dangerous else { return };
            left[opponent] = false;
            let place = self.players[opponent].position;
            if (place - self.ball.position).length() < 50.0 || place.x > self.pitch.half_length * 0.35 {
                continue;
            }
            let free = |seat: &usize| {
                let is_field_player = self.view.instructions[*seat].is_none_or(|told| told.plan.role != Role::Keeper);
                self.marks[*seat].is_none() && self.chaser != Some(*seat) && is_field_player
            };
            let distance = |seat: usize| (self.players[seat].position - place).length();
            if let Some(marker) = first_by(self.own.clone().filter(free), distance)
                && distance(marker) < self.pitch.half_length * 0.6
            {
                self.marks[marker] = Some(opponent);
            }
        }
    }

    /// The seat's id.
    pub(in super::super) fn id(seat: usize) -> SeatId {
        SeatId(u8::try_from(seat).unwrap_or(u8::MAX))
    }
}

/// The seat with the smallest measure, the lower one when two are equal.
pub(super) fn first_by(seats: impl Iterator<Item = usize>, measure: impl Fn(usize) -> f32) -> Option<usize> {
    let mut best = None;
    let mut least = f32::MAX;
    for seat in seats {
        let value = measure(seat);
        if value < least {
            (best, least) = (Some(seat), value);
        }
    }
    best
}

//! What plays a seat without a person: standing plans and orders, carried out tick by tick from the team's own view.

use std::ops::Range;

use bevy_ecs::{component::Component, resource::Resource, world::World};
use contract::games::kickabout::{Input, PLAYERS_MAX, Team, View};
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

use super::{
    formation,
    grid::{point, speed},
    kicking::REACH,
    pitch::{Pitch, side},
    vector::{Vec2, vec2},
};

/// The one source of chance of a match: mechanics are imperfect, physics is not.
#[derive(Resource, Clone, Debug)]
pub(super) struct Luck(pub(super) Pcg32);

impl Luck {
    pub(super) fn new(seed: u64) -> Self {
        Self(Pcg32::new(seed, 0xa02_bdbf_7bb3_c0a7))
    }
}

/// What mechanics remember of a seat from tick to tick.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    charge_ticks: u8,
}

/// The seats of a team.
pub(super) fn seats_of(team: Team, team_size: u8) -> Range<usize> {
    let first = team.index() * usize::from(team_size);
    first..first + usize::from(team_size)
}

/// A team's view in its own perspective: it attacks towards +x.
pub(super) struct Sight<'a> {
    view: &'a View,
    pitch: Pitch,
    forward: f32,
    seats: Range<usize>,
    ball: Vec2,
    ball_velocity: Vec2,
    players: [Vec2; PLAYERS_MAX],
}

impl<'a> Sight<'a> {
    pub(super) fn new(view: &'a View, team: Team, team_size: u8) -> Self {
        let forward = -side(team);
        let mut players = [Vec2::ZERO; PLAYERS_MAX];
        for (place, player) in players.iter_mut().zip(view.players()) {
            *place = point(player.position) * forward;
        }
        Self {
            view,
            pitch: Pitch::new(team_size),
            forward,
            seats: seats_of(team, team_size),
            ball: point(view.ball.position) * forward,
            ball_velocity: speed(view.ball.velocity) * forward,
            players,
        }
    }
}

/// Decides what a seat does in this tick.
pub(super) fn decide(world: &mut World, sight: &Sight<'_>, seat: usize) -> Input {
    let _ = world;
    let own = sight.players[seat];
    let ball = sight.ball + sight.ball_velocity * 10.0;
    let nearest = sight.seats.clone().min_by(|a, b| {
        (sight.players[*a] - ball).length_squared().total_cmp(&(sight.players[*b] - ball).length_squared())
    });
    if nearest != Some(seat) {
        let role = sight.view.instructions[seat].map_or_else(Default::default, |told| told.plan.role);
        let place = formation::place(role, 0, 1);
        let home = vec2(place.x * sight.pitch.half_length, place.y * sight.pitch.half_width) + sight.ball * 0.2;
        let way = home - own;
        let direction = if way.length() > 20.0 { (way * sight.forward).compass_point() } else { Default::default() };
        return Input { direction, ..Input::default() };
    }
    let goal = vec2(sight.pitch.half_length, 0.0);
    let aim = (goal - sight.ball).unit().unwrap_or(vec2(1.0, 0.0));
    let behind = ball - aim * 20.0;
    let in_reach = (sight.ball - own).length() < REACH;
    let aligned = (sight.ball - own).dot(aim) > 0.0;
    let way = if in_reach && aligned { aim } else { behind - own };
    let charging = sight.view.players[seat].charge;
    Input {
        direction: (way * sight.forward).compass_point(),
        kick: in_reach && aligned && charging < 18,
        ..Input::default()
    }
}

//! What a match's world is made of: components of players and ball, and the resources around them.

use bevy_ecs::{component::Component, entity::Entity, resource::Resource};
use contract::{
    SeatId, Tick,
    games::kickabout::{HAPPENINGS_MAX, Happening, HappeningKind, Input, Instruction, PLAYERS_MAX, Phase, Team},
};

use super::{kicking::Plays, pitch::Pitch};

/// What a player did in the newest tick and in the one before.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Pressed {
    pub(super) before: Input,
    pub(super) now: Input,
}

/// Goals of a player in this match, at most 15.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Goals(pub(super) u8);

/// What a seat was told. Read only where a view may tell it.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Told(pub(super) Instruction);

/// Who played the ball.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Touches {
    pub(super) last: Option<SeatId>,
    pub(super) last_kick: Option<SeatId>,
}

/// The entities by seat. Every walk over players goes through this list, never through a query's own order.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Cast {
    pub(super) team_size: u8,
    pub(super) players: [Entity; PLAYERS_MAX],
    pub(super) ball: Entity,
}

impl Cast {
    /// The entities of those who take part, by seat.
    pub(super) fn players(&self) -> &[Entity] {
        &self.players[..usize::from(self.team_size) * 2]
    }

    /// The side of a seat.
    pub(super) const fn team_of(&self, seat: SeatId) -> Team {
        Team::of(seat, self.team_size)
    }
}

/// The pitch of this match.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Ground(pub(super) Pitch);

/// How the match stands.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) tick: Tick,
    pub(super) phase: Phase,
    pub(super) phase_ticks: u16,
    pub(super) clock_ticks: u32,
    pub(super) golden_goal: bool,
    pub(super) score: [u8; 2],
    /// Regular time; fixed for the match.
    pub(super) duration_ticks: u32,
}

impl Stage {
    pub(super) const fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.phase_ticks = 0;
    }

    /// The team that is ahead.
    pub(super) const fn leader(&self) -> Option<Team> {
        if self.score[0] > self.score[1] {
            Some(Team::Red)
        } else if self.score[1] > self.score[0] {
            Some(Team::Blue)
        } else {
            None
        }
    }
}

/// What was done to the ball in this tick.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct Deeds(pub(super) Plays);

/// What happened lately, oldest first.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct Chronicle(pub(super) [Option<Happening>; HAPPENINGS_MAX]);

impl Chronicle {
    /// Notes a happening. When the list is full, the oldest of those that merely make a sound gives way, else the
    /// oldest of all.
    pub(super) fn note(&mut self, tick: Tick, kind: HappeningKind, seat: Option<SeatId>) {
        let free = self.0.iter().position(Option::is_none).unwrap_or_else(|| {
            let trifle = |happening: &Option<Happening>| {
                happening.is_some_and(|h| matches!(h.kind, HappeningKind::Bounce | HappeningKind::Touch))
            };
            let oldest = self.0.iter().position(trifle).unwrap_or(0);
            self.0.copy_within(oldest + 1.., oldest);
            HAPPENINGS_MAX - 1
        });
        self.0[free] = Some(Happening { tick, kind, seat });
    }
}

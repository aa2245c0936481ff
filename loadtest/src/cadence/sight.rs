//! What the policy reads of an observation: the same from the world itself and from an answer over the wire.

use contract::{
    SeatId, Tick,
    games::kickabout::{BallSeen, Facts, Observation, PhaseWord, Place, PlayerSeen, ScoreSeen, Team},
};
use serde::Deserialize;

/// A part of an [`Observation`].
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sight {
    pub(super) tick: Tick,
    pub(super) phase: PhaseWord,
    pub(super) score: ScoreSeen,
    pub(super) pitch: Place,
    pub(super) you: Option<SeatId>,
    pub(super) your_team: Team,
    pub(super) ball: BallSeen,
    pub(super) facts: Facts,
    pub(super) players: Vec<PlayerSeen>,
}

impl From<Observation> for Sight {
    fn from(seen: Observation) -> Self {
        let Observation { tick, phase, score, pitch, you, your_team, ball, facts, players, .. } = seen;
        Self { tick, phase, score, pitch, you, your_team, ball, facts, players }
    }
}

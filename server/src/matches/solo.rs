//! A match without a worker, for tests and measurements of the tick alone.

use std::sync::Arc;

use bytes::Bytes;
use contract::{Holder, MatchKey, PlayerName, SeatId, Tick};

use super::{Birth, GameKind, Lease, MatchPort, Presence, Uptime, WorkerHandle, seats::Wish, worker::Ticked};
use crate::{config::ContractConfig, metrics::Metrics};

/// A watched match whose caller is its clock.
pub struct SoloMatch {
    ticked: Box<dyn Ticked>,
    port: Arc<dyn MatchPort>,
    people: Vec<Lease>,
}

impl std::fmt::Debug for SoloMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.ticked.epitaph())
    }
}

impl SoloMatch {
    /// A fresh match.
    #[must_use]
    pub fn new(kind: &GameKind, seed: u64) -> Self {
        let uptime = Uptime::start();
        let (ticked, port) = kind.make(Birth {
            key: MatchKey::demo(),
            seed,
            snapshots_per_second: 30,
            grace_ms: 30_000,
            presence: Presence::new(WorkerHandle::new(uptime), uptime),
            contract: ContractConfig::default(),
            metrics: Arc::new(Metrics::new()),
        });
        port.presence().arrive();
        Self { ticked, port, people: Vec::new() }
    }

    /// Seats a person within one tick; `None` when no seat was to be had.
    pub fn seat(&mut self, name: PlayerName) -> Option<SeatId> {
        let mut answer = self.port.join(Wish { holder: Holder::Person, name, team: None, resume: None }).ok()?;
        self.tick();
        let lease = answer.try_recv().ok()?.ok()?;
        let seat = lease.seat;
        self.people.push(lease);
        Some(seat)
    }

    /// Hands in a person's packed input. Returns whether it was one.
    pub fn input(&self, seat: SeatId, tick: Tick, bytes: &[u8]) -> bool {
        let lease = self.people.iter().find(|lease| lease.seat == seat);
        self.port.input(lease, tick, bytes).is_ok()
    }

    /// Runs one tick, exactly as a worker would.
    pub fn tick(&mut self) {
        self.ticked.tick();
    }

    /// The message that shows a spectator all of the newest tick.
    #[must_use]
    pub fn snapshot(&self) -> Bytes {
        self.port.newest_frame(self.port.spectators()).1
    }

    /// The newest tick.
    #[must_use]
    pub fn newest(&self) -> Tick {
        self.port.newest_tick()
    }
}

#[cfg(test)]
mod tests {
    use contract::ResumeSecret;

    use super::*;
    use crate::{GameConfig, matches::kind_of};

    #[test]
    fn whoever_is_gone_before_the_answer_to_a_resumption_keeps_the_seat() {
        let mut game = SoloMatch::new(&kind_of(&GameConfig::default()).expect("legal"), 1);
        let secret = |byte| ResumeSecret([byte; 16]);
        let name = PlayerName::clean("Ada").expect("visible");
        let wish = Wish { holder: Holder::Person, name, team: None, resume: Some(secret(1)) };
        let mut answer = game.port.join(wish).expect("room in the inbox");
        game.tick();
        let seat = answer.try_recv().expect("answered").expect("a seat").seat;
        for next in 2..5 {
            // Asks, and is gone before the tick that would answer.
            drop(game.port.resume(secret(1), secret(next)).expect("room in the inbox"));
            game.tick();
            game.tick();
        }
        let mut answer = game.port.resume(secret(1), secret(9)).expect("room in the inbox");
        game.tick();
        assert_eq!(answer.try_recv().expect("answered").expect("the seat").seat, seat);
    }
}

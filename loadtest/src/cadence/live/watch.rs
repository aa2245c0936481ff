//! Somebody who watches a match over the sync path, and counts what one seat's mechanics do tick by tick.

use std::sync::Arc;

use anyhow::Context as _;
use contract::{
    MatchKey, SeatId, ServerMessage, Tick, WireView as _,
    games::kickabout::{Input, Phase, View},
};
use tokio::time::{Instant, timeout_at};

use super::WINDOW_TICKS;
use crate::{tally::Tally, wire::Wire};

/// A watcher of one seat.
#[derive(Debug)]
pub(super) struct Watcher {
    wire: Wire,
    seat: SeatId,
}

/// What a seat did in the ticks that were seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Acts {
    /// Ticks seen in which the ball was in play and the clock ran.
    pub(super) ticks: u32,
    /// Those in which the seat ran, kicked or passed.
    pub(super) acted: u32,
    /// Those in which it did something else than in the tick before.
    pub(super) turns: u32,
    /// When it did, in the window that is drawn.
    pub(super) turned: Vec<Tick>,
    /// The first tick seen, and the newest input.
    pub(super) first: Option<Tick>,
    pub(super) held: Input,
}

impl Watcher {
    /// Begins to watch.
    pub(super) async fn open(
        authority: &str,
        key: &MatchKey,
        seat: SeatId,
        tally: &Arc<Tally>,
    ) -> anyhow::Result<Self> {
        let (mut wire, _) = Wire::open(authority, key, tally).await?;
        wire.set_mode(false).await?;
        Ok(Self { wire, seat })
    }

    /// Watches until then.
    pub(super) async fn watch(mut self, until: Instant) -> anyhow::Result<Acts> {
        let mut acts = Acts::default();
        while let Ok(message) = timeout_at(until, self.wire.hear()).await {
            if let ServerMessage::Snapshot(snapshot) = message? {
                acts.see(&View::from_bytes(&snapshot.body).context("a snapshot cannot be read")?, self.seat);
            }
        }
        self.wire.close().await?;
        Ok(acts)
    }
}

impl Acts {
    fn see(&mut self, view: &View, seat: SeatId) {
        let first = *self.first.get_or_insert(view.tick);
        let input = view.input(seat);
        let before = std::mem::replace(&mut self.held, input);
        if view.phase != Phase::Play {
            return;
        }
        self.ticks += 1;
        self.acted += u32::from(input != Input::default());
        if input != before {
            self.turns += 1;
            if view.tick.since(first) < WINDOW_TICKS {
                self.turned.push(view.tick);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::games::kickabout::{Direction, Team};

    use super::*;

    #[test]
    fn what_a_seat_does_is_counted_tick_by_tick() {
        let running = Input { direction: Direction::point(3), ..Input::default() };
        let mut acts = Acts::default();
        let mut see = |tick: u32, phase, input| {
            let mut view = View { tick: Tick(tick), phase, player_count: 2, ..View::default() };
            view.players[1].input = input;
            acts.see(&view, SeatId(1));
        };
        see(10, Phase::Play, Input::default());
        see(11, Phase::Play, running);
        see(12, Phase::Play, running);
        see(13, Phase::Goal(Team::Red), Input::default());
        see(10 + WINDOW_TICKS.unsigned_abs(), Phase::Play, running);
        assert_eq!((acts.ticks, acts.acted, acts.turns), (4, 3, 2));
        assert_eq!(acts.turned, [Tick(11)], "the last is beyond the window");
    }
}

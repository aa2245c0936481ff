//! The tactical policy: what one player of a duel should do, from nothing but what `observe` tells its seat.
//!
//! It is the same for every latency and lane; how a tactic is carried out is known to [`keys`](super::keys) and
//! [`orders`](super::orders).

use contract::games::kickabout::{Fact, PhaseWord, Place, PlayerSeen};

use super::sight::Sight;

/// Head start in a race for the ball with which it counts as ours.
const HEAD_START_MS: u32 = 100;
/// Nearer to our goal line than this part of the pitch, and pressed, the ball is hit away.
const DANGER: f64 = 0.2;
/// An opponent this near leaves no time, in units.
pub(super) const TIGHT: u32 = 70;
/// So much later at the ball than the opponent, the way back to the own goal comes first.
const BEATEN_MS: u32 = 700;

/// Part of its speed that a rolling ball loses in a second, as `e` has it.
const DRAG_PER_SECOND: f64 = 0.6;

/// What the player should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tactic {
    /// Get the ball and score.
    Shoot,
    /// Get the ball away from the own goal.
    Clear,
    /// Win the ball.
    Press,
    /// Stand between the opponent and the own goal.
    Guard,
}

/// What a sight calls for. It must be that of a seat of a duel.
pub(super) fn decide(seen: &Sight) -> Tactic {
    let own_ms = seen.facts.first_own.map_or(u32::MAX, |racer| racer.ball_in_ms);
    let their_ms = seen.facts.first_opponent.map_or(u32::MAX, |racer| racer.ball_in_ms);
    let has_ball = seen.ball.held_by.is_some() && seen.ball.held_by == seen.you;
    if has_ball || own_ms.saturating_add(HEAD_START_MS) < their_ms {
        let is_pressed = seen.facts.you.is_some_and(|you| you.pressure < TIGHT);
        let is_deep = f64::from(seen.ball.at.x) < f64::from(seen.pitch.x) * DANGER;
        return if is_deep && is_pressed { Tactic::Clear } else { Tactic::Shoot };
    }
    if own_ms > their_ms.saturating_add(BEATEN_MS) { Tactic::Guard } else { Tactic::Press }
}

/// What must still be so for a decision for the moment to make sense: the stage of the match, and who has the ball.
pub(super) fn basis(seen: &Sight) -> Vec<Fact> {
    let possession = seen.ball.possession.map(|team| Fact::Possession { team });
    [Some(Fact::Phase { phase: seen.phase }), possession].into_iter().flatten().collect()
}

/// Whether there is anything to decide: nobody plays while a goal is cheered.
pub(super) fn is_played(seen: &Sight) -> bool {
    matches!(seen.phase, PhaseWord::KickOff | PhaseWord::Play)
}

/// The observing player.
pub(super) fn me(seen: &Sight) -> &PlayerSeen {
    seen.players.iter().find(|player| Some(player.id) == seen.you).expect("it is told to a seat")
}

/// The other player.
pub(super) fn opponent(seen: &Sight) -> &PlayerSeen {
    seen.players.iter().find(|player| Some(player.id) != seen.you).expect("a duel has two players")
}

/// Where something will be in so many seconds if it goes on like this, slowing down, inside the pitch.
pub(super) fn ahead(at: Place, per_second: Place, seconds: f64, pitch: Place) -> (f64, f64) {
    // The way of a speed that drag takes away little by little.
    let way_s = (1.0 - (-DRAG_PER_SECOND * seconds).exp()) / DRAG_PER_SECOND;
    let along = |at: i32, speed: i32, size: i32| {
        (f64::from(at) + f64::from(speed) * way_s).clamp(12.0, (f64::from(size) - 12.0).max(12.0))
    };
    (along(at.x, per_second.x, pitch.x), along(at.y, per_second.y, pitch.y))
}

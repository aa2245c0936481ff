//! Running to a place without shivering there.

use contract::games::kickabout::{Direction, Input};

use super::{super::vector::Vec2, sight::Sight};

/// Ticks' worth of its speed that a player coasts.
const COASTING_TICKS: f32 = 24.0;
/// A player who stands starts when the place is this far off, and lets go when it will coast to within `STOP`.
const START: f32 = 24.0;
const STOP: f32 = 9.0;

/// Runs to a place and comes to rest there.
pub(super) fn go_to(sight: &Sight<'_>, seat: usize, place: Vec2) -> Input {
    let player = &sight.players[seat];
    let left = place - (player.position + player.velocity * COASTING_TICKS);
    let stands = sight.view.players[seat].input.direction == Direction::NONE;
    let slack = if stands { START } else { STOP };
    let direction = if left.length_squared() > slack * slack { sight.outward(left) } else { Direction::NONE };
    Input { direction, ..Input::default() }
}

/// Runs through a place without slowing down.
pub(super) fn run_through(sight: &Sight<'_>, seat: usize, place: Vec2) -> Input {
    let player = &sight.players[seat];
    let left = place - (player.position + player.velocity * 9.0);
    Input { direction: sight.outward(left), ..Input::default() }
}

/// Adds a sprint if the player has breath to spare.
pub(super) fn sprinting(sight: &Sight<'_>, seat: usize, input: Input, reserve: u16) -> Input {
    let player = &sight.view.players[seat];
    // Whoever sprints goes on until the reserve is gone; whoever does not waits for more than that.
    let needed = if player.input.sprint { reserve } else { reserve + 250 };
    Input { sprint: player.stamina > needed, ..input }
}

//! Keys, when they are meant for the game.

use crate::pad::Side;

/// The side of the stick that a key pushes, by `KeyboardEvent.code`: where a key is matters, not what is printed on it.
pub(super) fn side(code: &str) -> Option<Side> {
    match code {
        "KeyW" | "ArrowUp" => Some(Side::Up),
        "KeyS" | "ArrowDown" => Some(Side::Down),
        "KeyA" | "ArrowLeft" => Some(Side::Left),
        "KeyD" | "ArrowRight" => Some(Side::Right),
        _ => None,
    }
}

//! Colours of the pitch.

pub(super) use crate::games::paint::{DARK, LIGHT, OWN, Sprite, TURN, arc, circle, round_rect};

/// Grass beyond the pitch.
pub(super) const SURROUND: &str = "#1f5a3a";
/// The teams' colours: warm and light against cool and dark, told apart in every kind of colour vision.
pub(super) const TEAM: [&str; 2] = ["#ee5a36", "#2f63d8"];
/// A second colour of each team's kit.
pub(super) const TRIM: [&str; 2] = ["#ffb199", "#12307d"];
/// The ring around each team's discs.
pub(super) const RIM: [&str; 2] = ["#fff3ec", "#0b1b45"];

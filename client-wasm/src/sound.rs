//! Names of the sounds. The browser's edge knows how they are made.

/// A sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sound {
    /// A ball is struck, from softly (0) to as hard as can be (1).
    Kick(f32),
    /// A ball is played along.
    Pass,
    /// A ball changes feet.
    Touch,
    /// A ball hits something hard.
    Bounce,
    /// The whistle, so many times.
    Whistle(u8),
    /// The crowd rejoices; for the own side more than for the other.
    Cheer(f32),
    /// A gun is fired.
    Shot,
    /// A shot hits, near or far away (0 to 1).
    Hit(f32),
    /// A craft bursts, near or far away (0 to 1).
    Burst(f32),
    /// Something of the page was pressed.
    Click,
}

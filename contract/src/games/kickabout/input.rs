//! What a player does in one tick: a direction and four buttons, 11 bits.

use crate::{BitReader, BitWriter, DecodeError, WireInput};

/// One of 64 compass points, or none.
///
/// Point k (from 0) lies at k/64 of a turn from +x towards +y. Points are integers so that every machine steers
/// exactly alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direction(u8);

impl Direction {
    /// Standing still.
    pub const NONE: Self = Self(0);
    /// How many compass points there are.
    pub const POINTS: u8 = 64;

    /// The compass point `point` modulo 64.
    #[must_use]
    pub const fn point(point: u8) -> Self {
        Self(point % Self::POINTS + 1)
    }

    /// The compass point, 0 to 63; `None` when standing still.
    #[must_use]
    pub const fn index(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0 as usize - 1) }
    }
}

/// What a player does in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Where to run, and where to aim.
    pub direction: Direction,
    /// Held: charge a kick. Let go: kick.
    pub kick: bool,
    /// Held: run faster while stamina lasts.
    pub sprint: bool,
    /// Pressed: play the ball to the team-mate who best fits the direction.
    pub pass: bool,
    /// Pressed after the final whistle: play again.
    pub rematch: bool,
}

impl WireInput for Input {
    fn write(self, bits: &mut BitWriter<'_>) {
        bits.unsigned(u32::from(self.direction.0), 7);
        bits.flag(self.kick);
        bits.flag(self.sprint);
        bits.flag(self.pass);
        bits.flag(self.rematch);
    }

    fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let direction = u8::try_from(bits.unsigned(7)?).unwrap_or(u8::MAX);
        if direction > Direction::POINTS {
            return Err(DecodeError::OutOfRange("direction"));
        }
        Ok(Self {
            direction: Direction(direction),
            kick: bits.flag()?,
            sprint: bits.flag()?,
            pass: bits.flag()?,
            rematch: bits.flag()?,
        })
    }

    fn sample(noise: u32) -> Self {
        let bytes = noise.to_le_bytes();
        Self {
            direction: Direction(bytes[0] % (Direction::POINTS + 1)),
            kick: bytes[1].is_multiple_of(4),
            sprint: bytes[2].is_multiple_of(3),
            pass: bytes[3].is_multiple_of(16),
            rematch: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_bytes_are_an_input_or_an_error() {
        for value in 0..=u16::MAX {
            let bytes = value.to_le_bytes();
            if let Ok(input) = Input::unpack(&bytes) {
                let mut again = Vec::new();
                input.pack(&mut again);
                assert_eq!(again, bytes, "an input has one packed form");
            }
        }
        assert_eq!(Input::unpack(&[0]), Err(DecodeError::Truncated));
        assert_eq!(Input::unpack(&[0, 0, 0]), Err(DecodeError::Trailing));
        assert_eq!(Input::unpack(&[65, 0]), Err(DecodeError::OutOfRange("direction")));
    }
}

//! What a craft does in one tick: where to, where it aims, and whether it fires; 29 bits.

use super::Aim;
use crate::{BitReader, BitWriter, DecodeError, WireInput};

/// What a craft does in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Speed to the right in units per second, at most [`Input::SPEED_MAX`] either way.
    pub vx: i16,
    /// Speed downwards in units per second, at most [`Input::SPEED_MAX`] either way.
    pub vy: i16,
    /// Where the gun points.
    pub aim: Aim,
    /// Held: fires as soon as the gun is ready.
    pub fire: bool,
}

impl Input {
    /// Fastest speed along an axis, in units per second.
    pub const SPEED_MAX: i16 = 200;

    const SPEED_BITS: u32 = 9;

    /// At full speed in the direction of an angle.
    #[must_use]
    pub fn towards(course: Aim) -> Self {
        let speed = |part: i32| {
            let scaled = part * i32::from(Self::SPEED_MAX);
            i16::try_from((scaled + Aim::UNIT / 2).div_euclid(Aim::UNIT)).unwrap_or(0)
        };
        let (x, y) = course.vector();
        Self { vx: speed(x), vy: speed(y), ..Self::default() }
    }
}

impl WireInput for Input {
    fn write(self, bits: &mut BitWriter<'_>) {
        for speed in [self.vx, self.vy] {
            bits.signed(i32::from(speed.clamp(-Self::SPEED_MAX, Self::SPEED_MAX)), Self::SPEED_BITS);
        }
        self.aim.write(bits);
        bits.flag(self.fire);
    }

    fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let mut speed = |field| {
            let speed = i16::try_from(bits.signed(Self::SPEED_BITS)?).unwrap_or(i16::MAX);
            if speed.abs() <= Self::SPEED_MAX { Ok(speed) } else { Err(DecodeError::OutOfRange(field)) }
        };
        let (vx, vy) = (speed("vx")?, speed("vy")?);
        Ok(Self { vx, vy, aim: Aim::read(bits)?, fire: bits.flag()? })
    }

    fn sample(noise: u32) -> Self {
        let [a, b, c, d] = noise.to_le_bytes();
        let course = Aim::point(u16::from(a) * 4);
        let aim = Aim::point(u16::from_le_bytes([b, c]));
        let stands = d.is_multiple_of(8);
        let moving = if stands { Self::default() } else { Self::towards(course) };
        Self { aim, fire: !d.is_multiple_of(3), ..moving }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn full_speed_is_full_speed_in_every_direction() {
        for point in 0..Aim::POINTS {
            let Input { vx, vy, .. } = Input::towards(Aim::point(point));
            let speed = f64::from(vx).hypot(f64::from(vy));
            assert!((speed - 200.0).abs() < 0.75, "{point}: {speed}");
        }
        assert_eq!((Input::towards(Aim::point(512)).vx, Input::towards(Aim::point(768)).vy), (-200, -200));
    }

    #[test]
    fn too_fast_is_an_error() {
        for (vx, vy, field) in [(201, 0, "vx"), (-201, 0, "vx"), (0, 255, "vy"), (0, -256, "vy")] {
            let mut bytes = Vec::new();
            let mut bits = BitWriter::new(&mut bytes);
            bits.signed(vx, 9);
            bits.signed(vy, 9);
            bits.unsigned(0, 11);
            bits.finish();
            assert_eq!(Input::unpack(&bytes), Err(DecodeError::OutOfRange(field)));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_input_of_one_form_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..6)) {
            if let Ok(input) = Input::unpack(&bytes) {
                let mut again = Vec::new();
                input.pack(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }

        #[test]
        fn samples_are_legal(noise in any::<u32>()) {
            let mut bytes = Vec::new();
            Input::sample(noise).pack(&mut bytes);
            prop_assert!(bytes.len() <= crate::limits::INPUT_BYTES_MAX);
            prop_assert_eq!(Input::unpack(&bytes), Ok(Input::sample(noise)));
        }
    }
}

//! Angles as integers, with their sines and cosines.

use crate::{BitReader, BitWriter, DecodeError};

/// One of 1024 angles. Angle k lies at k/1024 of a turn from +x towards +y.
///
/// Angles are integers, and so are their sines, so that every machine aims exactly alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aim(u16);

/// Angles between +x and +y.
const QUARTER: usize = Aim::POINTS as usize / 4;

/// Sines of a quarter turn, both ends included, in parts of [`Aim::UNIT`].
const SINES: [i16; QUARTER + 1] = sines();

impl Aim {
    /// How many angles there are.
    pub const POINTS: u16 = 1 << Self::BITS;
    /// Length of what [`Aim::vector`] gives.
    pub const UNIT: i32 = 1 << 14;

    const BITS: u32 = 10;

    /// The angle `point` modulo 1024.
    #[must_use]
    pub const fn point(point: u16) -> Self {
        Self(point % Self::POINTS)
    }

    /// Its number, below 1024.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.0
    }

    /// Cosine and sine, in parts of [`Aim::UNIT`].
    #[must_use]
    pub const fn vector(self) -> (i32, i32) {
        let at = self.0 as usize % QUARTER;
        let (along, across) = (SINES[QUARTER - at] as i32, SINES[at] as i32);
        match self.0 as usize / QUARTER {
            0 => (along, across),
            1 => (-across, along),
            2 => (-along, -across),
            _ => (across, -along),
        }
    }

    pub(super) fn write(self, bits: &mut BitWriter<'_>) {
        bits.unsigned(u32::from(self.0), Self::BITS);
    }

    pub(super) fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(bits.number(Self::BITS, "aim")?))
    }
}

/// Made by the compiler, from integers alone.
const fn sines() -> [i16; QUARTER + 1] {
    /// Half of pi, in parts of 2^30.
    const HALF_PI: i64 = 1_686_629_713;
    let mut table = [0; QUARTER + 1];
    let mut at = 0;
    while at <= QUARTER {
        let x = HALF_PI * at as i64 / QUARTER as i64;
        let squared = (x * x) >> 30;
        // x - x^3/3! + x^5/5! - …, to far below a step of the table.
        let (mut sum, mut term, mut n) = (x, x, 2);
        while n <= 16 {
            term = -((term * squared) >> 30) / (n * (n + 1));
            sum += term;
            n += 2;
        }
        table[at] = ((sum + (1 << 15)) >> 16) as i16;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_cosine_and_sine() {
        for point in 0..Aim::POINTS {
            let (x, y) = Aim::point(point).vector();
            let angle = f64::from(point) / f64::from(Aim::POINTS) * std::f64::consts::TAU;
            let unit = f64::from(Aim::UNIT);
            assert!((f64::from(x) - angle.cos() * unit).abs() < 0.51, "{point}");
            assert!((f64::from(y) - angle.sin() * unit).abs() < 0.51, "{point}");
        }
        assert_eq!(Aim::point(Aim::POINTS + 3), Aim::point(3));
    }
}

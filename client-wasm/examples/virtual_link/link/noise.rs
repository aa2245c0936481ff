//! Numbers that look random and are the same every time.

/// Marsaglia's xorshift.
#[derive(Clone, Debug)]
pub(crate) struct Noise(u32);

impl Noise {
    /// Another seed, other numbers.
    pub(crate) fn new(seed: u32) -> Self {
        let mut noise = Self(seed.wrapping_mul(2_654_435_761) | 1);
        (0..8).for_each(|_| {
            noise.next();
        });
        noise
    }

    /// A number.
    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A number from 0 to 1.
    pub(crate) fn part(&mut self) -> f64 {
        f64::from(self.next()) / f64::from(u32::MAX)
    }

    /// A number between two others.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.part()
    }
}

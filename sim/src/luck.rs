//! Why mechanics are imperfect.

use bevy_ecs::resource::Resource;
use rand_core::Rng as _;
use rand_pcg::Pcg32;

/// A match's hidden source of chance. Only mechanics draw from it: what the next tick does to the world must be known to
/// whoever steps it, and this is never sent.
#[derive(Resource, Clone, Debug)]
pub(crate) struct Luck(pub(crate) Pcg32);

impl Luck {
    /// The luck of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg32::new(seed, 0x0a02_bdbf_7bb3_c0a7))
    }

    /// A whole number below `end`.
    pub(crate) fn below(&mut self, end: u8) -> u8 {
        u8::try_from((u64::from(self.0.next_u32()) * u64::from(end)) >> 32).unwrap_or(0)
    }

    /// A number from -1 to 1, small ones more often than large ones.
    pub(crate) fn wobble(&mut self) -> f32 {
        let mut unit = || f32::from(self.below(201)) / 100.0 - 1.0;
        (unit() + unit()) * 0.5
    }
}

//! Where a craft starts again.
//!
//! Everybody who steps the world must draw the same place, so the generator is part of what everybody sees. That a
//! modified page could know the next place beforehand is the price, and a small one: the place says nothing about when
//! somebody will be there.

use bevy_ecs::resource::Resource;
use contract::games::skirmish::Spot;

/// Marsaglia's xorshift with 32 bits, as `arena-ref/1` has it.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct Chance(pub(super) u32);

impl Chance {
    /// The generator of a match.
    pub(super) const fn new(seed: u64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the generator has 32 bits")]
        let state = 0x9e37_79b9 ^ seed as u32;
        // Zero would stay zero for ever.
        Self(if state == 0 { 1 } else { state })
    }

    /// A place anywhere in the arena.
    pub(super) fn spot(&mut self) -> Spot {
        let x = self.below(Spot::SIDE);
        Spot { x, y: self.below(Spot::SIDE) }
    }

    /// A whole number below `end`.
    fn below(&mut self, end: u16) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        u16::try_from((u64::from(self.0) * u64::from(end)) >> 32).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_over_the_whole_arena() {
        let mut chance = Chance::new(1);
        let mut ninths = [0; 9];
        for _ in 0..9000 {
            let Spot { x, y } = chance.spot();
            ninths[usize::from(x / (Spot::SIDE / 3)) + 3 * usize::from(y / (Spot::SIDE / 3))] += 1;
        }
        assert!(ninths.iter().all(|count| (900..1100).contains(count)), "{ninths:?}");
    }

    #[test]
    fn no_seed_gets_stuck() {
        for seed in [0, 0x9e37_79b9, u64::MAX] {
            let mut chance = Chance::new(seed);
            assert_ne!(chance.spot(), chance.spot(), "{seed}");
        }
    }
}

//! Snapshots coded as steps: what every seat did in the ticks since an earlier snapshot.
//!
//! The simulation is deterministic, so whoever has the earlier view and steps it with these inputs gets the newer view
//! exactly, and the checksum proves it. That is the whole difference between two views for a game in which every
//! audience sees all that the next tick depends on ([`crate::GameData::IS_OPEN`]).
//!
//! ```text
//! for each tick since the earlier snapshot, for each seat:   changed 1, and if so: input
//! private part:                                              changed 1, and if so: the whole of it
//! ```

use crate::{BitReader, BitWriter, DecodeError, SeatId, WireInput, WireView};

/// Most ticks that one message of steps may cover; across more, a whole view is sent.
pub const STEPS_TICKS_MAX: usize = 64;

/// Appends the steps from one view to another.
///
/// `inputs` holds what every seat did in each tick after `before` up to `after`, a row per tick.
pub fn pack<V: WireView>(before: &V, inputs: &[V::Input], after: &V, out: &mut Vec<u8>) {
    let mut bits = BitWriter::new(out);
    let mut held = [V::Input::default(); crate::limits::SEATS_MAX];
    let held = &mut held[..before.seats()];
    inputs_of(before, held);
    for row in inputs.chunks_exact(held.len().max(1)) {
        for (held, now) in held.iter_mut().zip(row) {
            bits.flag(held != now);
            if held != now {
                now.write(&mut bits);
                *held = *now;
            }
        }
    }
    let is_news = !after.same_private(before);
    bits.flag(is_news);
    if is_news {
        after.pack_private(&mut bits);
    }
    bits.finish();
}

/// What the seats did in the tick a view shows, into `held`.
pub fn inputs_of<V: WireView>(view: &V, held: &mut [V::Input]) {
    for (seat, input) in (0..).map(SeatId).zip(held) {
        *input = view.input(seat);
    }
}

/// Reads one tick's inputs: `held` has those of the tick before, and those of this one afterwards.
///
/// # Errors
/// When the bits end early or an input is not legal.
pub fn read_tick<I: WireInput>(bits: &mut BitReader<'_>, held: &mut [I]) -> Result<(), DecodeError> {
    for input in held {
        if bits.flag()? {
            *input = I::read(bits)?;
        }
    }
    Ok(())
}

/// Reads the private part that follows the last tick: `after` has its public part already, and all of it afterwards.
///
/// # Errors
/// When the bits end early or a field is out of range.
pub fn read_private<V: WireView>(bits: &mut BitReader<'_>, before: &V, after: &mut V) -> Result<(), DecodeError> {
    if bits.flag()? {
        return after.unpack_private(bits);
    }
    after.keep_private(before);
    Ok(())
}

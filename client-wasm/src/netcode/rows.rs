//! What every seat did in the ticks that a message of steps covers.

use contract::{BitReader, Steps, WireInput, WireView, steps};

/// Inputs by tick, a row of one per seat for each.
#[derive(Clone, Debug, Default)]
pub struct Rows<I> {
    rows: Vec<I>,
    held: Vec<I>,
}

impl<I: WireInput> Rows<I> {
    /// Reads the rows of a message that begins at this view. Empty when it does not.
    pub fn read<V: WireView<Input = I>>(&mut self, before: Option<&V>, message: &Steps) {
        self.rows.clear();
        let Some(before) = before.filter(|view| message.tick.since(view.tick()) == i32::from(message.ticks)) else {
            return;
        };
        self.held.resize(before.seats(), I::default());
        steps::inputs_of(before, &mut self.held);
        let mut bits = BitReader::new(&message.body);
        for _ in 0..message.ticks {
            if steps::read_tick(&mut bits, &mut self.held).is_err() {
                self.rows.clear();
                return;
            }
            self.rows.extend_from_slice(&self.held);
        }
    }

    /// Nothing is known of what seats did.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// The rows, one after the other.
    #[must_use]
    pub fn as_slice(&self) -> &[I] {
        &self.rows
    }
}

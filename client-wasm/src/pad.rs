//! What a person presses and pushes, whatever the device, until the next tick takes it.

/// A side of the keyboard's stick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// W or the arrow.
    Up,
    /// S or the arrow.
    Down,
    /// A or the arrow.
    Left,
    /// D or the arrow.
    Right,
}

impl Side {
    const fn bit(self) -> u8 {
        match self {
            Self::Up => 1,
            Self::Down => 2,
            Self::Left => 4,
            Self::Right => 8,
        }
    }
}

/// Where a press comes from. The same button may be held from several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Keys.
    Keyboard,
    /// Buttons on the glass.
    Touch,
    /// A mouse on the picture.
    Mouse,
}

/// A stick, eight buttons and a pointer.
#[derive(Clone, Debug, Default)]
pub struct Pad {
    sides: u8,
    /// Sides pressed since the last tick, so that a tap shorter than a tick still counts.
    sides_tapped: u8,
    thumb: Option<(f32, f32)>,
    held: [u8; 3],
    tapped: u8,
    pointer: Option<(f32, f32)>,
}

/// What a tick is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The stick, at most 1 long, x to the right and y downwards on the screen.
    pub stick: (f32, f32),
    /// A bit for each button.
    pub buttons: u8,
    /// Where the mouse points, in CSS pixels; `None` without a mouse, or before it has moved.
    pub pointer: Option<(f32, f32)>,
}

impl Pad {
    /// A side key goes down or up.
    pub fn side(&mut self, side: Side, down: bool) {
        if down {
            self.sides |= side.bit();
            self.sides_tapped |= side.bit();
        } else {
            self.sides &= !side.bit();
        }
    }

    /// The thumb pushes the stick, or lets go.
    pub fn push(&mut self, thumb: Option<(f32, f32)>) {
        self.thumb = thumb;
    }

    /// A button goes down or up.
    pub fn button(&mut self, source: Source, bit: u8, down: bool) {
        let held = &mut self.held[source as usize];
        if down {
            *held |= bit;
            self.tapped |= bit;
        } else {
            *held &= !bit;
        }
    }

    /// The mouse points here; or there is none.
    pub fn point(&mut self, pointer: Option<(f32, f32)>) {
        self.pointer = pointer;
    }

    /// A button is pressed and let go at once.
    pub fn tap(&mut self, bit: u8) {
        self.tapped |= bit;
    }

    /// Everything is let go: the page lost the keyboard.
    pub fn release(&mut self) {
        *self = Self::default();
    }

    /// What the next tick is given.
    pub fn sample(&mut self) -> Sample {
        let sides = self.sides | std::mem::take(&mut self.sides_tapped);
        let buttons = self.held.iter().fold(0, |all, held| all | held) | std::mem::take(&mut self.tapped);
        let axis = |plus: Side, minus: Side| {
            f32::from(u8::from(sides & plus.bit() != 0)) - f32::from(u8::from(sides & minus.bit() != 0))
        };
        let keys = (axis(Side::Right, Side::Left), axis(Side::Down, Side::Up));
        Sample { stick: self.thumb.unwrap_or(keys), buttons, pointer: self.pointer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tap_between_two_ticks_counts_once() {
        let mut pad = Pad::default();
        pad.button(Source::Keyboard, 2, true);
        pad.button(Source::Keyboard, 2, false);
        pad.side(Side::Left, true);
        pad.side(Side::Left, false);
        assert_eq!(pad.sample(), Sample { stick: (-1.0, 0.0), buttons: 2, pointer: None });
        assert_eq!(pad.sample(), Sample::default());
    }

    #[test]
    fn a_button_is_held_until_every_source_lets_go() {
        let mut pad = Pad::default();
        pad.button(Source::Keyboard, 1, true);
        pad.button(Source::Touch, 1, true);
        pad.button(Source::Keyboard, 1, false);
        pad.sample();
        assert_eq!(pad.sample().buttons, 1);
        pad.release();
        assert_eq!(pad.sample(), Sample::default());
    }

    #[test]
    fn the_pointer_stays_where_it_was_until_everything_is_let_go() {
        let mut pad = Pad::default();
        pad.point(Some((3.0, 4.0)));
        pad.button(Source::Mouse, 1, true);
        pad.sample();
        assert_eq!((pad.sample().pointer, pad.sample().buttons), (Some((3.0, 4.0)), 1));
        pad.release();
        assert_eq!(pad.sample(), Sample::default());
    }

    #[test]
    fn opposite_keys_cancel_and_the_thumb_goes_before_keys() {
        let mut pad = Pad::default();
        pad.side(Side::Left, true);
        pad.side(Side::Right, true);
        pad.side(Side::Down, true);
        assert_eq!(pad.sample().stick, (0.0, 1.0));
        pad.push(Some((0.5, 0.0)));
        assert_eq!(pad.sample().stick, (0.5, 0.0));
    }
}

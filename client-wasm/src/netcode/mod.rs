//! Everything between the bytes of the socket and the numbers of the picture, without the browser.
//!
//! Time and bytes are arguments, so all of it is tested natively over a virtual link. [`Session`] keeps the
//! conversation with the server, [`Play`] the world of one match: a [`Clock`] that says which tick is due, a
//! [`Prediction`] for the seat this page plays, a [`Playout`] for pages that only watch, and a [`Smoothing`] that hides
//! corrections from the eye.

mod backoff;
mod clock;
mod figures;
mod lead;
mod meter;
mod play;
mod playout;
mod prediction;
mod rows;
mod session;
mod smoothing;

pub use backoff::Backoff;
pub use clock::Clock;
pub use figures::Figures;
pub use lead::Lead;
pub use meter::Meter;
pub use play::Play;
pub use playout::Playout;
pub use prediction::{Prediction, REPLAY_TICKS_MAX, Reconciled};
pub use rows::Rows;
pub use session::{Ending, Event, Phase, Session};
pub use smoothing::{Point, Smoothing, blend};

use sim::{Game, View};

/// What prediction and picture must know of a game beyond the simulation's seam.
pub trait Pictured: Game {
    /// A body that moves farther than this in one tick was placed, not moved: it is shown there at once.
    const JUMP_UNITS: f32;

    /// Where the bodies of a view are. Equal order and count in every view of a match.
    fn bodies(view: &View<Self>, into: &mut Vec<Point>);
}

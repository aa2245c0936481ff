//! What comes of what the server says.

use contract::{Pace, Refusal, SeatId, Snapshot, Steps, Tick, Welcome};

/// Where the conversation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No socket, or one that is not open yet.
    Apart,
    /// `Hello` is said and not answered yet.
    Greeting,
    /// In the match, without a seat.
    Watching,
    /// A seat is asked for.
    Joining,
    /// In the match, about to get the seat back that this page had before.
    Returning,
    /// In the match, with this seat.
    Playing(SeatId),
    /// The server has ended it for good.
    Over,
}

/// What the server said.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// The match and how it runs, and how long the answer to `Hello` took.
    Welcome {
        /// What the server said.
        welcome: Welcome,
        /// The first round trip, in milliseconds.
        rtt_ms: f64,
    },
    /// [`Session::roster`](super::Session::roster) has changed.
    Roster,
    /// A view.
    Snapshot(Snapshot),
    /// What every seat did since the last view.
    Steps(Steps),
    /// This page plays a seat now.
    Seated {
        /// The seat.
        seat: SeatId,
        /// First tick an input may name.
        tick: Tick,
    },
    /// A wish was not granted.
    Refused(Refusal),
    /// This page plays no seat any more.
    Unseated,
    /// How early inputs arrive.
    Pace(Pace),
    /// The server left out ticks.
    Stalled {
        /// How many.
        ticks: u32,
    },
    /// A round trip took so long.
    RoundTrip {
        /// In milliseconds.
        rtt_ms: f64,
    },
    /// The seat could not be given back just now: this connection is of no use, the next one may be.
    TryAgain,
    /// Something that has no place at this moment; nothing came of it.
    Unexpected,
}

/// What to do about a socket that is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// Connect again after a while.
    Retry {
        /// In milliseconds.
        in_ms: f64,
    },
    /// Load the page anew: the server runs another version.
    Reload,
    /// The same player goes on in another tab. Connect again only when a person asks for it.
    Elsewhere,
    /// Do not connect again; say this.
    Final(&'static str),
}

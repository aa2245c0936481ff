//! How the link does.

/// Counters and clock readings for whoever wants to know how the link does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Round trip in milliseconds.
    pub rtt_ms: f64,
    /// Ticks this page is ahead of what it hears.
    pub lead_ticks: f64,
    /// Ticks between arrival and use of this seat's inputs, as the server reports it.
    pub margin_ticks: Option<i16>,
    /// Delay with which a watching page shows things, in ticks.
    pub delay_ticks: f64,
    /// Views that were predicted to the last bit.
    pub exact: u32,
    /// Views that were not, because somebody did something else than predicted.
    pub mispredicted: u32,
    /// Views that were not although everybody did what was predicted. Never happens.
    pub wrong: u32,
    /// Times the page gave up predicting and showed the view itself.
    pub snapped: u32,
    /// Frames in which a body's picture was moved by more than 2 units to hide an error.
    pub corrected: u32,
    /// Times the clock jumped.
    pub jumps: u32,
    /// Times what is known of the world became useless and a whole view was needed.
    pub resyncs: u32,
    /// Inputs that came too late, as the server counts them.
    pub late: u32,
}

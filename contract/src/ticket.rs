//! What lets a connection in.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hex;

/// Leave to open one conversation about one match, for a short time: signed by the server or by the host's own backend,
/// opaque to pages. Only ever sent in a body or in the first frame, never in an address.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticket(#[serde(with = "serde_bytes")] pub [u8; Ticket::BYTES]);

/// A text that is no ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ticket is {} hexadecimal digits", 2 * Ticket::BYTES)]
pub struct TicketError;

impl Ticket {
    /// Length in bytes.
    pub const BYTES: usize = 75;

    /// Longest time from issue to use, in milliseconds.
    pub const LIFETIME_MS_MAX: u16 = 30_000;

    /// Reads the form tickets have in JSON and on a terminal.
    ///
    /// # Errors
    /// When the text is not of hexadecimal digits, or of another length.
    pub fn parse(text: &str) -> Result<Self, TicketError> {
        hex::decode(text).map(Self).ok_or(TicketError)
    }

    /// The form for JSON and terminals. Not `Display`, so that no ticket gets into a log by accident.
    #[must_use]
    pub fn to_text(&self) -> String {
        hex::encode(&self.0)
    }
}

impl fmt::Debug for Ticket {
    /// Never shows the ticket.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_read_as_it_was_written_and_nothing_else_is() {
        let ticket = Ticket(std::array::from_fn(|at| at as u8 * 3));
        assert_eq!(Ticket::parse(&ticket.to_text()), Ok(ticket));
        assert!(!format!("{ticket:?}").contains(&ticket.to_text()[..4]));
        let text = ticket.to_text();
        for bad in ["", &text[1..], &text.replace('0', "g"), &text.replacen("00", "+1", 1), &format!("{text}00")] {
            assert_eq!(Ticket::parse(bad), Err(TicketError), "{bad}");
        }
    }
}

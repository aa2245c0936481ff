//! The key that tickets are signed with.

use std::{fmt, str::FromStr};

use contract::hex;
use serde::{Deserialize, Deserializer, de::Error as _};

/// A secret shared by a server and whoever else makes tickets for it.
#[derive(Clone, PartialEq, Eq)]
pub struct TicketKey([u8; TicketKey::BYTES]);

/// A text that is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketKeyError;

impl fmt::Display for TicketKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a ticket key is {} hexadecimal digits", 2 * TicketKey::BYTES)
    }
}

impl std::error::Error for TicketKeyError {}

impl TicketKey {
    /// Length in bytes: what the hash function can make use of.
    pub const BYTES: usize = 32;

    /// A key nobody knows.
    pub(crate) fn fresh() -> Self {
        Self(rand::random())
    }

    /// Reads a key.
    ///
    /// # Errors
    /// When the text is not of hexadecimal digits, or of another length.
    pub fn parse(text: &str) -> Result<Self, TicketKeyError> {
        hex::decode(text).map(Self).ok_or(TicketKeyError)
    }

    pub(super) const fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl FromStr for TicketKey {
    type Err = TicketKeyError;

    fn from_str(text: &str) -> Result<Self, TicketKeyError> {
        Self::parse(text)
    }
}

impl fmt::Debug for TicketKey {
    /// Never shows the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketKey(..)")
    }
}

impl<'de> Deserialize<'de> for TicketKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

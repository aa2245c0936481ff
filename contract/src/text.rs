//! Text that people type, made safe to show.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{SeatId, limits::NAME_CHARS_MAX};

/// A player's name: 1 to 24 visible characters on one line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct PlayerName(String);

/// A player's name as that player typed it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UntrustedName {
    /// The player.
    pub id: SeatId,
    /// At most 24 characters, cleaned.
    pub name: String,
}

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to 24 visible characters")]
pub struct NameError;

impl PlayerName {
    /// Cleans a text into a name: drops control, bidirectional and zero-width characters, folds runs of white space
    /// into one space, and cuts it to 24 characters.
    ///
    /// # Errors
    /// When nothing visible is left.
    pub fn clean(text: &str) -> Result<Self, NameError> {
        let mut name = String::new();
        let mut length = 0;
        let mut space_owed = false;
        for c in text.chars() {
            if c.is_whitespace() {
                space_owed = length > 0;
                continue;
            }
            if !is_visible(c) {
                continue;
            }
            let needed = 1 + usize::from(space_owed);
            if length + needed > NAME_CHARS_MAX {
                break;
            }
            if space_owed {
                name.push(' ');
            }
            space_owed = false;
            name.push(c);
            length += needed;
        }
        if name.is_empty() { Err(NameError) } else { Ok(Self(name)) }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether two names look alike enough to be mistaken for each other: equal but for case.
    #[must_use]
    pub fn looks_like(&self, other: &Self) -> bool {
        self.0.to_lowercase() == other.0.to_lowercase()
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PlayerName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::clean(&text).map_err(D::Error::custom)
    }
}

fn is_visible(c: char) -> bool {
    let hidden = matches!(c,
        '\u{00ad}' // soft hyphen
        | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' // zero width and direction marks
        | '\u{2028}'..='\u{202e}' // line separators and direction overrides
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    !hidden && !c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> Option<String> {
        PlayerName::clean(text).ok().map(|name| name.0)
    }

    #[test]
    fn names_lose_what_cannot_be_seen() {
        assert_eq!(clean("  Ada \n Lovelace\u{202e}\u{200b} "), Some("Ada Lovelace".into()));
        assert_eq!(clean("\u{0}\u{7}a\u{feff}b"), Some("ab".into()));
        assert_eq!(clean(" \u{200d}\n"), None);
        assert_eq!(clean(""), None);
    }

    #[test]
    fn names_are_cut_to_their_limit() {
        assert_eq!(clean(&"ab ".repeat(4000)).map(|name| name.chars().count()), Some(23));
        assert_eq!(clean(&"é".repeat(90)).map(|name| name.chars().count()), Some(24));
    }

    #[test]
    fn cleaning_twice_changes_nothing() {
        for text in ["a  b\tc", "x".repeat(99).as_str(), "\u{202e}évil\u{0}"] {
            let once = clean(text).expect("visible");
            assert_eq!(clean(&once), Some(once));
        }
    }
}

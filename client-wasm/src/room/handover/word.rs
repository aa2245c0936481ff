//! What replicas say to each other, as payloads on the Room's lanes.

use serde_json::{Value, json};

use crate::room::JoinSecret;

/// Digits of a mark.
const MARK_DIGITS: usize = 8;

/// A message between replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Which secret do you hold? Private.
    Ask,
    /// This one. Private.
    Tell(JoinSecret),
    /// I hold the one with this mark, or none yet. Aloud.
    Mark(Option<String>),
}

impl Word {
    /// The payload.
    #[must_use]
    pub fn write(&self) -> Value {
        match self {
            Self::Ask => json!({ "type": "matchd_ask" }),
            Self::Tell(secret) => json!({ "type": "matchd_tell", "secret": secret.write() }),
            Self::Mark(mark) => json!({ "type": "matchd_mark", "mark": mark }),
        }
    }

    /// Reads a payload; `None` when it is not a message of ours.
    #[must_use]
    pub fn read(payload: &Value) -> Option<Self> {
        match payload["type"].as_str()? {
            "matchd_ask" => Some(Self::Ask),
            "matchd_tell" => JoinSecret::read(payload["secret"].as_str()?).map(Self::Tell),
            "matchd_mark" => match &payload["mark"] {
                Value::Null => Some(Self::Mark(None)),
                Value::String(mark) if mark.len() == MARK_DIGITS => Some(Self::Mark(Some(mark.clone()))),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written_and_nothing_else_is() {
        let tell = Word::Tell(JoinSecret::new(5, [9; 16]));
        for word in [Word::Ask, tell, Word::Mark(None), Word::Mark(Some("0123abcd".into()))] {
            assert_eq!(Word::read(&word.write()), Some(word));
        }
        for payload in [
            json!(null),
            json!([]),
            json!({}),
            json!({ "type": 1 }),
            json!({ "type": "wb_join" }),
            json!({ "type": "matchd_tell" }),
            json!({ "type": "matchd_tell", "secret": "00" }),
            json!({ "type": "matchd_mark", "mark": 1 }),
            json!({ "type": "matchd_mark", "mark": "0".repeat(9000) }),
        ] {
            assert_eq!(Word::read(&payload), None, "{payload}");
        }
    }
}

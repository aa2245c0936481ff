//! What a page remembers when it is loaded anew: the secret of its seat.

use contract::{MatchKey, ResumeSecret};
use web_sys::{Storage, Window};

/// The tab's own storage, where there is one: a frame without an origin has none, and its seat lives as long as it does.
pub(super) struct Memory {
    storage: Option<Storage>,
    /// Name of the secret in the storage.
    name: String,
    kept: Option<ResumeSecret>,
}

impl Memory {
    /// What this tab remembers of a match.
    pub(super) fn new(window: &Window, match_key: &MatchKey) -> Self {
        let storage = window.session_storage().ok().flatten();
        let name = format!("seat {}", match_key.as_str());
        let kept = storage.as_ref().and_then(|storage| storage.get_item(&name).ok()?).and_then(|text| read(&text));
        Self { storage, name, kept }
    }

    /// The secret of the seat this tab had.
    pub(super) const fn secret(&self) -> Option<ResumeSecret> {
        self.kept
    }

    /// Remembers a secret, or forgets it.
    pub(super) fn keep(&mut self, secret: Option<ResumeSecret>) {
        if std::mem::replace(&mut self.kept, secret) == secret {
            return;
        }
        let Some(storage) = &self.storage else { return };
        // A full or forbidden storage only means that a reload loses the seat.
        let _ = match secret {
            Some(secret) => storage.set_item(&self.name, &write(secret)),
            None => storage.remove_item(&self.name),
        };
    }
}

fn write(secret: ResumeSecret) -> String {
    secret.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(text: &str) -> Option<ResumeSecret> {
    let mut secret = [0; 16];
    if text.len() != 2 * secret.len() || !text.is_ascii() {
        return None;
    }
    for (index, byte) in secret.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(ResumeSecret(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_as_it_was_written_and_nothing_else_is() {
        let secret = ResumeSecret(std::array::from_fn(|index| index as u8 * 17));
        assert_eq!(read(&write(secret)), Some(secret));
        for text in ["", "00", "zz112233445566778899aabbccddeeff", "ä0112233445566778899aabbccddeef"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

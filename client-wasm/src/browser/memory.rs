//! What a page remembers when it is loaded anew: the secret of its seat.

use contract::{MatchKey, ResumeSecret, hex};
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
        let kept = storage
            .as_ref()
            .and_then(|storage| storage.get_item(&name).ok()?)
            .and_then(|text| hex::decode(&text))
            .map(ResumeSecret);
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
            Some(secret) => storage.set_item(&self.name, &hex::encode(&secret.0)),
            None => storage.remove_item(&self.name),
        };
    }
}

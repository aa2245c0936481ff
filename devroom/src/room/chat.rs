//! The Room's chat: what people and Agents say to each other. Requests to Apps never appear in it.

use std::collections::VecDeque;

use crate::ids::ParticipantId;
use crate::json::Json;
use crate::limits::{CHAT_CHARS_MAX, CHAT_KEPT_MAX};

use super::Room;

/// The newest messages, each with a number that grows.
#[derive(Debug, Default)]
pub(super) struct Chat {
    messages: VecDeque<(u64, Json)>,
    newest: u64,
}

impl Chat {
    /// The remembered messages newer than this number.
    pub(super) fn since(&self, number: u64) -> Json {
        self.messages.iter().filter(|(id, _)| *id > number).map(|(_, message)| message.clone()).collect()
    }

    fn push(&mut self, message: Json) {
        if self.messages.len() == CHAT_KEPT_MAX {
            self.messages.pop_front();
        }
        self.messages.push_back((self.newest, message));
    }
}

impl Room {
    /// Somebody says something to everybody.
    ///
    /// # Errors
    /// A code: `unauthorized` if they are not in the Room, `invalid_text` if it is empty or too long.
    pub fn say(&mut self, participant: &ParticipantId, text: &str) -> Result<u64, &'static str> {
        let person = self.people.get(participant).ok_or("unauthorized")?;
        let text = text.trim();
        if text.is_empty() || text.chars().count() > CHAT_CHARS_MAX {
            return Err("invalid_text");
        }
        self.chat.newest += 1;
        let message = Json::object([
            ("id", self.chat.newest.into()),
            ("participantId", participant.as_str().into()),
            ("name", person.name.as_str().into()),
            ("kind", person.kind.as_str().into()),
            ("text", text.into()),
        ]);
        self.chat.push(message.clone());
        self.send_to_browsers(&Json::object([("type", "room-chat".into()), ("message", message.clone())]));
        self.send_events_to_agents(&message);
        Ok(self.chat.newest)
    }

    /// The remembered messages newer than this number, and the newest number.
    #[must_use]
    pub fn messages_since(&self, number: u64) -> (Json, u64) {
        (self.chat.since(number), self.chat.newest)
    }
}

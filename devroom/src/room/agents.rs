//! What a resident Agent hears. A new message carries a snapshot of the Room; a change of the Room alone wakes nobody.

use crate::json::Json;

use super::people::Kind;
use super::{Room, SocketId};

impl Room {
    /// The frame a resident Agent gets: these messages, and the Room as it is now.
    pub(super) fn send_events(&mut self, socket: SocketId, messages: &[Json]) {
        let Some(entry) = self.sockets.get(&socket) else { return };
        // An MCP Agent asks for its messages instead.
        if entry.silent_at_ms.is_some() {
            return;
        }
        let name = self.who(&entry.participant).map_or("", |(name, _)| name);
        let events = messages.iter().map(|message| event(message, name)).collect();
        let (_, cursor) = self.messages_since(u64::MAX);
        let frame = Json::object([
            ("type", "events".into()),
            ("events", events),
            ("cursor", cursor.into()),
            ("participants", self.roster()),
            ("runtimeHosts", Json::Array(Vec::new())),
            ("mediaState", Json::Object(Vec::new())),
            ("roomApps", self.discovery()),
        ]);
        self.send(socket, &frame);
    }

    pub(super) fn send_events_to_agents(&mut self, message: &Json) {
        let agents = self.sockets.iter().filter(|(_, socket)| socket.kind == Kind::Agent && socket.is_open);
        let agents: Vec<_> = agents.map(|(id, _)| *id).collect();
        for socket in agents {
            self.send_events(socket, std::slice::from_ref(message));
        }
    }
}

/// A message as one Agent hears it: `addressed` if it names that Agent as `@Name`.
fn event(message: &Json, name: &str) -> Json {
    let text = message.text_field("text").unwrap_or_default().to_lowercase();
    let is_addressed = text.contains(&format!("@{}", name.to_lowercase()));
    Json::object([("type", "message".into()), ("message", message.clone()), ("addressed", is_addressed.into())])
}

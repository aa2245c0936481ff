//! Frames that browsers and resident Agents send on their sockets.

use crate::ids::InstanceId;
use crate::json::Json;

use super::people::Kind;
use super::{Room, SocketId};

impl Room {
    /// Takes one frame. A faulty one is answered with an error and otherwise ignored; so is one too many.
    pub fn frame(&mut self, now_ms: u64, socket: SocketId, text: &str) {
        let Some(entry) = self.sockets.get(&socket) else { return };
        let (kind, participant) = (entry.kind, entry.participant.clone());
        let Some(person) = self.people.get_mut(&participant) else { return };
        if !person.frames.admit(now_ms, text.len()) {
            return self.send_error(socket, "message_rate_limited");
        }
        let frame = Json::parse(text).unwrap_or(Json::Null);
        let done = match (frame.text_field("type").unwrap_or_default(), kind) {
            ("room-app-host-state", Kind::Human) => self.host_state_frame(socket, &frame),
            ("room-app-agent-response", Kind::Human) => {
                self.agent_response(socket, &frame);
                Some(())
            }
            ("room-app-unicast", Kind::Human) => self.unicast(now_ms, socket, &frame),
            ("room-chat", _) => frame.text_field("text").and_then(|said| self.say(&participant, said).ok()).map(drop),
            ("room-leave", _) => {
                self.leave(&participant);
                Some(())
            }
            _ => None,
        };
        if done.is_none() {
            self.send_error(socket, "unsupported_message");
        }
    }

    fn host_state_frame(&mut self, socket: SocketId, frame: &Json) -> Option<()> {
        let instance = InstanceId::parse(frame.text_field("appInstanceId")?)?;
        let Json::Bool(is_ready) = frame.field("ready")? else { return None };
        self.host_state(socket, &instance, *is_ready);
        Some(())
    }

    fn send_error(&mut self, socket: SocketId, code: &str) {
        self.send(socket, &Json::object([("type", "error".into()), ("error", code.into())]));
    }
}

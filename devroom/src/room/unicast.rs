//! Private messages from one person's App to another's, over the Room's sockets. Never queued, stored or shown to Agents.

use crate::ids::{InstanceId, ParticipantId, RequestId};
use crate::json::Json;
use crate::limits::ENVELOPE_BYTES_MAX;

use super::people::Kind;
use super::{Room, SocketId};

impl Room {
    /// A browser's unicast frame. `None` if it cannot even be answered.
    pub(super) fn unicast(&mut self, now_ms: u64, socket: SocketId, frame: &Json) -> Option<()> {
        let id = RequestId::parse(frame.text_field("requestId")?)?;
        let instance = InstanceId::parse(frame.text_field("appInstanceId")?)?;
        let outcome = self.deliver(now_ms, socket, &instance, frame);
        let result = Json::object([
            ("type", "room-app-unicast-result".into()),
            ("requestId", id.as_str().into()),
            ("appInstanceId", instance.as_str().into()),
            ("ok", outcome.is_ok().into()),
        ]);
        let result = if let Err(code) = outcome { result.with("error", code.into()) } else { result };
        self.send(socket, &result);
        Some(())
    }

    fn deliver(
        &mut self,
        now_ms: u64,
        socket: SocketId,
        instance: &InstanceId,
        frame: &Json,
    ) -> Result<(), &'static str> {
        let sender = self.current_browsers_with_id().find(|(id, _)| *id == socket);
        let sender = sender.map(|(_, entry)| entry.participant.clone()).ok_or("invalid_request")?;
        let payload = frame.field("payload").filter(|payload| payload.is_payload()).ok_or("invalid_request")?;
        let bytes = frame.stringify().len();
        if bytes > ENVELOPE_BYTES_MAX {
            return Err("invalid_request");
        }
        let target = frame.text_field("targetParticipantId").and_then(ParticipantId::parse).ok_or("invalid_request")?;
        if !self.apps_enabled || !self.is_active_instance(instance) {
            return Err("app_unavailable");
        }
        if target == sender {
            return Err("invalid_target");
        }
        let person = self.people.get(&target).filter(|person| person.kind == Kind::Human);
        let place = person.and_then(|person| person.current).ok_or("target_unavailable")?;
        if self.people.get_mut(&sender).is_some_and(|person| !person.unicast.admit(now_ms, bytes)) {
            return Err("rate_limited");
        }
        if !self.sockets.get(&place).is_some_and(|entry| entry.is_open) {
            return Err("delivery_failed");
        }
        let delivery = Json::object([
            ("type", "room-app-unicast".into()),
            ("protocolVersion", 1_u64.into()),
            ("appInstanceId", instance.as_str().into()),
            ("sourceParticipantId", sender.as_str().into()),
            ("payload", payload.clone()),
        ]);
        if delivery.stringify().len() > ENVELOPE_BYTES_MAX {
            return Err("invalid_request");
        }
        self.send(place, &delivery);
        Ok(())
    }
}

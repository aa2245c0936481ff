//! The Room's Apps: where each is open, and what browsers and Agents are told about them.

use crate::ids::InstanceId;
use crate::json::Json;
use crate::limits::INSTANCES_PER_SOCKET_MAX;

use super::people::Kind;
use super::sockets::Socket;
use super::{Room, SocketId};

impl Room {
    /// The Apps an Agent may ask, in the order they became ready: those that are open for a connected person.
    #[must_use]
    pub fn discovery(&self) -> Json {
        let mut ready: Vec<(u64, &InstanceId)> = Vec::new();
        for (instance, order) in self.current_browsers().flat_map(|socket| &socket.active) {
            match ready.iter_mut().find(|(_, known)| *known == instance) {
                Some((first, _)) => *first = (*first).min(*order),
                None => ready.push((*order, instance)),
            }
        }
        ready.sort_unstable();
        let entry = |(_, instance): (u64, &InstanceId)| {
            let app = self.catalog.active(instance)?;
            let is_ambiguous = self.rules.ambiguous_host && self.eligible_hosts(instance).len() > 1;
            let entry = Json::object([
                ("appInstanceId", instance.as_str().into()),
                ("appId", app.id.as_str().into()),
                ("title", app.label.as_str().into()),
                ("source", "curated".into()),
                ("callable", (!is_ambiguous).into()),
            ]);
            Some(if is_ambiguous { entry.with("unavailableReason", "ambiguous_host".into()) } else { entry })
        };
        if self.apps_enabled { ready.into_iter().filter_map(entry).collect() } else { Json::Array(Vec::new()) }
    }

    /// A browser's frame about an App there: whether its handshake is done.
    pub(super) fn host_state(&mut self, socket: SocketId, instance: &InstanceId, is_ready: bool) {
        if !is_ready {
            if let Some(entry) = self.sockets.get_mut(&socket) {
                entry.active.retain(|(active, _)| active != instance);
                self.fail_requests_of_app(socket, instance);
            }
            return;
        }
        let is_current_human = self.current_browsers_with_id().any(|(id, _)| id == socket);
        if !is_current_human || !self.is_active_instance(instance) {
            return;
        }
        let Some(entry) = self.sockets.get_mut(&socket) else { return };
        let is_new = entry.active.iter().all(|(active, _)| active != instance);
        if is_new && entry.active.len() < INSTANCES_PER_SOCKET_MAX {
            self.ready_count += 1;
            entry.active.push((instance.clone(), self.ready_count));
        }
    }

    /// The first frame a browser gets.
    pub(super) fn welcome(&mut self, socket: SocketId) {
        let Some(participant) = self.sockets.get(&socket).map(|entry| entry.participant.clone()) else { return };
        let frame = Json::object([
            ("type", "room-welcome".into()),
            ("room", self.name.as_str().into()),
            ("participantId", participant.as_str().into()),
            ("participants", self.roster()),
            ("apps", self.apps()),
            ("messages", self.chat.since(0)),
        ]);
        self.send(socket, &frame);
    }

    pub(super) fn announce_apps(&mut self) {
        let frame = Json::object([("type", "room-apps".into()), ("apps", self.apps())]);
        self.send_to_browsers(&frame);
    }

    /// The open sockets of connected people that are their current ones.
    pub(super) fn current_browsers_with_id(&self) -> impl Iterator<Item = (SocketId, &Socket)> {
        self.sockets.iter().filter_map(|(id, socket)| {
            let person = self.people.get(&socket.participant)?;
            let is_current = person.nonce.as_deref() == Some(socket.nonce.as_str());
            (socket.kind == Kind::Human && socket.is_open && is_current).then_some((*id, socket))
        })
    }

    fn current_browsers(&self) -> impl Iterator<Item = &Socket> {
        self.current_browsers_with_id().map(|(_, socket)| socket)
    }

    /// The Apps people can open.
    fn apps(&self) -> Json {
        let active = self.catalog.apps().filter(|(_, app)| self.apps_enabled && app.is_active);
        active
            .map(|(instance, app)| {
                Json::object([
                    ("appInstanceId", instance.as_str().into()),
                    ("appId", app.id.as_str().into()),
                    ("title", app.label.as_str().into()),
                    ("url", app.url.as_str().into()),
                ])
            })
            .collect()
    }
}

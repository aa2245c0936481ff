//! The Room's sockets: one browser's, or an Agent's resident one. The newest of a participant is the current one.

use std::sync::Arc;

use crate::ids::{InstanceId, ParticipantId};
use crate::json::Json;
use crate::limits::{MCP_SILENCE_MS, SOCKETS_MAX, SOCKETS_PER_PARTICIPANT_MAX};

use super::people::{Kind, grace_ms};
use super::{Effect, Room, SocketId};

/// Why a socket is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// The credentials are nobody's, or somebody's of another kind.
    Unauthorized,
    /// There are too many sockets.
    TooManySockets,
    /// The Room is over.
    Expired,
}

#[derive(Debug)]
pub(super) struct Socket {
    pub(super) participant: ParticipantId,
    pub(super) kind: Kind,
    pub(super) nonce: String,
    /// A socket about to close is known, but nothing is sent on it any more.
    pub(super) is_open: bool,
    /// The Apps that are ready there, each with its place in the order of becoming ready.
    pub(super) active: Vec<(InstanceId, u64)>,
    /// An MCP Agent's socket exists only in here. It ends when the Agent is silent for this long.
    pub(super) silent_at_ms: Option<u64>,
}

impl Room {
    /// Takes a browser's or an Agent's socket, which becomes the participant's current one, and welcomes it.
    ///
    /// # Errors
    /// The credentials are wrong, there are too many sockets, or the Room is over.
    pub fn connect(
        &mut self,
        socket: SocketId,
        kind: Kind,
        participant: &ParticipantId,
        token: &str,
        nonce: String,
    ) -> Result<(), ConnectError> {
        if self.is_expired {
            return Err(ConnectError::Expired);
        }
        if !self.knows(participant, token) {
            return Err(ConnectError::Unauthorized);
        }
        if self.sockets.len() >= SOCKETS_MAX || self.sockets_of(participant).len() >= SOCKETS_PER_PARTICIPANT_MAX {
            return Err(ConnectError::TooManySockets);
        }
        let person = self.people.get_mut(participant).ok_or(ConnectError::Unauthorized)?;
        if person.kind != kind {
            return Err(ConnectError::Unauthorized);
        }
        person.current = Some(socket);
        person.nonce = Some(nonce.clone());
        person.leaves_at_ms = None;
        let participant = participant.clone();
        let entry = Socket { participant, kind, nonce, is_open: true, active: Vec::new(), silent_at_ms: None };
        self.sockets.insert(socket, entry);
        self.announce_roster();
        match kind {
            Kind::Human => self.welcome(socket),
            Kind::Agent => self.send_events(socket, &[]),
        }
        Ok(())
    }

    /// The socket has begun to close: nothing is routed to it any more.
    pub fn closing(&mut self, socket: SocketId) {
        if let Some(socket) = self.sockets.get_mut(&socket) {
            socket.is_open = false;
        }
    }

    /// The socket has closed.
    pub fn disconnect(&mut self, now_ms: u64, socket: SocketId) {
        let Some(Socket { participant, kind, .. }) = self.sockets.remove(&socket) else { return };
        let Some(person) = self.people.get_mut(&participant) else { return };
        // An older socket whose place was already taken: what is in flight there runs into its expiry.
        if person.current != Some(socket) {
            return;
        }
        person.current = None;
        person.nonce = None;
        person.leaves_at_ms = Some(now_ms + grace_ms(kind));
        self.fail_requests_on(socket, kind);
        self.announce_roster();
    }

    /// An Agent that speaks MCP has called: unless it has a resident socket, `socket` becomes it, with nothing behind it. It
    /// ends when the Agent is silent for long.
    ///
    /// # Errors
    /// As for [`connect`](Self::connect).
    pub fn reside(
        &mut self,
        now_ms: u64,
        socket: SocketId,
        participant: &ParticipantId,
        token: &str,
        nonce: String,
    ) -> Result<(), ConnectError> {
        let current = self.people.get(participant).and_then(|person| person.current);
        let resident = match current {
            Some(current) => current,
            None => {
                self.connect(socket, Kind::Agent, participant, token, nonce)?;
                socket
            }
        };
        if let Some(entry) = self.sockets.get_mut(&resident)
            && (resident == socket || entry.silent_at_ms.is_some())
        {
            entry.silent_at_ms = Some(now_ms + MCP_SILENCE_MS);
        }
        Ok(())
    }

    pub(super) fn let_go_of_the_silent(&mut self, now_ms: u64) {
        let is_due = |silent: Option<u64>| silent.is_some_and(|at| at <= now_ms);
        let silent: Vec<_> =
            self.sockets.iter().filter(|(_, socket)| is_due(socket.silent_at_ms)).map(|(id, _)| *id).collect();
        for socket in silent {
            self.disconnect(now_ms, socket);
        }
    }

    pub(super) fn sockets_of(&self, participant: &ParticipantId) -> Vec<SocketId> {
        self.sockets.iter().filter(|(_, socket)| socket.participant == *participant).map(|(id, _)| *id).collect()
    }

    /// Forgets a socket whose participant leaves, and closes it.
    pub(super) fn drop_socket(&mut self, socket: SocketId) {
        if let Some(entry) = self.sockets.remove(&socket) {
            self.fail_requests_on(socket, entry.kind);
            self.effects.push(Effect::Close { socket });
        }
    }

    pub(super) fn send(&mut self, socket: SocketId, frame: &Json) {
        self.effects.push(Effect::Send { socket, frame: frame.stringify().into() });
    }

    pub(super) fn send_to_browsers(&mut self, frame: &Json) {
        let frame: Arc<str> = frame.stringify().into();
        for (id, socket) in &self.sockets {
            if socket.kind == Kind::Human && socket.is_open {
                self.effects.push(Effect::Send { socket: *id, frame: frame.clone() });
            }
        }
    }
}

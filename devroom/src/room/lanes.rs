//! The lanes between browsers. In Free4Chat they are WebRTC data channels and this is what the media server between them
//! does: it passes texts on without reading them. Who sent a text is known from where it came in.

use std::sync::Arc;

use crate::ids::ParticipantId;
use crate::limits::{
    ENVELOPE_BYTES_MAX, LANE_BYTES_MAX, RATE_WINDOW_MS, REALTIME_MAX, RELIABLE_MAX, SOCKETS_PER_PARTICIPANT_MAX,
};
use crate::window::SlidingWindow;

use super::people::Kind;
use super::{ConnectError, Effect, Room, SocketId};

/// How a message travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Ordered and complete, to whoever is connected when it is sent.
    Reliable,
    /// May be dropped or overtaken.
    Realtime,
}

impl Lane {
    const fn name(self) -> &'static str {
        match self {
            Self::Reliable => "reliable",
            Self::Realtime => "realtime",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Reliable, Self::Realtime].into_iter().find(|lane| lane.name() == name)
    }
}

#[derive(Debug)]
pub(super) struct LaneSocket {
    participant: ParticipantId,
    reliable: SlidingWindow,
    realtime: SlidingWindow,
    bytes: SlidingWindow,
}

impl Room {
    /// Takes a browser's lane socket.
    ///
    /// # Errors
    /// The credentials are not those of a person in the Room, or that person has too many lane sockets.
    pub fn connect_lanes(
        &mut self,
        socket: SocketId,
        participant: &ParticipantId,
        token: &str,
    ) -> Result<(), ConnectError> {
        let is_human = self.who(participant).is_some_and(|(_, kind)| kind == Kind::Human);
        if !is_human || !self.knows(participant, token) {
            return Err(ConnectError::Unauthorized);
        }
        if self.lanes_of(participant).len() >= SOCKETS_PER_PARTICIPANT_MAX {
            return Err(ConnectError::TooManySockets);
        }
        let entry = LaneSocket {
            participant: participant.clone(),
            reliable: SlidingWindow::new(RATE_WINDOW_MS, RELIABLE_MAX, usize::MAX),
            realtime: SlidingWindow::new(RATE_WINDOW_MS, REALTIME_MAX, usize::MAX),
            bytes: SlidingWindow::new(RATE_WINDOW_MS, usize::MAX, LANE_BYTES_MAX),
        };
        self.lanes.insert(socket, entry);
        Ok(())
    }

    /// The lane socket has closed.
    pub fn disconnect_lanes(&mut self, socket: SocketId) {
        self.lanes.remove(&socket);
    }

    /// Passes `LANE\nTEXT` on to everybody else as `LANE\nSENDER\nTEXT`. The sending browser keeps the rates; what exceeds
    /// them here all the same, or is malformed, is dropped.
    pub fn lane_message(&mut self, now_ms: u64, socket: SocketId, message: &str) {
        let Some((name, text)) = message.split_once('\n') else { return };
        let (Some(lane), Some(sender)) = (Lane::named(name), self.lanes.get_mut(&socket)) else { return };
        let rate = match lane {
            Lane::Reliable => &mut sender.reliable,
            Lane::Realtime => &mut sender.realtime,
        };
        let fits = text.len() <= ENVELOPE_BYTES_MAX && sender.bytes.fits(now_ms, text.len());
        if !fits || !rate.admit(now_ms, text.len()) {
            return;
        }
        sender.bytes.admit(now_ms, text.len());
        let sender = sender.participant.clone();
        let frame: Arc<str> = format!("{name}\n{sender}\n{text}").into();
        for (other, _) in self.lanes.iter().filter(|(_, entry)| entry.participant != sender) {
            self.effects.push(Effect::SendLane { socket: *other, lane, frame: frame.clone() });
        }
    }

    pub(super) fn close_lanes_of(&mut self, participant: &ParticipantId) {
        for socket in self.lanes_of(participant) {
            self.lanes.remove(&socket);
            self.effects.push(Effect::Close { socket });
        }
    }

    fn lanes_of(&self, participant: &ParticipantId) -> Vec<SocketId> {
        self.lanes.iter().filter(|(_, entry)| entry.participant == *participant).map(|(id, _)| *id).collect()
    }
}

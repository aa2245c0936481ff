//! Who is in the Room.

use crate::ids::ParticipantId;
use crate::json::Json;
use crate::limits::{
    AGENT_LEASE_MS, FRAMES_MAX, FRAMES_WINDOW_MS, NAME_UNITS_MAX, PARTICIPANTS_MAX, RATE_WINDOW_MS, RECONNECT_GRACE_MS,
    UNICAST_BYTES_MAX, UNICAST_MAX,
};
use crate::window::SlidingWindow;

use super::{Room, SocketId};

/// What a participant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A person in a browser.
    Human,
    /// A program that reaches Apps through the broker only.
    Agent,
}

impl Kind {
    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
        }
    }
}

/// Fresh random values for somebody who joins.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Public.
    pub participant: ParticipantId,
    /// Secret.
    pub token: String,
}

/// Somebody has joined.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Who it is from now on.
    pub credentials: Credentials,
    /// The name others see.
    pub name: String,
}

/// Why somebody cannot join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// The name is empty.
    Name,
    /// All places are taken.
    Full,
    /// The Room is over.
    Expired,
}

impl JoinError {
    /// The HTTP status and code that say so.
    #[must_use]
    pub const fn status_and_code(self) -> (u16, &'static str) {
        match self {
            Self::Name => (400, "invalid_name"),
            Self::Full => (409, "room_full"),
            Self::Expired => (410, "room_expired"),
        }
    }
}

#[derive(Debug)]
pub(super) struct Participant {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) token: String,
    /// The place in the order of joining.
    pub(super) order: u64,
    /// The newest socket, while it is open. Older ones may be open too, but count for nothing.
    pub(super) current: Option<SocketId>,
    /// The newest socket's nonce. `None` means that the participant is not connected.
    pub(super) nonce: Option<String>,
    /// When the participant is removed, unless a socket connects before.
    pub(super) leaves_at_ms: Option<u64>,
    pub(super) frames: SlidingWindow,
    pub(super) unicast: SlidingWindow,
}

impl Participant {
    pub(super) const fn is_connected(&self) -> bool {
        self.nonce.is_some()
    }
}

impl Room {
    /// Lets somebody in. They are on the roster at once, and leave it again unless they connect in time.
    ///
    /// # Errors
    /// The name is empty, or the Room is full or over.
    pub fn join(&mut self, now_ms: u64, credentials: Credentials, name: &str, kind: Kind) -> Result<Joined, JoinError> {
        let name = cut(name.trim(), NAME_UNITS_MAX);
        if name.is_empty() {
            return Err(JoinError::Name);
        }
        if self.is_expired {
            return Err(JoinError::Expired);
        }
        if self.people.len() >= PARTICIPANTS_MAX {
            return Err(JoinError::Full);
        }
        self.joined_count += 1;
        let participant = Participant {
            name: name.clone(),
            kind,
            token: credentials.token.clone(),
            order: self.joined_count,
            current: None,
            nonce: None,
            leaves_at_ms: Some(now_ms + grace_ms(kind)),
            frames: SlidingWindow::new(FRAMES_WINDOW_MS, FRAMES_MAX, usize::MAX),
            unicast: SlidingWindow::new(RATE_WINDOW_MS, UNICAST_MAX, UNICAST_BYTES_MAX),
        };
        self.people.insert(credentials.participant.clone(), participant);
        self.announce_roster();
        Ok(Joined { credentials, name })
    }

    /// Removes somebody and closes their sockets.
    pub fn leave(&mut self, participant: &ParticipantId) {
        if !self.people.contains_key(participant) {
            return;
        }
        for socket in self.sockets_of(participant) {
            self.drop_socket(socket);
        }
        self.close_lanes_of(participant);
        self.people.remove(participant);
        self.announce_roster();
    }

    /// Whether these credentials are those of somebody in the Room.
    #[must_use]
    pub fn knows(&self, participant: &ParticipantId, token: &str) -> bool {
        self.people.get(participant).is_some_and(|person| person.token == token)
    }

    /// The name and kind of somebody in the Room.
    #[must_use]
    pub fn who(&self, participant: &ParticipantId) -> Option<(&str, Kind)> {
        self.people.get(participant).map(|person| (person.name.as_str(), person.kind))
    }

    /// How many people and how many Agents are connected.
    #[must_use]
    pub fn connected_counts(&self) -> (u64, u64) {
        let count =
            |kind| self.people.values().filter(|person| person.kind == kind && person.is_connected()).count() as u64;
        (count(Kind::Human), count(Kind::Agent))
    }

    /// The roster, as browsers and Agents get it.
    #[must_use]
    pub fn roster(&self) -> Json {
        let mut people: Vec<_> = self.people.iter().collect();
        people.sort_by_key(|(_, person)| person.order);
        let entry = |(id, person): (&ParticipantId, &Participant)| {
            Json::object([
                ("participantId", id.as_str().into()),
                ("name", person.name.as_str().into()),
                ("kind", person.kind.as_str().into()),
                ("connected", person.is_connected().into()),
            ])
        };
        people.into_iter().map(entry).collect()
    }

    pub(super) fn remove_the_absent(&mut self, now_ms: u64) {
        let is_due = |leaves: Option<u64>| leaves.is_some_and(|at| at <= now_ms);
        let gone: Vec<_> =
            self.people.iter().filter(|(_, person)| is_due(person.leaves_at_ms)).map(|(id, _)| id.clone()).collect();
        for participant in gone {
            self.leave(&participant);
        }
    }

    pub(super) fn announce_roster(&mut self) {
        let frame = Json::object([("type", "room-participants".into()), ("participants", self.roster())]);
        self.send_to_browsers(&frame);
    }
}

/// The longest beginning of a text that is at most so many UTF-16 code units long, and cuts no character in half.
fn cut(text: &str, units_max: usize) -> String {
    let mut units = 0;
    let fits = |character: &char| {
        units += character.len_utf16();
        units <= units_max
    };
    text.chars().take_while(fits).collect()
}

/// How long somebody without a socket stays.
pub(super) const fn grace_ms(kind: Kind) -> u64 {
    match kind {
        Kind::Human => RECONNECT_GRACE_MS,
        Kind::Agent => AGENT_LEASE_MS,
    }
}

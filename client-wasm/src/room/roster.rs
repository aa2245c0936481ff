//! Who is in the Room.

use contract::PlayerName;
use serde_json::Value;

use super::ParticipantId;

/// Most people and Agents that are kept track of. The platform's Rooms hold 32.
pub const PARTICIPANTS_MAX: usize = 64;

/// Somebody in the Room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Who it is to the host.
    pub id: ParticipantId,
    /// What the Room calls them, cleaned; `None` when nothing visible is left.
    pub name: Option<PlayerName>,
    /// Whether it is an Agent.
    pub is_agent: bool,
}

/// Everybody in the Room, in the order the host tells of them.
#[derive(Debug, Default)]
pub struct Roster {
    own: Option<ParticipantId>,
    participants: Vec<Participant>,
    changes: u32,
}

impl Roster {
    /// Begins anew with what the host's `ready` tells. Entries that make no sense are left out.
    pub(super) fn begin(&mut self, own: &Value, participants: &Value) {
        self.own = participant(own).map(|own| own.id);
        self.participants.clear();
        self.changes += 1;
        for one in participants.as_array().into_iter().flatten().filter_map(participant) {
            self.add(one);
        }
    }

    /// Somebody has come. Returns who, unless they are known or there is no room for more.
    pub(super) fn join(&mut self, one: &Value) -> Option<&Participant> {
        self.add(participant(one)?)
    }

    /// Somebody has gone. Returns who, unless nobody knows them.
    pub(super) fn leave(&mut self, one: &Value) -> Option<Participant> {
        let id = participant(one)?.id;
        let at = self.participants.iter().position(|one| one.id == id)?;
        self.changes += 1;
        Some(self.participants.remove(at))
    }

    fn add(&mut self, one: Participant) -> Option<&Participant> {
        let is_known = self.participants.iter().any(|other| other.id == one.id);
        if is_known || self.participants.len() == PARTICIPANTS_MAX {
            return None;
        }
        self.changes += 1;
        self.participants.push(one);
        self.participants.last()
    }

    /// Everybody.
    #[must_use]
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// The person at this page.
    #[must_use]
    pub fn own(&self) -> Option<&Participant> {
        self.participants.iter().find(|one| self.is_own(one))
    }

    /// Whether this is the person at this page.
    #[must_use]
    pub fn is_own(&self, one: &Participant) -> bool {
        self.own.as_ref() == Some(&one.id)
    }

    /// How often it has changed.
    pub(super) const fn changes(&self) -> u32 {
        self.changes
    }

    /// The other people. Agents have no page, so no replica either.
    pub(super) fn others(&self) -> impl Iterator<Item = &Participant> {
        self.participants.iter().filter(|one| !one.is_agent && !self.is_own(one))
    }
}

fn participant(value: &Value) -> Option<Participant> {
    let id = ParticipantId::parse(value["participantId"].as_str()?)?;
    let name = value["name"].as_str().and_then(|name| PlayerName::clean(name).ok());
    Some(Participant { id, name, is_agent: value["kind"] == "agent" })
}

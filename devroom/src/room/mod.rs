//! One Room: who is in it, which sockets they have, what they may do. Decides everything and waits for nothing: time, ids
//! and bytes come in as arguments, and what is to be sent comes out as [`Effect`]s.

mod agents;
mod apps;
mod broker;
mod chat;
mod frames;
mod lanes;
mod people;
mod sockets;
mod unicast;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use broker::{AgentRequest, Answer};
pub use lanes::Lane;
pub use people::{Credentials, JoinError, Joined, Kind};
pub use sockets::ConnectError;

use crate::catalog::Catalog;
use crate::ids::{AppId, InstanceId, ParticipantId};

/// Names an open socket; given out by whoever accepts them, never twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u64);

/// Names an Agent's request that waits for its answer; never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// Where the platform's versions differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Several people with the App open: refuse with `ambiguous_host` (older) instead of choosing one (newer).
    pub ambiguous_host: bool,
    /// The chosen person's socket closes: `host_disconnected` (older) instead of `host_unavailable` (newer).
    pub host_disconnected: bool,
}

/// What the Room wants done.
#[derive(Debug)]
pub enum Effect {
    /// Send a frame on a Room socket or an Agent's resident socket.
    Send {
        /// Where to.
        socket: SocketId,
        /// The text of the frame.
        frame: Arc<str>,
    },
    /// Send a message on a lane socket.
    SendLane {
        /// Where to.
        socket: SocketId,
        /// The realtime lane may drop it.
        lane: Lane,
        /// The text of the message.
        frame: Arc<str>,
    },
    /// Close a socket. The Room has already forgotten it.
    Close {
        /// Which one.
        socket: SocketId,
    },
    /// Answer an Agent's request.
    Answer {
        /// Which one.
        call: CallId,
        /// With what.
        answer: Answer,
    },
}

/// A Room.
#[derive(Debug)]
pub struct Room {
    name: String,
    rules: Rules,
    catalog: Catalog,
    /// Room Apps as a whole can be switched off.
    apps_enabled: bool,
    /// Once expired, for ever.
    is_expired: bool,
    people: BTreeMap<ParticipantId, people::Participant>,
    /// How many have ever joined; the roster is in this order.
    joined_count: u64,
    sockets: BTreeMap<SocketId, sockets::Socket>,
    lanes: BTreeMap<SocketId, lanes::LaneSocket>,
    /// How many times an App was made ready; the discovery list is in this order.
    ready_count: u64,
    in_flight: broker::InFlight,
    chat: chat::Chat,
    effects: Vec<Effect>,
}

impl Room {
    /// An empty Room.
    #[must_use]
    pub fn new(name: &str, catalog: Catalog, rules: Rules) -> Self {
        Self {
            name: name.to_owned(),
            rules,
            catalog,
            apps_enabled: true,
            is_expired: false,
            people: BTreeMap::new(),
            joined_count: 0,
            sockets: BTreeMap::new(),
            lanes: BTreeMap::new(),
            ready_count: 0,
            in_flight: broker::InFlight::default(),
            chat: chat::Chat::default(),
            effects: Vec::new(),
        }
    }

    /// The Room's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes what is to be done, in order.
    pub fn drain_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Does what is due at this time.
    pub fn tick(&mut self, now_ms: u64) {
        self.expire_requests(now_ms);
        self.let_go_of_the_silent(now_ms);
        self.remove_the_absent(now_ms);
    }

    /// When [`tick`](Self::tick) next has something to do.
    #[must_use]
    pub fn next_tick_ms(&self) -> Option<u64> {
        let requests = self.in_flight.next_expiry_ms();
        let absent = self.people.values().filter_map(|person| person.leaves_at_ms).min();
        let silent = self.sockets.values().filter_map(|socket| socket.silent_at_ms).min();
        [requests, absent, silent].into_iter().flatten().min()
    }

    /// Ends the Room: requests in flight fail with `room_expired`, nobody can join or ask any more.
    pub fn expire(&mut self) {
        self.is_expired = true;
        self.fail_all_requests("room_expired");
    }

    /// Switches all Room Apps off or on.
    pub fn set_apps_enabled(&mut self, is_enabled: bool) {
        self.apps_enabled = is_enabled;
        self.announce_apps();
    }

    /// Disables or enables one App of the catalog; whether there is one of that id.
    pub fn set_app_active(&mut self, id: &AppId, is_active: bool) -> bool {
        let is_known = self.catalog.set_active(id, is_active);
        if is_known {
            self.announce_apps();
        }
        is_known
    }

    /// The instance in this Room of an active App, which is the only kind that may be asked or talked to.
    fn is_active_instance(&self, instance: &InstanceId) -> bool {
        self.catalog.active(instance).is_some()
    }
}

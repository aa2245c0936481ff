//! One Room with a clock of its own, without sockets: what it sends is kept, and read by the tests.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;

use devroom::{
    AgentRequest, Answer, App, CallId, Catalog, Credentials, Effect, InstanceId, Json, Kind, ParticipantId, RequestId,
    Room, Rules, SocketId,
};

pub(crate) const ROOM: &str = "demo";
pub(crate) const ARENA: &str = "arena:64b82acb";

/// Somebody in the Room.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    pub(crate) id: ParticipantId,
    pub(crate) token: String,
    pub(crate) socket: SocketId,
}

/// The Room under test.
pub(crate) struct Stand {
    pub(crate) room: Room,
    pub(crate) now_ms: u64,
    pub(crate) sent: Vec<(SocketId, Json)>,
    pub(crate) lane: Vec<(SocketId, String)>,
    pub(crate) closed: Vec<SocketId>,
    pub(crate) answers: BTreeMap<CallId, Answer>,
    ids: u64,
}

impl Stand {
    /// A Room with the Apps `arena`, `board` and `chess`.
    pub(crate) fn new() -> Self {
        Self::with_rules(Rules::default())
    }

    pub(crate) fn with_rules(rules: Rules) -> Self {
        let app = |id: &str| format!("{id}=http://localhost/{id}").parse::<App>().expect("it is an App");
        let catalog = Catalog::new(ROOM, vec![app("arena"), app("board"), app("chess")]).expect("they differ");
        Self {
            room: Room::new(ROOM, catalog, rules),
            now_ms: 1_000,
            sent: Vec::new(),
            lane: Vec::new(),
            closed: Vec::new(),
            answers: BTreeMap::new(),
            ids: 0,
        }
    }

    /// A person with an open socket. `nonce` is that socket's.
    pub(crate) fn human(&mut self, id: &str, nonce: &str) -> Guest {
        self.guest(id, nonce, Kind::Human)
    }

    /// An Agent with a resident socket.
    pub(crate) fn agent(&mut self, id: &str) -> Guest {
        self.guest(id, &format!("nonce-{id}"), Kind::Agent)
    }

    fn guest(&mut self, id: &str, nonce: &str, kind: Kind) -> Guest {
        let mut guest = self.join(id, kind);
        guest.socket = self.connect(&guest, nonce, kind);
        guest
    }

    /// Somebody who has joined and has no socket; the one named is never opened.
    pub(crate) fn join(&mut self, id: &str, kind: Kind) -> Guest {
        let id = ParticipantId::parse(id).expect("it is valid");
        let credentials = Credentials { participant: id.clone(), token: format!("token-{id}") };
        let name = format!("Name of {id}");
        let joined = self.room.join(self.now_ms, credentials, &name, kind).expect("there is room");
        self.carry_out();
        Guest { id, token: joined.credentials.token, socket: SocketId(0) }
    }

    pub(crate) fn connect(&mut self, guest: &Guest, nonce: &str, kind: Kind) -> SocketId {
        self.ids += 1;
        let socket = SocketId(self.ids);
        self.room.connect(socket, kind, &guest.id, &guest.token, nonce.to_owned()).expect("it is welcome");
        self.carry_out();
        socket
    }

    pub(crate) fn disconnect(&mut self, socket: SocketId) {
        self.room.disconnect(self.now_ms, socket);
        self.carry_out();
    }

    /// A frame from a browser or resident Agent.
    pub(crate) fn frame(&mut self, socket: SocketId, text: &str) {
        self.room.frame(self.now_ms, socket, text);
        self.carry_out();
    }

    /// The App has made its handshake in that browser, or is closed again.
    pub(crate) fn host_state(&mut self, socket: SocketId, instance: &str, ready: bool) {
        self.frame(
            socket,
            &format!(r#"{{"type":"room-app-host-state","appInstanceId":"{instance}","ready":{ready}}}"#),
        );
    }

    /// A person with the arena open.
    pub(crate) fn host(&mut self, id: &str, nonce: &str) -> Guest {
        let host = self.human(id, nonce);
        self.host_state(host.socket, ARENA, true);
        host
    }

    /// An Agent asks the arena something harmless.
    pub(crate) fn ask(&mut self, agent: &Guest) -> CallId {
        self.ask_with(agent, &format!(r#"{{"appInstanceId":"{ARENA}","payload":{{"type":"observe"}}}}"#))
    }

    pub(crate) fn ask_with(&mut self, agent: &Guest, body: &str) -> CallId {
        let (participant, token) = (agent.id.as_str().to_owned(), agent.token.clone());
        self.ask_raw(ROOM, &participant, &token, body)
    }

    pub(crate) fn ask_raw(&mut self, room: &str, participant: &str, token: &str, body: &str) -> CallId {
        self.ids += 1;
        let call = CallId(self.ids);
        let id = RequestId::parse(&format!("00000000-0000-4000-8000-{:012}", self.ids)).expect("it is valid");
        let body = Json::parse(body).ok();
        let request = AgentRequest { room, participant, token, body: body.as_ref() };
        self.room.agent_request(self.now_ms, call, id, request);
        self.carry_out();
        call
    }

    /// What an Agent that asks this gets at once.
    pub(crate) fn refusal(&mut self, agent: &Guest, body: &str) -> (u16, String) {
        let call = self.ask_with(agent, body);
        self.answer(call).expect("it is refused at once")
    }

    /// The status and body of an answer that has been given.
    pub(crate) fn answer(&self, call: CallId) -> Option<(u16, String)> {
        self.answers.get(&call).map(|answer| (answer.status, answer.body.clone()))
    }

    /// The error of an answer that has been given.
    pub(crate) fn error(&self, call: CallId) -> Option<(u16, String)> {
        let (status, body) = self.answer(call)?;
        let body = Json::parse(&body).expect("answers are JSON");
        Some((status, body.text_field("error").unwrap_or_default().to_owned()))
    }

    /// The frames of a type that a socket has got.
    pub(crate) fn frames(&self, socket: SocketId, kind: &str) -> Vec<Json> {
        let is_meant = |frame: &Json| frame.text_field("type") == Some(kind);
        self.sent
            .iter()
            .filter(|(to, frame)| *to == socket && is_meant(frame))
            .map(|(_, frame)| frame.clone())
            .collect()
    }

    /// The Agents' requests that a browser has got.
    pub(crate) fn requests(&self, guest: &Guest) -> Vec<Json> {
        self.frames(guest.socket, "room-app-agent-request")
    }

    /// The id of the newest request that a browser has got.
    pub(crate) fn newest_request(&self, guest: &Guest) -> String {
        let requests = self.requests(guest);
        requests.last().and_then(|request| request.text_field("requestId")).expect("it got a request").to_owned()
    }

    /// The App answers a request in that browser.
    pub(crate) fn respond(&mut self, socket: SocketId, request: &str, rest: &str) {
        self.frame(
            socket,
            &format!(
                r#"{{"type":"room-app-agent-response","requestId":"{request}","appInstanceId":"{ARENA}",{rest}}}"#
            ),
        );
    }

    /// Lets time pass, and whatever is due happen when it is due.
    pub(crate) fn pass(&mut self, milliseconds: u64) {
        let end = self.now_ms + milliseconds;
        while let Some(due) = self.room.next_tick_ms().filter(|due| *due <= end) {
            self.now_ms = due.max(self.now_ms);
            self.room.tick(self.now_ms);
            self.carry_out();
        }
        self.now_ms = end;
    }

    /// The discovery list, as text.
    pub(crate) fn discovery(&self) -> String {
        self.room.discovery().stringify()
    }

    pub(crate) fn carry_out(&mut self) {
        for effect in self.room.drain_effects() {
            match effect {
                Effect::Send { socket, frame } => {
                    self.sent.push((socket, Json::parse(frame.as_bytes()).expect("frames are JSON")));
                }
                Effect::SendLane { socket, frame, .. } => self.lane.push((socket, frame.to_string())),
                Effect::Close { socket } => self.closed.push(socket),
                Effect::Answer { call, answer } => {
                    let earlier = self.answers.insert(call, answer);
                    assert!(earlier.is_none(), "one call got two answers");
                }
            }
        }
    }
}

/// The instance of one of the Apps.
pub(crate) fn instance(app: &str) -> String {
    let app = devroom::AppId::parse(app).expect("it is valid");
    InstanceId::of(ROOM, &app).as_str().to_owned()
}

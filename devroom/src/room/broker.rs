//! The broker: takes an Agent's request, picks one open replica of the App, and waits for its answer. It reads no payload,
//! stores none, and tries nothing twice.

use crate::ids::{InstanceId, ParticipantId, RequestId};
use crate::json::Json;
use crate::limits::{APP_ERROR_UNITS_MAX, ENVELOPE_BYTES_MAX, REQUEST_EXPIRY_MS, REQUESTS_IN_FLIGHT_MAX};

use super::people::Kind;
use super::sockets::Socket;
use super::{CallId, Effect, Room, SocketId};

/// An Agent's request as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct AgentRequest<'a> {
    /// Header `X-Room-Id`.
    pub room: &'a str,
    /// Header `X-Room-Participant-Id`.
    pub participant: &'a str,
    /// Header `X-Room-Participant-Token`.
    pub token: &'a str,
    /// The body, `{appInstanceId, payload}`, or `None` when it is not JSON.
    pub body: Option<&'a Json>,
}

/// What an Agent gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// `{"ok":true,"result":…}` or `{"ok":false,"error":…}`.
    pub body: String,
}

impl Answer {
    /// A failure.
    #[must_use]
    pub fn error(status: u16, code: &str) -> Self {
        Self { status, body: Json::object([("ok", false.into()), ("error", code.into())]).stringify() }
    }

    /// Every failure after the request went out has this status.
    fn failed(code: &str) -> Self {
        Self::error(502, code)
    }

    fn result(result: Json) -> Self {
        Self { status: 200, body: Json::object([("ok", true.into()), ("result", result)]).stringify() }
    }
}

/// The requests that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    requests: Vec<Pending>,
}

#[derive(Debug)]
struct Pending {
    call: CallId,
    request: RequestId,
    instance: InstanceId,
    agent: ParticipantId,
    agent_socket: SocketId,
    host_socket: SocketId,
    sent_at_ms: u64,
}

impl Pending {
    const fn expires_at_ms(&self) -> u64 {
        self.sent_at_ms + REQUEST_EXPIRY_MS
    }
}

impl InFlight {
    pub(super) fn next_expiry_ms(&self) -> Option<u64> {
        self.requests.iter().map(Pending::expires_at_ms).min()
    }
}

/// A request that passed all checks.
struct Route {
    instance: InstanceId,
    agent: ParticipantId,
    agent_socket: SocketId,
    host_socket: SocketId,
    frame: Json,
}

impl Room {
    /// Routes a request to one open replica. The answer comes as an effect, at once or later.
    pub fn agent_request(&mut self, now_ms: u64, call: CallId, id: RequestId, request: AgentRequest<'_>) {
        match self.route(&id, request) {
            Ok(route) => {
                self.show_activity(&id, &route.instance, &route.agent, "asked");
                self.send(route.host_socket, &route.frame);
                let pending = Pending {
                    call,
                    request: id,
                    instance: route.instance,
                    agent: route.agent,
                    agent_socket: route.agent_socket,
                    host_socket: route.host_socket,
                    sent_at_ms: now_ms,
                };
                self.in_flight.requests.push(pending);
            }
            Err(answer) => self.effects.push(Effect::Answer { call, answer }),
        }
    }

    /// The checks, in the platform's order.
    fn route(&self, id: &RequestId, request: AgentRequest<'_>) -> Result<Route, Answer> {
        if !self.apps_enabled {
            return Err(Answer::error(503, "app_unavailable"));
        }
        let invalid = || Answer::error(400, "invalid_request");
        let body = request.body.ok_or_else(invalid)?;
        let instance = body.text_field("appInstanceId").and_then(InstanceId::parse).ok_or_else(invalid)?;
        let agent = ParticipantId::parse(request.participant).ok_or_else(invalid)?;
        if request.token.is_empty() {
            return Err(invalid());
        }
        let unfit = || Answer::error(413, "invalid_request");
        let payload = body.field("payload").filter(|payload| payload.is_payload()).ok_or_else(unfit)?;
        if self.is_expired || request.room != self.name {
            return Err(Answer::error(410, "room_expired"));
        }
        let (agent_socket, nonce) = self.agent_presence(&agent, request.token)?;
        if !self.is_active_instance(&instance) {
            return Err(Answer::error(404, "app_unavailable"));
        }
        let is_resident = |socket: &Socket| socket.is_open && socket.nonce == nonce;
        if !self.sockets.get(&agent_socket).is_some_and(is_resident) {
            return Err(Answer::error(409, "agent_unavailable"));
        }
        let hosts = self.eligible_hosts(&instance);
        let host_socket = *hosts.first().ok_or_else(|| Answer::error(409, "host_unavailable"))?;
        if self.rules.ambiguous_host && hosts.len() > 1 {
            return Err(Answer::error(409, "ambiguous_host"));
        }
        if self.in_flight.requests.len() >= REQUESTS_IN_FLIGHT_MAX {
            return Err(Answer::error(429, "too_many_requests"));
        }
        let frame = Json::object([
            ("type", "room-app-agent-request".into()),
            ("requestId", id.as_str().into()),
            ("appInstanceId", instance.as_str().into()),
            ("payload", payload.clone()),
        ]);
        if frame.stringify().len() > ENVELOPE_BYTES_MAX {
            return Err(unfit());
        }
        Ok(Route { instance, agent, agent_socket, host_socket, frame })
    }

    /// The Agent's newest socket and nonce, or why it counts as absent.
    fn agent_presence(&self, agent: &ParticipantId, token: &str) -> Result<(SocketId, String), Answer> {
        let unauthorized = || Answer::error(401, "unauthorized");
        if !self.knows(agent, token) {
            return Err(unauthorized());
        }
        let person = self.people.get(agent).filter(|person| person.kind == Kind::Agent).ok_or_else(unauthorized)?;
        person.current.zip(person.nonce.clone()).ok_or_else(unauthorized)
    }

    /// The sockets an App's request may go to. The first is the one it goes to: by participant, then by nonce.
    pub(super) fn eligible_hosts(&self, instance: &InstanceId) -> Vec<SocketId> {
        let is_ready = |socket: &Socket| socket.active.iter().any(|(active, _)| active == instance);
        let mut hosts: Vec<_> = self.current_browsers_with_id().filter(|(_, socket)| is_ready(socket)).collect();
        hosts.sort_by(|(_, a), (_, b)| (&a.participant, &a.nonce).cmp(&(&b.participant, &b.nonce)));
        hosts.into_iter().map(|(id, _)| id).collect()
    }

    /// A browser's answer. Only the socket that got the request may give it, and only while the App is ready there.
    pub(super) fn agent_response(&mut self, socket: SocketId, frame: &Json) {
        let Some(id) = frame.text_field("requestId").and_then(RequestId::parse) else { return };
        let Some(instance) = frame.text_field("appInstanceId").and_then(InstanceId::parse) else { return };
        let is_meant =
            |pending: &Pending| pending.request == id && pending.instance == instance && pending.host_socket == socket;
        let Some(index) = self.in_flight.requests.iter().position(is_meant) else { return };
        if !self.eligible_hosts(&instance).contains(&socket) {
            return;
        }
        match judge(&id, &instance, frame) {
            Some(answer) if answer.status == 200 => self.settle(index, answer, "answered"),
            Some(answer) => self.settle(index, answer, "app_error"),
            None => self.settle(index, Answer::failed("invalid_response"), "invalid_response"),
        }
    }

    /// The frame could not be handed to the socket: the requests that wait for it fail.
    pub fn send_failed(&mut self, now_ms: u64, socket: SocketId) {
        self.closing(socket);
        self.fail_requests(|pending| (pending.host_socket == socket).then_some("host_unavailable"));
        self.disconnect(now_ms, socket);
    }

    pub(super) fn expire_requests(&mut self, now_ms: u64) {
        self.fail_requests(|pending| (pending.expires_at_ms() <= now_ms).then_some("timeout"));
    }

    /// A participant's current socket has gone.
    pub(super) fn fail_requests_on(&mut self, socket: SocketId, kind: Kind) {
        let host_gone = if self.rules.host_disconnected { "host_disconnected" } else { "host_unavailable" };
        self.fail_requests(|pending| match kind {
            Kind::Human => (pending.host_socket == socket).then_some(host_gone),
            Kind::Agent => (pending.agent_socket == socket).then_some("agent_disconnected"),
        });
    }

    /// The App was closed or reloaded in that browser.
    pub(super) fn fail_requests_of_app(&mut self, socket: SocketId, instance: &InstanceId) {
        self.fail_requests(|pending| {
            (pending.host_socket == socket && pending.instance == *instance).then_some("host_unavailable")
        });
    }

    pub(super) fn fail_all_requests(&mut self, code: &'static str) {
        self.fail_requests(|_| Some(code));
    }

    fn fail_requests(&mut self, why: impl Fn(&Pending) -> Option<&'static str>) {
        while let Some((index, code)) =
            self.in_flight.requests.iter().enumerate().find_map(|(index, pending)| Some((index, why(pending)?)))
        {
            self.settle(index, Answer::failed(code), code);
        }
    }

    fn settle(&mut self, index: usize, answer: Answer, outcome: &str) {
        let Pending { call, request, instance, agent, .. } = self.in_flight.requests.remove(index);
        self.effects.push(Effect::Answer { call, answer });
        self.show_activity(&request, &instance, &agent, outcome);
    }

    /// Tells all browsers that an Agent asked, and how it went; never what. Free4Chat has no such frame: it is for the Agents
    /// panel of this Room, and stays on the host page.
    fn show_activity(&mut self, id: &RequestId, instance: &InstanceId, agent: &ParticipantId, outcome: &str) {
        let frame = Json::object([
            ("type", "devroom-agent-activity".into()),
            ("requestId", id.as_str().into()),
            ("appInstanceId", instance.as_str().into()),
            ("participantId", agent.as_str().into()),
            ("outcome", outcome.into()),
        ]);
        self.send_to_browsers(&frame);
    }
}

/// The answer that a browser's frame gives, if it is well-formed.
fn judge(id: &RequestId, instance: &InstanceId, frame: &Json) -> Option<Answer> {
    let Some(Json::Bool(is_ok)) = frame.field("ok") else { return None };
    let (key, value) = if *is_ok {
        let result = frame.field("result").filter(|result| matches!(result, Json::Object(_)))?;
        ("result", result.clone())
    } else {
        let error = frame.text_field("error")?;
        let is_short = !error.is_empty() && error.encode_utf16().count() <= APP_ERROR_UNITS_MAX;
        ("error", is_short.then(|| Json::from(error))?)
    };
    let envelope = Json::object([
        ("type", "room-app-agent-response".into()),
        ("requestId", id.as_str().into()),
        ("appInstanceId", instance.as_str().into()),
        ("ok", (*is_ok).into()),
        (key, value.clone()),
    ]);
    if envelope.stringify().len() > ENVELOPE_BYTES_MAX {
        return None;
    }
    Some(match value {
        Json::Text(error) => Answer::failed(&error),
        result => Answer::result(result),
    })
}

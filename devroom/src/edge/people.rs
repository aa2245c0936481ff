//! Joining the Room, and the switches of whoever runs it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use super::agents::answer;
use super::hub::{Hub, new_credentials};
use crate::room::{Answer, JoinError, Joined, Kind, Room};
use crate::{AppId, Json, ParticipantId};

/// `POST /api/room/join` with `{name, kind}`: a new participant's id and secret token.
pub(super) async fn join(State(hub): State<Arc<Hub>>, body: Bytes) -> Response {
    let body = Json::parse(&body).unwrap_or(Json::Null);
    let kind = match body.text_field("kind") {
        None | Some("human") => Kind::Human,
        Some("agent") => Kind::Agent,
        Some(_) => return answer(Answer::error(400, "invalid_kind")),
    };
    let name = body.text_field("name").unwrap_or_default();
    match hub.with(|room, now_ms| enter(room, now_ms, name, kind)) {
        Ok(body) => answer(Answer { status: 200, body: body.stringify() }),
        Err(error) => {
            let (status, code) = error.status_and_code();
            answer(Answer::error(status, code))
        }
    }
}

/// `GET /api/room/about`: what may be known before entering.
pub(super) async fn about(State(hub): State<Arc<Hub>>) -> Response {
    let about = hub.with(|room, _| {
        let (people, agents) = room.connected_counts();
        Json::object([("room", room.name().into()), ("people", people.into()), ("agents", agents.into())])
    });
    answer(Answer { status: 200, body: about.stringify() })
}

/// Lets somebody in and says what they need to know.
pub(super) fn enter(room: &mut Room, now_ms: u64, name: &str, kind: Kind) -> Result<Json, JoinError> {
    let Joined { credentials, name } = room.join(now_ms, new_credentials(), name, kind)?;
    let welcome = Json::object([
        ("room", room.name().into()),
        ("participantId", credentials.participant.as_str().into()),
        ("participantToken", credentials.token.as_str().into()),
        ("name", name.as_str().into()),
    ]);
    if kind == Kind::Human {
        return Ok(welcome);
    }
    let handle =
        Handle { room: room.name().to_owned(), participant: credentials.participant, token: credentials.token };
    Ok(welcome.with("participantHandle", handle.write().as_str().into()))
}

/// The bearer secret of an Agent: base64url of `{room, participantId, participantToken}`.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub(super) room: String,
    pub(super) participant: ParticipantId,
    pub(super) token: String,
}

impl Handle {
    fn write(&self) -> String {
        let fields = Json::object([
            ("room", self.room.as_str().into()),
            ("participantId", self.participant.as_str().into()),
            ("participantToken", self.token.as_str().into()),
        ]);
        BASE64_URL_SAFE_NO_PAD.encode(fields.stringify())
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let fields = Json::parse(BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?).ok()?;
        Some(Self {
            room: fields.text_field("room")?.to_owned(),
            participant: ParticipantId::parse(fields.text_field("participantId")?)?,
            token: fields.text_field("participantToken")?.to_owned(),
        })
    }
}

/// `POST /api/dev/catalog` with `{appId, status}` or `{enabled}`: tries out what happens when an App, or all, are disabled.
pub(super) async fn set_catalog(State(hub): State<Arc<Hub>>, body: Bytes) -> Response {
    let body = Json::parse(&body).unwrap_or(Json::Null);
    let is_done = if let Some(Json::Bool(is_enabled)) = body.field("enabled") {
        hub.with(|room, _| room.set_apps_enabled(*is_enabled));
        true
    } else {
        let is_active = match body.text_field("status") {
            Some("active") => Some(true),
            Some("disabled") => Some(false),
            _ => None,
        };
        let app = body.text_field("appId").and_then(AppId::parse);
        app.zip(is_active).is_some_and(|(app, is_active)| hub.with(|room, _| room.set_app_active(&app, is_active)))
    };
    if is_done {
        answer(Answer { status: 200, body: Json::object([("ok", true.into())]).stringify() })
    } else {
        answer(Answer::error(400, "invalid_request"))
    }
}

//! The Agents' way in over plain HTTP.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::hub::Hub;
use crate::Json;
use crate::room::{AgentRequest, Answer};

/// Who an Agent says it is, by the platform's headers. What is missing is empty, and refused by the Room.
pub(super) struct AgentHeaders<'a> {
    pub(super) room: &'a str,
    pub(super) participant: &'a str,
    pub(super) token: &'a str,
}

impl<'a> AgentHeaders<'a> {
    pub(super) fn read(headers: &'a HeaderMap) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Self {
            room: text("x-room-id"),
            participant: text("x-room-participant-id"),
            token: text("x-room-participant-token"),
        }
    }
}

/// `POST /api/room/agent-app-request`. A body over the limit is answered by the server itself, with 413 too.
pub(super) async fn app_request(
    State(hub): State<Arc<Hub>>,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Response {
    let Ok(body) = body else { return answer(Answer::error(413, "invalid_request")) };
    let body = Json::parse(&body).ok();
    let AgentHeaders { room, participant, token } = AgentHeaders::read(&headers);
    answer(hub.agent_request(AgentRequest { room, participant, token, body: body.as_ref() }).await)
}

/// An answer of the broker as an HTTP response.
pub(super) fn answer(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, answer.body).into_response()
}

//! The Room's WebSockets: a browser's, and an Agent's resident one.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::agents::{AgentHeaders, answer};
use super::hub::{Hub, new_uuid};
use crate::room::{Answer, ConnectError, Kind, SocketId};
use crate::{Json, ParticipantId};

/// How long a browser may take to say who it is.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How often an idle socket is pinged, so that one whose other end has vanished is noticed.
const PING_EVERY: Duration = Duration::from_secs(10);
/// How long a frame may take to be written before the socket counts as lost.
const WRITE_WITHIN: Duration = Duration::from_secs(10);
/// The largest frame, in bytes. A frame over the platform's own limits is judged by the Room; one over this ends the socket.
const FRAME_BYTES_MAX: usize = 256 * 1024;

/// The close code of a socket whose credentials are not known, or not any more.
const CLOSE_UNAUTHORIZED: u16 = 4001;
/// The close code of a socket that is too many.
const CLOSE_TOO_MANY: u16 = 4008;
/// The close code of a Room that is over.
const CLOSE_EXPIRED: u16 = 4010;

/// `GET /api/room/socket`. The first frame says who it is: `{type:"room-connect", participantId, participantToken}`.
pub(super) async fn browser(State(hub): State<Arc<Hub>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(FRAME_BYTES_MAX).on_upgrade(async move |mut socket| {
        let Some((participant, token)) = introduction(&mut socket).await else {
            return refuse(socket, ConnectError::Unauthorized).await;
        };
        let (id, outbox) = hub.open_socket();
        match hub.with(|room, _| room.connect(id, Kind::Human, &participant, &token, new_uuid())) {
            Ok(()) => run(&hub, id, socket, outbox).await,
            Err(error) => {
                hub.forget_socket(id);
                refuse(socket, error).await;
            }
        }
    })
}

/// `GET /api/room/agent-events`. The headers say who it is.
pub(super) async fn agent(State(hub): State<Arc<Hub>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    let AgentHeaders { room, participant, token } = AgentHeaders::read(&headers);
    let is_here = hub.with(|here, _| here.name() == room);
    let participant = ParticipantId::parse(participant).filter(|_| is_here);
    let token = token.to_owned();
    let is_known = |participant: &ParticipantId| hub.with(|room, _| room.knows(participant, &token));
    let Some(participant) = participant.filter(is_known) else {
        return answer(Answer::error(401, "unauthorized"));
    };
    upgrade.max_message_size(FRAME_BYTES_MAX).on_upgrade(async move |socket| {
        let (id, outbox) = hub.open_socket();
        match hub.with(|room, _| room.connect(id, Kind::Agent, &participant, &token, new_uuid())) {
            Ok(()) => run(&hub, id, socket, outbox).await,
            Err(error) => {
                hub.forget_socket(id);
                refuse(socket, error).await;
            }
        }
    })
}

/// Reads who a browser says it is.
pub(super) async fn introduction(socket: &mut WebSocket) -> Option<(ParticipantId, String)> {
    let message = timeout(CONNECT_WITHIN, socket.recv()).await.ok()??.ok()?;
    let frame = Json::parse(message.to_text().ok()?).ok()?;
    if frame.text_field("type") != Some("room-connect") {
        return None;
    }
    let participant = ParticipantId::parse(frame.text_field("participantId")?)?;
    Some((participant, frame.text_field("participantToken")?.to_owned()))
}

/// Closes a socket with the reason.
pub(super) async fn refuse(mut socket: WebSocket, error: ConnectError) {
    let (code, reason) = match error {
        ConnectError::Unauthorized => (CLOSE_UNAUTHORIZED, "unauthorized"),
        ConnectError::TooManySockets => (CLOSE_TOO_MANY, "too_many_sockets"),
        ConnectError::Expired => (CLOSE_EXPIRED, "room_expired"),
    };
    let _ = timeout(WRITE_WITHIN, socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() })))).await;
}

async fn run(hub: &Hub, id: SocketId, socket: WebSocket, outbox: mpsc::Receiver<Message>) {
    pump(socket, outbox, |text| hub.with(|room, now_ms| room.frame(now_ms, id, text))).await;
    hub.forget_socket(id);
    hub.with(|room, now_ms| room.disconnect(now_ms, id));
}

/// Moves frames both ways until either side ends, or the other end says nothing to three pings.
pub(super) async fn pump(mut socket: WebSocket, mut outbox: mpsc::Receiver<Message>, mut take: impl FnMut(&str)) {
    let mut ping = tokio::time::interval(PING_EVERY);
    let mut unanswered = 0;
    loop {
        let message = tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => {
                    unanswered = 0;
                    take(&text);
                    continue;
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {
                    unanswered = 0;
                    continue;
                }
            },
            queued = outbox.recv() => match queued {
                Some(message) => message,
                None => Message::Close(None),
            },
            _ = ping.tick() => {
                unanswered += 1;
                if unanswered > 3 {
                    return;
                }
                Message::Ping(axum::body::Bytes::new())
            }
        };
        let is_last = matches!(message, Message::Close(_));
        if !matches!(timeout(WRITE_WITHIN, socket.send(message)).await, Ok(Ok(()))) || is_last {
            return;
        }
    }
}

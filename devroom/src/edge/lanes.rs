//! The browsers' lane socket, in place of WebRTC data channels.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Response;

use super::hub::Hub;
use super::sockets::{introduction, pump, refuse};
use crate::limits::ENVELOPE_BYTES_MAX;
use crate::room::ConnectError;

/// `GET /api/room/lanes`. The first frame says who it is, as on the Room's socket.
pub(super) async fn browser(State(hub): State<Arc<Hub>>, upgrade: WebSocketUpgrade) -> Response {
    // The lane's name and a line break come on top of the envelope.
    upgrade.max_message_size(ENVELOPE_BYTES_MAX + 64).on_upgrade(async move |mut socket| {
        let Some((participant, token)) = introduction(&mut socket).await else {
            return refuse(socket, ConnectError::Unauthorized).await;
        };
        let (id, outbox) = hub.open_socket();
        let connected = hub.with(|room, _| room.connect_lanes(id, &participant, &token));
        match connected {
            Ok(()) => pump(socket, outbox, |text| hub.with(|room, now_ms| room.lane_message(now_ms, id, text))).await,
            Err(error) => refuse(socket, error).await,
        }
        hub.forget_socket(id);
        hub.with(|room, _| room.disconnect_lanes(id));
    })
}

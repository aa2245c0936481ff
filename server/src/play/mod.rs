//! The sync path: the page and its WebSocket.

mod hub;
mod line;
mod outbox;
mod page;
mod pulse;
mod rate;
#[cfg(test)]
mod schedules;
mod session;
mod socket;

use std::sync::Arc;

use axum::{
    Extension, Router,
    extract::{RawQuery, Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::get,
};
use contract::limits::SERVER_MESSAGE_BYTES_MAX;

pub(crate) use page::ContractAddress;

use crate::{
    config::PlayConfig,
    directory::Directory,
    metrics::Metrics,
    net::{Peer, UNSENT_BYTES_MAX},
    shutdown::Shutdown,
    tickets::Tickets,
    websocket,
};

/// What a socket needs from the rest of the server.
#[derive(Debug)]
struct Play {
    config: PlayConfig,
    contract: ContractAddress,
    directory: Arc<Directory>,
    hubs: hub::Hubs,
    tickets: Arc<Tickets>,
    metrics: Arc<Metrics>,
    shutdown: Shutdown,
}

/// Bytes a socket's reader takes from the system at once: some frames of the largest kind, or a hundred inputs.
const READ_BUFFER_BYTES: usize = 2 * 1024;

/// All that may be held for a socket that does not read: messages, a roster and a snapshot in its outbox, what is being
/// sent, and what waits in the system.
const HELD_BYTES_MAX: usize = 128 * 1024;

const _: () = assert!(
    outbox::MESSAGE_BYTES_WAITING_MAX
        + 2 * SERVER_MESSAGE_BYTES_MAX
        + line::LEAVING_BYTES_MAX
        + READ_BUFFER_BYTES
        + UNSENT_BYTES_MAX as usize
        <= HELD_BYTES_MAX
);

/// `GET /play` is the socket, everything else the page.
pub(crate) fn router(
    config: &PlayConfig,
    contract: ContractAddress,
    directory: Arc<Directory>,
    tickets: Arc<Tickets>,
    metrics: Arc<Metrics>,
    shutdown: Shutdown,
) -> Router {
    let hubs = hub::Hubs::new(Arc::clone(&metrics));
    let play = Play { config: config.clone(), contract, directory, hubs, tickets, metrics, shutdown };
    Router::new()
        .route("/play", get(open_socket))
        .route("/addresses.json", get(page::addresses))
        .fallback(page::file)
        .with_state(Arc::new(play))
}

/// Opens a socket to anybody: what a page may do is decided by its messages, never by its `Origin`, which is `null` in
/// a sandboxed frame and proves nothing elsewhere.
async fn open_socket(
    State(play): State<Arc<Play>>,
    Extension(Peer(peer)): Extension<Peer>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    if query.is_some_and(|query| carries_secret(&query)) {
        let text = "Secrets do not belong into an address: it is logged and shown. Send them in the first message.\n";
        return (StatusCode::BAD_REQUEST, text).into_response();
    }
    websocket::open(request, move |opened| socket::converse(opened, peer, play))
}

fn carries_secret(query: &str) -> bool {
    query.split('&').any(|field| {
        let name = field.split('=').next().unwrap_or_default();
        ["token", "ticket"].iter().any(|secret| name.eq_ignore_ascii_case(secret))
    })
}

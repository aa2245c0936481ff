//! `matchd mcp`: one match as MCP tools, for Agents that are to play without a Room.
//!
//! Thin: each tool is a call of the contract, made to the contract endpoint of a running server, whose answer goes back as
//! it is. Over stdio there is one caller, so the seat token is kept for it; over HTTP there may be many and there are no
//! sessions, so everybody carries their own.

mod caller;
mod tools;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use axum::Router;
use contract::MatchKey;
use rmcp::{
    ServiceExt as _,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, async_rw::AsyncRwTransport,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};

pub use rmcp::transport::stdio;
pub use tools::Tools;

use crate::{
    metrics::Metrics,
    net::{self, Manners},
    shutdown::Shutdown,
};

/// Longest message of a client, in bytes: a call as long as any may be, written as a JSON text, and its envelope. A longer
/// one is refused.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// Most connections at a time. Further ones are closed at once.
const CONNECTIONS_MAX: usize = 64;

/// A request's head must arrive within this, counted from the end of the one before.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// Learns from a running server how its game is played.
///
/// # Errors
/// The URL is not `http://HOST:PORT`, or no server answers there.
pub async fn connect(contract_url: &str, key: &MatchKey) -> anyhow::Result<Tools> {
    let caller = caller::Caller::new(contract_url, key)?;
    Tools::describe(caller).await.with_context(|| format!("{contract_url} is no contract endpoint to play at"))
}

/// Serves one client, a JSON-RPC message a line, until it ends its side.
///
/// # Errors
/// The client does not introduce itself as MCP wants it.
pub async fn serve_lines(
    tools: Tools,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> anyhow::Result<()> {
    let transport = AsyncRwTransport::new(read, write).with_max_line_length(MESSAGE_BYTES_MAX);
    let service = tools.keeping_the_token().serve(transport).await?;
    service.waiting().await?;
    Ok(())
}

/// Serves `/mcp` by streamable HTTP until the order to stop. Pages of browsers are refused, and so are requests that came
/// for another host than this machine.
pub async fn serve_http(tools: Tools, listener: TcpListener, shutdown: Shutdown) {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE_BYTES_MAX);
    let service: StreamableHttpService<Tools, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(tools.clone()), Arc::default(), config);
    let router = Router::new().nest_service("/mcp", service);
    let manners = Manners { name: "mcp", connections_max: CONNECTIONS_MAX, head_timeout: HEAD_TIMEOUT, bytes: None };
    net::serve(listener, router, manners, Arc::new(Metrics::new()), shutdown).await;
}

/// Where `/mcp` is served.
///
/// # Errors
/// The address cannot be had.
pub async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address} for mcp"))
}

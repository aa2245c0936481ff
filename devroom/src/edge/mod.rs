//! The Room's edge: HTTP, WebSockets, MCP. Everything here moves bytes; [`crate::Room`] decides.

mod agents;
mod hub;
mod lanes;
mod mcp;
mod origin;
mod pages;
mod people;
mod sockets;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{any, get, post};
use tokio::net::TcpListener;

pub use hub::Hub;
pub use origin::Hosts;

/// The largest body of a request, in bytes. Far above any payload, which is measured after it was read.
const BODY_BYTES_MAX: usize = 128 * 1024;

/// How long connections may take to end once the Room has.
const END_WITHIN: Duration = Duration::from_secs(2);

/// Serves a Room until `stop` is done.
///
/// # Errors
/// The listener fails.
pub async fn serve(
    listener: TcpListener,
    hub: Arc<Hub>,
    hosts: Hosts,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let clock = tokio::spawn(hub.clone().run_clock());
    let app = router(hub.clone(), hosts);
    let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
    let stop = async move {
        stop.await;
        hub.end();
        drop(stopping);
    };
    let out_of_patience = async move {
        let _ = stopped.await;
        tokio::time::sleep(END_WITHIN).await;
    };
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        // Frames are small and people wait for them.
        let _ = stream.set_nodelay(true);
    });
    let served = tokio::select! {
        served = axum::serve(listener, app).with_graceful_shutdown(stop) => served,
        () = out_of_patience => Ok(()),
    };
    clock.abort();
    served
}

fn router(hub: Arc<Hub>, hosts: Hosts) -> Router {
    let mcp = mcp::service(hub.clone());
    Router::new()
        .merge(pages::router())
        .route("/api/room/about", get(people::about))
        .route("/api/room/join", post(people::join))
        .route("/api/room/socket", any(sockets::browser))
        .route("/api/room/lanes", any(lanes::browser))
        .route("/api/room/agent-events", any(sockets::agent))
        .route("/api/room/agent-app-request", post(agents::app_request))
        .route("/api/dev/catalog", post(people::set_catalog))
        .route("/healthz", get(|| async { "ok" }))
        .nest_service("/mcp", mcp)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(Arc::new(hosts), origin::check))
        .with_state(hub)
}

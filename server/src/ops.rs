//! Health and metrics, on a listener of their own.

use std::sync::Arc;

use axum::{Router, extract::State, http::StatusCode, response::IntoResponse, routing::get};
use hyper::header::CONTENT_TYPE;

use crate::{directory::Directory, metrics::Metrics, shutdown::Shutdown};

/// What ops can see.
#[derive(Clone, Debug)]
pub(crate) struct Ops {
    pub(crate) directory: Arc<Directory>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) shutdown: Shutdown,
    pub(crate) worker_stall_ms: u64,
}

/// `/healthz`, `/readyz` and `/metrics`.
pub(crate) fn router(ops: Ops) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .route("/metrics", get(metrics))
        .with_state(ops)
}

/// Whether every worker moves. A server that only answers HTTP is not healthy.
async fn health(State(ops): State<Ops>) -> impl IntoResponse {
    match ops.directory.stuck_workers(ops.worker_stall_ms) {
        0 => (StatusCode::OK, "ok\n".to_owned()),
        stuck => (StatusCode::SERVICE_UNAVAILABLE, format!("{stuck} workers are stuck\n")),
    }
}

/// Whether newcomers are welcome.
async fn readiness(State(ops): State<Ops>) -> impl IntoResponse {
    if ops.shutdown.has_begun() { (StatusCode::SERVICE_UNAVAILABLE, "stopping\n") } else { (StatusCode::OK, "ready\n") }
}

async fn metrics(State(ops): State<Ops>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], ops.metrics.text(ops.directory.census()))
}

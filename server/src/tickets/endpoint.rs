//! `POST /tickets`, where pages get theirs.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use contract::{
    MatchKey, Ticket,
    agent::{Fault, FaultCode, Fields},
};
use serde::Serialize;
use tokio::time::timeout;

use super::{Tickets, wall_clock_ms};
use crate::{
    config::TicketsConfig,
    metrics::Metrics,
    net::{CallRate, Peer},
};

/// Largest body of a request, in bytes.
const BODY_BYTES_MAX: usize = 512;

/// A request's body must arrive within this time.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

const NOT_ISSUED: &str = "this server issues no tickets; the page's host does";

struct Counter {
    tickets: Arc<Tickets>,
    is_open: bool,
    rate: CallRate,
    metrics: Arc<Metrics>,
}

/// An answer: one of the two.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Issued { ticket: String, lifetime_ms: u16 },
    Refused { error: Refused },
}

#[derive(Debug, Serialize)]
struct Refused {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

/// Gives tickets to anybody who may ask. Nothing else is known of them, so any origin is as good as another.
pub(crate) fn router(config: &TicketsConfig, tickets: Arc<Tickets>, metrics: Arc<Metrics>) -> Router {
    let rate = CallRate::new(config.per_second, config.per_second_per_address);
    let counter = Counter { tickets, is_open: config.issue, rate, metrics };
    Router::new().route("/tickets", post(give).options(preflight)).with_state(Arc::new(counter))
}

async fn give(State(counter): State<Arc<Counter>>, Extension(Peer(peer)): Extension<Peer>, body: Body) -> Response {
    let answer = if !counter.is_open {
        Err((StatusCode::FORBIDDEN, Refused { code: "not_issued", message: NOT_ISSUED.to_owned(), field: None }))
    } else if !counter.rate.allows(peer.ip()) {
        Err(refused(Fault::new(FaultCode::RateLimited, "too many tickets; wait a second")))
    } else {
        read(body).await.map(|match_key| counter.tickets.issue(&match_key, wall_clock_ms())).map_err(refused)
    };
    let (status, outcome, answer) = match answer {
        Ok(ticket) => {
            let issued = Answer::Issued { ticket: ticket.to_text(), lifetime_ms: Ticket::LIFETIME_MS_MAX };
            (StatusCode::OK, "issued", issued)
        }
        Err((status, error)) => {
            tracing::debug!(%peer, code = error.code, "no ticket");
            (status, error.code, Answer::Refused { error })
        }
    };
    counter.metrics.tickets.with_label_values(&[outcome]).inc();
    let mut response = (status, axum::Json(answer)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    allow_any_origin(response.headers_mut());
    response
}

/// Pages that follow the docs need none, because they send plain text.
async fn preflight() -> impl IntoResponse {
    let mut headers = HeaderMap::new();
    allow_any_origin(&mut headers);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    (StatusCode::NO_CONTENT, headers)
}

fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
}

/// The match that a request names.
async fn read(body: Body) -> Result<MatchKey, Fault> {
    let body: Bytes = match timeout(BODY_TIMEOUT, axum::body::to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Err(Fault::new(FaultCode::TooLarge, format!("a request has at most {BODY_BYTES_MAX} bytes")));
        }
        Err(_) => return Err(Fault::new(FaultCode::Malformed, "the request did not arrive in time")),
    };
    let value = serde_json::from_slice(&body)
        .map_err(|_| Fault::new(FaultCode::Malformed, "the request is not JSON, such as {\"match\":\"demo\"}"))?;
    let mut fields = Fields::new(&value, "")?;
    let match_key =
        MatchKey::parse(fields.text("match")?).map_err(|error| fields.fault("match", &error.to_string()))?;
    fields.finish()?;
    Ok(match_key)
}

fn refused(fault: Fault) -> (StatusCode, Refused) {
    let status = match fault.code {
        FaultCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        FaultCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::BAD_REQUEST,
    };
    (status, Refused { code: fault.code.word(), message: fault.message, field: fault.field })
}

//! `POST /contract`.

use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use bytes::Bytes;
use contract::{
    MatchKey, MatchKeyError, RelayPass,
    agent::{Fault, FaultCode},
    limits::AGENT_REQUEST_BYTES_MAX,
};
use tokio::time::timeout;

use super::{
    calls::{Answered, Via, not_connected, refused},
    in_flight::InFlight,
    signature::Signatures,
};
use crate::{
    config::ContractConfig,
    directory::{Directory, OpenError},
    matches::MatchPort,
    metrics::Metrics,
    net::{CallRate, Peer, network_of},
    tickets::wall_clock_ms,
};

/// The header that names the match; without it, the demo match is meant.
const MATCH_HEADER: &str = "matchd-match";

/// The header by which a page shows that a call comes through it.
const RELAY_HEADER: &str = "matchd-relay";

/// The header by which a host shows that a call comes from it.
pub(super) const SIGNATURE_HEADER: &str = "matchd-signature";

/// What a call is counted as when it does not get as far as saying what it is.
const UNREADABLE: &str = "unreadable";

/// A call as it came.
struct Call {
    key: MatchKey,
    body: Bytes,
    via: Via,
}

struct Endpoint {
    directory: Arc<Directory>,
    metrics: Arc<Metrics>,
    body_timeout: Duration,
    allow_direct: bool,
    signatures: Signatures,
    rate: CallRate,
    in_flight: Arc<InFlight>,
}

/// The contract endpoint. Anybody may call it from anywhere: a caller is known by the seat token alone.
pub(crate) fn router(config: &ContractConfig, directory: Arc<Directory>, metrics: Arc<Metrics>) -> Router {
    let endpoint = Endpoint {
        directory,
        metrics,
        body_timeout: Duration::from_millis(config.body_timeout_ms),
        allow_direct: config.allow_direct,
        signatures: Signatures::new(&config.signature_secrets),
        rate: CallRate::new(config.calls_per_second, config.calls_per_second_per_address),
        in_flight: InFlight::new(config.calls_in_flight),
    };
    Router::new().route("/contract", post(call).options(preflight)).with_state(Arc::new(endpoint))
}

async fn call(
    State(endpoint): State<Arc<Endpoint>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let admitted = endpoint.admit(peer.ip(), &headers, body).await;
    let started = Instant::now();
    let answered = match admitted {
        Ok(call) => endpoint.answer(peer.ip(), call).await,
        Err(fault) => refused(UNREADABLE, None, fault),
    };
    endpoint.metrics.calls.with_label_values(&[answered.call, answered.outcome]).inc();
    endpoint.metrics.call_durations.of(answered.call).observe(started.elapsed());
    let mut response = Response::new(Body::from(answered.json));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    allow_any_origin(response.headers_mut());
    response
}

/// Lets pages with an opaque origin call. No cookies are involved, so any origin is as good as another.
async fn preflight() -> impl IntoResponse {
    let mut headers = HeaderMap::new();
    allow_any_origin(&mut headers);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("content-type, matchd-match, matchd-relay"),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    (StatusCode::NO_CONTENT, headers)
}

fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
}

impl Endpoint {
    /// Checks what can be checked without knowing the game.
    async fn admit(&self, peer: IpAddr, headers: &HeaderMap, body: Body) -> Result<Call, Fault> {
        if !self.rate.allows(peer) {
            return Err(Fault::new(FaultCode::RateLimited, "too many calls; wait a second"));
        }
        let key = match_key(headers)?;
        let too_large =
            || Fault::new(FaultCode::TooLarge, format!("a request has at most {AGENT_REQUEST_BYTES_MAX} bytes"));
        let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > AGENT_REQUEST_BYTES_MAX) {
            return Err(too_large());
        }
        let body = match timeout(self.body_timeout, axum::body::to_bytes(body, AGENT_REQUEST_BYTES_MAX)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return Err(too_large()),
            Err(_) => return Err(Fault::new(FaultCode::Malformed, "the request did not arrive in time")),
        };
        let via = self.way_of(headers, &key, &body)?;
        Ok(Call { key, body, via })
    }

    /// How a call came here, by what it shows.
    fn way_of(&self, headers: &HeaderMap, key: &MatchKey, body: &[u8]) -> Result<Via, Fault> {
        if let Some(signature) = headers.get(SIGNATURE_HEADER) {
            let signature = signature.to_str().unwrap_or_default();
            self.signatures.check(signature, key.as_str(), body, wall_clock_ms() / 1000)?;
            return Ok(Via::Signed);
        }
        let Some(pass) = headers.get(RELAY_HEADER) else { return Ok(Via::Direct) };
        let bad = || Fault::new(FaultCode::BadRelay, "not a pass, which is 32 hexadecimal digits").at(RELAY_HEADER);
        pass.to_str().ok().and_then(RelayPass::parse).map(Via::Page).ok_or_else(bad)
    }

    async fn answer(&self, peer: IpAddr, Call { key, body, via }: Call) -> Answered {
        let Some(_place) = self.in_flight.enter(&key, network_of(peer)) else {
            let text = "too many calls about this match are in flight; call again when one is answered";
            return refused(UNREADABLE, None, Fault::new(FaultCode::TooManyInFlight, text));
        };
        match self.open(&key, &via) {
            Ok(port) => port.call(body, via).await,
            Err(fault) => refused(UNREADABLE, None, fault),
        }
    }

    /// The match a call is about. Nobody makes or wakes one who may not call: a page holds the match that it relays for, and
    /// who comes directly must be let in.
    fn open(&self, key: &MatchKey, via: &Via) -> Result<Arc<dyn MatchPort>, Fault> {
        let opened = match via {
            Via::Page(_) => return self.directory.find(key).ok_or_else(not_connected),
            Via::Direct if !self.allow_direct => {
                let text = "this server takes calls through a page of the match, or signed by a host it knows";
                return Err(Fault::new(FaultCode::NotAllowed, text));
            }
            Via::Direct | Via::Signed => self.directory.open(key),
        };
        opened.map_err(|error| match error {
            OpenError::Full => {
                let text = "this server holds as many matches as it may; use another match or try again later";
                Fault::new(FaultCode::Busy, text)
            }
            OpenError::NoSuchMatch => {
                let text = "there is no such match, and this server makes none on request; leave the header out";
                Fault::new(FaultCode::NoSuchMatch, text).at(MATCH_HEADER)
            }
        })
    }
}

fn match_key(headers: &HeaderMap) -> Result<MatchKey, Fault> {
    let Some(value) = headers.get(MATCH_HEADER) else { return Ok(MatchKey::demo()) };
    let key = value.to_str().map_err(|_| MatchKeyError).and_then(MatchKey::parse);
    key.map_err(|error| Fault::new(FaultCode::BadValue, error.to_string()).at(MATCH_HEADER))
}

//! Calls of the contract endpoint.

use std::time::Duration;

use anyhow::Context as _;
use contract::{
    MatchKey,
    limits::{AGENT_REPLY_BYTES_MAX, AGENT_REQUEST_BYTES_MAX},
};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, body::Bytes, client::conn::http1::handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use tokio::{net::TcpStream, sync::Semaphore, time::timeout};

/// A call takes at most this long: longer than the endpoint waits for the match.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Most calls at a time: what the endpoint takes for one match. One more is refused.
const CALLS_MAX: usize = 4;

/// Calls one match.
#[derive(Debug)]
pub(super) struct Caller {
    authority: String,
    key: MatchKey,
    places: Semaphore,
}

/// Why there is no answer, in words for whoever called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    TooLong,
    TooMany,
    Unreachable,
}

impl NoAnswer {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::TooLong => "the call is longer than the 16384 bytes it may have; nothing happened",
            Self::TooMany => "4 calls are in flight already; nothing happened, call again when one is answered",
            Self::Unreachable => {
                "the match server did not answer; an act may still have happened: call again with the same key"
            }
        }
    }
}

impl Caller {
    /// # Errors
    /// The URL does not begin with `http://`.
    pub(super) fn new(url: &str, key: &MatchKey) -> anyhow::Result<Self> {
        let rest = url.strip_prefix("http://").with_context(|| format!("{url} does not begin with http://"))?;
        let authority = rest.trim_end_matches('/').to_owned();
        Ok(Self { authority, key: key.clone(), places: Semaphore::new(CALLS_MAX) })
    }

    /// One call, one answer, whether `ok` or not.
    pub(super) async fn call(&self, call: Map<String, Value>) -> Result<Value, NoAnswer> {
        let _place = self.places.try_acquire().map_err(|_| NoAnswer::TooMany)?;
        let body = Value::Object(call).to_string();
        if body.len() > AGENT_REQUEST_BYTES_MAX {
            return Err(NoAnswer::TooLong);
        }
        match timeout(ANSWER_WITHIN, self.post(body)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                tracing::warn!(error = format!("{error:#}"), "a call failed");
                Err(NoAnswer::Unreachable)
            }
            Err(_) => Err(NoAnswer::Unreachable),
        }
    }

    async fn post(&self, body: String) -> anyhow::Result<Value> {
        let stream = TcpStream::connect(&self.authority).await.context("no server")?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::post("/contract")
            .header("host", &self.authority)
            .header("content-type", "application/json")
            .header("matchd-match", self.key.as_str())
            .body(Full::new(Bytes::from(body)))?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        anyhow::ensure!(status.is_success(), "the server answers {status}");
        let body = Limited::new(response.into_body(), AGENT_REPLY_BYTES_MAX).collect().await;
        let body = body.map_err(|error| anyhow::anyhow!("the answer cannot be read: {error}"))?.to_bytes();
        serde_json::from_slice(&body).context("the answer is not JSON")
    }
}

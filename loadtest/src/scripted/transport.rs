//! How calls get to the match and answers back.

use std::time::Duration;

use contract::limits::AGENT_REPLY_BYTES_MAX;
use serde_json::Value;
use tokio::time::timeout;

use crate::http::{Connection, Endpoint};

/// Carries a call to the match and its answer back.
pub(crate) trait Transport: Send {
    /// One call, one answer: the contract's own, whether `ok` or not.
    ///
    /// # Errors
    /// There is no answer. Whether the call took effect is not known then.
    fn call(&mut self, payload: &Value) -> impl Future<Output = Result<Value, Lost>> + Send;
}

/// There is no answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Calling again may help. With the same key it does nothing twice.
    ForNow(String),
    /// Calling again does not help.
    ForGood(String),
}

/// An answer of the endpoint takes at most this long, or is taken for lost.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Straight to the contract endpoint.
#[derive(Debug)]
pub(crate) struct Direct {
    endpoint: Endpoint,
    key: String,
    /// Kept between calls; gone after a failure.
    connection: Option<Connection>,
}

impl Direct {
    /// Calls of this endpoint, about the match with this key.
    pub(crate) const fn new(endpoint: Endpoint, key: String) -> Self {
        Self { endpoint, key, connection: None }
    }

    async fn post(&mut self, payload: &Value) -> anyhow::Result<Value> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.endpoint.connect().await?,
        };
        let headers = [("matchd-match", self.key.as_str())];
        let (status, body) = connection.post("/contract", &headers, payload.to_string()).await?;
        anyhow::ensure!(status.is_success() && body.len() <= AGENT_REPLY_BYTES_MAX, "{status}, {} bytes", body.len());
        self.connection = Some(connection);
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Transport for Direct {
    async fn call(&mut self, payload: &Value) -> Result<Value, Lost> {
        match timeout(ANSWER_WITHIN, self.post(payload)).await {
            Ok(answer) => answer.map_err(|error| Lost::ForNow(format!("{error:#}"))),
            Err(_) => Err(Lost::ForNow("no answer in time".to_owned())),
        }
    }
}

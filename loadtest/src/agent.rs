//! An Agent that knows the contract only: takes a seat, then observes and orders with time to think in between.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use contract::{MatchKey, limits::AGENT_REPLY_BYTES_MAX};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{
    http::{Connection, Endpoint},
    tally::{Latency, Tally},
};

/// Shortest and longest time to think, in milliseconds: the quick end of what language models take.
const THINK_MS: (u32, u32) = (500, 3000);

/// An Agent with a seat in one match.
#[derive(Debug)]
pub(crate) struct Agent {
    endpoint: Endpoint,
    key: MatchKey,
    name: String,
    random: Pcg32,
    tally: Arc<Tally>,
}

impl Agent {
    pub(crate) fn new(authority: String, key: MatchKey, at: usize, seed: u64, tally: Arc<Tally>) -> Self {
        Self {
            endpoint: Endpoint::new(authority),
            key,
            name: format!("agent {at}"),
            random: Pcg32::new(seed, 0xa6e7),
            tally,
        }
    }

    /// Plays until the task is stopped.
    pub(crate) async fn play(mut self) -> anyhow::Result<()> {
        let name = self.name.clone();
        self.try_play().await.with_context(|| format!("{name} of {}", self.key.as_str()))
    }

    async fn try_play(&mut self) -> anyhow::Result<()> {
        let mut connection = self.endpoint.connect().await?;
        let described = self.call(&mut connection, &json!({ "type": "describe" })).await?;
        if described["result"]["actions"].get("take_seat").is_none() {
            bail!("describe does not say how to take a seat");
        }
        let seat = json!({ "type": "act", "action": { "type": "take_seat", "name": self.name } });
        let token = self.call(&mut connection, &seat).await?["result"]["token"].take();
        if !token.is_string() {
            bail!("take_seat gave no token");
        }
        let mut since = Value::Null;
        loop {
            let observe = json!({ "type": "observe", "token": token, "since": since });
            let seen = self.timed(Latency::Observe, &mut connection, &observe).await?;
            since = seen["tick"].clone();
            self.think().await;
            let legal = seen["result"]["legal_orders"].as_array().map_or(&[][..], Vec::as_slice);
            let Some(choice) = legal.get(self.random.next_u32() as usize % legal.len().max(1)) else { continue };
            let act = json!({ "type": "act", "token": token, "action": { "type": "order", "order": choice["order"] } });
            self.timed(Latency::Act, &mut connection, &act).await?;
        }
    }

    async fn think(&mut self) {
        let spread = self.random.next_u32() % (THINK_MS.1 - THINK_MS.0);
        sleep(Duration::from_millis(u64::from(THINK_MS.0 + spread))).await;
    }

    async fn timed(&self, latency: Latency, connection: &mut Connection, request: &Value) -> anyhow::Result<Value> {
        let asked = Instant::now();
        let answer = self.call(connection, request).await?;
        self.tally.record(latency, asked.elapsed());
        Ok(answer)
    }

    /// One call. An answer that is not `ok` is a failure, except that an order may have become illegal while the Agent
    /// thought about it.
    async fn call(&self, connection: &mut Connection, request: &Value) -> anyhow::Result<Value> {
        let headers = [("matchd-match", self.key.as_str())];
        let (status, body) = connection.post("/contract", &headers, request.to_string()).await?;
        anyhow::ensure!(status.is_success() && body.len() <= AGENT_REPLY_BYTES_MAX, "{status}, {} bytes", body.len());
        let answer: Value = serde_json::from_slice(&body)?;
        let overtaken = answer["error"]["code"] == "illegal_order";
        anyhow::ensure!(answer["ok"] == true || overtaken, "{} was answered with {}", request["type"], answer["error"]);
        Ok(answer)
    }
}

//! An Agent that knows the contract only: it takes a seat, then observes and orders, with time to think in between or at
//! a steady rate.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use contract::{MatchKey, limits::AGENT_REPLY_BYTES_MAX};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use crate::{
    crowd::Leave,
    http::{Connection, Endpoint},
    scenario::Agents,
    tally::{Counter, Tally, Timing},
};

/// How often an Agent asks again for a seat where all are taken, and after which pause.
const SEAT_TRIES: u32 = 20;
const SEAT_PAUSE: Duration = Duration::from_millis(100);

/// An Agent of one match.
#[derive(Debug)]
pub(crate) struct Agent {
    endpoint: Endpoint,
    key: MatchKey,
    name: String,
    pace: Pace,
    observe_only: bool,
    takes_seat: bool,
    random: Pcg32,
    tally: Arc<Tally>,
}

/// When an Agent calls next.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// After it has thought about what it saw, for so many milliseconds (least, most).
    Thinking([u32; 2]),
    /// At fixed moments, so far apart, whatever became of the call before.
    Steady(Duration),
}

impl Agent {
    pub(crate) fn new(
        authority: String,
        key: MatchKey,
        name: String,
        wanted: &Agents,
        random: Pcg32,
        tally: Arc<Tally>,
    ) -> Self {
        let pace = match wanted.calls_per_second {
            Some(calls) => Pace::Steady(Duration::from_secs_f64(1.0 / calls)),
            None => Pace::Thinking(wanted.think_ms),
        };
        let observe_only = wanted.observe_only;
        let takes_seat = wanted.takes_seat.unwrap_or(!observe_only);
        Self { endpoint: Endpoint::new(authority), key, name, pace, observe_only, takes_seat, random, tally }
    }

    /// Plays until told to leave, and gives its seat back.
    pub(crate) async fn live(mut self, mut leave: Leave) -> anyhow::Result<()> {
        let who = format!("{} of {}", self.name, self.key.as_str());
        let mut connection = self.endpoint.connect().await?;
        let token = self.enter(&mut connection).await.with_context(|| who.clone())?;
        tokio::select! {
            result = self.go_on(&token) => result.with_context(|| who.clone())?,
            () = leave.told() => {}
        }
        if !token.is_null() {
            let act = json!({ "type": "act", "token": token, "action": { "type": "leave_seat" } });
            // The first connection was idle meanwhile, and may be gone.
            let mut connection = self.endpoint.connect().await?;
            self.call(&mut connection, &act).await.context(who)?;
        }
        Ok(())
    }

    /// Reads the rules and takes a seat. Returns the token of the seat, or null without one.
    async fn enter(&self, connection: &mut Connection) -> anyhow::Result<Value> {
        let described = self.call(connection, &json!({ "type": "describe" })).await?;
        if !self.takes_seat {
            return Ok(Value::Null);
        }
        if described["result"]["actions"].get("take_seat").is_none() {
            bail!("describe does not say how to take a seat");
        }
        let seat = json!({ "type": "act", "action": { "type": "take_seat", "name": self.name } });
        let mut taken = self.call(connection, &seat).await?;
        // Whoever had their turn before may be about to leave.
        for _ in 0..SEAT_TRIES {
            if taken["error"]["code"] != "full" {
                break;
            }
            sleep(SEAT_PAUSE).await;
            taken = self.call(connection, &seat).await?;
        }
        let token = taken["result"]["token"].take();
        if !token.is_string() {
            bail!("take_seat gave no token");
        }
        Ok(token)
    }

    /// Observes and orders in turn.
    async fn go_on(&mut self, token: &Value) -> anyhow::Result<()> {
        let mut connection = self.endpoint.connect().await?;
        let mut since = Value::Null;
        let mut due = Instant::now() + self.first_pause();
        loop {
            sleep_until(due).await;
            let observe = match token {
                Value::Null => json!({ "type": "observe" }),
                token => json!({ "type": "observe", "token": token, "since": since }),
            };
            let seen = self.timed(Timing::Observe, due, &mut connection, &observe).await?;
            since = seen["tick"].clone();
            due = self.next_due(due);
            if self.observe_only {
                continue;
            }
            let legal = seen["result"]["legal_orders"].as_array().map_or(&[][..], Vec::as_slice);
            let Some(choice) = legal.get(self.random.next_u32() as usize % legal.len().max(1)) else { continue };
            sleep_until(due).await;
            let act = json!({ "type": "act", "token": token, "action": { "type": "order", "order": choice["order"] } });
            self.timed(Timing::Act, due, &mut connection, &act).await?;
            due = self.next_due(due);
        }
    }

    /// Agents know nothing of each other: those that came together do not call together from then on.
    fn first_pause(&mut self) -> Duration {
        match self.pace {
            Pace::Thinking(_) => self.pause(),
            Pace::Steady(gap) => gap.mul_f64(f64::from(self.random.next_u32()) / f64::from(u32::MAX)),
        }
    }

    fn next_due(&mut self, due: Instant) -> Instant {
        let pause = self.pause();
        match self.pace {
            Pace::Thinking(_) => Instant::now() + pause,
            Pace::Steady(_) => due + pause,
        }
    }

    fn pause(&mut self) -> Duration {
        match self.pace {
            Pace::Thinking([least, most]) => {
                Duration::from_millis(u64::from(least + self.random.next_u32() % (most - least + 1)))
            }
            Pace::Steady(gap) => gap,
        }
    }

    /// One call whose time counts from when it was due.
    async fn timed(
        &self,
        timing: Timing,
        due: Instant,
        connection: &mut Connection,
        request: &Value,
    ) -> anyhow::Result<Value> {
        let answer = self.call(connection, request).await?;
        self.tally.record(timing, due.elapsed());
        Ok(answer)
    }

    /// One call. An answer that is not `ok` is a failure, except that an order may have become illegal while the Agent
    /// thought about it, and that all seats may be taken still.
    async fn call(&self, connection: &mut Connection, request: &Value) -> anyhow::Result<Value> {
        let headers = [("matchd-match", self.key.as_str())];
        let (status, body) = connection.post("/contract", &headers, request.to_string()).await?;
        self.tally.count(Counter::Calls, 1);
        anyhow::ensure!(status.is_success() && body.len() <= AGENT_REPLY_BYTES_MAX, "{status}, {} bytes", body.len());
        let answer: Value = serde_json::from_slice(&body)?;
        let overtaken = answer["error"]["code"] == "illegal_order" || answer["error"]["code"] == "full";
        anyhow::ensure!(answer["ok"] == true || overtaken, "{} was answered with {}", request["type"], answer["error"]);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_agents_that_come_together_call_at_different_times() {
        let gap = Duration::from_millis(125);
        let wanted = Agents { calls_per_second: Some(8.0), ..Agents::constant(40, 10) };
        let mut first: Vec<Duration> = (0..40)
            .map(|at| {
                let random = Pcg32::new(at, 1);
                let (authority, key, tally) = (String::new(), MatchKey::demo(), Arc::new(Tally::new()));
                Agent::new(authority, key, String::new(), &wanted, random, tally).first_pause()
            })
            .collect();
        first.sort_unstable();
        assert!(first[0] < gap / 4 && first[39] > gap * 3 / 4 && first[39] <= gap, "{first:?}");
        first.dedup();
        assert!(first.len() > 30, "a few may meet by chance: {first:?}");
    }
}

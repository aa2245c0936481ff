//! One seat of a lane: the policy looks and acts through the contract, and thinks in between.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use contract::{
    MatchKey, SeatId, Tick,
    games::kickabout::{Kickabout, Team},
};
use rand_pcg::Pcg32;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::pace::Pace;
use crate::{
    cadence::{
        orders::{self, Decision},
        policy,
        sight::Sight,
    },
    http::Endpoint,
};

/// Look again after this when there is nothing to decide: nobody plays while a goal is cheered.
const IDLE_LOOK: Duration = Duration::from_millis(250);

/// How often, and after which pause, the same call is made again to a match that did not answer in time.
const BUSY_TRIES: u32 = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(200);

/// Refusals of an order that would have been right for the sight it was decided on.
const OVERTAKEN: [&str; 3] = ["precondition_failed", "stale", "illegal_order"];

/// A seat that has been taken.
#[derive(Debug)]
pub(super) struct Seat {
    endpoint: Endpoint,
    key: MatchKey,
    pub(super) id: SeatId,
    token: String,
    pace: Pace,
    random: Pcg32,
    /// Acts so far; each has a key of its own.
    acts: u32,
}

/// What a seat's decisions came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    /// The first sight.
    pub(super) from: Tick,
    /// Own goals less the opponent's since then.
    pub(super) lead: i32,
    /// In the order in which they arrived.
    pub(super) decisions: Vec<Decided>,
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decided {
    /// The tick of the sight.
    pub(super) looked: Tick,
    /// The tick at which it took effect, or was refused, or would have been there if it had said anything.
    pub(super) arrived: Tick,
    pub(super) became: Became,
}

/// What a decision became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Became {
    /// What the seat had been told before still said it: no call.
    Kept,
    /// An order that took effect.
    Order,
    /// An order that was refused: what it was based on was no longer so.
    Refusal,
}

impl Seat {
    /// Takes a seat of this team in a match.
    pub(super) async fn take(
        endpoint: Endpoint,
        key: MatchKey,
        team: Team,
        pace: Pace,
        random: Pcg32,
    ) -> anyhow::Result<Self> {
        let mut seat = Self { endpoint, key, id: SeatId(0), token: String::new(), pace, random, acts: 0 };
        let action = json!({ "type": "take_seat", "name": "policy", "team": team });
        let taken = seat.answered(&json!({ "type": "act", "action": action })).await?;
        seat.id = taken["seat"].as_str().and_then(SeatId::parse).context("take_seat gave no seat")?;
        taken["token"].as_str().context("take_seat gave no token")?.clone_into(&mut seat.token);
        Ok(seat)
    }

    /// Plays until then.
    pub(super) async fn play(mut self, until: Instant) -> anyhow::Result<Course> {
        let first = self.look().await?;
        let mut decisions = Vec::new();
        while Instant::now() < until {
            let seen = self.look().await?;
            if !policy::is_played(&seen) {
                sleep(IDLE_LOOK).await;
                continue;
            }
            let takes = self.pace.draw(&mut self.random);
            let arrives = Instant::now() + takes;
            if arrives >= until {
                break;
            }
            let decision = orders::decide(&seen, false);
            sleep_until(arrives).await;
            decisions.push(self.arrive(&seen, decision, takes).await?);
            if self.pace == Pace::Once {
                break;
            }
        }
        sleep_until(until).await;
        let last = self.look().await?;
        Ok(Course { from: first.tick, lead: lead(&last) - lead(&first), decisions })
    }

    async fn look(&mut self) -> anyhow::Result<Sight> {
        let seen = self.answered(&json!({ "type": "observe", "token": self.token, "detail": "brief" })).await?;
        serde_json::from_value(seen).context("observe answered what is no sight")
    }

    /// A decision is there.
    async fn arrive(&mut self, seen: &Sight, decision: Option<Decision>, took: Duration) -> anyhow::Result<Decided> {
        let looked = seen.tick;
        let Some(Decision { order, basis }) = decision else {
            let arrived = looked.plus(ticks_in(took));
            return Ok(Decided { looked, arrived, became: Became::Kept });
        };
        self.acts += 1;
        let mut act = json!({
            "type": "act",
            "token": self.token,
            "key": format!("decision-{}", self.acts),
            "action": { "type": "order", "order": order },
        });
        // What is for the moment is refused once the moment has passed; a standing plan is good for whatever comes.
        if !basis.is_empty() {
            act["based_on_tick"] = json!(looked);
            act["preconditions"] = json!(basis);
        }
        let answer = self.call(&act).await?;
        let (arrived, became) = match answer["error"]["code"].as_str() {
            None => (&answer["result"]["takes_effect"], Became::Order),
            Some(code) if OVERTAKEN.contains(&code) => (&answer["tick"], Became::Refusal),
            Some(_) => bail!("an order was answered with {}", answer["error"]),
        };
        let arrived = arrived.as_u64().and_then(|tick| u32::try_from(tick).ok()).context("an answer has no tick")?;
        Ok(Decided { looked, arrived: Tick(arrived), became })
    }

    /// A call that nothing speaks against.
    async fn answered(&self, request: &Value) -> anyhow::Result<Value> {
        let mut answer = self.call(request).await?;
        ensure!(answer["ok"] == true, "{} was answered with {}", request["type"], answer["error"]);
        Ok(answer["result"].take())
    }

    /// A call on a connection of its own, which an Agent that thinks for seconds needs anyway. If the match does not answer
    /// in time, the same again: a key acts once.
    async fn call(&self, request: &Value) -> anyhow::Result<Value> {
        let headers = [("matchd-match", self.key.as_str())];
        for _ in 0..BUSY_TRIES {
            let mut connection = self.endpoint.connect().await?;
            let (_, body) = connection.post("/contract", &headers, request.to_string()).await?;
            let answer: Value = serde_json::from_slice(&body)?;
            if answer["error"]["code"] != "busy" {
                return Ok(answer);
            }
            sleep(BUSY_PAUSE).await;
        }
        bail!("{} did not answer {BUSY_TRIES} times", self.key.as_str())
    }
}

fn ticks_in(time: Duration) -> u32 {
    let ticks = time.as_secs_f64() * f64::from(<Kickabout as contract::GameData>::TICKS_PER_SECOND);
    ticks.round() as u32
}

/// Own goals less the opponent's.
fn lead(seen: &Sight) -> i32 {
    let (red, blue) = (i32::from(seen.score.red), i32::from(seen.score.blue));
    if seen.your_team == Team::Red { red - blue } else { blue - red }
}

//! What an Agent calls next. Decides everything and waits for nothing: answers come in, the next call comes out.
//!
//! ```text
//! describe -> take_seat -> observe <-> order
//!                 ^           |
//!                 +-----------+  the seat is gone, or the match is over
//! ```

use std::{collections::BTreeMap, ops::RangeInclusive, time::Duration};

use anyhow::{Context as _, bail};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde_json::{Map, Value, json};

use super::{
    policy::{Choice, Weights},
    vocabulary::Vocabulary,
};

/// How an Agent plays.
#[derive(Clone, Debug)]
pub(crate) struct Temper {
    /// The name it wants to play under.
    pub(crate) name: String,
    /// The side it would like.
    pub(crate) team: Option<String>,
    /// Which orders it likes.
    pub(crate) weights: Weights,
    /// Shortest and longest time to think before a call.
    pub(crate) think_ms: RangeInclusive<u32>,
    /// What it draws from.
    pub(crate) seed: u64,
    /// Goes into its keys: must differ from that of every other Agent and run.
    pub(crate) nonce: u64,
}

/// A call to be made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// When: this long after the last answer.
    pub(crate) after: Duration,
    /// What.
    pub(crate) payload: Value,
}

/// What came of an Agent's calls.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Counts {
    /// Calls answered.
    pub(crate) answered: u64,
    /// Calls without an answer, repeated.
    pub(crate) unheard: u64,
    /// Seats taken.
    pub(crate) seats: u64,
    /// Orders that took effect, by kind.
    pub(crate) orders: BTreeMap<String, u64>,
    /// How orders ended, as `observe` told.
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// Refusals, by code.
    pub(crate) refusals: BTreeMap<String, u64>,
    /// Refusals of calls that were not as the contract wants them: the Agent's mistakes.
    pub(crate) mistakes: u64,
}

/// An Agent's mind.
#[derive(Debug)]
pub(crate) struct Mind {
    temper: Temper,
    random: Pcg32,
    vocabulary: Vocabulary,
    /// The name that is free, as far as is known.
    name: String,
    seat: Option<Seat>,
    /// The tick of the newest sight.
    seen: Option<u64>,
    in_hand: Option<InHand>,
    asked: Asked,
    call: Call,
    /// How often this call was made in vain.
    tries: u32,
    keys: u64,
    counts: Counts,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Seat {
    id: String,
    token: String,
}

/// The newest order, until it is known to have ended.
#[derive(Clone, Debug)]
struct InHand {
    choice: Choice,
    /// What `act` called it; absent where orders have no names.
    id: Option<String>,
}

/// What the call in the making is.
#[derive(Clone, Debug)]
enum Asked {
    Describe,
    TakeSeat,
    Observe,
    Order(Choice),
    Leave,
    Nothing,
}

/// The seat does not exist any more.
const SEAT_IS_GONE: [&str; 2] = ["bad_token", "match_over"];
/// The world has moved on since it was last seen.
const SIGHT_IS_OLD: [&str; 3] = ["illegal_order", "precondition_failed", "stale"];
/// The call is not one of the contract's.
const MISTAKEN: [&str; 6] = ["malformed", "too_large", "missing_field", "unknown_field", "bad_value", "key_reused"];

/// One in so many sights makes the Agent drop an order that is still being carried out.
const CHANGES_ITS_MIND: u32 = 3;

/// Wait before a call is made again, doubled each time up to [`Mind::BACKOFF_MS_MAX`].
const BACKOFF_MS: u32 = 250;

impl Mind {
    const BACKOFF_MS_MAX: u32 = 4000;

    /// A mind that has not called yet.
    pub(crate) fn new(temper: Temper) -> Self {
        Self {
            random: Pcg32::new(temper.seed, 0xa6e7),
            name: temper.name.clone(),
            temper,
            vocabulary: Vocabulary::default(),
            seat: None,
            seen: None,
            in_hand: None,
            asked: Asked::Describe,
            call: Call { after: Duration::ZERO, payload: json!({ "type": "describe" }) },
            tries: 0,
            keys: 0,
            counts: Counts::default(),
            notes: Vec::new(),
        }
    }

    /// The call to be made now. The same again, with the same key, until an answer was heard.
    pub(crate) const fn call(&self) -> &Call {
        &self.call
    }

    /// What came of its calls so far.
    pub(crate) const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Takes what is worth telling since the last time, each in a sentence. Nothing that people typed is among it.
    pub(crate) fn drain_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// What it is doing, in a sentence or two.
    pub(crate) fn doing(&self) -> String {
        let Some(seat) = &self.seat else { return "I am waiting for a seat.".to_owned() };
        let Some(InHand { choice, .. }) = &self.in_hand else {
            return format!("I play {} and follow my standing plan.", seat.id);
        };
        let does = self.vocabulary.does(&choice.kind);
        let colon = if does.is_empty() { "" } else { ": it " };
        format!("I play {}. My order is {}{colon}{does}.", seat.id, choice.id)
    }

    /// Gives the seat back: makes that the next call, if there is a seat.
    pub(crate) fn leave(&mut self) -> bool {
        let Some(seat) = &self.seat else { return false };
        let payload = json!({ "type": "act", "token": seat.token, "action": { "type": "leave_seat" } });
        self.ask(Asked::Leave, payload, Duration::ZERO);
        true
    }

    /// No answer came: the same call again, a little later.
    pub(crate) fn unheard(&mut self, reason: &str) {
        self.counts.unheard += 1;
        if self.tries == 0 {
            self.notes.push(format!("no answer ({reason}); calls again"));
        }
        self.again();
    }

    /// Takes the answer to the call.
    ///
    /// # Errors
    /// The contract is not one this Agent can play by.
    pub(crate) fn heard(&mut self, answer: &Value) -> anyhow::Result<()> {
        self.counts.answered += 1;
        let result = &answer["result"];
        if answer["ok"] != true {
            let code = answer["error"]["code"].as_str().context("a refusal has no code")?.to_owned();
            self.refused(&code, &answer["error"]);
            return Ok(());
        }
        match self.asked.clone() {
            Asked::Describe => {
                self.vocabulary = Vocabulary::read(result)?;
                self.notes.push(format!("reads how {} is played", self.vocabulary.game));
                self.ask_for_a_seat(Duration::ZERO);
            }
            Asked::TakeSeat => {
                let text = |field: &str| result[field].as_str().map(ToOwned::to_owned);
                let (Some(id), Some(token)) = (text("seat"), text("token")) else { bail!("take_seat gave no token") };
                self.notes.push(format!("takes seat {id} of {}", result["team"].as_str().unwrap_or("no team")));
                self.counts.seats += 1;
                self.seat = Some(Seat { id, token });
                self.look(Duration::ZERO);
            }
            Asked::Observe => self.saw(answer),
            Asked::Order(choice) => {
                *self.counts.orders.entry(choice.kind.clone()).or_default() += 1;
                let id = result["order_id"].as_str().map(ToOwned::to_owned);
                let name = id.as_ref().map(|id| format!(" as {id}")).unwrap_or_default();
                self.notes.push(format!("orders {}, in effect at tick {}{name}", choice.id, result["takes_effect"]));
                self.in_hand = Some(InHand { choice, id });
                let after = self.think();
                self.look(after);
            }
            Asked::Leave => {
                self.notes.push("gives its seat back".to_owned());
                self.seat = None;
                self.asked = Asked::Nothing;
            }
            Asked::Nothing => {}
        }
        Ok(())
    }

    /// Learns from a sight how its order went, and decides.
    fn saw(&mut self, answer: &Value) {
        let sight = &answer["result"];
        self.seen = sight["tick"].as_u64().or_else(|| answer["tick"].as_u64());
        for outcome in sight["outcomes"].as_array().into_iter().flatten() {
            self.ended(outcome);
        }
        // Where orders have no names, it is not told how they end.
        let is_busy = self.in_hand.as_ref().is_some_and(|order| order.id.is_some());
        let after = self.think();
        if is_busy && !self.random.next_u32().is_multiple_of(CHANGES_ITS_MIND) {
            return self.look(after);
        }
        let legal = sight["legal_orders"].as_array().map_or(&[][..], Vec::as_slice);
        match self.temper.weights.choose(legal, &mut self.random) {
            Some(choice) => self.order(choice, after),
            None => self.look(after),
        }
    }

    fn ended(&mut self, outcome: &Value) {
        let (Some(order), Some(status)) = (outcome["order"].as_str(), outcome["status"].as_str()) else { return };
        *self.counts.outcomes.entry(status.to_owned()).or_default() += 1;
        let reason = outcome["reason"].as_str().map(|reason| format!(" ({reason})")).unwrap_or_default();
        if let Some(ended) = self.in_hand.take_if(|in_hand| in_hand.id.as_deref() == Some(order)) {
            self.notes.push(format!("{} is {status}{reason}", ended.choice.id));
        }
    }

    fn refused(&mut self, code: &str, error: &Value) {
        *self.counts.refusals.entry(code.to_owned()).or_default() += 1;
        let at = error["field"].as_str().map(|field| format!(" at {field}")).unwrap_or_default();
        let message = error["message"].as_str().unwrap_or_default();
        if self.tries == 0 {
            self.notes.push(format!("is refused with {code}{at}: {message}"));
        }
        let is_seated = self.seat.is_some();
        match (self.asked.clone(), code) {
            (Asked::Leave, code) if SEAT_IS_GONE.contains(&code) => self.asked = Asked::Nothing,
            (Asked::Observe | Asked::Order(_), code) if SEAT_IS_GONE.contains(&code) => {
                self.seat = None;
                self.in_hand = None;
                self.ask_for_a_seat(Duration::ZERO);
            }
            (Asked::Order(_), code) if SIGHT_IS_OLD.contains(&code) => self.look(Duration::ZERO),
            (Asked::TakeSeat, "name_taken") => {
                self.name = other_name(&self.temper.name, self.random.next_u32());
                self.ask_for_a_seat(Duration::ZERO);
            }
            // Any side is better than none.
            (Asked::TakeSeat, "full") if self.temper.team.take().is_some() => self.ask_for_a_seat(Duration::ZERO),
            (asked, code) => {
                let is_mistake = MISTAKEN.contains(&code);
                self.counts.mistakes += u64::from(is_mistake);
                // The same words would be refused again; a new look may lead to others.
                if is_mistake && is_seated && matches!(asked, Asked::Order(_)) {
                    let after = self.think();
                    self.look(after);
                } else {
                    self.again();
                    // It is certain that nothing happened, so this is a new attempt. After `busy` it is not.
                    if code != "busy" {
                        self.rekey();
                    }
                }
            }
        }
    }

    fn ask_for_a_seat(&mut self, after: Duration) {
        self.seen = None;
        let mut action = json!({ "type": "take_seat", "name": self.name });
        if let Some(team) = self.temper.team.as_deref().filter(|_| self.vocabulary.seats_have_teams()) {
            action["team"] = team.into();
        }
        let payload = self.act(action);
        self.ask(Asked::TakeSeat, payload, after);
    }

    fn look(&mut self, after: Duration) {
        let mut payload = json!({ "type": "observe" });
        if let Some(seat) = &self.seat {
            payload["token"] = seat.token.as_str().into();
        }
        if let Some(seen) = self.seen.filter(|_| self.vocabulary.observe_has("since")) {
            payload["since"] = seen.into();
        }
        self.ask(Asked::Observe, payload, after);
    }

    fn order(&mut self, choice: Choice, after: Duration) {
        let payload = self.act(json!({ "type": "order", "order": choice.id }));
        self.ask(Asked::Order(choice), payload, after);
    }

    /// An act, with everything this contract lets an act carry.
    fn act(&mut self, action: Value) -> Value {
        let mut act = Map::from_iter([("type".to_owned(), "act".into())]);
        if let Some(seat) = &self.seat {
            act.insert("token".to_owned(), seat.token.as_str().into());
        }
        if self.vocabulary.act_has("key") {
            act.insert("key".to_owned(), self.fresh_key().into());
        }
        if let Some(seen) = self.seen.filter(|_| self.vocabulary.act_has("based_on_tick")) {
            act.insert("based_on_tick".to_owned(), seen.into());
        }
        act.insert("action".to_owned(), action);
        Value::Object(act)
    }

    fn fresh_key(&mut self) -> String {
        self.keys += 1;
        format!("{:016x}-{}", self.temper.nonce, self.keys)
    }

    fn rekey(&mut self) {
        let key = self.fresh_key();
        if let Some(old) = self.call.payload.get_mut("key") {
            *old = key.into();
        }
    }

    fn ask(&mut self, asked: Asked, payload: Value, after: Duration) {
        self.asked = asked;
        self.call = Call { after, payload };
        self.tries = 0;
    }

    fn again(&mut self) {
        let wait = (BACKOFF_MS << self.tries.min(8)).min(Self::BACKOFF_MS_MAX);
        self.tries += 1;
        // Agents that lost the same relay do not all come back at the same moment.
        let spread = self.random.next_u32() % (wait / 2);
        self.call.after = Duration::from_millis(u64::from(wait - wait / 4 + spread));
    }

    fn think(&mut self) -> Duration {
        let (least, most) = self.temper.think_ms.clone().into_inner();
        let spread = self.random.next_u32() % (most - least + 1);
        Duration::from_millis(u64::from(least + spread))
    }
}

/// A name that may still be free.
fn other_name(name: &str, noise: u32) -> String {
    let short: String = name.chars().take(20).collect();
    format!("{short} {}", 2 + noise % 98)
}

#[cfg(test)]
mod tests;

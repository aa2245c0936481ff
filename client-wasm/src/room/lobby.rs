//! The conversation with the host.

use std::collections::VecDeque;

use contract::{MatchKey, ResumeSecret, Tick};
use serde_json::{Value, json};

use super::{
    ANSWER_WITHIN_MS, Call, Failure, Handover, InstanceId, JoinSecret, Outcome, Outgoing, Recovery, RequestId, Roster,
    Standing, relay::Relay,
};

/// Version of the host's protocol.
const PROTOCOL_VERSION: u64 = 1;
/// Longest handshake token, in characters.
const TOKEN_CHARS_MAX: usize = 128;
/// What is kept in the host is written at most this often, in milliseconds. A page that is loaded anew before the newest
/// secret of its seat was written has lost the seat.
const KEEP_EVERY_MS: f64 = 100.0;
/// A tick that is kept is this much behind at most, in ticks: it only has to tell one match from the next.
const KEEP_TICKS: i32 = 1_200;

/// Two clocks of a page may differ by so much, in milliseconds: nothing that is due may be found not to be.
const CLOCK_MS: f64 = 10.0;

/// A message of the host.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Everything but the payload, as JSON.
    pub fields: &'a str,
    /// The payload as JSON, if there is one. It may be an Agent's, which is none of our business, or another replica's.
    pub payload: Option<&'a str>,
}

/// Something the page is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Post this JSON on the port.
    Post(String),
    /// Make this call and tell [`Room::called`] of its end.
    Call(Call),
    /// Call [`Room::keep_up`] after so many milliseconds, even if the page's timers rest.
    Wake {
        /// In milliseconds.
        in_ms: f64,
    },
    /// Play this match in place of any other.
    Play {
        /// The match.
        match_key: MatchKey,
        /// Takes up the seat that this page had in it.
        seat: Option<ResumeSecret>,
    },
}

/// The Room as this page knows it.
#[derive(Debug)]
pub struct Room {
    /// What this page would bring as the join secret.
    fresh: JoinSecret,
    instance: Option<InstanceId>,
    /// The host has answered our `ready`.
    is_ready: bool,
    is_engaged: bool,
    roster: Roster,
    handover: Option<Handover>,
    relay: Relay,
    actions: VecDeque<Action>,
    /// The match that is played, and the secret that led to it.
    playing: Option<(JoinSecret, MatchKey)>,
    /// What the host kept for us, as long as it may still be of use.
    recovered: Option<Recovery>,
    /// What the host shall keep.
    seat: Option<ResumeSecret>,
    tick: Tick,
    kept: Option<Recovery>,
    kept_ms: f64,
    /// The match that a person has been told about.
    told: Option<JoinSecret>,
    /// What a person was shown last: standing, changes of the roster, requests.
    shown: (Standing, u32, u32),
}

impl Room {
    /// Before the host has said anything.
    #[must_use]
    pub fn new(fresh: JoinSecret) -> Self {
        Self {
            fresh,
            instance: None,
            is_ready: false,
            is_engaged: false,
            roster: Roster::default(),
            handover: None,
            relay: Relay::default(),
            actions: VecDeque::new(),
            playing: None,
            recovered: None,
            seat: None,
            tick: Tick(0),
            kept: None,
            kept_ms: f64::NEG_INFINITY,
            told: None,
            shown: (Standing::Looking, 0, 0),
        }
    }

    /// The parent page says something to the window, with so many ports. Returns whether it is a bootstrap: then its port
    /// takes the place of any earlier one, and only then.
    pub fn bootstrap(&mut self, fields: &str, ports: u32) -> bool {
        let Ok(fields) = serde_json::from_str::<Value>(fields) else { return false };
        let token = fields["handshakeToken"].as_str().filter(|token| {
            let chars = token.chars().count();
            (1..=TOKEN_CHARS_MAX).contains(&chars)
        });
        let instance = fields["appInstanceId"].as_str().and_then(InstanceId::parse);
        let is_ours = fields["type"] == "room-app-bootstrap" && fields["protocolVersion"] == PROTOCOL_VERSION;
        let (true, 1, Some(token), Some(instance)) = (is_ours, ports, token, instance) else { return false };
        // Whoever waited at the old port has been told already that it is gone.
        self.is_ready = false;
        self.actions.retain(|action| matches!(action, Action::Play { .. }));
        self.relay.clear();
        if self.instance.as_ref() != Some(&instance) {
            self.handover = None;
            self.playing = None;
            self.recovered = None;
        }
        let ready = json!({ "type": "ready", "appInstanceId": instance.as_str(), "handshakeToken": token });
        self.instance = Some(instance);
        self.actions.push_back(Action::Post(ready.to_string()));
        true
    }

    /// The host says something on the port. What is not understood is left alone: a newer host may say more.
    pub fn heard(&mut self, message: Message<'_>, now_ms: f64) {
        let Ok(fields) = serde_json::from_str::<Value>(message.fields) else { return };
        let Some(instance) = self.instance.clone() else { return };
        if fields["appInstanceId"].as_str() != Some(instance.as_str()) {
            return;
        }
        match fields["type"].as_str().unwrap_or_default() {
            "ready" => self.ready(instance, &fields, now_ms),
            "participant_join" => {
                let joined = self.roster.join(&fields["participant"]).filter(|one| !one.is_agent);
                if let (Some(one), Some(handover)) = (joined, &mut self.handover) {
                    handover.joined(&one.id);
                }
            }
            "participant_leave" => {
                let left = self.roster.leave(&fields["participant"]);
                if let (Some(one), Some(handover)) = (left, &mut self.handover) {
                    handover.left(&one.id);
                }
            }
            kind @ ("reliable" | "unicast") => self.replica(kind == "unicast", &fields, message.payload, now_ms),
            "unicast_result" => self.outcome(&fields, now_ms),
            "error" => self.error(&fields, now_ms),
            "agent_request" => self.agent(&instance, &fields, message.payload, now_ms),
            _ => {}
        }
        self.keep_up(now_ms);
    }

    fn ready(&mut self, instance: InstanceId, fields: &Value, now_ms: f64) {
        self.is_ready = true;
        self.roster.begin(&fields["self"], &fields["participants"]);
        let recovered = fields["localRecovery"].as_str().and_then(Recovery::read);
        let handover = self.handover.get_or_insert_with(|| Handover::new(instance, self.fresh));
        if handover.secret().is_none() {
            self.recovered = recovered;
        }
        handover.begin(self.roster.others(), recovered.map(|kept| kept.join), now_ms);
        // The host may have lost what it kept.
        self.kept = None;
        self.actions.push_back(Action::Wake { in_ms: Handover::patience_ms() + CLOCK_MS });
    }

    fn replica(&mut self, is_private: bool, fields: &Value, payload: Option<&str>, now_ms: f64) {
        let from = fields["sourceParticipantId"].as_str().and_then(super::ParticipantId::parse);
        let payload = payload.and_then(|payload| serde_json::from_str::<Value>(payload).ok());
        if let (Some(from), Some(payload), Some(handover)) = (from, payload, &mut self.handover) {
            handover.heard(&from, &payload, is_private, now_ms);
        }
    }

    fn outcome(&mut self, fields: &Value, now_ms: f64) {
        let outcome = match fields["error"].as_str() {
            _ if fields["ok"] == true => Outcome::Sent,
            Some("rate_limited" | "too_many_pending" | "duplicate_request_id") => Outcome::TooMuch,
            _ => Outcome::Unreachable,
        };
        if let (Some(id), Some(handover)) = (fields["requestId"].as_str(), &mut self.handover) {
            handover.outcome(id, outcome, now_ms);
        }
    }

    fn error(&mut self, fields: &Value, now_ms: f64) {
        if fields["requestId"].is_string() {
            self.outcome(fields, now_ms);
        } else if let (Some("rate_limited"), Some(handover)) = (fields["error"].as_str(), &mut self.handover) {
            handover.not_sent(now_ms);
        }
    }

    fn agent(&mut self, instance: &InstanceId, fields: &Value, payload: Option<&str>, now_ms: f64) {
        // Without an id there is nobody to answer.
        let Some(request) = fields["requestId"].as_str().and_then(RequestId::parse) else { return };
        let body = payload.unwrap_or("null").to_owned();
        match self.relay.ask(instance, request, body, now_ms) {
            Some(answer) => self.actions.push_back(Action::Post(answer)),
            None => self.actions.push_back(Action::Wake { in_ms: ANSWER_WITHIN_MS + CLOCK_MS }),
        }
    }

    /// A call has come to an end, with the reply as JavaScript writes it or without.
    pub fn called(&mut self, number: u32, outcome: Result<&str, Failure>, now_ms: f64) {
        if let Some(instance) = &self.instance
            && let Some(answer) = self.relay.called(instance, number, outcome)
        {
            self.actions.push_back(Action::Post(answer));
        }
        self.keep_up(now_ms);
    }

    /// Does what time has made due. Any event of the page is a good moment for it.
    pub fn keep_up(&mut self, now_ms: f64) {
        let Some(instance) = &self.instance else { return };
        while let Some(answer) = self.relay.expire(instance, now_ms) {
            self.actions.push_back(Action::Post(answer));
        }
        let Some(handover) = &mut self.handover else { return };
        handover.keep_up(now_ms);
        if let Some(secret) = handover.secret() {
            if self.playing.as_ref().is_none_or(|(playing, _)| *playing != secret) {
                let match_key = secret.match_key(instance);
                self.recovered = self.recovered.filter(|kept| kept.join == secret);
                self.seat = self.recovered.and_then(|kept| kept.seat);
                self.playing = Some((secret, match_key.clone()));
                self.actions.push_back(Action::Play { match_key, seat: self.seat });
            }
            while let Some(call) = self.playing.as_ref().and_then(|(_, match_key)| self.relay.call(match_key)) {
                self.actions.push_back(Action::Call(call));
            }
        }
        if self.is_ready {
            while let Some(outgoing) = handover.next(now_ms) {
                self.actions.push_back(Action::Post(lane(instance, &outgoing)));
            }
            self.keep(now_ms);
        }
    }

    /// Has the host keep what finds match and seat again, when that has changed.
    fn keep(&mut self, now_ms: f64) {
        let (Some(instance), Some(handover)) = (&self.instance, &self.handover) else { return };
        // Until others were asked, what is known is what the host has.
        if handover.standing() == Standing::Looking || now_ms - self.kept_ms < KEEP_EVERY_MS {
            return;
        }
        let Some(join) = handover.secret() else { return };
        let now = Recovery { join, seat: self.seat, tick: self.tick };
        let is_kept = self.kept.is_some_and(|kept| {
            (kept.join, kept.seat) == (now.join, now.seat) && now.tick.since(kept.tick).abs() < KEEP_TICKS
        });
        if !is_kept {
            (self.kept, self.kept_ms) = (Some(now), now_ms);
            let message = json!({
                "type": "setLocalRecovery", "appInstanceId": instance.as_str(), "snapshot": now.write(),
            });
            self.actions.push_back(Action::Post(message.to_string()));
        }
    }

    /// The secret of this page's seat has changed.
    pub fn remember(&mut self, seat: Option<ResumeSecret>, now_ms: f64) {
        self.seat = seat;
        self.keep_up(now_ms);
    }

    /// The person plays.
    pub fn engaged(&mut self) {
        let Some(instance) = self.instance.as_ref().filter(|_| self.is_ready) else { return };
        if !std::mem::replace(&mut self.is_engaged, true) {
            let message = json!({ "type": "milestone", "appInstanceId": instance.as_str(), "milestone": "engaged" });
            self.actions.push_back(Action::Post(message.to_string()));
        }
    }

    /// The match has come to this tick.
    pub const fn ticked(&mut self, tick: Tick) {
        self.tick = tick;
    }

    /// The match server welcomes this page to the match at this tick. Returns what a person reads about which match it is,
    /// once per match.
    pub fn welcomed(&mut self, tick: Tick) -> Option<&'static str> {
        self.tick = tick;
        let (playing, _) = self.playing.as_ref()?;
        let recovered = self.recovered.take();
        if self.told.replace(*playing) == Some(*playing) {
            return None;
        }
        Some(match (self.standing(), recovered) {
            (_, Some(kept)) if tick.since(kept.tick) >= 0 => "Back in this Room's match.",
            (_, Some(_)) => "The match from before has ended. A new one has begun.",
            (Standing::Moved, None) => "You are in one match with the others now.",
            (Standing::Given, None) => "You are in this Room's match.",
            _ => "A new match for this Room.",
        })
    }

    /// The next thing to do.
    pub fn next_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Where the match's address comes from; [`Standing::Looking`] until the host is ready.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.handover.as_ref().map_or(Standing::Looking, Handover::standing)
    }

    /// Whether anything that a person is shown has changed since this was last asked.
    pub fn changed(&mut self) -> bool {
        let now = (self.standing(), self.roster.changes(), self.requests());
        std::mem::replace(&mut self.shown, now) != now
    }

    /// Whether there is a match to play.
    #[must_use]
    pub const fn has_match(&self) -> bool {
        self.playing.is_some()
    }

    /// Whether the host has spoken to this page.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.instance.is_some()
    }

    /// Who is in the Room.
    #[must_use]
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Agents' requests that came through this page.
    #[must_use]
    pub const fn requests(&self) -> u32 {
        self.relay.count()
    }
}

/// A message to other replicas, for the host.
fn lane(instance: &InstanceId, outgoing: &Outgoing) -> String {
    let message = match outgoing {
        Outgoing::Aloud(word) => {
            json!({ "type": "sendReliable", "appInstanceId": instance.as_str(), "payload": word.write() })
        }
        Outgoing::Private { id, to, word } => json!({
            "type": "sendReliableTo", "appInstanceId": instance.as_str(), "requestId": id.as_str(),
            "targetParticipantId": to.as_str(), "payload": word.write(),
        }),
    };
    message.to_string()
}

#[cfg(test)]
mod tests;

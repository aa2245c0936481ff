//! Agents' requests: each is answered exactly once, in time, whatever the match server does.

use contract::{MatchKey, limits::AGENT_REQUEST_BYTES_MAX};
use serde_json::{Map, Value};

use super::{InstanceId, RequestId};

/// A request is answered within this time, in milliseconds. The match server answers an act within two seconds; the
/// platform gives up after fifteen.
pub const ANSWER_WITHIN_MS: f64 = 2_800.0;

/// Longest envelope of an answer at any hop of the platform, in bytes of JSON as JavaScript writes it.
pub const ENVELOPE_BYTES_MAX: usize = 16_384;

/// Requests that wait for their answer at one time. The host lets four through.
pub const REQUESTS_MAX: usize = 8;

/// Why this page could not bring a request to the match. What the match itself refuses is an answer, not one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The match server cannot be reached, or something else answers in its place.
    Unreachable,
    /// It has not answered in time. What was asked for may still happen: observe before trying again, or use a key.
    Slow,
    /// This page has not found the Room's match yet.
    NoMatchYet,
    /// The request is longer than the match server reads.
    RequestTooLarge,
    /// The answer does not fit the platform's envelope.
    AnswerTooLarge,
    /// Too many requests wait already.
    TooMany,
}

impl Failure {
    /// What the Agent is told.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unreachable => "match_unreachable",
            Self::Slow => "match_slow",
            Self::NoMatchYet => "no_match_yet",
            Self::RequestTooLarge => "request_too_large",
            Self::AnswerTooLarge => "answer_too_large",
            Self::TooMany => "too_many_requests",
        }
    }
}

/// A call to the contract endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Names the call in its outcome.
    pub number: u32,
    /// The match.
    pub match_key: MatchKey,
    /// The request's body.
    pub body: String,
}

/// The requests of one port.
#[derive(Debug, Default)]
pub(super) struct Relay {
    waiting: Vec<Waiting>,
    calls: u32,
}

#[derive(Debug)]
struct Waiting {
    number: u32,
    request: RequestId,
    due_ms: f64,
    /// The body, until the call is made.
    body: Option<String>,
}

impl Relay {
    /// An Agent asks. Returns the answer if there is one already.
    pub(super) fn ask(
        &mut self,
        instance: &InstanceId,
        request: RequestId,
        body: String,
        now_ms: f64,
    ) -> Option<String> {
        if self.waiting.iter().any(|one| one.request == request) {
            // The host would not pass on a second answer either.
            return None;
        }
        let failure = if self.waiting.len() == REQUESTS_MAX {
            Failure::TooMany
        } else if body.len() > AGENT_REQUEST_BYTES_MAX {
            Failure::RequestTooLarge
        } else {
            self.calls += 1;
            let (number, due_ms) = (self.calls, now_ms + ANSWER_WITHIN_MS);
            self.waiting.push(Waiting { number, request, due_ms, body: Some(body) });
            return None;
        };
        Some(failed(instance, &request, failure))
    }

    /// The next call that can be made to this match.
    pub(super) fn call(&mut self, match_key: &MatchKey) -> Option<Call> {
        let one = self.waiting.iter_mut().find(|one| one.body.is_some())?;
        Some(Call { number: one.number, match_key: match_key.clone(), body: one.body.take()? })
    }

    /// A call has come to an end: with the reply as JavaScript writes it, or without. Returns the answer, unless it has
    /// been given already.
    pub(super) fn called(
        &mut self,
        instance: &InstanceId,
        number: u32,
        outcome: Result<&str, Failure>,
    ) -> Option<String> {
        let at = self.waiting.iter().position(|one| one.number == number)?;
        let request = self.waiting.swap_remove(at).request;
        Some(match outcome {
            Ok(reply) => answered(instance, &request, reply),
            Err(failure) => failed(instance, &request, failure),
        })
    }

    /// Gives up on the next request that has waited for too long. Returns the answer.
    pub(super) fn expire(&mut self, instance: &InstanceId, now_ms: f64) -> Option<String> {
        let at = self.waiting.iter().position(|one| now_ms >= one.due_ms)?;
        let one = self.waiting.swap_remove(at);
        let failure = if one.body.is_some() { Failure::NoMatchYet } else { Failure::Slow };
        Some(failed(instance, &one.request, failure))
    }

    /// The port is gone, and with it everybody who waits.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Requests so far.
    pub(super) const fn count(&self) -> u32 {
        self.calls
    }
}

/// The answer that carries a reply of the match.
fn answered(instance: &InstanceId, request: &RequestId, reply: &str) -> String {
    // Something in between may answer in place of the match server.
    if serde_json::from_str::<Map<String, Value>>(reply).is_err() {
        return failed(instance, request, Failure::Unreachable);
    }
    let answer = envelope("agentResponse", instance, request, true, "result", reply);
    // Further on, the platform names the message by a longer word.
    let longest = envelope("room-app-agent-response", instance, request, true, "result", reply).len();
    if longest <= ENVELOPE_BYTES_MAX { answer } else { failed(instance, request, Failure::AnswerTooLarge) }
}

/// The answer that says why there is none.
fn failed(instance: &InstanceId, request: &RequestId, failure: Failure) -> String {
    envelope("agentResponse", instance, request, false, "error", &format!("\"{}\"", failure.word()))
}

/// Ids hold nothing that JSON would have to escape.
fn envelope(kind: &str, instance: &InstanceId, request: &RequestId, ok: bool, name: &str, value: &str) -> String {
    format!(r#"{{"type":"{kind}","requestId":"{request}","appInstanceId":"{instance}","ok":{ok},"{name}":{value}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(bytes: usize) -> InstanceId {
        InstanceId::parse(&"a".repeat(bytes)).expect("an id")
    }

    fn request(text: &str) -> RequestId {
        RequestId::parse(text).expect("an id")
    }

    fn key() -> MatchKey {
        MatchKey::demo()
    }

    /// The word of an answer without a result.
    fn error_of(answer: &str) -> String {
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        assert_eq!((&answer["ok"], &answer["result"]), (&Value::Bool(false), &Value::Null), "{answer}");
        answer["error"].as_str().expect("a text").to_owned()
    }

    #[test]
    fn requests_are_answered_once_each_and_in_any_order() {
        let instance = instance(9);
        let mut relay = Relay::default();
        for name in ["first", "second"] {
            assert_eq!(relay.ask(&instance, request(name), "{}".into(), 0.0), None);
        }
        // The same id again while it waits is the same request.
        assert_eq!(relay.ask(&instance, request("first"), "{}".into(), 0.0), None);
        let calls: Vec<Call> = std::iter::from_fn(|| relay.call(&key())).collect();
        assert_eq!(calls.len(), 2);
        let second = relay.called(&instance, calls[1].number, Ok(r#"{"ok":true}"#)).expect("an answer");
        let wanted = r#"{"type":"agentResponse","requestId":"second","appInstanceId":"aaaaaaaaa","ok":true,"result":{"ok":true}}"#;
        assert_eq!(second, wanted);
        assert_eq!(relay.called(&instance, calls[1].number, Ok("{}")), None);
        let first = relay.called(&instance, calls[0].number, Err(Failure::Unreachable)).expect("an answer");
        assert_eq!(error_of(&first), "match_unreachable");
        assert_eq!(relay.expire(&instance, f64::MAX), None);
    }

    #[test]
    fn nobody_waits_for_ever() {
        let instance = instance(9);
        let mut relay = Relay::default();
        relay.ask(&instance, request("called"), "{}".into(), 0.0);
        let call = relay.call(&key()).expect("a call");
        relay.ask(&instance, request("held"), "{}".into(), 0.0);
        assert_eq!(relay.expire(&instance, ANSWER_WITHIN_MS - 1.0), None);
        let mut errors: Vec<_> =
            std::iter::from_fn(|| relay.expire(&instance, ANSWER_WITHIN_MS)).map(|answer| error_of(&answer)).collect();
        errors.sort();
        assert_eq!(errors, ["match_slow", "no_match_yet"]);
        // An answer that comes after all is nobody's.
        assert_eq!(relay.called(&instance, call.number, Ok("{}")), None);
        assert_eq!(relay.call(&key()), None);
    }

    #[test]
    fn an_envelope_holds_16384_bytes_and_not_one_more() {
        let (instance, id) = (instance(96), request(&"r".repeat(64)));
        let empty = envelope("room-app-agent-response", &instance, &id, true, "result", "").len();
        let reply = |bytes: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes - 8));
        let largest = reply(ENVELOPE_BYTES_MAX - empty);
        assert!(answered(&instance, &id, &largest).contains(&largest));
        let too_large = answered(&instance, &id, &reply(ENVELOPE_BYTES_MAX - empty + 1));
        assert_eq!(error_of(&too_large), "answer_too_large");
        // The longest reply of the match server always fits.
        assert!(contract::limits::AGENT_REPLY_BYTES_MAX + empty <= ENVELOPE_BYTES_MAX, "{empty}");
    }

    #[test]
    fn what_is_no_reply_is_not_passed_on() {
        let instance = instance(9);
        let deep = "[".repeat(5_000);
        for reply in ["", "[]", "null", "5", "<html>", "{", r#"{"a":1} {"#, &deep] {
            assert_eq!(error_of(&answered(&instance, &request("r"), reply)), "match_unreachable", "{reply}");
        }
    }

    #[test]
    fn a_flood_is_answered_at_once() {
        let instance = instance(9);
        let mut relay = Relay::default();
        for n in 0..REQUESTS_MAX {
            assert_eq!(relay.ask(&instance, request(&format!("r{n}")), "{}".into(), 0.0), None);
        }
        let answer = relay.ask(&instance, request("more"), "{}".into(), 0.0).expect("an answer");
        assert_eq!(error_of(&answer), "too_many_requests");
        relay.clear();
        let body = format!(r#"{{"a":"{}"}}"#, "x".repeat(AGENT_REQUEST_BYTES_MAX));
        let answer = relay.ask(&instance, request("long"), body, 0.0).expect("an answer");
        assert_eq!(error_of(&answer), "request_too_large");
        assert!(answer.len() < 256);
    }
}

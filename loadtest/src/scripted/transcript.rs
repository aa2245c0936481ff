//! Calls in a file: one JSON object a line, so that what an Agent once called can be called again.
//!
//! ```json
//! {"after_ms":800,"call":{"type":"observe","token":"$token","since":"$tick"},"expect":"ok","answer":{}}
//! {"name":"act","arguments":{"token":"$token","action":{"type":"order","order":"$legal:mark"}}}
//! ```
//!
//! `call` is the call; `name` and `arguments`, as MCP's `tools/call` has them, do as well. `after_ms` is the time to wait
//! first, `expect` is `ok` or the code of the refusal that is expected, `answer` is for the reader. In a call, a text is
//! replaced if it is one of these; one that begins with another `$` begins with `$$` here:
//!
//! | text | becomes |
//! |---|---|
//! | `$token` | the token of the seat that was taken last |
//! | `$seat` | the id of that seat |
//! | `$tick` | the tick of the newest sight, a number |
//! | `$key:WORD` | a key: always the same for one word, and another one in each run |
//! | `$order` | the id of the newest order |
//! | `$legal:KIND` | the id of the first legal order of that kind in the newest sight |

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};

/// Longest line, in bytes: the longest call and the longest answer, and some more.
pub(crate) const LINE_BYTES_MAX: usize = 64 * 1024;

/// Longest wait before a call, in milliseconds.
const AFTER_MS_MAX: u64 = 600_000;

/// A line that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Time to wait before the call, in milliseconds.
    pub(crate) after_ms: u64,
    /// The call, with words to be replaced.
    pub(crate) call: Value,
    /// `ok` or the code of a refusal.
    pub(crate) expect: Option<String>,
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// It is not a line of a transcript; says which field is wrong.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        if text.len() > LINE_BYTES_MAX {
            bail!("the line has {} bytes; at most {LINE_BYTES_MAX} are legal", text.len());
        }
        let mut line: Map<String, Value> = serde_json::from_str(text).context("the line is no JSON object")?;
        let after_ms = match line.get("after_ms") {
            None => 0,
            Some(after) => after
                .as_u64()
                .filter(|after| *after <= AFTER_MS_MAX)
                .with_context(|| format!("after_ms is not a whole number from 0 to {AFTER_MS_MAX}"))?,
        };
        let expect = match line.get("expect") {
            None => None,
            Some(expect) => Some(expect.as_str().context("expect is not a text")?.to_owned()),
        };
        let call = match (line.remove("call"), line.remove("name"), line.remove("arguments")) {
            (Some(Value::Object(call)), None, None) => call,
            (None, Some(Value::String(name)), arguments) => {
                let Value::Object(mut call) = arguments.unwrap_or_else(|| json!({})) else {
                    bail!("arguments is not an object");
                };
                call.insert("type".to_owned(), name.into());
                call
            }
            _ => bail!("there is neither an object call nor a text name with arguments"),
        };
        Ok(Self { after_ms, call: Value::Object(call), expect })
    }
}

/// What the words stand for in this run.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Goes into keys.
    nonce: u64,
    token: Option<Value>,
    seat: Option<Value>,
    order: Option<Value>,
    tick: Option<Value>,
    legal: Vec<Value>,
}

impl Memory {
    /// Nothing is known yet. The nonce must differ from that of every other run.
    pub(crate) const fn new(nonce: u64) -> Self {
        Self { nonce, token: None, seat: None, order: None, tick: None, legal: Vec::new() }
    }

    /// Learns from an answer.
    pub(crate) fn learn(&mut self, answer: &Value) {
        let result = &answer["result"];
        for (memory, found) in [
            (&mut self.token, &result["token"]),
            (&mut self.seat, &result["seat"]),
            (&mut self.order, &result["order_id"]),
            (&mut self.tick, &result["tick"]),
        ] {
            if !found.is_null() {
                *memory = Some(found.clone());
            }
        }
        if let Some(legal) = result["legal_orders"].as_array() {
            self.legal.clone_from(legal);
        }
    }

    /// Puts in place of the words of a call what they stand for.
    ///
    /// # Errors
    /// A word stands for nothing yet.
    pub(crate) fn fill(&self, call: &Value) -> anyhow::Result<Value> {
        Ok(match call {
            Value::String(text) => self.word(text)?,
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect::<anyhow::Result<_>>()?,
            Value::Object(fields) => {
                let filled = fields.iter().map(|(name, value)| Ok((name.clone(), self.fill(value)?)));
                Value::Object(filled.collect::<anyhow::Result<_>>()?)
            }
            plain => plain.clone(),
        })
    }

    fn word(&self, text: &str) -> anyhow::Result<Value> {
        let Some(word) = text.strip_prefix('$') else { return Ok(text.into()) };
        let found = match word.split_once(':') {
            None if word.starts_with('$') => Some(word.into()),
            None => match word {
                "token" => self.token.clone(),
                "seat" => self.seat.clone(),
                "order" => self.order.clone(),
                "tick" => self.tick.clone(),
                _ => bail!("{text} is no word; one that is meant as it is begins with $$"),
            },
            Some(("key", label)) => Some(format!("{:016x}-{label}", self.nonce).into()),
            Some(("legal", kind)) => {
                let order = self.legal.iter().find(|order| order["order"]["type"] == kind);
                order.map(|order| order["id"].clone())
            }
            Some(_) if word.starts_with('$') => Some(word.into()),
            Some(_) => bail!("{text} is no word; one that is meant as it is begins with $$"),
        };
        found.with_context(|| format!("{text} stands for nothing yet"))
    }

    /// The line for a call that was made: what the memory knows becomes a word again.
    pub(crate) fn line(&self, after_ms: u64, call: &Value, answer: &Value) -> Value {
        let expect = if answer["ok"] == true { json!("ok") } else { answer["error"]["code"].clone() };
        json!({ "after_ms": after_ms, "call": self.blank(None, call), "expect": expect, "answer": self.without_secrets(answer) })
    }

    fn blank(&self, field: Option<&str>, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.blank(field, item)).collect(),
            Value::Object(fields) => {
                let blanked = |(name, value): (&String, &Value)| (name.clone(), self.blank(Some(name), value));
                fields.iter().map(blanked).collect()
            }
            Value::String(text) => self.blank_text(field, text).into(),
            number if matches!(field, Some("since" | "based_on_tick")) && Some(number) == self.tick.as_ref() => {
                "$tick".into()
            }
            plain => plain.clone(),
        }
    }

    fn blank_text(&self, field: Option<&str>, text: &str) -> String {
        let is = |known: &Option<Value>| known.as_ref().is_some_and(|known| known == text);
        match text {
            _ if is(&self.token) => "$token".to_owned(),
            _ if is(&self.order) => "$order".to_owned(),
            _ if is(&self.seat) => "$seat".to_owned(),
            _ if field == Some("key") => format!("$key:{}", text.rsplit('-').next().unwrap_or(text)),
            _ if text.starts_with('$') => format!("${text}"),
            _ => text.to_owned(),
        }
    }

    fn without_secrets(&self, answer: &Value) -> Value {
        let mut answer = answer.clone();
        if let Some(token) = answer.get_mut("result").and_then(|result| result.get_mut("token")) {
            *token = "$token".into();
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut memory = Memory::new(7);
        memory.learn(&json!({ "ok": true, "tick": 40, "result": { "seat": "p2", "token": "secret" } }));
        let legal =
            json!([{ "id": "press", "order": { "type": "press" } }, { "id": "mark:p5", "order": { "type": "mark" } }]);
        memory.learn(&json!({ "ok": true, "tick": 42, "result": { "tick": 42, "legal_orders": legal } }));
        memory.learn(&json!({ "ok": true, "tick": 50, "result": { "order_id": "o9" } }));
        memory
    }

    #[test]
    fn words_become_what_they_stand_for_and_back() {
        let call = json!({
            "type": "act", "token": "$token", "based_on_tick": "$tick", "key": "$key:a",
            "preconditions": [{ "type": "order_active", "order": "$order" }, { "type": "is", "player": "$seat" }],
            "action": { "type": "order", "order": "mark:p5", "text": "$$tick" },
        });
        let filled = memory().fill(&call).expect("all words are known");
        let expected = json!({
            "type": "act", "token": "secret", "based_on_tick": 42, "key": "0000000000000007-a",
            "preconditions": [{ "type": "order_active", "order": "o9" }, { "type": "is", "player": "p2" }],
            "action": { "type": "order", "order": "mark:p5", "text": "$tick" },
        });
        assert_eq!(filled, expected);
        let line = memory().line(3, &filled, &json!({ "ok": false, "error": { "code": "stale" } }));
        assert_eq!(line["call"], call);
        let read = Line::parse(&line.to_string()).expect("what is written can be read");
        assert_eq!(read, Line { after_ms: 3, call, expect: Some("stale".to_owned()) });
    }

    #[test]
    fn a_kind_stands_for_the_first_legal_order_of_it() {
        assert_eq!(memory().fill(&json!("$legal:mark")).expect("it is legal"), "mark:p5");
        assert!(memory().fill(&json!("$legal:shoot")).is_err());
    }

    #[test]
    fn a_tool_call_of_mcp_is_a_line_too() {
        let line = Line::parse(r#"{"name":"observe","arguments":{"since":1}}"#).expect("a line");
        assert_eq!(line.call, json!({ "type": "observe", "since": 1 }));
        assert_eq!(Line::parse(r#"{"name":"describe"}"#).expect("a line").call, json!({ "type": "describe" }));
    }

    #[test]
    fn a_token_is_not_written() {
        let answer = json!({ "ok": true, "result": { "token": "secret" } });
        let line = memory().line(0, &json!({ "type": "observe", "token": "secret" }), &answer);
        assert!(!line.to_string().contains("secret"), "{line}");
    }

    #[test]
    fn lines_and_words_are_checked() {
        let long = format!(r#"{{"call":{{}},"answer":"{}"}}"#, "x".repeat(LINE_BYTES_MAX));
        for bad in ["", "[]", "{}", r#"{"call":1}"#, r#"{"call":{},"name":"x"}"#, r#"{"call":{},"after_ms":-1}"#, &long]
        {
            assert!(Line::parse(bad).is_err(), "{bad}");
        }
        for bad in ["$tock", "$a:b", "$token"] {
            assert!(Memory::new(0).fill(&json!(bad)).is_err(), "{bad}");
        }
    }
}

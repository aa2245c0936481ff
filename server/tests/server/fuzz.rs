//! Calls made from what `describe` says alone: those that fit it are taken or refused for what is so in the match, all
//! others are refused as what they are, shortly.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use contract::limits::{AGENT_ERROR_BYTES_MAX, AGENT_REPLY_BYTES_MAX};
use serde_json::{Value, json};

use crate::fixture::{Line, Server};

const CALLS: usize = 100_000;
const LINES: usize = 16;

/// Refusals that are about the call, whatever is so in the match.
const FORMAL: [&str; 5] = ["malformed", "too_large", "missing_field", "unknown_field", "bad_value"];

/// Refusals that are about what is so in the match, or about who calls.
const MATTERS: [&str; 12] = [
    "bad_token",
    "already_seated",
    "full",
    "name_taken",
    "illegal_order",
    "stale",
    "precondition_failed",
    "key_reused",
    "busy",
    "rate_limited",
    "missing_field",
    "bad_value",
];

struct Noise(u64);

impl Noise {
    /// SplitMix64.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % u64::try_from(end).expect("small")).expect("small")
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Makes values that fit a schema.
struct Maker<'a> {
    schema: &'a Value,
    noise: Noise,
    token: Option<&'a str>,
}

impl Maker<'_> {
    fn make(&mut self, schema: &Value) -> Value {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix("#/$defs/").expect("a definition");
            if name == "SeatToken"
                && let Some(token) = self.token
            {
                return token.into();
            }
            let definition = self.schema["$defs"][name].clone();
            return self.make(&definition);
        }
        for word in ["oneOf", "anyOf", "enum"] {
            if let Some(choices) = schema[word].as_array() {
                let choice = self.noise.pick(choices).clone();
                return if word == "enum" { choice } else { self.make(&choice) };
            }
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        match self.noise.pick(&kinds).as_str().expect("a kind") {
            "null" => Value::Null,
            "boolean" => (self.noise.below(2) == 0).into(),
            "integer" => self.number(schema),
            "string" => self.text(schema).into(),
            "array" => {
                let count = self.noise.below(schema["maxItems"].as_u64().map_or(4, |max| max as usize + 1));
                (0..count).map(|_| self.make(&schema["items"])).collect()
            }
            "object" => self.object(schema),
            kind => panic!("describe has a kind of value this does not know: {kind}"),
        }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut object = json!({});
        for (name, property) in schema["properties"].as_object().expect("properties") {
            if required.contains(&name.as_str()) || self.noise.below(2) == 0 {
                object[name] = self.make(property);
            }
        }
        object
    }

    fn number(&mut self, schema: &Value) -> Value {
        let (low, high) = (schema["minimum"].as_u64().unwrap_or(0), schema["maximum"].as_u64().unwrap_or(u64::MAX));
        match self.noise.below(3) {
            0 => low.into(),
            1 => high.into(),
            _ => (low + self.noise.0 % (high - low).max(1)).into(),
        }
    }

    fn text(&mut self, schema: &Value) -> String {
        match schema["pattern"].as_str() {
            Some("^p(0|[1-9][0-9]?)$") => format!("p{}", self.noise.below(8)),
            Some("^o(0|[1-9][0-9]{0,9})$") => format!("o{}", self.noise.below(100_000)),
            Some("^[a-z_]+(:[a-z0-9_]+)?$") => {
                let ids =
                    ["press", "stop", "shoot", "mark:p4", "pass_to:p1", "hold_zone:attack_left", "with_ball:pass"];
                (*self.noise.pick(&ids)).to_owned()
            }
            Some("^[A-Za-z0-9._:-]{1,64}$") => format!("key-{:020}", self.noise.below(1_000_000_000)),
            Some(pattern) => panic!("describe has a pattern this does not know: {pattern}"),
            None => {
                let length = schema["maxLength"].as_u64().map_or(24, |max| max as usize);
                let letters: Vec<char> = "aé\u{1f600}\"\\<>{}\n\u{202e}".chars().collect();
                let text: String = (0..1 + self.noise.below(6)).map(|_| *self.noise.pick(&letters)).collect();
                format!("n{}", text.chars().take(length / 4).collect::<String>())
            }
        }
    }
}

/// Spoils a request in one place.
fn spoil(request: &mut Value, noise: &mut Noise) {
    let mut places = Vec::new();
    collect(request, &mut String::new(), &mut places);
    let place = noise.pick(&places).clone();
    let slot = request.pointer_mut(&place).expect("a place in it");
    match noise.below(6) {
        0 => *slot = json!([slot.take()]),
        1 => *slot = json!({ "type": "?", "x": slot.take() }),
        2 => *slot = json!(-7.5),
        3 => *slot = json!("\u{0}ignore all rules"),
        4 => {
            if let Some(object) = slot.as_object_mut() {
                object.insert("sourceParticipantId".into(), "someone".into());
            } else {
                *slot = json!(u64::MAX);
            }
        }
        _ => {
            let first = slot.as_object().and_then(|object| object.keys().next().cloned());
            if let (Some(object), Some(first)) = (slot.as_object_mut(), first) {
                object.remove(&first);
            } else {
                *slot = json!({});
            }
        }
    }
}

fn collect(value: &Value, path: &mut String, places: &mut Vec<String>) {
    places.push(path.clone());
    let length = path.len();
    let mut visit = |name: &str, value: &Value| {
        *path += "/";
        *path += name;
        collect(value, path, places);
        path.truncate(length);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| visit(name, value)),
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| visit(&at.to_string(), value)),
        _ => {}
    }
}

#[test]
fn a_hundred_thousand_calls_made_from_describe_are_answered_well() {
    let server = Server::with(
        "[contract]\ncalls_per_second = 1000000\ncalls_per_second_per_address = 1000000\n\
         calls_per_second_per_seat = 1000",
    );
    let described = server.agent("fuzz").call(&json!({ "type": "describe" }));
    let schema = &described["result"]["schema"];
    let validator = jsonschema::validator_for(schema).expect("a schema");
    let counts = Mutex::new(BTreeMap::<String, usize>::new());
    let valid = AtomicUsize::new(0);
    thread::scope(|scope| {
        for at in 0..LINES {
            let (server, validator, counts, valid) = (&server, &validator, &counts, &valid);
            scope.spawn(move || {
                let key = format!("fuzz-{}", at % 4);
                let mut agent = server.agent(&key);
                agent.take_seat(&format!("fuzzer {at}"), None);
                let token = agent.token.clone();
                let noise = Noise(u64::try_from(at).expect("small"));
                let mut maker = Maker { schema, noise, token: token.as_deref() };
                let mut line = Line::to(server.contract);
                for _ in 0..CALLS / LINES {
                    let mut request = maker.make(schema);
                    if request["action"]["type"] == "leave_seat" {
                        request["token"] = Value::Null;
                    }
                    if maker.noise.below(3) > 0 {
                        spoil(&mut request, &mut maker.noise);
                    }
                    let fits = validator.is_valid(&request);
                    valid.fetch_add(usize::from(fits), Ordering::Relaxed);
                    let text = line.post(&key, request.to_string().as_bytes());
                    assert!(text.len() <= AGENT_REPLY_BYTES_MAX, "{} bytes", text.len());
                    let answer: Value = serde_json::from_str(&text).expect("JSON");
                    let outcome = judge(&request, &answer, fits);
                    *counts.lock().expect("no panic").entry(outcome).or_default() += 1;
                }
            });
        }
    });
    let valid = valid.into_inner();
    println!("{valid} valid of {CALLS}: {:?}", counts.into_inner().expect("no panic"));
    assert!(valid > CALLS / 4 && valid < CALLS * 3 / 4);
    assert_eq!(server.metric("matchd_match_panics_total"), 0.0);
}

/// Checks an answer against what the schema says of the request. What came of it.
fn judge(request: &Value, answer: &Value, fits: bool) -> String {
    if answer["ok"] == true {
        assert!(fits, "taken, but does not fit: {request}");
        return "ok".to_owned();
    }
    let error = &answer["error"];
    let code = error["code"].as_str().expect("a code");
    assert!(error.to_string().len() <= AGENT_ERROR_BYTES_MAX, "{answer}");
    if fits {
        assert!(MATTERS.contains(&code), "{request} fits: {answer}");
    } else {
        let is_formal = FORMAL.contains(&code) || code == "rate_limited" || code == "bad_token";
        assert!(is_formal, "{request} does not fit: {answer}");
    }
    code.to_owned()
}

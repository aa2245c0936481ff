//! The Agent contract: what the schema and the parser say is the same thing.

use contract::{
    agent::{self, Action, FaultCode, Request, parse_request},
    games::kickabout::{Fact, Kickabout, Order, WithoutBall, Zone},
    limits::AGENT_ERROR_BYTES_MAX,
};
use examples::examples;
use proptest::prelude::*;
use serde_json::{Value, json};

mod examples;
mod golden;

fn parse(value: &Value) -> Result<Request<Order, Fact>, agent::Fault> {
    parse_request::<Kickabout>(value.to_string().as_bytes())
}

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&agent::schema::<Kickabout>()["request"]).expect("the schema is one")
}

/// By the schema that `describe` tells.
fn described_validator() -> jsonschema::Validator {
    jsonschema::validator_for(&agent::describe::<Kickabout>()["schema"]).expect("the schema is one")
}

#[test]
fn what_is_written_is_read() {
    for example in examples::<Kickabout>() {
        let request = parse(&example).expect("an example");
        let written = serde_json::to_value(&request).expect("plain data");
        // A team is a word on the way in and an index in the type.
        if !written.to_string().contains("\"team\"") {
            assert_eq!(parse(&written), Ok(request), "{written}");
        }
    }
}

#[test]
fn an_order_may_be_named_by_its_id() {
    let zone = Zone::AttackLeft;
    let plan = Order::SetPlan { with_ball: None, without_ball: Some(WithoutBall::KeepGoal) };
    for order in [Order::Press, Order::HoldZone { zone }, Order::Mark { player: contract::SeatId(7) }, plan] {
        let request = json!({ "type": "act", "token": "t", "action": { "type": "order", "order": order.id() } });
        assert!(validator().is_valid(&request), "{request}");
        let Ok(Request::Act { action: Action::Order { order: read, .. }, .. }) = parse(&request) else {
            panic!("{request}")
        };
        assert_eq!(read, order);
    }
    for id in
        ["", "press:", "press:p1", "mark", "mark:p03", "hold_zone:moon", "set_plan", "with_ball:", "without_ball:mark"]
    {
        let request = json!({ "type": "act", "token": "t", "action": { "type": "order", "order": id } });
        assert_eq!(parse(&request).expect_err(id).field.as_deref(), Some("action.order"), "{id}");
    }
}

#[test]
fn faults_say_where_and_what_would_be_legal() {
    let order = |order: Value| json!({ "type": "act", "token": "t", "action": { "type": "order", "order": order } });
    let cases = [
        (json!({}), FaultCode::MissingField, Some("type"), "observe"),
        (json!({ "type": "dance" }), FaultCode::BadValue, Some("type"), "describe"),
        (json!({ "type": "observe", "sinc": 3 }), FaultCode::UnknownField, None, "since"),
        (json!({ "type": "observe", "since": -1 }), FaultCode::BadValue, Some("since"), ""),
        (json!({ "type": "observe", "since": 1.5 }), FaultCode::BadValue, Some("since"), ""),
        (json!({ "type": "observe", "detail": "short" }), FaultCode::BadValue, Some("detail"), "brief"),
        (json!({ "type": "observe", "untrusted": 1 }), FaultCode::BadValue, Some("untrusted"), ""),
        (json!({ "type": "observe", "token": "x".repeat(65) }), FaultCode::BadToken, Some("token"), ""),
        (json!({ "type": "act" }), FaultCode::MissingField, Some("action"), ""),
        (json!({ "type": "act", "action": [] }), FaultCode::BadValue, Some("action"), ""),
        (json!({ "type": "act", "action": { "type": "take_seat" } }), FaultCode::MissingField, Some("action.name"), ""),
        (
            json!({ "type": "act", "action": { "type": "take_seat", "name": "\u{200b}" } }),
            FaultCode::BadValue,
            Some("action.name"),
            "",
        ),
        (
            json!({ "type": "act", "action": { "type": "take_seat", "name": "a", "team": "green" } }),
            FaultCode::BadValue,
            Some("action.team"),
            "blue",
        ),
        (order(json!({ "type": "fly" })), FaultCode::BadValue, Some("action.order.type"), "press"),
        (order(json!({ "type": "mark", "player": 7 })), FaultCode::BadValue, Some("action.order.player"), ""),
        (
            order(json!({ "type": "hold_zone", "zone": "moon" })),
            FaultCode::BadValue,
            Some("action.order.zone"),
            "attack_left",
        ),
        (order(json!({ "type": "press", "hard": true })), FaultCode::UnknownField, Some("action.order"), "type"),
        (
            order(json!({ "type": "set_plan", "without_ball": { "type": "mark" } })),
            FaultCode::MissingField,
            Some("action.order.without_ball.player"),
            "",
        ),
    ];
    for (request, code, field, legal) in cases {
        let fault = parse(&request).expect_err(&request.to_string());
        assert_eq!((fault.code, fault.field.as_deref()), (code, field), "{request}");
        assert!(legal.is_empty() || fault.legal.iter().any(|word| word == legal), "{request}: {fault:?}");
    }
    for (key, taken) in [(json!(7), false), (json!(""), false), (json!("a b"), false), (json!("o-1"), true)] {
        let mut act = order(json!("press"));
        act["key"] = key;
        assert_eq!(parse(&act).err().and_then(|fault| fault.field), (!taken).then(|| "key".to_owned()), "{act}");
        act["action"] = json!({ "type": "take_seat", "name": "Nova" });
        assert_eq!(parse(&act).expect_err("too short for a seat").field.as_deref(), Some("key"));
    }
    let mut act = order(json!("press"));
    act["action"]["expires_in_ms"] = json!(199);
    assert_eq!(parse(&act).expect_err("too short").field.as_deref(), Some("action.expires_in_ms"));
    act["action"] = json!({ "type": "order", "order": "stop", "expires_in_ms": 5000 });
    assert_eq!(parse(&act).expect_err("at once").field.as_deref(), Some("action.expires_in_ms"));
    for (preconditions, field) in [
        (json!({}), "preconditions"),
        (json!([{ "type": "phase", "phase": "play" }, {}, {}, {}, {}]), "preconditions"),
        (json!([{ "type": "phase", "phase": "play" }, { "type": "luck" }]), "preconditions.1.type"),
        (json!([{ "type": "order_active", "order": "o03" }]), "preconditions.0.order"),
        (json!([{ "type": "possession", "team": "green" }]), "preconditions.0.team"),
    ] {
        let mut act = order(json!("press"));
        act["preconditions"] = preconditions;
        assert_eq!(parse(&act).expect_err("no preconditions").field.as_deref(), Some(field), "{act}");
    }
    for bytes in [&b"[1"[..], b"", b"{\"type\":", b"\xff", "[".repeat(10_000).as_bytes()] {
        assert_eq!(parse_request::<Kickabout>(bytes).map_err(|fault| fault.code), Err(FaultCode::Malformed));
    }
    for value in [json!(null), json!([]), json!("describe"), json!(3)] {
        assert_eq!(parse(&value).map_err(|fault| fault.code), Err(FaultCode::BadValue));
    }
}

/// JSON that is often nearly a request.
fn nearly_a_request() -> impl Strategy<Value = Value> {
    let words: Vec<&'static str> = [
        "describe",
        "observe",
        "act",
        "take_seat",
        "order",
        "leave_seat",
        "type",
        "action",
        "token",
        "since",
        "name",
        "team",
        "player",
        "zone",
        "role",
        "with_ball",
        "without_ball",
        "red",
        "p3",
        "attack_left",
        "keeper",
        "shoot",
    ]
    .into_iter()
    .chain(Order::TYPES.iter().copied())
    .collect();
    let word = prop::sample::select(words);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        let key = word.clone().prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..6).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn whatever_is_sent_gets_a_request_or_a_short_fault_that_repeats_nothing(value in nearly_a_request(), mark in "[A-Z]{12}") {
        let text = value.to_string().replace("attack_left", &mark);
        if let Err(fault) = parse_request::<Kickabout>(text.as_bytes()) {
            let json = serde_json::to_string(&fault).expect("plain data");
            prop_assert!(json.len() <= AGENT_ERROR_BYTES_MAX);
            prop_assert!(!json.contains(&mark));
        }
    }

    #[test]
    fn the_parser_accepts_only_what_the_schema_does(value in nearly_a_request(), at in 0_usize..100, key in "[a-z_]{1,12}") {
        thread_local!(static VALIDATOR: [jsonschema::Validator; 2] = [validator(), described_validator()]);
        let mut request = value.clone();
        let examples = examples::<Kickabout>();
        // Half of the cases start from an example and change one thing.
        if let Some(example) = examples.get(at) {
            request = example.clone();
            let slot = match at % 3 { 0 => &mut request, 1 => &mut request["action"], _ => &mut request["action"]["order"] };
            if let Some(object) = slot.as_object_mut() { object.insert(key, value); }
        }
        if parse(&request).is_ok() {
            prop_assert!(VALIDATOR.with(|both| both.iter().all(|validator| validator.is_valid(&request))), "{request}");
        }
    }
}

#[test]
fn the_schema_is_the_committed_one() {
    let schema = serde_json::to_string_pretty(&agent::schema::<Kickabout>()).expect("plain data") + "\n";
    golden::check("schema/kickabout.json", schema.as_bytes());
}

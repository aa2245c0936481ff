//! A mind against answers made up here.

use super::*;

fn mind() -> Mind {
    let temper = Temper {
        name: "Nova".to_owned(),
        team: Some("red".to_owned()),
        weights: Weights::default(),
        think_ms: 100..=200,
        seed: 1,
        nonce: 7,
    };
    Mind::new(temper)
}

fn described() -> Value {
    ok(json!({
        "game": "a game",
        "calls": { "observe": { "optional": ["token", "since"] }, "act": { "optional": ["token", "key", "based_on_tick"] } },
        "actions": { "take_seat": { "required": ["name"], "optional": ["team"] }, "order": {} },
        "orders": { "press": { "does": "goes for the ball" } },
    }))
}

fn ok(result: Value) -> Value {
    json!({ "ok": true, "tick": 9, "result": result })
}

fn refusal(code: &str) -> Value {
    json!({ "ok": false, "tick": 9, "error": { "code": code, "message": "no" } })
}

fn sight(tick: u64, outcomes: &Value) -> Value {
    ok(json!({ "tick": tick, "outcomes": outcomes, "legal_orders": [{ "id": "press", "order": { "type": "press" } }] }))
}

fn seat() -> Value {
    ok(json!({ "seat": "p0", "team": "red", "token": "secret", "takes_effect": 9 }))
}

/// Hears these answers and returns the call that follows.
fn after(mind: &mut Mind, answers: &[Value]) -> Call {
    for answer in answers {
        mind.heard(answer).expect("it can be played by");
    }
    mind.call().clone()
}

#[test]
fn it_describes_takes_a_seat_observes_and_orders() {
    let mut mind = mind();
    assert_eq!(mind.call().payload, json!({ "type": "describe" }));
    let call = after(&mut mind, &[described()]);
    let take_seat = json!({ "type": "take_seat", "name": "Nova", "team": "red" });
    assert_eq!(call.payload, json!({ "type": "act", "key": "0000000000000007-1", "action": take_seat }));
    let call = after(&mut mind, &[seat()]);
    assert_eq!(call.payload, json!({ "type": "observe", "token": "secret" }));
    let call = after(&mut mind, &[sight(40, &json!([]))]);
    let order = json!({ "type": "order", "order": "press" });
    let act =
        json!({ "type": "act", "token": "secret", "key": "0000000000000007-2", "based_on_tick": 40, "action": order });
    assert_eq!(call.payload, act);
    assert!((100..=200).contains(&call.after.as_millis()), "{call:?}");
    let call = after(&mut mind, &[ok(json!({ "takes_effect": 50, "order_id": "o3" }))]);
    assert_eq!(call.payload, json!({ "type": "observe", "token": "secret", "since": 40 }));
    assert_eq!(mind.doing(), "I play p0. My order is press: it goes for the ball.");
}

#[test]
fn it_sends_only_what_describe_names() {
    let mut plain = described();
    plain["result"]["calls"] = json!({ "observe": {}, "act": {} });
    plain["result"]["actions"]["take_seat"] = json!({ "required": ["name"] });
    let mut mind = mind();
    let call = after(&mut mind, &[plain]);
    assert_eq!(call.payload, json!({ "type": "act", "action": { "type": "take_seat", "name": "Nova" } }));
    let call = after(&mut mind, &[seat(), sight(40, &json!([]))]);
    let order = json!({ "type": "order", "order": "press" });
    assert_eq!(call.payload, json!({ "type": "act", "token": "secret", "action": order }));
    let call = after(&mut mind, &[ok(json!({ "takes_effect": 50 }))]);
    assert_eq!(call.payload, json!({ "type": "observe", "token": "secret" }));
}

#[test]
fn an_answer_that_is_lost_is_asked_for_with_the_same_key() {
    let mut mind = mind();
    let order = after(&mut mind, &[described(), seat(), sight(40, &json!([]))]).payload;
    let mut waits = Vec::new();
    for _ in 0..6 {
        mind.unheard("timeout");
        assert_eq!(mind.call().payload, order);
        waits.push(mind.call().after.as_millis());
    }
    assert!(waits[0] < 320 && waits[5] >= 3000 && waits[5] <= 5000, "{waits:?}");
    assert_eq!(after(&mut mind, &[refusal("busy")]).payload, order);
    assert_eq!(mind.counts().unheard, 6);
}

#[test]
fn what_certainly_did_not_happen_is_tried_anew() {
    let mut mind = mind();
    let order = after(&mut mind, &[described(), seat(), sight(40, &json!([]))]).payload;
    let again = after(&mut mind, &[refusal("rate_limited")]).payload;
    assert_eq!(again["action"], order["action"]);
    assert_ne!(again["key"], order["key"]);
}

#[test]
fn an_order_out_of_date_leads_to_a_new_look() {
    for code in SIGHT_IS_OLD {
        let mut mind = mind();
        let call = after(&mut mind, &[described(), seat(), sight(40, &json!([])), refusal(code)]);
        assert_eq!(
            call,
            Call { after: Duration::ZERO, payload: json!({ "type": "observe", "token": "secret", "since": 40 }) }
        );
    }
}

#[test]
fn a_seat_that_is_gone_is_taken_anew() {
    for code in SEAT_IS_GONE {
        let mut mind = mind();
        let call = after(&mut mind, &[described(), seat(), refusal(code)]);
        assert_eq!(call.payload["action"]["type"], "take_seat");
        assert!(call.payload.get("token").is_none());
        assert_eq!(mind.doing(), "I am waiting for a seat.");
    }
}

#[test]
fn it_settles_for_another_name_and_another_side() {
    let mut mind = mind();
    let call = after(&mut mind, &[described(), refusal("name_taken")]);
    let name = call.payload["action"]["name"].as_str().expect("a name");
    assert!(name.starts_with("Nova ") && name.len() <= 7, "{name}");
    let call = after(&mut mind, &[refusal("full")]);
    assert!(call.payload["action"].get("team").is_none());
    assert_eq!(call.after, Duration::ZERO);
    assert!(after(&mut mind, &[refusal("full")]).after > Duration::ZERO);
}

#[test]
fn it_keeps_an_order_for_some_time_and_hears_how_it_ended() {
    let mut mind = mind();
    after(
        &mut mind,
        &[described(), seat(), sight(40, &json!([])), ok(json!({ "takes_effect": 50, "order_id": "o3" }))],
    );
    let mut looks = 0;
    while mind.call().payload["type"] == "observe" {
        after(&mut mind, &[sight(60 + looks, &json!([]))]);
        looks += 1;
        assert!(looks < 100, "it changes its mind at times");
    }
    after(&mut mind, &[ok(json!({ "takes_effect": 200, "order_id": "o4" }))]);
    let outcomes = json!([
        { "order": "o3", "tick": 190, "status": "superseded" },
        { "order": "o4", "tick": 240, "status": "done" },
    ]);
    mind.drain_notes();
    let call = after(&mut mind, &[sight(250, &outcomes)]);
    assert_eq!(call.payload["type"], "act");
    assert_eq!(mind.drain_notes(), ["press is done"]);
    assert_eq!(mind.counts().outcomes, BTreeMap::from([("done".to_owned(), 1), ("superseded".to_owned(), 1)]));
}

#[test]
fn a_call_the_contract_does_not_know_is_counted_and_not_repeated() {
    let mut mind = mind();
    let call = after(&mut mind, &[described(), seat(), sight(40, &json!([])), refusal("bad_value")]);
    assert_eq!(call.payload["type"], "observe");
    assert_eq!(mind.counts().mistakes, 1);
}

#[test]
fn a_contract_it_cannot_play_by_is_an_error() {
    for part in ["calls", "actions", "orders"] {
        let mut described = described();
        described["result"][part].take();
        assert!(mind().heard(&described).is_err(), "{part}");
    }
    let mut seated = mind();
    after(&mut seated, &[described()]);
    assert!(seated.heard(&ok(json!({ "seat": "p0" }))).is_err());
    assert!(mind().heard(&json!({ "ok": false })).is_err());
}

#[test]
fn it_gives_its_seat_back() {
    let mut mind = mind();
    assert!(!mind.leave());
    after(&mut mind, &[described(), seat()]);
    assert!(mind.leave());
    let leave = json!({ "type": "act", "token": "secret", "action": { "type": "leave_seat" } });
    assert_eq!(mind.call().payload, leave);
    after(&mut mind, &[ok(json!({ "takes_effect": 99 }))]);
    assert!(!mind.leave());
}

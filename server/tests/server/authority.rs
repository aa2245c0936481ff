//! Who relays for an Agent may see no more for it, and everybody sees that they do.

use std::time::{SystemTime, UNIX_EPOCH};

use contract::{RelayPass, RelayedBy, SeatId};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::fixture::{Line, Page, Server, http};

/// Pages here do not read; nobody closes them for that, however slow the machine is.
const PATIENT: &str =
    "[contract]\ncalls_per_second_per_seat = 1000\n[play]\npong_timeout_ms = 60000\nwrite_timeout_ms = 60000";

/// A page that plays on a side, and a line for calls through it.
fn relay(server: &Server, name: &str, team: Option<u8>) -> (Page, Line, SeatId) {
    let mut page = server.watch("room");
    let seat = page.join(name, team);
    let line = through(server, &page.relay.clone().expect("a pass"));
    (page, line, seat)
}

fn through(server: &Server, pass: &RelayPass) -> Line {
    Line::with(server.contract, &format!("matchd-relay: {}\r\n", pass.text()))
}

fn call(line: &mut Line, request: &Value) -> Value {
    serde_json::from_str(&line.post("room", request.to_string().as_bytes())).expect("JSON")
}

fn act(token: &Value, action: &Value) -> Value {
    json!({ "type": "act", "token": token, "action": action })
}

#[test]
fn a_relay_on_the_other_side_is_told_none_of_the_teams_secrets() {
    let server = Server::with(PATIENT);
    let (_mate, mut own, _) = relay(&server, "Ada", Some(0));
    let (_rival, mut other, _) = relay(&server, "Bob", Some(1));
    let watcher = server.watch("room");
    let mut watching = through(&server, &watcher.relay.clone().expect("a pass"));
    let seat = json!({ "type": "act", "action": { "type": "take_seat", "name": "Nova", "team": "red" } });
    let token = call(&mut own, &seat)["result"]["token"].clone();
    let given = call(&mut own, &act(&token, &json!({ "type": "order", "order": "hold_zone:attack_left" })));
    assert_eq!(given["ok"], true, "{given}");
    let observe = json!({ "type": "observe", "token": token });
    let secrets = |seen: &Value| {
        let players = seen["result"]["players"].as_array().expect("players");
        players.iter().filter(|player| player.get("role").is_some() || player.get("order").is_some()).count()
    };
    for (line, may_know) in [(&mut own, true), (&mut watching, true), (&mut other, false)] {
        let seen = call(line, &observe);
        assert_eq!(seen["ok"], true, "{seen}");
        assert_eq!(secrets(&seen), if may_know { 3 } else { 0 }, "{seen}");
        assert_eq!(seen["result"]["left_out"]["withheld_from_relay"], !may_know);
        assert_eq!(seen["result"]["you"], call(line, &observe)["result"]["you"]);
    }
    // It can act for its seat all the same, but not find out by asking.
    let fact = |fact: Value| json!({ "type": "act", "token": token, "preconditions": [fact], "action": { "type": "order", "order": "press" } });
    let active = json!({ "type": "order_active", "order": given["result"]["order_id"] });
    assert_eq!(call(&mut other, &fact(active.clone()))["error"]["code"], "precondition_failed");
    assert_eq!(call(&mut own, &fact(active))["ok"], true);
    let wrong = act(&token, &json!({ "type": "order", "order": "mark:p31" }));
    let refused = call(&mut other, &wrong)["error"].clone();
    assert!(refused["code"] == "illegal_order" && refused.get("legal").is_none(), "{refused}");
    assert!(call(&mut own, &wrong)["error"]["legal"].is_array());
    assert_eq!(call(&mut other, &act(&token, &json!({ "type": "leave_seat" })))["ok"], true);
}

#[test]
fn everybody_sees_through_whom_an_agent_plays_and_any_page_carries_its_token() {
    let server = Server::with(PATIENT);
    let (_ada, mut first, ada) = relay(&server, "Ada", Some(0));
    let (bob_page, mut second, bob) = relay(&server, "Bob", Some(1));
    let mut watcher = server.watch("room");
    let key = "a-key-of-chance-0123456789abcdef";
    let seat = json!({ "type": "act", "key": key, "action": { "type": "take_seat", "name": "Nova" } });
    let taken = call(&mut first, &seat);
    let token = taken["result"]["token"].clone();
    let told = |watcher: &mut Page, by: Option<RelayedBy>| {
        watcher.roster(|roster| {
            roster.iter().any(|entry| entry.holder == contract::Holder::Agent && entry.relayed_by == by)
        });
    };
    told(&mut watcher, Some(RelayedBy::Player(ada)));
    // The answer got lost with Ada's browser: the same call through Bob's has it, and takes no second seat.
    assert_eq!(call(&mut second, &seat), taken);
    let press =
        json!({ "type": "act", "token": token, "key": "press", "action": { "type": "order", "order": "press" } });
    let pressed = call(&mut second, &press);
    assert_eq!(pressed["ok"], true, "{pressed}");
    told(&mut watcher, Some(RelayedBy::Player(bob)));
    assert_eq!(call(&mut first, &press), pressed, "the same through another page");
    let mut watching = through(&server, &watcher.relay.clone().expect("a pass"));
    assert_eq!(call(&mut watching, &json!({ "type": "observe", "token": token }))["ok"], true);
    told(&mut watcher, Some(RelayedBy::Watcher));
    let mut direct = Line::to(server.contract);
    assert_eq!(call(&mut direct, &json!({ "type": "observe", "token": token }))["ok"], true);
    told(&mut watcher, None);
    // A page that is gone carries nothing.
    drop(bob_page);
    server.until("the page is gone", |_| {
        call(&mut second, &json!({ "type": "observe", "token": token }))["error"]["code"] == "bad_relay"
    });
}

#[test]
fn a_pass_is_good_for_its_match_only_and_must_be_one() {
    let server = Server::start();
    let (page, mut line, _) = relay(&server, "Ada", None);
    let observe = json!({ "type": "observe" }).to_string();
    let other: Value = serde_json::from_str(&line.post("elsewhere", observe.as_bytes())).expect("JSON");
    assert_eq!(other["error"]["code"], "bad_relay");
    for pass in ["", "7", &"0".repeat(32), &"g".repeat(32), &"é".repeat(16)] {
        let headers = [("matchd-match", "room"), ("matchd-relay", pass)];
        let (status, _, body) = http(server.contract, "POST /contract", &headers, observe.as_bytes());
        let answer: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!((status, &answer["error"]["code"]), (200, &json!("bad_relay")), "{pass}");
    }
    drop(page);
}

#[test]
fn a_closed_server_takes_calls_through_pages_and_signed_ones_only() {
    let server = Server::with(
        "[contract]\nallow_direct = false\nsignature_secrets = [\"a secret that only the host and the server know\"]",
    );
    let mut direct = Line::to(server.contract);
    assert_eq!(call(&mut direct, &json!({ "type": "describe" }))["error"]["code"], "not_allowed");
    let (_page, mut line, _) = relay(&server, "Ada", None);
    assert_eq!(call(&mut line, &json!({ "type": "describe" }))["ok"], true);
    for signature in ["", "t=1,n=0123456789abcdef,s=00"] {
        let mut line = Line::with(server.contract, &format!("matchd-signature: {signature}\r\n"));
        assert_eq!(call(&mut line, &json!({ "type": "describe" }))["error"]["code"], "bad_signature");
    }
}

#[test]
fn whoever_may_not_call_makes_no_match() {
    let server = Server::with("[contract]\nallow_direct = false");
    let made = server.metric("matchd_matches_made_total");
    for (head, code) in [
        ("", "not_allowed"),
        ("matchd-signature: t=1,n=0123456789abcdef,s=00\r\n", "bad_signature"),
        ("matchd-relay: 00112233445566778899aabbccddeeff\r\n", "bad_relay"),
    ] {
        for body in ["{\"type\":\"describe\"}", "no JSON"] {
            let answer = Line::with(server.contract, head).post("of.their.own", body.as_bytes());
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["error"]["code"], code, "{answer}");
        }
    }
    assert_eq!(server.metric("matchd_matches_made_total"), made);
}

#[test]
fn a_host_that_signs_is_let_in_once_per_call() {
    let secret = "a secret that only the host and the server know";
    let server = Server::with(&format!("[contract]\nallow_direct = false\nsignature_secrets = [\"{secret}\"]"));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("later than 1970").as_secs();
    let body = json!({ "type": "observe" }).to_string();
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
    let nonce = "nonce-0123456789";
    let tag = mac.chain_update(format!("{now}\n{nonce}\nroom\n{body}")).finalize().into_bytes();
    let tag: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut line = Line::with(server.contract, &format!("matchd-signature: t={now},n={nonce},s={tag}\r\n"));
    let first: Value = serde_json::from_str(&line.post("room", body.as_bytes())).expect("JSON");
    assert_eq!(first["ok"], true, "{first}");
    let again: Value = serde_json::from_str(&line.post("room", body.as_bytes())).expect("JSON");
    assert_eq!(again["error"]["code"], "bad_signature", "{again}");
}

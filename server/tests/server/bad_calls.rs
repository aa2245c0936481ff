//! Agents' bad input: each is refused in a bounded answer, and changes nothing.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use contract::limits::{AGENT_ERROR_BYTES_MAX, AGENT_REQUEST_BYTES_MAX};
use serde_json::{Value, json};

use crate::fixture::{Server, http};

#[test]
fn bad_calls_are_told_what_is_wrong_and_change_nothing() {
    let server = Server::start();
    let mut agent = server.agent("bad");
    agent.take_seat("Nova", Some("red"));
    let mut page = server.watch("bad");
    let roster = page.roster(|_| true);
    let token = agent.token.clone();
    let act = |action: Value| json!({ "type": "act", "token": token, "action": action }).to_string();
    let order = |order: Value| act(json!({ "type": "order", "order": order }));
    let zeros = "0".repeat(32);
    let table: Vec<(&str, String, &str)> = vec![
        ("no JSON", "{".into(), "malformed"),
        ("nothing", String::new(), "malformed"),
        ("deep", "[".repeat(10_000), "malformed"),
        ("no object", "[1]".into(), "bad_value"),
        ("not a number", "{\"type\":\"observe\",\"since\":NaN}".into(), "malformed"),
        ("no type", "{}".into(), "missing_field"),
        ("unknown type", json!({ "type": "win" }).to_string(), "bad_value"),
        ("unknown field", json!({ "type": "observe", "cheat": true }).to_string(), "unknown_field"),
        ("since a fraction", json!({ "type": "observe", "since": 1.5 }).to_string(), "bad_value"),
        ("since too large", json!({ "type": "observe", "since": 4_294_967_296_u64 }).to_string(), "bad_value"),
        ("token of another kind", json!({ "type": "observe", "token": 7 }).to_string(), "bad_value"),
        ("token too long", json!({ "type": "observe", "token": "x".repeat(999) }).to_string(), "bad_token"),
        ("token made up", json!({ "type": "observe", "token": zeros }).to_string(), "bad_token"),
        ("no action", json!({ "type": "act", "token": token }).to_string(), "missing_field"),
        ("unknown action", act(json!({ "type": "fly" })), "bad_value"),
        ("no token", json!({ "type": "act", "action": { "type": "leave_seat" } }).to_string(), "missing_field"),
        ("second seat", act(json!({ "type": "take_seat", "name": "Nova 2" })), "already_seated"),
        ("unknown order", order(json!({ "type": "teleport" })), "bad_value"),
        ("order without its field", order(json!({ "type": "mark" })), "missing_field"),
        ("order with a field too many", order(json!({ "type": "press", "x": 1 })), "unknown_field"),
        ("marking a team-mate", order(json!({ "type": "mark", "player": "p1" })), "illegal_order"),
        ("marking nobody", order(json!({ "type": "mark", "player": "p31" })), "illegal_order"),
        (
            "name of nothing",
            json!({ "type": "act", "action": { "type": "take_seat", "name": "\u{200b}" } }).to_string(),
            "bad_value",
        ),
        (
            "no such team",
            json!({ "type": "act", "action": { "type": "take_seat", "name": "N", "team": "green" } }).to_string(),
            "bad_value",
        ),
        ("too large", " ".repeat(AGENT_REQUEST_BYTES_MAX + 1), "too_large"),
    ];
    for (what, body, code) in table {
        let answer = agent.call_raw(body.as_bytes());
        assert_eq!((&answer["ok"], &answer["error"]["code"]), (&json!(false), &json!(code)), "{what}: {answer}");
        assert!(answer["error"].to_string().len() <= AGENT_ERROR_BYTES_MAX, "{what}: {answer}");
        assert_eq!(answer["contract_version"], contract::agent::CONTRACT_VERSION);
    }
    // A request of exactly the limit is read.
    let mut body = json!({ "type": "describe" }).to_string();
    body += &" ".repeat(AGENT_REQUEST_BYTES_MAX - body.len());
    assert_eq!(agent.call_raw(body.as_bytes())["ok"], true);
    let seen = agent.observe();
    let me = seen["result"]["players"].as_array().expect("players").iter().find(|p| p["id"] == seen["result"]["you"]);
    assert!(me.expect("me").get("order").is_none(), "no order was taken: {seen}");
    // A fresh page sees what the first one saw: nobody was seated, renamed or thrown out.
    assert_eq!(server.watch("bad").roster(|_| true), roster);
}

#[test]
fn a_bad_match_key_is_refused_and_makes_no_match() {
    let server = Server::start();
    for key in ["a b", "a/b", &"k".repeat(161)] {
        let (status, _, body) =
            http(server.contract, "POST /contract", &[("matchd-match", key)], b"{\"type\":\"observe\"}");
        let answer: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!((status, &answer["error"]["field"]), (200, &json!("matchd-match")), "{answer}");
    }
    assert_eq!(server.metric("matchd_matches_made_total"), 1.0);
}

#[test]
fn closed_and_full_servers_say_so() {
    let observe = json!({ "type": "observe" });
    let server = Server::with("[matches]\nopen = false");
    assert_eq!(server.agent("other").call(&observe)["error"]["code"], "no_such_match");
    assert_eq!(server.agent("demo").call(&observe)["ok"], true);
    let server = Server::with("[matches]\ncount_max = 1");
    assert_eq!(server.agent("other").call(&observe)["error"]["code"], "busy");
}

#[test]
fn a_body_that_never_ends_is_not_waited_for() {
    let server = Server::with("[contract]\nbody_timeout_ms = 100");
    let mut stream = TcpStream::connect(server.contract).expect("listening");
    let head = "POST /contract HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 20\r\n\r\n{";
    stream.write_all(head.as_bytes()).expect("open");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.contains("did not arrive in time"), "{answer}");
}

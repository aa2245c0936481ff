//! Acts with a key: however often one is sent, it acts once, and every answer is the same.

use std::{
    sync::Barrier,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use contract::Holder;
use serde_json::{Value, json};

use crate::fixture::{Line, Server};

/// Nobody is held back.
const OPEN: &str = "[contract]\ncalls_per_second = 1000000\ncalls_per_second_per_address = 1000000\n\
    calls_per_second_per_seat = 1000\ncalls_in_flight = 1000";

/// Matches played at a time, and rounds in each: 2,000 in all.
const MATCHES: usize = 20;
const ROUNDS: usize = 100;

fn seat_key(name: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("later than 1970").as_nanos();
    format!("{name}-{now:032x}")
}

/// Sends the same call eight times at once, over as many connections, and returns the answers that came.
///
/// In every third round the first connection breaks before its answer comes.
fn at_once(server: &Server, lines: &mut [Line], key: &str, body: &Value, round: usize) -> Vec<String> {
    let barrier = Barrier::new(lines.len());
    let body = body.to_string();
    thread::scope(|scope| {
        let calls: Vec<_> = lines
            .iter_mut()
            .enumerate()
            .map(|(at, line)| {
                let (barrier, body) = (&barrier, body.as_bytes());
                scope.spawn(move || {
                    barrier.wait();
                    if at == 0 && round.is_multiple_of(3) {
                        line.send(key, body);
                        *line = Line::to(server.contract);
                        return None;
                    }
                    Some(line.post(key, body))
                })
            })
            .collect();
        calls.into_iter().filter_map(|call| call.join().expect("no panic")).collect()
    })
}

#[test]
fn eight_at_once_and_lost_answers_have_one_effect_in_two_thousand_rounds() {
    let server = Server::with(OPEN);
    thread::scope(|scope| {
        for at in 0..MATCHES {
            let server = &server;
            scope.spawn(move || play(server, &format!("keys-{at}")));
        }
    });
}

fn play(server: &Server, key: &str) {
    let mut agent = server.agent(key);
    agent.take_seat("Nova", None);
    let mut lines: Vec<_> = (0..8).map(|_| Line::to(server.contract)).collect();
    let mut before: Option<Value> = None;
    let mut since = agent.observe()["tick"].clone();
    for round in 0..ROUNDS {
        let order = ["press", "clear", "shoot"][round % 3];
        let action = json!({ "type": "order", "order": order });
        let act = json!({ "type": "act", "token": agent.token, "key": format!("r{round}"), "action": action });
        let mut answers = at_once(server, &mut lines, key, &act, round);
        // Once more, later, and over another connection.
        answers.push(lines[round % 8].post(key, act.to_string().as_bytes()));
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
        let answer: Value = serde_json::from_str(&answers[0]).expect("JSON");
        assert_eq!(answer["ok"], true, "{answer}");
        let observe = json!({ "type": "observe", "token": agent.token, "since": since });
        let seen: Value = serde_json::from_str(&lines[0].post(key, observe.to_string().as_bytes())).expect("JSON");
        let ends = seen["result"]["outcomes"].as_array().expect("outcomes");
        let superseded: Vec<_> = ends.iter().filter(|end| end["status"] == "superseded").collect();
        // One new order ends the one before once, unless its time came first.
        assert!(superseded.len() <= 1, "{seen}");
        for end in superseded {
            assert_eq!(Some(&end["order"]), before.as_ref(), "{seen}");
        }
        let players = seen["result"]["players"].as_array().expect("players");
        let me = players.iter().find(|player| player["id"] == seen["result"]["you"]).expect("me");
        assert_eq!(me["order"]["id"], answer["result"]["order_id"], "{seen}");
        before = Some(answer["result"]["order_id"].clone());
        since = seen["tick"].clone();
    }
}

#[test]
fn a_seat_is_taken_once_and_its_token_told_until_it_is_used() {
    let server = Server::with(OPEN);
    let mut page = server.watch("seat");
    let mut lines: Vec<_> = (0..8).map(|_| Line::to(server.contract)).collect();
    let action = json!({ "type": "take_seat", "name": "Nova", "team": "blue" });
    let act = json!({ "type": "act", "key": seat_key("nova"), "action": action });
    let mut answers = at_once(&server, &mut lines, "seat", &act, 0);
    answers.push(lines[3].post("seat", act.to_string().as_bytes()));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    let answer: Value = serde_json::from_str(&answers[0]).expect("JSON");
    assert_eq!(answer["ok"], true, "{answer}");
    let agents = |holder| holder == Holder::Agent;
    let roster = page.roster(|roster| roster.iter().any(|entry| agents(entry.holder)));
    assert_eq!(roster.iter().filter(|entry| agents(entry.holder)).count(), 1);
    let mut agent = server.agent("seat");
    agent.token = answer["result"]["token"].as_str().map(str::to_owned);
    assert_eq!(agent.observe()["ok"], true);
    let again: Value = serde_json::from_str(&lines[0].post("seat", act.to_string().as_bytes())).expect("JSON");
    assert_eq!(
        (&again["error"]["code"], &again["error"]["field"]),
        (&json!("already_seated"), &json!("key")),
        "{again}"
    );
    // Another's key is of no use, and neither is another act with this one.
    let mut other = act.clone();
    other["key"] = seat_key("nova").into();
    assert_eq!(agent.call(&other)["error"]["code"], "name_taken");
    let mut other = act;
    other["action"]["team"] = "red".into();
    assert_eq!(agent.call(&other)["error"]["code"], "key_reused");
}

#[test]
fn a_retry_is_known_by_what_it_means_and_outlives_the_seat() {
    let server = Server::with(OPEN);
    let mut agent = server.agent("means");
    agent.take_seat("Nova", None);
    let token = agent.token.clone().expect("a token");
    let first = agent.call_raw(
        format!(r#"{{"type":"act","token":"{token}","key":"k","action":{{"type":"order","order":"press"}}}}"#)
            .as_bytes(),
    );
    let again = agent.call_raw(
        format!(r#"{{ "action": {{"order": {{"type":"press"}}, "type":"order"}}, "key":"k","type":"act","token":"{token}" }}"#)
            .as_bytes(),
    );
    assert_eq!((&first["ok"], &first), (&json!(true), &again));
    let act = |key: &str, action: Value| json!({ "type": "act", "token": token, "key": key, "action": action });
    assert_eq!(agent.call(&act("k", json!({ "type": "order", "order": "clear" })))["error"]["code"], "key_reused");
    // A refusal is an answer too.
    let mark = act("mark", json!({ "type": "order", "order": "mark:p31" }));
    assert_eq!(agent.call(&mark)["error"]["code"], "illegal_order");
    assert_eq!(agent.call(&mark), agent.call(&mark));
    let leave = act("leave", json!({ "type": "leave_seat" }));
    let left = agent.call(&leave);
    assert_eq!((&left["ok"], &left), (&json!(true), &agent.call(&leave)));
    assert_eq!(agent.call(&act("k", json!({ "type": "order", "order": "press" }))), first, "still known");
    assert_eq!(agent.call(&act("new", json!({ "type": "leave_seat" })))["error"]["code"], "bad_token");
}

#[test]
fn whoever_repeats_a_refused_call_is_told_what_to_do_and_slowed_down() {
    let server = Server::with(OPEN);
    let mut agent = server.agent("again");
    agent.take_seat("Nova", None);
    let mark = json!({ "type": "order", "order": "mark:p31" });
    let answers: Vec<_> = (0..8).map(|_| agent.act(&mark)["error"].clone()).collect();
    assert!(answers[0].get("hint").is_none() && answers[0]["code"] == "illegal_order", "{answers:#?}");
    assert!(answers[2]["hint"].is_string() && answers[2]["code"] == "illegal_order", "{answers:#?}");
    assert!(answers.iter().any(|error| error["code"] == "rate_limited" && error["hint"].is_string()), "{answers:#?}");
    assert_eq!(agent.act(&json!({ "type": "order", "order": "press" }))["ok"], true, "other calls are heard");
}

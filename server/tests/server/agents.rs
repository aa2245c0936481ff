//! What an Agent can do.

use contract::Holder;
use serde_json::{Value, json};

use crate::fixture::{Server, http};

#[test]
fn an_agent_plays_by_describe_observe_and_act() {
    let server = Server::start();
    let mut agent = server.agent("nova");
    let described = agent.call(&json!({ "type": "describe" }));
    assert_eq!((&described["ok"], &described["result"]["game"]), (&json!(true), &json!("kickabout")));
    let taken = agent.take_seat("Nova", Some("blue"));
    assert_eq!(taken["ok"], true, "{taken}");
    let seen = agent.observe();
    assert_eq!((&seen["result"]["you"], &seen["result"]["your_team"]), (&taken["result"]["seat"], &json!("blue")));
    let order = &seen["result"]["legal_orders"][0]["order"];
    let ordered = agent.act(&json!({ "type": "order", "order": order }));
    assert_eq!(ordered["ok"], true, "{ordered}");
    // The answer comes after the tick that shows the order, so this sight has it.
    let seen = agent.observe();
    let me = seen["result"]["players"].as_array().expect("players").iter().find(|p| p["id"] == seen["result"]["you"]);
    assert_eq!(me.expect("me")["order"]["order"], *order, "{seen}");
    assert!(seen["tick"].as_u64() >= ordered["result"]["takes_effect"].as_u64(), "{seen}");
    let left = agent.act(&json!({ "type": "leave_seat" }));
    assert_eq!(left["ok"], true, "{left}");
    assert_eq!(agent.observe()["error"]["code"], "bad_token");
}

#[test]
fn everybody_may_observe_what_everybody_sees() {
    let server = Server::start();
    // The first call to a match that was never ticked.
    let seen = server.agent("demo").observe();
    assert_eq!(seen["ok"], true, "{seen}");
    assert!(seen["result"].get("you").is_none());
    assert_eq!(seen["result"]["legal_orders"], json!([]));
}

#[test]
fn an_agent_and_its_order_show_up_for_watchers() {
    let server = Server::start();
    let mut page = server.watch("shown");
    let mut agent = server.agent("shown");
    let seat = agent.take_seat("Nova", None)["result"]["seat"].clone();
    let roster = page.roster(|roster| roster.iter().any(|entry| entry.holder == Holder::Agent));
    let entry = roster.iter().find(|entry| entry.holder == Holder::Agent).expect("the Agent");
    assert_eq!((json!(entry.seat.to_string()), entry.name.as_str()), (seat, "Nova"));
}

#[test]
fn an_agent_that_stays_away_loses_its_seat() {
    let server = Server::with("[contract]\nseat_idle_ms = 1000");
    let mut page = server.watch("away");
    let mut agent = server.agent("away");
    agent.take_seat("Nova", None);
    page.roster(|roster| roster.iter().any(|entry| entry.holder == Holder::Agent));
    page.roster(|roster| roster.iter().all(|entry| entry.holder == Holder::Bot));
    let answer = agent.act(&json!({ "type": "leave_seat" }));
    assert_eq!(answer["error"]["code"], "bad_token");
    assert_eq!(agent.take_seat("Nova", None)["error"]["code"], "bad_token", "an old token is never silently dropped");
    assert_eq!(server.agent("away").take_seat("Nova", None)["ok"], true);
}

#[test]
fn a_token_is_good_in_its_own_match_only() {
    let server = Server::start();
    let mut agent = server.agent("one");
    agent.take_seat("Nova", None);
    let mut other = server.agent("two");
    other.token.clone_from(&agent.token);
    assert_eq!(other.observe()["error"]["code"], "bad_token");
    assert_eq!(agent.take_seat("Nova two", None)["error"]["code"], "already_seated");
}

#[test]
fn calls_beyond_the_limit_are_refused_as_answers() {
    let server = Server::with("[contract]\ncalls_per_second_per_seat = 1");
    let mut agent = server.agent("eager");
    agent.take_seat("Nova", None);
    let codes: Vec<_> = (0..4).map(|_| agent.observe()["error"]["code"].clone()).collect();
    assert!(codes.contains(&json!("rate_limited")), "{codes:?}");
    let server = Server::with("[contract]\ncalls_per_second_per_address = 1");
    let agent = server.agent("eager");
    let codes: Vec<_> = (0..4).map(|_| agent.observe()["error"]["code"].clone()).collect();
    assert!(codes.contains(&json!("rate_limited")), "{codes:?}");
}

#[test]
fn a_page_with_an_opaque_origin_may_call() {
    let server = Server::start();
    let headers = [("origin", "null"), ("access-control-request-method", "POST")];
    let (status, head, _) = http(server.contract, "OPTIONS /contract", &headers, b"");
    assert_eq!(status, 204);
    for line in [
        "access-control-allow-origin: *",
        "access-control-allow-methods: POST",
        "access-control-allow-headers: content-type, matchd-match, matchd-relay",
    ] {
        assert!(head.contains(line), "{line} is not in {head}");
    }
    let (status, head, _) = http(server.contract, "POST /contract", &headers, b"{\"type\":\"describe\"}");
    assert!(status == 200 && head.contains("access-control-allow-origin: *") && !head.contains("credentials"));
    assert_eq!(http(server.contract, "GET /contract", &[], b"").0, 405);
    assert_eq!(http(server.contract, "POST /elsewhere", &[], b"{}").0, 404);
}

#[test]
fn an_agent_learns_how_its_orders_ended() {
    let server = Server::with("[contract]\ncalls_per_second_per_seat = 1000");
    let mut agent = server.agent("ends");
    agent.take_seat("Nova", None);
    let order = |order: &str, ms: u32| json!({ "type": "order", "order": order, "expires_in_ms": ms });
    let first = agent.act(&order("press", 60_000));
    let second = agent.act(&order("hold_zone:attack_left", 200));
    let id = |answer: &Value| answer["result"]["order_id"].clone();
    assert!(id(&first).is_string() && id(&first) != id(&second), "{first} {second}");
    server.until("the second order expires", |_| agent.observe()["result"]["outcomes"][1]["status"] == "expired");
    let ends = agent.observe()["result"]["outcomes"].clone();
    assert_eq!((&ends[0]["order"], &ends[0]["status"]), (&id(&first), &json!("superseded")), "{ends}");
    assert_eq!((&ends[0]["tick"], &ends[1]["order"]), (&second["result"]["takes_effect"], &id(&second)), "{ends}");
    let token = &agent.token;
    let late = agent.call(&json!({ "type": "observe", "token": token, "since": ends[1]["tick"], "detail": "brief" }));
    assert_eq!((&late["result"]["outcomes"], &late["result"]["legal_orders"]), (&json!([]), &json!([])), "{late}");
}

#[test]
fn an_act_without_basis_changes_nothing() {
    let server = Server::with("[contract]\ncalls_per_second_per_seat = 1000");
    let mut agent = server.agent("basis");
    let taken = agent.take_seat("Nova", Some("red"));
    let given = agent.act(&json!({ "type": "order", "order": "press" }));
    let tick = given["tick"].as_u64().expect("a tick");
    let order = json!({ "type": "order", "order": "clear" });
    let act = |basis: Value| {
        let mut act = json!({ "type": "act", "token": agent.token, "action": order });
        act.as_object_mut().expect("an object").extend(basis.as_object().expect("an object").clone());
        agent.call(&act)
    };
    let me = &taken["result"]["seat"];
    let active = json!({ "type": "order_active", "order": given["result"]["order_id"] });
    let never = json!({ "type": "player_in_zone", "player": "p31", "zone": "attack_left" });
    for (basis, code, field) in [
        (json!({ "based_on_tick": tick + 100_000 }), "stale", "based_on_tick"),
        (json!({ "based_on_tick": (tick + 4_294_967_296 - 1000) % 4_294_967_296 }), "stale", "based_on_tick"),
        (json!({ "preconditions": [active, never] }), "precondition_failed", "preconditions.1"),
    ] {
        let answer = act(basis);
        assert_eq!((&answer["error"]["code"], &answer["error"]["field"]), (&json!(code), &json!(field)), "{answer}");
    }
    let seen = agent.observe();
    let players = seen["result"]["players"].as_array().expect("players");
    let mine = players.iter().find(|player| player["id"] == *me).expect("me");
    assert_eq!(mine["order"]["id"], given["result"]["order_id"], "{seen}");
    let answer = act(json!({ "based_on_tick": seen["tick"], "preconditions": [active] }));
    assert_eq!(answer["ok"], true, "{answer}");
    // Now the order it depends on is over.
    assert_eq!(act(json!({ "preconditions": [active] }))["error"]["code"], "precondition_failed");
    // The same for acts that are no orders.
    let leave =
        json!({ "type": "act", "token": agent.token, "preconditions": [active], "action": { "type": "leave_seat" } });
    assert_eq!(agent.call(&leave)["error"]["code"], "precondition_failed");
    assert_eq!(agent.observe()["ok"], true);
}

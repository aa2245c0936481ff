//! How requests are checked, routed and limited: the conformance list by its numbers, without sockets.

mod common;

use common::{ARENA, ROOM, Stand, instance};
use devroom::{Json, Kind, Rules};

fn error(status: u16, code: &str) -> Option<(u16, String)> {
    Some((status, code.to_owned()))
}

/// What each call breaks; whatever else it breaks is checked later and must not matter.
#[test]
fn b2_the_first_failing_check_answers() {
    let good = format!(r#"{{"appInstanceId":"{ARENA}","payload":{{}}}}"#);
    let foreign = r#"{"appInstanceId":"arena:00000000","payload":{}}"#;

    let mut stand = Stand::new();
    let agent = stand.join("agent", Kind::Agent);
    let ask = |stand: &mut Stand, room: &str, participant: &str, token: &str, body: &str| {
        let call = stand.ask_raw(room, participant, token, body);
        stand.error(call)
    };
    stand.room.set_apps_enabled(false);
    assert_eq!(ask(&mut stand, "other", "!", "", "no JSON"), error(503, "app_unavailable"));
    stand.room.set_apps_enabled(true);
    for body in ["no JSON", "[]", "{}", r#"{"appInstanceId":"_","payload":{}}"#, r#"{"appInstanceId":1}"#] {
        assert_eq!(ask(&mut stand, "other", "agent", "wrong", body), error(400, "invalid_request"), "{body}");
    }
    let unfit_payload = format!(r#"{{"appInstanceId":"{ARENA}","payload":[]}}"#);
    assert_eq!(ask(&mut stand, ROOM, "not an id", "token", &unfit_payload), error(400, "invalid_request"));
    assert_eq!(ask(&mut stand, ROOM, "agent", "", &unfit_payload), error(400, "invalid_request"));
    assert_eq!(ask(&mut stand, "other", "agent", "wrong", &unfit_payload), error(413, "invalid_request"));
    assert_eq!(ask(&mut stand, "other", "agent", "wrong", &good), error(410, "room_expired"));
    assert_eq!(ask(&mut stand, ROOM, "agent", "wrong", foreign), error(401, "unauthorized"));
    assert_eq!(ask(&mut stand, ROOM, "agent", &agent.token, foreign), error(401, "unauthorized"), "no socket yet");

    let mut agent = agent;
    agent.socket = stand.connect(&agent, "nonce", Kind::Agent);
    stand.room.closing(agent.socket);
    assert_eq!(ask(&mut stand, ROOM, "agent", &agent.token, foreign), error(404, "app_unavailable"));
    assert_eq!(ask(&mut stand, ROOM, "agent", &agent.token, &good), error(409, "agent_unavailable"));
    agent.socket = stand.connect(&agent, "newer", Kind::Agent);
    assert_eq!(ask(&mut stand, ROOM, "agent", &agent.token, &good), error(409, "host_unavailable"));

    stand.host("host", "nonce");
    for _ in 0..4 {
        let call = stand.ask(&agent);
        assert_eq!(stand.answer(call), None);
    }
    let too_long = format!(r#"{{"appInstanceId":"{ARENA}","payload":{{"x":"{}"}}}}"#, "x".repeat(16_384 - 8));
    assert_eq!(ask(&mut stand, ROOM, "agent", &agent.token, &too_long), error(429, "too_many_requests"));
    stand.pass(15_000);
    assert_eq!(ask(&mut stand, ROOM, "agent", &agent.token, &too_long), error(413, "invalid_request"), "the envelope");

    stand.room.expire();
    assert_eq!(ask(&mut stand, ROOM, "agent", "wrong", foreign), error(410, "room_expired"));
}

#[test]
fn b2_payloads_of_wrong_shape_or_size_are_413() {
    let mut stand = Stand::new();
    stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let over = format!(r#"{{"x":"{}"}}"#, "x".repeat(16_384));
    for payload in ["[]", "null", "1", r#""text""#, r#"{"sourceParticipantId":"host"}"#, &over] {
        let body = format!(r#"{{"appInstanceId":"{ARENA}","payload":{payload}}}"#);
        assert_eq!(stand.refusal(&agent, &body), (413, r#"{"ok":false,"error":"invalid_request"}"#.to_owned()));
    }
    assert_eq!(stand.refusal(&agent, &format!(r#"{{"appInstanceId":"{ARENA}"}}"#)).0, 413, "no payload at all");
}

#[test]
fn b3_an_agent_without_a_resident_socket_is_refused() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let mut agent = stand.join("agent", Kind::Agent);
    let call = stand.ask(&agent);
    assert_eq!(stand.error(call), error(401, "unauthorized"));

    agent.socket = stand.connect(&agent, "nonce", Kind::Agent);
    stand.room.closing(agent.socket);
    let call = stand.ask(&agent);
    assert_eq!(stand.error(call), error(409, "agent_unavailable"));
    stand.disconnect(agent.socket);
    let call = stand.ask(&agent);
    assert_eq!(stand.error(call), error(401, "unauthorized"));

    // A person is no Agent, however connected.
    let call = stand.ask(&host);
    assert_eq!(stand.error(call), error(401, "unauthorized"));
    assert!(stand.requests(&host).is_empty());
}

#[test]
fn b4_without_a_host_nothing_is_sent() {
    let mut stand = Stand::new();
    let person = stand.human("person", "nonce");
    let agent = stand.agent("agent");
    let before = stand.sent.len();
    let call = stand.ask(&agent);
    assert_eq!(stand.error(call), error(409, "host_unavailable"));
    let call = stand.ask_with(&agent, r#"{"appInstanceId":"arena:056d783b","payload":{}}"#);
    assert_eq!(stand.error(call), error(404, "app_unavailable"), "an instance of another Room");
    assert_eq!(stand.sent.len(), before);
    assert!(stand.requests(&person).is_empty());
}

#[test]
fn b5_one_host_is_chosen_by_participant_and_then_by_nonce() {
    // The order of arrival is not the order of choice.
    let mut stand = Stand::new();
    let later = stand.host("b", "nonce-1");
    let chosen = stand.host("a", "nonce-2");
    let last = stand.host("c", "nonce-0");
    let agent = stand.agent("agent");
    for _ in 0..3 {
        stand.ask(&agent);
        let id = stand.newest_request(&chosen);
        stand.respond(chosen.socket, &id, r#""ok":true,"result":{}"#);
    }
    assert_eq!(stand.requests(&chosen).len(), 3);
    assert_eq!(stand.requests(&later).len() + stand.requests(&last).len(), 0);
    stand.disconnect(chosen.socket);
    stand.ask(&agent);
    assert_eq!(stand.requests(&later).len(), 1);
    // Upper case comes before lower case, as in JavaScript.
    let upper = stand.host("Z", "nonce-9");
    stand.ask(&agent);
    assert_eq!(stand.requests(&upper).len(), 1);
}

#[test]
fn b5_the_older_rule_refuses_several_hosts() {
    let mut stand = Stand::with_rules(Rules { ambiguous_host: true, ..Rules::default() });
    let first = stand.host("a", "nonce");
    let second = stand.host("b", "nonce");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    assert_eq!(stand.error(call), error(409, "ambiguous_host"));
    assert!(stand.discovery().ends_with(r#""callable":false,"unavailableReason":"ambiguous_host"}]"#));
    stand.host_state(second.socket, ARENA, false);
    let call = stand.ask(&agent);
    assert_eq!(stand.answer(call), None);
    assert_eq!(stand.requests(&first).len(), 1);
}

#[test]
fn b6_ready_counts_only_from_a_persons_current_socket_and_for_two_apps() {
    let mut stand = Stand::new();
    let mut person = stand.human("person", "old");
    let old = person.socket;
    person.socket = stand.connect(&person, "new", Kind::Human);
    stand.host_state(old, ARENA, true);
    assert_eq!(stand.discovery(), "[]", "a stale nonce");

    let agent = stand.agent("agent");
    stand.host_state(agent.socket, ARENA, true);
    assert_eq!(stand.discovery(), "[]", "not a person");

    stand.host_state(person.socket, "arena:056d783b", true);
    assert_eq!(stand.discovery(), "[]", "an instance of another Room");

    for app in ["board", "chess", "arena"] {
        stand.host_state(person.socket, &instance(app), true);
    }
    let listed = stand.discovery();
    assert!(listed.contains("board") && listed.contains("chess") && !listed.contains("arena"), "{listed}");
}

#[test]
fn b6_closing_one_app_fails_only_its_own_requests() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let board = instance("board");
    stand.host_state(host.socket, &board, true);
    let agent = stand.agent("agent");
    let arena_call = stand.ask(&agent);
    let board_call = stand.ask_with(&agent, &format!(r#"{{"appInstanceId":"{board}","payload":{{}}}}"#));
    stand.host_state(host.socket, ARENA, false);
    assert_eq!(stand.error(arena_call), error(502, "host_unavailable"));
    assert_eq!(stand.answer(board_call), None);
}

#[test]
fn b7_the_request_frame_has_four_keys_and_no_agent() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent-with-a-name");
    stand.ask_with(&agent, &format!(r#"{{"extra":1,"appInstanceId":"{ARENA}","payload":{{"b":1.0,"a":"é"}}}}"#));
    let request = stand.requests(&host).remove(0);
    let Json::Object(fields) = &request else { panic!("it is an object") };
    let keys: Vec<_> = fields.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["type", "requestId", "appInstanceId", "payload"]);
    assert!(request.stringify().ends_with(r#""payload":{"b":1,"a":"é"}}"#));
    assert!(!request.stringify().contains("agent-with-a-name"));
}

#[test]
fn b8_no_answer_within_15_seconds_is_a_timeout() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    let id = stand.newest_request(&host);
    stand.pass(14_999);
    assert_eq!(stand.answer(call), None);
    stand.pass(1);
    assert_eq!(stand.error(call), error(502, "timeout"));
    stand.pass(100);
    // The stand would notice a second answer.
    stand.respond(host.socket, &id, r#""ok":true,"result":{}"#);
    assert_eq!(stand.error(call), error(502, "timeout"));
}

#[test]
fn b9_the_fifth_request_in_the_room_is_refused_until_one_settles() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let board = instance("board");
    stand.host_state(host.socket, &board, true);
    let agents = [stand.agent("one"), stand.agent("two")];
    for index in 0..4 {
        let app = if index < 2 { ARENA } else { &board };
        let call = stand.ask_with(&agents[index % 2], &format!(r#"{{"appInstanceId":"{app}","payload":{{}}}}"#));
        assert_eq!(stand.answer(call), None);
    }
    let fifth = stand.ask(&agents[0]);
    assert_eq!(stand.error(fifth), error(429, "too_many_requests"));
    let first = stand.requests(&host)[0].text_field("requestId").expect("it has one").to_owned();
    stand.respond(host.socket, &first, r#""ok":true,"result":{}"#);
    let next = stand.ask(&agents[0]);
    assert_eq!(stand.answer(next), None);
}

//! How requests in flight end: answers, failures and what is remembered of them; and the discovery list. The conformance list
//! by its numbers, without sockets.

mod common;

use common::{ARENA, Stand, instance};
use devroom::{AppId, Kind, Rules};

fn error(status: u16, code: &str) -> Option<(u16, String)> {
    Some((status, code.to_owned()))
}

#[test]
fn b10_only_the_socket_that_was_asked_may_answer() {
    let mut stand = Stand::new();
    let mut host = stand.host("a", "nonce-1");
    let other = stand.host("b", "nonce-2");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    let id = stand.newest_request(&host);
    let ok = r#""ok":true,"result":{}"#;

    stand.respond(other.socket, &id, ok);
    stand.respond(agent.socket, &id, ok);
    let board = instance("board");
    stand.frame(
        host.socket,
        &format!(r#"{{"type":"room-app-agent-response","requestId":"{id}","appInstanceId":"{board}",{ok}}}"#),
    );
    assert_eq!(stand.answer(call), None);

    // The same person's newer socket was not asked, and the older one is no longer theirs.
    let asked = host.socket;
    host.socket = stand.connect(&host, "nonce-3", Kind::Human);
    stand.host_state(host.socket, ARENA, true);
    stand.respond(host.socket, &id, ok);
    stand.respond(asked, &id, ok);
    assert_eq!(stand.answer(call), None);
    stand.pass(15_000);
    assert_eq!(stand.error(call), error(502, "timeout"));
}

#[test]
fn b11_duplicate_late_and_unknown_responses_change_nothing() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    let id = stand.newest_request(&host);
    stand.respond(host.socket, &id, r#""ok":true,"result":{"first":1}"#);
    let (frames, answers) = (stand.sent.len(), stand.answers.len());
    stand.respond(host.socket, &id, r#""ok":true,"result":{"second":2}"#);
    stand.respond(host.socket, "unknown", r#""ok":true,"result":{}"#);
    stand.respond(host.socket, "not an id!", r#""ok":true,"result":{}"#);
    assert_eq!((stand.sent.len(), stand.answers.len()), (frames, answers));
    assert_eq!(stand.answer(call), Some((200, r#"{"ok":true,"result":{"first":1}}"#.to_owned())));
}

#[test]
fn b12_malformed_and_oversize_responses_are_502() {
    let over = format!(r#""ok":true,"result":{{"x":"{}"}}"#, "x".repeat(16_384 - 138));
    let long_error = format!(r#""ok":false,"error":"{}""#, "é".repeat(257));
    for bad in [
        r#""ok":true"#,
        r#""ok":true,"result":[]"#,
        r#""ok":true,"result":null"#,
        r#""ok":true,"result":"text""#,
        r#""ok":false"#,
        r#""ok":false,"error":{"code":1}"#,
        r#""ok":false,"error":"""#,
        &long_error,
        r#""ok":"true","result":{}"#,
        r#""ok":1,"result":{}"#,
        r#""result":{}"#,
        &over,
    ] {
        let mut stand = Stand::new();
        let host = stand.host("host", "nonce");
        let agent = stand.agent("agent");
        let call = stand.ask(&agent);
        let id = stand.newest_request(&host);
        stand.respond(host.socket, &id, bad);
        assert_eq!(stand.error(call), error(502, "invalid_response"), "{bad:.80}");
    }
}

#[test]
fn b12_a_response_envelope_may_be_exactly_as_long_as_the_limit() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    let id = stand.newest_request(&host);
    // The instance's name has 14 characters and the id 36: 138 bytes are the envelope's own, 8 are `{"x":""}`.
    let result = format!(r#"{{"x":"{}"}}"#, "x".repeat(16_384 - 138 - 8));
    stand.respond(host.socket, &id, &format!(r#""ok":true,"result":{result}"#));
    assert_eq!(stand.answer(call), Some((200, format!(r#"{{"ok":true,"result":{result}}}"#))));
}

#[test]
fn b13_the_apps_words_are_passed_on() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let refused = stand.ask(&agent);
    let id = stand.newest_request(&host);
    stand.respond(host.socket, &id, r#""ok":false,"error":"busy","detail":{"ignored":true}"#);
    assert_eq!(stand.answer(refused), Some((502, r#"{"ok":false,"error":"busy"}"#.to_owned())));
    let good = stand.ask(&agent);
    let id = stand.newest_request(&host);
    stand.respond(host.socket, &id, r#""ok":true,"result":{"b":1,"a":[1.50]},"error":"ignored""#);
    assert_eq!(stand.answer(good), Some((200, r#"{"ok":true,"result":{"b":1,"a":[1.5]}}"#.to_owned())));
}

#[test]
fn b14_a_host_that_disappears_is_not_replaced() {
    for (rules, code) in [
        (Rules::default(), "host_unavailable"),
        (Rules { host_disconnected: true, ..Rules::default() }, "host_disconnected"),
    ] {
        let mut stand = Stand::with_rules(rules);
        let host = stand.host("a", "nonce");
        let other = stand.host("b", "nonce");
        let agent = stand.agent("agent");
        let call = stand.ask(&agent);
        stand.disconnect(host.socket);
        assert_eq!(stand.error(call), error(502, code));
        assert!(stand.requests(&other).is_empty(), "it was asked again elsewhere");
    }
}

#[test]
fn b14_a_frame_that_cannot_be_sent_is_a_vanished_host() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    stand.room.send_failed(stand.now_ms, host.socket);
    stand.carry_out();
    assert_eq!(stand.error(call), error(502, "host_unavailable"));
}

#[test]
fn b15_requests_end_with_their_agent_and_with_the_room() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let leaving = stand.agent("leaving");
    let staying = stand.agent("staying");
    let lost = stand.ask(&leaving);
    let kept = stand.ask(&staying);
    stand.disconnect(leaving.socket);
    assert_eq!(stand.error(lost), error(502, "agent_disconnected"));
    assert_eq!(stand.answer(kept), None);
    stand.room.expire();
    stand.carry_out();
    assert_eq!(stand.error(kept), error(502, "room_expired"));
    assert_eq!(stand.requests(&host).len(), 2);
}

#[test]
fn b16_a_payload_is_in_no_history_and_a_settled_request_is_forgotten() {
    let secret = "kept-by-nobody";
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    stand.ask_with(&agent, &format!(r#"{{"appInstanceId":"{ARENA}","payload":{{"x":"{secret}"}}}}"#));
    let id = stand.newest_request(&host);
    assert!(!format!("{:?}", stand.room).contains(secret), "the request is passed on and not held");
    stand.respond(host.socket, &id, &format!(r#""ok":true,"result":{{"x":"{secret}"}}"#));
    assert!(!format!("{:?}", stand.room).contains(secret));
    // What newcomers get holds nothing of it either, and no other frame than the request did.
    stand.human("newcomer", "nonce");
    let agent_frames = stand.frames(agent.socket, "events");
    let holding = stand.sent.iter().filter(|(_, frame)| frame.stringify().contains(secret)).count();
    assert_eq!(holding, 1);
    assert!(agent_frames.iter().all(|frame| !frame.stringify().contains(secret)));
}

#[test]
fn b17_an_app_is_listed_while_it_is_ready_somewhere() {
    let mut stand = Stand::new();
    let person = stand.human("person", "nonce");
    let agent = stand.agent("agent");
    assert_eq!(stand.discovery(), "[]");
    let board = instance("board");
    stand.host_state(person.socket, &board, true);
    stand.host_state(person.socket, ARENA, true);
    let entry = |id: &str, app: &str, title: &str| {
        format!(r#"{{"appInstanceId":"{id}","appId":"{app}","title":"{title}","source":"curated","callable":true}}"#)
    };
    let (arena, board_entry) = (entry(ARENA, "arena", "Arena"), entry(&board, "board", "Board"));
    assert_eq!(stand.discovery(), format!("[{board_entry},{arena}]"), "in the order of becoming ready");

    // The next message carries the list to resident Agents; becoming ready alone wakes nobody.
    let events = stand.frames(agent.socket, "events").len();
    assert_eq!(events, 1, "the one of connecting");
    stand.frame(person.socket, r#"{"type":"room-chat","text":"@Name of agent, look"}"#);
    let event = stand.frames(agent.socket, "events").remove(1);
    assert_eq!(event.field("roomApps").expect("it is there").stringify(), stand.discovery());

    stand.host_state(person.socket, &board, false);
    assert_eq!(stand.discovery(), format!("[{arena}]"));
    let app = AppId::parse("arena").expect("it is valid");
    stand.room.set_app_active(&app, false);
    assert_eq!(stand.discovery(), "[]", "disabled");
    stand.room.set_app_active(&app, true);
    stand.disconnect(person.socket);
    assert_eq!(stand.discovery(), "[]", "nobody has it open");
}

//! The Room around the broker: lanes, unicast, presence, chat, limits.

mod common;

use common::{ARENA, Stand};
use devroom::{Credentials, JoinError, Json, Kind, ParticipantId, SocketId, limits};

/// A person with a lane socket, which gets a number of its own.
fn on_lanes(stand: &mut Stand, id: &str, lane_socket: u64) -> SocketId {
    let guest = stand.human(id, "nonce");
    let socket = SocketId(lane_socket);
    stand.room.connect_lanes(socket, &guest.id, &guest.token).expect("it is welcome");
    socket
}

fn say(stand: &mut Stand, socket: SocketId, text: &str) {
    stand.room.lane_message(stand.now_ms, socket, text);
    stand.carry_out();
}

#[test]
fn b19_lanes_name_the_sender_and_have_no_echo() {
    let mut stand = Stand::new();
    let [a, b, c] = [("a", 101), ("b", 102), ("c", 103)].map(|(id, socket)| on_lanes(&mut stand, id, socket));
    say(&mut stand, a, "reliable\n{\"payload\":1}");
    let text = "reliable\na\n{\"payload\":1}".to_owned();
    assert_eq!(stand.lane, [(b, text.clone()), (c, text)]);
    stand.lane.clear();

    // A second window of the same person is no other person.
    let id = ParticipantId::parse("a").expect("it is valid");
    stand.room.connect_lanes(SocketId(104), &id, "token-a").expect("it is welcome");
    say(&mut stand, a, "realtime\n{}");
    assert_eq!(stand.lane.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [b, c]);
    stand.lane.clear();
    for nonsense in ["", "other\n{}", "reliable", "\n\n"] {
        say(&mut stand, a, nonsense);
    }
    assert!(stand.lane.is_empty());
}

#[test]
fn b19_lanes_keep_their_rates() {
    for (lane, count_max) in [("reliable", 20), ("realtime", 60)] {
        let mut stand = Stand::new();
        let a = on_lanes(&mut stand, "a", 101);
        on_lanes(&mut stand, "b", 102);
        let message = format!("{lane}\n{{}}");
        for _ in 0..=count_max {
            say(&mut stand, a, &message);
        }
        assert_eq!(stand.lane.len(), count_max, "{lane}");
        stand.now_ms += 1_001;
        say(&mut stand, a, &message);
        assert_eq!(stand.lane.len(), count_max + 1, "{lane}");
    }
    let mut stand = Stand::new();
    let a = on_lanes(&mut stand, "a", 101);
    on_lanes(&mut stand, "b", 102);
    for _ in 0..20 {
        say(&mut stand, a, &format!("realtime\n{}", "x".repeat(16_384)));
    }
    assert_eq!(stand.lane.len(), 262_144 / 16_384, "bytes");
    say(&mut stand, a, &format!("reliable\n{}", "x".repeat(16_385)));
    assert_eq!(stand.lane.len(), 16, "too long");
}

#[test]
fn unicast_reaches_one_person_and_says_how_it_went() {
    let mut stand = Stand::new();
    let a = stand.human("a", "nonce");
    let b = stand.human("b", "nonce");
    let absent = stand.join("absent", Kind::Human);
    let agent = stand.agent("agent");
    let send = |stand: &mut Stand, socket: SocketId, target: &str, instance: &str, payload: &str| {
        stand.frame(
            socket,
            &format!(
                r#"{{"type":"room-app-unicast","requestId":"r","targetParticipantId":"{target}","appInstanceId":"{instance}","payload":{payload}}}"#
            ),
        );
        let result = stand.frames(socket, "room-app-unicast-result").pop().expect("it was answered");
        result.text_field("error").unwrap_or("ok").to_owned()
    };
    assert_eq!(send(&mut stand, a.socket, "b", ARENA, r#"{"x":1}"#), "ok");
    let got = stand.frames(b.socket, "room-app-unicast");
    assert_eq!(
        got[0].stringify(),
        format!(
            r#"{{"type":"room-app-unicast","protocolVersion":1,"appInstanceId":"{ARENA}","sourceParticipantId":"a","payload":{{"x":1}}}}"#
        )
    );
    for (target, instance, payload, error) in [
        ("b", ARENA, "[]", "invalid_request"),
        ("b", ARENA, r#"{"sourceParticipantId":"c"}"#, "invalid_request"),
        ("b", "arena:00000000", "{}", "app_unavailable"),
        ("a", ARENA, "{}", "invalid_target"),
        (absent.id.as_str(), ARENA, "{}", "target_unavailable"),
        (agent.id.as_str(), ARENA, "{}", "target_unavailable"),
        ("nobody", ARENA, "{}", "target_unavailable"),
    ] {
        assert_eq!(send(&mut stand, a.socket, target, instance, payload), error, "{target} {instance} {payload}");
    }
    for _ in 0..9 {
        assert_eq!(send(&mut stand, a.socket, "b", ARENA, "{}"), "ok");
    }
    assert_eq!(send(&mut stand, a.socket, "b", ARENA, "{}"), "rate_limited");
    stand.now_ms += 1_001;
    assert_eq!(send(&mut stand, a.socket, "b", ARENA, "{}"), "ok");
    stand.room.closing(b.socket);
    assert_eq!(send(&mut stand, a.socket, "b", ARENA, "{}"), "delivery_failed");
    // A socket that is not the newest any more.
    let newer = stand.connect(&a, "newer", Kind::Human);
    assert_eq!(send(&mut stand, a.socket, "b", ARENA, "{}"), "invalid_request");
    assert!(stand.frames(newer, "room-app-unicast").is_empty());
    assert!(stand.frames(agent.socket, "room-app-unicast").is_empty());
}

#[test]
fn a_participant_stays_for_the_grace_time() {
    for (kind, grace_ms) in [(Kind::Human, 30_000), (Kind::Agent, 90_000)] {
        let mut stand = Stand::new();
        let mut guest = stand.join("guest", kind);
        guest.socket = stand.connect(&guest, "nonce", kind);
        stand.pass(200_000);
        stand.disconnect(guest.socket);
        stand.pass(grace_ms - 1);
        assert!(stand.room.who(&guest.id).is_some());
        // Coming back keeps the place; leaving for good does not.
        guest.socket = stand.connect(&guest, "again", kind);
        stand.pass(200_000);
        assert!(stand.room.who(&guest.id).is_some());
        stand.disconnect(guest.socket);
        stand.pass(grace_ms);
        assert!(stand.room.who(&guest.id).is_none());
    }
}

#[test]
fn an_mcp_agents_presence_ends_with_its_silence() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.join("agent", Kind::Agent);
    let call = |stand: &mut Stand| {
        let (now_ms, socket) = (stand.now_ms, SocketId(1_000 + stand.now_ms));
        stand.room.reside(now_ms, socket, &agent.id, &agent.token, format!("nonce-{now_ms}")).expect("it is welcome");
        stand.carry_out();
    };
    call(&mut stand);
    stand.pass(limits::MCP_SILENCE_MS - 1);
    call(&mut stand);
    stand.pass(limits::MCP_SILENCE_MS - 1);
    let asked = stand.ask(&agent);
    assert_eq!(stand.answer(asked), None, "it is present");
    let id = stand.newest_request(&host);
    stand.respond(host.socket, &id, r#""ok":true,"result":{}"#);
    stand.pass(1);
    let asked = stand.ask(&agent);
    assert_eq!(stand.answer(asked).expect("it is refused").0, 401);
    // Within the lease it can come back.
    call(&mut stand);
    let asked = stand.ask(&agent);
    assert_eq!(stand.answer(asked), None);
}

#[test]
fn a_name_is_cut_where_javascript_would_but_never_within_a_character() {
    let mut stand = Stand::new();
    let credentials =
        Credentials { participant: ParticipantId::parse("p").expect("it is valid"), token: "t".to_owned() };
    let joined =
        stand.room.join(0, credentials, &format!(" x{}", "😀".repeat(40)), Kind::Human).expect("there is room");
    assert_eq!(joined.name, format!("x{}", "😀".repeat(31)));
}

#[test]
fn the_room_and_its_sockets_have_limits() {
    let mut stand = Stand::new();
    let guest = stand.human("p0", "nonce");
    for number in 1..limits::PARTICIPANTS_MAX {
        stand.join(&format!("p{number}"), Kind::Human);
    }
    let credentials =
        || Credentials { participant: ParticipantId::parse("late").expect("it is valid"), token: "token".to_owned() };
    assert_eq!(stand.room.join(0, credentials(), "Late", Kind::Human).unwrap_err(), JoinError::Full);
    assert_eq!(stand.room.join(0, credentials(), " \n ", Kind::Human).unwrap_err(), JoinError::Name);
    for number in 1..limits::SOCKETS_PER_PARTICIPANT_MAX {
        stand.connect(&guest, &format!("nonce-{number}"), Kind::Human);
    }
    let one_more = stand.room.connect(SocketId(999), Kind::Human, &guest.id, &guest.token, "nonce".to_owned());
    assert!(one_more.is_err());
}

#[test]
fn one_frame_too_many_is_dropped_with_an_error() {
    let mut stand = Stand::new();
    let host = stand.host("host", "nonce");
    let agent = stand.agent("agent");
    let call = stand.ask(&agent);
    let id = stand.newest_request(&host);
    // One frame was the App becoming ready.
    for _ in 1..limits::FRAMES_MAX {
        stand.frame(host.socket, r#"{"type":"room-app-host-state","appInstanceId":"x","ready":true}"#);
    }
    stand.respond(host.socket, &id, r#""ok":true,"result":{}"#);
    assert_eq!(stand.answer(call), None, "answers are dropped too");
    let error = stand.frames(host.socket, "error").pop().expect("it was told");
    assert_eq!(error.text_field("error"), Some("message_rate_limited"));
    stand.now_ms += limits::FRAMES_WINDOW_MS;
    stand.respond(host.socket, &id, r#""ok":true,"result":{}"#);
    assert_eq!(stand.answer(call).expect("it was answered").0, 200);
}

#[test]
fn malformed_frames_are_answered_and_harmless() {
    let mut stand = Stand::new();
    let person = stand.human("person", "nonce");
    let deep = "[".repeat(10_000);
    let bad = ["", "no JSON", "[]", "null", r#"{"type":1}"#, r#"{"type":"room-app-host-state","ready":true}"#, &deep];
    for text in bad {
        stand.frame(person.socket, text);
    }
    assert_eq!(stand.frames(person.socket, "error").len(), bad.len());
}

#[test]
fn chat_is_heard_by_everybody_and_remembered_in_part() {
    let mut stand = Stand::new();
    let person = stand.human("person", "nonce");
    let agent = stand.agent("agent");
    stand.frame(person.socket, r#"{"type":"room-chat","text":" Hello @name OF agent! "}"#);
    stand.frame(agent.socket, r#"{"type":"room-chat","text":"Hi"}"#);
    let texts: Vec<_> = stand
        .frames(person.socket, "room-chat")
        .iter()
        .map(|frame| frame.field("message").and_then(|message| message.text_field("text")).expect("it has").to_owned())
        .collect();
    assert_eq!(texts, ["Hello @name OF agent!", "Hi"]);
    let event = stand.frames(agent.socket, "events")[1].field("events").expect("it has").stringify();
    assert!(event.ends_with(r#""addressed":true}]"#), "{event}");

    let long = "x".repeat(limits::CHAT_CHARS_MAX + 1);
    assert_eq!(stand.room.say(&person.id, &long), Err("invalid_text"));
    for number in 0..limits::CHAT_KEPT_MAX {
        stand.room.say(&person.id, &number.to_string()).expect("it is said");
    }
    let (messages, newest) = stand.room.messages_since(0);
    let Json::Array(messages) = messages else { panic!("it is a list") };
    assert_eq!(messages.len(), limits::CHAT_KEPT_MAX);
    assert_eq!(newest, 2 + limits::CHAT_KEPT_MAX as u64);
}

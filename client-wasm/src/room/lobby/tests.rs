//! A host that speaks, honestly and otherwise, and a page that answers.

use super::*;
use crate::room::Word;

const INSTANCE: &str = "arena:64b82acb";

fn fresh() -> JoinSecret {
    JoinSecret::new(1_800_000_000_000, [3; 16])
}

fn bootstrap(token: &str) -> Value {
    json!({ "type": "room-app-bootstrap", "protocolVersion": 1, "appInstanceId": INSTANCE, "handshakeToken": token })
}

fn person(id: &str, name: &str) -> Value {
    json!({ "participantId": id, "name": name, "kind": "human" })
}

fn ready(others: &[Value], recovery: Value) -> Value {
    let mut participants = vec![person("me", "Ada")];
    participants.extend_from_slice(others);
    json!({
        "type": "ready", "appInstanceId": INSTANCE, "protocolVersion": 1, "self": person("me", "Ada"),
        "participants": participants, "localRecovery": recovery, "somethingNew": { "deep": [1] },
    })
}

/// Hands a message over as the page does: the payload apart.
fn say(room: &mut Room, mut message: Value, now_ms: f64) {
    let payload =
        message.as_object_mut().and_then(|fields| fields.remove("payload")).map(|payload| payload.to_string());
    room.heard(Message { fields: &message.to_string(), payload: payload.as_deref() }, now_ms);
}

fn actions(room: &mut Room) -> Vec<Action> {
    std::iter::from_fn(|| room.next_action()).collect()
}

fn posts(actions: &[Action]) -> Vec<Value> {
    let post = |action: &Action| if let Action::Post(text) = action { Some(text.clone()) } else { None };
    actions.iter().filter_map(post).map(|text| serde_json::from_str(&text).expect("JSON")).collect()
}

fn posts_of(actions: &[Action], kind: &str) -> Vec<Value> {
    posts(actions).into_iter().filter(|post| post["type"] == kind).collect()
}

fn plays(actions: &[Action]) -> Vec<(&MatchKey, Option<ResumeSecret>)> {
    let play = |action| if let &Action::Play { ref match_key, seat } = action { Some((match_key, seat)) } else { None };
    actions.iter().filter_map(play).collect()
}

fn calls(actions: Vec<Action>) -> Vec<Call> {
    actions.into_iter().filter_map(|action| if let Action::Call(call) = action { Some(call) } else { None }).collect()
}

fn agent_request(id: &str) -> Value {
    json!({ "type": "agent_request", "appInstanceId": INSTANCE, "requestId": id, "payload": { "type": "observe" } })
}

/// A Room with nobody else, past the handshake; all its actions are done.
fn alone() -> Room {
    let mut room = Room::new(fresh());
    assert!(room.bootstrap(&bootstrap("token").to_string(), 1));
    say(&mut room, ready(&[], Value::Null), 0.0);
    actions(&mut room);
    room
}

#[test]
fn only_a_bootstrap_with_one_port_is_answered_and_exactly() {
    let with = |field: &str, value: Value| {
        let mut message = bootstrap("token");
        message[field] = value;
        message
    };
    for (message, ports) in [
        (bootstrap("token"), 0),
        (bootstrap("token"), 2),
        (bootstrap(""), 1),
        (bootstrap(&"t".repeat(129)), 1),
        (with("type", json!("room-app-bootstrap2")), 1),
        (with("protocolVersion", json!(2)), 1),
        (with("protocolVersion", json!("1")), 1),
        (with("appInstanceId", json!("No Instance")), 1),
        (with("appInstanceId", json!("a".repeat(97))), 1),
        (with("handshakeToken", json!(5)), 1),
        (json!(null), 1),
        (json!("room-app-bootstrap"), 1),
        (json!([]), 1),
    ] {
        let mut room = Room::new(fresh());
        assert!(!room.bootstrap(&message.to_string(), ports), "{message} with {ports} ports");
        assert_eq!(actions(&mut room), [], "{message}");
        assert!(!room.is_there());
    }
    let token = "\"\\\u{202e}ü".repeat(32);
    let mut room = Room::new(fresh());
    assert!(room.bootstrap(&with("handshakeToken", json!(token)).to_string(), 1));
    let answer = json!({ "type": "ready", "appInstanceId": INSTANCE, "handshakeToken": token });
    assert_eq!(posts(&actions(&mut room)), [answer]);
}

#[test]
fn somebody_alone_plays_a_match_nobody_can_guess() {
    let mut room = Room::new(fresh());
    room.bootstrap(&bootstrap("token").to_string(), 1);
    actions(&mut room);
    say(&mut room, ready(&[], Value::Null), 0.0);
    let done = actions(&mut room);
    let instance = InstanceId::parse(INSTANCE).expect("an id");
    assert_eq!(plays(&done), [(&fresh().match_key(&instance), None)]);
    let kept = posts_of(&done, "setLocalRecovery");
    let snapshot = kept[0]["snapshot"].as_str().expect("a text");
    assert_eq!(Recovery::read(snapshot).map(|kept| kept.join), Some(fresh()));
    assert_eq!(room.welcomed(Tick(0)), Some("A new match for this Room."));
    assert_eq!(room.welcomed(Tick(9)), None);
    assert_eq!(room.roster().own().and_then(|own| own.name.clone()).expect("a name").as_str(), "Ada");
}

#[test]
fn a_second_bootstrap_changes_the_port_and_nothing_else() {
    let mut room = alone();
    say(&mut room, agent_request("before"), 10.0);
    let before = calls(actions(&mut room));
    assert!(room.bootstrap(&bootstrap("another").to_string(), 1));
    // Nothing of the old port comes over the new one.
    room.called(before[0].number, Ok("{}"), 20.0);
    assert_eq!(posts(&actions(&mut room))[0]["handshakeToken"], "another");
    say(&mut room, agent_request("between"), 25.0);
    say(&mut room, ready(&[], Value::Null), 30.0);
    let done = actions(&mut room);
    assert_eq!(plays(&done), []);
    assert_eq!(posts_of(&done, "agentResponse"), [] as [Value; 0]);
    assert_eq!(calls(done).len(), 1);
}

#[test]
fn strangers_and_news_are_left_alone() {
    let mut room = alone();
    for mut message in [
        json!({ "type": "agent_request", "requestId": "r", "payload": {}, "appInstanceId": "arena:00000000" }),
        json!({ "type": "agent_request", "requestId": "r", "payload": {} }),
        json!({ "type": "agent_request", "requestId": "not an id", "payload": {}, "appInstanceId": INSTANCE }),
        json!({ "type": "agent_request", "payload": {}, "appInstanceId": INSTANCE }),
        json!({ "type": "shared_state", "revision": 4, "appInstanceId": INSTANCE }),
        json!({ "type": "capability_result", "result": [], "appInstanceId": INSTANCE }),
        json!({ "type": "error", "error": "unsupported_message", "appInstanceId": INSTANCE }),
        json!({ "type": "unicast_result", "requestId": "unknown", "ok": true, "appInstanceId": INSTANCE }),
        json!({ "type": "reliable", "sourceParticipantId": 5, "payload": {}, "appInstanceId": INSTANCE }),
        json!({ "type": "participant_leave", "participant": person("nobody", "?"), "appInstanceId": INSTANCE }),
        json!({ "type": "participant_join", "participant": null, "appInstanceId": INSTANCE }),
        json!({ "type": 5, "appInstanceId": INSTANCE }),
        json!({ "appInstanceId": INSTANCE }),
        json!([]),
        json!("ready"),
    ] {
        if message.is_object() {
            message["more"] = json!({ "a": null });
        }
        say(&mut room, message.clone(), 0.0);
        assert_eq!(actions(&mut room), [], "{message}");
    }
    room.heard(Message { fields: "not JSON", payload: None }, 0.0);
    assert_eq!(actions(&mut room), []);
}

#[test]
fn the_roster_follows_the_room_within_bounds() {
    let mut room = alone();
    let agent = json!({ "participantId": "agent-1", "name": "  No\u{202e}va \n ", "kind": "agent" });
    say(&mut room, json!({ "type": "participant_join", "participant": agent, "appInstanceId": INSTANCE }), 0.0);
    let nova = room.roster().participants().last().expect("two").clone();
    assert_eq!((nova.name.expect("a name").as_str(), nova.is_agent), ("Nova", true));
    for n in 0..200 {
        let one = person(&format!("p{n}"), "\u{200b}");
        say(&mut room, json!({ "type": "participant_join", "participant": one, "appInstanceId": INSTANCE }), 0.0);
    }
    assert_eq!(room.roster().participants().len(), crate::room::PARTICIPANTS_MAX);
    assert_eq!(room.roster().participants().last().and_then(|one| one.name.clone()), None);
    say(&mut room, json!({ "type": "participant_leave", "participant": agent, "appInstanceId": INSTANCE }), 0.0);
    assert!(room.roster().participants().iter().all(|one| !one.is_agent));
}

#[test]
fn requests_are_called_at_once_or_held_until_there_is_a_match_and_never_too_long() {
    let mut room = Room::new(fresh());
    room.bootstrap(&bootstrap("token").to_string(), 1);
    say(&mut room, agent_request("early"), 0.0);
    say(&mut room, ready(&[person("other", "Bo")], Value::Null), 10.0);
    let done = actions(&mut room);
    assert!(done.contains(&Action::Wake { in_ms: ANSWER_WITHIN_MS + CLOCK_MS }), "{done:?}");
    assert_eq!(calls(done), []);
    // The wake-up for whoever is asked comes, although no timer does.
    room.keep_up(10.0 + Handover::patience_ms() + CLOCK_MS);
    let made = calls(actions(&mut room));
    assert_eq!((made.len(), made[0].body.as_str()), (1, r#"{"type":"observe"}"#));
    room.keep_up(ANSWER_WITHIN_MS + CLOCK_MS);
    assert_eq!(posts_of(&actions(&mut room), "agentResponse")[0]["error"], "match_slow");
    room.called(made[0].number, Ok("{}"), 5_000.0);
    assert_eq!(posts_of(&actions(&mut room), "agentResponse"), [] as [Value; 0]);

    let mut never_ready = Room::new(fresh());
    never_ready.bootstrap(&bootstrap("token").to_string(), 1);
    say(&mut never_ready, agent_request("r"), 0.0);
    never_ready.keep_up(ANSWER_WITHIN_MS + CLOCK_MS);
    assert_eq!(posts_of(&actions(&mut never_ready), "agentResponse")[0]["error"], "no_match_yet");
}

#[test]
fn what_the_host_kept_leads_back_to_match_and_seat() {
    let join = JoinSecret::new(1_700_000_000_000, [8; 16]);
    let seat = ResumeSecret([4; 16]);
    let kept = Recovery { join, seat: Some(seat), tick: Tick(5_000) };
    let instance = InstanceId::parse(INSTANCE).expect("an id");
    for (tick, words) in [
        (Tick(5_100), "Back in this Room's match."),
        (Tick(30), "The match from before has ended. A new one has begun."),
    ] {
        let mut room = Room::new(fresh());
        room.bootstrap(&bootstrap("token").to_string(), 1);
        // Somebody else is there who may have another match; until they say so, this one is played.
        say(&mut room, ready(&[person("other", "Bo")], json!(kept.write())), 0.0);
        let done = actions(&mut room);
        assert_eq!(plays(&done), [(&join.match_key(&instance), Some(seat))]);
        assert_eq!(posts_of(&done, "setLocalRecovery"), [] as [Value; 0]);
        assert_eq!(room.welcomed(tick), Some(words));
    }
    for odd in [json!(5), json!("junk"), json!({}), json!("x".repeat(100_000))] {
        let mut room = Room::new(fresh());
        room.bootstrap(&bootstrap("token").to_string(), 1);
        say(&mut room, ready(&[], odd), 0.0);
        assert_eq!(plays(&actions(&mut room)), [(&fresh().match_key(&instance), None)]);
    }
}

#[test]
fn a_match_that_others_hold_wins_over_what_was_kept() {
    let kept = Recovery { join: JoinSecret::new(1, [8; 16]), seat: Some(ResumeSecret([4; 16])), tick: Tick(5_000) };
    let mut room = Room::new(fresh());
    room.bootstrap(&bootstrap("token").to_string(), 1);
    say(&mut room, ready(&[person("other", "Bo")], json!(kept.write())), 0.0);
    actions(&mut room);
    let theirs = JoinSecret::new(1_799_000_000_000, [9; 16]);
    let told = json!({
        "type": "unicast", "appInstanceId": INSTANCE, "sourceParticipantId": "other",
        "payload": Word::Tell(theirs).write(),
    });
    say(&mut room, told, 100.0);
    let instance = InstanceId::parse(INSTANCE).expect("an id");
    assert_eq!(plays(&actions(&mut room)), [(&theirs.match_key(&instance), None)]);
    assert_eq!(room.welcomed(Tick(7_000)), Some("You are in this Room's match."));
}

#[test]
fn the_host_keeps_the_newest_and_is_not_bothered() {
    let mut room = alone();
    let seat = |n| Some(ResumeSecret([n; 16]));
    room.remember(seat(1), 50.0);
    room.remember(seat(2), 80.0);
    assert_eq!(posts_of(&actions(&mut room), "setLocalRecovery"), [] as [Value; 0]);
    room.keep_up(100.0);
    let kept = posts_of(&actions(&mut room), "setLocalRecovery");
    let snapshot = kept[0]["snapshot"].as_str().and_then(Recovery::read).expect("ours");
    assert_eq!((kept.len(), snapshot.seat), (1, seat(2)));
    for tick in 0..3_600 {
        room.ticked(Tick(tick));
        room.keep_up(2_000.0 + f64::from(tick) * 16.0);
    }
    assert_eq!(posts_of(&actions(&mut room), "setLocalRecovery").len(), 2);
}

#[test]
fn engagement_is_told_once_and_with_three_keys() {
    let mut room = alone();
    for round in 0..3 {
        room.engaged();
        room.engaged();
        let told = posts_of(&actions(&mut room), "milestone");
        assert_eq!(told.len(), usize::from(round == 0));
        room.bootstrap(&bootstrap("again").to_string(), 1);
        say(&mut room, ready(&[], Value::Null), 0.0);
    }
    let mut early = Room::new(fresh());
    early.bootstrap(&bootstrap("token").to_string(), 1);
    early.engaged();
    assert_eq!(posts_of(&actions(&mut early), "milestone"), [] as [Value; 0]);
    say(&mut early, ready(&[], Value::Null), 0.0);
    early.engaged();
    let told = posts_of(&actions(&mut early), "milestone");
    assert_eq!(told, [json!({ "type": "milestone", "appInstanceId": INSTANCE, "milestone": "engaged" })]);
}

#[test]
fn a_host_that_complains_is_left_in_peace_for_a_while() {
    let mut room = Room::new(fresh());
    room.bootstrap(&bootstrap("token").to_string(), 1);
    say(&mut room, ready(&[person("other", "Bo")], Value::Null), 0.0);
    assert_eq!(posts_of(&actions(&mut room), "sendReliable").len(), 1);
    let complaint = json!({ "type": "error", "error": "rate_limited", "appInstanceId": INSTANCE });
    let mut said = 0;
    for second in 0..60 {
        say(&mut room, complaint.clone(), f64::from(second) * 1_000.0);
        said += posts_of(&actions(&mut room), "sendReliable").len();
        room.keep_up(f64::from(second) * 1_000.0 + 999.0);
        said += posts_of(&actions(&mut room), "sendReliable").len();
    }
    // Complained about every second, it is silent throughout.
    assert_eq!(said, 0);
    assert_eq!(room.standing(), Standing::Made);
}

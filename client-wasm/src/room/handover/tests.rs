//! One replica, word by word.

use serde_json::json;

use super::*;

fn id(text: &str) -> ParticipantId {
    ParticipantId::parse(text).expect("an id")
}

fn person(text: &str) -> Participant {
    Participant { id: id(text), name: None, is_agent: false }
}

fn secret(made_ms: u64) -> JoinSecret {
    JoinSecret::new(made_ms, [7; 16])
}

/// A replica that would bring `secret(100)`, in a Room with these others.
fn replica(others: &[&str], kept: Option<JoinSecret>) -> Handover {
    let instance = InstanceId::parse("arena:64b82acb").expect("an id");
    let mut replica = Handover::new(instance, secret(100));
    replica.begin(&others.iter().map(|other| person(other)).collect::<Vec<_>>(), kept, 0.0);
    replica
}

fn tell(replica: &mut Handover, from: &str, told: JoinSecret, now_ms: f64) {
    replica.heard(&id(from), &Word::Tell(told).write(), true, now_ms);
}

/// Everything that is sent now.
fn sent(replica: &mut Handover, now_ms: f64) -> Vec<Outgoing> {
    std::iter::from_fn(|| replica.next(now_ms)).collect()
}

fn private(outgoing: &[Outgoing]) -> Vec<(&str, &Word)> {
    let mut private = Vec::new();
    for one in outgoing {
        if let Outgoing::Private { to, word, .. } = one {
            private.push((to.as_str(), word));
        }
    }
    private
}

#[test]
fn somebody_alone_begins_at_once() {
    let mut alone = replica(&[], None);
    assert_eq!((alone.secret(), alone.standing()), (Some(secret(100)), Standing::Made));
    assert_eq!(sent(&mut alone, 0.0), []);
    let back = replica(&[], Some(secret(50)));
    assert_eq!((back.secret(), back.standing()), (Some(secret(50)), Standing::Kept));
}

#[test]
fn others_are_asked_and_the_first_answer_counts() {
    let mut late = replica(&["a", "b"], None);
    assert_eq!(late.secret(), None);
    let asked = sent(&mut late, 0.0);
    assert_eq!(asked[0], Outgoing::Aloud(Word::Mark(None)));
    assert_eq!(private(&asked), [("a", &Word::Ask), ("b", &Word::Ask)]);
    // However much greater it is than the own one would be.
    tell(&mut late, "b", secret(900), 100.0);
    assert_eq!((late.secret(), late.standing()), (Some(secret(900)), Standing::Given));
    let mark = Outgoing::Aloud(Word::Mark(Some(secret(900).mark(&late.instance))));
    assert_eq!(sent(&mut late, 100.0), [mark]);
}

#[test]
fn nobody_answers_for_ever() {
    let mut first = replica(&["a"], None);
    sent(&mut first, 0.0);
    first.keep_up(ANSWERS_MS - 1.0);
    assert_eq!(first.secret(), None);
    first.keep_up(ANSWERS_MS);
    assert_eq!((first.secret(), first.standing()), (Some(secret(100)), Standing::Made));
    // A Room so full, or a host so slow, that questions cannot even leave.
    let mut stuck = replica(&["a"], None);
    stuck.keep_up(LOOKING_MS_MAX - 1.0);
    assert_eq!(stuck.secret(), None);
    stuck.keep_up(LOOKING_MS_MAX);
    assert_eq!(stuck.secret(), Some(secret(100)));
}

#[test]
fn people_who_cannot_be_reached_are_not_waited_for() {
    let mut first = replica(&["a", "b"], None);
    for outgoing in sent(&mut first, 0.0) {
        if let Outgoing::Private { id, .. } = outgoing {
            assert_eq!(first.secret(), None);
            first.outcome(id.as_str(), Outcome::Unreachable, 10.0);
        }
    }
    assert_eq!(first.standing(), Standing::Made);
}

#[test]
fn what_was_kept_is_played_by_while_others_are_asked_and_yields_to_theirs() {
    let mut back = replica(&["a"], Some(secret(50)));
    assert_eq!((back.secret(), back.standing()), (Some(secret(50)), Standing::Looking));
    tell(&mut back, "a", secret(60), 10.0);
    assert_eq!((back.secret(), back.standing()), (Some(secret(60)), Standing::Given));
}

#[test]
fn whoever_asks_is_told_now_or_later() {
    let mut replica = replica(&["a", "b"], None);
    replica.heard(&id("a"), &Word::Ask.write(), true, 0.0);
    assert_eq!(private(&sent(&mut replica, 0.0)), [("a", &Word::Ask), ("b", &Word::Ask)]);
    replica.keep_up(ANSWERS_MS);
    assert_eq!(private(&sent(&mut replica, ANSWERS_MS)), [("a", &Word::Tell(secret(100)))]);
    replica.heard(&id("b"), &Word::Mark(None).write(), false, 2_000.0);
    assert_eq!(private(&sent(&mut replica, 2_000.0)), [("b", &Word::Tell(secret(100)))]);
}

#[test]
fn the_smaller_secret_wins_and_replicas_hear_of_it() {
    let mut replica = replica(&["a", "b", "c"], None);
    tell(&mut replica, "a", secret(80), 0.0);
    sent(&mut replica, 0.0);
    // A greater one is answered with the own one.
    tell(&mut replica, "b", secret(90), 10.0);
    assert_eq!(private(&sent(&mut replica, 10.0)), [("b", &Word::Tell(secret(80)))]);
    tell(&mut replica, "b", secret(70), 20.0);
    assert_eq!((replica.secret(), replica.standing()), (Some(secret(70)), Standing::Moved));
    let told = sent(&mut replica, 20.0);
    // c has said nothing, so there is no replica to tell.
    assert_eq!(private(&told), [("a", &Word::Tell(secret(70))), ("b", &Word::Tell(secret(70)))]);
    // Nobody is thrown from match to match, however many secrets are told.
    tell(&mut replica, "a", secret(60), 30.0);
    tell(&mut replica, "a", secret(40), 40.0);
    tell(&mut replica, "a", secret(50), 50.0);
    assert_eq!(replica.secret(), Some(secret(70)));
    replica.keep_up(20.0 + MOVE_EVERY_MS);
    assert_eq!(replica.secret(), Some(secret(40)));
}

#[test]
fn a_secret_said_aloud_is_no_secret() {
    let mut replica = replica(&["a"], None);
    replica.heard(&id("a"), &Word::Tell(secret(1)).write(), false, 0.0);
    replica.heard(&id("a"), &json!({ "type": "matchd_tell", "secret": 5 }), true, 0.0);
    replica.heard(&id("a"), &Word::Mark(Some("00000000".into())).write(), true, 0.0);
    assert_eq!(replica.secret(), None);
    // And none of ours is ever said aloud.
    replica.keep_up(ANSWERS_MS);
    sent(&mut replica, ANSWERS_MS);
    replica.keep_up(LOOKING_MS_MAX);
    for outgoing in sent(&mut replica, LOOKING_MS_MAX) {
        if let Outgoing::Aloud(word) = outgoing {
            assert!(!word.write().to_string().contains(&secret(100).write()));
        }
    }
}

#[test]
fn marks_bring_replicas_together_that_missed_each_other() {
    let mut replica = replica(&["a"], None);
    sent(&mut replica, 0.0);
    replica.keep_up(LOOKING_MS_MAX);
    let own = secret(100).mark(&replica.instance);
    assert_eq!(sent(&mut replica, LOOKING_MS_MAX), [Outgoing::Aloud(Word::Mark(Some(own.clone())))]);
    replica.heard(&id("a"), &Word::Mark(Some(own)).write(), false, LOOKING_MS_MAX + 1_000.0);
    assert_eq!(sent(&mut replica, LOOKING_MS_MAX + 1_000.0), []);
    replica.heard(&id("a"), &Word::Mark(Some("00000000".into())).write(), false, LOOKING_MS_MAX + 2_000.0);
    assert_eq!(private(&sent(&mut replica, LOOKING_MS_MAX + 2_000.0)), [("a", &Word::Tell(secret(100)))]);
    replica.keep_up(LOOKING_MS_MAX + MARK_EVERY_MS);
    assert!(matches!(replica.next(LOOKING_MS_MAX + MARK_EVERY_MS), Some(Outgoing::Aloud(Word::Mark(Some(_))))));
}

#[test]
fn what_was_too_much_is_said_again_later() {
    let mut replica = replica(&["a"], None);
    let asked = sent(&mut replica, 0.0);
    let Some(Outgoing::Private { id: message, .. }) = asked.last() else { panic!("{asked:?}") };
    replica.outcome(message.as_str(), Outcome::TooMuch, 10.0);
    replica.not_sent(10.0);
    assert_eq!(sent(&mut replica, 500.0), []);
    let again = sent(&mut replica, 1_010.0);
    assert_eq!(again[0], Outgoing::Aloud(Word::Mark(None)));
    assert_eq!(private(&again), [("a", &Word::Ask)]);
}

#[test]
fn thirty_two_people_are_asked_within_the_rates() {
    let others: Vec<String> = (0..31).map(|n| format!("p{n}")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let mut replica = replica(&others, None);
    let mut asked_ms = Vec::new();
    for now_ms in (0..LOOKING_MS_MAX as u32).step_by(20).map(f64::from) {
        for outgoing in sent(&mut replica, now_ms) {
            if let Outgoing::Private { id, .. } = outgoing {
                asked_ms.push(now_ms);
                replica.outcome(id.as_str(), Outcome::Sent, now_ms + 5.0);
            }
        }
        replica.keep_up(now_ms);
    }
    assert_eq!(asked_ms.len(), 31);
    for from in &asked_ms {
        assert!(asked_ms.iter().filter(|at| (*from..*from + 1_000.0).contains(at)).count() <= PRIVATE_PER_SECOND);
    }
    assert_eq!(replica.standing(), Standing::Made);
}

#[test]
fn strangers_without_number_are_not_remembered() {
    let mut replica = replica(&["a"], None);
    for n in 0..10_000 {
        replica.heard(&id(&format!("stranger-{n}")), &Word::Ask.write(), true, 0.0);
    }
    assert_eq!(replica.peers.len(), PARTICIPANTS_MAX);
    replica.left(&id("stranger-0"));
    assert_eq!(replica.peers.len(), PARTICIPANTS_MAX - 1);
}

#[test]
fn a_room_that_is_there_again_changes_nothing_that_is_held() {
    let mut replica = replica(&[], None);
    replica.begin(&[person("a")], Some(secret(1)), 50.0);
    assert_eq!(replica.secret(), Some(secret(100)));
    assert!(matches!(sent(&mut replica, 50.0)[..], [Outgoing::Aloud(Word::Mark(Some(_)))]));
}

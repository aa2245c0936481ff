use contract::{Cadence, SeatId, Welcome};

use super::*;

const TICKET: Ticket = Ticket([3; Ticket::BYTES]);

fn said(session: &mut Session) -> Vec<ClientMessage> {
    let mut messages = Vec::new();
    session.flush(|frame| messages.push(decode(frame).expect("our own message")));
    messages
}

fn hear(session: &mut Session, message: &ServerMessage, now_ms: f64) -> Event {
    session.received(&encode(message), now_ms).expect("a message")
}

fn welcome() -> ServerMessage {
    ServerMessage::Welcome(Welcome {
        game: "kickabout".into(),
        setup: Vec::new(),
        sim: sim::sim_hash(),
        cadence: Cadence::new(60, 30),
        tick: Tick(7),
        relay: RelayPass([0; 16]),
    })
}

fn seated(seat: u8, secret: u8) -> ServerMessage {
    ServerMessage::Seated { seat: SeatId(seat), tick: Tick(9), resume: ResumeSecret([secret; 16]) }
}

fn hello(resume: Option<ResumeSecret>) -> ClientMessage {
    let (wire, sim, match_key) = (contract::wire_hash(), sim::sim_hash(), MatchKey::demo());
    ClientMessage::Hello(Hello { wire, sim, match_key, resume, ticket: Some(TICKET) })
}

fn mode(can_step: bool, is_hidden: bool) -> ClientMessage {
    ClientMessage::Mode(Mode { can_step, is_hidden })
}

fn name(text: &str) -> PlayerName {
    PlayerName::clean(text).expect("a name")
}

/// A session that watches, with everything said so far taken out.
fn watching() -> Session {
    let mut session = Session::new(MatchKey::demo(), None);
    session.opened(TICKET, 0.0);
    hear(&mut session, &welcome(), 1.0);
    said(&mut session);
    session
}

fn playing() -> Session {
    let mut session = watching();
    session.join(name("Ada"), None);
    hear(&mut session, &seated(2, 1), 2.0);
    said(&mut session);
    session
}

#[test]
fn hello_comes_first_and_names_builds_and_match() {
    let mut session = Session::new(MatchKey::demo(), None);
    session.opened(TICKET, 0.0);
    assert_eq!(said(&mut session), [hello(None)]);
    assert_eq!(session.phase(), Phase::Greeting);
}

#[test]
fn the_answer_to_hello_tells_how_long_a_round_trip_takes_before_a_seat_is_given_back() {
    let mut session = Session::new(MatchKey::demo(), None);
    session.opened(TICKET, 1_000.0);
    let Event::Welcome { rtt_ms, .. } = hear(&mut session, &welcome(), 1_150.0) else { panic!("a welcome") };
    assert_eq!(rtt_ms, 150.0);
}

#[test]
fn nothing_counts_before_the_welcome_and_a_second_welcome_does_not() {
    let mut session = Session::new(MatchKey::demo(), None);
    session.opened(TICKET, 0.0);
    assert_eq!(hear(&mut session, &seated(0, 1), 0.0), Event::Unexpected);
    hear(&mut session, &welcome(), 1.0);
    assert_eq!(session.phase(), Phase::Watching);
    assert_eq!(hear(&mut session, &welcome(), 2.0), Event::Unexpected);
}

#[test]
fn joining_and_leaving() {
    let mut session = watching();
    session.join(name("Ada"), Some(TeamId(1)));
    assert_eq!(session.phase(), Phase::Joining);
    assert_eq!(said(&mut session), [ClientMessage::Join { name: name("Ada"), team: Some(TeamId(1)) }]);
    session.input(Tick(8), vec![0, 0]);
    assert!(said(&mut session).is_empty(), "no input without a seat");

    hear(&mut session, &seated(4, 1), 2.0);
    assert_eq!(session.phase(), Phase::Playing(SeatId(4)));
    session.input(Tick(9), vec![0, 0]);
    session.leave();
    assert_eq!(said(&mut session), [ClientMessage::Input { tick: Tick(9), input: vec![0, 0] }, ClientMessage::Leave]);
    assert_eq!(hear(&mut session, &ServerMessage::Unseated, 3.0), Event::Unseated);
    assert_eq!(session.phase(), Phase::Watching);
}

#[test]
fn a_refusal_leaves_the_page_watching() {
    for refusal in [Refusal::Full, Refusal::NameTaken, Refusal::NoSuchTeam, Refusal::Busy] {
        let mut session = watching();
        session.join(name("Ada"), None);
        assert_eq!(hear(&mut session, &ServerMessage::Refused(refusal), 2.0), Event::Refused(refusal));
        assert_eq!(session.phase(), Phase::Watching);
        assert_eq!(session.secret(), None);
    }
}

#[test]
fn a_wish_survives_a_lost_connection() {
    let mut session = watching();
    session.join(name("Ada"), None);
    let Ending::Retry { in_ms } = session.closed(1006, 1.0) else { panic!("a lost connection is tried again") };
    let Ending::Retry { in_ms: later_ms } = session.closed(1006, 1.0) else { panic!("and again") };
    assert!(later_ms > in_ms && in_ms > 0.0);
    assert_eq!(session.phase(), Phase::Apart);

    session.opened(TICKET, 10.0);
    said(&mut session);
    hear(&mut session, &welcome(), 11.0);
    assert_eq!(session.phase(), Phase::Joining);
    assert!(said(&mut session).contains(&ClientMessage::Join { name: name("Ada"), team: None }));
}

/// A session that has lost its connection and come back, with the answer to its secret still to come.
fn returning() -> Session {
    let mut session = playing();
    assert!(matches!(session.closed(1006, 0.5), Ending::Retry { .. }));
    session.opened(TICKET, 10.0);
    assert_eq!(said(&mut session), [hello(Some(ResumeSecret([1; 16])))]);
    hear(&mut session, &welcome(), 11.0);
    assert_eq!(session.phase(), Phase::Returning);
    assert!(!said(&mut session).iter().any(|message| matches!(message, ClientMessage::Join { .. })));
    session
}

#[test]
fn a_seat_survives_a_lost_connection_by_its_newest_secret() {
    let mut session = returning();
    hear(&mut session, &seated(2, 7), 12.0);
    assert_eq!(session.phase(), Phase::Playing(SeatId(2)));
    session.closed(1001, 0.5);
    session.opened(TICKET, 20.0);
    assert_eq!(said(&mut session), [hello(Some(ResumeSecret([7; 16])))]);
}

#[test]
fn a_page_loaded_anew_begins_with_its_seat() {
    let mut session = Session::new(MatchKey::demo(), Some(ResumeSecret([3; 16])));
    session.opened(TICKET, 0.0);
    assert_eq!(said(&mut session), [hello(Some(ResumeSecret([3; 16])))]);
}

#[test]
fn a_seat_that_is_gone_leaves_the_page_watching() {
    let mut session = returning();
    let gone = ServerMessage::Refused(Refusal::SeatGone);
    assert_eq!(hear(&mut session, &gone, 12.0), Event::Refused(Refusal::SeatGone));
    assert_eq!((session.phase(), session.secret()), (Phase::Watching, None));
}

#[test]
fn a_busy_match_does_not_cost_the_seat() {
    let mut session = returning();
    assert_eq!(hear(&mut session, &ServerMessage::Refused(Refusal::Busy), 12.0), Event::TryAgain);
    assert!(matches!(session.closed(0, 0.5), Ending::Retry { .. }));
    session.opened(TICKET, 20.0);
    assert_eq!(said(&mut session), [hello(Some(ResumeSecret([1; 16])))]);
}

#[test]
fn a_seat_given_back_is_not_taken_up_again() {
    let mut session = playing();
    session.leave();
    assert_eq!(session.secret(), None);
    session.closed(1006, 0.5);
    session.opened(TICKET, 10.0);
    assert_eq!(said(&mut session), [hello(None)]);
}

#[test]
fn a_replaced_page_stays_away_until_a_person_asks() {
    let mut session = playing();
    assert_eq!(session.closed(CloseCode::REPLACED.code, 0.5), Ending::Elsewhere);
    assert_eq!((session.phase(), session.secret()), (Phase::Over, None));
    session.start_over();
    session.opened(TICKET, 10.0);
    assert_eq!(said(&mut session), [hello(None)]);
}

#[test]
fn the_server_is_told_what_this_page_can_do_and_whether_anybody_looks() {
    let mut session = Session::new(MatchKey::demo(), None);
    session.hide(true, 0.0);
    session.opened(TICKET, 0.0);
    said(&mut session);
    hear(&mut session, &welcome(), 1.0);
    assert!(said(&mut session).contains(&mode(true, true)));
    assert!(!session.keep_up(100_000.0), "a hidden page neither pings nor wonders about silence");
    session.hide(false, 100_000.0);
    session.hide(false, 100_001.0);
    assert_eq!(said(&mut session), [mode(true, false)]);
    assert!(!session.keep_up(100_002.0));
}

#[test]
fn a_server_with_other_rules_is_not_asked_for_steps() {
    let mut session = Session::new(MatchKey::demo(), None);
    session.opened(TICKET, 0.0);
    said(&mut session);
    let ServerMessage::Welcome(mut other) = welcome() else { unreachable!("made just so") };
    other.sim ^= 1;
    hear(&mut session, &ServerMessage::Welcome(other), 1.0);
    assert!(said(&mut session).contains(&mode(false, false)));
}

#[test]
fn a_whole_view_is_asked_for_once() {
    let mut session = watching();
    for ms in 0..10 {
        session.resync(f64::from(ms) * 33.0);
    }
    assert_eq!(said(&mut session), [ClientMessage::Resync]);
    session.resync(600.0);
    assert_eq!(said(&mut session), [ClientMessage::Resync]);
}

#[test]
fn close_codes_decide_about_another_try() {
    for code in contract::CLOSE_CODES {
        let mut session = playing();
        let ending = session.closed(code.code, 0.5);
        match ending {
            Ending::Reload => assert_eq!(*code, CloseCode::RELOAD),
            Ending::Elsewhere => assert_eq!(*code, CloseCode::REPLACED),
            Ending::Final(text) => assert!(code.is_final && !text.is_empty()),
            Ending::Retry { .. } => assert!(!code.is_final, "{}", code.name),
        }
        assert_eq!(session.phase() == Phase::Over, code.is_final);
    }
}

#[test]
fn bytes_that_are_no_message_are_an_error_and_change_nothing() {
    let mut session = playing();
    for bytes in [&b""[..], &[0xc1], &[0xff; 40], &[0x81, 0xa1, b'?', 0x90]] {
        assert!(session.received(bytes, 5.0).is_err());
        assert_eq!(session.phase(), Phase::Playing(SeatId(2)));
    }
}

#[test]
fn pings_measure_the_round_trip_across_the_wrap_of_their_clock() {
    let mut session = watching();
    let wrap = f64::from(u32::MAX);
    session.keep_up(wrap - 10.0);
    let sent = said(&mut session);
    let [ClientMessage::Ping { sent_ms }] = sent[..] else { panic!("one ping: {sent:?}") };
    let pong = ServerMessage::Pong { sent_ms, tick: Tick(1) };
    assert_eq!(hear(&mut session, &pong, wrap + 20.0), Event::RoundTrip { rtt_ms: 30.0 });
}

#[test]
fn a_silent_server_is_noticed_but_not_by_a_page_that_slept() {
    let mut session = watching();
    assert!(!session.keep_up(5_000.0));
    assert!(session.keep_up(8_000.0));
    session.woke(100_000.0);
    assert!(!session.keep_up(100_001.0));
}

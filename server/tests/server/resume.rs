//! Losing touch and coming back.

use std::time::{Duration, Instant};

use contract::{
    ClientMessage, CloseCode, Hello, Holder, MatchKey, Refusal, ResumeSecret, RosterEntry, SeatId, ServerMessage,
    WireInput as _,
};
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Page, Server};

fn is_away(seat: SeatId) -> impl Fn(&[RosterEntry]) -> bool {
    move |roster| roster[seat.index()].is_away
}

fn is_here(seat: SeatId) -> impl Fn(&[RosterEntry]) -> bool {
    move |roster| roster[seat.index()].holder == Holder::Person && !roster[seat.index()].is_away
}

fn secret(page: &Page) -> ResumeSecret {
    page.resume.expect("a secret came with the seat")
}

#[test]
fn a_lost_socket_comes_back_to_its_seat() {
    let server = Server::start();
    let (mut ada, mut bob) = (server.watch("back"), server.watch("back"));
    let seat = ada.join("Ada", None);
    let by = secret(&ada);
    drop(ada);
    let away = bob.roster(is_away(seat));
    assert_eq!((away[seat.index()].holder, away[seat.index()].name.as_str()), (Holder::Person, "Ada"));
    // Nobody else gets the seat or the name meanwhile.
    assert_eq!(bob.try_join("ada", None), Err(Refusal::NameTaken));
    let (ada, again) = server.come_back("back", by);
    assert_eq!(again, Ok(seat));
    assert_ne!(ada.resume, Some(by), "a secret is good for one time");
    bob.roster(is_here(seat));
}

#[test]
fn a_secret_that_was_used_or_is_nobodys_opens_nothing() {
    let server = Server::start();
    let mut ada = server.watch("used");
    let seat = ada.join("Ada", None);
    let first = secret(&ada);
    let (mut ada, again) = server.come_back("used", first);
    assert_eq!(again, Ok(seat));
    confirm(&server, &mut ada);
    let mut nearly = secret(&ada);
    nearly.0[15] ^= 1;
    for by in [first, nearly, ResumeSecret([0; 16])] {
        let (mut other, refused) = server.come_back("used", by);
        assert_eq!(refused, Err(Refusal::SeatGone));
        other.snapshot();
        // Refused, it is a spectator like any other.
        other.join("Eve", None);
        other.leave();
    }
    assert_eq!(server.come_back("elsewhere", secret(&ada)).1, Err(Refusal::SeatGone), "a seat is a match's own");
    ada.snapshot();
}

/// Sends an input, by which the server knows that the newest secret has arrived.
fn confirm(server: &Server, page: &mut Page) {
    let count =
        |server: &Server| server.metric("matchd_inputs_on_time_total") + server.metric("matchd_inputs_late_total");
    let before = count(server);
    let mut input = Vec::new();
    contract::games::kickabout::Input::default().pack(&mut input);
    let tick = page.snapshot().tick.plus(5);
    page.send(&ClientMessage::Input { tick, input });
    server.until("the input is there", |server| count(server) > before);
}

#[test]
fn an_answer_lost_with_its_connection_costs_no_seat() {
    let server = Server::start();
    let mut ada = server.watch("twice");
    let seat = ada.join("Ada", None);
    let by = secret(&ada);
    // The page never hears of the next secret, again and again.
    for _ in 0..3 {
        let (lost, again) = server.come_back("twice", by);
        assert_eq!(again, Ok(seat));
        drop(lost);
    }
    let (mut ada, again) = server.come_back("twice", by);
    assert_eq!(again, Ok(seat));
    confirm(&server, &mut ada);
    assert_eq!(server.come_back("twice", by).1, Err(Refusal::SeatGone));
}

#[test]
fn of_many_sockets_with_one_secret_exactly_one_plays() {
    let server = Server::start();
    let mut ada = server.watch("race");
    ada.join("Ada", None);
    for _ in 0..5 {
        let by = secret(&ada);
        let pages = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..16).map(|_| scope.spawn(|| race(&server, by))).collect();
            racers.into_iter().map(|racer| racer.join().expect("no panic")).collect::<Vec<_>>()
        });
        let mut winners: Vec<Page> = pages.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1);
        ada = winners.remove(0);
        confirm(&server, &mut ada);
    }
}

/// Comes back with a secret that others come back with at the same time. The page, if it is the one that plays after a
/// while; all others are told that they do not.
fn race(server: &Server, by: ResumeSecret) -> Option<Page> {
    let mut page = server.connect();
    let match_key = MatchKey::parse("race").expect("a key");
    let hello = Hello {
        wire: contract::wire_hash(),
        sim: sim::sim_hash(),
        match_key,
        resume: Some(by),
        ticket: Some(server.ticket("race")),
    };
    page.send(&ClientMessage::Hello(hello));
    let start = Instant::now();
    loop {
        match page.socket.read().expect("a message") {
            Message::Close(frame) => {
                assert_eq!(u16::from(frame.expect("a code").code), CloseCode::REPLACED.code);
                return None;
            }
            Message::Binary(bytes) => match contract::decode(&bytes).expect("a message") {
                ServerMessage::Seated { resume, .. } => page.resume = Some(resume),
                ServerMessage::Refused(_) => return None,
                _ => {}
            },
            _ => {}
        }
        if page.resume.is_some() && start.elapsed() > Duration::from_secs(1) {
            return Some(page);
        }
    }
}

#[test]
fn the_newest_socket_plays_and_the_other_is_told_why() {
    let server = Server::start();
    let mut first = server.watch("tabs");
    let seat = first.join("Ada", None);
    let (mut second, again) = server.come_back("tabs", secret(&first));
    assert_eq!(again, Ok(seat));
    assert_eq!(first.closed(), CloseCode::REPLACED.code);
    let (mut third, again) = server.come_back("tabs", secret(&second));
    assert_eq!(again, Ok(seat));
    assert_eq!(second.closed(), CloseCode::REPLACED.code);
    // The end of the older sockets takes nothing from the newest.
    let mut bob = server.watch("tabs");
    bob.roster(is_here(seat));
    third.leave();
    bob.roster(|roster| roster[seat.index()].holder == Holder::Bot);
}

#[test]
fn whoever_leaves_on_purpose_is_not_waited_for() {
    let server = Server::start();
    let (mut ada, mut bob) = (server.watch("bye"), server.watch("bye"));
    let seat = ada.join("Ada", None);
    let by = secret(&ada);
    ada.leave();
    bob.roster(|roster| roster[seat.index()].holder == Holder::Bot);
    assert_eq!(server.come_back("bye", by).1, Err(Refusal::SeatGone));
}

#[test]
fn whoever_misbehaves_is_not_waited_for() {
    let server = Server::start();
    let (mut ada, mut bob) = (server.watch("rude"), server.watch("rude"));
    let seat = ada.join("Ada", None);
    let by = secret(&ada);
    let hello = Hello { wire: 0, sim: 0, match_key: MatchKey::demo(), resume: None, ticket: None };
    ada.send(&ClientMessage::Hello(hello));
    assert_eq!(ada.closed(), CloseCode::OUT_OF_ORDER.code);
    bob.roster(|roster| roster[seat.index()].holder == Holder::Bot);
    assert_eq!(server.come_back("rude", by).1, Err(Refusal::SeatGone));
}

#[test]
fn whoever_stays_away_too_long_loses_the_seat() {
    let server = Server::with("[matches]\ngrace_ms = 300");
    let (mut ada, mut bob) = (server.watch("late"), server.watch("late"));
    let seat = ada.join("Ada", None);
    let by = secret(&ada);
    drop(ada);
    bob.roster(is_away(seat));
    bob.roster(|roster| roster[seat.index()].holder == Holder::Bot);
    let (mut ada, refused) = server.come_back("late", by);
    assert_eq!(refused, Err(Refusal::SeatGone));
    ada.join("Ada", None);
}

//! Who gets in, and who is told why not.

use std::sync::Barrier;

use contract::{ClientMessage, CloseCode, Hello, MatchKey, ServerMessage, Ticket};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Page, Server, http};

/// Opens a socket and says hello with a ticket, or without.
fn greet(server: &Server, key: &str, ticket: Option<Ticket>) -> Page {
    let mut page = server.connect();
    let match_key = MatchKey::parse(key).expect("a key");
    let hello = Hello { wire: contract::wire_hash(), sim: sim::sim_hash(), match_key, resume: None, ticket };
    page.send(&ClientMessage::Hello(hello));
    page
}

/// Whether a page was let in, or the code it was closed with.
fn outcome(page: &mut Page) -> Result<(), u16> {
    loop {
        match page.socket.read().expect("open") {
            Message::Binary(bytes) => match contract::decode(&bytes).expect("a message") {
                ServerMessage::Welcome(_) => return Ok(()),
                other => panic!("{other:?} before the welcome"),
            },
            Message::Close(frame) => return Err(frame.expect("a code").code.into()),
            _ => {}
        }
    }
}

fn ask(server: &Server, body: &str) -> (u16, String, Value) {
    let (status, head, body) = http(server.play, "POST /tickets", &[("origin", "null")], body.as_bytes());
    assert!(body.len() <= 512, "{body}");
    (status, head, serde_json::from_str(&body).expect("JSON"))
}

#[test]
fn each_bad_ticket_has_its_code_and_makes_no_match() {
    let server = Server::start();
    let spent = server.ticket("spent");
    assert_eq!(outcome(&mut greet(&server, "spent", Some(spent))), Ok(()));
    let mut forged = server.ticket("forged");
    forged.0[40] ^= 1;
    let made = server.metric("matchd_matches_made_total");
    for (key, ticket, code) in [
        ("spent", Some(spent), CloseCode::TICKET_USED),
        ("forged", Some(forged), CloseCode::TICKET_BAD),
        ("empty", Some(Ticket([0; Ticket::BYTES])), CloseCode::TICKET_BAD),
        ("here", Some(server.ticket("there")), CloseCode::TICKET_ELSEWHERE),
        ("missing", None, CloseCode::TICKET_MISSING),
    ] {
        assert_eq!(outcome(&mut greet(&server, key, ticket)), Err(code.code), "{key}");
        let counted = format!("matchd_tickets_total{{outcome=\"{}\"}}", code.name);
        assert!(server.metric(&counted) >= 1.0, "{counted}");
        let closed = format!("matchd_socket_closes_total{{reason=\"{}\"}}", code.name);
        server.until(&closed, |server| server.metric(&closed) >= 1.0);
    }
    assert_eq!(server.metric("matchd_matches_made_total"), made);
}

#[test]
fn of_64_sockets_with_one_ticket_exactly_one_gets_in() {
    const SOCKETS: usize = 64;
    const ROUNDS: usize = 200;
    let server = Server::start();
    let start = Barrier::new(SOCKETS);
    let tickets: Vec<Ticket> = (0..ROUNDS).map(|_| server.ticket("race")).collect();
    let runs: Vec<Vec<bool>> = std::thread::scope(|scope| {
        let runner = || tickets.iter().map(|ticket| race(&server, *ticket, &start)).collect();
        let runners: Vec<_> = (0..SOCKETS).map(|_| scope.spawn(runner)).collect();
        runners.into_iter().map(|runner| runner.join().expect("no panic")).collect()
    });
    for round in 0..ROUNDS {
        assert_eq!(runs.iter().filter(|run| run[round]).count(), 1, "round {round}");
    }
}

/// Uses a ticket at the same moment as all others. Whether it got in.
fn race(server: &Server, ticket: Ticket, start: &Barrier) -> bool {
    let mut page = server.connect();
    start.wait();
    let match_key = MatchKey::parse("race").expect("a key");
    let hello = Hello { wire: contract::wire_hash(), sim: 0, match_key, resume: None, ticket: Some(ticket) };
    page.send(&ClientMessage::Hello(hello));
    match outcome(&mut page) {
        Ok(()) => true,
        Err(code) => {
            assert_eq!(code, CloseCode::TICKET_USED.code);
            false
        }
    }
}

#[test]
fn a_page_of_any_origin_gets_a_ticket_and_errors_name_the_field() {
    let server = Server::start();
    let (status, head, answer) = ask(&server, r#"{"match":"demo"}"#);
    assert_eq!((status, &answer["lifetime_ms"]), (200, &json!(30_000)));
    for line in ["access-control-allow-origin: *", "cache-control: no-store", "content-type: application/json"] {
        assert!(head.contains(line), "{line} is not in {head}");
    }
    assert!(!head.contains("credentials") && !head.contains("set-cookie"));
    assert_eq!(http(server.play, "OPTIONS /tickets", &[("origin", "null")], b"").0, 204);
    let long = format!(r#"{{"match":"{}"}}"#, "k".repeat(161));
    for (body, status, code, field) in [
        ("", 400, "malformed", None),
        ("[]", 400, "bad_value", None),
        ("{}", 400, "missing_field", Some("match")),
        (r#"{"match":7}"#, 400, "bad_value", Some("match")),
        (r#"{"match":"a b"}"#, 400, "bad_value", Some("match")),
        (long.as_str(), 400, "bad_value", Some("match")),
        (r#"{"match":"demo","seat":1}"#, 400, "unknown_field", None),
        (&" ".repeat(600), 413, "too_large", None),
    ] {
        let (told, _, answer) = ask(&server, body);
        assert_eq!((told, &answer["error"]["code"]), (status, &json!(code)), "{body}: {answer}");
        assert_eq!(answer["error"].get("field"), field.map(|field| json!(field)).as_ref(), "{body}");
    }
    assert_eq!(http(server.play, "GET /tickets", &[], b"").0, 405);
}

#[test]
fn whoever_asks_for_too_many_tickets_waits() {
    let server = Server::with("[tickets]\nper_second_per_address = 2");
    let statuses: Vec<u16> = (0..5).map(|_| ask(&server, r#"{"match":"demo"}"#).0).collect();
    assert_eq!(statuses[..2], [200, 200]);
    assert!(statuses.contains(&429), "{statuses:?}");
    assert!(server.metric("matchd_tickets_total{outcome=\"rate_limited\"}") >= 1.0);
    server.until("the next second", |server| ask(server, r#"{"match":"demo"}"#).0 == 200);
}

#[test]
fn where_the_host_makes_tickets_the_server_gives_none_out() {
    let key = "0123456789abcdef".repeat(4);
    let server = Server::with(&format!("[tickets]\nissue = false\nkeys = [\"{key}\"]"));
    let (status, _, answer) = ask(&server, r#"{"match":"demo"}"#);
    assert_eq!((status, &answer["error"]["code"]), (403, &json!("not_issued")));
    let key = server::TicketKey::parse(&key).expect("a key");
    let ticket = server::sign_ticket(&key, &MatchKey::demo());
    assert_eq!(outcome(&mut greet(&server, "demo", Some(ticket))), Ok(()));
    assert_eq!(outcome(&mut greet(&server, "demo", Some(ticket))), Err(CloseCode::TICKET_USED.code));
    let stranger = server::TicketKey::parse(&"00".repeat(32)).expect("a key");
    let ticket = server::sign_ticket(&stranger, &MatchKey::demo());
    assert_eq!(outcome(&mut greet(&server, "demo", Some(ticket))), Err(CloseCode::TICKET_BAD.code));
}

//! Pages' bad input: each ends its own socket with its code, and nothing else.

use std::time::{Duration, Instant};

use contract::{ClientMessage, CloseCode, Hello, MatchKey, Tick, Ticket, limits::CLIENT_MESSAGE_BYTES_MAX};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::fixture::{Page, Server};

fn binary(page: &mut Page, bytes: impl Into<Bytes>) {
    // The server may close before everything is sent.
    let _ = page.socket.send(Message::Binary(bytes.into()));
}

fn hello_with(wire: u64, key: &str) -> ClientMessage {
    hello_by(wire, key, None)
}

fn hello_by(wire: u64, key: &str, ticket: Option<Ticket>) -> ClientMessage {
    let match_key = MatchKey::parse(key).expect("a key");
    ClientMessage::Hello(Hello { wire, sim: 0, match_key, resume: None, ticket })
}

type Misdeed = fn(&mut Page);

#[test]
fn each_misdeed_has_its_code_and_hurts_nobody_else() {
    let server = Server::start();
    let mut witness = server.watch("bad");
    let fresh: &[(&str, CloseCode, Misdeed)] = &[
        ("text", CloseCode::BAD_MESSAGE, |page| drop(page.socket.send(Message::text("hello")))),
        ("no bytes", CloseCode::BAD_MESSAGE, |page| binary(page, Vec::new())),
        ("noise", CloseCode::BAD_MESSAGE, |page| binary(page, vec![0xc1; 40])),
        ("an unknown letter", CloseCode::BAD_MESSAGE, |page| binary(page, b"\x81\xa1z\x90".to_vec())),
        ("deep nesting", CloseCode::BAD_MESSAGE, |page| binary(page, vec![0x91; 1000])),
        ("a claimed length of 4 GiB", CloseCode::BAD_MESSAGE, |page| {
            binary(page, b"\xdd\xff\xff\xff\xff\x00".to_vec());
        }),
        ("a key outside the set", CloseCode::BAD_MESSAGE, |page| {
            binary(page, b"\x81\xa1h\x93\x00\x00\xa3a b".to_vec());
        }),
        ("another build", CloseCode::RELOAD, |page| page.send(&hello_with(contract::wire_hash() ^ 1, "bad"))),
        ("leave before hello", CloseCode::OUT_OF_ORDER, |page| page.send(&ClientMessage::Leave)),
        ("input before hello", CloseCode::OUT_OF_ORDER, |page| {
            page.send(&ClientMessage::Input { tick: Tick(1), input: vec![0, 0] });
        }),
        ("one byte too many", CloseCode::TOO_LARGE, |page| binary(page, vec![0; CLIENT_MESSAGE_BYTES_MAX + 1])),
        ("a megabyte", CloseCode::TOO_LARGE, |page| binary(page, vec![0; 1 << 20])),
    ];
    let watching: &[(&str, CloseCode, Misdeed)] = &[
        ("second hello", CloseCode::OUT_OF_ORDER, |page| page.send(&hello_with(contract::wire_hash(), "bad"))),
        ("trailing bytes", CloseCode::BAD_MESSAGE, |page| {
            binary(page, [contract::encode(&ClientMessage::Leave), vec![0]].concat());
        }),
        ("an input of one byte", CloseCode::BAD_MESSAGE, |page| {
            page.send(&ClientMessage::Input { tick: Tick(1), input: vec![0] });
        }),
        ("an input out of range", CloseCode::BAD_MESSAGE, |page| {
            page.send(&ClientMessage::Input { tick: Tick(1), input: vec![127, 0] });
        }),
        ("NaN for a tick", CloseCode::BAD_MESSAGE, |page| {
            binary(page, b"\x81\xa1i\x92\xca\x7f\xc0\x00\x00\xc4\x02\x00\x00".to_vec());
        }),
        ("a flood", CloseCode::FLOOD, |page| {
            for sent_ms in 0..2000 {
                binary(page, contract::encode(&ClientMessage::Ping { sent_ms }));
            }
        }),
    ];
    for (what, code, misdeed) in fresh {
        let mut page = server.connect();
        misdeed(&mut page);
        assert_eq!(page.closed(), code.code, "{what}");
    }
    for (what, code, misdeed) in watching {
        let mut page = server.watch("bad");
        misdeed(&mut page);
        assert_eq!(page.closed(), code.code, "{what}");
        // The same from a seat.
        let mut page = server.watch("bad");
        page.join("Ada", None);
        misdeed(&mut page);
        assert_eq!(page.closed(), code.code, "{what}, seated");
    }
    for code in [CloseCode::BAD_MESSAGE, CloseCode::OUT_OF_ORDER, CloseCode::TOO_LARGE, CloseCode::FLOOD] {
        let counter = format!("matchd_socket_closes_total{{reason=\"{}\"}}", code.name);
        server.until(&counter, |server| server.metric(&counter) > 0.0);
    }
    witness.snapshot();
    witness.join("Witness", None);
    server.until("only the witness is left", |server| server.metric("matchd_sockets") == 1.0);
    assert_eq!(server.metric("matchd_match_panics_total"), 0.0);
}

#[test]
fn every_prefix_and_bit_flip_of_a_message_is_survived() {
    let server = Server::start();
    let whole = contract::encode(&hello_by(contract::wire_hash(), "demo", Some(server.ticket("demo"))));
    for cut in 1..whole.len() {
        let mut page = server.connect();
        binary(&mut page, whole[..cut].to_vec());
        assert_eq!(page.closed(), CloseCode::BAD_MESSAGE.code, "cut at {cut}");
    }
    for bit in (0..whole.len() * 8).step_by(7) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let mut page = server.connect();
        binary(&mut page, flipped);
        page.socket.close(None).expect("open");
    }
    server.until("all sockets are gone", |server| server.metric("matchd_sockets") == 0.0);
    server.watch("demo").snapshot();
}

#[test]
fn who_says_nothing_is_closed() {
    let server = Server::with("[play]\nhello_timeout_ms = 200\npong_timeout_ms = 600");
    let mut watcher = server.watch("demo");
    assert_eq!(server.connect().closed(), CloseCode::HELLO_TIMEOUT.code);
    // A peer that is gone without a word does not even answer pings, because it reads nothing.
    server.until("the watcher is given up", |server| server.metric("matchd_sockets") == 0.0);
    assert_eq!(watcher.closed(), CloseCode::SILENT.code);
}

#[test]
fn who_talks_but_does_not_read_is_closed() {
    let server = Server::with("[play]\npong_timeout_ms = 600");
    let mut stalled = server.watch("demo");
    let seat = stalled.join("Ada", None);
    let mut live = server.watch("demo");
    server.until("the stalled page is given up", |server| {
        binary(&mut stalled, contract::encode(&ClientMessage::Ping { sent_ms: 0 }));
        live.snapshot();
        server.metric("matchd_sockets") == 1.0
    });
    assert_eq!(stalled.closed(), CloseCode::SLOW_READER.code);
    // The seat waits for its player.
    server.watch("demo").roster(|roster| roster[seat.index()].is_away);
}

#[test]
fn a_page_that_sleeps_is_not_silent_because_its_browser_answers_pings() {
    let server = Server::with("[play]\npong_timeout_ms = 1000");
    let mut sleeper = server.watch("demo");
    let start = Instant::now();
    // Reading is all this page does; its WebSocket answers by itself.
    while start.elapsed() < Duration::from_millis(2500) {
        sleeper.snapshot();
    }
}

#[test]
fn a_full_or_closed_server_says_so() {
    let server = Server::with("[matches]\ncount_max = 1");
    let mut page = server.connect();
    page.send(&hello_by(contract::wire_hash(), "another", Some(server.ticket("another"))));
    assert_eq!(page.closed(), CloseCode::SERVER_FULL.code);
    let server = Server::with("[matches]\nopen = false");
    let mut page = server.connect();
    page.send(&hello_by(contract::wire_hash(), "another", Some(server.ticket("another"))));
    assert_eq!(page.closed(), CloseCode::NO_SUCH_MATCH.code);
    server.watch("demo").snapshot();
}

//! Messages of the sync path: committed bytes, and no byte sequence that does harm.

use std::fmt::Write as _;

use contract::{
    Audience, CLOSE_CODES, Cadence, ClientMessage, CloseCode, Hello, Holder, MatchKey, MessageError, Mode, Pace,
    PlayerName, Refusal, ResumeSecret, RosterEntry, SeatId, ServerMessage, Snapshot, Steps, TeamId, Tick, Ticket,
    Welcome, decode, encode, limits,
};
use proptest::prelude::*;

mod golden;

fn name(text: &str) -> PlayerName {
    PlayerName::clean(text).expect("a name")
}

fn client_messages() -> Vec<(&'static str, ClientMessage)> {
    vec![
        (
            "hello",
            ClientMessage::Hello(Hello {
                wire: 1,
                sim: u64::MAX,
                match_key: MatchKey::demo(),
                resume: None,
                ticket: Some(Ticket([5; Ticket::BYTES])),
            }),
        ),
        (
            "hello_again",
            ClientMessage::Hello(Hello {
                wire: 1,
                sim: 2,
                match_key: MatchKey::demo(),
                resume: Some(ResumeSecret([7; 16])),
                ticket: None,
            }),
        ),
        ("join", ClientMessage::Join { name: name("Ada"), team: Some(TeamId(1)) }),
        ("join_any", ClientMessage::Join { name: name("Ada"), team: None }),
        ("input", ClientMessage::Input { tick: Tick(70_000), input: vec![0x41, 0x02] }),
        ("leave", ClientMessage::Leave),
        ("mode", ClientMessage::Mode(Mode { can_step: true, is_hidden: false })),
        ("resync", ClientMessage::Resync),
        ("ping", ClientMessage::Ping { sent_ms: 123_456 }),
    ]
}

fn server_messages() -> Vec<(&'static str, ServerMessage)> {
    let welcome = Welcome {
        game: "kickabout".into(),
        setup: vec![0x92, 3, 0xcc, 180],
        sim: 7,
        cadence: Cadence::new(60, 30),
        tick: Tick(9),
        relay: contract::RelayPass([0xab; 16]),
    };
    let entry = RosterEntry {
        seat: SeatId(3),
        team: TeamId(1),
        holder: Holder::Agent,
        name: name("Nova"),
        is_away: false,
        relayed_by: Some(contract::RelayedBy::Player(SeatId(4))),
    };
    let snapshot = Snapshot { tick: Tick(u32::MAX), audience: Audience(2), checksum: 0xdead_beef, body: vec![1, 2, 3] };
    vec![
        ("welcome", ServerMessage::Welcome(welcome)),
        ("roster", ServerMessage::Roster(vec![entry])),
        ("snapshot", ServerMessage::Snapshot(snapshot)),
        (
            "steps",
            ServerMessage::Steps(Steps { tick: Tick(70_002), ticks: 2, checksum: 0xdead_beef, body: vec![0, 0, 0] }),
        ),
        ("seated", ServerMessage::Seated { seat: SeatId(3), tick: Tick(10), resume: ResumeSecret([9; 16]) }),
        ("refused", ServerMessage::Refused(Refusal::NameTaken)),
        ("unseated", ServerMessage::Unseated),
        ("pace", ServerMessage::Pace(Pace { margin_ticks: -2, late: 5, dropped: 0 })),
        ("stalled", ServerMessage::Stalled { ticks: 27 }),
        ("pong", ServerMessage::Pong { sent_ms: 123_456, tick: Tick(300) }),
    ]
}

#[test]
fn bytes_are_the_committed_ones() {
    let mut text = String::new();
    let mut line = |name: &str, bytes: Vec<u8>| {
        write!(text, "{name} ").expect("a string takes all");
        for byte in bytes {
            write!(text, "{byte:02x}").expect("a string takes all");
        }
        text.push('\n');
    };
    for (name, message) in client_messages() {
        assert_eq!(decode::<ClientMessage>(&encode(&message)).expect(name), message);
        line(&format!("client {name}"), encode(&message));
    }
    for (name, message) in server_messages() {
        assert_eq!(decode::<ServerMessage>(&encode(&message)).expect(name), message);
        line(&format!("server {name}"), encode(&message));
    }
    golden::check("wire.txt", text.as_bytes());
}

#[test]
fn every_prefix_and_every_extra_byte_is_an_error() {
    for (name, message) in client_messages() {
        let bytes = encode(&message);
        for end in 0..bytes.len() {
            assert!(decode::<ClientMessage>(&bytes[..end]).is_err(), "{name} cut at {end}");
        }
        let longer = [bytes.as_slice(), &[0xc0]].concat();
        assert!(matches!(decode::<ClientMessage>(&longer), Err(MessageError::Trailing)), "{name}");
    }
}

#[test]
fn deep_and_lying_input_is_refused() {
    for depth in [17, 700, 100_000] {
        for opener in [0x91, 0x81] {
            assert!(decode::<ClientMessage>(&vec![opener; depth]).is_err());
        }
        // Inside a known message, where an unknown field would be skipped.
        let mut hello = vec![0x81, 0xa1, b'h', 0x96, 1, 1, 0xa4, b'd', b'e', b'm', b'o', 0xc0, 0xc0];
        hello.extend(vec![0x91; depth]);
        assert!(decode::<ClientMessage>(&hello).is_err());
    }
    // Claims 4 GiB of bytes, of text, of entries.
    for opener in [0xc6, 0xdb, 0xdd, 0xdf] {
        let lying = [0x81, 0xa1, b'i', 0x92, 1, opener, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
        assert!(decode::<ClientMessage>(&lying).is_err());
    }
}

#[test]
fn names_and_keys_from_the_wire_are_checked() {
    let join = rmp_serde::to_vec(&("x", 1)).expect("plain data");
    assert!(decode::<ClientMessage>(&join).is_err());
    let cleaned = decode::<ClientMessage>(&[&[0x81, 0xa1, b'j', 0x92, 0xa4][..], b"A\0\nB", &[0xc0]].concat());
    assert_eq!(cleaned.expect("a join"), ClientMessage::Join { name: name("A B"), team: None });
    let blank = decode::<ClientMessage>(&[&[0x81, 0xa1, b'j', 0x92, 0xa2][..], b"\n\0", &[0xc0]].concat());
    assert!(blank.is_err());
}

#[test]
fn close_codes_are_distinct() {
    for (at, reason) in CLOSE_CODES.iter().enumerate() {
        assert_eq!(CloseCode::from_code(reason.code), Some(*reason));
        assert!(CLOSE_CODES[..at].iter().all(|other| other.code != reason.code && other.name != reason.name));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..limits::CLIENT_MESSAGE_BYTES_MAX)) {
        _ = decode::<ClientMessage>(&bytes);
        _ = decode::<ServerMessage>(&bytes);
    }

    #[test]
    fn changed_bytes_are_a_message_or_an_error(which in 0_usize..9, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = encode(&client_messages()[which].1);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        _ = decode::<ClientMessage>(&bytes);
    }
}

//! Matches that fail or dawdle: they take nobody with them.

use contract::{ClientMessage, CloseCode, GameData as _, ServerMessage, WireView as _};
use serde_json::json;
use server::{Config, kind_with};

use crate::{
    fixture::{Page, Server, http},
    puppet::{DAWDLE, DAWDLE_TIME, PANIC, Puppet, PuppetData, View},
};

fn server() -> Server {
    // One worker, so that all matches share the thread the panic happens on.
    let config = Config::parse("[matches]\nworkers = 1\nsnapshots_per_second = 60").expect("legal");
    Server::of_kind(config, kind_with::<Puppet>(()))
}

fn press(page: &mut Page, input: u8) {
    let tick = page.snapshot().tick.plus(2);
    page.send(&ClientMessage::Input { tick, input: vec![input] });
}

#[test]
fn a_panic_ends_its_own_match_and_no_other() {
    let server = server();
    let mut bystanders: Vec<Page> = (0..5).map(|at| server.watch(&format!("healthy-{at}"))).collect();
    let mut before: Vec<_> = bystanders.iter_mut().map(|page| page.snapshot().tick).collect();
    let (mut culprit, mut watcher) = (server.watch("doomed"), server.watch("doomed"));
    let mut agent = server.agent("doomed");
    culprit.join("Ada", None);
    agent.take_seat("Nova", None);
    press(&mut culprit, PANIC);
    assert_eq!(culprit.closed(), CloseCode::MATCH_FAILED.code);
    assert_eq!(watcher.closed(), CloseCode::MATCH_FAILED.code);
    for (page, before) in bystanders.iter_mut().zip(&mut before) {
        for _ in 0..5 {
            let tick = page.wait(|message| match message {
                ServerMessage::Snapshot(snapshot) => Some(snapshot.tick),
                ServerMessage::Stalled { ticks } => panic!("{ticks} ticks were left out"),
                _ => None,
            });
            assert!(tick.since(*before) >= 0, "from {before:?} to {tick:?}");
            *before = tick;
        }
    }
    server.until("the record", |server| server.metric("matchd_match_panics_total") == 1.0);
    assert_eq!(server.metric("matchd_ticks_skipped_total"), 0.0);
    // The key is free for a new match, where old tokens are worth nothing.
    let mut again = server.watch("doomed");
    assert!(again.snapshot().tick.0 < 5);
    assert_eq!(agent.observe()["error"]["code"], "bad_token");
    again.join("Ada", None);
}

#[test]
fn the_demo_match_comes_back_after_a_panic() {
    let server = server();
    let mut page = server.watch("demo");
    page.join("Ada", None);
    press(&mut page, PANIC);
    assert_eq!(page.closed(), CloseCode::MATCH_FAILED.code);
    server.watch("demo").snapshot();
}

#[test]
fn any_game_is_served() {
    let server = server();
    let mut page = server.watch("any");
    let seat = page.join("Ada", None);
    press(&mut page, 7);
    page.wait(|message| match message {
        ServerMessage::Snapshot(snapshot) => {
            let view = View::from_bytes(&snapshot.body).expect("a view");
            (view.inputs[seat.index()] == 7).then_some(())
        }
        _ => None,
    });
    let seen = server.agent("any").call(&json!({ "type": "observe" }));
    assert!(seen["result"].is_u64(), "{seen}");
}

#[test]
fn inputs_of_a_seat_given_back_count_for_nothing() {
    let server = server();
    let mut page = server.watch("old");
    let seat = page.join("Ada", None);
    let tick = page.snapshot().tick;
    // Far enough ahead to be still waiting when the seat changes hands.
    page.send(&ClientMessage::Input { tick: tick.plus(8), input: vec![PANIC] });
    page.leave();
    assert_eq!(page.join("Ada", None), seat);
    page.wait(|message| match message {
        ServerMessage::Snapshot(snapshot) => (snapshot.tick.since(tick) > 10).then_some(()),
        _ => None,
    });
}

#[test]
fn after_a_stall_the_debt_is_dropped_and_everybody_is_told() {
    let config = Config::parse("[matches]\nworkers = 1\n[ops]\nworker_stall_ms = 2000").expect("legal");
    let server = Server::of_kind(config, kind_with::<Puppet>(()));
    let (mut page, mut neighbour) = (server.watch("slow"), server.watch("neighbour"));
    page.join("Ada", None);
    press(&mut page, DAWDLE);
    server.until("a stuck worker is unhealthy", |server| http(server.ops, "GET /healthz", &[], b"").0 == 503);
    let owed = u32::from(PuppetData::TICKS_PER_SECOND) * u32::try_from(DAWDLE_TIME.as_millis()).expect("short") / 1000;
    for page in [&mut page, &mut neighbour] {
        // At most three of the owed ticks are caught up.
        let mut told = 0;
        page.wait(|message| {
            told += if let ServerMessage::Stalled { ticks } = message { ticks } else { 0 };
            (told + 5 >= owed).then_some(())
        });
    }
    server.until("healthy again", |server| http(server.ops, "GET /healthz", &[], b"").0 == 200);
    assert!(server.metric("matchd_ticks_skipped_total") >= f64::from(2 * (owed - 5)));
    page.snapshot();
}

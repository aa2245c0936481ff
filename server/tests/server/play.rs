//! Watching and playing.

use contract::{
    Cadence, ClientMessage, GameData as _, SeatId, ServerMessage, Snapshot, Tick, WireInput as _, WireView as _,
    games::kickabout::{Direction, Input, Kickabout, View},
};

use crate::fixture::{Page, Server, http};

fn view(snapshot: &Snapshot) -> View {
    View::from_bytes(&snapshot.body).expect("a view")
}

/// Holds a direction until the seat's player, as this page's snapshots show it, has moved this far along x.
fn run_until(page: &mut Page, seat: SeatId, point: u8, distance: i32) {
    let input = Input { direction: Direction::point(point), ..Input::default() };
    let mut bytes = Vec::new();
    input.pack(&mut bytes);
    let mut start = None;
    loop {
        let snapshot = page.snapshot();
        let x = i32::from(view(&snapshot).players[seat.index()].position.x) / 32;
        if (x - *start.get_or_insert(x)) * distance.signum() >= distance.abs() {
            return;
        }
        for ahead in 3..8 {
            page.send(&ClientMessage::Input { tick: snapshot.tick.plus(ahead), input: bytes.clone() });
        }
    }
}

#[test]
fn a_spectator_sees_the_match_from_the_first_moment() {
    let server = Server::start();
    let mut page = server.connect();
    let welcome = page.hello("demo");
    assert_eq!(welcome.game, Kickabout::ID);
    assert_eq!(welcome.cadence, Cadence::new(60, 30));
    assert_eq!(welcome.sim, sim::sim_hash());
    let setup: contract::games::kickabout::Setup = contract::decode(&welcome.setup).expect("a setup");
    assert_eq!(setup, contract::games::kickabout::Setup::default());
    assert!(matches!(page.next(), ServerMessage::Roster(roster) if roster.len() == 6));
    let first = page.snapshot();
    assert_eq!(view(&first).tick, first.tick);
    let mut last = page.snapshot();
    for _ in 0..10 {
        let next = page.snapshot();
        assert!(next.tick.since(last.tick) > 0 && next.tick.0.is_multiple_of(2));
        assert_eq!(next.audience, Kickabout::audience_of(&setup, None));
        let sum = view(&next).checksum(&mut Vec::new()) & 0xffff_ffff;
        assert_eq!(sum, u64::from(next.checksum));
        last = next;
    }
}

#[test]
fn an_input_moves_the_own_player_and_everybody_sees_it() {
    let server = Server::start();
    let (mut ada, mut bob) = (server.watch("pair"), server.watch("pair"));
    let seat = ada.join("Ada", Some(0));
    let before = i32::from(view(&bob.snapshot()).players[seat.index()].position.x);
    // Red runs back from the centre: nobody and nothing stands in the way.
    run_until(&mut ada, seat, 32, -60);
    let moved = loop {
        let x = i32::from(view(&bob.snapshot()).players[seat.index()].position.x);
        if x < before - 32 * 30 {
            break before - x;
        }
    };
    assert!(moved > 0);
    assert!(server.metric("matchd_inputs_on_time_total") > 0.0);
}

#[test]
fn the_server_says_how_inputs_arrive() {
    let server = Server::start();
    let mut page = server.watch("pace");
    page.join("Ada", None);
    let mut bytes = Vec::new();
    Input::default().pack(&mut bytes);
    let pace = loop {
        match page.next() {
            ServerMessage::Pace(pace) => break pace,
            ServerMessage::Snapshot(snapshot) => {
                // One in time, the same again, one far too late.
                for tick in [snapshot.tick.plus(20), snapshot.tick.plus(20), Tick(snapshot.tick.0.wrapping_sub(50))] {
                    page.send(&ClientMessage::Input { tick, input: bytes.clone() });
                }
            }
            _ => {}
        }
    };
    assert!(pace.margin_ticks <= -50, "{pace:?}");
    assert!(pace.late >= 1 && pace.dropped >= 1, "{pace:?}");
}

#[test]
fn pings_are_answered_even_to_spectators() {
    let server = Server::start();
    let mut page = server.watch("demo");
    page.send(&ClientMessage::Ping { sent_ms: 77 });
    let sent_ms = page.wait(|message| match message {
        ServerMessage::Pong { sent_ms, .. } => Some(sent_ms),
        _ => None,
    });
    assert_eq!(sent_ms, 77);
}

#[test]
fn a_socket_sees_what_its_seat_may_see_and_no_more() {
    let server = Server::start();
    let mut page = server.watch("fog");
    assert_eq!(page.snapshot().audience.0, 2);
    let seat = page.join("Ada", Some(1));
    // After `Seated` nothing of the spectators' sight follows.
    for _ in 0..5 {
        let snapshot = page.snapshot();
        assert_eq!(snapshot.audience.0, 1);
        let view = view(&snapshot);
        assert!(view.instructions[..3].iter().all(Option::is_none), "the other side's plans are secret");
        assert!(view.instructions[seat.index()].is_some());
    }
    page.leave();
    assert_eq!(page.snapshot().audience.0, 2);
}

#[test]
fn inputs_without_a_seat_are_counted_and_do_nothing() {
    let server = Server::start();
    let mut page = server.watch("demo");
    let mut bytes = Vec::new();
    Input::default().pack(&mut bytes);
    let tick = page.snapshot().tick.plus(5);
    page.send(&ClientMessage::Input { tick, input: bytes });
    server.until("counted", |server| server.metric("matchd_inputs_unseated_total") > 0.0);
    page.snapshot();
}

#[test]
fn a_stopping_server_says_that_it_is_not_ready_until_the_last_connection_has_ended() {
    let mut server = Server::start();
    let mut watcher = server.watch("demo");
    server.shutdown.begin();
    assert_eq!(watcher.closed(), 1001);
    // The watcher has not closed its end yet.
    assert_eq!(http(server.ops, "GET /readyz", &[], b"").0, 503);
    drop(watcher);
    server.join();
}

#[test]
fn a_stopping_server_says_goodbye() {
    let mut server = Server::start();
    let (mut watcher, mut silent) = (server.watch("demo"), server.connect());
    server.shutdown.begin();
    assert_eq!((watcher.closed(), silent.closed()), (1001, 1001));
    server.join();
}

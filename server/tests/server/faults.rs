//! Play over links that misbehave: who is behind one suffers alone, and comes back to the same seat.

use contract::{ClientMessage, CloseCode, SeatId, Snapshot, WireInput as _, games::kickabout::Input};
use loadtest::proxy::{Direction, Faults, Order, Proxy, Setup};
use tokio::runtime::{Builder, Runtime};
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Page, Server};

/// A misbehaving link to a server.
struct Link {
    proxy: Proxy,
    /// What the proxy runs on.
    _runtime: Runtime,
}

impl Link {
    /// With these faults each way.
    fn to(server: &Server, faults: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let faults: Faults = faults.parse().expect("legal faults");
        let setup = Setup { up: faults, down: faults, ..Setup::to(server.play) };
        let proxy = runtime.block_on(Proxy::start(setup)).expect("a free port");
        Self { proxy, _runtime: runtime }
    }

    fn watch(&self, key: &str) -> Page {
        let mut page = Page::connect(self.proxy.address());
        page.hello(key);
        page
    }
}

fn input(snapshot: &Snapshot) -> ClientMessage {
    let mut input = Vec::new();
    Input::default().pack(&mut input);
    ClientMessage::Input { tick: snapshot.tick.plus(10), input }
}

/// Sends inputs until some have come in time.
fn plays(server: &Server, page: &mut Page) {
    let on_time = || server.metric("matchd_inputs_on_time_total");
    let before = on_time();
    while on_time() < before + 10.0 {
        let snapshot = page.snapshot();
        page.send(&input(&snapshot));
    }
}

/// Reads on until the socket is dead, however it dies.
fn dies(page: &mut Page) {
    while page.socket.read().is_ok_and(|message| !message.is_close()) {}
}

#[test]
fn a_link_that_delivers_a_few_bytes_at_a_time_is_played_over() {
    let server = Server::start();
    let link = Link::to(&server, "delay=5,jitter=5,slice=7");
    let mut page = link.watch("slices");
    page.join("Ada", None);
    plays(&server, &mut page);
    let mut last = page.snapshot();
    for _ in 0..60 {
        let next = page.snapshot();
        assert!(next.tick.since(last.tick) > 0);
        last = next;
    }
}

#[test]
fn corrupted_bytes_end_their_own_socket_only() {
    let server = Server::start();
    let link = Link::to(&server, "");
    let mut witness = server.watch("noise");
    witness.join("Witness", None);
    plays(&server, &mut witness);
    let mut last = witness.snapshot().tick;
    for round in 0..40 {
        let mut page = link.watch("noise");
        let message = input(&page.snapshot());
        // Some bits make another legal input of it; sooner or later one does not.
        let mut is_open = true;
        while is_open {
            link.proxy.order(Order::Corrupt(Direction::Up));
            is_open = page.socket.send(Message::binary(contract::encode(&message))).is_ok();
            is_open &= page.socket.read().is_ok_and(|message| !message.is_close());
        }
        let now = witness.snapshot().tick;
        assert!(now.since(last) > 0, "round {round}");
        last = now;
    }
    plays(&server, &mut witness);
    assert!(link.proxy.counts().corrupted >= 40);
    assert_eq!(server.metric("matchd_match_panics_total"), 0.0);
}

#[test]
fn however_a_connection_ends_its_seat_is_taken_up_again() {
    let server = Server::start();
    let link = Link::to(&server, "");
    let mut page = link.watch("ends");
    let seat = page.join("Ada", None);
    let ends = [Order::Reset, Order::HalfClose(Direction::Up), Order::HalfClose(Direction::Down), Order::Cut];
    for order in ends {
        plays(&server, &mut page);
        link.proxy.order(order);
        dies(&mut page);
        link.proxy.order(Order::Mend);
        page = comes_back(&link, &page, seat);
    }
}

#[test]
fn a_seat_is_taken_up_again_while_its_old_connection_is_silent() {
    let server = Server::start();
    let link = Link::to(&server, "");
    let mut page = link.watch("silence");
    let seat = page.join("Ada", None);
    plays(&server, &mut page);
    link.proxy.order(Order::Stall);
    // The newest connection wins, over another way: the server cannot know that the first one is of no use.
    let (mut second, again) = server.come_back("silence", page.resume.expect("a secret came with the seat"));
    assert_eq!(again, Ok(seat));
    plays(&server, &mut second);
    // What the first is told once it hears again is why.
    link.proxy.order(Order::Mend);
    assert_eq!(page.closed(), CloseCode::REPLACED.code);
    plays(&server, &mut second);
}

fn comes_back(link: &Link, before: &Page, seat: SeatId) -> Page {
    let by = before.resume.expect("a secret came with the seat");
    let mut page = Page::connect(link.proxy.address());
    page.greet("ends", Some(by));
    assert_eq!(page.seated().expect("the seat is there").0, seat);
    page
}

//! A page that missed something goes on in the present: after steps that did not fit, a hidden tab, a suspended machine,
//! a lost connection.

use client_wasm::netcode::Play;
use contract::{
    Audience, Cadence, GameData as _, SeatId, Snapshot, Steps, Tick, Welcome, WireView as _,
    games::kickabout::{Input, Kickabout as Data, Setup, View},
    steps,
};
use sim::{Game as _, games::kickabout::Kickabout};

const TICK_MS: f64 = 1000.0 / 60.0;
const SEAT: SeatId = SeatId(1);
const AUDIENCE: Audience = Audience(0);

/// A server and a page without any delay between them.
struct Pair {
    world: Kickabout,
    sent: View,
    rows: Vec<Input>,
    play: Play<Kickabout>,
    now_ms: f64,
    /// Inputs the page has given.
    given: u32,
}

impl Pair {
    fn new() -> Self {
        let setup = Setup::default();
        let play = Play::new(setup, &welcome(Tick(0)), 0.0);
        let world = Kickabout::new(&setup, 7);
        let mut pair = Self { world, sent: View::default(), rows: vec![], play, now_ms: 0.0, given: 0 };
        pair.tell_all();
        pair.play.seated(SEAT, pair.world.tick().next());
        pair.run(700);
        pair
    }

    /// Time passes on the server only.
    fn miss(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.now_ms += TICK_MS;
            self.world.step(&[None; 6], &[]);
            let view = self.view();
            self.rows.extend(view.players().iter().map(|player| player.input));
        }
    }

    /// Time passes for both, with steps twice a tick and a frame each.
    fn run(&mut self, ticks: u32) {
        for tick in 0..ticks {
            self.miss(1);
            if tick % 2 == 0 {
                self.tell_steps();
            }
            self.frame();
        }
    }

    fn frame(&mut self) {
        self.play.frame(self.now_ms, &mut Input::default, &mut |_, _| self.given += 1);
    }

    fn tell_steps(&mut self) {
        let after = self.view();
        let mut body = vec![];
        steps::pack(&self.sent, &self.rows, &after, &mut body);
        let ticks = u8::try_from(after.tick.since(self.sent.tick)).unwrap_or(u8::MAX);
        let checksum = after.checksum(&mut vec![]) as u32;
        self.play.steps(&Steps { tick: after.tick, ticks, checksum, body }, self.now_ms);
        self.sent = after;
        self.rows.clear();
    }

    fn tell_all(&mut self) {
        let view = self.view();
        let mut body = vec![];
        view.pack(&mut body);
        let checksum = view.checksum(&mut vec![]) as u32;
        self.play.snapshot(&Snapshot { tick: view.tick, audience: AUDIENCE, checksum, body }, self.now_ms);
        self.sent = view;
        self.rows.clear();
    }

    fn view(&self) -> View {
        let mut view = View::default();
        self.world.view(AUDIENCE, &mut view);
        view
    }

    /// The page shows the present, and what it shows is predicted from there.
    fn assert_present(&mut self) {
        assert!(!self.play.lacks_view());
        self.given = 0;
        self.frame();
        assert!(self.given <= 2, "{} ticks at once", self.given);
        self.run(20);
        let ahead = self.play.moment().0.since(self.world.tick());
        assert!((0..6).contains(&ahead), "{ahead} ticks ahead");
        let shown = self.play.view().expect("a view").tick;
        assert!(shown.since(self.world.tick()).abs() < 6);
        assert_eq!(self.play.figures().wrong, 0);
    }
}

fn welcome(tick: Tick) -> Welcome {
    let sim = sim::sim_hash();
    let relay = contract::RelayPass([0; 16]);
    Welcome { game: Data::ID.into(), setup: vec![], sim, cadence: Cadence::new(60, 30), tick, relay }
}

#[test]
fn steps_that_do_not_fit_are_left_out_until_a_whole_view_comes() {
    let mut pair = Pair::new();
    pair.miss(2);
    pair.sent = pair.view();
    pair.rows.clear();
    pair.run(30);
    assert!(pair.play.lacks_view());
    assert_eq!(pair.play.figures().resyncs, 1, "one gap, however many steps come after it");
    pair.tell_all();
    pair.assert_present();
}

#[test]
fn a_damaged_view_is_not_shown() {
    let mut pair = Pair::new();
    let before = pair.play.confirmed().expect("a view").tick;
    let snapshot = Snapshot { tick: Tick(9), audience: AUDIENCE, checksum: 0, body: vec![1, 2, 3] };
    pair.play.snapshot(&snapshot, pair.now_ms);
    assert!(pair.play.lacks_view());
    assert_eq!(pair.play.confirmed().expect("a view").tick, before);
    pair.tell_all();
    pair.assert_present();
}

#[test]
fn a_hidden_page_comes_back_to_the_present_without_living_through_the_time_between() {
    let mut pair = Pair::new();
    pair.play.hide(true);
    for _ in 0..120 {
        pair.miss(60);
        pair.tell_all();
    }
    pair.play.hide(false);
    pair.given = 0;
    pair.frame();
    assert_eq!(pair.given, 0, "nothing is played before the present is known");
    pair.miss(1);
    pair.tell_all();
    pair.assert_present();
}

#[test]
fn a_suspended_machine_asks_for_a_whole_view() {
    let mut pair = Pair::new();
    pair.miss(60 * 3600);
    pair.frame();
    assert!(pair.play.lacks_view());
    pair.tell_all();
    pair.assert_present();
}

#[test]
fn a_page_that_is_let_run_once_a_minute_is_in_the_present_each_time() {
    let mut pair = Pair::new();
    for minute in 0..5 {
        // What the browser kept back arrives before the frame does, all of it at once.
        for _ in 0..30 {
            pair.miss(120);
            pair.tell_steps();
        }
        pair.given = 0;
        pair.frame();
        assert_eq!(pair.given, 0, "minute {minute}: nothing of it is played");
        assert!(pair.play.lacks_view());
        pair.tell_all();
        pair.assert_present();
    }
}

#[test]
fn another_connection_goes_on_with_the_same_match() {
    let mut pair = Pair::new();
    // The page goes on drawing while it is cut off.
    for _ in 0..300 {
        pair.miss(1);
        pair.frame();
    }
    pair.play.resumed(&welcome(pair.world.tick()), pair.now_ms);
    pair.frame();
    pair.tell_all();
    pair.play.seated(SEAT, pair.world.tick().next());
    pair.assert_present();
    assert_eq!(pair.play.seat(), Some(SEAT));
}

#[test]
fn a_clock_that_jumps_back_does_no_harm() {
    let mut pair = Pair::new();
    pair.now_ms -= 100_000.0;
    pair.frame();
    pair.assert_present();
}

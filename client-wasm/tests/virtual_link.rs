//! A page against a server of a few lines, over a link with virtual time: the simulation is the real one, the sockets
//! are queues, the clock is a number.

use std::collections::VecDeque;

use client_wasm::netcode::{Figures, Play, Point};
use contract::{
    Audience, Cadence, GameData as _, Pace, SeatId, Snapshot, Tick, Welcome, WireView as _,
    games::kickabout::{Direction, Input, Kickabout as Data, Phase, Setup, View},
};
use sim::{Game as _, games::kickabout::Kickabout};

const TICK_MS: f64 = 1000.0 / 60.0;
const SEAT: SeatId = SeatId(1);

/// Runs the match as the real server does, as far as a page can tell.
struct Server {
    world: Kickabout,
    setup: Setup,
    inputs: VecDeque<(Tick, Input)>,
    last: Input,
    seated: bool,
    margin: i16,
    late: u32,
    /// Newest view of the own team and of everybody.
    view: View,
}

impl Server {
    fn new() -> Self {
        let setup = Setup::default();
        let mut server = Self {
            world: Kickabout::new(&setup, 7),
            setup,
            inputs: VecDeque::new(),
            last: Input::default(),
            seated: false,
            margin: i16::MAX,
            late: 0,
            view: View::default(),
        };
        // Long enough for the ball to be in play.
        (0..700).for_each(|_| server.tick());
        server
    }

    fn tick(&mut self) {
        let next = self.world.tick().next();
        while self.inputs.front().is_some_and(|(tick, _)| next.since(*tick) >= 0) {
            let (tick, input) = self.inputs.pop_front().expect("just seen");
            if tick == next {
                self.last = input;
            }
        }
        let mut inputs = [None; 6];
        if self.seated {
            inputs[SEAT.index()] = Some(self.last);
        }
        self.world.step(&inputs, &[]);
        let seat = self.seated.then_some(SEAT);
        self.world.view(Data::audience_of(&self.setup, seat), &mut self.view);
    }

    fn hear(&mut self, tick: Tick, input: Input) {
        let margin = tick.since(self.world.tick()) - 1;
        self.margin = self.margin.min(i16::try_from(margin).unwrap_or(i16::MIN));
        if margin < 0 {
            self.late += 1;
        } else {
            self.inputs.push_back((tick, input));
        }
    }

    fn snapshot(&self) -> Snapshot {
        let mut body = Vec::new();
        self.view.pack(&mut body);
        let audience = Data::audience_of(&self.setup, self.seated.then_some(SEAT));
        Snapshot { tick: self.view.tick, audience, checksum: self.world.checksum() as u32, body }
    }
}

enum Down {
    Snapshot(Snapshot),
    Pace(Pace),
}

/// Page, server, and what is under way between them.
struct Link {
    server: Server,
    play: Play<Kickabout>,
    now_ms: f64,
    one_way_ms: f64,
    up: VecDeque<(f64, Tick, Input)>,
    down: VecDeque<(f64, Down)>,
    frame: u32,
    /// Where the own player was shown in the last frame.
    shown: Point,
}

impl Link {
    fn new(one_way_ms: f64, sim_hash: u64) -> Self {
        let server = Server::new();
        let welcome = Welcome {
            game: Data::ID.into(),
            setup: Vec::new(),
            sim: sim_hash,
            cadence: Cadence::new(60, 30),
            tick: server.world.tick(),
            relay: contract::RelayPass([0; 16]),
        };
        let mut play = Play::new(server.setup, &welcome, 0.0);
        play.round_trip(2.0 * one_way_ms);
        let shown = Point::default();
        Self { server, play, now_ms: 0.0, one_way_ms, up: VecDeque::new(), down: VecDeque::new(), frame: 0, shown }
    }

    /// Takes a seat, which both ends learn of at once.
    fn sit(&mut self) {
        self.server.seated = true;
        self.play.seated(SEAT, self.server.world.tick().next());
    }

    /// One frame of the display and one tick of the server, the player pressing what `press` says.
    fn run(&mut self, frames: u32, jitter_ms: f64, press: impl Fn(u32) -> Input) {
        for _ in 0..frames {
            self.frame += 1;
            self.now_ms += TICK_MS;
            while self.up.front().is_some_and(|(at_ms, ..)| *at_ms <= self.now_ms) {
                let (_, tick, input) = self.up.pop_front().expect("just seen");
                self.server.hear(tick, input);
            }
            self.server.tick();
            let delay_ms =
                self.one_way_ms + jitter_ms * f64::from(self.frame.wrapping_mul(2_654_435_761) >> 24) / 255.0;
            // The link keeps the order: what is held up holds up what comes after it.
            let arrives_ms = (self.now_ms + delay_ms).max(self.down.back().map_or(0.0, |(at_ms, _)| *at_ms));
            if self.frame.is_multiple_of(2) {
                self.down.push_back((arrives_ms, Down::Snapshot(self.server.snapshot())));
            }
            if self.frame.is_multiple_of(15) && self.server.margin != i16::MAX {
                let pace = Pace { margin_ticks: self.server.margin, late: self.server.late, dropped: 0 };
                self.down.push_back((arrives_ms, Down::Pace(pace)));
                self.server.margin = i16::MAX;
            }
            while self.down.front().is_some_and(|(at_ms, _)| *at_ms <= self.now_ms) {
                match self.down.pop_front().expect("just seen").1 {
                    Down::Snapshot(snapshot) => self.play.snapshot(&snapshot, self.now_ms),
                    Down::Pace(pace) => self.play.paced(pace),
                }
            }
            let (frame, now_ms, up) = (self.frame, self.now_ms, &mut self.up);
            self.play.frame(now_ms, &mut || press(frame), &mut |tick, input| {
                up.push_back(((now_ms + delay_ms).max(up.back().map_or(0.0, |(at_ms, ..)| *at_ms)), tick, input));
            });
            if let Some(own) = self.play.bodies().get(SEAT.index() + 1) {
                self.shown = *own;
            }
        }
    }

    fn figures(&self) -> Figures {
        self.play.figures()
    }
}

fn running(point: u8) -> Input {
    Input { direction: Direction::point(point), ..Input::default() }
}

/// Runs here and there, kicks and passes: changes its mind every third of a second.
fn restless(frame: u32) -> Input {
    let noise = (frame / 20).wrapping_mul(2_246_822_519);
    Input {
        direction: Direction::point((noise >> 8) as u8),
        kick: noise & 3 == 0,
        sprint: noise & 4 == 0,
        pass: noise & 31 == 9,
        rematch: false,
    }
}

#[test]
fn a_page_that_watches_shows_what_the_server_said() {
    let mut link = Link::new(30.0, sim::sim_hash());
    link.run(600, 0.0, |_| Input::default());
    assert_eq!(link.figures().resyncs, 0);
    let delay = link.figures().delay_ticks;
    assert!((3.0..5.0).contains(&delay), "{delay}");
    assert_eq!(link.play.bodies().len(), 7);
    assert!(link.play.seat().is_none());
}

#[test]
fn inputs_arrive_in_time_once_the_clock_has_settled() {
    for (one_way_ms, jitter_ms) in [(0.0, 0.0), (2.0, 0.0), (40.0, 15.0), (75.0, 30.0)] {
        let mut link = Link::new(one_way_ms, sim::sim_hash());
        link.run(60, jitter_ms, restless);
        link.sit();
        link.run(900, jitter_ms, restless);
        let late = link.server.late;
        link.run(1800, jitter_ms, restless);
        let more = link.server.late - late;
        assert!(more <= 9, "{one_way_ms} ms ± {jitter_ms}: {more} of 1800 late");
    }
}

/// The rules are one function for both: a tick whose inputs were all known comes out the same.
#[test]
fn prediction_equals_the_server_when_inputs_are_known() {
    let setup = Setup::default();
    let audience = Audience(0);
    let mut server = Kickabout::new(&setup, 3);
    server.step(&[None; 6], &[]);
    let mut view = View::default();
    server.view(audience, &mut view);
    let mut prediction = client_wasm::netcode::Prediction::<Kickabout>::new(&setup, SEAT, &view);
    let mut frame = view.tick.0;
    for _ in 0..400 {
        // Six ticks ahead, then the server's view of the first two of them.
        while prediction.newest().tick.since(view.tick) < 6 {
            frame += 1;
            prediction.give(prediction.newest().tick.next(), restless(frame));
            prediction.run_to(prediction.newest().tick.next());
        }
        for _ in 0..2 {
            // All others do what they did before, which is what the page takes them to do.
            let mut inputs: Vec<Option<Input>> = view.players().iter().map(|player| Some(player.input)).collect();
            inputs[SEAT.index()] = Some(restless(view.tick.0 + 1));
            server.step(&inputs, &[]);
            server.view(audience, &mut view);
        }
        let before = prediction.newest().clone();
        assert_eq!(prediction.reconcile(&view, &[]), client_wasm::netcode::Reconciled::Exact, "tick {}", view.tick.0);
        assert_eq!(before.players, prediction.newest().players);
        assert_eq!(before.ball, prediction.newest().ball);
    }
}

#[test]
fn the_own_player_answers_at_once_at_any_delay() {
    for one_way_ms in [0.0, 75.0, 120.0] {
        let mut link = Link::new(one_way_ms, sim::sim_hash());
        link.run(60, 0.0, |_| running(0));
        link.sit();
        // Both ways along the pitch, so that no wall is in the way of the second.
        link.run(300, 0.0, |frame| running(if frame % 120 < 60 { 0 } else { 32 }));
        link.run(40, 0.0, |_| Input::default());
        let start = link.shown;
        link.run(6, 0.0, |_| running(16));
        let moved = link.shown.distance(start);
        assert!(moved > 0.5, "{one_way_ms} ms: moved by {moved} in six frames");
    }
}

#[test]
fn corrections_are_never_seen_as_a_jump() {
    let mut link = Link::new(50.0, sim::sim_hash());
    link.run(60, 0.0, restless);
    link.sit();
    link.run(120, 0.0, restless);
    let mut largest = 0.0_f32;
    // At a kick-off, also at one that was only predicted, everybody is placed anew.
    let is_placed =
        |view: Option<&View>| view.is_some_and(|view| matches!(view.phase, Phase::KickOff(_)) && view.phase_ticks < 20);
    for _ in 0..3000 {
        let from = link.shown;
        link.run(1, 0.0, restless);
        if !is_placed(link.play.view()) && !is_placed(link.play.confirmed()) {
            largest = largest.max(from.distance(link.shown));
        }
    }
    // A sprinting player covers about 3.5 units a tick; contact adds some, and the blend some more.
    assert!(largest < 14.0, "a step of {largest} units in one frame");
    let figures = link.figures();
    assert!(figures.exact + figures.mispredicted > 1000);
    assert!(
        figures.corrected > 0 && figures.corrected < 3000 / 4,
        "{} of 3000 frames were corrected",
        figures.corrected
    );
}

#[test]
fn another_build_of_the_rules_plays_without_prediction() {
    let mut link = Link::new(20.0, sim::sim_hash() ^ 1);
    link.run(60, 0.0, |_| Input::default());
    link.sit();
    link.run(600, 0.0, |frame| running(if frame % 120 < 60 { 0 } else { 32 }));
    let figures = link.figures();
    assert_eq!((figures.exact, figures.mispredicted), (0, 0));
    assert!(link.server.late < 30, "inputs still arrive in time: {} late", link.server.late);
    let server = link.server.view.players[SEAT.index()].position;
    let x = f32::from(server.x) / 32.0;
    assert!((x - link.shown.x).abs() < 60.0, "what is shown is a little old, not wrong");
}

#[test]
fn a_stall_of_the_link_ends_in_the_present() {
    let mut link = Link::new(30.0, sim::sim_hash());
    link.run(60, 0.0, restless);
    link.sit();
    link.run(600, 0.0, restless);
    // Nothing arrives for two seconds, then everything at once.
    link.one_way_ms = 2_000.0;
    link.run(110, 0.0, restless);
    link.one_way_ms = 30.0;
    for (at_ms, _) in &mut link.down {
        *at_ms = link.now_ms;
    }
    for (at_ms, ..) in &mut link.up {
        *at_ms = link.now_ms;
    }
    link.run(300, 0.0, restless);
    let late = link.server.late;
    link.run(300, 0.0, restless);
    assert_eq!(link.server.late, late);
    let lead = link.figures().lead_ticks;
    assert!((1.0..9.0).contains(&lead), "{lead}");
}

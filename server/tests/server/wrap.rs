//! Ticks are numbered modulo 2^32. A match that comes there, after more than two years, goes on as if nothing were.

use contract::{
    Audience, ClientMessage, Mode, PlayerName, SeatId, ServerMessage, Tick, WireInput as _, WireView as _,
    agent::{Fault, Glance},
    games::kickabout::{self as data, Direction, Fact, Input, Observation, Order, Setup, View},
};
use serde_json::json;
use server::{Config, GameKind, SoloMatch, kind_of, kind_with};
use sim::{Follower, Game, LoadError, SeatOrder, games::kickabout::Kickabout};

use crate::fixture::Server;

/// A match that begins so many ticks before the wrap.
struct Old<const TICKS_LEFT: u32>(Kickabout);

impl<const TICKS_LEFT: u32> Game for Old<TICKS_LEFT> {
    type Data = data::Kickabout;

    fn new(setup: &Setup, seed: u64) -> Self {
        let mut world = Kickabout::new(setup, seed);
        let mut view = View::default();
        world.view(Audience(2), &mut view);
        view.tick = Tick(0_u32.wrapping_sub(TICKS_LEFT));
        for happening in view.happenings.iter_mut().flatten() {
            happening.tick = view.tick;
        }
        world.restore(&view);
        Self(world)
    }

    fn step(&mut self, inputs: &[Option<Input>], orders: &[SeatOrder<Order>]) {
        self.0.step(inputs, orders);
    }

    fn view(&self, audience: Audience, into: &mut View) {
        self.0.view(audience, into);
    }

    fn restore(&mut self, view: &View) {
        self.0.restore(view);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.0.save(out);
    }

    fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        Kickabout::load(bytes).map(Self)
    }

    fn tick(&self) -> Tick {
        self.0.tick()
    }

    fn observe(setup: &Setup, view: &View, glance: &Glance<'_>) -> Observation {
        Kickabout::observe(setup, view, glance)
    }

    fn holds(setup: &Setup, view: &View, seat: Option<SeatId>, fact: &Fact) -> bool {
        Kickabout::holds(setup, view, seat, fact)
    }

    fn check_order(setup: &Setup, view: &View, seat: SeatId, order: &Order) -> Result<(), Fault> {
        Kickabout::check_order(setup, view, seat, order)
    }
}

fn run(towards: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    Input { direction: Direction::point(towards), ..Input::default() }.pack(&mut bytes);
    bytes
}

/// Where everybody is in each of 2,000 ticks, one of them a person; and the newest tick.
fn played(kind: &GameKind) -> (Vec<Vec<data::Player>>, Tick) {
    let mut game = SoloMatch::new(kind, 1);
    let seat = game.seat(PlayerName::clean("Ada").expect("visible")).expect("free");
    let ticks = (0..2000_u32).map(|tick| {
        let ahead = game.newest().plus(3);
        assert!(game.input(seat, ahead, &run(u8::try_from(tick / 30 % 64).expect("below 64"))));
        game.tick();
        let ServerMessage::Snapshot(snapshot) = contract::decode(&game.snapshot()).expect("a message") else {
            panic!("a snapshot is one");
        };
        View::from_bytes(&snapshot.body).expect("a view").players.to_vec()
    });
    (ticks.collect(), game.newest())
}

#[test]
fn a_match_started_a_thousand_ticks_before_the_wrap_plays_on_like_any_other() {
    let (young, _) = played(&kind_of(&Config::default().game).expect("legal"));
    let (old, newest) = played(&kind_with::<Old<1000>>(Setup::default()));
    assert_eq!(newest, Tick(1001), "2,000 ticks and one to be seated");
    assert!(young == old, "the number of a tick makes no difference");
}

#[test]
fn pages_and_agents_play_through_the_wrap() {
    let server = Server::of_kind(Config::default(), kind_with::<Old<150>>(Setup::default()));
    let mut agent = server.agent("old");
    let answer = agent.take_seat("Nova", None);
    assert_eq!(answer["ok"], true, "{answer}");
    let mut page = server.watch("old");
    page.send(&ClientMessage::Mode(Mode { can_step: true, is_hidden: false }));
    let seat = page.join("Ada", None);
    let mut follower: Follower<Kickabout> = Follower::new(&Setup::default());
    let before = page.snapshot().tick;
    assert!(before.since(Tick(0)) < 0, "{before:?} is past the wrap: this machine is too slow");
    page.send(&ClientMessage::Resync);
    let (mut newest, mut steps, mut obeyed) = (before, 0, false);
    while newest.since(Tick(60)) < 0 || !obeyed {
        let view = match page.next() {
            ServerMessage::Snapshot(whole) => follower.take_view(whole.audience, whole.checksum, &whole.body),
            ServerMessage::Steps(news) if follower.view().is_some() => {
                steps += 1;
                follower.take_steps(news.tick, news.ticks, news.checksum, &news.body)
            }
            _ => continue,
        };
        let view = view.expect("a world like the server's, to the last bit");
        assert!(view.tick.since(newest) >= 0, "from {newest:?} to {:?}", view.tick);
        newest = view.tick;
        let direction = if newest.0 < 1000 { 16 } else { 48 };
        obeyed = newest.0 < 1000 && view.input(seat).direction == Direction::point(16);
        for ahead in 3..8 {
            page.send(&ClientMessage::Input { tick: newest.plus(ahead), input: run(direction) });
        }
    }
    assert!(steps > 0);
    let answer = agent.act(&json!({ "type": "order", "order": "press" }));
    assert!(answer["result"]["takes_effect"].as_u64().is_some_and(|tick| tick < 100_000), "{answer}");
    let request = json!({ "type": "observe", "token": agent.token, "since": before.0 });
    let seen = agent.call(&request);
    assert!(seen["tick"].as_u64().is_some_and(|tick| tick < 100_000), "{seen}");
}

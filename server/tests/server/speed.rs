//! Inputs that try to be faster than everybody else: however many, early, late or odd, a player takes one step a tick.

use contract::{
    ClientMessage, CloseCode, Holder, PlayerName, SeatId, ServerMessage, Tick, WireInput as _, WireView as _,
    games::kickabout::{Direction, Input, View},
};
use server::{Config, SoloMatch, kind_of};

use crate::fixture::Server;

/// Ticks of one run.
const TICKS: u32 = 240;

/// What a page hands in before a tick is stepped.
type Manner = fn(Tick) -> Vec<(Tick, Vec<u8>)>;

fn packed(input: Input) -> Vec<u8> {
    let mut bytes = Vec::new();
    input.pack(&mut bytes);
    bytes
}

/// What the person wants in a tick: another direction every third of a second, and a sprint.
fn wanted(tick: Tick) -> Vec<u8> {
    let direction = Direction::point(u8::try_from(tick.0 / 20 * 11 % 64).expect("below 64"));
    packed(Input { direction, sprint: true, ..Input::default() })
}

/// Something else than [`wanted`].
fn other(tick: Tick) -> Vec<u8> {
    wanted(tick.plus(20))
}

fn at(tick: Tick, ticks: i32) -> Tick {
    Tick(tick.0.wrapping_add_signed(ticks))
}

/// How the whole match went.
struct Run {
    /// Everybody's view, tick by tick.
    views: Vec<View>,
    seat: SeatId,
}

impl Run {
    fn of(manner: Manner) -> Self {
        let kind = kind_of(&Config::default().game).expect("legal");
        let mut game = SoloMatch::new(&kind, 1);
        let name = |text| PlayerName::clean(text).expect("visible");
        let (seat, bystander) = (game.seat(name("Eve")).expect("free"), game.seat(name("Ada")).expect("free"));
        let mut views = Vec::new();
        for _ in 0..TICKS {
            let next = game.newest().next();
            assert!(game.input(bystander, next, &wanted(next)));
            for (tick, bytes) in manner(next) {
                game.input(seat, tick, &bytes);
            }
            game.tick();
            let ServerMessage::Snapshot(snapshot) = contract::decode(&game.snapshot()).expect("a message") else {
                panic!("a snapshot is one");
            };
            views.push(View::from_bytes(&snapshot.body).expect("a view"));
        }
        Self { views, seat }
    }

    /// Length of the player's way, and its longest step, in units of the pitch.
    fn way(&self) -> (f64, f64) {
        let place = |view: &View| {
            let position = view.players[self.seat.index()].position;
            (f64::from(position.x) / 32.0, f64::from(position.y) / 32.0)
        };
        let steps = self.views.windows(2).map(|pair| {
            let ((x, y), (x_then, y_then)) = (place(&pair[0]), place(&pair[1]));
            (x_then - x).hypot(y_then - y)
        });
        steps.fold((0.0, 0.0), |(sum, longest), step| (sum + step, f64::max(longest, step)))
    }
}

fn honest(next: Tick) -> Vec<(Tick, Vec<u8>)> {
    vec![(next, wanted(next))]
}

#[test]
fn surplus_inputs_change_nothing_for_anybody() {
    let fair = Run::of(honest);
    let manners: &[(&str, Manner)] = &[
        ("twice per tick", |next| vec![(next, wanted(next)), (next, other(next))]),
        ("a hundred times per tick", |next| (0..100).map(|_| (next, wanted(next))).collect()),
        ("in bursts of sixteen", |next| {
            let is_time = next.0.is_multiple_of(16);
            let burst = (0..16).filter(|_| is_time).map(|ahead| (next.plus(ahead), wanted(next.plus(ahead))));
            // Before the first burst, one by one.
            if next.0 < 16 { honest(next) } else { burst.collect() }
        }),
        ("for the past, too", |next| {
            let past = (1..40).map(|ago| (at(next, -ago), other(next)));
            past.chain(honest(next)).collect()
        }),
        ("for the far future, too", |next| {
            let far = [32, 33, 1000, i32::MAX].map(|ahead| (at(next, ahead), other(next)));
            honest(next).into_iter().chain(far).collect()
        }),
        ("out of range, too", |next| {
            let odd = [vec![], vec![0], vec![0xff; 2], vec![0; 3], vec![0xff; 8]].map(|bytes| (next, bytes));
            odd.into_iter().chain(honest(next)).collect()
        }),
    ];
    for (what, manner) in manners {
        let run = Run::of(*manner);
        assert!(run.views == fair.views, "{what} makes a difference");
    }
}

#[test]
fn no_way_of_sending_inputs_goes_farther_than_the_honest_one() {
    let (fair, fair_step) = Run::of(honest).way();
    let manners: &[(&str, Manner)] = &[
        ("only late", |next| vec![(at(next, -1), wanted(next))]),
        ("only early", |next| vec![(next.plus(31), wanted(next.plus(31)))]),
        ("everything at once", |next| (-40..60).map(|ahead| (at(next, ahead), wanted(next))).collect()),
        ("all that fits, backwards", |next| (0..32).rev().map(|ahead| (next.plus(ahead), wanted(next))).collect()),
    ];
    println!("honest: {fair:.1} units in {TICKS} ticks, at most {fair_step:.3} in one");
    for (what, manner) in manners {
        let (way, step) = Run::of(*manner).way();
        println!("{what}: {way:.1} units, at most {step:.3} in one tick");
        // Another way is met by other people and balls: hence the tolerance of a few per cent.
        assert!(way <= fair * 1.05 && step <= fair_step * 1.05, "{what}: {way} and {step} of {fair} and {fair_step}");
    }
}

#[test]
fn a_flood_is_throttled_and_cut_and_a_bystander_loses_nothing() {
    let server = Server::start();
    let (mut bystander, mut flooder) = (server.watch("flood"), server.watch("flood"));
    let seat = bystander.join("Ada", None);
    let cut = flooder.join("Eve", None);
    let tick = flooder.snapshot().tick;
    for _ in 0..6000 {
        // The server closes before all of it is sent.
        let message = contract::encode(&ClientMessage::Input { tick: tick.plus(5), input: wanted(tick) });
        if flooder.socket.send(tokio_tungstenite::tungstenite::Message::binary(message)).is_err() {
            break;
        }
    }
    server.until("the flood is cut", |server| {
        server.metric(&format!("matchd_socket_closes_total{{reason=\"{}\"}}", CloseCode::FLOOD.name)) >= 1.0
    });
    assert!(server.metric("matchd_inputs_dropped_total") > 0.0, "throttled first");
    // A seat of somebody cut for good is nobody's.
    let roster = bystander.roster(|roster| roster[cut.index()].holder == Holder::Bot);
    assert_eq!((roster[seat.index()].holder, roster[seat.index()].is_away), (Holder::Person, false));
    // Each of the bystander's inputs still arrives, and none is dropped.
    let pace = loop {
        match bystander.next() {
            ServerMessage::Pace(pace) => break pace,
            ServerMessage::Snapshot(snapshot) => {
                let tick = snapshot.tick.plus(10);
                bystander.send(&ClientMessage::Input { tick, input: wanted(tick) });
            }
            _ => {}
        }
    };
    assert_eq!(pace.dropped, 0);
}

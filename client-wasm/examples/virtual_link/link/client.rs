//! A page, the person before it, and beside it a page that shows the same messages without prediction.

use client_wasm::netcode::{Play, Point};
use contract::{
    Cadence, ClientMessage, GameData as _, SeatId, ServerMessage, Tick, Welcome, WireInput as _, decode, encode,
    games::kickabout::{GridPosition, GridVelocity, Input, Kickabout as Data, Setup, View},
};
use sim::games::kickabout::Kickabout;

use super::{
    Conditions, TICK_MS,
    measure::{Seen, Tally},
    people::Person,
    server::Truth,
    wire::Wire,
};

/// The page is left alone for so long before anything counts.
const SETTLE_MS: f64 = 8_000.0;
const PING_MS: f64 = 1_000.0;

pub(crate) struct Client {
    pub(crate) up: Wire,
    pub(crate) down: Wire,
    seat: SeatId,
    play: Play<Kickabout>,
    /// Shows what is known, a little later than it is known.
    plain: Play<Kickabout>,
    person: Person,
    frame_ms: f64,
    ping_ms: f64,
    is_seated: bool,
    tally: Tally,
    now_ms: f64,
}

impl Client {
    pub(crate) fn new(setup: Setup, seat: SeatId, conditions: Conditions, seed: u32, tick: Tick) -> Self {
        let welcome = Welcome {
            game: Data::ID.into(),
            setup: Vec::new(),
            sim: sim::sim_hash(),
            cadence: Cadence::new(60, 30),
            tick,
            relay: contract::RelayPass([0; 16]),
        };
        Self {
            up: Wire::new(conditions, seed * 2),
            down: Wire::new(conditions, seed * 2 + 1),
            seat,
            play: Play::new(setup, &welcome, 0.0),
            plain: Play::new(setup, &welcome, 0.0),
            person: Person::new(seed),
            // Displays do not beat in time with the server.
            frame_ms: f64::from(seed % 16),
            ping_ms: 0.0,
            is_seated: false,
            tally: Tally::new(seat),
            now_ms: 0.0,
        }
    }

    /// Takes what has arrived, and draws if it is time to.
    pub(crate) fn live(&mut self, now_ms: f64) {
        self.now_ms = now_ms;
        if now_ms >= self.ping_ms {
            self.ping_ms = now_ms + PING_MS;
            self.up.send(now_ms, encode(&ClientMessage::Ping { sent_ms: now_ms as u32 }));
        }
        while let Some(frame) = self.down.arrived(now_ms) {
            self.hear(decode(&frame).expect("the server's message"), now_ms);
        }
        if now_ms >= self.frame_ms {
            self.frame_ms += TICK_MS;
            self.frame(now_ms);
        }
    }

    fn hear(&mut self, message: ServerMessage, now_ms: f64) {
        match message {
            ServerMessage::Snapshot(snapshot) => {
                self.play.snapshot(&snapshot, now_ms);
                self.plain.snapshot(&snapshot, now_ms);
            }
            ServerMessage::Steps(steps) => {
                let before = self.play.view().map(ball);
                let extrapolated = self.extrapolated();
                self.play.steps(&steps, now_ms);
                self.plain.steps(&steps, now_ms);
                if let (true, Some(before)) = (now_ms > SETTLE_MS, before) {
                    let after = self.play.view().map_or(before, ball);
                    self.tally.ball_corrections.push(before.distance(after));
                    self.tally.extrapolated_corrections.push(extrapolated.distance(self.extrapolated()));
                }
            }
            ServerMessage::Pace(pace) => self.play.paced(pace),
            ServerMessage::Pong { sent_ms, .. } => {
                self.play.round_trip(now_ms - f64::from(sent_ms));
                if !std::mem::replace(&mut self.is_seated, true) {
                    let tick = self.play.confirmed().map_or_else(Tick::default, |view| view.tick).next();
                    self.play.seated(self.seat, tick);
                }
            }
            other => panic!("not said here: {other:?}"),
        }
    }

    fn frame(&mut self, now_ms: f64) {
        let at = |index: usize| self.play.bodies().get(index).copied().unwrap_or_default();
        let input = self.person.act(now_ms, at(self.seat.index() + 1), at(0));
        let (up, mut given) = (&mut self.up, None);
        self.play.frame(now_ms, &mut || input, &mut |tick, input: Input| {
            let mut packed = Vec::new();
            input.pack(&mut packed);
            up.send(now_ms, encode(&ClientMessage::Input { tick, input: packed }));
            given = Some((tick, input));
        });
        self.plain.frame(now_ms, &mut Input::default, &mut |_, _| {});
        if now_ms < SETTLE_MS || !self.is_seated {
            return;
        }
        if let (Some((tick, input)), Some(view)) = (given, self.play.view()) {
            self.tally.given += 1;
            self.tally.shown_at_once += u32::from(view.tick == tick && view.players[self.seat.index()].input == input);
        }
        let (tick, fraction) = self.play.moment();
        self.tally.seen.push(Seen {
            tick,
            fraction,
            corrected: self.play.corrected(self.seat.index() + 1),
            lead_ticks: self.play.figures().lead_ticks,
            touches: super::measure::touches(self.play.bodies(), self.seat),
            ball: self.play.bodies().first().copied().unwrap_or_default(),
            interpolated: self.plain.bodies().first().copied().unwrap_or_default(),
            extrapolated: self.extrapolated(),
        });
    }

    /// Where the ball is at this moment if it has gone on as the newest view from the server says.
    fn extrapolated(&self) -> Point {
        let Some(view) = self.play.confirmed() else { return Point::default() };
        let (tick, fraction) = self.play.moment();
        let ticks = tick.since(view.tick) as f32 - 1.0 + fraction;
        let speed = |steps: i16| f32::from(steps) / f32::from(GridVelocity::STEPS);
        let at = ball(view);
        Point { x: at.x + ticks * speed(view.ball.velocity.x), y: at.y + ticks * speed(view.ball.velocity.y) }
    }

    pub(crate) fn finish(self, history: &[Truth]) -> super::Figures {
        let seconds = self.now_ms / 1000.0;
        let rates = (self.down.bytes as f64 / seconds, self.up.bytes as f64 / seconds);
        self.tally.figures(history, self.play.figures(), rates)
    }
}

fn ball(view: &View) -> Point {
    let units = |steps: i16| f32::from(steps) / f32::from(GridPosition::STEPS);
    Point { x: units(view.ball.position.x), y: units(view.ball.position.y) }
}

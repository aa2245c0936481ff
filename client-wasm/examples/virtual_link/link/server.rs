//! The match as the real server runs it, as far as a page can tell.

use client_wasm::netcode::{Pictured as _, Point};
use contract::{
    Audience, ClientMessage, GameData as _, Pace, SeatId, ServerMessage, Snapshot, Steps, Tick, WireInput as _,
    WireView as _, decode, encode,
    games::kickabout::{Input, Kickabout as Data, Phase, Setup, View},
    steps,
};
use sim::{Game as _, games::kickabout::Kickabout};

/// Inputs kept ahead of their tick, as a power of two.
const BUFFER: usize = 64;
/// A page is told how its inputs arrive once in so many ticks.
const PACE_TICKS: u32 = 15;
/// Inputs before this tick do not count: the pages' clocks still settle.
const COUNTS_FROM: u32 = 480;
/// A view is sent once in so many ticks.
const SNAPSHOT_TICKS: u32 = 2;

/// One tick as it was.
pub(crate) struct Truth {
    pub(crate) tick: Tick,
    pub(crate) phase: Phase,
    /// The ball, then the players by seat.
    pub(crate) bodies: Vec<Point>,
}

struct Chair {
    seat: SeatId,
    buffer: [Option<(Tick, Input)>; BUFFER],
    /// The newest input for now or before, which goes on until there is another.
    last: (Tick, Input),
    margin: i16,
    late: u32,
    inputs: u32,
    /// The view this page was sent last.
    sent: Option<View>,
}

pub(crate) struct Server {
    setup: Setup,
    world: Kickabout,
    chairs: Vec<Chair>,
    /// What every seat did since the last snapshot, a row per tick.
    rows: Vec<Input>,
    pub(crate) history: Vec<Truth>,
}

impl Server {
    pub(crate) fn new(setup: Setup, people: &[SeatId], seed: u64) -> Self {
        let chair = |seat: &SeatId| Chair {
            seat: *seat,
            buffer: [None; BUFFER],
            last: (Tick(0), Input::default()),
            margin: i16::MAX,
            late: 0,
            inputs: 0,
            sent: None,
        };
        let chairs = people.iter().map(chair).collect();
        Self { setup, world: Kickabout::new(&setup, seed), chairs, rows: Vec::new(), history: Vec::new() }
    }

    pub(crate) fn tick(&self) -> Tick {
        self.world.tick()
    }

    /// Takes a frame of a page.
    pub(crate) fn hear(&mut self, page: usize, frame: Vec<u8>, mut answer: impl FnMut(Vec<u8>)) {
        let chair = &mut self.chairs[page];
        let now = self.world.tick();
        match decode(&frame).expect("our own message") {
            ClientMessage::Input { tick, input } => {
                let margin = tick.since(now) - 1;
                let input = Input::unpack(&input).expect("our own input");
                chair.inputs += u32::from(now.0 >= COUNTS_FROM);
                chair.margin = chair.margin.min(i16::try_from(margin).unwrap_or(i16::MIN));
                if margin < 0 {
                    chair.late += u32::from(now.0 >= COUNTS_FROM);
                    if tick.since(chair.last.0) > 0 {
                        chair.last = (tick, input);
                    }
                } else {
                    chair.buffer[tick.0 as usize % BUFFER] = Some((tick, input));
                }
            }
            ClientMessage::Ping { sent_ms } => answer(encode(&ServerMessage::Pong { sent_ms, tick: now })),
            other => panic!("no page says {other:?} here"),
        }
    }

    pub(crate) fn run_tick(&mut self) {
        let next = self.world.tick().next();
        let mut inputs = [None; 8];
        for chair in &mut self.chairs {
            if let Some((_, input)) = chair.buffer[next.0 as usize % BUFFER].filter(|(tick, _)| *tick == next) {
                chair.last = (next, input);
            }
            inputs[chair.seat.index()] = Some(chair.last.1);
        }
        self.world.step(&inputs, &[]);
        let view = self.view(Data::audience_of(&self.setup, None));
        self.rows.extend(view.players().iter().map(|player| player.input));
        let mut bodies = Vec::new();
        Kickabout::bodies(&view, &mut bodies);
        self.history.push(Truth { tick: next, phase: view.phase, bodies });
    }

    /// Tells a page what is due.
    pub(crate) fn tell(&mut self, page: usize, mut send: impl FnMut(Vec<u8>)) {
        let tick = self.world.tick();
        let audience = Data::audience_of(&self.setup, Some(self.chairs[page].seat));
        let view = self.view(audience);
        let is_last = page + 1 == self.chairs.len();
        let chair = &mut self.chairs[page];
        if tick.0.is_multiple_of(SNAPSHOT_TICKS) {
            let checksum = view.checksum(&mut Vec::new()) as u32;
            let mut body = Vec::new();
            let message = if let Some(before) = &chair.sent {
                steps::pack(before, &self.rows, &view, &mut body);
                let ticks = u8::try_from(tick.since(before.tick)).expect("few ticks");
                ServerMessage::Steps(Steps { tick, ticks, checksum, body })
            } else {
                view.pack(&mut body);
                ServerMessage::Snapshot(Snapshot { tick, audience, checksum, body })
            };
            send(encode(&message));
            chair.sent = Some(view);
            if is_last {
                self.rows.clear();
            }
        }
        if tick.0.is_multiple_of(PACE_TICKS) && chair.margin != i16::MAX {
            let pace = Pace { margin_ticks: chair.margin, late: chair.late, dropped: 0 };
            send(encode(&ServerMessage::Pace(pace)));
            chair.margin = i16::MAX;
        }
    }

    /// Late inputs and all inputs of a page.
    pub(crate) fn lateness(&self, page: usize) -> (u32, u32) {
        (self.chairs[page].late, self.chairs[page].inputs)
    }

    fn view(&self, audience: Audience) -> View {
        let mut view = View::default();
        self.world.view(audience, &mut view);
        view
    }
}

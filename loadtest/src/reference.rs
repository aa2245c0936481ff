//! The client of `arena-ref/1`, the workload that match servers are compared on, as it plays Skirmish.
//!
//! It sends one input every 33.3 ms on a schedule of its own that never drifts and that no server moves. An input names the
//! first tick that can still take it, so the server uses it as soon as it can, which is what a server does that simply takes
//! the newest input there is. Should two meet in one tick, as they may on such a server, one of them is lost. An input
//! counts as acknowledged when a snapshot shows that its own seat did this, or something later.

use std::{collections::VecDeque, f64::consts::TAU, sync::Arc, time::Duration};

use anyhow::{bail, ensure};
use contract::{
    BitReader, ClientMessage, GameData as _, MatchKey, SeatId, ServerMessage, Tick, WireInput as _, WireView as _,
    encode,
    games::skirmish::{Aim, Input, Skirmish, View},
    steps,
};
use tokio::time::{Instant, sleep_until};

use crate::{
    crowd::Leave,
    tally::{Counter, Tally, Timing},
    wire::Wire,
};

/// Time an input needs from here to its tick, and a snapshot back to here: what leaves later names the next tick.
const SLACK: Duration = Duration::from_millis(1);

/// Whoever is more than this behind the schedule starts it anew, in place of a burst.
const BEHIND_MAX: Duration = Duration::from_millis(500);

/// Inputs that may wait for their snapshot.
const UNCONFIRMED_MAX: usize = 600;

/// A client on the wire.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) authority: String,
    pub(crate) key: MatchKey,
    pub(crate) name: String,
    pub(crate) bot: Bot,
    /// Inputs are due so many whole periods after this.
    pub(crate) first_due: Instant,
    /// Whether they ask for steps in place of whole views, as a page does.
    pub(crate) can_step: bool,
    pub(crate) tally: Arc<Tally>,
}

impl Reference {
    /// Plays until told to leave.
    pub(crate) async fn live(mut self, mut leave: Leave) -> anyhow::Result<()> {
        let (mut wire, welcome) = Wire::open(&self.authority, &self.key, &self.tally).await?;
        ensure!(welcome.game == Skirmish::ID, "reference clients play {}, and this is {}", Skirmish::ID, welcome.game);
        wire.set_mode(self.can_step).await?;
        let (seat, first) = wire.join(&self.name).await?;
        let mut clock = Clock::new(first);
        tokio::select! {
            error = self.play(&mut wire, seat, &mut clock) => error?,
            () = leave.told() => {}
        }
        wire.leave().await
    }

    async fn play(&mut self, wire: &mut Wire, seat: SeatId, clock: &mut Clock) -> anyhow::Result<()> {
        let mut sight = Sight::default();
        let mut sent = Unconfirmed::default();
        let mut due = next_due(self.first_due, Instant::now());
        let mut alarm = std::pin::pin!(sleep_until(due));
        loop {
            tokio::select! {
                () = alarm.as_mut() => {
                    let now = Instant::now();
                    self.tally.record(Timing::Lag, now.saturating_duration_since(due));
                    let (tick, input) = (clock.next_tick(now), self.bot.next_input());
                    let mut packed = Vec::new();
                    input.pack(&mut packed);
                    let bytes = encode(&ClientMessage::Input { tick, input: packed });
                    self.tally.count(Counter::Inputs, 1);
                    self.tally.count(Counter::BytesSent, bytes.len());
                    sent.note(input, now)?;
                    wire.send(bytes).await?;
                    due += Bot::PERIOD;
                    if now.saturating_duration_since(due) > BEHIND_MAX {
                        let given_up = now.saturating_duration_since(due).as_nanos() / Bot::PERIOD.as_nanos();
                        self.tally.count(Counter::InputsMissed, usize::try_from(given_up).unwrap_or(usize::MAX));
                        due = next_due(self.first_due, now);
                    }
                    alarm.as_mut().reset(due);
                }
                message = wire.hear() => {
                    let message = message?;
                    if let Some(tick) = sight.take(&message)? {
                        let now = Instant::now();
                        self.tally.count(Counter::Snapshots, 1);
                        clock.hear(tick, now);
                        for at in sent.confirm(sight.done(seat)) {
                            self.tally.record(Timing::InputToAck, now.saturating_duration_since(at));
                        }
                    }
                    match message {
                        ServerMessage::Stalled { ticks } => clock.postpone(ticks),
                        ServerMessage::Unseated => bail!("lost its seat"),
                        _ => {}
                    }
                }
            }
        }
    }
}

/// The first moment of a schedule that is still to come.
fn next_due(first: Instant, now: Instant) -> Instant {
    let passed = now.saturating_duration_since(first).as_nanos() / Bot::PERIOD.as_nanos();
    first + Bot::PERIOD * u32::try_from(passed + 1).unwrap_or(u32::MAX)
}

/// Decides what a client does: the same for the same match and seat, on every server.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    noise: u32,
    inputs: u32,
    course: (f64, f64),
    aim: f64,
}

impl Bot {
    /// From one input to the next.
    pub(crate) const PERIOD: Duration = Duration::from_nanos(33_333_333);

    /// Inputs from one change of direction to the next.
    const COURSE_INPUTS: u32 = 30;

    /// Radians that the gun turns from one input to the next.
    const TURN: f64 = 0.05;

    /// Whoever takes this place in this match, both counted from 0.
    pub(crate) fn new(at: usize, seat: usize) -> Self {
        let number = u32::try_from(1 + at * 64 + seat).unwrap_or(u32::MAX);
        let mut bot =
            Self { noise: number.wrapping_mul(2_654_435_761).max(1), inputs: 0, course: (0.0, 0.0), aim: 0.0 };
        bot.aim = bot.draw() * TAU - TAU / 2.0;
        bot
    }

    /// 0 up to 1, by xorshift32.
    fn draw(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 17;
        self.noise ^= self.noise << 5;
        f64::from(self.noise) / 4_294_967_296.0
    }

    fn next_input(&mut self) -> Input {
        if self.inputs.is_multiple_of(Self::COURSE_INPUTS) {
            let (y, x) = (self.draw() * TAU).sin_cos();
            self.course = (x, y);
        }
        self.inputs += 1;
        self.aim += Self::TURN;
        if self.aim > TAU / 2.0 {
            self.aim -= TAU;
        }
        let speed = |part: f64| (part * f64::from(Input::SPEED_MAX)).round() as i16;
        let point = (self.aim / TAU * f64::from(Aim::POINTS)).round() as i32;
        let aim = Aim::point(u16::try_from(point.rem_euclid(i32::from(Aim::POINTS))).unwrap_or(0));
        Input { vx: speed(self.course.0), vy: speed(self.course.1), aim, fire: true }
    }
}

/// Knows which tick the server is about to run.
#[derive(Debug)]
struct Clock {
    /// First tick an input may name.
    first: Tick,
    /// When the snapshot of a tick came that came soonest after its tick, as far as can be told.
    heard: Option<(Tick, Instant)>,
}

impl Clock {
    const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / Skirmish::TICKS_PER_SECOND as u64);

    const fn new(first: Tick) -> Self {
        Self { first, heard: None }
    }

    /// The first tick that can still take an input which leaves now.
    fn next_tick(&self, now: Instant) -> Tick {
        let Some((tick, heard)) = self.heard else { return self.first };
        let passed = (now + SLACK).saturating_duration_since(heard).as_nanos() / Self::PERIOD.as_nanos();
        let next = tick.plus(u32::try_from(passed).unwrap_or(u32::MAX)).next();
        if next.since(self.first) > 0 { next } else { self.first }
    }

    /// A snapshot that comes earlier than expected sets the clock: it is nearer to the server's.
    fn hear(&mut self, tick: Tick, now: Instant) {
        let expected =
            self.heard.map(|(before, heard)| heard + Self::PERIOD * u32::try_from(tick.since(before)).unwrap_or(0));
        if expected.is_none_or(|expected| now <= expected) {
            self.heard = Some((tick, now));
        }
    }

    /// The server has left out so much time.
    fn postpone(&mut self, ticks: u32) {
        if let Some((_, heard)) = &mut self.heard {
            *heard += Self::PERIOD * ticks;
        }
    }
}

/// What every seat did in the newest tick that was shown.
#[derive(Debug, Default)]
struct Sight {
    shown: Option<Tick>,
    held: Vec<Input>,
}

impl Sight {
    /// Takes a message in. Returns the tick if it was a snapshot.
    fn take(&mut self, message: &ServerMessage) -> anyhow::Result<Option<Tick>> {
        match message {
            ServerMessage::Snapshot(snapshot) => {
                let view = View::from_bytes(&snapshot.body)?;
                self.held.resize(view.seats(), Input::default());
                steps::inputs_of(&view, &mut self.held);
                self.shown = Some(snapshot.tick);
            }
            ServerMessage::Steps(message) => {
                let from = Tick(message.tick.0.wrapping_sub(u32::from(message.ticks)));
                ensure!(self.shown == Some(from), "steps from {from:?} after {:?}", self.shown);
                let mut bits = BitReader::new(&message.body);
                for _ in 0..message.ticks {
                    steps::read_tick(&mut bits, &mut self.held)?;
                }
                self.shown = Some(message.tick);
            }
            _ => return Ok(None),
        }
        Ok(self.shown)
    }

    fn done(&self, seat: SeatId) -> Option<Input> {
        self.held.get(seat.index()).copied()
    }
}

/// Sent inputs that no snapshot has shown yet, and when each left.
#[derive(Debug, Default)]
struct Unconfirmed(VecDeque<(Input, Instant)>);

impl Unconfirmed {
    fn note(&mut self, input: Input, now: Instant) -> anyhow::Result<()> {
        ensure!(self.0.len() < UNCONFIRMED_MAX, "no snapshot shows the last {UNCONFIRMED_MAX} inputs");
        self.0.push_back((input, now));
        Ok(())
    }

    /// When the inputs left that this one ends the wait for: itself and all before it. The gun turns with every input, so
    /// no two that wait are the same.
    fn confirm(&mut self, done: Option<Input>) -> impl Iterator<Item = Instant> {
        let shown = self.0.iter().position(|(input, _)| Some(*input) == done).map_or(0, |at| at + 1);
        self.0.drain(..shown).map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_does_what_the_reference_client_does() {
        // Speeds and aim of the first, second and 31st input, worked out by the reference's own code in JavaScript.
        for (at, seat, expected) in [
            (0, 0, [(1, -200, 845), (1, -200, 853), (134, -149, 65)]),
            (39, 7, [(82, 182, 237), (82, 182, 245), (133, 150, 481)]),
        ] {
            let mut bot = Bot::new(at, seat);
            let inputs: Vec<_> = (0..31).map(|_| bot.next_input()).collect();
            for (nth, (vx, vy, aim)) in [0, 1, 30].into_iter().zip(expected) {
                assert_eq!(inputs[nth], Input { vx, vy, aim: Aim::point(aim), fire: true }, "{at} {seat} {nth}");
            }
            assert!(inputs[..30].iter().all(|input| (input.vx, input.vy) == (inputs[0].vx, inputs[0].vy)));
        }
    }

    #[test]
    fn an_input_names_the_first_tick_that_can_take_it() {
        let start = Instant::now();
        let mut clock = Clock::new(Tick(102));
        assert_eq!(clock.next_tick(start), Tick(102), "there is nothing to go by");
        // Sent on arrival, some time after its tick.
        clock.hear(Tick(100), start + Duration::from_millis(5));
        assert_eq!(clock.next_tick(start + Duration::from_millis(6)), Tick(102), "no seat before that");
        clock.hear(Tick(102), start + Duration::from_millis(40));
        // Tick 102 was heard of at 40 ms, so 103 will be at 73.3 ms, and what leaves within the slack before misses it.
        assert_eq!(clock.next_tick(start + Duration::from_millis(41)), Tick(103));
        assert_eq!(clock.next_tick(start + Duration::from_millis(72)), Tick(103));
        assert_eq!(clock.next_tick(start + Duration::from_millis(73)), Tick(104));
        assert_eq!(clock.next_tick(start + Duration::from_millis(140)), Tick(106), "105 is heard of at 140 ms");
        // Late snapshots do not set it back, and time that is left out does.
        clock.hear(Tick(106), start + Duration::from_millis(200));
        clock.postpone(3);
        assert_eq!(clock.next_tick(start + Duration::from_millis(250)), Tick(106));
    }

    #[test]
    fn an_input_is_acknowledged_by_itself_or_a_later_one() {
        let (mut bot, mut sent, start) = (Bot::new(3, 4), Unconfirmed::default(), Instant::now());
        let inputs: Vec<_> = (0..4).map(|_| bot.next_input()).collect();
        for (at, input) in (0..).zip(&inputs) {
            sent.note(*input, start + Duration::from_millis(at)).expect("room");
        }
        assert_eq!(sent.confirm(None).count(), 0);
        assert_eq!(sent.confirm(Some(Input::default())).count(), 0, "what mechanics did is no answer");
        let left: Vec<_> = sent.confirm(Some(inputs[2])).collect();
        assert_eq!(left.len(), 3);
        assert_eq!(sent.confirm(Some(inputs[2])).count(), 0, "a repeat confirms nothing new");
        assert_eq!(sent.confirm(Some(inputs[3])).collect::<Vec<_>>(), [start + Duration::from_millis(3)]);
    }

    #[test]
    fn the_schedule_keeps_its_phase() {
        let first = Instant::now();
        let due = next_due(first, first + Bot::PERIOD * 10 + Duration::from_millis(3));
        assert_eq!(due, first + Bot::PERIOD * 11);
        assert_eq!(next_due(first + Bot::PERIOD, first), first + Bot::PERIOD * 2);
    }
}

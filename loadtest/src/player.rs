//! People on the wire: they join, send one input per tick, read everything, and leave.
//!
//! Inputs are sent when they are due, whatever became of those before (an open loop), and every latency counts from when
//! an input was due: a server that stalls cannot hide it by making its players wait.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use contract::{
    ClientMessage, GameData, MatchKey, ServerMessage, Tick, Welcome, WireInput as _, WireView as _, encode, games,
};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use tokio::time::{Instant, sleep, sleep_until};

use crate::{
    crowd::Leave,
    tally::{Counter, Tally, Timing},
    wire::Wire,
};

/// Inputs that may wait for their snapshot; beyond that the oldest counts as lost.
const UNCONFIRMED_MAX: usize = 600;

/// Fewest and most ticks an input stays the same: a person changes their mind a few times a second.
const HOLD_TICKS: (u32, u32) = (6, 40);

/// An input this many ticks after its time is of no use any more.
const OVERDUE_TICKS_MAX: i32 = 10;

/// A person on the wire.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) authority: String,
    pub(crate) key: MatchKey,
    pub(crate) name: String,
    pub(crate) random: Pcg32,
    /// Whether they take a seat.
    pub(crate) plays: bool,
    /// Whether they ask for steps in place of whole views, as a page does.
    pub(crate) can_step: bool,
    /// How long a stay and an absence take, least and most; no end without it.
    pub(crate) visits: Option<Visits>,
    pub(crate) tally: Arc<Tally>,
}

/// How somebody comes and goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visits {
    pub(crate) stay_s: [f64; 2],
    pub(crate) away_s: [f64; 2],
    /// Whether each visit is to a match of its own.
    pub(crate) new_matches: bool,
}

impl Player {
    /// Comes and goes until told to leave.
    pub(crate) async fn live(mut self, mut leave: Leave) -> anyhow::Result<()> {
        let who = format!("{} of {}", self.name, self.key.as_str());
        for visit in 0_u64.. {
            let key = match self.visits {
                Some(Visits { new_matches: true, .. }) => MatchKey::parse(&format!("{}-{visit}", self.key.as_str()))?,
                _ => self.key.clone(),
            };
            let stay = self.visits.map(|visits| self.between(visits.stay_s));
            self.visit(&key, stay, &mut leave).await.with_context(|| who.clone())?;
            let Some(visits) = self.visits.filter(|_| !leave.is_told()) else { return Ok(()) };
            let away = self.between(visits.away_s);
            tokio::select! {
                () = sleep(away) => {}
                () = leave.told() => return Ok(()),
            }
        }
        Ok(())
    }

    fn between(&mut self, [least, most]: [f64; 2]) -> Duration {
        let part = f64::from(self.random.next_u32()) / f64::from(u32::MAX);
        Duration::from_secs_f64(least + (most - least) * part)
    }

    async fn visit(&mut self, key: &MatchKey, stay: Option<Duration>, leave: &mut Leave) -> anyhow::Result<()> {
        let end = stay.map(|stay| Instant::now() + stay);
        let until = async {
            match end {
                Some(end) => tokio::select! {
                    () = sleep_until(end) => {}
                    () = leave.told() => {}
                },
                None => leave.told().await,
            }
        };
        let (mut wire, welcome) = Wire::open(&self.authority, key, &self.tally).await?;
        wire.set_mode(self.can_step).await?;
        if !self.plays {
            let mut seen = Seen { game: welcome.game, shown: None };
            tokio::select! {
                error = self.watch(&mut wire, &mut seen) => error?,
                () = until => {}
            }
            return wire.close().await;
        }
        let (_, first) = wire.join(&self.name).await?;
        let mut play = Play::new(&welcome, first);
        let mut seen = Seen { game: welcome.game, shown: None };
        tokio::select! {
            error = self.play(&mut wire, &mut play, &mut seen) => error?,
            () = until => {}
        }
        wire.leave().await
    }

    async fn watch(&self, wire: &mut Wire, seen: &mut Seen) -> anyhow::Result<()> {
        loop {
            let message = wire.hear().await?;
            if seen.take(&message)?.is_some() {
                self.tally.count(Counter::Snapshots, 1);
            }
        }
    }

    async fn play(&mut self, wire: &mut Wire, play: &mut Play, seen: &mut Seen) -> anyhow::Result<()> {
        let mut alarm = std::pin::pin!(sleep_until(play.due_at()));
        loop {
            tokio::select! {
                () = alarm.as_mut() => {
                    let now = Instant::now();
                    let missed = play.give_up_overdue(now);
                    self.tally.count(Counter::InputsMissed, missed);
                    while play.due_at() <= now {
                        self.tally.record(Timing::Lag, now.saturating_duration_since(play.due_at()));
                        let bytes = encode(&play.next_input(&seen.game, &mut self.random)?);
                        self.tally.count(Counter::Inputs, 1);
                        self.tally.count(Counter::BytesSent, bytes.len());
                        wire.send(bytes).await?;
                    }
                }
                message = wire.hear() => {
                    let message = message?;
                    if let Some(tick) = seen.take(&message)? {
                        self.tally.count(Counter::Snapshots, 1);
                        for took in play.confirm(tick, Instant::now()) {
                            self.tally.record(Timing::InputToAck, took);
                        }
                    }
                    match message {
                        ServerMessage::Pace(pace) => play.steer(pace.margin_ticks, Instant::now()),
                        ServerMessage::Stalled { ticks } => play.postpone(ticks),
                        ServerMessage::Unseated => bail!("lost its seat"),
                        _ => {}
                    }
                }
            }
            if alarm.deadline() != play.due_at() {
                alarm.as_mut().reset(play.due_at());
            }
        }
    }
}

/// What somebody was shown.
#[derive(Debug)]
struct Seen {
    game: String,
    /// The newest snapshot.
    shown: Option<Tick>,
}

impl Seen {
    /// Takes a message in and checks it. Returns the tick if it was a snapshot.
    fn take(&mut self, message: &ServerMessage) -> anyhow::Result<Option<Tick>> {
        let tick = match message {
            ServerMessage::Snapshot(snapshot) => {
                let check = CheckView { body: &snapshot.body, checksum: snapshot.checksum, tick: snapshot.tick };
                games::visit(&self.game, check).context("a game this build does not know")??;
                snapshot.tick
            }
            ServerMessage::Steps(steps) => {
                let from = Tick(steps.tick.0.wrapping_sub(u32::from(steps.ticks)));
                anyhow::ensure!(self.shown == Some(from), "steps from {from:?} after {:?}", self.shown);
                steps.tick
            }
            _ => return Ok(None),
        };
        self.shown = Some(tick);
        Ok(Some(tick))
    }
}

/// When a player sends what.
#[derive(Debug)]
struct Play {
    period: Duration,
    /// When the server's tick 0 was, as far as the fastest snapshot tells.
    epoch: Instant,
    epoch_tick: Tick,
    /// Ticks that inputs are sent ahead of the newest tick heard of.
    lead_ticks: u32,
    /// When the schedule last changed: nothing was due earlier under the one there is now.
    since: Instant,
    next: Tick,
    held: Vec<u8>,
    held_ticks: u32,
    /// Sent inputs that no snapshot has shown yet: tick, and when it was due to be sent.
    unconfirmed: VecDeque<(Tick, Instant)>,
}

impl Play {
    fn new(welcome: &Welcome, first: Tick) -> Self {
        let now = Instant::now();
        Self {
            period: Duration::from_secs(1) / u32::from(welcome.cadence.ticks_per_second()),
            epoch: now,
            epoch_tick: first,
            lead_ticks: 3,
            since: now,
            next: first,
            held: Vec::new(),
            held_ticks: 0,
            unconfirmed: VecDeque::new(),
        }
    }

    /// When the next input is due.
    fn due_at(&self) -> Instant {
        let ahead = self.next.since(self.epoch_tick) - i32::try_from(self.lead_ticks).unwrap_or(i32::MAX);
        let shift = self.period * ahead.unsigned_abs();
        let due = if ahead < 0 { self.epoch.checked_sub(shift) } else { Some(self.epoch + shift) };
        due.map_or(self.since, |due| due.max(self.since))
    }

    /// Leaves out inputs whose time has long passed. Returns how many.
    fn give_up_overdue(&mut self, now: Instant) -> usize {
        let mut count = 0;
        while now.saturating_duration_since(self.due_at()) > self.period * OVERDUE_TICKS_MAX.unsigned_abs() {
            self.next = self.next.next();
            count += 1;
        }
        count
    }

    fn next_input(&mut self, game: &str, random: &mut Pcg32) -> anyhow::Result<ClientMessage> {
        if self.held_ticks == 0 {
            self.held = sample_input(game, random.next_u32())?;
            self.held_ticks = HOLD_TICKS.0 + random.next_u32() % (HOLD_TICKS.1 - HOLD_TICKS.0);
        }
        self.held_ticks -= 1;
        if self.unconfirmed.len() == UNCONFIRMED_MAX {
            bail!("no snapshot for the last {UNCONFIRMED_MAX} inputs");
        }
        let (tick, due) = (self.next, self.due_at());
        self.unconfirmed.push_back((tick, due));
        self.next = tick.next();
        Ok(ClientMessage::Input { tick, input: self.held.clone() })
    }

    /// How long the inputs took that a snapshot of this tick shows.
    fn confirm(&mut self, tick: Tick, now: Instant) -> impl Iterator<Item = Duration> {
        // A snapshot that comes earlier than the clock expects sets the clock: it is nearer to the server's.
        let age = self.period * u32::try_from(tick.since(self.epoch_tick)).unwrap_or(0);
        if let Some(epoch) = now.checked_sub(age).filter(|epoch| *epoch < self.epoch) {
            self.epoch = epoch;
            self.since = now;
        }
        let shown = self.unconfirmed.iter().take_while(|(input, _)| tick.since(*input) >= 0).count();
        self.unconfirmed.drain(..shown).map(move |(_, due)| now.saturating_duration_since(due))
    }

    /// Keeps inputs just in time: the tightest one a tick early.
    fn steer(&mut self, margin_ticks: i16, now: Instant) {
        if margin_ticks < 1 {
            self.lead_ticks = (self.lead_ticks + 1).min(30);
        } else if margin_ticks > 1 {
            self.lead_ticks = self.lead_ticks.saturating_sub(1).max(1);
        }
        self.since = now;
    }

    /// The server has left out so much time.
    fn postpone(&mut self, ticks: u32) {
        self.epoch += self.period * ticks;
    }
}

/// A legal input of a game for a random number, packed.
pub(crate) fn sample_input(game: &str, noise: u32) -> anyhow::Result<Vec<u8>> {
    struct Sample(u32);
    impl games::Visitor for Sample {
        type Output = Vec<u8>;
        fn visit<G: GameData>(self) -> Vec<u8> {
            let mut bytes = Vec::new();
            G::Input::sample(self.0).pack(&mut bytes);
            bytes
        }
    }
    games::visit(game, Sample(noise)).with_context(|| format!("{game:?} is a game this build does not know"))
}

/// Decodes a view and proves its checksum.
struct CheckView<'a> {
    body: &'a [u8],
    checksum: u32,
    tick: Tick,
}

impl games::Visitor for CheckView<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: GameData>(self) -> anyhow::Result<()> {
        let view = G::View::from_bytes(self.body)?;
        anyhow::ensure!(view.tick() == self.tick, "a snapshot of {:?} shows {:?}", self.tick, view.tick());
        let checksum = view.checksum(&mut Vec::new());
        anyhow::ensure!(checksum & 0xffff_ffff == u64::from(self.checksum), "a snapshot fails its checksum");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(20);

    fn play() -> Play {
        let welcome = Welcome {
            game: games::IDS[0].to_owned(),
            setup: vec![],
            sim: 0,
            cadence: contract::Cadence::new(50, 25),
            tick: Tick(100),
            relay: contract::RelayPass([0; 16]),
        };
        Play::new(&welcome, Tick(100))
    }

    fn send_due(play: &mut Play, now: Instant, random: &mut Pcg32) -> usize {
        let mut count = 0;
        while play.due_at() <= now {
            play.next_input(games::IDS[0], random).expect("an input");
            count += 1;
        }
        count
    }

    #[test]
    fn a_late_sender_counts_the_time_from_when_inputs_were_due() {
        let (mut play, mut random) = (play(), Pcg32::new(1, 2));
        let start = play.epoch;
        send_due(&mut play, start, &mut random);
        // Nothing is sent for five ticks, and then everything at once.
        let late = start + PERIOD * 5;
        assert_eq!(play.give_up_overdue(late), 0);
        assert_eq!(send_due(&mut play, late, &mut random), 5);
        let newest = play.next;
        let took: Vec<_> = play.confirm(newest, late + PERIOD).collect();
        assert_eq!(took.iter().max(), Some(&(PERIOD * 6)), "the first was due six ticks ago: {took:?}");
        assert!(took.contains(&PERIOD), "the last was due just now: {took:?}");
    }

    #[test]
    fn what_is_long_overdue_is_given_up_and_counted() {
        let (mut play, mut random) = (play(), Pcg32::new(1, 2));
        let start = play.epoch;
        send_due(&mut play, start, &mut random);
        let missed = play.give_up_overdue(start + PERIOD * 100);
        assert_eq!(missed, 100 - OVERDUE_TICKS_MAX as usize - 1);
    }

    #[test]
    fn a_longer_lead_does_not_count_as_lateness() {
        let (mut play, mut random) = (play(), Pcg32::new(1, 2));
        let start = play.epoch;
        send_due(&mut play, start, &mut random);
        let now = start + PERIOD / 2;
        play.steer(-3, now);
        assert_eq!(play.due_at(), now, "due at once, not a while ago");
    }
}

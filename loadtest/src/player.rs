//! A player on the wire: joins, sends one input per tick, reads everything.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use contract::{
    ClientMessage, GameData, Hello, MatchKey, Mode, PlayerName, ServerMessage, Tick, Ticket, Welcome, WireInput as _,
    WireView as _, decode, encode, games, wire_hash,
};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::StatusCode;
use rand_pcg::{Pcg32, rand_core::Rng as _};
use tokio::{
    net::TcpStream,
    time::{Instant, MissedTickBehavior, interval, sleep},
};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

use crate::{
    http::Endpoint,
    tally::{Latency, Tally},
};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Inputs that may wait for their snapshot; beyond that the oldest counts as lost.
const UNCONFIRMED_MAX: usize = 600;

/// How often and after which pause a player asks for a ticket.
const TICKET_TRIES: u32 = 60;
const TICKET_PAUSE: Duration = Duration::from_millis(500);

/// Fewest and most ticks an input stays the same: a person changes their mind a few times a second.
const HOLD_TICKS: (u32, u32) = (6, 40);

/// A player on the wire.
#[derive(Debug)]
pub(crate) struct Player {
    authority: String,
    key: MatchKey,
    name: String,
    random: Pcg32,
    /// Spreads the first connects, so that they are not one burst.
    delay: Duration,
    /// Whether it asks for steps in place of whole views, as a page does.
    can_step: bool,
    tally: Arc<Tally>,
}

/// What the player knows of the match once it plays.
#[derive(Debug)]
struct Play {
    game: String,
    period: Duration,
    /// When the server's tick 0 was, as far as the fastest snapshot tells.
    epoch: Instant,
    epoch_tick: Tick,
    /// Ticks that inputs are sent ahead of the newest tick heard of.
    lead_ticks: u32,
    next: Tick,
    /// The newest snapshot.
    shown: Option<Tick>,
    held: Vec<u8>,
    held_ticks: u32,
    /// Sent inputs that no snapshot has shown yet: tick, and when it was due to be sent.
    unconfirmed: VecDeque<(Tick, Instant)>,
}

impl Player {
    pub(crate) fn new(
        authority: String,
        key: MatchKey,
        at: usize,
        seed: u64,
        can_step: bool,
        tally: Arc<Tally>,
    ) -> Self {
        let delay = Duration::from_millis((at as u64 * 10).min(1500));
        let random = Pcg32::new(seed, 0xa02b);
        Self { authority, key, name: format!("player {at}"), random, delay, can_step, tally }
    }

    /// Plays until the task is stopped.
    pub(crate) async fn play(mut self) -> anyhow::Result<()> {
        let name = self.name.clone();
        self.try_play().await.with_context(|| format!("{name} of {}", self.key.as_str()))
    }

    async fn try_play(&mut self) -> anyhow::Result<()> {
        sleep(self.delay).await;
        let ticket = Some(self.ticket().await?);
        let (mut socket, _) = connect_async(format!("ws://{}/play", self.authority)).await?;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_nodelay(true)?;
        }
        let hello = Hello { wire: wire_hash(), sim: 0, match_key: self.key.clone(), resume: None, ticket };
        say(&mut socket, &ClientMessage::Hello(hello)).await?;
        let welcome = loop {
            if let ServerMessage::Welcome(welcome) = self.hear(&mut socket).await? {
                break welcome;
            }
        };
        say(&mut socket, &ClientMessage::Mode(Mode { can_step: self.can_step, is_hidden: false })).await?;
        let name = PlayerName::clean(&self.name)?;
        say(&mut socket, &ClientMessage::Join { name, team: None }).await?;
        let first = loop {
            match self.hear(&mut socket).await? {
                ServerMessage::Seated { tick, .. } => break tick,
                ServerMessage::Refused(refusal) => bail!("no seat: {}", refusal.text()),
                _ => {}
            }
        };
        self.keep_playing(&mut socket, Play::new(welcome, first)).await
    }

    /// What lets one connection in. A server hands out so many a second; whoever gets none asks again.
    async fn ticket(&self) -> anyhow::Result<Ticket> {
        let mut connection = Endpoint::new(self.authority.clone()).connect().await?;
        let wish = serde_json::json!({ "match": self.key.as_str() }).to_string();
        for _ in 0..TICKET_TRIES {
            let (status, answer) = connection.post("/tickets", &[], wish.clone()).await?;
            if status == StatusCode::TOO_MANY_REQUESTS {
                sleep(TICKET_PAUSE).await;
                continue;
            }
            let answer: serde_json::Value = serde_json::from_slice(&answer)?;
            let ticket = answer["ticket"].as_str().with_context(|| format!("no ticket: {answer}"))?;
            return Ok(Ticket::parse(ticket)?);
        }
        bail!("no ticket after {TICKET_TRIES} tries")
    }

    async fn keep_playing(&mut self, socket: &mut Socket, mut play: Play) -> anyhow::Result<()> {
        let mut clock = interval(play.period);
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        loop {
            tokio::select! {
                due = clock.tick() => {
                    while let Some(message) = play.input_due(due, &mut self.random)? {
                        let bytes = encode(&message);
                        self.tally.count(&self.tally.inputs, 1);
                        self.tally.count(&self.tally.bytes_sent, bytes.len());
                        socket.send(Message::binary(bytes)).await?;
                    }
                }
                message = self.hear(socket) => match message? {
                    ServerMessage::Snapshot(snapshot) => {
                        self.see(&mut play, snapshot.tick);
                        games::visit(&play.game, CheckView { body: &snapshot.body, checksum: snapshot.checksum, tick: snapshot.tick })
                            .context("a game this build does not know")??;
                    }
                    ServerMessage::Steps(steps) => {
                        let from = Tick(steps.tick.0.wrapping_sub(u32::from(steps.ticks)));
                        anyhow::ensure!(play.shown == Some(from), "steps from {from:?} after {:?}", play.shown);
                        self.see(&mut play, steps.tick);
                    }
                    ServerMessage::Pace(pace) => play.steer(pace.margin_ticks),
                    ServerMessage::Stalled { ticks } => play.epoch += play.period * ticks,
                    ServerMessage::Unseated => bail!("lost its seat"),
                    _ => {}
                },
            }
        }
    }

    fn see(&self, play: &mut Play, tick: Tick) {
        self.tally.count(&self.tally.snapshots, 1);
        play.shown = Some(tick);
        for took in play.confirm(tick) {
            self.tally.record(Latency::InputToAck, took);
        }
    }

    /// The next message, counted.
    async fn hear(&self, socket: &mut Socket) -> anyhow::Result<ServerMessage> {
        loop {
            match socket.next().await.context("the server hung up")?? {
                Message::Binary(bytes) => {
                    self.tally.count(&self.tally.bytes_received, bytes.len());
                    return Ok(decode(&bytes)?);
                }
                Message::Close(frame) => bail!("closed by the server: {frame:?}"),
                _ => {}
            }
        }
    }
}

impl Play {
    fn new(welcome: Welcome, first: Tick) -> Self {
        Self {
            game: welcome.game,
            period: Duration::from_secs(1) / u32::from(welcome.ticks_per_second),
            epoch: Instant::now(),
            epoch_tick: first,
            lead_ticks: 3,
            next: first,
            shown: None,
            held: Vec::new(),
            held_ticks: 0,
            unconfirmed: VecDeque::new(),
        }
    }

    /// The next input whose time has come by `now`.
    fn input_due(&mut self, now: Instant, random: &mut Pcg32) -> anyhow::Result<Option<ClientMessage>> {
        let elapsed = now.saturating_duration_since(self.epoch).as_nanos() / self.period.as_nanos();
        let target = self.epoch_tick.plus(u32::try_from(elapsed)?).plus(self.lead_ticks);
        if self.next.since(target) > 0 {
            return Ok(None);
        }
        // After a pause only the newest input is of use.
        if target.since(self.next) > 10 {
            self.next = target;
        }
        if self.held_ticks == 0 {
            let Some(input) = games::visit(&self.game, SampleInput(random.next_u32())) else {
                bail!("a game this build does not know")
            };
            self.held = input;
            self.held_ticks = HOLD_TICKS.0 + random.next_u32() % (HOLD_TICKS.1 - HOLD_TICKS.0);
        }
        self.held_ticks -= 1;
        let tick = self.next;
        self.next = tick.next();
        if self.unconfirmed.len() == UNCONFIRMED_MAX {
            bail!("no snapshot for the last {UNCONFIRMED_MAX} inputs");
        }
        self.unconfirmed.push_back((tick, now));
        Ok(Some(ClientMessage::Input { tick, input: self.held.clone() }))
    }

    /// How long the inputs took that a snapshot of this tick shows.
    fn confirm(&mut self, tick: Tick) -> impl Iterator<Item = Duration> {
        let now = Instant::now();
        // A snapshot that comes earlier than the clock expects sets the clock: it is nearer to the server's.
        let age = self.period * u32::try_from(tick.since(self.epoch_tick)).unwrap_or(0);
        if let Some(epoch) = now.checked_sub(age).filter(|epoch| *epoch < self.epoch) {
            self.epoch = epoch;
        }
        let shown = self.unconfirmed.iter().take_while(|(input, _)| tick.since(*input) >= 0).count();
        self.unconfirmed.drain(..shown).map(move |(_, due)| now.saturating_duration_since(due))
    }

    /// Keeps inputs just in time: the tightest one a tick early.
    fn steer(&mut self, margin_ticks: i16) {
        if margin_ticks < 1 {
            self.lead_ticks = (self.lead_ticks + 1).min(30);
        } else if margin_ticks > 1 {
            self.lead_ticks = self.lead_ticks.saturating_sub(1).max(1);
        }
    }
}

/// A legal input for a random number.
struct SampleInput(u32);

impl games::Visitor for SampleInput {
    type Output = Vec<u8>;

    fn visit<G: GameData>(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        G::Input::sample(self.0).pack(&mut bytes);
        bytes
    }
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

async fn say(socket: &mut Socket, message: &ClientMessage) -> anyhow::Result<()> {
    Ok(socket.send(Message::binary(encode(message))).await?)
}

//! One page's socket: moves bytes, and has [`Session`] and the match decide.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use contract::{
    Audience, ClientMessage, CloseCode, Hello, Holder, Mode, PlayerName, Refusal, ResumeSecret, ServerMessage, TeamId,
    limits::CLIENT_MESSAGE_BYTES_MAX,
};
use tokio::{
    io::AsyncReadExt as _,
    net::tcp::OwnedReadHalf,
    sync::oneshot,
    time::{sleep_until, timeout},
};

use super::{
    Play, READ_BUFFER_BYTES,
    hub::{Attached, ended, roster_message},
    line::{Line, LineEnd},
    outbox::Outbox,
    pulse::Pulse,
    session::{Allowance, Deed, Session},
};
use crate::{
    directory::{OpenError, Visit},
    matches::{Lease, MatchPort, Relaying, Standing, Wish},
    net::linger,
    secret,
    tickets::wall_clock_ms,
    websocket::{FrameError, FrameReader, Heard, Opened, close_frame},
};

/// How long a match may take to seat somebody.
const JOIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Messages a second of a socket that has not said yet which match it wants.
const MESSAGES_PER_SECOND_FRESH: u32 = 60;

/// Why a conversation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// The server closes it.
    Close(CloseCode),
    /// The page closed it, with what it said why.
    Left(Vec<u8>),
    /// The connection broke, or spoke no WebSocket.
    Lost,
}

impl From<LineEnd> for End {
    fn from(end: LineEnd) -> Self {
        match end {
            LineEnd::Close(code) => Self::Close(code),
            LineEnd::Lost => Self::Lost,
        }
    }
}

/// Talks to a page until one side has had enough.
pub(super) async fn converse(opened: Opened, peer: SocketAddr, play: Arc<Play>) {
    play.metrics.sockets.inc();
    let Opened { connection, early } = opened;
    let parts = connection.into_parts();
    let (mut incoming, outgoing) = parts.stream.into_split();
    let line = Arc::new(Line::new(outgoing, Arc::clone(&play.metrics)));
    let frames = FrameReader::new(CLIENT_MESSAGE_BYTES_MAX, READ_BUFFER_BYTES, &early);
    let mut reader = Reader { play: Arc::clone(&play), line: Arc::clone(&line), session: Session::Fresh, seen: None };
    let end = tokio::select! {
        biased;
        end = reader.read(&mut incoming, frames) => end,
        end = line.tend(play.config.write_timeout()) => end.into(),
        () = play.shutdown.begun() => End::Close(CloseCode::GOING_AWAY),
    };
    let key = reader.seen.as_ref().map(|seen| seen.visit.port().key().as_str().to_owned());
    // Whoever misbehaves is not waited for.
    if matches!(end, End::Close(code) if code.is_final && code != CloseCode::REPLACED) {
        reader.give_back();
    }
    // Leaves the match before the goodbye, which may take its time. A seat is kept for a while.
    drop(reader);
    let reason = match end {
        End::Close(code) => {
            line.say_goodbye(&close_frame(code.code, code.name)).await;
            code.name
        }
        End::Left(why) => {
            line.say_goodbye(&why).await;
            "left"
        }
        End::Lost => "lost",
    };
    play.metrics.closes.with_label_values(&[reason]).inc();
    play.metrics.sockets.dec();
    tracing::info!(%peer, key, reason, "socket closed");
    // With the line goes the sending half.
    drop(line);
    linger(incoming).await;
    drop(parts.place);
}

/// The listening half.
struct Reader {
    play: Arc<Play>,
    line: Arc<Line>,
    session: Session,
    /// The match, once the page has said which.
    seen: Option<Seen>,
}

/// A match in front of the page. The order matters: a seat is given back before the match is left.
struct Seen {
    lease: Option<Lease>,
    _attached: Attached,
    relaying: Relaying,
    visit: Visit,
}

impl Reader {
    async fn read(&mut self, stream: &mut OwnedReadHalf, mut frames: FrameReader) -> End {
        let mut now = Instant::now();
        let mut allowance = Allowance::new(MESSAGES_PER_SECOND_FRESH, now);
        let mut pulse = Pulse::new(self.play.config.pong_timeout(), now);
        let mut alarm =
            std::pin::pin!(sleep_until((now + Duration::from_millis(self.play.config.hello_timeout_ms)).into()));
        loop {
            loop {
                let heard = match frames.next() {
                    Ok(Some(heard)) => heard,
                    Ok(None) => break,
                    Err(FrameError::TooLarge) => return End::Close(CloseCode::TOO_LARGE),
                    Err(FrameError::Protocol) => return End::Lost,
                };
                if heard == Heard::Pong {
                    pulse.answered();
                }
                if let Err(code) = allowance.spend(now) {
                    return End::Close(code);
                }
                match self.hear(heard).await {
                    Ok(None) => {}
                    Ok(Some(messages_per_second)) => {
                        allowance = Allowance::new(messages_per_second, now);
                        alarm.as_mut().reset((now + pulse.interval()).into());
                    }
                    Err(end) => return end,
                }
            }
            self.line.send();
            tokio::select! {
                biased;
                read = stream.read(frames.space()) => match read {
                    Ok(0) | Err(_) => return End::Lost,
                    Ok(count) => {
                        self.play.metrics.play_bytes_in.inc_by(count as u64);
                        frames.advance(count);
                        now = Instant::now();
                        pulse.hear(now);
                    }
                },
                () = alarm.as_mut() => {
                    if self.session == Session::Fresh {
                        return End::Close(CloseCode::HELLO_TIMEOUT);
                    }
                    now = Instant::now();
                    match pulse.beat(now) {
                        Ok(true) => self.outbox().ping(),
                        Ok(false) => {}
                        Err(code) => return End::Close(code),
                    }
                    alarm.as_mut().reset((now + pulse.interval()).into());
                }
            }
        }
    }

    fn outbox(&self) -> &Outbox {
        &self.line.outbox
    }

    /// Acts on a message. Returns the allowance of messages per second if it changes.
    async fn hear(&mut self, heard: Heard<'_>) -> Result<Option<u32>, End> {
        let bytes = match heard {
            Heard::Binary(bytes) => bytes,
            Heard::Text => return Err(End::Close(CloseCode::BAD_MESSAGE)),
            Heard::Close(why) => return Err(End::Left(why.to_vec())),
            Heard::Ping(payload) => {
                self.outbox().pong_frame(payload);
                return Ok(None);
            }
            Heard::Pong => return Ok(None),
        };
        let message = contract::decode::<ClientMessage>(bytes).map_err(|error| {
            tracing::debug!(%error, "undecodable message");
            End::Close(CloseCode::BAD_MESSAGE)
        })?;
        match self.session.hear(message).map_err(End::Close)? {
            Deed::Open(hello) => {
                let messages_per_second = self.open(&hello).map_err(End::Close)?;
                if let Some(by) = hello.resume {
                    self.resume(by).await;
                }
                return Ok(Some(messages_per_second));
            }
            Deed::Join { name, team } => self.join(name, team).await,
            Deed::Input { tick, input } => {
                let Some(seen) = &self.seen else { return Ok(None) };
                let handed_in = seen.visit.port().input(seen.lease.as_ref(), tick, &input);
                handed_in.map_err(|_| End::Close(CloseCode::BAD_MESSAGE))?;
            }
            Deed::Leave => self.leave(),
            Deed::SetMode(mode) => self.set_mode(mode),
            Deed::Resync => self.outbox().resync(),
            Deed::Refuse(refusal) => self.outbox().say(&ServerMessage::Refused(refusal)),
            Deed::Pong { sent_ms } => {
                let Some(seen) = &self.seen else { return Ok(None) };
                self.outbox().pong(&ServerMessage::Pong { sent_ms, tick: seen.visit.port().newest_tick() });
            }
        }
        Ok(None)
    }

    fn open(&mut self, hello: &Hello) -> Result<u32, CloseCode> {
        self.admit(hello)?;
        let visit = self.play.directory.visit(&hello.match_key).map_err(|error| match error {
            OpenError::Full => CloseCode::SERVER_FULL,
            OpenError::NoSuchMatch => CloseCode::NO_SUCH_MATCH,
        })?;
        let port = visit.port();
        let relaying = Relaying::begin(port);
        let welcome = port.welcome(relaying.pass());
        let messages_per_second =
            u32::from(welcome.cadence.ticks_per_second()) * self.play.config.messages_per_tick_max;
        self.outbox().say(&ServerMessage::Welcome(welcome));
        let (version, roster) = port.roster();
        self.outbox().push_roster(version, roster_message(&roster));
        self.outbox().watch_as(port.spectators(), None);
        show_newest(self.outbox(), port.as_ref(), port.spectators());
        let attached = self.play.hubs.attach(port, &self.line);
        // Its last news may have been told before this socket was there to hear it.
        if let Some(code) = ended(port.as_ref()) {
            return Err(code);
        }
        self.seen = Some(Seen { lease: None, _attached: attached, relaying, visit });
        self.session = Session::Watching;
        Ok(messages_per_second)
    }

    fn admit(&self, hello: &Hello) -> Result<(), CloseCode> {
        let admitted = self.play.tickets.admit(hello.ticket.as_ref(), &hello.match_key, wall_clock_ms());
        let outcome = admitted.err().map_or("admitted", |code| code.name);
        self.play.metrics.tickets.with_label_values(&[outcome]).inc();
        admitted
    }

    async fn join(&mut self, name: PlayerName, team: Option<TeamId>) {
        let resume = ResumeSecret(secret::fresh());
        let wish = Wish { holder: Holder::Person, name, team, resume: Some(resume) };
        self.sit_down(resume, |port| port.join(wish)).await;
    }

    async fn resume(&mut self, by: ResumeSecret) {
        let next = ResumeSecret(secret::fresh());
        self.sit_down(next, |port| port.resume(by, next)).await;
    }

    /// Asks the match for a seat, and plays it if it is granted.
    async fn sit_down(
        &mut self,
        resume: ResumeSecret,
        ask: impl FnOnce(&dyn MatchPort) -> Result<oneshot::Receiver<Result<Lease, Refusal>>, Refusal>,
    ) {
        // What was said so far need not wait for the answer.
        self.line.send();
        let outbox = &self.line.outbox;
        let Some(seen) = &mut self.seen else { return };
        let port = seen.visit.port();
        let answer = match ask(port.as_ref()) {
            Ok(answer) => timeout(JOIN_TIMEOUT, answer).await,
            Err(refusal) => return outbox.say(&ServerMessage::Refused(refusal)),
        };
        // A match that does not answer drops the lease, if it ever makes one.
        match answer.unwrap_or(Ok(Err(Refusal::Busy))).unwrap_or(Err(Refusal::Busy)) {
            Ok(lease) => {
                outbox.watch_as(lease.audience, Some((lease.seat, lease.epoch)));
                seen.relaying.stand(Standing { audience: lease.audience, seat: Some(lease.seat) });
                let tick = lease.since.next();
                outbox.say(&ServerMessage::Seated { seat: lease.seat, tick, resume });
                show_newest(outbox, port.as_ref(), lease.audience);
                seen.lease = Some(lease);
                self.session = Session::Seated;
            }
            Err(refusal) => outbox.say(&ServerMessage::Refused(refusal)),
        }
    }

    fn set_mode(&self, mode: Mode) {
        let is_back = self.outbox().set_mode(mode);
        let Some(seen) = self.seen.as_ref().filter(|_| is_back) else { return };
        let port = seen.visit.port();
        show_newest(self.outbox(), port.as_ref(), self.outbox().reader().audience);
    }

    fn leave(&mut self) {
        let Some(seen) = &self.seen else { return };
        self.session = Session::Watching;
        // First, so that what becomes of the seat is no business of this socket any more.
        self.outbox().watch_as(seen.visit.port().spectators(), None);
        seen.relaying.stand(Standing { audience: seen.visit.port().spectators(), seat: None });
        self.outbox().say(&ServerMessage::Unseated);
        let port = seen.visit.port();
        show_newest(self.outbox(), port.as_ref(), port.spectators());
        self.give_back();
    }

    fn give_back(&mut self) {
        if let Some(lease) = self.seen.as_mut().and_then(|seen| seen.lease.take()) {
            lease.give_back();
        }
    }
}

/// Shows a socket the whole view of the newest tick.
fn show_newest(outbox: &Outbox, port: &dyn MatchPort, audience: Audience) {
    let (tick, frame) = port.newest_frame(audience);
    outbox.show(audience, tick, frame);
}

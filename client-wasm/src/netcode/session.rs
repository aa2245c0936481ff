//! The conversation with the server: what may be said when, and what to do when it ends.

use contract::{
    ClientMessage, CloseCode, Hello, MatchKey, MessageError, Pace, PlayerName, Refusal, RosterEntry, SeatId,
    ServerMessage, Snapshot, TeamId, Tick, Welcome, decode, encode,
};

use super::Backoff;

/// A ping is sent this often, in milliseconds.
const PING_MS: f64 = 1_000.0;
/// A server that has said nothing for so long is gone, whatever the socket says. In milliseconds.
const SILENCE_MS: f64 = 6_000.0;

/// Where the conversation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No socket, or one that is not open yet.
    Apart,
    /// `Hello` is said and not answered yet.
    Greeting,
    /// In the match, without a seat.
    Watching,
    /// A seat is asked for.
    Joining,
    /// In the match, with this seat.
    Playing(SeatId),
    /// The server has ended it for good.
    Over,
}

/// What the server said.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// The match and how it runs.
    Welcome(Welcome),
    /// [`Session::roster`] has changed.
    Roster,
    /// A view.
    Snapshot(Snapshot),
    /// This page plays a seat now.
    Seated {
        /// The seat.
        seat: SeatId,
        /// First tick an input may name.
        tick: Tick,
    },
    /// A wish was not granted.
    Refused(Refusal),
    /// This page plays no seat any more.
    Unseated,
    /// How early inputs arrive.
    Pace(Pace),
    /// The server left out ticks.
    Stalled {
        /// How many.
        ticks: u32,
    },
    /// A round trip took so long.
    RoundTrip {
        /// In milliseconds.
        rtt_ms: f64,
    },
    /// Something that has no place at this moment; nothing came of it.
    Unexpected,
}

/// What to do about a socket that is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// Connect again after a while.
    Retry {
        /// In milliseconds.
        in_ms: f64,
    },
    /// Load the page anew: the server runs another version.
    Reload,
    /// Do not connect again; say this.
    Final(&'static str),
}

/// The conversation with the server.
#[derive(Debug)]
pub struct Session {
    match_key: MatchKey,
    phase: Phase,
    /// The seat this page wants, also after a connection was lost.
    wish: Option<(PlayerName, Option<TeamId>)>,
    roster: Vec<RosterEntry>,
    backoff: Backoff,
    outgoing: Vec<Vec<u8>>,
    heard_ms: f64,
    pinged_ms: f64,
}

impl Session {
    /// For the match of this key.
    #[must_use]
    pub fn new(match_key: MatchKey) -> Self {
        Self {
            match_key,
            phase: Phase::Apart,
            wish: None,
            roster: Vec::new(),
            backoff: Backoff::default(),
            outgoing: Vec::new(),
            heard_ms: 0.0,
            pinged_ms: 0.0,
        }
    }

    /// The socket is open.
    pub fn opened(&mut self, now_ms: f64) {
        self.phase = Phase::Greeting;
        self.heard_ms = now_ms;
        self.outgoing.clear();
        let hello = Hello { wire: contract::wire_hash(), sim: sim::sim_hash(), match_key: self.match_key.clone() };
        self.say(&ClientMessage::Hello(hello));
    }

    /// A frame arrived.
    ///
    /// # Errors
    /// When its bytes are not a message: the connection is of no use then.
    pub fn received(&mut self, bytes: &[u8], now_ms: f64) -> Result<Event, MessageError> {
        let message: ServerMessage = decode(bytes)?;
        self.heard_ms = now_ms;
        if (self.phase == Phase::Greeting) != matches!(message, ServerMessage::Welcome(_)) {
            return Ok(Event::Unexpected);
        }
        Ok(match message {
            ServerMessage::Welcome(welcome) => {
                self.phase = Phase::Watching;
                self.ping(now_ms);
                if let Some((name, team)) = self.wish.clone() {
                    self.join(name, team);
                }
                Event::Welcome(welcome)
            }
            ServerMessage::Roster(roster) => {
                self.roster = roster;
                Event::Roster
            }
            ServerMessage::Snapshot(snapshot) => {
                // Only a connection that brings views is a good one.
                self.backoff.reset();
                Event::Snapshot(snapshot)
            }
            ServerMessage::Seated { seat, tick } => {
                self.phase = Phase::Playing(seat);
                Event::Seated { seat, tick }
            }
            ServerMessage::Refused(refusal) => {
                if self.phase == Phase::Joining {
                    self.phase = Phase::Watching;
                    self.wish = None;
                }
                Event::Refused(refusal)
            }
            ServerMessage::Unseated => {
                self.phase = Phase::Watching;
                self.wish = None;
                Event::Unseated
            }
            ServerMessage::Pace(pace) => Event::Pace(pace),
            ServerMessage::Stalled { ticks } => Event::Stalled { ticks },
            ServerMessage::Pong { sent_ms, .. } => {
                let rtt_ms = f64::from(clock_u32(now_ms).wrapping_sub(sent_ms));
                Event::RoundTrip { rtt_ms: rtt_ms.min(SILENCE_MS) }
            }
        })
    }

    /// The socket is closed. `chance` is a random number from 0 to 1.
    pub fn closed(&mut self, code: u16, chance: f64) -> Ending {
        self.outgoing.clear();
        self.roster.clear();
        let reason = CloseCode::from_code(code);
        if reason.is_some_and(|reason| reason.is_final) {
            self.phase = Phase::Over;
            return if code == CloseCode::RELOAD.code { Ending::Reload } else { Ending::Final(farewell(code)) };
        }
        self.phase = Phase::Apart;
        Ending::Retry { in_ms: self.backoff.next_ms(chance) }
    }

    /// Asks for a seat.
    pub fn join(&mut self, name: PlayerName, team: Option<TeamId>) {
        self.wish = Some((name.clone(), team));
        if self.phase == Phase::Watching {
            self.phase = Phase::Joining;
            self.say(&ClientMessage::Join { name, team });
        }
    }

    /// Gives the seat back.
    pub fn leave(&mut self) {
        self.wish = None;
        if matches!(self.phase, Phase::Playing(_) | Phase::Joining) {
            self.say(&ClientMessage::Leave);
        }
    }

    /// Says what this seat does in a tick.
    pub fn input(&mut self, tick: Tick, input: Vec<u8>) {
        if matches!(self.phase, Phase::Playing(_)) {
            self.say(&ClientMessage::Input { tick, input });
        }
    }

    /// Keeps the connection alive. Returns whether the server has been silent for so long that it must be gone.
    pub fn keep_up(&mut self, now_ms: f64) -> bool {
        if matches!(self.phase, Phase::Apart | Phase::Over) {
            return false;
        }
        if self.phase != Phase::Greeting && now_ms - self.pinged_ms >= PING_MS {
            self.ping(now_ms);
        }
        now_ms - self.heard_ms > SILENCE_MS
    }

    /// The page was asleep: silence until now says nothing about the server.
    pub fn woke(&mut self, now_ms: f64) {
        self.heard_ms = now_ms;
    }

    /// Hands each frame that is to be sent to `send`.
    pub fn flush(&mut self, mut send: impl FnMut(&[u8])) {
        for frame in self.outgoing.drain(..) {
            send(&frame);
        }
    }

    /// Where the conversation stands.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether this page has, or is about to have, a seat.
    #[must_use]
    pub fn wants_seat(&self) -> bool {
        self.wish.is_some()
    }

    /// Who plays.
    #[must_use]
    pub fn roster(&self) -> &[RosterEntry] {
        &self.roster
    }

    /// The match's key.
    #[must_use]
    pub fn match_key(&self) -> &MatchKey {
        &self.match_key
    }

    fn ping(&mut self, now_ms: f64) {
        self.pinged_ms = now_ms;
        self.say(&ClientMessage::Ping { sent_ms: clock_u32(now_ms) });
    }

    fn say(&mut self, message: &ClientMessage) {
        self.outgoing.push(encode(message));
    }
}

/// Milliseconds on the wire wrap, which a difference of two of them does not mind.
fn clock_u32(now_ms: f64) -> u32 {
    now_ms as u64 as u32
}

/// What a person reads when the server ends it for good.
fn farewell(code: u16) -> &'static str {
    if code == CloseCode::NO_SUCH_MATCH.code {
        "There is no match at this address."
    } else if code == CloseCode::FLOOD.code {
        "This page sent more than the match can take and was disconnected."
    } else {
        "The match and this page did not understand each other, so the connection was ended."
    }
}

#[cfg(test)]
mod tests;

//! The conversation with the server: what may be said when, and what to do when it ends.

use contract::{
    ClientMessage, CloseCode, Hello, MatchKey, MessageError, Mode, PlayerName, Refusal, RelayPass, ResumeSecret,
    RosterEntry, ServerMessage, TeamId, Tick, Ticket, decode, encode,
};

use super::Backoff;

mod event;

pub use event::{Ending, Event, Phase};

/// A ping is sent this often, in milliseconds.
const PING_MS: f64 = 1_000.0;
/// A server that has said nothing for so long is gone, whatever the socket says. In milliseconds.
const SILENCE_MS: f64 = 6_000.0;
/// A whole view that was asked for is waited for so long before it is asked for again. In milliseconds.
const RESYNC_MS: f64 = 500.0;

/// The conversation with the server.
#[derive(Debug)]
pub struct Session {
    match_key: MatchKey,
    phase: Phase,
    /// The seat this page has asked for and not got yet.
    wish: Option<(PlayerName, Option<TeamId>)>,
    /// Takes the seat up again that this page had when the connection was lost.
    secret: Option<ResumeSecret>,
    /// What this page shows when it relays, as long as it is connected.
    relay: Option<RelayPass>,
    /// Whether this page runs the server's rules.
    can_step: bool,
    is_hidden: bool,
    resync_ms: Option<f64>,
    roster: Vec<RosterEntry>,
    backoff: Backoff,
    outgoing: Vec<Vec<u8>>,
    heard_ms: f64,
    pinged_ms: f64,
}

impl Session {
    /// For the match of this key. With the secret of a seat, it takes that seat up again.
    #[must_use]
    pub fn new(match_key: MatchKey, secret: Option<ResumeSecret>) -> Self {
        Self {
            match_key,
            phase: Phase::Apart,
            wish: None,
            secret,
            relay: None,
            can_step: false,
            is_hidden: false,
            resync_ms: None,
            roster: Vec::new(),
            backoff: Backoff::default(),
            outgoing: Vec::new(),
            heard_ms: 0.0,
            pinged_ms: 0.0,
        }
    }

    /// The socket is open, and this lets it in.
    pub fn opened(&mut self, ticket: Ticket, now_ms: f64) {
        self.phase = Phase::Greeting;
        self.heard_ms = now_ms;
        self.resync_ms = None;
        self.outgoing.clear();
        let hello = Hello {
            wire: contract::wire_hash(),
            sim: sim::sim_hash(),
            match_key: self.match_key.clone(),
            resume: self.secret,
            ticket: Some(ticket),
        };
        self.say(&ClientMessage::Hello(hello));
    }

    /// A frame arrived.
    ///
    /// # Errors
    /// When its bytes are not a message: the connection is of no use then.
    pub fn received(&mut self, bytes: &[u8], now_ms: f64) -> Result<Event, MessageError> {
        let message: ServerMessage = decode(bytes)?;
        let quiet_ms = now_ms - std::mem::replace(&mut self.heard_ms, now_ms);
        if (self.phase == Phase::Greeting) != matches!(message, ServerMessage::Welcome(_)) {
            return Ok(Event::Unexpected);
        }
        Ok(match message {
            ServerMessage::Welcome(welcome) => {
                self.phase = if self.secret.is_some() { Phase::Returning } else { Phase::Watching };
                self.relay = Some(welcome.relay.clone());
                self.can_step = welcome.sim == sim::sim_hash();
                self.tell_mode();
                self.ping(now_ms);
                if let Some((name, team)) = self.wish.clone() {
                    self.join(name, team);
                }
                // A seat may be given back before the first ping is answered, and needs a round trip to begin with.
                Event::Welcome { welcome, rtt_ms: quiet_ms.clamp(0.0, SILENCE_MS) }
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
            ServerMessage::Steps(steps) => {
                self.backoff.reset();
                Event::Steps(steps)
            }
            ServerMessage::Seated { seat, tick, resume } => {
                self.phase = Phase::Playing(seat);
                self.wish = None;
                self.secret = Some(resume);
                Event::Seated { seat, tick }
            }
            ServerMessage::Refused(refusal) => self.refused(refusal),
            ServerMessage::Unseated => {
                self.phase = Phase::Watching;
                self.forget_seat();
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
        self.relay = None;
        let reason = CloseCode::from_code(code);
        if reason == Some(CloseCode::REPLACED) {
            // The other tab has a newer secret; this one's would only be refused.
            self.phase = Phase::Over;
            self.forget_seat();
            return Ending::Elsewhere;
        }
        if reason.is_some_and(|reason| reason.is_final) {
            self.phase = Phase::Over;
            return if code == CloseCode::RELOAD.code { Ending::Reload } else { Ending::Final(farewell(code)) };
        }
        self.phase = Phase::Apart;
        // With everybody else who was there: not all at the same moment.
        let is_sent_away = reason == Some(CloseCode::GOING_AWAY);
        let in_ms = if is_sent_away { self.backoff.sent_away_ms(chance) } else { self.backoff.next_ms(chance) };
        Ending::Retry { in_ms }
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
        self.forget_seat();
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
        // A hidden page is asleep most of the time, and the server looks after its socket.
        if self.is_hidden || matches!(self.phase, Phase::Apart | Phase::Over) {
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

    /// The page is hidden, or seen again.
    pub fn hide(&mut self, is_hidden: bool, now_ms: f64) {
        if std::mem::replace(&mut self.is_hidden, is_hidden) != is_hidden {
            self.heard_ms = now_ms;
            // A whole view comes with the answer.
            self.resync_ms = Some(now_ms);
            if self.is_in() {
                self.tell_mode();
            }
        }
    }

    /// What is known of the world has become useless: asks for a whole view, once until it must have arrived.
    pub fn resync(&mut self, now_ms: f64) {
        let is_asked = self.resync_ms.is_some_and(|asked_ms| now_ms - asked_ms < RESYNC_MS);
        if self.is_in() && !self.is_hidden && !is_asked {
            self.resync_ms = Some(now_ms);
            self.say(&ClientMessage::Resync);
        }
    }

    /// A person asks for another connection after the conversation was over.
    pub fn start_over(&mut self) {
        if self.phase == Phase::Over {
            self.phase = Phase::Apart;
            self.backoff.reset();
        }
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

    /// The secret of this page's seat, which a page loaded anew can begin with.
    #[must_use]
    pub fn secret(&self) -> Option<ResumeSecret> {
        self.secret
    }

    /// What this page shows when it relays an Agent's call; `None` while it is not connected.
    #[must_use]
    pub const fn relay(&self) -> Option<&RelayPass> {
        self.relay.as_ref()
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

    fn refused(&mut self, refusal: Refusal) -> Event {
        match self.phase {
            // The seat is still there, so the secret still is of use.
            Phase::Returning if refusal == Refusal::Busy => return Event::TryAgain,
            Phase::Returning | Phase::Joining => {
                self.phase = Phase::Watching;
                self.forget_seat();
            }
            _ => {}
        }
        Event::Refused(refusal)
    }

    fn forget_seat(&mut self) {
        self.wish = None;
        self.secret = None;
    }

    fn is_in(&self) -> bool {
        !matches!(self.phase, Phase::Apart | Phase::Greeting | Phase::Over)
    }

    fn tell_mode(&mut self) {
        self.say(&ClientMessage::Mode(Mode { can_step: self.can_step, is_hidden: self.is_hidden }));
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
    } else if code == CloseCode::TICKET_MISSING.code {
        "This match is for the guests of its host. Come in by their page."
    } else if code == CloseCode::TICKET_BAD.code || code == CloseCode::TICKET_ELSEWHERE.code {
        "The server did not let this page in."
    } else if code == CloseCode::FLOOD.code {
        "This page sent more than the match can take and was disconnected."
    } else {
        "The match and this page did not understand each other, so the connection was ended."
    }
}

#[cfg(test)]
mod tests;

//! What a socket may say when: the order of messages, and how many.

use std::time::{Duration, Instant};

use contract::{ClientMessage, CloseCode, Hello, Mode, PlayerName, Refusal, TeamId, Tick, wire_hash};

/// What is to be done about a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// Show the match.
    Open(Hello),
    /// Ask the match for a seat.
    Join { name: PlayerName, team: Option<TeamId> },
    /// Hand in an input.
    Input { tick: Tick, input: Vec<u8> },
    /// Give the seat back.
    Leave,
    /// Tell that a wish is not granted.
    Refuse(Refusal),
    /// Tell it in another way from now on.
    SetMode(Mode),
    /// Show the whole view next.
    Resync,
    /// Answer a ping.
    Pong { sent_ms: u32 },
}

/// Where a socket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    /// Nothing was said yet.
    Fresh,
    /// It watches.
    Watching,
    /// It plays.
    Seated,
}

impl Session {
    /// Judges a message. Changes of state are the caller's, because a match has a say in them.
    ///
    /// # Errors
    /// When the message has no place here: the socket is to be closed.
    pub(super) fn hear(self, message: ClientMessage) -> Result<Deed, CloseCode> {
        match (self, message) {
            (Self::Fresh, ClientMessage::Hello(hello)) if hello.wire != wire_hash() => Err(CloseCode::RELOAD),
            (Self::Fresh, ClientMessage::Hello(hello)) => Ok(Deed::Open(hello)),
            (Self::Fresh, _) | (_, ClientMessage::Hello(_)) => Err(CloseCode::OUT_OF_ORDER),
            (Self::Watching, ClientMessage::Join { name, team }) => Ok(Deed::Join { name, team }),
            (Self::Seated, ClientMessage::Join { .. }) => Ok(Deed::Refuse(Refusal::AlreadySeated)),
            // Without a seat it crossed with whatever took the seat away: the answer is the same.
            (_, ClientMessage::Leave) => Ok(Deed::Leave),
            (_, ClientMessage::Input { tick, input }) => Ok(Deed::Input { tick, input }),
            (_, ClientMessage::Mode(mode)) => Ok(Deed::SetMode(mode)),
            (_, ClientMessage::Resync) => Ok(Deed::Resync),
            (_, ClientMessage::Ping { sent_ms }) => Ok(Deed::Pong { sent_ms }),
        }
    }
}

/// Lets a socket send so many messages a second, and a burst when a network has held them up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    per_second: f64,
    left: f64,
    counted_at: Instant,
}

/// Two seconds' worth may come at once.
const BURST_S: f64 = 2.0;

impl Allowance {
    pub(super) fn new(per_second: u32, now: Instant) -> Self {
        let per_second = f64::from(per_second);
        Self { per_second, left: per_second * BURST_S, counted_at: now }
    }

    /// Counts a message.
    ///
    /// # Errors
    /// When it is one too many.
    pub(super) fn spend(&mut self, now: Instant) -> Result<(), CloseCode> {
        let earned: Duration = now.saturating_duration_since(self.counted_at);
        self.counted_at = now;
        self.left = (self.left + earned.as_secs_f64() * self.per_second).min(self.per_second * BURST_S) - 1.0;
        if self.left < 0.0 { Err(CloseCode::FLOOD) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use contract::MatchKey;

    use super::*;

    fn hello(wire: u64) -> ClientMessage {
        ClientMessage::Hello(Hello { wire, sim: 0, match_key: MatchKey::demo(), resume: None, ticket: None })
    }

    fn join() -> ClientMessage {
        ClientMessage::Join { name: PlayerName::clean("Ada").expect("visible"), team: None }
    }

    #[test]
    fn hello_comes_first_and_once() {
        let input = ClientMessage::Input { tick: Tick(0), input: vec![] };
        for message in [join(), ClientMessage::Leave, ClientMessage::Resync, ClientMessage::Ping { sent_ms: 1 }, input]
        {
            assert_eq!(Session::Fresh.hear(message), Err(CloseCode::OUT_OF_ORDER));
        }
        assert!(matches!(Session::Fresh.hear(hello(wire_hash())), Ok(Deed::Open(_))));
        for session in [Session::Watching, Session::Seated] {
            assert_eq!(session.hear(hello(wire_hash())), Err(CloseCode::OUT_OF_ORDER));
        }
    }

    #[test]
    fn a_page_of_another_build_must_reload() {
        assert_eq!(Session::Fresh.hear(hello(wire_hash() ^ 1)), Err(CloseCode::RELOAD));
    }

    #[test]
    fn a_second_seat_is_refused_without_closing() {
        assert_eq!(Session::Seated.hear(join()), Ok(Deed::Refuse(Refusal::AlreadySeated)));
    }

    #[test]
    fn three_messages_per_tick_are_enough_for_everybody() {
        let start = Instant::now();
        let mut allowance = Allowance::new(180, start);
        let mut spend = |ms| allowance.spend(start + Duration::from_millis(ms));
        for second in 0..60 {
            // A network that holds a second's worth back and lets it go at once.
            for _ in 0..180 {
                assert_eq!(spend(second * 1000), Ok(()));
            }
        }
        let sent = (0..).take_while(|_| spend(60_000) == Ok(())).count();
        assert!(sent <= 360, "{sent}");
    }
}

//! Messages of the sync path, between a page and the server.
//!
//! One binary WebSocket frame is one message: a MessagePack map of one entry whose key is the message's letter and
//! whose value is the array of its fields, in order. Fields are only ever appended.
//!
//! ```text
//! page                                   server
//!   | -- h Hello ---------------------------> |   first frame, within the hello deadline, with a ticket
//!   | <------------------------- w Welcome -- |   or a close code
//!   | <------------------------- r Roster --- |   now and on every change
//!   | <------------------------- s Snapshot - |   first a whole view, then the newest on each snapshot tick
//!   | -- j Join ----------------------------> |
//!   | <------------- t Seated / x Refused --- |
//!   | -- i Input (one per tick) ------------> |
//!   | <------------------------- p Pace ----- |   how early this seat's inputs arrive
//!   | -- l Leave ---------------------------> |
//!   | <------------------------- u Unseated - |
//!   | -- m Mode ----------------------------> |   how this page wants to be told, whenever that changes
//!   | <------------------------- d Steps ---- |   in place of a Snapshot, for a page that can step
//!   | -- y Resync --------------------------> |   the next snapshot must be a whole view
//!   | -- g Ping ------- o Pong -------------- |   either way at any time after Welcome
//! ```
//!
//! A page that lost its socket comes back with a new one whose `Hello` carries the secret of its seat; after `Welcome`
//! it is `Seated` again, with a new secret, or `Refused`. The seat's old socket, if there still is one, is closed.
//!
//! The body of a snapshot is the game's own packed view ([`crate::WireView`]); the body of an input is the game's own
//! packed input ([`crate::WireInput`]).

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Audience, Cadence, Holder, MatchKey, PlayerName, SeatId, TeamId, Tick, Ticket, hex, limits};

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClientMessage {
    /// Opens the conversation. Exactly once, first.
    #[serde(rename = "h")]
    Hello(Hello),
    /// Asks for a seat. Answered by `Seated` or `Refused`.
    #[serde(rename = "j")]
    Join {
        /// Name to play under; must be free in this match.
        name: PlayerName,
        /// Wanted side; `None` takes the side with fewer people and Agents.
        team: Option<TeamId>,
    },
    /// What this seat does in one tick. Ignored and counted without a seat.
    #[serde(rename = "i")]
    Input {
        /// The tick whose step uses it: the view with this tick shows its result.
        tick: Tick,
        /// The game's packed input.
        #[serde(with = "serde_bytes")]
        input: Vec<u8>,
    },
    /// Gives the seat back. Answered by `Unseated`.
    #[serde(rename = "l")]
    Leave,
    /// How this page wants to be told. Until the first one: whole views, at full rate.
    #[serde(rename = "m")]
    Mode(Mode),
    /// Asks for a whole view: what is known here has become useless.
    #[serde(rename = "y")]
    Resync,
    /// Asks for an answer, to measure the round trip.
    #[serde(rename = "g")]
    Ping {
        /// Sender's clock, echoed.
        sent_ms: u32,
    },
}

/// First message of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`crate::wire_hash`] of the page's build. Another one than the server's ends the socket: the page must reload.
    pub wire: u64,
    /// Simulation hash of the page's build. Another one than the server's means: play without prediction.
    pub sim: u64,
    /// The match to watch or play.
    pub match_key: MatchKey,
    /// Takes the seat with this secret up again.
    pub resume: Option<ResumeSecret>,
    /// Lets this connection in. Without one it is closed.
    pub ticket: Option<Ticket>,
}

/// How a page wants to be told what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mode {
    /// Whether it runs the same simulation as the server, so that steps are enough.
    pub can_step: bool,
    /// Whether nobody can see it now: then a whole view about once a second is enough.
    pub is_hidden: bool,
}

/// Proof that a page held a seat: made by the server, for one use, told to nobody else.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResumeSecret(#[serde(with = "serde_bytes")] pub [u8; 16]);

impl fmt::Debug for ResumeSecret {
    /// Never shows the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResumeSecret(..)")
    }
}

/// What the server says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerMessage {
    /// Answer to `Hello`: the match and how it runs.
    #[serde(rename = "w")]
    Welcome(Welcome),
    /// Who plays each seat, whole, on every change.
    #[serde(rename = "r")]
    Roster(Vec<RosterEntry>),
    /// The newest view of this socket's audience.
    #[serde(rename = "s")]
    Snapshot(Snapshot),
    /// What every seat did since an earlier snapshot, in place of the newest view.
    #[serde(rename = "d")]
    Steps(Steps),
    /// The socket now plays this seat, from the given tick on.
    #[serde(rename = "t")]
    Seated {
        /// The seat.
        seat: SeatId,
        /// First tick an input may name.
        tick: Tick,
        /// Takes the seat up again after a lost socket, once.
        resume: ResumeSecret,
    },
    /// A wish that was not granted.
    #[serde(rename = "x")]
    Refused(Refusal),
    /// The socket plays no seat any more.
    #[serde(rename = "u")]
    Unseated,
    /// How this seat's inputs arrive, a few times a second.
    #[serde(rename = "p")]
    Pace(Pace),
    /// The server could not keep up and left out ticks; the next ones come later than the clock would say.
    #[serde(rename = "k")]
    Stalled {
        /// Ticks' worth of time that was left out.
        ticks: u32,
    },
    /// Answer to `Ping`.
    #[serde(rename = "o")]
    Pong {
        /// The ping's clock.
        sent_ms: u32,
        /// The newest tick that was published.
        tick: Tick,
    },
}

/// The match and how it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// Id of the game, one of [`crate::games::IDS`].
    pub game: String,
    /// The game's setup in MessagePack.
    #[serde(with = "serde_bytes")]
    pub setup: Vec<u8>,
    /// Simulation hash of the server's build.
    pub sim: u64,
    /// Its ticks and snapshots.
    pub cadence: Cadence,
    /// The newest tick that was published.
    pub tick: Tick,
    /// What this page shows when it relays an Agent's call.
    pub relay: RelayPass,
}

/// Proof that a call comes through a certain page: a secret of one socket, good as long as that is open.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RelayPass(#[serde(with = "serde_bytes")] pub [u8; 16]);

impl RelayPass {
    /// The form used in the header of a contract call: 32 hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        hex::encode(&self.0)
    }

    /// Reads what [`RelayPass::text`] made.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }
}

impl fmt::Debug for RelayPass {
    /// Never shows the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RelayPass(..)")
    }
}

/// Through whose browser an Agent's calls come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelayedBy {
    /// That of somebody who plays this seat.
    #[serde(rename = "p")]
    Player(SeatId),
    /// That of somebody who watches.
    #[serde(rename = "w")]
    Watcher,
}

/// Who plays one seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RosterEntry {
    /// The seat.
    pub seat: SeatId,
    /// Its side.
    pub team: TeamId,
    /// What kind of player holds it.
    pub holder: Holder,
    /// The player's name; bots have one too.
    pub name: PlayerName,
    /// Whether the player has lost touch: mechanics play until they are back, or their time is up.
    pub is_away: bool,
    /// Through whose browser an Agent's last call came; `None` when it came directly, and for everybody else. Whoever relays
    /// could play the seat themselves, so everybody may know.
    pub relayed_by: Option<RelayedBy>,
}

/// A view on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The view's tick.
    pub tick: Tick,
    /// Who may see it.
    pub audience: Audience,
    /// Low half of the world's checksum at this tick.
    pub checksum: u32,
    /// The packed view.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// A snapshot coded as the steps since an earlier one; see [`crate::steps`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// The tick it leads to.
    pub tick: Tick,
    /// Ticks since the snapshot it begins at, which is the last one this socket was sent.
    pub ticks: u8,
    /// Low half of the world's checksum at `tick`.
    pub checksum: u32,
    /// The packed steps.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// How a seat's inputs arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// Smallest margin since the last report: ticks between an input's arrival and its use. Negative: it came late.
    pub margin_ticks: i16,
    /// Inputs of this seat that came too late for their tick, ever.
    pub late: u32,
    /// Inputs of this seat that named a tick already given or too far ahead, or did not fit the buffer, ever.
    pub dropped: u32,
}

/// Why a wish was not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// Every seat, or every seat of the wanted team, is held by a person or an Agent.
    #[serde(rename = "full")]
    Full,
    /// Another player has this name, or one that looks like it.
    #[serde(rename = "name_taken")]
    NameTaken,
    /// The game has no such team.
    #[serde(rename = "no_such_team")]
    NoSuchTeam,
    /// This socket plays a seat already.
    #[serde(rename = "seated")]
    AlreadySeated,
    /// The secret belongs to no seat (any more): somebody else plays it, or it was used before.
    #[serde(rename = "seat_gone")]
    SeatGone,
    /// The match could not answer in time. Try again.
    #[serde(rename = "busy")]
    Busy,
}

impl Refusal {
    /// What a person reads.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Full => "No seat is free on that side. Try the other one, or watch until somebody leaves.",
            Self::NameTaken => "Somebody here plays under that name. Choose another one.",
            Self::NoSuchTeam => "There is no such team.",
            Self::AlreadySeated => "You are already playing.",
            Self::SeatGone => "You were away too long: your seat is somebody else's now.",
            Self::Busy => "The match is busy. Try again.",
        }
    }
}

/// Why the server closed a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseCode {
    /// WebSocket close code.
    pub code: u16,
    /// Word used in logs, metrics and the close frame.
    pub name: &'static str,
    /// Whether trying again is pointless until a person does something about it.
    pub is_final: bool,
}

macro_rules! close_codes {
    ($($(#[$doc:meta])* $constant:ident = $code:literal $name:literal $is_final:literal;)*) => {
        impl CloseCode {
            $($(#[$doc])* pub const $constant: Self = Self { code: $code, name: $name, is_final: $is_final };)*

            /// The reason behind a close code, if it is one of ours.
            #[must_use]
            pub fn from_code(code: u16) -> Option<Self> {
                CLOSE_CODES.iter().copied().find(|reason| reason.code == code)
            }
        }

        /// Every close code of the server.
        pub const CLOSE_CODES: &[CloseCode] = &[$(CloseCode::$constant),*];
    };
}

close_codes! {
    /// The server stops; come back shortly.
    GOING_AWAY = 1001 "going_away" false;
    /// The page was built for another wire format and must be loaded anew.
    RELOAD = 4000 "reload" true;
    /// No `Hello` within its deadline.
    HELLO_TIMEOUT = 4001 "hello_timeout" false;
    /// A message that cannot be decoded, or a text frame.
    BAD_MESSAGE = 4002 "bad_message" true;
    /// A message at a moment when it has no place: before `Hello`, or a second `Hello`.
    OUT_OF_ORDER = 4003 "out_of_order" true;
    /// A message over [`limits::CLIENT_MESSAGE_BYTES_MAX`].
    TOO_LARGE = 4004 "too_large" true;
    /// Many more messages than a player can have a use for.
    FLOOD = 4005 "flood" true;
    /// The reader did not keep up with what must not be dropped.
    SLOW_READER = 4006 "slow_reader" false;
    /// The match's simulation failed and the match is over.
    MATCH_FAILED = 4007 "match_failed" false;
    /// The match ended because nobody was there.
    MATCH_OVER = 4008 "match_over" false;
    /// The server holds as many matches or sockets as it may.
    SERVER_FULL = 4009 "server_full" false;
    /// The server does not let just anybody make a match with this key.
    NO_SUCH_MATCH = 4010 "no_such_match" true;
    /// Nothing was heard from the page for too long.
    SILENT = 4011 "silent" false;
    /// Another socket has taken this one's seat up: the same player, in another tab or after a reload.
    REPLACED = 4012 "replaced" true;
    /// The ticket is not signed by this server or its host, or is good for longer than tickets may be.
    TICKET_BAD = 4013 "ticket_bad" true;
    /// The ticket's time is over, or has not begun. A new one will do.
    TICKET_EXPIRED = 4014 "ticket_expired" false;
    /// The ticket has let somebody in before. A new one will do.
    TICKET_USED = 4015 "ticket_used" false;
    /// The ticket is for another match.
    TICKET_ELSEWHERE = 4016 "ticket_elsewhere" true;
    /// `Hello` came without a ticket.
    TICKET_MISSING = 4017 "ticket_missing" true;
    /// More tickets were used lately than can be remembered. Come back shortly.
    TICKETS_BUSY = 4018 "tickets_busy" false;
}

/// Why bytes are not a message.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// Not MessagePack of the expected shape, or nested too deeply.
    #[error("not a message: {0}")]
    Malformed(#[from] rmp_serde::decode::Error),
    /// Bytes are left after the message.
    #[error("bytes are left after the message")]
    Trailing,
}

/// Encodes a message.
///
/// # Panics
/// Never: our messages hold nothing MessagePack cannot carry.
#[must_use]
pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    rmp_serde::to_vec(message).expect("messages hold plain data only")
}

/// Decodes exactly one message.
///
/// # Errors
/// When the bytes are not one message of this type, to the last byte.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, MessageError> {
    let mut rest = bytes;
    let mut deserializer = rmp_serde::Deserializer::new(&mut rest);
    deserializer.set_max_depth(limits::MESSAGE_DEPTH_MAX);
    let message = M::deserialize(&mut deserializer)?;
    if rest.is_empty() { Ok(message) } else { Err(MessageError::Trailing) }
}

//! 100,000 random schedules of everything that can happen to seats and sockets, beside a model with a perfect memory:
//! hello (with good and bad tickets), drop, resume, displace, expire, hide, leave, and a restart of the socket layer.
//!
//! Nothing but the network is left out: tickets, sessions, outboxes, leases and the match are the real ones.

use std::sync::Arc;

use contract::{
    ClientMessage, CloseCode, Hello, Holder, MatchKey, Mode, PlayerName, Refusal, ResumeSecret, SeatId, Tick, Ticket,
    wire_hash,
};
use tokio::sync::oneshot;

use super::{
    hub::{Sent, tell},
    outbox::Outbox,
    session::{Deed, Session},
};
use crate::{
    config::ContractConfig,
    matches::{Birth, GameKind, Lease, MatchPort, Presence, Reel, Ticked, Uptime, Wish, WorkerHandle, kind_with},
    metrics::Metrics,
    tickets::Tickets,
};

#[path = "../../tests/server/puppet.rs"]
mod puppet;

const SCHEDULES: u32 = 100_000;
const EVENTS: usize = 12;
/// More than there are seats.
const PEOPLE: usize = 4;
const SEATS: usize = 2;
/// Two seconds of this game's ticks.
const GRACE_TICKS: u32 = 10;
const GRACE_MS: u64 = 2_000;
/// A tick lasts so long for tickets.
const TICK_MS: u64 = 200;
/// Long after 1970, as clocks are.
const START_MS: u64 = 1_800_000_000_000;

/// A person, their socket, and what is to be true of them.
#[derive(Default)]
struct Person {
    socket: Option<Socket>,
    /// The seat that is theirs.
    seat: Option<SeatId>,
    /// Since they lost touch: when a bot takes over.
    away_until: Option<Tick>,
    /// The newest secret that reached them.
    secret: Option<ResumeSecret>,
    /// What must open nothing any more.
    void: Vec<ResumeSecret>,
    /// Secret whose use is known to the server only once an input has come.
    before: Option<ResumeSecret>,
}

impl Person {
    /// Whether the seat is theirs still, once it is this tick.
    fn has_seat_at(&self, tick: Tick) -> bool {
        self.seat.is_some() && self.away_until.is_none_or(|until| tick.since(until) < 0)
    }
}

struct Socket {
    outbox: Outbox,
    is_hidden: bool,
    lease: Option<Lease>,
}

/// What is done with the ticket.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leave {
    Fresh,
    Used,
    Expired,
    Elsewhere,
    BeforeRestart,
    None,
}

struct Stage {
    ticked: Box<dyn Ticked>,
    port: Arc<dyn MatchPort>,
    reel: Box<dyn Reel>,
    sent: Sent,
    tickets: Tickets,
    /// One that has let somebody in, and one that was issued before the restart.
    used: Option<Ticket>,
    old: Option<Ticket>,
    people: [Person; PEOPLE],
    secrets: u32,
}

struct Noise(u32);

impl Noise {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

#[test]
fn random_schedules_never_double_leak_or_lose_a_seat() {
    let (kind, metrics, mut noise) = (kind_with::<puppet::Puppet>(()), Arc::new(Metrics::new()), Noise(1));
    let mut resumed = 0_u32;
    for _ in 0..SCHEDULES {
        let mut stage = Stage::new(&kind, &metrics);
        for _ in 0..EVENTS {
            let who = noise.below(PEOPLE);
            match noise.below(10) {
                0..4 => resumed += u32::from(stage.arrive(who, &mut noise)),
                4 => stage.drop_socket(who),
                5 => stage.hide(who),
                6 => stage.leave(who),
                7 => stage.restart_sockets(),
                8 => stage.steal(who),
                _ => (0..noise.below(8)).for_each(|_| stage.tick()),
            }
            stage.tick();
        }
    }
    println!("{SCHEDULES} schedules, {resumed} of their seats taken up again");
    assert!(resumed > SCHEDULES / 4, "the schedules are about coming back: {resumed}");
}

impl Stage {
    fn new(kind: &GameKind, metrics: &Arc<Metrics>) -> Self {
        let uptime = Uptime::start();
        let (ticked, port) = kind.make(Birth {
            key: MatchKey::demo(),
            seed: 0,
            snapshots_per_second: u16::MAX,
            grace_ms: GRACE_MS,
            presence: Presence::new(WorkerHandle::new(uptime), uptime),
            contract: ContractConfig::default(),
            metrics: Arc::clone(metrics),
        });
        let reel = Arc::clone(&port).reel();
        let (tickets, sent) = (Tickets::new(&[], START_MS), Sent::default());
        Self { ticked, port, reel, sent, tickets, used: None, old: None, people: Default::default(), secrets: 0 }
    }

    fn now_ms(&self) -> u64 {
        START_MS + u64::from(self.port.newest_tick().0) * TICK_MS
    }

    fn fresh_secret(&mut self) -> ResumeSecret {
        self.secrets += 1;
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&self.secrets.to_le_bytes());
        ResumeSecret(bytes)
    }

    /// Somebody opens a socket, in place of the one they may still have, and plays if they may. Whether they came back to
    /// their seat.
    fn arrive(&mut self, who: usize, noise: &mut Noise) -> bool {
        let leave = match noise.below(24) {
            0 => Leave::Used,
            1 => Leave::Expired,
            2 => Leave::Elsewhere,
            3 => Leave::BeforeRestart,
            4 => Leave::None,
            _ => Leave::Fresh,
        };
        if !self.let_in(leave, self.people[who].secret) {
            return false;
        }
        let next = self.fresh_secret();
        let by = self.people[who].secret;
        let answer = match by {
            Some(by) => self.port.resume(by, next),
            None => {
                let name = PlayerName::clean(&format!("n{who}")).expect("visible");
                self.port.join(Wish { holder: Holder::Person, name, team: None, resume: Some(next) })
            }
        };
        let answer = answer.expect("room in the inbox");
        let is_lost = noise.one_in(6);
        if by.is_some() {
            self.come_back(who, next, answer, is_lost)
        } else {
            self.sit_down(who, next, answer, is_lost)
        }
    }

    /// Whether a socket gets in, which must be as the ticket deserves.
    fn let_in(&mut self, leave: Leave, resume: Option<ResumeSecret>) -> bool {
        let (key, now_ms) = (MatchKey::demo(), self.now_ms());
        let fresh = self.tickets.issue(&key, now_ms);
        let (ticket, expected) = match leave {
            Leave::Fresh => (Some(fresh), Ok(())),
            Leave::Used if self.used.is_some() => (self.used, Err(CloseCode::TICKET_USED)),
            Leave::BeforeRestart if self.old.is_some() => (self.old, Err(CloseCode::TICKET_BAD)),
            Leave::Elsewhere => {
                let elsewhere = MatchKey::parse("elsewhere").expect("a key");
                (Some(self.tickets.issue(&elsewhere, now_ms)), Err(CloseCode::TICKET_ELSEWHERE))
            }
            Leave::Expired => {
                let lifetime_ms = u64::from(Ticket::LIFETIME_MS_MAX);
                let late = self.tickets.admit(Some(&fresh), &key, now_ms + lifetime_ms);
                assert_eq!(late, Err(CloseCode::TICKET_EXPIRED));
                // That was a look into the future, which tickets do not forget: begin anew.
                self.renew_tickets();
                return false;
            }
            _ => (None, Err(CloseCode::TICKET_MISSING)),
        };
        let hello = Hello { wire: wire_hash(), sim: 0, match_key: key.clone(), resume, ticket };
        let deed = Session::Fresh.hear(ClientMessage::Hello(hello.clone())).expect("hello comes first");
        assert_eq!(deed, Deed::Open(hello));
        assert_eq!(self.tickets.admit(ticket.as_ref(), &key, now_ms), expected, "{leave:?}");
        if expected.is_ok() {
            self.used = ticket;
        }
        expected.is_ok()
    }

    fn sit_down(&mut self, who: usize, next: ResumeSecret, answer: Answer, is_lost: bool) -> bool {
        let next_tick = self.port.newest_tick().next();
        let is_full = self.people.iter().filter(|person| person.has_seat_at(next_tick)).count() == SEATS;
        if is_lost {
            // Nobody has the secret, so nobody gets the seat.
            drop(answer);
            self.run_tick();
            self.tick();
            return false;
        }
        let lease = self.ask(answer);
        if is_full {
            assert_eq!(lease.expect_err("no seat is free"), Refusal::Full);
            return false;
        }
        let lease = lease.expect("a seat is free");
        assert!(self.people.iter().all(|person| person.seat != Some(lease.seat)), "a second owner");
        let person = &mut self.people[who];
        (person.seat, person.secret) = (Some(lease.seat), Some(next));
        person.socket = Some(Socket::with(lease));
        self.look();
        false
    }

    fn come_back(&mut self, who: usize, next: ResumeSecret, answer: Answer, is_lost: bool) -> bool {
        let is_over = !self.people[who].has_seat_at(self.port.newest_tick().next());
        if is_lost && !is_over {
            // Answered into the void: they have lost touch once more, and what they know is still good.
            drop(answer);
            self.run_tick();
            let until = self.port.newest_tick().next().plus(GRACE_TICKS);
            let person = &mut self.people[who];
            (person.away_until, person.before) = (Some(until), None);
            // The seat is out of the old socket's hands.
            person.socket = None;
            return false;
        }
        let answer = self.ask(answer);
        let person = &mut self.people[who];
        if is_over {
            assert_eq!(answer.expect_err("the seat is a bot's"), Refusal::SeatGone);
            (person.seat, person.away_until) = (None, None);
            person.void.extend(person.secret.take());
            self.look();
            return false;
        }
        let lease = answer.expect("within grace");
        assert_eq!(Some(lease.seat), person.seat, "a lost seat");
        person.away_until = None;
        person.before = person.secret.replace(next);
        let displaced = person.socket.replace(Socket::with(lease));
        if let Some(old) = displaced {
            self.look_at(&old);
            assert_eq!(old.outbox.closing(), Some(CloseCode::REPLACED), "the loser is told");
            // Its end comes late and changes nothing.
            drop(old);
        }
        self.press(who);
        self.look();
        true
    }

    /// Sends an input, by which the server knows that the newest secret has arrived.
    fn press(&mut self, who: usize) {
        let tick = self.port.newest_tick().next();
        let person = &mut self.people[who];
        let lease = person.socket.as_ref().and_then(|socket| socket.lease.as_ref());
        self.port.input(lease, tick, &[7]).expect("an input");
        person.void.extend(person.before.take());
    }

    fn drop_socket(&mut self, who: usize) {
        let until = self.port.newest_tick().next().plus(GRACE_TICKS);
        let person = &mut self.people[who];
        if person.socket.take().is_some() {
            person.away_until = Some(until);
        }
    }

    /// A tab goes to the background, or comes back: no business of its seat's.
    fn hide(&mut self, who: usize) {
        if let Some(socket) = &mut self.people[who].socket {
            socket.is_hidden = !socket.is_hidden;
            let is_back = socket.outbox.set_mode(Mode { can_step: true, is_hidden: socket.is_hidden });
            assert_eq!(is_back, !socket.is_hidden);
        }
    }

    fn leave(&mut self, who: usize) {
        let person = &mut self.people[who];
        let Some(lease) = person.socket.take().and_then(|mut socket| socket.lease.take()) else { return };
        lease.give_back();
        person.seat = None;
        person.void.extend(person.secret.take().into_iter().chain(person.before.take()));
    }

    /// All sockets are lost at once, and nothing the new socket layer is told by tickets of the old one counts.
    fn restart_sockets(&mut self) {
        (0..PEOPLE).for_each(|who| self.drop_socket(who));
        self.renew_tickets();
    }

    fn renew_tickets(&mut self) {
        let now_ms = self.now_ms();
        self.old = Some(self.tickets.issue(&MatchKey::demo(), now_ms));
        self.tickets = Tickets::new(&[], now_ms);
        self.used = None;
    }

    /// Somebody tries what they once knew of another.
    fn steal(&mut self, who: usize) {
        let Some(by) = self.people[who].void.last().copied() else { return };
        let next = self.fresh_secret();
        let answer = self.port.resume(by, next).expect("room in the inbox");
        assert_eq!(self.ask(answer).expect_err("worth nothing"), Refusal::SeatGone);
        self.look();
    }

    fn ask(&mut self, mut answer: Answer) -> Result<Lease, Refusal> {
        self.run_tick();
        answer.try_recv().expect("answered with the tick")
    }

    fn tick(&mut self) {
        self.run_tick();
        self.look();
    }

    fn run_tick(&mut self) {
        self.ticked.tick();
        let now = self.port.newest_tick();
        for person in &mut self.people {
            if person.away_until.is_some_and(|until| now.since(until) >= 0) {
                (person.seat, person.away_until) = (None, None);
                person.void.extend(person.before.take());
            }
        }
    }

    /// Compares everything with the model.
    fn look(&mut self) {
        let (_, roster) = self.port.roster();
        for entry in roster.iter() {
            let owners: Vec<&Person> = self.people.iter().filter(|person| person.seat == Some(entry.seat)).collect();
            assert!(owners.len() <= 1, "a second owner");
            let expected =
                owners.first().map_or((Holder::Bot, false), |owner| (Holder::Person, owner.away_until.is_some()));
            assert_eq!((entry.holder, entry.is_away), expected, "a leaked or a lost seat");
        }
        let bulletin = self.reel.advance();
        let news = self.sent.note(&bulletin);
        for socket in self.people.iter().filter_map(|person| person.socket.as_ref()) {
            tell(&socket.outbox, socket.outbox.reader(), &bulletin, &news);
            assert_eq!(socket.outbox.closing(), None, "the owner's socket is closed");
            while socket.outbox.try_next().is_some() {}
        }
    }

    /// What the broadcaster would tell a socket now.
    fn look_at(&mut self, socket: &Socket) {
        let bulletin = self.reel.advance();
        let news = self.sent.note(&bulletin);
        tell(&socket.outbox, socket.outbox.reader(), &bulletin, &news);
    }
}

type Answer = oneshot::Receiver<Result<Lease, Refusal>>;

impl Socket {
    fn with(lease: Lease) -> Self {
        let outbox = Outbox::new();
        outbox.watch_as(lease.audience, Some((lease.seat, lease.epoch)));
        Self { outbox, is_hidden: false, lease: Some(lease) }
    }
}

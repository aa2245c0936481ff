//! Tickets: who may open a connection, decided without asking anybody.
//!
//! A ticket is signed, for one match, good once and for a short time. Nothing is kept of it until it is used; then its
//! number is remembered until its time is over. [`endpoint`] gives them out to anybody; where that is switched off, a
//! host's own backend makes them with the same key.

pub(crate) mod endpoint;
mod key;
mod signed;
mod used;

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use contract::{CloseCode, MatchKey, Ticket};
use parking_lot::Mutex;

pub use key::TicketKey;
use signed::Claims;
use used::{Claim, Used};

/// How far a host's clock may be ahead of this machine's.
const CLOCK_SLACK_MS: u64 = 2_000;

/// Signs tickets, and lets each in once.
#[derive(Debug)]
pub(crate) struct Tickets {
    /// The first one signs; all are accepted, so that a key can be replaced while tickets signed by it are about.
    keys: Vec<TicketKey>,
    used: Mutex<Used>,
    /// Earlier tickets may have been used before a restart, and are refused.
    started_ms: u64,
    /// The latest time seen. Time never goes back here, whatever the machine's clock does: numbers that were forgotten
    /// must not become good again.
    now_ms: AtomicU64,
}

impl Tickets {
    /// With these keys, or with one that dies with the process.
    pub(crate) fn new(keys: &[TicketKey], now_ms: u64) -> Self {
        Self::remembering(Used::default(), keys, now_ms)
    }

    fn remembering(used: Used, keys: &[TicketKey], now_ms: u64) -> Self {
        let keys = if keys.is_empty() { vec![TicketKey::fresh()] } else { keys.to_vec() };
        Self { keys, used: Mutex::new(used), started_ms: now_ms, now_ms: AtomicU64::new(now_ms) }
    }

    /// A ticket for a match.
    pub(crate) fn issue(&self, match_key: &MatchKey, now_ms: u64) -> Ticket {
        Claims::fresh(match_key, self.latest(now_ms)).sign(&self.keys[0])
    }

    /// Lets the bearer of a ticket into a match. Of any number who bring the same one, this is `Ok` for exactly one.
    ///
    /// # Errors
    /// The reason to close the connection for.
    pub(crate) fn admit(&self, ticket: Option<&Ticket>, match_key: &MatchKey, now_ms: u64) -> Result<(), CloseCode> {
        let now_ms = self.latest(now_ms);
        let ticket = ticket.ok_or(CloseCode::TICKET_MISSING)?;
        let claims = Claims::verify(ticket, &self.keys).ok_or(CloseCode::TICKET_BAD)?;
        if claims.lifetime_ms > Ticket::LIFETIME_MS_MAX {
            return Err(CloseCode::TICKET_BAD);
        }
        if !claims.is_for(match_key) {
            return Err(CloseCode::TICKET_ELSEWHERE);
        }
        let is_early = claims.issued_ms > now_ms.saturating_add(CLOCK_SLACK_MS) || claims.issued_ms < self.started_ms;
        if is_early || claims.expires_ms() <= now_ms {
            return Err(CloseCode::TICKET_EXPIRED);
        }
        match self.used.lock().claim(claims.nonce, claims.expires_ms(), now_ms) {
            Claim::First => Ok(()),
            Claim::Again => Err(CloseCode::TICKET_USED),
            Claim::Full => Err(CloseCode::TICKETS_BUSY),
        }
    }

    fn latest(&self, now_ms: u64) -> u64 {
        self.now_ms.fetch_max(now_ms, Ordering::Relaxed).max(now_ms)
    }
}

/// A ticket signed outside of a server, by whoever has its key.
#[must_use]
pub fn sign_ticket(key: &TicketKey, match_key: &MatchKey) -> Ticket {
    Claims::fresh(match_key, wall_clock_ms()).sign(key)
}

/// The time that hosts and servers have in common: milliseconds since 1970.
pub(crate) fn wall_clock_ms() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Barrier,
        atomic::{AtomicU32, Ordering::Relaxed},
    };

    use super::*;

    const NOW: u64 = 1_800_000_000_000;
    const LIFETIME: u64 = Ticket::LIFETIME_MS_MAX as u64;

    fn demo() -> MatchKey {
        MatchKey::demo()
    }

    fn tickets() -> Tickets {
        Tickets::new(&[], NOW)
    }

    fn key(byte: u8) -> TicketKey {
        TicketKey::parse(&format!("{byte:02x}").repeat(32)).expect("a key")
    }

    #[test]
    fn a_ticket_lets_in_once() {
        let tickets = tickets();
        let ticket = tickets.issue(&demo(), NOW);
        assert_eq!(tickets.admit(Some(&ticket), &demo(), NOW), Ok(()));
        assert_eq!(tickets.admit(Some(&ticket), &demo(), NOW + 1), Err(CloseCode::TICKET_USED));
        assert_eq!(tickets.admit(Some(&tickets.issue(&demo(), NOW)), &demo(), NOW), Ok(()), "each has its number");
    }

    #[test]
    fn a_ticket_is_for_its_match_and_its_time_only() {
        let tickets = tickets();
        let ticket = tickets.issue(&demo(), NOW);
        let other = MatchKey::parse("other").expect("a key");
        assert_eq!(tickets.admit(Some(&ticket), &other, NOW), Err(CloseCode::TICKET_ELSEWHERE));
        assert_eq!(tickets.admit(None, &demo(), NOW), Err(CloseCode::TICKET_MISSING));
        assert_eq!(tickets.admit(Some(&ticket), &demo(), NOW + LIFETIME - 1), Ok(()));
        let late = tickets.issue(&demo(), NOW);
        assert_eq!(tickets.admit(Some(&late), &demo(), NOW + 2 * LIFETIME), Err(CloseCode::TICKET_EXPIRED));
    }

    #[test]
    fn every_flipped_bit_and_every_other_key_is_a_forgery() {
        let tickets = tickets();
        let ticket = tickets.issue(&demo(), NOW);
        for bit in 0..8 * Ticket::BYTES {
            let mut forged = ticket;
            forged.0[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(tickets.admit(Some(&forged), &demo(), NOW), Err(CloseCode::TICKET_BAD), "bit {bit}");
        }
        for _ in 0..1000 {
            let mut noise = [0; Ticket::BYTES];
            noise.fill_with(rand::random);
            assert_eq!(tickets.admit(Some(&Ticket(noise)), &demo(), NOW), Err(CloseCode::TICKET_BAD));
        }
        let stranger = Tickets::new(&[], NOW).issue(&demo(), NOW);
        assert_eq!(tickets.admit(Some(&stranger), &demo(), NOW), Err(CloseCode::TICKET_BAD));
        assert_eq!(tickets.admit(Some(&ticket), &demo(), NOW), Ok(()), "none of them used the real one up");
    }

    #[test]
    fn a_host_cannot_sign_tickets_that_last_or_that_begin_later() {
        let tickets = Tickets::new(&[key(1)], NOW);
        let claims = |issued_ms, lifetime_ms| Claims { lifetime_ms, ..Claims::fresh(&demo(), issued_ms) };
        for (what, claims, code) in [
            ("too long", claims(NOW, Ticket::LIFETIME_MS_MAX + 1), CloseCode::TICKET_BAD),
            ("not yet", claims(NOW + CLOCK_SLACK_MS + 1, 1000), CloseCode::TICKET_EXPIRED),
            ("at the end of time", claims(u64::MAX, 1000), CloseCode::TICKET_EXPIRED),
            ("over at once", claims(NOW, 0), CloseCode::TICKET_EXPIRED),
        ] {
            assert_eq!(tickets.admit(Some(&claims.sign(&key(1))), &demo(), NOW), Err(code), "{what}");
        }
        let ahead = claims(NOW + CLOCK_SLACK_MS, 1000).sign(&key(1));
        assert_eq!(tickets.admit(Some(&ahead), &demo(), NOW), Ok(()), "clocks differ a little");
    }

    #[test]
    fn two_keys_are_good_while_one_replaces_the_other() {
        let (old, both, new) =
            (Tickets::new(&[key(1)], NOW), Tickets::new(&[key(2), key(1)], NOW), Tickets::new(&[key(2)], NOW));
        assert_eq!(both.admit(Some(&old.issue(&demo(), NOW)), &demo(), NOW), Ok(()));
        assert_eq!(both.admit(Some(&new.issue(&demo(), NOW)), &demo(), NOW), Ok(()));
        assert_eq!(new.admit(Some(&both.issue(&demo(), NOW)), &demo(), NOW), Ok(()), "the first one signs");
        assert_eq!(old.admit(Some(&both.issue(&demo(), NOW)), &demo(), NOW), Err(CloseCode::TICKET_BAD));
    }

    #[test]
    fn a_ticket_used_before_a_restart_is_not_good_after_it() {
        let before = Tickets::new(&[key(1)], NOW);
        let ticket = before.issue(&demo(), NOW);
        assert_eq!(before.admit(Some(&ticket), &demo(), NOW), Ok(()));
        let after = Tickets::new(&[key(1)], NOW + 10);
        assert_eq!(after.admit(Some(&ticket), &demo(), NOW + 20), Err(CloseCode::TICKET_EXPIRED));
        assert_eq!(after.admit(Some(&after.issue(&demo(), NOW + 20)), &demo(), NOW + 20), Ok(()));
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_used_ticket_good_again() {
        let tickets = tickets();
        let ticket = tickets.issue(&demo(), NOW);
        assert_eq!(tickets.admit(Some(&ticket), &demo(), NOW), Ok(()));
        // An hour later, its number is forgotten.
        let hour = NOW + 3_600_000;
        assert_eq!(tickets.admit(Some(&tickets.issue(&demo(), hour)), &demo(), hour), Ok(()));
        assert_eq!(tickets.admit(Some(&ticket), &demo(), NOW), Err(CloseCode::TICKET_EXPIRED));
        assert_eq!(tickets.admit(Some(&tickets.issue(&demo(), NOW)), &demo(), NOW), Ok(()), "new ones are good");
    }

    #[test]
    fn when_too_many_were_used_newcomers_are_told_to_come_back() {
        let tickets = Tickets::remembering(Used::with_room(3), &[], NOW);
        let admit = |now_ms| tickets.admit(Some(&tickets.issue(&demo(), now_ms)), &demo(), now_ms);
        for at in 0..3 {
            assert_eq!(admit(NOW + at), Ok(()));
        }
        assert_eq!(admit(NOW + 3), Err(CloseCode::TICKETS_BUSY));
        assert_eq!(admit(NOW + LIFETIME), Ok(()), "the first one's time is over");
        assert_eq!(admit(NOW + LIFETIME), Err(CloseCode::TICKETS_BUSY));
    }

    #[test]
    fn of_64_threads_with_one_ticket_one_gets_in() {
        const THREADS: usize = 64;
        let tickets = tickets();
        for _ in 0..200 {
            let ticket = tickets.issue(&demo(), NOW);
            let (start, admitted) = (Barrier::new(THREADS), AtomicU32::new(0));
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        start.wait();
                        match tickets.admit(Some(&ticket), &demo(), NOW) {
                            Ok(()) => drop(admitted.fetch_add(1, Relaxed)),
                            Err(code) => assert_eq!(code, CloseCode::TICKET_USED),
                        }
                    });
                }
            });
            assert_eq!(admitted.into_inner(), 1);
        }
    }
}

//! How the replicas of one Room come to hold the same join secret.
//!
//! ```text
//!   begin ──> Looking ── nobody answered in time ──> Holding (kept from before, or made here)
//!                │                                       │
//!                └──── somebody tells theirs ──> Holding ┴── a smaller one is told ──> Holding (moved)
//! ```
//!
//! The secret itself goes from one replica to one other, privately, and only to somebody the host names as the one who asked
//! or who holds another one. Said aloud, to all replicas, is only a mark: a hash that tells equal from different. Marks are
//! repeated, so replicas that missed each other find out, tell each other their secrets, and the smaller one wins.
//!
//! Time is an argument, and nothing waits here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    InstanceId, JoinSecret, ParticipantId, RequestId,
    rate::Rate,
    roster::{PARTICIPANTS_MAX, Participant},
};

mod word;

pub use word::Word;

/// After the last question has left, answers are waited for so long. In milliseconds.
const ANSWERS_MS: f64 = 1_500.0;
/// However many are to be asked, a page is without a match no longer than this. In milliseconds.
const LOOKING_MS_MAX: f64 = 8_000.0;
/// Marks are repeated this often, in milliseconds.
const MARK_EVERY_MS: f64 = 15_000.0;
/// Between two moves to another match there is this much time at least, whatever is told. In milliseconds.
const MOVE_EVERY_MS: f64 = 3_000.0;
/// Private messages a second. The host allows 10, and counts when they arrive: a busy page may hold up one second's worth
/// until the next one's.
const PRIVATE_PER_SECOND: usize = 5;
/// Marks a second; the host allows 20.
const ALOUD_PER_SECOND: usize = 4;
/// Private messages whose outcome is not known yet; the host allows 32.
const IN_FLIGHT_MAX: usize = 16;
/// An outcome that has not come by then does not come any more, in milliseconds.
const OUTCOME_MS: f64 = 10_000.0;

/// Where the secret comes from, which is what a person is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Others are being asked.
    Looking,
    /// Nobody had one: made here.
    Made,
    /// Nobody had one: the one kept from before.
    Kept,
    /// Another replica told it.
    Given,
    /// Another replica told a better one after this one had begun to play.
    Moved,
}

/// Something to be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// To one participant, privately.
    Private {
        /// Names the message in its outcome.
        id: RequestId,
        /// To whom.
        to: ParticipantId,
        /// What.
        word: Word,
    },
    /// To all replicas.
    Aloud(Word),
}

/// What becomes of a private message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was handed on.
    Sent,
    /// It was too much at the moment; later it may work.
    TooMuch,
    /// It cannot reach them.
    Unreachable,
}

/// The state of one replica.
#[derive(Debug)]
pub struct Handover {
    instance: InstanceId,
    /// What this page holds if nobody else has anything.
    fresh: JoinSecret,
    /// What this page held before it was loaded anew. It counts only when nobody has anything.
    kept: Option<JoinSecret>,
    held: Option<JoinSecret>,
    standing: Standing,
    peers: BTreeMap<ParticipantId, Peer>,
    begun_ms: f64,
    asked_ms: f64,
    /// A mark is to be said.
    owes_mark: bool,
    marked_ms: f64,
    moved_ms: f64,
    /// A smaller secret that is moved to as soon as that may be.
    better: Option<JoinSecret>,
    private: Rate,
    aloud: Rate,
    in_flight: Vec<InFlight>,
    sent: u32,
}

/// Another person in the Room.
#[derive(Debug, Default)]
struct Peer {
    /// What they are to be told next; a newer debt replaces an older one.
    owed: Option<Debt>,
    /// They have a replica: something came from it.
    is_replica: bool,
    /// They asked while there was nothing to tell.
    wants: bool,
    /// Their answer is not waited for.
    is_heard: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Debt {
    Question,
    Secret,
}

#[derive(Debug)]
struct InFlight {
    id: RequestId,
    to: ParticipantId,
    debt: Debt,
    sent_ms: f64,
}

impl Handover {
    /// Before anything is known of the Room. `fresh` is what this page would bring.
    #[must_use]
    pub fn new(instance: InstanceId, fresh: JoinSecret) -> Self {
        Self {
            instance,
            fresh,
            kept: None,
            held: None,
            standing: Standing::Looking,
            peers: BTreeMap::new(),
            begun_ms: 0.0,
            asked_ms: 0.0,
            owes_mark: false,
            marked_ms: 0.0,
            moved_ms: f64::NEG_INFINITY,
            better: None,
            private: Rate::new(PRIVATE_PER_SECOND),
            aloud: Rate::new(ALOUD_PER_SECOND),
            in_flight: Vec::new(),
            sent: 0,
        }
    }

    /// The Room is there, with these other people. Also when it is there again: what is held stays held.
    pub fn begin<'a>(
        &mut self,
        others: impl IntoIterator<Item = &'a Participant>,
        kept: Option<JoinSecret>,
        now_ms: f64,
    ) {
        self.peers = others.into_iter().map(|one| (one.id.clone(), Peer::default())).collect();
        self.in_flight.clear();
        self.owes_mark = true;
        if self.held.is_some() {
            return;
        }
        self.kept = self.kept.or(kept);
        (self.begun_ms, self.asked_ms) = (now_ms, now_ms);
        self.peers.values_mut().for_each(|peer| peer.owed = Some(Debt::Question));
        self.keep_up(now_ms);
    }

    /// A person has come. They have nothing yet, and if they open the App they ask.
    pub fn joined(&mut self, one: &ParticipantId) {
        if let Some(peer) = self.peer(one) {
            peer.is_heard = true;
        }
    }

    /// A person has gone.
    pub fn left(&mut self, one: &ParticipantId) {
        self.peers.remove(one);
        self.in_flight.retain(|message| message.to != *one);
    }

    /// Another replica says something. The host vouches for who it is and for whether it said so privately.
    pub fn heard(&mut self, from: &ParticipantId, payload: &Value, is_private: bool, now_ms: f64) {
        let Some(word) = Word::read(payload) else { return };
        // A secret that was said aloud is not one any more.
        if is_private == matches!(word, Word::Mark(_)) {
            return;
        }
        let held = self.held;
        let own_mark = held.map(|held| held.mark(&self.instance));
        let Some(peer) = self.peer(from) else { return };
        peer.is_replica = true;
        match word {
            Word::Ask | Word::Mark(None) if held.is_some() => peer.owed = Some(Debt::Secret),
            Word::Ask | Word::Mark(None) => peer.wants = true,
            Word::Mark(mark) if held.is_some() => {
                if mark != own_mark {
                    peer.owed = Some(Debt::Secret);
                }
            }
            // They have one: worth a question, unless one is on its way.
            Word::Mark(_) => peer.owed = Some(Debt::Question),
            Word::Tell(secret) => self.told(from, secret, now_ms),
        }
        if !is_private {
            self.aloud.accepted();
        }
        self.keep_up(now_ms);
    }

    fn told(&mut self, from: &ParticipantId, secret: JoinSecret, now_ms: f64) {
        let Some(held) = self.held else {
            self.hold(secret, Standing::Given, Some(from), now_ms);
            return;
        };
        if secret < held {
            self.better = Some(self.better.map_or(secret, |better| better.min(secret)));
        } else if secret > held
            && let Some(peer) = self.peer(from)
        {
            peer.owed = Some(Debt::Secret);
        }
    }

    /// What became of a private message.
    pub fn outcome(&mut self, id: &str, outcome: Outcome, now_ms: f64) {
        let Some(at) = self.in_flight.iter().position(|message| message.id.as_str() == id) else { return };
        let InFlight { to, debt, .. } = self.in_flight.swap_remove(at);
        match outcome {
            Outcome::Sent => self.private.accepted(),
            Outcome::TooMuch => self.private.refused(now_ms),
            Outcome::Unreachable => {}
        }
        if let Some(peer) = self.peers.get_mut(&to) {
            match outcome {
                Outcome::Sent => {}
                Outcome::TooMuch => peer.owed = peer.owed.or(Some(debt)),
                // Should they be there after all, the marks will tell.
                Outcome::Unreachable => peer.is_heard = true,
            }
        }
        self.keep_up(now_ms);
    }

    /// What was said aloud has not been sent: the lane may not be open yet.
    pub fn not_sent(&mut self, now_ms: f64) {
        self.aloud.refused(now_ms);
        self.owes_mark = true;
    }

    /// Does what time has made due.
    pub fn keep_up(&mut self, now_ms: f64) {
        self.in_flight.retain(|message| now_ms - message.sent_ms < OUTCOME_MS);
        match self.held {
            None if self.has_looked(now_ms) => {
                let standing = if self.kept.is_some() { Standing::Kept } else { Standing::Made };
                self.hold(self.kept.unwrap_or(self.fresh), standing, None, now_ms);
            }
            None => {}
            Some(_) => {
                if now_ms - self.moved_ms >= MOVE_EVERY_MS
                    && let Some(better) = self.better.take()
                {
                    self.moved_ms = now_ms;
                    self.hold(better, Standing::Moved, None, now_ms);
                }
                self.owes_mark |= now_ms - self.marked_ms >= MARK_EVERY_MS;
            }
        }
    }

    fn has_looked(&self, now_ms: f64) -> bool {
        let is_asking = self.peers.values().any(|peer| peer.owed == Some(Debt::Question));
        let is_waiting = now_ms - self.asked_ms < ANSWERS_MS && self.peers.values().any(|peer| !peer.is_heard);
        !(is_asking || is_waiting) || now_ms - self.begun_ms >= LOOKING_MS_MAX
    }

    fn hold(&mut self, secret: JoinSecret, standing: Standing, from: Option<&ParticipantId>, now_ms: f64) {
        self.held = Some(secret);
        self.standing = standing;
        (self.owes_mark, self.marked_ms) = (true, now_ms);
        for (id, peer) in &mut self.peers {
            let must_know = std::mem::take(&mut peer.wants) || (standing == Standing::Moved && peer.is_replica);
            peer.owed = (must_know && from != Some(id)).then_some(Debt::Secret);
        }
    }

    /// The next message that may be sent now.
    pub fn next(&mut self, now_ms: f64) -> Option<Outgoing> {
        if self.owes_mark && !self.peers.is_empty() && self.aloud.take(now_ms) {
            (self.owes_mark, self.marked_ms) = (false, now_ms);
            return Some(Outgoing::Aloud(Word::Mark(self.held.map(|held| held.mark(&self.instance)))));
        }
        if self.in_flight.len() == IN_FLIGHT_MAX {
            return None;
        }
        let held = self.held;
        let (to, peer) = self.peers.iter_mut().find(|(_, peer)| peer.owed.is_some())?;
        if !self.private.take(now_ms) {
            return None;
        }
        let debt = peer.owed.take()?;
        let word = match (debt, held) {
            (Debt::Secret, Some(held)) => Word::Tell(held),
            _ => Word::Ask,
        };
        if word == Word::Ask {
            self.asked_ms = now_ms;
        }
        self.sent += 1;
        // The host remembers ids for a while, also those of a page that was loaded before this one.
        let id = RequestId::parse(&format!("{}-{}", self.fresh.mark(&self.instance), self.sent))?;
        self.in_flight.push(InFlight { id: id.clone(), to: to.clone(), debt, sent_ms: now_ms });
        Some(Outgoing::Private { id, to: to.clone(), word })
    }

    /// The secret to play by: what is held, or while others are asked what was kept.
    #[must_use]
    pub fn secret(&self) -> Option<JoinSecret> {
        self.held.or(self.kept)
    }

    /// Where it comes from.
    #[must_use]
    pub const fn standing(&self) -> Standing {
        self.standing
    }

    /// How long nobody's answer is waited for any more, for a page whose timers may rest. In milliseconds.
    #[must_use]
    pub const fn patience_ms() -> f64 {
        ANSWERS_MS
    }

    fn peer(&mut self, id: &ParticipantId) -> Option<&mut Peer> {
        if !self.peers.contains_key(id) {
            if self.peers.len() >= PARTICIPANTS_MAX {
                return None;
            }
            // The host tells of a message before it tells who came.
            self.peers.insert(id.clone(), Peer { is_heard: true, ..Peer::default() });
        }
        self.peers.get_mut(id)
    }
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

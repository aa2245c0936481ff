//! What became of acts with a key: the same act again gets the same answer and has no effect of its own.
//!
//! A key counts for the seat token it came with. Acts without a token (`take_seat`) share one scope: whoever sends such an
//! act again with its key is told the token again, so those keys are long and must be hard to guess, and once the token
//! was used it is told no more.

use std::collections::{HashMap, VecDeque};

use contract::agent::{ActKey, Fault, FaultCode};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::{calls::Answered, digest::Digest};

/// Keys of a scope that are remembered, however old.
const KEYS_MIN: usize = 256;

/// Keys of a scope that are remembered at all. When so many of the last two minutes are, further ones are refused.
const KEYS_MAX: usize = 1024;

/// How long a key is remembered at least.
const MEMORY_MS: u64 = 120_000;

/// Scopes of tokens that are void by now, the newest ones. Older ones are forgotten before their time.
const VOID_SCOPES_MAX: usize = 64;

/// The keys of one match. Only contract threads lock it.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    scopes: Mutex<HashMap<Scope, Ring>>,
}

/// Whose keys are meant: those of a seat token, or of acts without one.
pub(super) type Scope = Option<Digest>;

/// Where the answer of an act is found once there is one.
pub(super) type Pending = watch::Sender<Option<Answered>>;

/// The keys of one scope, in the order they came.
#[derive(Debug, Default)]
struct Ring {
    entries: HashMap<ActKey, Entry>,
    order: VecDeque<ActKey>,
    used_ms: u64,
}

#[derive(Debug)]
struct Entry {
    body: Digest,
    since_ms: u64,
    answer: Pending,
}

/// What to do about an act with a key.
#[derive(Debug)]
pub(super) enum Claim {
    /// It is new: carry it out, and [`Keys::settle`] it.
    New(watch::Receiver<Option<Answered>>),
    /// It was carried out, or is being: wait for that answer.
    Known(watch::Receiver<Option<Answered>>),
}

impl Keys {
    /// Finds an act that came before, without making a new one.
    ///
    /// # Errors
    /// When the key was used for another act.
    pub(super) fn find(
        &self,
        scope: Scope,
        key: &ActKey,
        body: &Digest,
    ) -> Result<Option<watch::Receiver<Option<Answered>>>, Fault> {
        let scopes = self.scopes.lock();
        let Some(entry) = scopes.get(&scope).and_then(|ring| ring.entries.get(key)) else { return Ok(None) };
        entry.same(body).map(Some)
    }

    /// Finds an act that came before, or makes a new one.
    ///
    /// # Errors
    /// When the key was used for another act, or too many keys are remembered.
    pub(super) fn claim(&self, scope: Scope, key: &ActKey, body: Digest, now_ms: u64) -> Result<Claim, Fault> {
        let mut scopes = self.scopes.lock();
        let ring = scopes.entry(scope).or_default();
        ring.used_ms = now_ms;
        if let Some(entry) = ring.entries.get(key) {
            return entry.same(&body).map(Claim::Known);
        }
        ring.forget_old(now_ms);
        if ring.order.len() >= KEYS_MAX {
            let text = "1024 keys of the last two minutes are remembered; wait, or act without a key";
            return Err(Fault::new(FaultCode::RateLimited, text));
        }
        let (answer, receiver) = watch::channel(None);
        ring.entries.insert(key.clone(), Entry { body, since_ms: now_ms, answer });
        ring.order.push_back(key.clone());
        Ok(Claim::New(receiver))
    }

    /// Keeps the answer of an act, in place of one that was kept before.
    pub(super) fn settle(&self, scope: Scope, key: &ActKey, answered: Answered) {
        if let Some(entry) = self.scopes.lock().get(&scope).and_then(|ring| ring.entries.get(key)) {
            entry.answer.send_replace(Some(answered));
        }
    }

    /// Answers those who wait for an act that was not carried out for a passing reason, and forgets it: the same call may
    /// be tried again.
    pub(super) fn release(&self, scope: Scope, key: &ActKey, answered: Answered) {
        let mut scopes = self.scopes.lock();
        let Some(ring) = scopes.get_mut(&scope) else { return };
        if let Some(entry) = ring.entries.remove(key) {
            ring.order.retain(|other| other != key);
            entry.answer.send_replace(Some(answered));
        }
    }

    /// Forgets the scopes of tokens that are void, after a while.
    pub(super) fn sweep(&self, now_ms: u64, is_good: impl Fn(&Digest) -> bool) {
        let mut scopes = self.scopes.lock();
        let is_void = |scope: &Scope| scope.as_ref().is_some_and(|token| !is_good(token));
        scopes.retain(|scope, ring| !is_void(scope) || now_ms.saturating_sub(ring.used_ms) < MEMORY_MS);
        let mut void: Vec<_> =
            scopes.iter().filter(|(scope, _)| is_void(scope)).map(|(scope, ring)| (ring.used_ms, *scope)).collect();
        void.sort_unstable_by_key(|(used_ms, _)| std::cmp::Reverse(*used_ms));
        for (_, scope) in void.into_iter().skip(VOID_SCOPES_MAX) {
            scopes.remove(&scope);
        }
    }
}

impl Ring {
    /// Makes room: what is old gives way to what is new.
    fn forget_old(&mut self, now_ms: u64) {
        while self.order.len() >= KEYS_MIN {
            let Some(oldest) = self.order.front() else { return };
            let is_old = |entry: &Entry| now_ms.saturating_sub(entry.since_ms) >= MEMORY_MS;
            if !self.entries.get(oldest).is_none_or(is_old) {
                return;
            }
            self.entries.remove(oldest);
            self.order.pop_front();
        }
    }
}

impl Entry {
    fn same(&self, body: &Digest) -> Result<watch::Receiver<Option<Answered>>, Fault> {
        if self.body == *body {
            return Ok(self.answer.subscribe());
        }
        Err(Fault::new(FaultCode::KeyReused, "this key was used for another act; use a new one").at("key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> ActKey {
        ActKey::parse(&format!("key-{number}")).expect("a key")
    }

    fn is_new(keys: &Keys, number: usize, now_ms: u64) -> bool {
        matches!(keys.claim(None, &key(number), Digest::of(&[b"body"]), now_ms), Ok(Claim::New(_)))
    }

    #[test]
    fn keys_are_remembered_for_two_minutes_and_the_newest_256_for_longer() {
        let keys = Keys::default();
        for number in 0..KEYS_MAX {
            assert!(is_new(&keys, number, 0));
        }
        let full = keys.claim(None, &key(KEYS_MAX), Digest::of(&[b"body"]), MEMORY_MS - 1).expect_err("full");
        assert_eq!(full.code, FaultCode::RateLimited);
        assert!((0..KEYS_MAX).all(|number| !is_new(&keys, number, MEMORY_MS - 1)), "all are remembered");
        assert!(is_new(&keys, KEYS_MAX, MEMORY_MS), "the oldest gave way");
        let kept = KEYS_MAX - KEYS_MIN + 1..=KEYS_MAX;
        assert!(kept.clone().all(|number| !is_new(&keys, number, 10 * MEMORY_MS)), "the newest 256 stay");
        assert!(is_new(&keys, kept.start() - 1, 10 * MEMORY_MS));
    }

    #[test]
    fn a_key_is_for_one_act_of_one_scope() {
        let keys = Keys::default();
        let (one, other) = (Digest::of(&[b"one"]), Digest::of(&[b"other"]));
        assert!(matches!(keys.claim(Some(one), &key(1), one, 0), Ok(Claim::New(_))));
        assert!(matches!(keys.claim(Some(one), &key(1), one, 0), Ok(Claim::Known(_))));
        assert_eq!(keys.claim(Some(one), &key(1), other, 0).map(drop).expect_err("reused").code, FaultCode::KeyReused);
        assert!(keys.find(Some(one), &key(1), &other).is_err());
        assert!(matches!(keys.claim(Some(other), &key(1), other, 0), Ok(Claim::New(_))));
    }

    #[test]
    fn what_was_not_carried_out_may_be_tried_again() {
        let keys = Keys::default();
        let body = Digest::of(&[b"body"]);
        let Ok(Claim::New(waiting)) = keys.claim(None, &key(1), body, 0) else { panic!("new") };
        keys.release(None, &key(1), Answered::default());
        assert!(waiting.borrow().is_some());
        assert!(is_new(&keys, 1, 0));
    }

    #[test]
    fn keys_outlive_their_token_for_a_while() {
        let keys = Keys::default();
        let scope = |number: usize| Some(Digest::of(&[&number.to_le_bytes()]));
        for number in 0..100 {
            let now_ms = u64::try_from(number).expect("small");
            keys.claim(scope(number), &key(1), Digest::of(&[b"body"]), now_ms).expect("new");
        }
        let good = scope(0).expect("a scope");
        keys.sweep(100, |token| *token == good);
        let known = |number: usize| keys.find(scope(number), &key(1), &Digest::of(&[b"body"])).expect("same").is_some();
        assert!(known(0) && known(99) && known(36) && !known(35), "the newest 64 of void tokens, and the good one");
        keys.sweep(MEMORY_MS + 50, |token| *token == good);
        assert!(known(0) && known(99) && !known(50));
    }
}

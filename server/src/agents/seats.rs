//! Which Agent holds which seat: tokens, and when each was last used.

use std::{fmt, num::NonZeroU32, time::Duration};

use contract::{
    SeatId,
    agent::{ActKey, SeatToken},
    hex,
};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use parking_lot::Mutex;

use super::{calls::scope_of, keys::Keys, repeats::Repeats};
use crate::{
    config::ContractConfig,
    matches::{Epoch, Lease},
    secret::{self, SECRET_BYTES, is_same},
};

/// The Agents of one match. Only contract threads lock it; the worker neither sees it nor waits for it.
pub(crate) struct AgentSeats {
    holders: Mutex<Vec<Option<AgentSeat>>>,
    /// Acts that came with a key.
    pub(super) keys: Keys,
    /// Calls that were refused.
    pub(super) repeats: Repeats,
    idle_ms_max: u64,
    quota: Quota,
    /// Whether anybody may call without a page that relays.
    /// How long an act may take.
    pub(crate) answer_timeout: Duration,
}

struct AgentSeat {
    secret: [u8; SECRET_BYTES],
    lease: Lease,
    called_ms: u64,
    /// The key under which the token can be told again, until it is used.
    told_by: Option<ActKey>,
    calls: DefaultDirectRateLimiter,
}

/// A caller whose token fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) seat: SeatId,
    pub(crate) epoch: Epoch,
}

/// Why a caller with a token is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotLetIn {
    /// The token fits no seat.
    BadToken,
    /// The seat's calls come too often.
    TooOften,
}

impl fmt::Debug for AgentSeats {
    /// Never shows a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentSeats(..)")
    }
}

impl AgentSeats {
    pub(crate) fn new(seats: usize, config: &ContractConfig) -> Self {
        let per_second = NonZeroU32::new(config.calls_per_second_per_seat).unwrap_or(NonZeroU32::MIN);
        Self {
            holders: Mutex::new((0..seats).map(|_| None).collect()),
            keys: Keys::default(),
            repeats: Repeats::default(),
            idle_ms_max: config.seat_idle_ms,
            quota: Quota::per_second(per_second),
            answer_timeout: Duration::from_millis(config.answer_timeout_ms),
        }
    }

    /// Keeps an Agent's lease and makes the token for it, to be told under this key.
    pub(super) fn admit(&self, lease: Lease, told_by: Option<ActKey>, now_ms: u64) -> SeatToken {
        let secret = secret::fresh();
        let at = lease.seat.index();
        let calls = RateLimiter::direct(self.quota);
        // What was there is a lease that is over; dropping it changes nothing.
        self.holders.lock()[at] = Some(AgentSeat { secret, lease, called_ms: now_ms, told_by, calls });
        token_of(&secret)
    }

    /// Finds the seat of a token and counts the call. On the token's first use also returns the key it was told by.
    pub(super) fn authenticate(&self, token: &SeatToken, now_ms: u64) -> Result<(Caller, Option<ActKey>), NotLetIn> {
        let mut holders = self.holders.lock();
        let agent = find(&holders, token).and_then(|at| holders[at].as_mut()).ok_or(NotLetIn::BadToken)?;
        agent.called_ms = now_ms;
        agent.calls.check().map_err(|_| NotLetIn::TooOften)?;
        Ok((Caller { seat: agent.lease.seat, epoch: agent.lease.epoch }, agent.told_by.take()))
    }

    /// Whether a token is a seat's.
    pub(super) fn is_known(&self, token: &SeatToken) -> bool {
        find(&self.holders.lock(), token).is_some()
    }

    /// Forgets an Agent that left.
    pub(super) fn dismiss(&self, caller: Caller) {
        let holder = &mut self.holders.lock()[caller.seat.index()];
        if holder.as_ref().is_some_and(|agent| agent.lease.epoch == caller.epoch) {
            *holder = None;
        }
    }

    /// Gives back the seats of Agents that have not called for too long.
    pub(crate) fn sweep(&self, now_ms: u64) {
        let is_idle = |agent: &AgentSeat| now_ms.saturating_sub(agent.called_ms) >= self.idle_ms_max;
        let mut holders = self.holders.lock();
        for holder in holders.iter_mut() {
            if holder.as_ref().is_some_and(is_idle) {
                *holder = None;
            }
        }
        let good: Vec<_> = holders.iter().flatten().map(|agent| scope_of(&token_of(&agent.secret))).collect();
        drop(holders);
        self.keys.sweep(now_ms, |token| good.contains(token));
    }
}

/// Which seat's token it is. Every seat is compared in full, so that the time taken tells nothing about how much of a
/// token is right.
fn find(holders: &[Option<AgentSeat>], token: &SeatToken) -> Option<usize> {
    let secret = hex::decode(token.secret())?;
    let mut found = None;
    for (at, holder) in holders.iter().enumerate() {
        if holder.as_ref().is_some_and(|agent| is_same(&agent.secret, &secret)) {
            found = Some(at);
        }
    }
    found
}

fn token_of(secret: &[u8; SECRET_BYTES]) -> SeatToken {
    SeatToken::new(hex::encode(secret))
}

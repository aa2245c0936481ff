//! How many calls a listener takes per second.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
};

use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

/// When more addresses than this are remembered, those that have not called lately are forgotten.
const ADDRESSES_MAX: usize = 10_000;

/// Limits calls of everybody together, and of each address. A second's worth may come at once.
#[derive(Debug)]
pub(crate) struct CallRate {
    all: DefaultDirectRateLimiter,
    by_address: DefaultKeyedRateLimiter<IpAddr>,
}

impl CallRate {
    pub(crate) fn new(per_second: u32, per_second_per_address: u32) -> Self {
        let quota = |per_second| Quota::per_second(NonZeroU32::new(per_second).unwrap_or(NonZeroU32::MIN));
        Self {
            all: RateLimiter::direct(quota(per_second)),
            by_address: RateLimiter::keyed(quota(per_second_per_address)),
        }
    }

    /// Counts a call, unless it is one too many.
    pub(crate) fn allows(&self, peer: IpAddr) -> bool {
        if self.by_address.len() > ADDRESSES_MAX {
            self.by_address.retain_recent();
        }
        self.by_address.check_key(&network_of(peer)).is_ok() && self.all.check().is_ok()
    }
}

/// Whom an address belongs to: for version 6 a whole /64, which is what one customer has.
pub(crate) const fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

//! How many calls about one match one caller may have in flight.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use contract::MatchKey;
use parking_lot::Mutex;

/// The calls that are being answered, counted by match and by whom an address belongs to: a Room's calls all come from
/// the browser that relays, and nobody elsewhere can take their places. Holds no more entries than there are connections.
#[derive(Debug)]
pub(super) struct InFlight {
    per_match: u32,
    counts: Mutex<HashMap<(MatchKey, IpAddr), u32>>,
}

/// The place of one call; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    all: Arc<InFlight>,
    whose: (MatchKey, IpAddr),
}

impl InFlight {
    pub(super) fn new(per_match: u32) -> Arc<Self> {
        Arc::new(Self { per_match, counts: Mutex::default() })
    }

    /// A place, unless all are taken.
    pub(super) fn enter(self: &Arc<Self>, key: &MatchKey, network: IpAddr) -> Option<Place> {
        let whose = (key.clone(), network);
        let mut counts = self.counts.lock();
        let count = counts.entry(whose.clone()).or_default();
        if *count >= self.per_match {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Place { all: Arc::clone(self), whose })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.all.counts.lock();
        if let Some(count) = counts.get_mut(&self.whose) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.whose);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_belong_to_one_match_and_one_caller_and_come_back() {
        let all = InFlight::new(2);
        let (one, other) = (MatchKey::parse("one").expect("legal"), MatchKey::parse("other").expect("legal"));
        let [here, there] = [[127, 0, 0, 1], [10, 0, 0, 1]].map(IpAddr::from);
        let first = all.enter(&one, here).expect("free");
        let _second = all.enter(&one, here).expect("free");
        assert!(all.enter(&one, here).is_none());
        let elsewhere = [all.enter(&one, there), all.enter(&other, here)];
        assert!(elsewhere.iter().all(Option::is_some));
        drop(first);
        assert!(all.enter(&one, here).is_some(), "one left");
        drop(elsewhere);
        assert_eq!(all.counts.lock().len(), 1);
    }
}

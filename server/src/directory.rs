//! Where matches are found by their keys.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, atomic::Ordering},
};

use contract::MatchKey;
use parking_lot::Mutex;

use crate::{
    config::{ContractConfig, MatchesConfig},
    matches::{Birth, Games, MatchPort, Presence, Status, Uptime, WorkerHandle},
    metrics::{Census, Metrics},
};

/// All matches by key.
pub(crate) struct Directory {
    entries: Mutex<Entries>,
    games: Games,
    matches: MatchesConfig,
    contract: ContractConfig,
    workers: Vec<Arc<WorkerHandle>>,
    uptime: Uptime,
    metrics: Arc<Metrics>,
}

struct Entries {
    by_key: HashMap<MatchKey, Arc<dyn MatchPort>>,
    next_seed: Option<u64>,
}

/// Why a key leads to no match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenError {
    /// There are as many matches as there may be.
    Full,
    /// Keys do not make matches here.
    NoSuchMatch,
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Directory(..)")
    }
}

/// Being there: the match is ticked as long as this is held.
pub(crate) struct Visit(Arc<dyn MatchPort>);

impl Visit {
    pub(crate) fn port(&self) -> &Arc<dyn MatchPort> {
        &self.0
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.presence().depart();
    }
}

impl Directory {
    pub(crate) fn new(
        games: Games,
        matches: MatchesConfig,
        contract: ContractConfig,
        workers: Vec<Arc<WorkerHandle>>,
        uptime: Uptime,
        metrics: Arc<Metrics>,
    ) -> Self {
        let entries = Mutex::new(Entries { by_key: HashMap::new(), next_seed: matches.seed });
        let directory = Self { entries, games, matches, contract, workers, uptime, metrics };
        directory.keep_demo(&mut directory.entries.lock());
        directory
    }

    /// The match at a key, if there is one.
    pub(crate) fn find(&self, key: &MatchKey) -> Option<Arc<dyn MatchPort>> {
        let entries = self.entries.lock();
        entries.by_key.get(key).filter(|port| port.presence().status() == Status::Live).cloned()
    }

    /// The match at a key, made if need be, and ticked for a while.
    pub(crate) fn open(&self, key: &MatchKey) -> Result<Arc<dyn MatchPort>, OpenError> {
        let mut entries = self.entries.lock();
        let port = self.find_or_make(&mut entries, key)?;
        port.presence().touch();
        Ok(port)
    }

    /// Comes to the match at a key and stays.
    pub(crate) fn visit(&self, key: &MatchKey) -> Result<Visit, OpenError> {
        let mut entries = self.entries.lock();
        let port = self.find_or_make(&mut entries, key)?;
        port.presence().arrive();
        Ok(Visit(port))
    }

    /// Forgets matches that failed, ends those where nobody was for long, and takes the seats of Agents that stay away.
    pub(crate) fn sweep(&self) {
        let demo = MatchKey::demo();
        let mut entries = self.entries.lock();
        entries.by_key.retain(|key, port| {
            let presence = port.presence();
            if presence.status() != Status::Live {
                return false;
            }
            port.sweep_agents();
            let stays = *key == demo || presence.is_wanted(self.matches.end_after_ms);
            if !stays {
                tracing::info!(key = key.as_str(), "match ends, nobody was there for long");
                presence.end(Status::Over);
            }
            stays
        });
        self.keep_demo(&mut entries);
    }

    /// Counts matches and seats.
    pub(crate) fn census(&self) -> Census {
        let entries = self.entries.lock();
        let mut census = Census::default();
        for port in entries.by_key.values() {
            *(if port.presence().is_asleep() { &mut census.asleep } else { &mut census.awake }) += 1;
            let [people, agents, bots] = port.holders();
            census.people += people;
            census.agents += agents;
            census.bots += bots;
        }
        census
    }

    /// Workers that have not moved for this long.
    pub(crate) fn stuck_workers(&self, stall_ms: u64) -> usize {
        let now_ms = self.uptime.now_ms();
        self.workers.iter().filter(|worker| now_ms.saturating_sub(worker.beat_ms()) > stall_ms).count()
    }

    fn keep_demo(&self, entries: &mut Entries) {
        if !entries.by_key.contains_key(&MatchKey::demo()) {
            self.make(entries, &MatchKey::demo());
        }
    }

    fn find_or_make(&self, entries: &mut Entries, key: &MatchKey) -> Result<Arc<dyn MatchPort>, OpenError> {
        if let Some(port) = entries.by_key.get(key)
            && port.presence().status() == Status::Live
        {
            return Ok(Arc::clone(port));
        }
        // A match under this key that has ended gives way to a new one.
        let had = entries.by_key.remove(key).is_some();
        if !had && !self.matches.open && *key != MatchKey::demo() {
            return Err(OpenError::NoSuchMatch);
        }
        if entries.by_key.len() >= self.matches.count_max {
            return Err(OpenError::Full);
        }
        Ok(self.make(entries, key))
    }

    fn make(&self, entries: &mut Entries, key: &MatchKey) -> Arc<dyn MatchPort> {
        let seed = entries.next_seed.unwrap_or_else(rand::random);
        entries.next_seed = entries.next_seed.map(|seed| seed.wrapping_add(1));
        let worker = self.workers.iter().min_by_key(|worker| worker.load.load(Ordering::Relaxed));
        let worker = worker.expect("there is at least one worker");
        let (ticked, port) = self.games.of(key).make(Birth {
            key: key.clone(),
            seed,
            snapshots_per_second: self.matches.snapshots_per_second,
            grace_ms: self.matches.grace_ms,
            presence: Presence::new(Arc::clone(worker), self.uptime),
            contract: self.contract.clone(),
            metrics: Arc::clone(&self.metrics),
        });
        worker.adopt(ticked);
        self.metrics.matches_made.inc();
        tracing::info!(key = key.as_str(), seed, "match made");
        entries.by_key.insert(key.clone(), Arc::clone(&port));
        port
    }
}

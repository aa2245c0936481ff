//! Sends a match's ticks to its sockets: each view is encoded once, whoever many look at it.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use bytes::Bytes;
use contract::{Cadence, CloseCode, MatchKey, ServerMessage};
use parking_lot::Mutex;
use tokio::task::{AbortHandle, yield_now};

use super::{
    line::Line,
    outbox::{Outbox, Reader, Want},
    rate::Shift,
};
use crate::{
    matches::{Bulletin, MatchPort, Reel, Status},
    metrics::Metrics,
};

/// Sockets that are sent to in a row, before others of this thread have their turn: a good half of a millisecond.
const SENDS_PER_TURN: usize = 64;

/// The hubs of all matches that have sockets.
#[derive(Debug)]
pub(super) struct Hubs {
    by_key: Arc<Mutex<HashMap<MatchKey, Arc<Hub>>>>,
    metrics: Arc<Metrics>,
}

/// The sockets of one match. There is a task as long as there is a socket.
struct Hub {
    port: Arc<dyn MatchPort>,
    /// Replaced whenever somebody comes or goes, so that nobody waits for the broadcaster.
    sockets: Mutex<Arc<[Arc<Line>]>>,
    task: Mutex<Option<AbortHandle>>,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hub({})", self.port.key().as_str())
    }
}

/// A socket's place in a hub, given up when this is dropped.
#[derive(Debug)]
pub(super) struct Attached {
    hub: Arc<Hub>,
    line: Arc<Line>,
    by_key: Arc<Mutex<HashMap<MatchKey, Arc<Hub>>>>,
}

impl Hubs {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self { by_key: Arc::default(), metrics }
    }

    /// Has a match's ticks sent over this line.
    pub(super) fn attach(&self, port: &Arc<dyn MatchPort>, line: &Arc<Line>) -> Attached {
        let mut by_key = self.by_key.lock();
        // A hub under the same key may belong to a match that has ended.
        let known = by_key.get(port.key()).filter(|hub| Arc::ptr_eq(&hub.port, port));
        let hub = known.map_or_else(|| Hub::start(Arc::clone(port), Arc::clone(&self.metrics)), Arc::clone);
        {
            let mut sockets = hub.sockets.lock();
            *sockets = sockets.iter().chain([line]).cloned().collect();
        }
        by_key.insert(port.key().clone(), Arc::clone(&hub));
        Attached { hub, line: Arc::clone(line), by_key: Arc::clone(&self.by_key) }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let Self { hub, line, by_key } = self;
        let mut by_key = by_key.lock();
        let mut sockets = hub.sockets.lock();
        *sockets = sockets.iter().filter(|other| !Arc::ptr_eq(other, line)).cloned().collect();
        if !sockets.is_empty() {
            return;
        }
        if by_key.get(hub.port.key()).is_some_and(|other| Arc::ptr_eq(other, hub)) {
            by_key.remove(hub.port.key());
        }
        if let Some(task) = hub.task.lock().take() {
            task.abort();
        }
    }
}

impl Hub {
    fn start(port: Arc<dyn MatchPort>, metrics: Arc<Metrics>) -> Arc<Self> {
        let sockets = Mutex::new(Arc::from([]));
        let hub = Arc::new(Self { port: Arc::clone(&port), sockets, task: Mutex::default() });
        let task = tokio::spawn(broadcast(Arc::downgrade(&hub), Arc::clone(&port).reel(), port, metrics));
        *hub.task.lock() = Some(task.abort_handle());
        hub
    }
}

/// Sends each tick that is told of, until the match ends or its last socket is gone.
async fn broadcast(hub: Weak<Hub>, mut reel: Box<dyn Reel>, port: Arc<dyn MatchPort>, metrics: Arc<Metrics>) {
    let mut sent = Sent { skipped: reel.skipped(), ..Sent::default() };
    let cadence = port.cadence();
    loop {
        port.presence().news.notified().await;
        let Some(sockets) = hub.upgrade().map(|hub| Arc::clone(&hub.sockets.lock())) else { return };
        if let Some(code) = ended(port.as_ref()) {
            for line in sockets.iter() {
                line.outbox.close(code);
                line.send();
            }
            return;
        }
        let bulletin = reel.advance();
        let news = sent.note(&bulletin);
        for lines in sockets.chunks(SENDS_PER_TURN) {
            for line in lines {
                let reader = line.outbox.reader();
                tell(&line.outbox, reader, &bulletin, &news);
                show(&line.outbox, reader, &bulletin, reel.as_mut(), cadence, &metrics);
                line.send();
            }
            if sockets.len() > SENDS_PER_TURN {
                yield_now().await;
            }
        }
    }
}

/// How the sockets of a match are closed that has ended.
pub(super) fn ended(port: &dyn MatchPort) -> Option<CloseCode> {
    match port.presence().status() {
        Status::Live => None,
        Status::Failed => Some(CloseCode::MATCH_FAILED),
        Status::Over => Some(CloseCode::MATCH_OVER),
    }
}

/// Tells one socket what must not be missed.
pub(super) fn tell(outbox: &Outbox, reader: Reader, bulletin: &Bulletin, news: &News) {
    // A bulletin may be older than a seat just taken. But only another socket of the same person takes a seat from one
    // that is still there.
    if reader.seat.is_some_and(|(seat, epoch)| bulletin.epochs[seat.index()] > epoch) {
        outbox.close(CloseCode::REPLACED);
        return;
    }
    if let Some(stalled) = &news.stalled {
        outbox.push(stalled.clone());
    }
    if reader.roster_version != Some(bulletin.roster_version) {
        outbox.push_roster(bulletin.roster_version, news.roster.clone());
    }
    let pace = reader.seat.filter(|_| news.has_paces).and_then(|(seat, _)| bulletin.paces[seat.index()]);
    if let Some(pace) = pace {
        outbox.say(&ServerMessage::Pace(pace));
    }
}

/// Shows one socket the new snapshot, if it is its turn.
fn show(
    outbox: &Outbox,
    reader: Reader,
    bulletin: &Bulletin,
    reel: &mut dyn Reel,
    cadence: Cadence,
    metrics: &Metrics,
) {
    let (want, shift) = outbox.want(bulletin.tick, &bulletin.steps_from, cadence);
    let gave_way = match want {
        Want::Nothing => false,
        Want::Whole => outbox.show(reader.audience, bulletin.tick, reel.whole(reader.audience)),
        Want::Steps(from) => reel
            .steps(reader.audience, from)
            .is_some_and(|steps| outbox.step(reader.audience, from, bulletin.tick, steps)),
    };
    if gave_way {
        metrics.snapshots_replaced.inc();
    }
    match shift {
        Some(Shift::Slower) => metrics.sockets_slower.inc(),
        Some(Shift::Faster) => metrics.sockets_faster.inc(),
        None => {}
    }
}

/// What a hub has told its sockets so far.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// What was left out before the first socket came is no news.
    skipped: u32,
    pace_version: u32,
    roster: Option<(u32, Bytes)>,
}

/// What is new in a tick.
pub(super) struct News {
    stalled: Option<Bytes>,
    has_paces: bool,
    roster: Bytes,
}

impl Sent {
    pub(super) fn note(&mut self, bulletin: &Bulletin) -> News {
        let skipped = bulletin.skipped.wrapping_sub(std::mem::replace(&mut self.skipped, bulletin.skipped));
        let has_paces = self.pace_version != bulletin.pace_version;
        self.pace_version = bulletin.pace_version;
        let known = self.roster.take().filter(|(version, _)| *version == bulletin.roster_version);
        let (version, roster) = known.unwrap_or_else(|| (bulletin.roster_version, roster_message(&bulletin.roster)));
        self.roster = Some((version, roster.clone()));
        let stalled = (skipped > 0).then(|| Bytes::from(contract::encode(&ServerMessage::Stalled { ticks: skipped })));
        News { stalled, has_paces, roster }
    }
}

/// The roster as a message.
pub(super) fn roster_message(roster: &[contract::RosterEntry]) -> Bytes {
    contract::encode(&ServerMessage::Roster(roster.to_vec())).into()
}

//! What waits to be sent to one socket.
//!
//! A snapshot not yet sent gives way to a newer one, and so do a roster and the answer to a ping: each is whole. Everything
//! else must arrive, in order: when too much of it waits, the socket is closed.

use std::collections::VecDeque;

use bytes::Bytes;
use contract::{Audience, Cadence, CloseCode, Mode, SeatId, ServerMessage, Tick};
use parking_lot::Mutex;

use super::rate::{Rate, Shift};
use crate::matches::Epoch;

/// Messages that may wait. A match sends a handful a second, so a reader this far behind is seconds behind.
const MESSAGES_WAITING_MAX: usize = 64;

/// Bytes of these messages that may wait. Each takes a few dozen.
pub(super) const MESSAGE_BYTES_WAITING_MAX: usize = 16 * 1024;

/// One socket's outbox. Filled by its own reader and by its match's broadcaster, emptied by [`Line`](super::line::Line).
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    audience: Audience,
    /// The seat it plays, and since which change of hands.
    seat: Option<(SeatId, Epoch)>,
    mode: Mode,
    /// The snapshot the socket was last sent, as long as steps from it are of use.
    sent: Option<Tick>,
    rate: Rate,
    is_ping_owed: bool,
    /// What the newest ping of the page's browser carried, to be said back.
    pong_owed: Option<Bytes>,
    /// Version of the newest roster put in.
    roster_version: Option<u32>,
    messages: VecDeque<Bytes>,
    message_bytes: usize,
    roster: Option<Bytes>,
    pong: Option<Bytes>,
    snapshot: Option<(Tick, Bytes)>,
    closing: Option<CloseCode>,
}

/// What to send next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outgoing {
    /// A message.
    Message(Bytes),
    /// A snapshot.
    Snapshot(Bytes),
    /// A ping of the WebSocket itself.
    Ping,
    /// The answer to one.
    Pong(Bytes),
}

/// Whom an outbox belongs to, for the broadcaster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reader {
    pub(super) audience: Audience,
    pub(super) seat: Option<(SeatId, Epoch)>,
    pub(super) roster_version: Option<u32>,
}

/// What is to be shown to a socket of a new snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Nothing: nobody looks, or it is not its turn.
    Nothing,
    /// The steps from this snapshot, which it has.
    Steps(Tick),
    /// The whole view.
    Whole,
}

impl Outbox {
    pub(super) fn new() -> Self {
        let state = State {
            audience: Audience(0),
            seat: None,
            mode: Mode::default(),
            sent: None,
            rate: Rate::FULL,
            is_ping_owed: false,
            pong_owed: None,
            roster_version: None,
            messages: VecDeque::new(),
            message_bytes: 0,
            roster: None,
            pong: None,
            snapshot: None,
            closing: None,
        };
        Self { state: Mutex::new(state) }
    }

    /// From now on the socket sees what this audience sees. What waits of another audience's is not sent any more.
    pub(super) fn watch_as(&self, audience: Audience, seat: Option<(SeatId, Epoch)>) {
        let mut state = self.state.lock();
        state.audience = audience;
        state.seat = seat;
        state.snapshot = None;
        state.sent = None;
    }

    /// From now on the socket is told in this way. Returns whether it can be seen again, after it could not.
    pub(super) fn set_mode(&self, mode: Mode) -> bool {
        let mut state = self.state.lock();
        let is_back = state.mode.is_hidden && !mode.is_hidden;
        state.mode = mode;
        is_back
    }

    /// The next snapshot must be a whole view.
    pub(super) fn resync(&self) {
        let mut state = self.state.lock();
        state.snapshot = None;
        state.sent = None;
    }

    /// Decides what the socket is to be shown of the snapshot at `tick`, for which there are steps from each of
    /// `steps_from`. Somebody hidden is shown one whole view a second, somebody slow not every snapshot. Also tells when
    /// that rate has changed.
    pub(super) fn want(&self, tick: Tick, steps_from: &[Tick], cadence: Cadence) -> (Want, Option<Shift>) {
        let mut state = self.state.lock();
        let is_recent = |sent: Tick| (0..i64::from(cadence.ticks_per_second())).contains(&i64::from(tick.since(sent)));
        if state.closing.is_some() || state.mode.is_hidden && state.sent.is_some_and(is_recent) {
            return (Want::Nothing, None);
        }
        if !state.mode.is_hidden && !state.rate.is_due(tick, cadence) {
            return (Want::Nothing, None);
        }
        let is_unsent = state.snapshot.is_some();
        let shift = if state.mode.is_hidden { None } else { state.rate.judge(tick, is_unsent, cadence) };
        let known = state.sent.filter(|sent| state.mode.can_step && steps_from.contains(sent));
        (known.map_or(Want::Whole, Want::Steps), shift)
    }

    /// Has the socket pinged, so that it is heard of even while its page sleeps.
    pub(super) fn ping(&self) {
        self.state.lock().is_ping_owed = true;
    }

    /// Answers a ping of the page's browser. Answers that still wait give way.
    pub(super) fn pong_frame(&self, payload: &[u8]) {
        self.state.lock().pong_owed = Some(Bytes::copy_from_slice(payload));
    }

    pub(super) fn reader(&self) -> Reader {
        let State { audience, seat, roster_version, .. } = *self.state.lock();
        Reader { audience, seat, roster_version }
    }

    /// Adds a message that must arrive.
    pub(super) fn say(&self, message: &ServerMessage) {
        self.push(contract::encode(message).into());
    }

    /// Adds an encoded message that must arrive.
    pub(super) fn push(&self, message: Bytes) {
        let mut state = self.state.lock();
        let bytes = state.message_bytes + message.len();
        if state.messages.len() < MESSAGES_WAITING_MAX && bytes <= MESSAGE_BYTES_WAITING_MAX {
            state.message_bytes = bytes;
            state.messages.push_back(message);
        } else {
            state.closing.get_or_insert(CloseCode::SLOW_READER);
        }
    }

    /// Puts in the answer to the newest ping. Older ones that still wait say nothing that it does not.
    pub(super) fn pong(&self, message: &ServerMessage) {
        self.state.lock().pong = Some(contract::encode(message).into());
    }

    /// Puts the newest roster in.
    pub(super) fn push_roster(&self, version: u32, message: Bytes) {
        let mut state = self.state.lock();
        (state.roster_version, state.roster) = (Some(version), Some(message));
    }

    /// Puts the whole view of a tick in, if the socket may see it. Returns whether an older snapshot gave way.
    pub(super) fn show(&self, audience: Audience, tick: Tick, snapshot: Bytes) -> bool {
        self.put(audience, None, tick, snapshot)
    }

    /// Puts the steps to a tick in, unless the socket no longer has what they begin at: then it gets a whole view next
    /// time. Returns whether an older snapshot gave way.
    pub(super) fn step(&self, audience: Audience, from: Tick, tick: Tick, steps: Bytes) -> bool {
        self.put(audience, Some(from), tick, steps)
    }

    fn put(&self, audience: Audience, from: Option<Tick>, tick: Tick, snapshot: Bytes) -> bool {
        let mut state = self.state.lock();
        let fits = from.is_none() || state.sent == from;
        if state.audience != audience || !fits {
            return false;
        }
        state.snapshot.replace((tick, snapshot)).is_some()
    }

    /// Has the socket closed. The first reason counts.
    pub(super) fn close(&self, code: CloseCode) {
        self.state.lock().closing.get_or_insert(code);
    }

    /// Why the socket is to be closed, if it is.
    pub(super) fn closing(&self) -> Option<CloseCode> {
        self.state.lock().closing
    }

    /// Hands out what waits, in the order in which it is to be sent, until that is all or `take` has enough. The outbox is
    /// locked meanwhile, so `take` must not wait.
    ///
    /// # Errors
    /// When the socket is to be closed: nothing is sent any more.
    pub(super) fn hand_out(&self, mut take: impl FnMut(Outgoing) -> bool) -> Result<(), CloseCode> {
        let mut state = self.state.lock();
        if let Some(code) = state.closing {
            return Err(code);
        }
        while let Some(outgoing) = state.next() {
            if !take(outgoing) {
                break;
            }
        }
        Ok(())
    }
}

impl State {
    fn next(&mut self) -> Option<Outgoing> {
        if let Some(message) = self.messages.pop_front() {
            self.message_bytes -= message.len();
            return Some(Outgoing::Message(message));
        }
        if let Some(message) = self.roster.take().or_else(|| self.pong.take()) {
            return Some(Outgoing::Message(message));
        }
        if let Some((tick, snapshot)) = self.snapshot.take() {
            self.sent = Some(tick);
            return Some(Outgoing::Snapshot(snapshot));
        }
        if let Some(payload) = self.pong_owed.take() {
            return Some(Outgoing::Pong(payload));
        }
        std::mem::take(&mut self.is_ping_owed).then_some(Outgoing::Ping)
    }
}

#[cfg(test)]
impl Outbox {
    /// What would be sent next.
    pub(super) fn try_next(&self) -> Option<Outgoing> {
        let mut next = None;
        let _ = self.hand_out(|outgoing| {
            next = Some(outgoing);
            false
        });
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[test]
    fn the_newest_snapshot_replaces_one_that_waits() {
        let outbox = Outbox::new();
        assert!(!outbox.show(Audience(0), Tick(2), bytes("old")));
        assert!(outbox.show(Audience(0), Tick(4), bytes("new")));
        assert_eq!(outbox.try_next(), Some(Outgoing::Snapshot(bytes("new"))));
        assert_eq!(outbox.try_next(), None);
    }

    #[test]
    fn messages_keep_their_order_and_go_before_the_snapshot() {
        let outbox = Outbox::new();
        outbox.show(Audience(0), Tick(2), bytes("view"));
        outbox.push(bytes("first"));
        outbox.push(bytes("second"));
        let sent = std::iter::from_fn(|| outbox.try_next());
        let expected =
            [Outgoing::Message(bytes("first")), Outgoing::Message(bytes("second")), Outgoing::Snapshot(bytes("view"))];
        assert!(sent.eq(expected));
    }

    #[test]
    fn a_reader_that_leaves_too_much_waiting_is_closed() {
        let outbox = Outbox::new();
        for _ in 0..MESSAGES_WAITING_MAX {
            outbox.push(bytes("m"));
        }
        assert_eq!(outbox.try_next(), Some(Outgoing::Message(bytes("m"))));
        outbox.push(bytes("m"));
        outbox.push(bytes("one too many"));
        assert_eq!(outbox.closing(), Some(CloseCode::SLOW_READER));
    }

    #[test]
    fn the_newest_roster_replaces_one_that_waits() {
        let outbox = Outbox::new();
        for version in 0..1000 {
            outbox.push_roster(version, bytes("old"));
        }
        outbox.push_roster(1000, bytes("new"));
        outbox.show(Audience(0), Tick(2), bytes("view"));
        outbox.push(bytes("welcome"));
        let sent: Vec<_> = std::iter::from_fn(|| outbox.try_next()).collect();
        let message = |text| Outgoing::Message(bytes(text));
        assert_eq!(sent, [message("welcome"), message("new"), Outgoing::Snapshot(bytes("view"))]);
        assert_eq!(outbox.reader().roster_version, Some(1000));
    }

    #[test]
    fn a_reader_that_leaves_too_many_bytes_waiting_is_closed() {
        let outbox = Outbox::new();
        let half = Bytes::from(vec![0; MESSAGE_BYTES_WAITING_MAX / 2]);
        outbox.push(half.clone());
        outbox.push(half.clone());
        assert_eq!(outbox.try_next(), Some(Outgoing::Message(half.clone())));
        outbox.push(half);
        assert!(matches!(outbox.try_next(), Some(Outgoing::Message(_))), "what was sent makes room");
        outbox.push(Bytes::from(vec![0; MESSAGE_BYTES_WAITING_MAX / 2 + 1]));
        assert_eq!(outbox.closing(), Some(CloseCode::SLOW_READER));
    }

    #[test]
    fn nothing_of_another_audience_is_sent_after_a_change() {
        let outbox = Outbox::new();
        outbox.show(Audience(0), Tick(2), bytes("secret of 0"));
        outbox.watch_as(Audience(1), None);
        outbox.show(Audience(0), Tick(4), bytes("secret of 0"));
        assert_eq!(outbox.try_next(), None);
    }

    const STEPPER: Mode = Mode { can_step: true, is_hidden: false };
    const HIDDEN: Mode = Mode { can_step: true, is_hidden: true };

    fn want(outbox: &Outbox, tick: u32, steps_from: &[u32]) -> Want {
        let steps_from: Vec<Tick> = steps_from.iter().copied().map(Tick).collect();
        outbox.want(Tick(tick), &steps_from, Cadence::new(60, 30)).0
    }

    #[test]
    fn steps_go_only_to_a_socket_that_was_sent_what_they_begin_at() {
        let outbox = Outbox::new();
        assert_eq!(want(&outbox, 4, &[2]), Want::Whole, "a page says first that it can step");
        outbox.set_mode(STEPPER);
        assert_eq!(want(&outbox, 4, &[2]), Want::Whole, "nothing was sent yet");
        outbox.show(Audience(0), Tick(4), bytes("whole 4"));
        assert_eq!(want(&outbox, 6, &[4, 2]), Want::Whole, "what waits is not sent yet");
        assert!(matches!(outbox.try_next(), Some(Outgoing::Snapshot(_))));
        assert_eq!(want(&outbox, 6, &[4, 2]), Want::Steps(Tick(4)));
        assert_eq!(want(&outbox, 8, &[6, 4]), Want::Steps(Tick(4)), "it missed one");
        assert_eq!(want(&outbox, 10, &[8, 6]), Want::Whole, "it missed more than there are steps for");
        assert_eq!(want(&outbox, 6, &[]), Want::Whole, "there are no steps");
        outbox.step(Audience(0), Tick(2), Tick(6), bytes("steps 2 to 6"));
        assert_eq!(outbox.try_next(), None, "decided too early");
        assert!(!outbox.step(Audience(0), Tick(4), Tick(6), bytes("steps 4 to 6")));
        assert!(outbox.step(Audience(0), Tick(4), Tick(8), bytes("steps 4 to 8")), "the shorter ones give way");
        assert_eq!(outbox.try_next(), Some(Outgoing::Snapshot(bytes("steps 4 to 8"))));
        outbox.resync();
        assert_eq!(want(&outbox, 10, &[8]), Want::Whole);
    }

    #[test]
    fn a_socket_whose_snapshots_stay_unsent_is_shown_fewer_until_they_do_not() {
        let outbox = Outbox::new();
        let shown = |ticks: std::ops::Range<u32>, is_sent: bool| {
            let turns = ticks.step_by(2).filter(|tick| {
                let is_wanted = want(&outbox, *tick, &[]) == Want::Whole;
                if is_wanted {
                    outbox.show(Audience(0), Tick(*tick), bytes("whole"));
                }
                if is_sent {
                    outbox.try_next();
                }
                is_wanted
            });
            turns.count()
        };
        assert_eq!(shown(0..60, true), 30);
        assert!(shown(60..120, false) < 20);
        assert_eq!(shown(120..180, false), 15);
        shown(180..500, true);
        assert_eq!(shown(500..560, true), 30);
    }

    #[test]
    fn a_hidden_page_is_shown_a_whole_view_now_and_then() {
        let outbox = Outbox::new();
        outbox.show(Audience(0), Tick(100), bytes("whole"));
        outbox.try_next();
        assert!(!outbox.set_mode(HIDDEN));
        let wanted = (101..=220).filter(|tick| {
            let want = want(&outbox, *tick, &[tick - 1]);
            if want == Want::Whole {
                outbox.show(Audience(0), Tick(*tick), bytes("whole"));
                outbox.try_next();
            }
            want != Want::Nothing
        });
        assert_eq!(wanted.collect::<Vec<_>>(), [160, 220]);
        assert!(outbox.set_mode(STEPPER), "it is back");
    }

    #[test]
    fn a_ping_waits_for_everything_else() {
        let outbox = Outbox::new();
        outbox.ping();
        outbox.ping();
        outbox.push(bytes("m"));
        let sent: Vec<_> = std::iter::from_fn(|| outbox.try_next()).collect();
        assert_eq!(sent, [Outgoing::Message(bytes("m")), Outgoing::Ping]);
    }
}

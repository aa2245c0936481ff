//! What waits to be sent to one socket.
//!
//! A snapshot not yet sent gives way to a newer one, and so does the answer to a ping. Everything else must arrive, in order: when too much of it waits,
//! the socket is closed.

use std::collections::VecDeque;

use bytes::Bytes;
use contract::{Audience, CloseCode, SeatId, ServerMessage};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Messages that may wait. A match sends a handful a second, so a reader this far behind is seconds behind.
const MESSAGES_WAITING_MAX: usize = 64;

/// One socket's outbox. Filled by its own reader and by its match's broadcaster, emptied by its writer.
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
    filled: Notify,
}

#[derive(Debug)]
struct State {
    audience: Audience,
    seat: Option<SeatId>,
    /// Version of the newest roster put in.
    roster_version: Option<u32>,
    messages: VecDeque<Bytes>,
    pong: Option<Bytes>,
    snapshot: Option<Bytes>,
    closing: Option<CloseCode>,
}

/// What to send next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outgoing {
    /// A message.
    Message(Bytes),
    /// A snapshot.
    Snapshot(Bytes),
    /// Nothing any more: close for this reason.
    Close(CloseCode),
}

/// Whom an outbox belongs to, for the broadcaster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reader {
    pub(super) audience: Audience,
    pub(super) seat: Option<SeatId>,
    pub(super) roster_version: Option<u32>,
}

impl Outbox {
    pub(super) fn new() -> Self {
        let state = State {
            audience: Audience(0),
            seat: None,
            roster_version: None,
            messages: VecDeque::new(),
            pong: None,
            snapshot: None,
            closing: None,
        };
        Self { state: Mutex::new(state), filled: Notify::new() }
    }

    /// From now on the socket sees what this audience sees. What waits of another audience's is not sent any more.
    pub(super) fn watch_as(&self, audience: Audience, seat: Option<SeatId>) {
        let mut state = self.state.lock();
        state.audience = audience;
        state.seat = seat;
        state.snapshot = None;
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
        if state.messages.len() < MESSAGES_WAITING_MAX {
            state.messages.push_back(message);
        } else {
            state.closing.get_or_insert(CloseCode::SLOW_READER);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Puts in the answer to the newest ping. Older ones that still wait say nothing that it does not.
    pub(super) fn pong(&self, message: &ServerMessage) {
        self.state.lock().pong = Some(contract::encode(message).into());
        self.filled.notify_one();
    }

    /// Adds the roster, which must arrive.
    pub(super) fn push_roster(&self, version: u32, message: Bytes) {
        self.state.lock().roster_version = Some(version);
        self.push(message);
    }

    /// Puts the newest snapshot in, if the socket may see it. Returns whether an older one gave way.
    pub(super) fn show(&self, audience: Audience, snapshot: Bytes) -> bool {
        let mut state = self.state.lock();
        if state.audience != audience {
            return false;
        }
        let gave_way = state.snapshot.replace(snapshot).is_some();
        drop(state);
        self.filled.notify_one();
        gave_way
    }

    /// Has the socket closed. The first reason counts.
    pub(super) fn close(&self, code: CloseCode) {
        self.state.lock().closing.get_or_insert(code);
        self.filled.notify_one();
    }

    /// What to send next, once there is something.
    pub(super) async fn next(&self) -> Outgoing {
        loop {
            if let Some(outgoing) = self.try_next() {
                return outgoing;
            }
            self.filled.notified().await;
        }
    }

    fn try_next(&self) -> Option<Outgoing> {
        let mut state = self.state.lock();
        if let Some(code) = state.closing {
            return Some(Outgoing::Close(code));
        }
        let message = state.messages.pop_front().or_else(|| state.pong.take()).map(Outgoing::Message);
        message.or_else(|| state.snapshot.take().map(Outgoing::Snapshot))
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
        assert!(!outbox.show(Audience(0), bytes("old")));
        assert!(outbox.show(Audience(0), bytes("new")));
        assert_eq!(outbox.try_next(), Some(Outgoing::Snapshot(bytes("new"))));
        assert_eq!(outbox.try_next(), None);
    }

    #[test]
    fn messages_keep_their_order_and_go_before_the_snapshot() {
        let outbox = Outbox::new();
        outbox.show(Audience(0), bytes("view"));
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
        assert_eq!(outbox.try_next(), Some(Outgoing::Close(CloseCode::SLOW_READER)));
    }

    #[test]
    fn nothing_of_another_audience_is_sent_after_a_change() {
        let outbox = Outbox::new();
        outbox.show(Audience(0), bytes("secret of 0"));
        outbox.watch_as(Audience(1), None);
        outbox.show(Audience(0), bytes("secret of 0"));
        assert_eq!(outbox.try_next(), None);
    }
}

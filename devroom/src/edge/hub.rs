//! The one place where the Room, the sockets' queues and the waiting calls meet. Every access takes the lock, lets the Room
//! decide, and carries out its effects.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use crate::room::{AgentRequest, Answer, CallId, Credentials, Effect, Lane, Room, SocketId};
use crate::{ParticipantId, RequestId};

/// Frames that may wait for a slow socket. One more closes it, because frames may not be lost.
const OUTBOX_FRAMES_MAX: usize = 256;
/// Free places below which the realtime lane drops instead of filling the queue.
const REALTIME_PLACES_MIN: usize = OUTBOX_FRAMES_MAX / 2;

/// A Room and its sockets.
#[derive(Debug)]
pub struct Hub {
    state: Mutex<State>,
    started: Instant,
    /// Told whenever the Room may have something to do earlier than before.
    changed: Notify,
    /// The newest chat message's number, for those who wait for one.
    newest_message: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    room: Room,
    outboxes: HashMap<SocketId, mpsc::Sender<Message>>,
    calls: HashMap<CallId, oneshot::Sender<Answer>>,
    ids: u64,
}

impl Hub {
    /// The hub of a Room.
    #[must_use]
    pub fn new(room: Room) -> Arc<Self> {
        let state = State { room, outboxes: HashMap::new(), calls: HashMap::new(), ids: 0 };
        Arc::new(Self {
            state: Mutex::new(state),
            started: Instant::now(),
            changed: Notify::new(),
            newest_message: watch::Sender::new(0),
        })
    }

    /// Lets `decide` work on the Room, at the present time, and carries out what comes of it.
    pub fn with<T>(&self, decide: impl FnOnce(&mut Room, u64) -> T) -> T {
        let mut state = self.state.lock();
        let now_ms = self.now_ms();
        let result = decide(&mut state.room, now_ms);
        state.carry_out(now_ms);
        let (_, newest) = state.room.messages_since(u64::MAX);
        drop(state);
        self.newest_message.send_if_modified(|number| std::mem::replace(number, newest) != newest);
        self.changed.notify_one();
        result
    }

    /// A number for a new socket, and the frames that are to be sent on it. The queue ends when the socket is to close.
    pub(super) fn open_socket(&self) -> (SocketId, mpsc::Receiver<Message>) {
        let (sender, outbox) = mpsc::channel(OUTBOX_FRAMES_MAX);
        let socket = self.new_socket();
        self.state.lock().outboxes.insert(socket, sender);
        (socket, outbox)
    }

    /// A number for a socket that exists only here: nothing is sent on it.
    pub(super) fn new_socket(&self) -> SocketId {
        SocketId(self.state.lock().next_id())
    }

    /// Forgets the queue of a socket that has closed.
    pub(super) fn forget_socket(&self, socket: SocketId) {
        self.state.lock().outboxes.remove(&socket);
    }

    /// Asks an App on an Agent's behalf and waits for the answer, which always comes.
    pub async fn agent_request(&self, request: AgentRequest<'_>) -> Answer {
        let (sender, answer) = oneshot::channel();
        let call = {
            let mut state = self.state.lock();
            let call = CallId(state.next_id());
            state.calls.insert(call, sender);
            call
        };
        let id = RequestId::parse(&new_uuid()).expect("a UUID is a request id");
        self.with(|room, now_ms| room.agent_request(now_ms, call, id, request));
        // The sender is dropped only with the whole hub.
        answer.await.unwrap_or_else(|_| Answer::error(502, "room_expired"))
    }

    /// Waits until there is a chat message newer than `number`, or the time is over.
    pub(super) async fn wait_for_message(&self, number: u64, at_most: Duration) {
        let mut newest = self.newest_message.subscribe();
        let _ = tokio::time::timeout(at_most, newest.wait_for(|newest| *newest > number)).await;
    }

    /// Runs what becomes due in the Room, for ever.
    pub(super) async fn run_clock(self: Arc<Self>) {
        loop {
            let due = self.state.lock().room.next_tick_ms().map(|ms| self.started + Duration::from_millis(ms));
            let is_due = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = is_due => self.with(Room::tick),
                () = self.changed.notified() => (),
            }
        }
    }

    /// Ends the Room: calls in flight are answered and all sockets close.
    pub(super) fn end(&self) {
        self.with(|room, _| room.expire());
        self.state.lock().outboxes.clear();
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl State {
    const fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    fn carry_out(&mut self, now_ms: u64) {
        // A failed send makes the Room decide again.
        loop {
            let effects = self.room.drain_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                self.carry_out_one(now_ms, effect);
            }
        }
    }

    fn carry_out_one(&mut self, now_ms: u64, effect: Effect) {
        match effect {
            Effect::Send { socket, frame } => {
                let Some(outbox) = self.outboxes.get(&socket) else { return };
                if outbox.try_send(text(&frame)).is_err() {
                    self.outboxes.remove(&socket);
                    self.room.send_failed(now_ms, socket);
                }
            }
            Effect::SendLane { socket, lane, frame } => {
                let Some(outbox) = self.outboxes.get(&socket) else { return };
                if lane == Lane::Realtime && outbox.capacity() < REALTIME_PLACES_MIN {
                    return;
                }
                if outbox.try_send(text(&frame)).is_err() {
                    self.outboxes.remove(&socket);
                    self.room.disconnect_lanes(socket);
                }
            }
            Effect::Close { socket } => {
                self.outboxes.remove(&socket);
            }
            Effect::Answer { call, answer } => {
                if let Some(waiting) = self.calls.remove(&call) {
                    // Whoever asked may have gone; then nobody wants to know.
                    let _ = waiting.send(answer);
                }
            }
        }
    }
}

fn text(frame: &Arc<str>) -> Message {
    Message::Text(Utf8Bytes::from(&**frame))
}

/// Fresh random credentials for somebody who joins.
pub(super) fn new_credentials() -> Credentials {
    let participant = ParticipantId::parse(&new_uuid()).expect("a UUID is a participant id");
    // Two UUIDs: 244 random bits.
    Credentials { participant, token: format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()) }
}

/// A random UUID in its usual form.
pub(super) fn new_uuid() -> String {
    Uuid::new_v4().to_string()
}

//! One socket's way out.
//!
//! Whoever has something for a socket puts it into its outbox and sends it at once, from where they are: all that waits goes
//! out in one system call, and no task is woken for it. Only what the system does not take is left to the socket's own task.

use std::{io::ErrorKind, sync::Arc, time::Duration};

use contract::{CloseCode, limits::SERVER_MESSAGE_BYTES_MAX};
use parking_lot::Mutex;
use tokio::{
    net::tcp::OwnedWriteHalf,
    sync::Notify,
    time::{Instant, timeout, timeout_at},
};

use super::outbox::{Outbox, Outgoing};
use crate::{
    metrics::Metrics,
    websocket::{Opcode, write_frame},
};

/// Once so many bytes are on their way, nothing is added before they have left: what waits can still give way.
const GATHERED_BYTES_MIN: usize = 4 * 1024;

/// Most bytes that have left the outbox, and that the system has not taken yet.
pub(super) const LEAVING_BYTES_MAX: usize = GATHERED_BYTES_MIN + SERVER_MESSAGE_BYTES_MAX + 16;

/// Room that is kept for the next time. Most of what is sent is much smaller.
const KEPT_BYTES_MAX: usize = 512;

/// How long a close frame may take to leave.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// Why a socket is not sent anything any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// It is to be closed.
    Close(CloseCode),
    /// It broke.
    Lost,
}

/// What is sent to one socket.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) outbox: Outbox,
    stream: OwnedWriteHalf,
    leaving: Mutex<Leaving>,
    /// There is something to do for [`Line::tend`].
    needs_tending: Notify,
    metrics: Arc<Metrics>,
}

/// What has left the outbox.
#[derive(Debug, Default)]
struct Leaving {
    bytes: Vec<u8>,
    /// How many of them the system has taken.
    taken: usize,
    /// Since when it takes no more.
    stuck_since: Option<Instant>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// The close frame was the last one.
    Closed,
    Lost,
}

/// How far sending got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sending {
    /// Everything is with the system, or nothing is to be sent any more.
    All,
    /// The system takes no more, since then.
    Stuck(Instant),
    /// It never will.
    End(LineEnd),
}

impl Line {
    pub(super) fn new(stream: OwnedWriteHalf, metrics: Arc<Metrics>) -> Self {
        let (leaving, needs_tending) = (Mutex::default(), Notify::new());
        Self { outbox: Outbox::new(), stream, leaving, needs_tending, metrics }
    }

    /// Sends what waits, as far as the system takes it now.
    pub(super) fn send(&self) {
        if self.try_send() != Sending::All {
            self.needs_tending.notify_one();
        }
    }

    /// Sends what could not be sent at once, until the socket is to be closed or lost. Nothing may take longer than this to
    /// leave.
    pub(super) async fn tend(&self, write_timeout: Duration) -> LineEnd {
        loop {
            self.needs_tending.notified().await;
            loop {
                let since = match self.try_send() {
                    Sending::All => break,
                    Sending::End(end) => return end,
                    Sending::Stuck(since) => since,
                };
                tokio::select! {
                    writable = timeout_at(since + write_timeout, self.stream.writable()) => match writable {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return LineEnd::Lost,
                        Err(_) => return LineEnd::Close(CloseCode::SLOW_READER),
                    },
                    // It may be to be closed meanwhile.
                    () = self.needs_tending.notified() => {}
                }
            }
        }
    }

    /// Sends a close frame as the last one.
    pub(super) async fn say_goodbye(&self, payload: &[u8]) {
        self.leaving.lock().close(payload);
        let write = || self.leaving.lock().write(&self.stream, &self.metrics);
        let leave =
            async { while matches!(write(), Err(Sending::Stuck(_))) && self.stream.writable().await.is_ok() {} };
        let _ = timeout(CLOSE_TIMEOUT, leave).await;
    }

    fn try_send(&self) -> Sending {
        let mut leaving = self.leaving.lock();
        let mut is_all = false;
        loop {
            if let Err(stopped) = leaving.write(&self.stream, &self.metrics) {
                // Nobody waits for the bytes of a socket that is to be closed.
                let closing = self.outbox.closing().filter(|_| leaving.state == State::Open);
                return closing.map_or(stopped, |code| Sending::End(LineEnd::Close(code)));
            }
            if is_all || leaving.state == State::Closed {
                return Sending::All;
            }
            if let Err(code) = leaving.gather(&self.outbox, &self.metrics) {
                return Sending::End(LineEnd::Close(code));
            }
            // Whoever adds something from here on has it sent themselves.
            is_all = leaving.bytes.len() < GATHERED_BYTES_MIN;
        }
    }
}

impl Leaving {
    /// Takes what waits out of the outbox, unless the socket is to be closed.
    fn gather(&mut self, outbox: &Outbox, metrics: &Metrics) -> Result<(), CloseCode> {
        outbox.hand_out(|outgoing| {
            match outgoing {
                Outgoing::Message(bytes) => write_frame(&mut self.bytes, Opcode::Binary, &bytes),
                Outgoing::Snapshot(bytes) => {
                    metrics.snapshots_sent.inc();
                    write_frame(&mut self.bytes, Opcode::Binary, &bytes);
                }
                Outgoing::Ping => write_frame(&mut self.bytes, Opcode::Ping, &[]),
                Outgoing::Pong(payload) => write_frame(&mut self.bytes, Opcode::Pong, &payload),
            }
            self.bytes.len() < GATHERED_BYTES_MIN
        })
    }

    /// Hands the system what it takes.
    fn write(&mut self, stream: &OwnedWriteHalf, metrics: &Metrics) -> Result<(), Sending> {
        while self.taken < self.bytes.len() {
            match stream.try_write(&self.bytes[self.taken..]) {
                Ok(count) => {
                    self.taken += count;
                    metrics.play_bytes_out.inc_by(count as u64);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Err(Sending::Stuck(*self.stuck_since.get_or_insert_with(Instant::now)));
                }
                Err(_) => self.state = State::Lost,
            }
            if self.state == State::Lost {
                return Err(Sending::End(LineEnd::Lost));
            }
        }
        self.taken = 0;
        self.stuck_since = None;
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES_MAX);
        Ok(())
    }

    /// Adds the close frame, unless there is one.
    fn close(&mut self, payload: &[u8]) {
        if self.state == State::Open {
            write_frame(&mut self.bytes, Opcode::Close, payload);
            self.state = State::Closed;
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use contract::{Audience, Tick};
    use futures_util::StreamExt as _;
    use tokio::net::{TcpListener, TcpStream};
    use tokio_tungstenite::{
        WebSocketStream,
        tungstenite::{Message, protocol::Role},
    };

    use super::*;
    use crate::websocket::close_frame;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// A line, and its other end.
    async fn line() -> (Arc<Line>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let page = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("it listens");
        let (stream, _) = listener.accept().await.expect("it connects");
        let (_, outgoing) = stream.into_split();
        (Arc::new(Line::new(outgoing, Arc::new(Metrics::new()))), page)
    }

    /// Has so much sent that the system takes no more.
    fn stuff(line: &Line) -> u32 {
        let whole = Bytes::from(vec![7; SERVER_MESSAGE_BYTES_MAX]);
        (1..)
            .find(|tick| {
                line.outbox.show(Audience(0), Tick(*tick), whole.clone());
                matches!(line.try_send(), Sending::Stuck(_))
            })
            .expect("a system does not take everything")
    }

    /// The next message to a page.
    async fn hear(page: &mut WebSocketStream<TcpStream>) -> Message {
        timeout(PATIENCE, page.next()).await.expect("sent").expect("not over").expect("valid frames")
    }

    async fn socket(page: TcpStream) -> WebSocketStream<TcpStream> {
        WebSocketStream::from_raw_socket(page, Role::Client, None).await
    }

    #[tokio::test]
    async fn all_that_waits_goes_out_at_once_and_in_order() {
        let (line, page) = line().await;
        line.outbox.push(Bytes::from_static(b"first"));
        line.outbox.show(Audience(0), Tick(1), Bytes::from_static(b"view"));
        line.outbox.ping();
        assert_eq!(line.try_send(), Sending::All);
        let mut page = socket(page).await;
        for expected in [Message::binary("first"), Message::binary("view"), Message::Ping(Bytes::new())] {
            assert_eq!(hear(&mut page).await, expected);
        }
    }

    #[tokio::test]
    async fn what_the_system_did_not_take_follows_and_then_the_newest() {
        let (line, page) = line().await;
        let stuck_at = stuff(&line);
        for tick in stuck_at + 1..stuck_at + 100 {
            line.outbox.show(Audience(0), Tick(tick), Bytes::from_static(b"old"));
            line.send();
        }
        line.outbox.push(Bytes::from_static(b"message"));
        line.outbox.show(Audience(0), Tick(stuck_at + 100), Bytes::from_static(b"newest"));
        line.send();
        let tending = tokio::spawn({
            let line = Arc::clone(&line);
            async move { line.tend(PATIENCE).await }
        });
        let mut page = socket(page).await;
        for _ in 0..stuck_at {
            assert_eq!(hear(&mut page).await.len(), SERVER_MESSAGE_BYTES_MAX);
        }
        assert_eq!(hear(&mut page).await, Message::binary("message"));
        assert_eq!(hear(&mut page).await, Message::binary("newest"));
        tending.abort();
    }

    #[tokio::test]
    async fn a_line_that_is_stuck_is_closed_when_it_is_told_or_waits_too_long() {
        let (line, _page) = line().await;
        stuff(&line);
        line.send();
        assert_eq!(line.tend(Duration::from_millis(20)).await, LineEnd::Close(CloseCode::SLOW_READER));
        let close = async {
            line.outbox.close(CloseCode::REPLACED);
            line.send();
        };
        assert_eq!(tokio::join!(line.tend(PATIENCE), close).0, LineEnd::Close(CloseCode::REPLACED));
    }

    #[tokio::test]
    async fn a_goodbye_waits_for_the_frame_before_and_nothing_comes_after_it() {
        let (line, page) = line().await;
        let stuck_at = stuff(&line);
        let read = async {
            let mut page = socket(page).await;
            for _ in 0..stuck_at {
                assert_eq!(hear(&mut page).await.len(), SERVER_MESSAGE_BYTES_MAX);
            }
            let Message::Close(Some(frame)) = hear(&mut page).await else { panic!("a goodbye") };
            assert_eq!(u16::from(frame.code), CloseCode::MATCH_OVER.code);
        };
        let payload = close_frame(CloseCode::MATCH_OVER.code, "over");
        tokio::join!(read, line.say_goodbye(&payload));
        line.outbox.push(Bytes::from_static(b"too late"));
        assert_eq!(line.try_send(), Sending::All);
        assert!(line.outbox.try_next().is_some(), "it stays where it is");
    }

    #[tokio::test]
    async fn a_line_to_nobody_is_lost() {
        let (line, page) = line().await;
        drop(page);
        let send = async {
            loop {
                line.outbox.push(Bytes::from_static(b"anybody?"));
                line.send();
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            end = line.tend(PATIENCE) => assert_eq!(end, LineEnd::Lost),
            () = send => {}
        }
    }
}

//! The sync path from a page's side: one socket.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use contract::{
    ClientMessage, Hello, MatchKey, Mode, PlayerName, SeatId, ServerMessage, Tick, Ticket, Welcome, decode, encode,
    wire_hash,
};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::StatusCode;
use tokio::{
    net::{TcpSocket, TcpStream},
    time::sleep,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

use crate::{
    http::Endpoint,
    tally::{Counter, Tally},
};

/// How often and after which pause a page asks for a ticket.
const TICKET_TRIES: u32 = 60;
const TICKET_PAUSE: Duration = Duration::from_millis(500);

/// Bytes that are taken from the system at once.
const READ_BUFFER_BYTES: usize = 4 * 1024;

/// A socket to a match.
#[derive(Debug)]
pub(crate) struct Wire {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Where what it hears is counted; nowhere for an attacker, who is no client.
    tally: Option<Arc<Tally>>,
}

/// What ended a socket from the server's side, as an error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Ended {
    /// It was closed with a code.
    #[error("closed by the server: {0} {1}")]
    Closed(u16, String),
    /// It just ended.
    #[error("the server hung up")]
    HungUp,
}

impl Wire {
    /// Connects and watches a match as a client, whose messages count.
    pub(crate) async fn open(authority: &str, key: &MatchKey, tally: &Arc<Tally>) -> anyhow::Result<(Self, Welcome)> {
        let opened = Self::connect(authority, key, Some(Arc::clone(tally))).await?;
        tally.count(Counter::Arrivals, 1);
        Ok(opened)
    }

    /// Connects and watches a match; nothing is counted.
    pub(crate) async fn open_uncounted(authority: &str, key: &MatchKey) -> anyhow::Result<(Self, Welcome)> {
        Self::connect(authority, key, None).await
    }

    async fn connect(authority: &str, key: &MatchKey, tally: Option<Arc<Tally>>) -> anyhow::Result<(Self, Welcome)> {
        let ticket = Some(ticket(authority, key).await?);
        let address = authority.parse().with_context(|| format!("{authority} is no address"))?;
        let stream = TcpSocket::new_v4()?.connect(address).await?;
        stream.set_nodelay(true)?;
        let (url, stream) = (format!("ws://{authority}/play"), MaybeTlsStream::Plain(stream));
        let (socket, _) = client_async_with_config(url, stream, Some(socket_config())).await?;
        let mut wire = Self { socket, tally };
        let hello = Hello { wire: wire_hash(), sim: 0, match_key: key.clone(), resume: None, ticket };
        wire.say(&ClientMessage::Hello(hello)).await?;
        loop {
            if let ServerMessage::Welcome(welcome) = wire.hear().await? {
                return Ok((wire, welcome));
            }
        }
    }

    /// Says how it wants to be told.
    pub(crate) async fn set_mode(&mut self, can_step: bool) -> anyhow::Result<()> {
        self.say(&ClientMessage::Mode(Mode { can_step, is_hidden: false })).await
    }

    /// Takes a seat. Returns it and the first tick an input may name.
    pub(crate) async fn join(&mut self, name: &str) -> anyhow::Result<(SeatId, Tick)> {
        self.say(&ClientMessage::Join { name: PlayerName::clean(name)?, team: None }).await?;
        loop {
            match self.hear().await? {
                ServerMessage::Seated { seat, tick, .. } => return Ok((seat, tick)),
                ServerMessage::Refused(refusal) => bail!("no seat: {}", refusal.text()),
                _ => {}
            }
        }
    }

    /// Leaves the seat and closes.
    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        self.say(&ClientMessage::Leave).await?;
        self.close().await
    }

    /// Closes.
    pub(crate) async fn close(mut self) -> anyhow::Result<()> {
        self.socket.close(None).await?;
        // The answer to the close frame, and whatever was on its way before it.
        while let Some(Ok(_)) = self.socket.next().await {}
        Ok(())
    }

    pub(crate) async fn say(&mut self, message: &ClientMessage) -> anyhow::Result<()> {
        self.send(encode(message)).await
    }

    pub(crate) async fn send(&mut self, message: Vec<u8>) -> anyhow::Result<()> {
        Ok(self.socket.send(Message::binary(message)).await?)
    }

    /// The next message.
    ///
    /// # Errors
    /// [`Ended`] when there is none any more; whatever else when it cannot be read.
    pub(crate) async fn hear(&mut self) -> anyhow::Result<ServerMessage> {
        loop {
            match self.socket.next().await.ok_or(Ended::HungUp)?? {
                Message::Binary(bytes) => {
                    if let Some(tally) = &self.tally {
                        tally.count(Counter::MessagesReceived, 1);
                        tally.count(Counter::BytesReceived, bytes.len());
                    }
                    return Ok(decode(&bytes)?);
                }
                Message::Close(frame) => {
                    let (code, reason) =
                        frame.map_or((0, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                    return Err(Ended::Closed(code, reason).into());
                }
                _ => {}
            }
        }
    }

    /// The connection below the socket.
    pub(crate) fn stream(&self) -> Option<&TcpStream> {
        match self.socket.get_ref() {
            MaybeTlsStream::Plain(stream) => Some(stream),
            _ => None,
        }
    }
}

/// How clients read: with a small buffer, because it is cleared for each read, and thousands share a core.
pub(crate) fn socket_config() -> WebSocketConfig {
    WebSocketConfig::default().read_buffer_size(READ_BUFFER_BYTES)
}

/// What lets one connection in. A server hands out so many a second; whoever gets none asks again.
async fn ticket(authority: &str, key: &MatchKey) -> anyhow::Result<Ticket> {
    let mut connection = Endpoint::new(authority.to_owned()).connect().await?;
    let wish = serde_json::json!({ "match": key.as_str() }).to_string();
    for _ in 0..TICKET_TRIES {
        let (status, answer) = connection.post("/tickets", &[], wish.clone()).await?;
        if status == StatusCode::TOO_MANY_REQUESTS {
            sleep(TICKET_PAUSE).await;
            continue;
        }
        let answer: serde_json::Value = serde_json::from_slice(&answer)?;
        let ticket = answer["ticket"].as_str().with_context(|| format!("no ticket: {answer}"))?;
        return Ok(Ticket::parse(ticket)?);
    }
    bail!("no ticket after {TICKET_TRIES} tries")
}

/// How a socket ended, in a word or two: for the tally of answers.
pub(crate) fn ending(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Ended>() {
        Some(Ended::Closed(code, reason)) => format!("socket closed: {code} {reason}"),
        _ => "socket lost".to_owned(),
    }
}

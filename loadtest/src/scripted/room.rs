//! Through a Room: its broker hands each call to the page of one person who has the App open.
//!
//! An Agent is present by a resident socket, on which it learns which Apps are open and hears what is said. Asked what it
//! is doing, it says so.

use std::time::Duration;

use anyhow::{Context as _, bail};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue},
};

use super::transport::{Lost, Transport};
use crate::http::{Connection, Endpoint};

/// The broker answers within 15 s, whatever happens.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// How long to wait before a resident socket is opened anew that was lost, or on which no App is open yet: what is open
/// is told when a socket opens and with each message, but not when it changes.
const PRESENT_AGAIN_AFTER: Duration = Duration::from_secs(2);
/// Shortest time between two things said.
const SAY_EVERY: Duration = Duration::from_secs(1);
/// Asked this, or anything that names it, an Agent says what it is doing.
const QUESTION: &str = "what are you doing";

/// Who the Agent is in the Room, and which App it plays.
#[derive(Clone, Debug, Default)]
struct Access {
    room: String,
    participant: String,
    token: String,
    /// Nothing while nobody has the App open.
    instance: Option<String>,
}

/// A transport through a Room.
#[derive(Debug)]
pub(crate) struct Room {
    endpoint: Endpoint,
    access: watch::Receiver<Access>,
    connection: Option<Connection>,
}

/// Keeps an Agent present in a Room.
#[derive(Debug)]
pub(crate) struct Presence {
    endpoint: Endpoint,
    name: String,
    /// The App's id in the Room; any App if empty.
    app: String,
    access: watch::Sender<Access>,
    doing: watch::Receiver<String>,
    said: Option<Instant>,
    again_after: Duration,
}

/// A transport, and what must run beside it.
pub(crate) fn enter(endpoint: Endpoint, name: String, app: String, doing: watch::Receiver<String>) -> (Room, Presence) {
    let (access, known) = watch::channel(Access::default());
    let room = Room { endpoint: endpoint.clone(), access: known, connection: None };
    (room, Presence { endpoint, name, app, access, doing, said: None, again_after: PRESENT_AGAIN_AFTER })
}

impl Transport for Room {
    async fn call(&mut self, payload: &Value) -> Result<Value, Lost> {
        let access = self.access.borrow().clone();
        let Some(instance) = access.instance.as_deref() else {
            return Err(Lost::ForNow("nobody in the Room has the App open".to_owned()));
        };
        let body = json!({ "appInstanceId": instance, "payload": payload }).to_string();
        match timeout(ANSWER_WITHIN, self.post(&access, body)).await {
            Ok(Ok(answer)) => answered(answer),
            Ok(Err(error)) => Err(Lost::ForNow(format!("{error:#}"))),
            Err(_) => Err(Lost::ForNow("no answer in time".to_owned())),
        }
    }
}

impl Room {
    async fn post(&mut self, access: &Access, body: String) -> anyhow::Result<Value> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.endpoint.connect().await?,
        };
        let headers = [
            ("x-room-id", access.room.as_str()),
            ("x-room-participant-id", access.participant.as_str()),
            ("x-room-participant-token", access.token.as_str()),
        ];
        let (_, body) = connection.post("/api/room/agent-app-request", &headers, body).await?;
        self.connection = Some(connection);
        Ok(serde_json::from_slice(&body)?)
    }
}

/// Takes the broker's envelope off the App's answer.
fn answered(mut envelope: Value) -> Result<Value, Lost> {
    if envelope["ok"] == true {
        return Ok(envelope["result"].take());
    }
    let code = envelope["error"].as_str().unwrap_or("an answer without a code").to_owned();
    Err(if matches!(code.as_str(), "room_expired" | "invalid_request") {
        Lost::ForGood(code)
    } else {
        Lost::ForNow(code)
    })
}

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

impl Presence {
    /// Stays in the Room until the task is stopped, whatever becomes of sockets and of the Room's memory.
    pub(crate) async fn keep(mut self) {
        loop {
            // What went wrong shows in the Agent's next call, which finds no App or is not authorized.
            if let Err(error) = self.stay().await {
                self.access.send_replace(Access::default());
                eprintln!("{} is not in the Room: {error:#}", self.name);
            }
            sleep(self.again_after).await;
        }
    }

    async fn stay(&mut self) -> anyhow::Result<()> {
        let mut access = self.join().await?;
        let mut socket = self.connect(&access).await?;
        loop {
            let is_open = self.listen(&mut socket, &mut access).await?;
            if !is_open {
                sleep(self.again_after).await;
            }
            // Before the old one is closed: to the Room, who has none is away.
            let mut old = std::mem::replace(&mut socket, self.connect(&access).await?);
            if is_open {
                // An error of a socket that is given up anyway.
                _ = old.close(None).await;
            }
        }
    }

    async fn join(&self) -> anyhow::Result<Access> {
        let body = json!({ "name": self.name, "kind": "agent" }).to_string();
        let (status, body) = self.endpoint.connect().await?.post("/api/room/join", &[], body).await?;
        let body: Value = serde_json::from_slice(&body)?;
        let text = |field: &str| body[field].as_str().map(ToOwned::to_owned);
        let (Some(room), Some(participant), Some(token)) =
            (text("room"), text("participantId"), text("participantToken"))
        else {
            bail!("the Room does not let an Agent in: {status}")
        };
        Ok(Access { room, participant, token, instance: None })
    }

    async fn connect(&self, access: &Access) -> anyhow::Result<Socket> {
        let url = format!("ws://{}/api/room/agent-events", self.endpoint.authority());
        let mut request = url.into_client_request()?;
        for (name, value) in [
            ("x-room-id", &access.room),
            ("x-room-participant-id", &access.participant),
            ("x-room-participant-token", &access.token),
        ] {
            request.headers_mut().insert(name, HeaderValue::from_str(value)?);
        }
        Ok(connect_async(request).await.context("no resident socket")?.0)
    }

    /// Listens until the socket ends, or for a while if no App is open. Returns whether the socket still is.
    async fn listen(&mut self, socket: &mut Socket, access: &mut Access) -> anyhow::Result<bool> {
        let patience = Instant::now() + self.again_after;
        loop {
            let frame = match (&access.instance, socket.next()) {
                (Some(_), next) => next.await,
                (None, next) => match timeout_at(patience, next).await {
                    Ok(frame) => frame,
                    Err(_) => return Ok(true),
                },
            };
            let text = match frame {
                None | Some(Ok(Message::Close(_)) | Err(_)) => return Ok(false),
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(_)) => continue,
            };
            let frame: Value = serde_json::from_str(&text).context("the Room sends what is not JSON")?;
            if frame["type"] != "events" {
                continue;
            }
            self.learn_apps(&frame["roomApps"], access);
            if frame["events"].as_array().into_iter().flatten().any(is_question) {
                self.answer(socket).await?;
            }
        }
    }

    /// Learns which App is open. One that is not listed any more is kept: it may be opened again.
    fn learn_apps(&self, apps: &Value, access: &mut Access) {
        let is_wanted = |app: &&Value| self.app.is_empty() || app["appId"] == self.app.as_str();
        let wanted = apps.as_array().and_then(|apps| apps.iter().find(is_wanted));
        if let Some(instance) = wanted.and_then(|app| app["appInstanceId"].as_str()) {
            access.instance = Some(instance.to_owned());
        }
        self.access.send_replace(access.clone());
    }

    async fn answer(&mut self, socket: &mut Socket) -> anyhow::Result<()> {
        if self.said.is_some_and(|said| said.elapsed() < SAY_EVERY) {
            return Ok(());
        }
        self.said = Some(Instant::now());
        let text = self.doing.borrow().clone();
        let frame = json!({ "type": "room-chat", "text": text }).to_string();
        Ok(socket.send(Message::text(frame)).await?)
    }
}

/// Whether a person asks this Agent something. What else they say is none of its business: it takes no orders from chat.
fn is_question(event: &Value) -> bool {
    let message = &event["message"];
    let text = message["text"].as_str().unwrap_or_default().to_lowercase();
    message["kind"] == "human" && (event["addressed"] == true || text.contains(QUESTION))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::{
        Json, Router,
        extract::{State, WebSocketUpgrade, ws},
        response::Response,
        routing::{get, post},
    };
    use tokio::{net::TcpListener, sync::mpsc};

    use super::*;

    /// A resident socket has opened or ended in the Room.
    #[derive(Debug, PartialEq, Eq)]
    enum Seen {
        Opened,
        Ended,
    }

    /// A Room with no App open, which tells what becomes of resident sockets.
    async fn empty_room() -> (Endpoint, mpsc::UnboundedReceiver<Seen>) {
        async fn reside(State(seen): State<Arc<mpsc::UnboundedSender<Seen>>>, socket: WebSocketUpgrade) -> Response {
            socket.on_upgrade(async move |mut socket| {
                // The test may be over.
                _ = seen.send(Seen::Opened);
                let events = json!({ "type": "events", "events": [], "roomApps": [] }).to_string();
                _ = socket.send(ws::Message::text(events)).await;
                while let Some(Ok(_)) = socket.recv().await {}
                _ = seen.send(Seen::Ended);
            })
        }
        let joined = json!({ "room": "demo", "participantId": "nova", "participantToken": "t" });
        let (seen, told) = mpsc::unbounded_channel();
        let room = Router::new()
            .route("/api/room/join", post(async move || Json(joined.clone())))
            .route("/api/room/agent-events", get(reside))
            .with_state(Arc::new(seen));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, room).await });
        (Endpoint::new(address.to_string()), told)
    }

    #[tokio::test]
    async fn an_agent_that_waits_for_an_app_is_present_all_along() {
        let (endpoint, mut seen) = empty_room().await;
        let (_, doing) = watch::channel(String::new());
        let (_room, presence) = enter(endpoint, "Nova".to_owned(), String::new(), doing);
        let kept = tokio::spawn(Presence { again_after: Duration::from_millis(5), ..presence }.keep());
        let mut open = 0;
        for _ in 0..11 {
            match seen.recv().await.expect("the Room is open") {
                Seen::Opened => open += 1,
                Seen::Ended => open -= 1,
            }
            assert!(open > 0, "for a while the Agent had no socket: it was away");
        }
        kept.abort();
    }

    #[test]
    fn the_brokers_envelope_comes_off() {
        let refusal = json!({ "ok": false, "error": { "code": "full" } });
        assert_eq!(answered(json!({ "ok": true, "result": refusal })), Ok(refusal));
        let lost = |code: &str| answered(json!({ "ok": false, "error": code }));
        assert_eq!(lost("timeout"), Err(Lost::ForNow("timeout".to_owned())));
        assert_eq!(lost("room_expired"), Err(Lost::ForGood("room_expired".to_owned())));
        assert!(matches!(answered(json!([])), Err(Lost::ForNow(_))));
    }

    #[test]
    fn people_are_answered_and_nobody_else() {
        let event = |kind: &str, text: &str, addressed: bool| json!({ "type": "message", "message": { "kind": kind, "text": text }, "addressed": addressed });
        assert!(is_question(&event("human", "What are you doing?", false)));
        assert!(is_question(&event("human", "@Nova hi", true)));
        assert!(!is_question(&event("human", "nice", false)));
        assert!(!is_question(&event("agent", "what are you doing?", true)));
    }
}

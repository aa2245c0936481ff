//! A running server, pages and Agents.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use contract::{
    ClientMessage, Hello, MatchKey, PlayerName, Refusal, RelayPass, ResumeSecret, RosterEntry, SeatId, ServerMessage,
    Snapshot, TeamId, Tick, Ticket, Welcome,
};
use serde_json::{Value, json};
use server::{Config, Games, Listeners, Shutdown, run_games};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

/// Nothing takes this long unless it is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server on free ports, stopped when dropped.
pub(crate) struct Server {
    pub(crate) play: SocketAddr,
    pub(crate) contract: SocketAddr,
    pub(crate) ops: SocketAddr,
    pub(crate) shutdown: Shutdown,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with("")
    }

    /// A server with these settings.
    pub(crate) fn with(settings: &str) -> Self {
        let config = Config::parse(settings).expect("legal settings");
        let games = Games::configured(&config).expect("legal games");
        Self::of_kind(config, games)
    }

    pub(crate) fn of_kind(config: Config, games: impl Into<Games>) -> Self {
        let bind = || TcpListener::bind("127.0.0.1:0").expect("a free port");
        let listeners = Listeners { play: bind(), contract: bind(), ops: bind() };
        let address = |listener: &TcpListener| listener.local_addr().expect("bound");
        let (play, contract, ops) = (address(&listeners.play), address(&listeners.contract), address(&listeners.ops));
        let (shutdown, games) = (Shutdown::new(), games.into());
        let thread = {
            let shutdown = shutdown.clone();
            thread::spawn(move || run_games(listeners, &config, games, &shutdown))
        };
        Self { play, contract, ops, shutdown, thread: Some(thread) }
    }

    /// Opens a socket and says nothing.
    pub(crate) fn connect(&self) -> Page {
        Page::connect(self.play)
    }

    /// A ticket for a match.
    pub(crate) fn ticket(&self, key: &str) -> Ticket {
        ticket(self.play, key)
    }

    /// Opens a socket and takes a seat up again.
    pub(crate) fn come_back(&self, key: &str, by: ResumeSecret) -> (Page, Result<SeatId, Refusal>) {
        let mut page = self.connect();
        page.greet(key, Some(by));
        let seat = page.seated().map(|(seat, _)| seat);
        (page, seat)
    }

    /// Opens a socket and watches a match.
    pub(crate) fn watch(&self, key: &str) -> Page {
        let mut page = self.connect();
        page.hello(key);
        page
    }

    /// An Agent for a match.
    pub(crate) fn agent(&self, key: &str) -> Agent {
        Agent { contract: self.contract, key: key.to_owned(), token: None }
    }

    /// A number from the metrics: the line must begin with this.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let (status, _, text) = http(self.ops, "GET /metrics", &[], b"");
        assert_eq!(status, 200);
        let line = text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
        line.and_then(|line| line.rsplit(' ').next()).map_or(0.0, |number| number.parse().expect("a number"))
    }

    /// Waits until something is so.
    pub(crate) fn until(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            assert!(start.elapsed() < PATIENCE, "never: {what}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the server to end by itself.
    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic").expect("the server ends well");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.begin();
        if !thread::panicking() {
            self.join();
        }
    }
}

/// A page's socket.
pub(crate) struct Page {
    pub(crate) socket: WebSocket<TcpStream>,
    /// What it connects to.
    address: SocketAddr,
    /// What the page got to take its seat up again.
    pub(crate) resume: Option<ResumeSecret>,
    /// What the page shows when it relays.
    pub(crate) relay: Option<RelayPass>,
}

impl Page {
    /// Opens a socket to a server, or to what stands before it, and says nothing.
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("listening");
        stream.set_read_timeout(Some(PATIENCE)).expect("legal");
        let (socket, _) = client(format!("ws://{address}/play"), stream).expect("a WebSocket");
        Self { socket, address, resume: None, relay: None }
    }

    pub(crate) fn send(&mut self, message: &ClientMessage) {
        self.socket.send(Message::binary(contract::encode(message))).expect("open");
    }

    pub(crate) fn hello(&mut self, key: &str) -> Welcome {
        self.greet(key, None)
    }

    pub(crate) fn greet(&mut self, key: &str, resume: Option<ResumeSecret>) -> Welcome {
        let match_key = MatchKey::parse(key).expect("a key");
        let ticket = Some(ticket(self.address, key));
        let hello = Hello { wire: contract::wire_hash(), sim: sim::sim_hash(), match_key, resume, ticket };
        self.send(&ClientMessage::Hello(hello));
        let welcome = self.wait(|message| match message {
            ServerMessage::Welcome(welcome) => Some(welcome),
            _ => None,
        });
        self.relay = Some(welcome.relay.clone());
        welcome
    }

    pub(crate) fn next(&mut self) -> ServerMessage {
        loop {
            match self.socket.read().expect("open") {
                Message::Binary(bytes) => return contract::decode(&bytes).expect("a message"),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("unexpected {other:?}"),
            }
        }
    }

    /// Reads on until a message gives an answer.
    pub(crate) fn wait<T>(&mut self, mut pick: impl FnMut(ServerMessage) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(answer) = pick(self.next()) {
                return answer;
            }
            assert!(start.elapsed() < PATIENCE, "the awaited message never came");
        }
    }

    pub(crate) fn snapshot(&mut self) -> Snapshot {
        self.wait(|message| match message {
            ServerMessage::Snapshot(snapshot) => Some(snapshot),
            _ => None,
        })
    }

    /// Reads on until the roster is as wanted.
    pub(crate) fn roster(&mut self, mut is_wanted: impl FnMut(&[RosterEntry]) -> bool) -> Vec<RosterEntry> {
        self.wait(|message| match message {
            ServerMessage::Roster(roster) if is_wanted(&roster) => Some(roster),
            _ => None,
        })
    }

    pub(crate) fn try_join(&mut self, name: &str, team: Option<u8>) -> Result<(SeatId, Tick), Refusal> {
        let name = PlayerName::clean(name).expect("visible");
        self.send(&ClientMessage::Join { name, team: team.map(TeamId) });
        self.seated()
    }

    pub(crate) fn seated(&mut self) -> Result<(SeatId, Tick), Refusal> {
        let (seat, tick, resume) = self.wait(|message| match message {
            ServerMessage::Seated { seat, tick, resume } => Some(Ok((seat, tick, resume))),
            ServerMessage::Refused(refusal) => Some(Err(refusal)),
            _ => None,
        })?;
        self.resume = Some(resume);
        Ok((seat, tick))
    }

    pub(crate) fn join(&mut self, name: &str, team: Option<u8>) -> SeatId {
        self.try_join(name, team).expect("a seat").0
    }

    pub(crate) fn leave(&mut self) {
        self.send(&ClientMessage::Leave);
        self.wait(|message| matches!(message, ServerMessage::Unseated).then_some(()));
    }

    /// Reads on until the server closes; its code.
    pub(crate) fn closed(&mut self) -> u16 {
        let start = Instant::now();
        loop {
            if let Message::Close(frame) = self.socket.read().expect("a close frame") {
                return frame.expect("a code").code.into();
            }
            assert!(start.elapsed() < PATIENCE, "the server never closes");
        }
    }
}

/// An Agent's side of the contract.
pub(crate) struct Agent {
    contract: SocketAddr,
    key: String,
    pub(crate) token: Option<String>,
}

impl Agent {
    /// One call; the answer is always a JSON object of bounded size.
    pub(crate) fn call(&self, request: &Value) -> Value {
        self.call_raw(request.to_string().as_bytes())
    }

    pub(crate) fn call_raw(&self, body: &[u8]) -> Value {
        let headers = [("matchd-match", self.key.as_str()), ("content-type", "application/json")];
        let (status, _, body) = http(self.contract, "POST /contract", &headers, body);
        assert_eq!(status, 200, "{body}");
        assert!(body.len() <= contract::limits::AGENT_REPLY_BYTES_MAX, "{} bytes", body.len());
        serde_json::from_str(&body).expect("JSON")
    }

    pub(crate) fn take_seat(&mut self, name: &str, team: Option<&str>) -> Value {
        let answer = self.act(&json!({ "type": "take_seat", "name": name, "team": team }));
        self.token = answer["result"]["token"].as_str().map(str::to_owned);
        answer
    }

    pub(crate) fn act(&self, action: &Value) -> Value {
        self.call(&json!({ "type": "act", "token": self.token, "action": action }))
    }

    pub(crate) fn observe(&self) -> Value {
        self.call(&json!({ "type": "observe", "token": self.token }))
    }
}

/// Fetches a ticket, as a page does.
fn ticket(address: SocketAddr, key: &str) -> Ticket {
    let (status, _, body) = http(address, "POST /tickets", &[], json!({ "match": key }).to_string().as_bytes());
    assert_eq!(status, 200, "{body}");
    let answer: Value = serde_json::from_str(&body).expect("JSON");
    Ticket::parse(answer["ticket"].as_str().expect("a text")).expect("a ticket")
}

/// A connection to the contract endpoint that stays open.
pub(crate) struct Line {
    stream: TcpStream,
    headers: String,
}

impl Line {
    pub(crate) fn to(contract: SocketAddr) -> Self {
        Self::with(contract, "")
    }

    /// Sends these lines with every call, each ending with CR and LF.
    pub(crate) fn with(contract: SocketAddr, headers: &str) -> Self {
        let stream = TcpStream::connect(contract).expect("listening");
        stream.set_read_timeout(Some(PATIENCE)).expect("legal");
        stream.set_nodelay(true).expect("legal");
        Self { stream, headers: headers.to_owned() }
    }

    /// Sends a call and waits for nothing.
    pub(crate) fn send(&mut self, key: &str, body: &[u8]) {
        let head = format!(
            "POST /contract HTTP/1.1\r\nhost: x\r\nmatchd-match: {key}\r\n{}content-length: {}\r\n\r\n",
            self.headers,
            body.len()
        );
        self.stream.write_all(&[head.as_bytes(), body].concat()).expect("open");
    }

    /// One call, always answered with 200; the body of its answer.
    pub(crate) fn post(&mut self, key: &str, body: &[u8]) -> String {
        self.send(key, body);
        let mut answer = Vec::new();
        let head_end = loop {
            if let Some(at) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more(&mut answer);
        };
        let head = String::from_utf8_lossy(&answer[..head_end]).to_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let length: usize = length.parse().expect("a number");
        while answer.len() < head_end + length {
            self.read_more(&mut answer);
        }
        String::from_utf8(answer.split_off(head_end)).expect("UTF-8")
    }

    fn read_more(&mut self, answer: &mut Vec<u8>) {
        let mut bytes = [0; 4096];
        let count = self.stream.read(&mut bytes).expect("an answer");
        assert!(count > 0, "the connection ended: {}", String::from_utf8_lossy(answer));
        answer.extend_from_slice(&bytes[..count]);
    }
}

/// One request over a connection of its own: status, head and body.
pub(crate) fn http(address: SocketAddr, line: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String, String) {
    let mut head = format!("{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(address).expect("listening");
    stream.set_read_timeout(Some(PATIENCE)).expect("legal");
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, head.to_owned(), body.to_owned())
}

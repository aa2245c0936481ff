//! The Room over real sockets: what HTTP, WebSockets and MCP make of it.

use std::net::SocketAddr;
use std::time::Duration;

use devroom::{App, Catalog, Hosts, Hub, Json, Room, Rules};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

const ARENA: &str = "arena:64b82acb";
type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<TcpStream>>;

/// Serves a Room with one App, for the rest of the test.
async fn start() -> SocketAddr {
    let app: App = "arena=http://localhost/".parse().expect("it is an App");
    let room = Room::new("demo", Catalog::new("demo", vec![app]).expect("it is one"), Rules::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(devroom::serve(listener, Hub::new(room), Hosts::default(), std::future::pending()));
    address
}

/// One request on a connection of its own: status and body.
async fn request(address: SocketAddr, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let host = if head.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
    let length = body.len();
    let text = format!("{}\r\n{host}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}", head.trim_end());
    // A refused body may not be read to its end.
    let _ = stream.write_all(text.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).expect("answers are text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("it has a head");
    (head[9..12].parse().expect("it has a status"), body.to_owned())
}

async fn post(address: SocketAddr, path: &str, headers: &str, body: &str) -> (u16, Json) {
    let head = format!("POST {path} HTTP/1.1\r\n{headers}");
    let (status, body) = request(address, &head, body).await;
    (status, Json::parse(&body).unwrap_or(Json::Null))
}

/// Somebody who has joined: the answer, and the headers that prove it.
async fn join(address: SocketAddr, kind: &str) -> (Json, String) {
    let body = format!(r#"{{"name":"Somebody","kind":"{kind}"}}"#);
    let (status, joined) = post(address, "/api/room/join", "", &body).await;
    assert_eq!(status, 200);
    let field = |name| joined.text_field(name).expect("it was told");
    let headers = format!(
        "X-Room-Id: demo\r\nX-Room-Participant-Id: {}\r\nX-Room-Participant-Token: {}\r\n",
        field("participantId"),
        field("participantToken")
    );
    (joined, headers)
}

async fn open(address: SocketAddr, path: &str, headers: &str) -> Result<Socket, tokio_tungstenite::tungstenite::Error> {
    let mut request = format!("ws://{address}{path}").into_client_request().expect("it is a URL");
    for (name, value) in headers.lines().filter_map(|line| line.split_once(": ")) {
        let name: axum::http::HeaderName = name.parse().expect("it is a name");
        request.headers_mut().insert(name, value.parse().expect("it is a value"));
    }
    Ok(tokio_tungstenite::connect_async(request).await?.0)
}

/// A browser with the arena ready.
async fn browser(address: SocketAddr) -> Socket {
    let (joined, _) = join(address, "human").await;
    let mut socket = open(address, "/api/room/socket", "").await.expect("it is welcome");
    let field = |name| joined.field(name).expect("it was told").stringify();
    let (id, token) = (field("participantId"), field("participantToken"));
    say(&mut socket, &format!(r#"{{"type":"room-connect","participantId":{id},"participantToken":{token}}}"#)).await;
    hear(&mut socket, "room-welcome").await;
    say(&mut socket, &format!(r#"{{"type":"room-app-host-state","appInstanceId":"{ARENA}","ready":true}}"#)).await;
    // Said after it, so heard after it: the App is ready now.
    say(&mut socket, r#"{"type":"room-chat","text":"ready"}"#).await;
    hear(&mut socket, "room-chat").await;
    socket
}

async fn say(socket: &mut Socket, text: &str) {
    socket.send(Message::text(text)).await.expect("it is open");
}

/// The next frame of a type; others are passed over.
async fn hear(socket: &mut Socket, kind: &str) -> Json {
    let heard = async {
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            let frame = Json::parse(text.as_bytes()).expect("frames are JSON");
            if frame.text_field("type") == Some(kind) {
                return frame;
            }
        }
        panic!("the socket closed before a frame {kind}")
    };
    tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap_or_else(|_| panic!("no frame {kind}"))
}

async fn ask(address: SocketAddr, headers: &str, payload: &str) -> (u16, Json) {
    let body = format!(r#"{{"appInstanceId":"{ARENA}","payload":{payload}}}"#);
    post(address, "/api/room/agent-app-request", headers, &body).await
}

#[tokio::test]
async fn b2_the_way_in_refuses_large_bodies_and_foreign_pages() {
    let address = start().await;
    let large = " ".repeat(200_000);
    let (status, body) = post(address, "/api/room/agent-app-request", "", &large).await;
    assert_eq!((status, body.text_field("error")), (413, Some("invalid_request")));
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let (status, _) = ask(address, &format!("Origin: {origin}\r\n"), "{}").await;
        assert_eq!(status, 403, "{origin}");
    }
    let own = format!("Origin: http://{address}\r\n");
    assert_eq!(ask(address, &own, "{}").await.0, 400, "it is judged like one without");
    assert_eq!(ask(address, "", "{}").await.0, 400);
    let (status, _) = request(address, "GET / HTTP/1.1\r\nHost: evil.example", "").await;
    assert_eq!(status, 421, "a name that somebody has pointed here");
}

#[tokio::test]
async fn b3_the_resident_socket_makes_an_agent_present() {
    let address = start().await;
    let (_, headers) = join(address, "agent").await;
    assert_eq!(ask(address, &headers, "{}").await.0, 401);
    let wrong = headers.replace("demo", "other");
    assert!(open(address, "/api/room/agent-events", &wrong).await.is_err());
    let mut events = open(address, "/api/room/agent-events", &headers).await.expect("it is welcome");
    let frame = hear(&mut events, "events").await;
    assert_eq!(frame.field("roomApps"), Some(&Json::Array(Vec::new())));
    assert_eq!(ask(address, &headers, "{}").await.1.text_field("error"), Some("host_unavailable"));
    let _browser = browser(address).await;
    // The browser spoke; the frame about it lists the App.
    let frame = hear(&mut events, "events").await;
    assert!(frame.stringify().contains(ARENA));
}

#[tokio::test]
async fn b7_b13_a_request_goes_through_a_browser_and_back() {
    let address = start().await;
    let mut browser = browser(address).await;
    let (_, headers) = join(address, "agent").await;
    let _events = open(address, "/api/room/agent-events", &headers).await.expect("it is welcome");
    let asked = tokio::spawn(async move { ask(address, &headers, r#"{"n":1.0}"#).await });
    let request = hear(&mut browser, "room-app-agent-request").await;
    assert_eq!(request.field("payload").expect("it has").stringify(), r#"{"n":1}"#);
    let id = request.text_field("requestId").expect("it has");
    say(
        &mut browser,
        &format!(
            r#"{{"type":"room-app-agent-response","requestId":"{id}","appInstanceId":"{ARENA}","ok":true,"result":{{"z":1,"a":2}}}}"#
        ),
    )
    .await;
    let (status, body) = asked.await.expect("it does not panic");
    assert_eq!((status, body.stringify()), (200, r#"{"ok":true,"result":{"z":1,"a":2}}"#.to_owned()));
}

#[tokio::test]
async fn b14_closing_the_browser_fails_what_is_in_flight() {
    let address = start().await;
    let mut first = browser(address).await;
    let (_, headers) = join(address, "agent").await;
    let _events = open(address, "/api/room/agent-events", &headers).await.expect("it is welcome");
    let asked = tokio::spawn(async move { ask(address, &headers, "{}").await });
    hear(&mut first, "room-app-agent-request").await;
    drop(first);
    let (status, body) = asked.await.expect("it does not panic");
    assert_eq!((status, body.text_field("error")), (502, Some("host_unavailable")));
}

#[tokio::test]
async fn b15_closing_the_resident_socket_fails_what_is_in_flight() {
    let address = start().await;
    let mut browser = browser(address).await;
    let (_, headers) = join(address, "agent").await;
    let events = open(address, "/api/room/agent-events", &headers).await.expect("it is welcome");
    let asked = tokio::spawn(async move { ask(address, &headers, "{}").await });
    hear(&mut browser, "room-app-agent-request").await;
    drop(events);
    let (status, body) = asked.await.expect("it does not panic");
    assert_eq!((status, body.text_field("error")), (502, Some("agent_disconnected")));
}

/// Calls an MCP tool, as clients of the sessionless protocol do or as older ones do; the JSON in its text block.
async fn tool(address: SocketAddr, is_newest: bool, name: &str, arguments: &str) -> Json {
    let meta = if is_newest {
        r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#
    } else {
        ""
    };
    let version = if is_newest { "2026-07-28" } else { "2025-06-18" };
    let headers = format!(
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: {version}\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
    );
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{meta}}}}}"#
    );
    let (status, answer) = post(address, "/mcp", &headers, &call).await;
    assert_eq!(status, 200, "{}", answer.stringify());
    let content = answer.field("result").and_then(|result| result.field("content")).cloned();
    let Some(Json::Array(blocks)) = content else { panic!("no content in {}", answer.stringify()) };
    Json::parse(blocks[0].text_field("text").expect("it is text")).expect("it is JSON")
}

#[tokio::test]
async fn an_agent_that_speaks_mcp_joins_talks_and_asks() {
    for is_newest in [false, true] {
        let address = start().await;
        let mut browser = browser(address).await;
        let joined = tool(address, is_newest, "room_join", r#"{"name":"Robin"}"#).await;
        assert!(joined.field("roomApps").expect("it is there").stringify().contains(ARENA));
        let handle = joined.text_field("participantHandle").expect("it was told").to_owned();

        let said =
            tool(address, is_newest, "room_say", &format!(r#"{{"participantHandle":"{handle}","text":"Hi"}}"#)).await;
        assert_eq!(said.field("ok"), Some(&Json::Bool(true)));
        assert!(hear(&mut browser, "room-chat").await.stringify().contains(r#""text":"Hi""#));
        let since = format!(r#"{{"participantHandle":"{handle}","since":1}}"#);
        let heard = tool(address, is_newest, "room_messages", &since).await;
        assert!(heard.field("messages").expect("it is there").stringify().contains("Hi"));

        let arguments = format!(r#"{{"participantHandle":"{handle}","appInstanceId":"{ARENA}","payload":{{"n":1}}}}"#);
        let asked = tokio::spawn(async move { tool(address, is_newest, "room_app_request", &arguments).await });
        let request = hear(&mut browser, "room-app-agent-request").await;
        let id = request.text_field("requestId").expect("it has").to_owned();
        let response = format!(
            r#"{{"type":"room-app-agent-response","requestId":"{id}","appInstanceId":"{ARENA}","ok":true,"result":{{"n":2}}}}"#
        );
        say(&mut browser, &response).await;
        assert_eq!(asked.await.expect("it does not panic").stringify(), r#"{"ok":true,"result":{"n":2}}"#);

        let leave = format!(r#"{{"participantHandle":"{handle}"}}"#);
        tool(address, is_newest, "room_leave", &leave).await;
        let apps = tool(address, is_newest, "room_apps", &leave).await;
        assert_eq!(apps.text_field("error"), Some("unauthorized"));
    }
}

#[tokio::test]
async fn mcp_lists_its_tools_with_their_schemas() {
    let address = start().await;
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let (status, answer) = post(address, "/mcp", headers, list).await;
    assert_eq!(status, 200);
    let Some(Json::Array(tools)) = answer.field("result").and_then(|result| result.field("tools")).cloned() else {
        panic!("no tools in {}", answer.stringify())
    };
    let mut names: Vec<_> = tools.iter().filter_map(|tool| tool.text_field("name")).collect();
    names.sort_unstable();
    assert_eq!(names, ["room_app_request", "room_apps", "room_join", "room_leave", "room_messages", "room_say"]);
    let request = tools.iter().find(|tool| tool.text_field("name") == Some("room_app_request")).expect("it is listed");
    let schema = request.field("inputSchema").expect("it has one");
    assert_eq!(schema.field("additionalProperties"), Some(&Json::Bool(false)));
    assert_eq!(
        schema.field("required").expect("it has").stringify(),
        r#"["participantHandle","appInstanceId","payload"]"#
    );
    let instance = schema.field("properties").and_then(|properties| properties.field("appInstanceId"));
    assert_eq!(instance.and_then(|instance| instance.text_field("pattern")), Some("^[a-z0-9][a-z0-9:-]{0,95}$"));
}

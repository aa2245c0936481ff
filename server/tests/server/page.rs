//! The page over HTTP, and connections that are up to no good.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use crate::fixture::{PATIENCE, Server, http};

#[test]
fn the_page_may_be_embedded_anywhere() {
    let server = Server::start();
    let (status, head, body) = http(server.play, "GET /", &[], b"");
    assert_eq!(status, 200);
    assert!(body.to_ascii_lowercase().contains("<!doctype html>"));
    let connect =
        format!("connect-src 'self' ws://{0} wss://{0} http://127.0.0.1:{1} ", server.play, server.contract.port());
    for line in ["content-type: text/html", "access-control-allow-origin: *", "frame-ancestors *", &connect] {
        assert!(head.contains(line), "{line} is not in {head}");
    }
    assert!(!head.contains("x-frame-options") && !head.contains("credentials") && !head.contains("set-cookie"));
    let etag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("an etag");
    let (status, _, body) = http(server.play, "GET /", &[("if-none-match", etag)], b"");
    assert_eq!((status, body.as_str()), (304, ""));
    let (_, head, _) = http(server.play, "GET /", &[("accept-encoding", "gzip, br")], b"");
    assert!(head.contains("content-encoding: br"));
    assert_eq!(http(server.play, "GET /../Cargo.toml", &[], b"").0, 404);
    assert_eq!(http(server.play, "POST /", &[], b"").0, 405);
}

#[test]
fn the_page_learns_where_the_contract_endpoint_is() {
    let server = Server::start();
    let (status, head, body) = http(server.play, "GET /addresses.json", &[("origin", "null")], b"");
    assert_eq!((status, body), (200, format!(r#"{{"contract_port":{}}}"#, server.contract.port())));
    for line in ["content-type: application/json", "access-control-allow-origin: *"] {
        assert!(head.contains(line), "{line} is not in {head}");
    }
    let server = Server::with("[contract]\npublic_url = \"https://agents.test/contract\"");
    assert_eq!(
        http(server.play, "GET /addresses.json", &[], b"").2,
        r#"{"contract_url":"https://agents.test/contract"}"#
    );
    assert!(http(server.play, "GET /", &[], b"").1.contains(" https://agents.test\r\n"));
}

#[test]
fn secrets_in_an_address_are_refused() {
    let server = Server::start();
    let upgrade = [
        ("upgrade", "websocket"),
        ("connection", "upgrade"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    for query in ["token=1", "a=b&Ticket=2"] {
        assert_eq!(http(server.play, &format!("GET /play?{query}"), &upgrade, b"").0, 400, "{query}");
    }
    assert!((400..500).contains(&http(server.play, "GET /play", &[], b"").0), "no upgrade, no socket");
}

#[test]
fn bad_heads_are_refused() {
    let server = Server::start();
    let many: Vec<(String, &str)> = (0..70).map(|at| (format!("x-{at}"), "1")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let large = "a".repeat(17 * 1024);
    for headers in [many.as_slice(), &[("x", &large)]] {
        let (status, ..) = http(server.play, "GET /", headers, b"");
        assert_eq!(status, 431);
    }
}

#[test]
fn slow_and_silent_connections_are_cut() {
    let server = Server::with("[play]\nhead_timeout_ms = 200");
    for start in ["", "GET / HTTP/1.1\r\nhost: x"] {
        let mut stream = TcpStream::connect(server.play).expect("listening");
        stream.set_read_timeout(Some(PATIENCE)).expect("legal");
        stream.write_all(start.as_bytes()).expect("open");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("closed by the server");
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[test]
fn connections_over_the_cap_are_closed_and_the_place_is_given_on() {
    let server = Server::with("[play]\nconnections_max = 3");
    let (first, mut second) = (server.watch("demo"), server.watch("demo"));
    // The place of the connection that fetched the last ticket may not be free at once.
    let mut silent = Vec::new();
    server.until("one too many is closed without a word", |server| {
        let mut stream = TcpStream::connect(server.play).expect("listening");
        stream.set_read_timeout(Some(Duration::from_millis(200))).expect("legal");
        let is_closed = stream.read(&mut [0; 8]).map_or_else(|error| !is_timeout(&error), |read| read == 0);
        silent.push(stream);
        is_closed
    });
    assert!(silent.len() <= 2, "two sockets leave one place");
    second.snapshot();
    drop(first);
    drop(silent);
    server.until("a place is free", |server| server.metric("matchd_sockets") < 2.0);
    let refused = "matchd_connections_refused_total{listener=\"play\"}";
    server.until("it was counted", |server| server.metric(refused) >= 1.0);
    server.until("a newcomer gets in", |server| {
        let (mut stream, mut answer) = (TcpStream::connect(server.play).expect("listening"), Vec::new());
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.read_to_end(&mut answer).is_ok_and(|_| answer.starts_with(b"HTTP/1.1 200"))
    });
}

#[test]
fn health_and_readiness_are_told() {
    let server = Server::start();
    assert_eq!(http(server.ops, "GET /healthz", &[], b"").0, 200);
    assert_eq!(http(server.ops, "GET /readyz", &[], b"").0, 200);
    assert_eq!(http(server.ops, "GET /nothing", &[], b"").0, 404);
}

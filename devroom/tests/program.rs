//! The program as a whole: its ready line, its logs, how it ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn b16_no_payload_reaches_the_log() {
    let child = Command::new(env!("CARGO_BIN_EXE_devroom"))
        .args(["--listen", "127.0.0.1:0", "--app", "http://127.0.0.1:1/arena"])
        .env("RUST_LOG", "trace")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut program = Program(child);
    let mut ready = String::new();
    BufReader::new(program.0.stdout.take().expect("it is piped")).read_line(&mut ready).expect("it says something");
    let address =
        ready.strip_prefix("ready room=http://").and_then(|rest| rest.split('/').next()).expect("it is ready");

    let secret = "kept-by-nobody";
    let body = format!(r#"{{"appInstanceId":"arena:1","payload":{{"x":"{secret}"}}}}"#);
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "POST /api/room/agent-app-request HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         X-Room-Id: Lounge\r\nX-Room-Participant-Id: a\r\nX-Room-Participant-Token: {secret}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it is read");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");

    program.0.kill().expect("it runs");
    let mut log = String::new();
    program.0.stderr.take().expect("it is piped").read_to_string(&mut log).expect("it is text");
    assert!(!log.contains(secret), "{log}");
}

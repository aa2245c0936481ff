//! Attacks on the contract endpoint.

use anyhow::ensure;
use contract::limits::AGENT_REQUEST_BYTES_MAX;
use rand_pcg::rand_core::Rng as _;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{MissedTickBehavior, interval},
};

use super::Attacker;
use crate::{
    http::{Connection, Endpoint},
    tally::Counter,
};

/// Most bytes of a refusal, as the contract promises.
const REFUSAL_BYTES_MAX: usize = 1024;

/// No requests, each in its own way.
const NO_REQUESTS: &[&[u8]] = &[
    b"",
    b"{",
    b"null",
    b"[]",
    b"{\"type\":\"destroy\"}",
    b"{\"type\":\"observe\",\"since\":-1}",
    b"{\"type\":\"observe\",\"token\":5}",
    b"{\"type\":\"act\"}",
    b"{\"type\":\"act\",\"action\":{\"type\":\"take_seat\",\"name\":\"\\u0000\"}}",
    b"{\"type\":\"describe\",\"extra\":1}",
    b"\xff\xfe\xfd",
    b"{\"type\":\"observe\",\"since\":1e999}",
];

/// Calls with what is no request.
pub(super) async fn malformed(attacker: &mut Attacker) -> anyhow::Result<()> {
    repeat(attacker, |attacker| {
        let at = attacker.random.next_u32() as usize % (NO_REQUESTS.len() + 1);
        // The last kind is nested deeper than any parser should follow.
        NO_REQUESTS.get(at).map_or_else(|| vec![b'['; 8000], |body| body.to_vec())
    })
    .await
}

/// Calls with bodies of the most bytes there may be, full of nothing, and of one more.
pub(super) async fn huge_body(attacker: &mut Attacker) -> anyhow::Result<()> {
    repeat(attacker, |attacker| {
        let more = attacker.random.next_u32() as usize % 2;
        let mut body = b"{\"type\":\"observe\",\"token\":\"".to_vec();
        body.resize(AGENT_REQUEST_BYTES_MAX + more - 2, b'a');
        body.extend_from_slice(b"\"}");
        body
    })
    .await
}

/// Calls with tokens of no seat.
pub(super) async fn wrong_token(attacker: &mut Attacker) -> anyhow::Result<()> {
    repeat(attacker, |attacker| {
        let token: String = (0..4).map(|_| format!("{:08x}", attacker.random.next_u32())).collect();
        format!(
            "{{\"type\":\"act\",\"token\":\"{token}\",\"key\":\"k\",\"action\":{{\"type\":\"order\",\"order\":\"press\"}}}}"
        )
        .into_bytes()
    })
    .await
}

/// Sends such bodies at the attacker's rate until the connection breaks.
///
/// # Errors
/// When one is not refused, or the refusal is too long.
async fn repeat(attacker: &mut Attacker, mut body: impl FnMut(&mut Attacker) -> Vec<u8>) -> anyhow::Result<()> {
    let Ok(mut connection) = Endpoint::new(attacker.contract.clone()).connect().await else {
        attacker.tally.answer("no connection");
        return Ok(());
    };
    let mut clock = interval(attacker.gap());
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let body = body(attacker);
        if !call(attacker, &mut connection, body).await? {
            return Ok(());
        }
    }
}

/// One call. Returns whether there is still a connection.
async fn call(attacker: &Attacker, connection: &mut Connection, body: Vec<u8>) -> anyhow::Result<bool> {
    let headers = [("matchd-match", attacker.key.as_str())];
    let Ok((status, body)) = connection.post("/contract", &headers, body).await else {
        attacker.tally.answer("call cut off");
        return Ok(false);
    };
    attacker.tally.count(Counter::Calls, 1);
    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    ensure!(answer["ok"] != true, "a hostile call was answered with ok");
    ensure!(body.len() <= REFUSAL_BYTES_MAX, "a refusal of {} bytes", body.len());
    let code = answer["error"]["code"].as_str().unwrap_or_else(|| status.as_str());
    attacker.tally.answer(&format!("call refused: {code}"));
    Ok(true)
}

/// One call whose body comes byte by byte.
pub(super) async fn slow_body(attacker: &mut Attacker) {
    let Ok(mut stream) = TcpStream::connect(&attacker.contract).await else {
        attacker.tally.answer("no connection");
        return;
    };
    let head = format!(
        "POST /contract HTTP/1.1\r\nhost: {}\r\nmatchd-match: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        attacker.contract,
        attacker.key.as_str(),
        AGENT_REQUEST_BYTES_MAX
    );
    attacker.tally.count(Counter::Calls, 1);
    let mut clock = interval(attacker.gap());
    let mut answer = [0; 4096];
    let mut body = head.into_bytes();
    let end = loop {
        tokio::select! {
            _ = clock.tick() => {
                if stream.write_all(&body).await.is_err() {
                    break "slow body cut off";
                }
                body = vec![b' '];
            }
            read = stream.read(&mut answer) => {
                break if read.is_ok_and(|count| count > 0) { "slow body refused" } else { "slow body cut off" };
            }
        }
    };
    attacker.tally.answer(end);
}

//! The clients of a server without a game: each sends inputs on a schedule, and counts what it receives.

use std::{process::Stdio, sync::Arc, time::Duration};

use anyhow::Context as _;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{Instant, interval_at, sleep},
};
use tokio_tungstenite::{WebSocketStream, client_async_with_config, tungstenite::Message};

use super::{Traffic, Transport, Who, report::Turn, server::web_socket_bytes};
use crate::{
    machine::{self, Usage},
    run::OwnServer,
    server::{authority_of, launch, word_of},
    tally::{Counter, Tally},
    tether::{THIS_PROGRAM, tethered},
    trial::Trial,
    wire::socket_config,
};

/// One turn of a server without a game.
pub(super) async fn turn(
    round: usize,
    transport: Transport,
    traffic: Traffic,
    trial: &Trial,
    own: &OwnServer,
) -> anyhow::Result<Turn> {
    let cores = own.cores()?;
    let mut command = tethered(THIS_PROGRAM);
    let name = clap::ValueEnum::to_possible_value(&transport).context("every transport has a name")?;
    command
        .args(["floor-server", "--transport", name.get_name()])
        .args(["--groups".to_owned(), trial.matches.to_string(), "--group".to_owned(), trial.players.to_string()])
        .args(["--frames-per-second".to_owned(), traffic.frames_per_second.to_string()])
        .args(["--frame-bytes".to_owned(), traffic.frame_bytes.to_string()])
        .stderr(Stdio::inherit());
    let (mut child, ready) = launch(command, cores).await?;
    let authority = authority_of(word_of(&ready, "play")?)?;
    let pid = child.id().context("the server ended")?;

    let tally = Arc::new(Tally::new());
    let mut clients = JoinSet::new();
    let period = Duration::from_secs_f64(1.0 / traffic.inputs_per_second);
    let (count, base) = (u32::try_from(trial.clients())?, Instant::now() + trial.warm_up / 2);
    for nth in 0..count {
        let link = Link::open(&authority, transport, nth as usize / trial.players, traffic).await?;
        let first = base + period * nth / count;
        clients.spawn(link.play(first, period, traffic, Arc::clone(&tally)));
    }
    sleep(trial.warm_up).await;
    let reading = || anyhow::Ok((Usage::of(pid)?, cores.map_or(0.0, |cores| machine::busy_seconds(cores.server))));
    let (before, start) = (reading()?, Instant::now());
    tally.cut();
    sleep(trial.window).await;
    let (after, cut, seconds) = (reading()?, tally.cut(), start.elapsed().as_secs_f64());
    if let Some(ended) = clients.try_join_next() {
        ended??;
    }
    clients.shutdown().await;
    child.kill().await?;
    let cpu_seconds = after.0.cpu_seconds - before.0.cpu_seconds;
    let per_client = |counter| cut.count(counter) as f64 / seconds / f64::from(count);
    Ok(Turn {
        round,
        who: Who::Floor(transport),
        cpu_percent_per_client: cpu_seconds / seconds / f64::from(count) * 100.0,
        foreign_percent: ((after.1 - before.1 - cpu_seconds) / seconds * 100.0).max(0.0),
        frames_per_client_second: per_client(Counter::MessagesReceived),
        bytes_per_client_second: per_client(Counter::BytesReceived),
        inputs_per_client_second: per_client(Counter::Inputs),
        input_bytes_per_client_second: per_client(Counter::BytesSent),
    })
}

/// A connection to the server.
enum Link {
    WebSocket(Box<WebSocketStream<TcpStream>>),
    Tcp(TcpStream),
}

impl Link {
    async fn open(authority: &str, transport: Transport, group: usize, traffic: Traffic) -> anyhow::Result<Self> {
        anyhow::ensure!(traffic.frames_per_second > 0.0 && traffic.inputs_per_second > 0.0, "nothing was sent");
        let stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        Ok(match transport {
            Transport::Tcp => Self::Tcp(stream),
            Transport::WebSocket => {
                let url = format!("ws://{authority}/{group}");
                let (socket, _) = client_async_with_config(url, stream, Some(socket_config())).await?;
                Self::WebSocket(Box::new(socket))
            }
        })
    }

    async fn play(self, first: Instant, period: Duration, traffic: Traffic, tally: Arc<Tally>) -> anyhow::Result<()> {
        let mut clock = interval_at(first, period);
        let sent = |bytes: usize| {
            tally.count(Counter::Inputs, 1);
            tally.count(Counter::BytesSent, bytes);
        };
        match self {
            Self::WebSocket(mut socket) => loop {
                tokio::select! {
                    _ = clock.tick() => {
                        socket.send(Message::binary(vec![0x5a; traffic.input_bytes])).await?;
                        sent(traffic.input_bytes);
                    }
                    message = socket.next() => {
                        let bytes = message.context("the server hung up")??.len();
                        tally.count(Counter::MessagesReceived, 1);
                        tally.count(Counter::BytesReceived, bytes);
                    }
                }
            },
            Self::Tcp(mut stream) => {
                // A WebSocket's header with its mask.
                let input = vec![0x5a; traffic.input_bytes + 6];
                let whole = traffic.frame_bytes + web_socket_bytes(traffic.frame_bytes);
                let (mut bytes, mut part) = ([0; 4096], 0);
                let (mut reader, mut writer) = stream.split();
                loop {
                    tokio::select! {
                        _ = clock.tick() => {
                            writer.write_all(&input).await?;
                            sent(traffic.input_bytes);
                        }
                        count = reader.read(&mut bytes) => {
                            let count = count?;
                            anyhow::ensure!(count > 0, "the server hung up");
                            part += count;
                            tally.count(Counter::MessagesReceived, part / whole);
                            tally.count(Counter::BytesReceived, part / whole * traffic.frame_bytes);
                            part %= whole;
                        }
                    }
                }
            }
        }
    }
}

//! A server without a game: to each client it sends frames at a steady rate, and it reads what comes in and forgets it.
//!
//! Clients share a beat in groups, as they share a match: one task sends a group's frames, one after the other. That is the
//! least that this can cost on this stack, as there is no queue and no lock between the beat and the socket.

use std::{io::Write as _, net::Ipv4Addr, time::Duration};

use axum::{
    Router,
    extract::{
        State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::IntoResponse,
    routing::get,
    serve::ListenerExt as _,
};
use futures_util::{SinkExt as _, StreamExt as _, stream::SplitSink};
use hyper::body::Bytes;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, tcp::OwnedWriteHalf},
    sync::mpsc,
    time::{Instant, interval_at},
};

use super::Transport;

/// Beats begin at so many different moments of a period, as those of matches do.
const PHASES: u32 = 16;

/// Bytes a socket's reader takes from the system at once, as in `matchd`: the buffer is cleared for each read, so that a
/// large one would cost more than all the rest.
const READ_BUFFER_BYTES: usize = 4 * 1024;

/// Newcomers that a group may have between two beats; more wait to be let in.
const NEWCOMERS_MAX: usize = 16;

/// What it sends.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// What frames travel by.
    #[arg(long)]
    transport: Transport,
    /// Clients that share a beat.
    #[arg(long)]
    group: usize,
    /// Groups.
    #[arg(long)]
    groups: usize,
    /// Frames per second to each client.
    #[arg(long)]
    frames_per_second: f64,
    /// Bytes of each frame, without a WebSocket's own.
    #[arg(long)]
    frame_bytes: usize,
}

/// Serves until killed. Tells its address on the first line of standard output.
///
/// # Errors
/// When threads and sockets cannot be had.
pub fn serve(options: &Options) -> anyhow::Result<()> {
    // As many threads as the path of `matchd` that pages use has on one core.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let groups = Groups::start(options);
        writeln!(std::io::stdout(), "ready play=http://{address}")?;
        match options.transport {
            Transport::WebSocket => serve_web_sockets(listener, groups).await,
            Transport::Tcp => serve_tcp(listener, groups, options.group).await,
        }
    })
}

async fn serve_web_sockets(listener: TcpListener, groups: Groups) -> anyhow::Result<()> {
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = Router::new().route("/{group}", get(upgrade)).with_state(groups);
    Ok(axum::serve(listener, router).await?)
}

async fn upgrade(
    axum::extract::Path(group): axum::extract::Path<usize>,
    State(groups): State<Groups>,
    upgrade: WebSocketUpgrade,
) -> impl IntoResponse {
    upgrade.read_buffer_size(READ_BUFFER_BYTES).write_buffer_size(0).on_upgrade(move |socket| async move {
        let (sink, mut stream) = socket.split();
        groups.join(group, Sink::WebSocket(sink)).await;
        while let Some(Ok(_)) = stream.next().await {}
    })
}

async fn serve_tcp(listener: TcpListener, groups: Groups, group: usize) -> anyhow::Result<()> {
    for nth in 0.. {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (mut reader, writer) = stream.into_split();
        groups.join(nth / group, Sink::Tcp(writer)).await;
        tokio::spawn(async move {
            let mut bytes = [0; 4096];
            while reader.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
        });
    }
    Ok(())
}

/// The way out to a client.
enum Sink {
    WebSocket(SplitSink<WebSocket, Message>),
    Tcp(OwnedWriteHalf),
}

impl Sink {
    /// Sends a frame. Whether the client is still there.
    async fn send(&mut self, frame: &Bytes) -> bool {
        match self {
            Self::WebSocket(sink) => sink.send(Message::Binary(frame.clone())).await.is_ok(),
            Self::Tcp(writer) => writer.write_all(frame).await.is_ok(),
        }
    }
}

/// Where newcomers of each group go.
#[derive(Clone)]
struct Groups(Vec<mpsc::Sender<Sink>>);

impl Groups {
    fn start(options: &Options) -> Self {
        let period = Duration::from_secs_f64(1.0 / options.frames_per_second);
        let bytes = match options.transport {
            Transport::WebSocket => options.frame_bytes,
            Transport::Tcp => options.frame_bytes + web_socket_bytes(options.frame_bytes),
        };
        let frame = Bytes::from(vec![0x5a; bytes]);
        let now = Instant::now();
        let start = |group| {
            let (newcomers, coming) = mpsc::channel(NEWCOMERS_MAX);
            tokio::spawn(beat(coming, now + period * (group % PHASES) / PHASES, period, frame.clone()));
            newcomers
        };
        Self((0..options.groups as u32).map(start).collect())
    }

    async fn join(&self, group: usize, sink: Sink) {
        // A group that is gone has nothing to send.
        let _ = self.0[group % self.0.len()].send(sink).await;
    }
}

/// Sends a group its frames.
async fn beat(mut coming: mpsc::Receiver<Sink>, start: Instant, period: Duration, frame: Bytes) {
    let mut clock = interval_at(start, period);
    let mut sinks: Vec<Option<Sink>> = Vec::new();
    loop {
        clock.tick().await;
        while let Ok(sink) = coming.try_recv() {
            sinks.push(Some(sink));
        }
        for place in &mut sinks {
            if let Some(sink) = place
                && !sink.send(&frame).await
            {
                *place = None;
            }
        }
    }
}

/// Bytes that a WebSocket puts before a frame from the server.
pub(super) const fn web_socket_bytes(frame_bytes: usize) -> usize {
    if frame_bytes < 126 { 2 } else { 4 }
}

//! `devroom`: reads the command line, binds, runs the Room.

use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;

use anyhow::Context as _;
use clap::Parser;
use devroom::{App, Catalog, Hosts, Hub, Room, Rules};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

/// Libraries that log the bytes they move.
const SILENT: [&str; 4] = ["tungstenite=off", "tokio_tungstenite=off", "hyper=off", "rmcp=off"];

/// A Free4Chat Room on this machine.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    /// Where people and Agents connect. Port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8083")]
    listen: SocketAddr,
    /// An App people can open: URL, ID=URL or ID:LABEL=URL. May be given several times.
    #[arg(long = "app", value_name = "URL", required = true)]
    apps: Vec<App>,
    /// The Room's name.
    #[arg(long, value_name = "NAME", default_value = "Lounge")]
    room: String,
    /// A host name, besides localhost and plain addresses, under which people reach this Room.
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Older platform: while several people have the App open, refuse Agents with `ambiguous_host`.
    #[arg(long)]
    legacy_ambiguous_host: bool,
    /// Older platform: say `host_disconnected` when the person an App was asked through disappears.
    #[arg(long)]
    legacy_host_disconnected: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // At their most talkative these write what passes through, and payloads belong in no log.
    let filter =
        SILENT.iter().fold(filter, |filter, silent| filter.add_directive(silent.parse().expect("it is valid")));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    logs.with_ansi(std::io::stderr().is_terminal()).init();

    let rules = Rules {
        ambiguous_host: arguments.legacy_ambiguous_host,
        host_disconnected: arguments.legacy_host_disconnected,
    };
    let catalog = Catalog::new(&arguments.room, arguments.apps)?;
    let hub = Hub::new(Room::new(&arguments.room, catalog, rules));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(arguments.listen)
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        let address = listener.local_addr()?;
        let mut stdout = std::io::stdout();
        writeln!(stdout, "ready room=http://{address}/ mcp=http://{address}/mcp")
            .and_then(|()| stdout.flush())
            .context("cannot write to stdout")?;
        devroom::serve(listener, hub, Hosts { names: arguments.hosts }, stopped()).await.context("the Room failed")
    })
}

/// Done when the process is asked to stop.
async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).expect("the runtime has signals");
    let mut interrupt = signal(SignalKind::interrupt()).expect("the runtime has signals");
    tokio::select! {
        _ = terminate.recv() => (),
        _ = interrupt.recv() => (),
    }
}

//! `matchd`: reads the command line, binds, runs the server.

use std::{
    io::{IsTerminal as _, Write as _},
    net::SocketAddr,
    path::PathBuf,
};

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use contract::MatchKey;
use server::{Config, Listeners, Shutdown, TICKET_KEYS_VARIABLE, mcp, sign_ticket};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// Authoritative match server.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves matches until SIGTERM or SIGINT.
    Serve {
        /// Where pages connect.
        #[arg(long, value_name = "ADDR", env = "MATCHD_PLAY", default_value = "127.0.0.1:8080")]
        play: SocketAddr,
        /// Where Agents call.
        #[arg(long, value_name = "ADDR", env = "MATCHD_CONTRACT", default_value = "127.0.0.1:8081")]
        contract: SocketAddr,
        /// Where health and metrics are read.
        #[arg(long, value_name = "ADDR", env = "MATCHD_OPS", default_value = "127.0.0.1:8082")]
        ops: SocketAddr,
        /// Settings in TOML, see docs/operations.md.
        #[arg(long, value_name = "FILE", env = "MATCHD_CONFIG")]
        config: Option<PathBuf>,
        /// Writes logs as JSON, one record a line.
        #[arg(long, env = "MATCHD_LOG_JSON")]
        log_json: bool,
    },
    /// Prints a ticket for one connection, signed with the first of the server's ticket keys.
    Ticket {
        /// The match it is for.
        #[arg(long = "match", value_name = "KEY", default_value = "demo")]
        match_key: String,
        /// Settings in TOML; the keys may also be in the environment as MATCHD_TICKET_KEYS.
        #[arg(long, value_name = "FILE", env = "MATCHD_CONFIG")]
        config: Option<PathBuf>,
    },
    /// Lets an Agent that speaks MCP play a match of a running server: over stdio, or by HTTP.
    Mcp {
        /// The server's contract endpoint.
        #[arg(long, value_name = "URL", env = "MATCHD_CONTRACT_URL", default_value = "http://127.0.0.1:8081")]
        contract: String,
        /// The match.
        #[arg(long = "match", value_name = "KEY", default_value = "demo")]
        match_key: String,
        /// Serves http://ADDR/mcp instead of stdio.
        #[arg(long, value_name = "ADDR")]
        http: Option<SocketAddr>,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Serve { play, contract, ops, config, log_json } => {
            log_to_stderr(log_json, "info");
            let config = Config::load(config.as_deref())?;
            let listeners = Listeners::bind(play, contract, ops)?;
            serve(listeners, config)
        }
        Command::Ticket { match_key, config } => print_ticket(&match_key, &Config::load(config.as_deref())?),
        Command::Mcp { match_key, contract, http } => {
            // What a client does is its own business, and its own log.
            log_to_stderr(false, "warn");
            offer_tools(&contract, &match_key, http)
        }
    }
}

fn print_ticket(match_key: &str, config: &Config) -> anyhow::Result<()> {
    let match_key = MatchKey::parse(match_key).context("in --match")?;
    let key = config.tickets.keys.first();
    let key = key.with_context(|| format!("no key: set tickets.keys, tickets.keys_file or {TICKET_KEYS_VARIABLE}"))?;
    writeln!(std::io::stdout(), "{}", sign_ticket(key, &match_key).to_text()).context("cannot write to stdout")
}

fn log_to_stderr(json: bool, level: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let logs = logs.with_ansi(std::io::stderr().is_terminal());
    if json {
        logs.json().init();
    } else {
        logs.init();
    }
}

fn serve(listeners: Listeners, config: Config) -> anyhow::Result<()> {
    // The kernel queues connections from here on, so "ready" is already true.
    let ready = format!(
        "ready play=http://{} contract=http://{} ops=http://{} game={}",
        listeners.play.local_addr()?,
        listeners.contract.local_addr()?,
        listeners.ops.local_addr()?,
        config.game.id
    );
    server::Games::configured(&config)?;
    let shutdown = Shutdown::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
        let server = {
            let shutdown = shutdown.clone();
            tokio::task::spawn_blocking(move || server::run(listeners, &config, &shutdown))
        };
        let mut stdout = std::io::stdout();
        writeln!(stdout, "{ready}").and_then(|()| stdout.flush()).context("cannot write to stdout")?;
        let mut server = std::pin::pin!(server);
        let result = tokio::select! {
            result = server.as_mut() => result,
            _ = terminate.recv() => stop(&shutdown, "SIGTERM", server).await,
            _ = interrupt.recv() => stop(&shutdown, "SIGINT", server).await,
        };
        result.context("the server panicked")?
    })
}

async fn stop<F: Future>(shutdown: &Shutdown, signal: &str, server: F) -> F::Output {
    tracing::info!(signal, "stopping");
    shutdown.begin();
    server.await
}

fn offer_tools(contract: &str, match_key: &str, http: Option<SocketAddr>) -> anyhow::Result<()> {
    let key = MatchKey::parse(match_key).context("in --match")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let tools = mcp::connect(contract, &key).await?;
        let Some(address) = http else {
            let (read, write) = mcp::stdio();
            return mcp::serve_lines(tools, read, write).await;
        };
        let listener = mcp::bind(address).await?;
        println!("ready mcp=http://{}/mcp", listener.local_addr()?);
        let shutdown = Shutdown::new();
        let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
        let serving = tokio::spawn(mcp::serve_http(tools, listener, shutdown.clone()));
        tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
        shutdown.begin();
        serving.await.context("the server panicked")
    });
    // A read from stdin that is under way cannot be called off.
    runtime.shutdown_background();
    served
}

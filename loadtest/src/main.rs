//! `loadtest`: reads the command line and runs what it asks for.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Players and Agents with only the wire to go by.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays a scenario against a server and reports how it went; exits with 1 if anything failed or missed a gate.
    Run(loadtest::Options),
    /// Compares play without Agents, with honest, with many and with hostile ones, in turns; and plays the same matches with
    /// and without Agents looking on.
    Isolation(loadtest::IsolationOptions),
    /// Finds how many matches one core holds, and how cost grows.
    Capacity(loadtest::CapacityOptions),
    /// Plays the reference workload on matchd and on another server, in turns, and compares what it costs.
    Compare(loadtest::CompareOptions),
    /// Finds what a decision's latency costs, and what mechanics buy, in seeded matches in virtual time.
    Cadence(loadtest::CadenceOptions),
    /// Finds what moving the bytes costs without a game, and how much of matchd's CPU that is.
    Floor(loadtest::FloorOptions),
    /// The server without a game that `floor` starts.
    #[command(hide = true)]
    FloorServer(loadtest::FloorServerOptions),
    /// A program that is to end with the one that started it.
    #[command(hide = true)]
    Tethered(loadtest::TetherOptions),
    /// Stands between players and a server and does to the link what is asked.
    #[command(long_about = loadtest::proxy::HELP)]
    Proxy(loadtest::proxy::Options),
    /// Plays as an Agent, by the contract alone; exits with 1 if it called what the contract does not know.
    Agent(loadtest::scripted::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all is well.
fn run(command: Command) -> anyhow::Result<bool> {
    if let Command::Tethered(options) = command {
        match loadtest::become_tethered(&options)? {}
    }
    loadtest::offer_tether();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match command {
            Command::Run(options) => loadtest::run(&options).await,
            Command::Isolation(options) => loadtest::isolation(&options).await,
            Command::Capacity(options) => loadtest::capacity(&options).await,
            Command::Compare(options) => loadtest::compare(&options).await,
            Command::Cadence(options) => loadtest::cadence(&options).await,
            Command::Floor(options) => loadtest::floor(&options).await,
            // It has a runtime of its own.
            Command::FloorServer(options) => {
                tokio::task::spawn_blocking(move || loadtest::serve_floor(&options)).await?.map(|()| true)
            }
            Command::Tethered(_) => unreachable!("it has become another program"),
            Command::Proxy(options) => loadtest::proxy::run(options).await.map(|()| true),
            Command::Agent(options) => {
                let report = loadtest::scripted::run(&options).await?;
                println!("{}", serde_json::to_string_pretty(&report)?);
                Ok(report.errors == 0)
            }
        }
    })
}

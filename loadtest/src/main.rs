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
    /// Plays matches against a server and reports how it went; exits with 1 if anything failed.
    Run(loadtest::Options),
    /// Stands between players and a server and does to the link what is asked.
    #[command(long_about = loadtest::proxy::HELP)]
    Proxy(loadtest::proxy::Options),
    /// Plays as an Agent, by the contract alone; exits with 1 if it called what the contract does not know.
    Agent(loadtest::scripted::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns how many things failed.
fn run(command: Command) -> anyhow::Result<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match command {
        Command::Run(options) => {
            let report = runtime.block_on(loadtest::run(&options))?;
            print!("{}", report.table());
            if let Some(path) = &options.json {
                std::fs::write(path, serde_json::to_string_pretty(&report)? + "\n")?;
            }
            Ok(report.errors)
        }
        Command::Proxy(options) => runtime.block_on(loadtest::proxy::run(options)).map(|()| 0),
        Command::Agent(options) => {
            let report = runtime.block_on(loadtest::scripted::run(&options))?;
            println!("{}", serde_json::to_string_pretty(&report)?);
            Ok(report.errors)
        }
    }
}

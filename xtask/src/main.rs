//! The project's commands: `cargo xtask COMMAND`. `cargo xtask help` lists them.

mod apt;
mod bench;
mod counts;
mod e2e;
mod instructions;
mod licences;
mod play;
mod replay;
mod test;
mod toolchain;
mod web;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The commands of this project")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything, start the server, a Room around it and two Agents, and say where to go
    Play {
        /// The cargo profile of the programs: play is quick to build, release is what ships
        #[arg(long, default_value = "play")]
        profile: String,
        /// Where the Room listens; port 0 takes a free one
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8083")]
        room: String,
        /// Arguments for `matchd serve`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Check and test everything
    Test {
        /// Leave out what needs a browser or the compiler for it
        #[arg(long)]
        quick: bool,
    },
    /// Build the browser App into target/web
    Web {
        /// Quick to build, with assertions, not made small
        #[arg(long)]
        dev: bool,
    },
    /// Run the tests in a real browser
    E2e {
        /// Only test files with this in their name
        #[arg(default_value = "")]
        filter: String,
        /// Wait as long as people do where tests otherwise take a short cut
        #[arg(long)]
        long: bool,
    },
    /// Compare matches played natively and in wasm, checksum by checksum
    ReplayWasm,
    /// Check the licences and origins of all dependencies
    Licences,
    /// Run a measurement, optimised
    Bench {
        /// Name of a bench target or example, or `instructions`
        name: String,
        /// Arguments for it
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Build the server and the load tool as they ship, and run the load tool
    Loadtest {
        /// Arguments for `loadtest`, such as `run --spawn-server`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    #[command(name = play::KEEP_COMPANY, hide = true)]
    KeepCompany(play::Company),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Play { profile, room, arguments } => play::play(&profile, &room, &arguments),
        Task::Test { quick } => test::test(quick),
        Task::Web { dev } => {
            let site = web::build(if dev { web::Build::Dev } else { web::Build::Shipped })?;
            println!("{}", site.display());
            Ok(())
        }
        Task::E2e { filter, long } => {
            let counts = e2e::test(&filter, long)?;
            println!("\n{} passed, {} failed", counts.passed, counts.failed);
            if counts.failed > 0 {
                bail!("there are failed tests");
            }
            Ok(())
        }
        Task::ReplayWasm => replay::replay(),
        Task::Licences => licences::check(),
        Task::Bench { name, arguments } if name == instructions::NAME => instructions::compare(&arguments),
        Task::Bench { name, arguments } => bench::bench(&name, &arguments),
        Task::Loadtest { arguments } => bench::loadtest(&arguments),
        Task::KeepCompany(company) => play::keep_company(&company),
    }
}

//! The project's commands: `cargo xtask COMMAND`. `cargo xtask help` lists them.

mod apt;
mod toolchain;
mod web;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The commands of this project", disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the browser App into target/web
    Web {
        /// Quick to build, with assertions, not made small
        #[arg(long)]
        dev: bool,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Task::Web { dev } => {
            let site = web::build(if dev { web::Build::Dev } else { web::Build::Shipped })?;
            println!("{}", site.display());
            Ok(())
        }
    }
}

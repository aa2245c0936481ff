//! `cargo xtask play`: builds everything, starts the server, a Room around it and two Agents, says where to go.

mod company;

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::web;
use crate::workspace::{become_program, cargo, run, target};

pub(crate) use company::{Company, keep_company};

/// The hidden command that keeps the server company. It is a process of its own, so that the server can take the place of the
/// command the user started, and signals and exit codes are the server's.
pub(crate) const KEEP_COMPANY: &str = "keep-company";

/// Builds everything, and becomes the server. `room` is where the Room listens; `arguments` go to `matchd serve`.
///
/// # Errors
/// Something does not build, or the server does not start.
pub(crate) fn play(profile: &str, room: &str, arguments: &[String]) -> Result<()> {
    println!("building the game page and the server; the first time takes some minutes");
    web::build(web::Build::Shipped)?;
    let packages = ["server", "devroom", "loadtest"].into_iter().flat_map(|package| ["--package", package]);
    run(cargo().args(["build", "--bins", "--profile", profile, "--target-dir"]).arg(target()).args(packages))?;
    // The dev profile is the one whose folder has another name.
    let programs = target().join(if profile == "dev" { "debug" } else { profile });

    let mut company = Command::new(std::env::current_exe()?)
        .args([KEEP_COMPANY, "--room", room, "--programs"])
        .arg(&programs)
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot start a second copy of this program")?;
    let to_company = company.stdin.take().expect("it is piped");
    let mut server = Command::new(programs.join("matchd"));
    server.arg("serve").args(arguments).stdout(to_company);
    if std::env::var_os("RUST_LOG").is_none() {
        server.env("RUST_LOG", "warn");
    }
    become_program(server)
}

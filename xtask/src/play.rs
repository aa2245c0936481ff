//! `cargo xtask play`: builds everything, starts the server, says where the game is.

use std::io::BufRead;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::web;
use crate::workspace::{cargo, run, target};

/// Builds the App and the server, and becomes the server. `arguments` go to `matchd serve`.
///
/// # Errors
/// Something does not build, or the server does not start.
pub(crate) fn play(profile: &str, arguments: &[String]) -> Result<()> {
    println!("building the game page and the server; the first time takes some minutes");
    web::build(web::Build::Shipped)?;
    run(cargo()
        .args(["build", "--package", "server", "--bin", "matchd", "--profile", profile, "--target-dir"])
        .arg(target()))?;
    // The dev profile is the one whose folder has another name.
    let folder = if profile == "dev" { "debug" } else { profile };

    let mut announcer = Command::new(std::env::current_exe()?)
        .arg(ANNOUNCE)
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot start a second copy of this program")?;
    let to_announcer = announcer.stdin.take().expect("it is piped");
    let mut server = Command::new(target().join(folder).join("matchd"));
    server.arg("serve").args(arguments).stdout(to_announcer);
    if std::env::var_os("RUST_LOG").is_none() {
        server.env("RUST_LOG", "warn");
    }
    become_program(server)
}

/// The hidden command that turns the server's ready line into one for people. It is a process of its own, so that the server can
/// take the place of the command the user started, and signals and exit codes are the server's.
pub(crate) const ANNOUNCE: &str = "announce";

/// Copies the server's output, except that its ready line becomes one clear line with the URL.
pub(crate) fn announce() -> Result<()> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match page_of(&line) {
            Some(url) => println!("The game is at {url} (Ctrl-C stops it)"),
            None => println!("{line}"),
        }
    }
    Ok(())
}

/// Reads the page's address out of `ready play=URL contract=URL ops=URL`.
fn page_of(line: &str) -> Option<&str> {
    line.strip_prefix("ready ")?.split(' ').find_map(|pair| pair.strip_prefix("play="))
}

#[cfg(unix)]
fn become_program(mut program: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(program.exec()).context("cannot start matchd")
}

#[cfg(not(unix))]
fn become_program(mut program: Command) -> Result<()> {
    let status = program.status().context("cannot start matchd")?;
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_holds_the_page() {
        let line = "ready play=http://127.0.0.1:8080/ contract=http://127.0.0.1:8081/ ops=http://127.0.0.1:8082/";
        assert_eq!(page_of(line), Some("http://127.0.0.1:8080/"));
        assert_eq!(page_of("something else play=no"), None);
    }
}

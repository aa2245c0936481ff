//! What `cargo xtask play` runs beside the server: the Room and its Agents. They start when the server is ready, and end with it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// The App in the Room, as `devroom --app` takes it, without its URL.
const APP: &str = "kickabout:Kickabout";
const APP_ID: &str = "kickabout";
const AGENTS: [&str; 2] = ["Nova", "Juno"];
/// What they like to do: go where something happens, and change places never.
const LIKINGS: &str = "press=4,shoot=3,pass_to=2,mark=2,hold_zone=2,set_plan=1,take_role=0,stop=0";

/// How company is kept.
#[derive(clap::Args)]
pub(crate) struct Company {
    /// Where the Room listens
    #[arg(long)]
    room: String,
    /// The folder of the programs
    #[arg(long)]
    programs: PathBuf,
}

/// Copies the server's output until it ends. Its ready line starts the others, and becomes one clear line with the URL.
pub(crate) fn keep_company(company: &Company) -> Result<()> {
    let mut others = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match address(&line, "play") {
            Some(game) => greet(company, game, &mut others),
            None => println!("{line}"),
        }
    }
    Ok(())
}

fn greet(company: &Company, game: &str, others: &mut Vec<Ended>) {
    match start(company, game, others) {
        Ok(room) => println!("The Room is at {room}?open={APP_ID} (Ctrl-C stops it); the game alone is at {game}"),
        Err(error) => {
            eprintln!("error: {error:#}");
            println!("The game is at {game} (Ctrl-C stops it)");
        }
    }
}

/// Starts the Room and the Agents and returns the Room's address.
fn start(company: &Company, game: &str, others: &mut Vec<Ended>) -> Result<String> {
    let mut devroom = Command::new(company.programs.join("devroom"));
    devroom.args(["--listen", &company.room, "--app", &format!("{APP}={game}")]).stdout(Stdio::piped());
    let mut devroom = Ended(devroom.spawn().context("cannot start devroom")?);
    let mut ready = String::new();
    BufReader::new(devroom.0.stdout.take().expect("it is piped")).read_line(&mut ready)?;
    let Some(room) = address(ready.trim_end(), "room") else {
        bail!("the Room did not start; `--room ADDR` puts it elsewhere than {}", company.room);
    };
    others.push(devroom);

    let mut agents = Command::new(company.programs.join("loadtest"));
    agents.args(["agent", "--room", room, "--app", APP_ID, "--patience-secs", "0", "--weights", LIKINGS]);
    agents.args(AGENTS.iter().flat_map(|name| ["--name", name])).stdout(Stdio::null());
    others.push(Ended(agents.spawn().context("cannot start the Agents")?));
    Ok(room.to_owned())
}

/// Reads an address out of `ready NAME=URL OTHER=URL`.
fn address<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let pairs = line.strip_prefix("ready ")?.split(' ');
    pairs.filter_map(|pair| pair.split_once('=')).find_map(|(key, url)| (key == name).then_some(url))
}

/// A program that ends when this is dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_holds_the_addresses() {
        let line = "ready play=http://127.0.0.1:8080/ contract=http://127.0.0.1:8081/ ops=http://127.0.0.1:8082/";
        assert_eq!(address(line, "play"), Some("http://127.0.0.1:8080/"));
        assert_eq!(address(line, "ops"), Some("http://127.0.0.1:8082/"));
        assert_eq!(address(line, "room"), None);
        assert_eq!(address("something else play=no", "play"), None);
    }
}

//! What `cargo xtask play` runs beside the server: the Room and its Agents. They start when the server is ready, and end with it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

const AGENTS: [&str; 2] = ["Nova", "Juno"];
/// What they like to do: go where something happens, and change places never. A game without such orders does not mind.
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
        match (named(&line, "play"), named(&line, "game")) {
            (Some(url), Some(game)) => greet(company, url, game, &mut others),
            _ => println!("{line}"),
        }
    }
    Ok(())
}

fn greet(company: &Company, url: &str, game: &str, others: &mut Vec<Ended>) {
    match start(company, url, game, others) {
        Ok(room) => println!("The Room is at {room}?open={game} (Ctrl-C stops it); the game alone is at {url}"),
        Err(error) => {
            eprintln!("error: {error:#}");
            println!("The game is at {url} (Ctrl-C stops it)");
        }
    }
}

/// Starts the Room and the Agents and returns the Room's address. The App in it is named for its game.
fn start(company: &Company, url: &str, game: &str, others: &mut Vec<Ended>) -> Result<String> {
    let mut devroom = Command::new(company.programs.join("devroom"));
    devroom.args(["--listen", &company.room, "--app", &app(url, game)]).stdout(Stdio::piped());
    let mut devroom = Ended(devroom.spawn().context("cannot start devroom")?);
    let mut ready = String::new();
    BufReader::new(devroom.0.stdout.take().expect("it is piped")).read_line(&mut ready)?;
    let Some(room) = named(ready.trim_end(), "room") else {
        bail!("the Room did not start; `--room ADDR` puts it elsewhere than {}", company.room);
    };
    others.push(devroom);

    let mut agents = Command::new(company.programs.join("loadtest"));
    agents.args(["agent", "--room", room, "--app", game, "--patience-secs", "0", "--weights", LIKINGS]);
    agents.args(AGENTS.iter().flat_map(|name| ["--name", name])).stdout(Stdio::null());
    others.push(Ended(agents.spawn().context("cannot start the Agents")?));
    Ok(room.to_owned())
}

/// The App as `devroom --app` takes it. People call a game by its id, with a capital.
fn app(url: &str, game: &str) -> String {
    let (first, rest) = game.split_at(game.chars().next().map_or(0, char::len_utf8));
    format!("{game}:{}{rest}={url}", first.to_uppercase())
}

/// Reads what has this name out of `ready NAME=VALUE OTHER=VALUE`.
fn named<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let pairs = line.strip_prefix("ready ")?.split(' ');
    pairs.filter_map(|pair| pair.split_once('=')).find_map(|(key, value)| (key == name).then_some(value))
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
    fn the_ready_line_holds_the_addresses_and_the_game() {
        let line = "ready play=http://127.0.0.1:8080 ops=http://127.0.0.1:8082 game=skirmish";
        assert_eq!(named(line, "play"), Some("http://127.0.0.1:8080"));
        assert_eq!(named(line, "ops"), Some("http://127.0.0.1:8082"));
        assert_eq!(named(line, "game"), Some("skirmish"));
        assert_eq!(named(line, "room"), None);
        assert_eq!(named("something else play=no", "play"), None);
    }

    #[test]
    fn the_app_is_named_for_its_game() {
        assert_eq!(app("http://127.0.0.1:1", "skirmish"), "skirmish:Skirmish=http://127.0.0.1:1");
    }
}

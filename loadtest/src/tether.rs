//! Programs that end with this one, however it ends.
//!
//! A program that is killed cannot kill those that it has started. The kernel can, if the started one asks for it. So each
//! is started as a second copy of this program, which asks and then becomes what was meant.

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    os::unix::process::CommandExt as _,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use anyhow::{Context as _, anyhow, ensure};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use tokio::process::Command;

/// This program's file, even if another one has been built in its place meanwhile.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";

/// The subcommand of the second copy.
const SUBCOMMAND: &str = "tethered";

/// Whether this program has that subcommand.
static HAS_SUBCOMMAND: AtomicBool = AtomicBool::new(false);

/// What the second copy is to become.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Who started it.
    parent: i32,
    /// A program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// This program has the subcommand. Others that this library is part of, such as tests, have not; there, what is started
/// is only killed when it is dropped.
pub fn offer_tether() {
    HAS_SUBCOMMAND.store(true, Relaxed);
}

/// A program to start that is killed when this one ends, or when it is dropped.
pub(crate) fn tethered(program: impl AsRef<OsStr>) -> Command {
    let mut command = if HAS_SUBCOMMAND.load(Relaxed) {
        let mut command = Command::new(THIS_PROGRAM);
        command.args([SUBCOMMAND, &std::process::id().to_string()]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.kill_on_drop(true);
    command
}

/// Ties this process to its parent and becomes another program.
///
/// # Errors
/// When the parent is gone, or the program does not start.
pub fn become_tethered(options: &Options) -> anyhow::Result<Infallible> {
    set_parent_process_death_signal(Some(Signal::KILL)).context("cannot be tied to the program that started it")?;
    // Who ended before this was asked for gives no signal any more.
    ensure!(getppid().map(Pid::as_raw_pid) == Some(options.parent), "the program that started it is gone");
    let (program, arguments) = options.command.split_first().context("no program is named")?;
    let error = std::process::Command::new(program).args(arguments).exec();
    Err(anyhow!(error).context(format!("{} does not start", program.display())))
}

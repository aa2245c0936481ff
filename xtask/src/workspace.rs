//! Where things are in the source tree, and how commands are run in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The folder of the workspace manifest.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is one folder below the workspace")
}

/// Where cargo puts what it builds for this machine.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Where the finished site lies. The server's build script looks in the same place, so it does not follow
/// `CARGO_TARGET_DIR`.
pub(crate) fn site() -> PathBuf {
    root().join("target/web")
}

/// The cargo that runs this program, so that a `+toolchain` given by the user stays in force.
pub(crate) fn cargo() -> Command {
    in_root(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A command that will run in the workspace folder.
pub(crate) fn in_root(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs a command to its end, its output going to the terminal.
///
/// # Errors
/// The program is missing, or ended with a failure.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Becomes another program, where the system can; else runs it and ends as it ends.
///
/// # Errors
/// It does not start.
#[cfg(unix)]
pub(crate) fn become_program(mut program: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let error = program.exec();
    Err(error).with_context(|| format!("cannot run {}", shown(&program)))
}

/// Becomes another program, where the system can; else runs it and ends as it ends.
///
/// # Errors
/// It does not start.
#[cfg(not(unix))]
pub(crate) fn become_program(mut program: Command) -> Result<()> {
    let status = program.status().with_context(|| format!("cannot run {}", shown(&program)))?;
    std::process::exit(status.code().unwrap_or(1))
}

/// Runs a command to its end and returns what it printed; on failure its output is part of the error.
///
/// # Errors
/// The program is missing, or ended with a failure.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {}", shown(command)))?;
    if !output.status.success() {
        bail!(
            "{} failed ({})\n{}{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The file that would run under this name, if it is on the PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

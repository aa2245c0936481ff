//! Debian packages, for the tools that are easiest to have from there.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::workspace::{find_program, output};

/// Whether this machine has apt, and this user may use it without being asked anything.
pub(crate) fn is_usable() -> bool {
    find_program("apt-get").is_some() && (is_root() || has_sudo())
}

/// Whether this process runs as root.
pub(crate) fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Installs those of the packages that are missing.
///
/// # Errors
/// apt reports a failure; its output is in the error.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let missing: Vec<&str> = packages.iter().copied().filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("apt-get install {}", missing.join(" "));
    output(apt_get().arg("update"))?;
    output(apt_get().args(["install", "-y", "--no-install-recommends"]).args(missing))?;
    Ok(())
}

fn is_installed(package: &str) -> bool {
    output(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", package]))
        .is_ok_and(|status| status == "installed")
}

fn apt_get() -> Command {
    let mut command = Command::new(if is_root() { "env" } else { "sudo" });
    if !is_root() {
        command.args(["-n", "env"]);
    }
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
    // A folder that exists for every user: apt warns when its sandbox user cannot enter the current one.
    command.current_dir(Path::new("/"));
    command
}

fn has_sudo() -> bool {
    output(Command::new("sudo").args(["-n", "true"])).is_ok()
}

//! Finds or makes a Rust compiler that can build for the browser.
//!
//! The order is: the target is already there; rustup adds it, unless rustup is told not to install by itself; Debian's packages.
//! The environment variable `MATCHD_WASM_TOOLCHAIN` forces one of the last two.

mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::{find_program, output};

/// The name rustc gives to "wasm, in a browser".
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

const CHOICE: &str = "MATCHD_WASM_TOOLCHAIN";

const ADVICE: &str = "\
There is no Rust compiler for the browser (target wasm32-unknown-unknown) on this machine. Do one of these:
  with rustup:     rustup target add wasm32-unknown-unknown
  on Debian:       run this command as root, or with a sudo that asks no password, so that it may
                   apt-get install rustc-web rust-web-src
  otherwise:       install your distribution's Rust standard library for wasm32";

/// A compiler that knows the browser target.
pub(crate) struct WasmToolchain {
    /// The rustc to use; `None` means the ordinary one.
    rustc: Option<PathBuf>,
}

impl WasmToolchain {
    /// Makes cargo use this compiler.
    pub(crate) fn apply(&self, cargo: &mut Command) {
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc);
        }
    }
}

/// Finds or makes the compiler. Takes a minute the first time on the Debian route, and nothing after that.
///
/// # Errors
/// No way leads to a compiler; the error says what the user can do.
pub(crate) fn acquire() -> Result<WasmToolchain> {
    let ordinary = WasmToolchain { rustc: None };
    match std::env::var(CHOICE).as_deref() {
        Ok("debian") => return from_debian(),
        Ok("rustup") if is_installed() => return Ok(ordinary),
        Ok("rustup") => return rustup().map(|()| ordinary),
        Ok("") | Err(_) => {}
        Ok(other) => bail!("{CHOICE} is {other:?}; it can be \"debian\" or \"rustup\""),
    }
    if is_installed() {
        return Ok(ordinary);
    }
    if find_program("rustup").is_some() && rustup_may_install() {
        match rustup() {
            Ok(()) => return Ok(ordinary),
            Err(error) => println!("rustup could not add {TARGET}: {error:#}"),
        }
    }
    if debian::is_possible() {
        return from_debian();
    }
    bail!(ADVICE)
}

fn is_installed() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    output(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]))
        .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// `RUSTUP_AUTO_INSTALL=0` is how a machine says that nothing is to be downloaded unless somebody asks for it by name.
fn rustup_may_install() -> bool {
    std::env::var("RUSTUP_AUTO_INSTALL").as_deref() != Ok("0")
}

fn rustup() -> Result<()> {
    println!("rustup target add {TARGET}");
    output(Command::new("rustup").args(["target", "add", TARGET])).map(drop)
}

fn from_debian() -> Result<WasmToolchain> {
    if !debian::is_possible() {
        bail!("{CHOICE} asks for Debian's packages, but apt-get is not usable here.\n{ADVICE}");
    }
    let rustc = debian::rustc().context("building the standard library from Debian's sources failed")?;
    Ok(WasmToolchain { rustc: Some(rustc) })
}

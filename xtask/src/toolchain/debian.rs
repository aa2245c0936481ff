//! The browser target from Debian's packages.
//!
//! Debian has a recent rustc (`rustc-web`) and the sources of its standard library (`rust-web-src`), but no built library
//! for wasm32. It is built here once, with Debian's rustc and the user's cargo, and put into a
//! sysroot of its own. Cargo then needs nothing but `RUSTC`: no nightly flags, no settings.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use super::TARGET;
use crate::apt;
use crate::workspace::{cargo, find_program, output};

const RUSTC: &str = "/usr/bin/rustc";
const SOURCES: &str = "/usr/lib/rustlib/src/rust/library";

/// Raise this when the steps below change, so that libraries built by the old steps are built again.
const RECIPE: u32 = 1;

/// Whether the packages are here or could be had.
pub(super) fn is_possible() -> bool {
    has_packages() || apt::is_usable()
}

/// The compiler; makes it on first use.
///
/// # Errors
/// apt or the build of the library failed, or the cache folder cannot be written.
pub(super) fn rustc() -> Result<PathBuf> {
    if !has_packages() {
        apt::install(&["rustc-web", "rust-web-src"])?;
    }
    let cache = cache_folder()?;
    fs::create_dir_all(&cache)?;
    // Two builds at once (two clones, CI jobs) would write into the same folder.
    let lock = File::create(cache.join("lock"))?;
    lock.lock()?;

    let version = output(Command::new(RUSTC).arg("-vV"))?;
    let stamp = format!("{version}recipe: {RECIPE}\n");
    let sysroot = cache.join("sysroot");
    let wrapper = sysroot.join("bin/rustc");
    let stamp_file = cache.join("stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) && wrapper.exists() {
        return Ok(wrapper);
    }
    let started = Instant::now();
    println!("building the standard library for {TARGET} (once, about a minute)");
    let _ = fs::remove_file(&stamp_file);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc -vV names no host")?;
    let built = cache.join("build");
    build_library(&built)?;
    assemble(&sysroot, &built, host)?;
    write_wrapper(&wrapper, &sysroot)?;
    fs::remove_dir_all(&built)?;
    fs::write(stamp_file, stamp)?;
    println!("standard library built in {} s", started.elapsed().as_secs());
    Ok(wrapper)
}

fn has_packages() -> bool {
    Path::new(RUSTC).exists() && Path::new(SOURCES).join("sysroot/Cargo.toml").exists()
}

fn cache_folder() -> Result<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => Path::new(&std::env::var_os("HOME").context("HOME is not set")?).join(".cache"),
    };
    Ok(base.join("matchd/wasm-toolchain"))
}

fn build_library(folder: &Path) -> Result<()> {
    let vendored = fs::canonicalize(SOURCES)?.join("vendor");
    let mut build = cargo();
    build
        // Debian does not carry the dev-dependencies, hence -Zavoid-dev-deps.
        .args(["build", "--release", "--offline", "-Zavoid-dev-deps", "--target", TARGET])
        .args(["--features", "compiler-builtins-mem", "--manifest-path"])
        .arg(Path::new(SOURCES).join("sysroot/Cargo.toml"))
        .args(["--config", "source.crates-io.replace-with='vendored'", "--config"])
        .arg(format!("source.vendored.directory='{}'", vendored.display()))
        .current_dir(SOURCES)
        .env("RUSTC", RUSTC)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", folder)
        // Bitcode, because the client is built with link-time optimisation.
        .env("RUSTFLAGS", "-Zforce-unstable-if-unmarked -Cembed-bitcode=yes -Cpanic=abort");
    output(&mut build).map(drop)
}

/// Lays out a sysroot: our library for wasm, Debian's own files for build scripts and macros on this machine.
fn assemble(sysroot: &Path, built: &Path, host: &str) -> Result<()> {
    if sysroot.exists() {
        fs::remove_dir_all(sysroot)?;
    }
    let rustlib = sysroot.join("lib/rustlib");
    let library = rustlib.join(TARGET).join("lib");
    let host_bin = rustlib.join(host).join("bin");
    for folder in [&sysroot.join("bin"), &library, &host_bin] {
        fs::create_dir_all(folder)?;
    }
    for entry in fs::read_dir(built.join(TARGET).join("release/deps"))? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // `sysroot` is only the package that names the others.
        if name.ends_with(".rlib") && !name.starts_with("libsysroot-") {
            fs::copy(&file, library.join(&*name))?;
        }
    }
    symlink(format!("/usr/lib/rustlib/{host}/lib"), rustlib.join(host).join("lib"))?;
    symlink(linker(host)?, host_bin.join("rust-lld"))?;
    Ok(())
}

/// rustup's linker where there is one, else Debian's. Both read what Debian's rustc writes.
fn linker(host: &str) -> Result<PathBuf> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"])).unwrap_or_default();
    let from_rustup = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/rust-lld");
    if from_rustup.exists() {
        return Ok(from_rustup);
    }
    if find_program("wasm-ld").is_none() {
        apt::install(&["lld"])?;
    }
    find_program("wasm-ld").context("the package lld brought no wasm-ld")
}

/// Debian's rustc with our sysroot. The real compiler is called by its full name because a `rustc` on the PATH may be rustup's.
fn write_wrapper(wrapper: &Path, sysroot: &Path) -> Result<()> {
    let quoted = sysroot.display().to_string().replace('\'', r"'\''");
    fs::write(wrapper, format!("#!/bin/sh\nexec {RUSTC} --sysroot '{quoted}' \"$@\"\n"))?;
    fs::set_permissions(wrapper, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

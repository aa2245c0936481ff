//! From a Rust package to a JavaScript module with its wasm: cargo, wasm-bindgen, wasm-opt.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Build, optimise};
use crate::toolchain::{self, TARGET};
use crate::workspace::{cargo, root, run, target};

/// Builds a package's library for the browser and returns the folder of the two files: `NAME.js` and `NAME_bg.wasm`.
/// Each step is skipped when its inputs are those of the last run.
///
/// # Errors
/// There is no compiler for the browser, or a step failed.
pub(crate) fn make(package: &str, build: Build) -> Result<PathBuf> {
    let work = root().join("target/wasm");
    fs::create_dir_all(&work)?;
    let lock = File::create(work.join("xtask.lock"))?;
    lock.lock()?;

    let library = package.replace('-', "_");
    let compiled = compile(package, &library, build, &work)?;
    let driver = build_driver()?;
    generate(&library, build, &compiled, &driver, &work)
}

fn compile(package: &str, library: &str, build: Build, work: &Path) -> Result<PathBuf> {
    let toolchain = toolchain::acquire()?;
    let (profile, folder) = match build {
        Build::Shipped => ("wasm", "wasm"),
        Build::Dev => ("dev", "debug"),
    };
    let mut command = cargo();
    command
        .args(["build", "--quiet", "--package", package, "--lib", "--target", TARGET])
        .args(["--profile", profile, "--target-dir"])
        .arg(work);
    toolchain.apply(&mut command);
    run(&mut command)?;
    Ok(work.join(TARGET).join(folder).join(library).with_extension("wasm"))
}

/// The wasm-bindgen driver has a target folder of its own: in the common one, its features would make the
/// server's dependencies build twice.
fn build_driver() -> Result<PathBuf> {
    let folder = target().join("bindgen");
    run(cargo().args(["build", "--quiet", "--package", "bindgen", "--profile", "tool", "--target-dir"]).arg(&folder))?;
    Ok(folder.join("tool/bindgen"))
}

fn generate(library: &str, build: Build, compiled: &Path, driver: &Path, work: &Path) -> Result<PathBuf> {
    let wasm_opt = match build {
        Build::Shipped => optimise::wasm_opt()?,
        Build::Dev => None,
    };
    let folder = work.join("generated").join(library);
    let stamp_file = folder.with_extension("stamp");
    let stamp = format!("{:016x} {wasm_opt:?}", hash_files(&[compiled, driver])?);
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) && folder.is_dir() {
        return Ok(folder);
    }
    let _ = fs::remove_file(&stamp_file);
    let _ = fs::remove_dir_all(&folder);
    run(Command::new(driver).arg(compiled).arg(&folder))?;
    let wasm = folder.join(format!("{library}_bg.wasm"));
    if let Some(wasm_opt) = wasm_opt {
        optimise::shrink(&wasm_opt, &wasm)?;
    }
    println!("{library}_bg.wasm: {} KB", fs::metadata(&wasm)?.len() / 1000);
    // Node takes a .js file for a module only where a package says so.
    fs::write(work.join("generated/package.json"), "{ \"type\": \"module\" }\n")?;
    fs::write(stamp_file, stamp)?;
    Ok(folder)
}

fn hash_files(files: &[&Path]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).with_context(|| format!("cannot read {}", file.display()))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

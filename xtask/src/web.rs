//! `cargo xtask web`: the browser App, from Rust to a folder of files in `target/web`.
//!
//! Four steps, each skipped when its inputs are those of the last run: cargo, wasm-bindgen, wasm-opt, copying.

mod optimise;

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::toolchain::{self, TARGET};
use crate::workspace::{cargo, root, run, site, target};

const PACKAGE: &str = "client-wasm";
const LIBRARY: &str = "client_wasm";

/// How the App is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Small and fast, as it ships.
    Shipped,
    /// Quick to build, with assertions.
    Dev,
}

/// Builds the site and returns its folder.
///
/// # Errors
/// There is no compiler for the browser, or a step failed.
pub(crate) fn build(build: Build) -> Result<PathBuf> {
    let work = root().join("target/wasm");
    fs::create_dir_all(&work)?;
    let lock = File::create(work.join("xtask.lock"))?;
    lock.lock()?;

    let module = compile(build, &work)?;
    let driver = build_driver()?;
    let generated = generate(build, &module, &driver, &work)?;
    let site = site();
    publish(&[&root().join(PACKAGE).join("web"), &generated], &site)?;
    Ok(site)
}

fn compile(build: Build, work: &Path) -> Result<PathBuf> {
    let toolchain = toolchain::acquire()?;
    let (profile, folder) = match build {
        Build::Shipped => ("wasm", "wasm"),
        Build::Dev => ("dev", "debug"),
    };
    let mut command = cargo();
    command
        .args(["build", "--quiet", "--package", PACKAGE, "--lib", "--target", TARGET])
        .args(["--profile", profile, "--target-dir"])
        .arg(work);
    toolchain.apply(&mut command);
    run(&mut command)?;
    Ok(work.join(TARGET).join(folder).join(LIBRARY).with_extension("wasm"))
}

/// The wasm-bindgen driver has a target folder of its own: in the common one, its features would make the
/// server's dependencies build twice.
fn build_driver() -> Result<PathBuf> {
    let folder = target().join("bindgen");
    run(cargo().args(["build", "--quiet", "--package", "bindgen", "--profile", "tool", "--target-dir"]).arg(&folder))?;
    Ok(folder.join("tool/bindgen"))
}

fn generate(build: Build, module: &Path, driver: &Path, work: &Path) -> Result<PathBuf> {
    let wasm_opt = match build {
        Build::Shipped => optimise::wasm_opt()?,
        Build::Dev => None,
    };
    let generated = work.join("generated");
    let stamp_file = work.join("generated.stamp");
    let stamp = format!("{:016x} {wasm_opt:?}", hash_files(&[module, driver])?);
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) && generated.is_dir() {
        return Ok(generated);
    }
    let _ = fs::remove_file(&stamp_file);
    let _ = fs::remove_dir_all(&generated);
    run(std::process::Command::new(driver).arg(module).arg(&generated))?;
    let wasm = generated.join(format!("{LIBRARY}_bg.wasm"));
    if let Some(wasm_opt) = wasm_opt {
        optimise::shrink(&wasm_opt, &wasm)?;
    }
    println!("{LIBRARY}_bg.wasm: {} KB", fs::metadata(&wasm)?.len() / 1000);
    fs::write(stamp_file, stamp)?;
    Ok(generated)
}

fn hash_files(files: &[&Path]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).with_context(|| format!("cannot read {}", file.display()))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Makes `to` hold exactly the files of the `from` folders. A file that is already right is not touched, because its time
/// is what tells cargo whether the server must be built again.
fn publish(from: &[&Path], to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let mut wanted = Vec::new();
    for folder in from {
        collect(folder, Path::new(""), &mut wanted)?;
    }
    let mut present = Vec::new();
    collect(to, Path::new(""), &mut present)?;
    for (name, file) in &present {
        if !wanted.iter().any(|(wanted, _)| wanted == name) {
            fs::remove_file(file)?;
        }
    }
    for (name, file) in wanted {
        let bytes = fs::read(&file)?;
        let copy = to.join(name);
        if fs::read(&copy).is_ok_and(|found| found == bytes) {
            continue;
        }
        fs::create_dir_all(copy.parent().unwrap_or(to))?;
        fs::write(copy, bytes)?;
    }
    Ok(())
}

/// The files below `folder`, each with its name relative to where the walk began. A folder that is missing has none.
fn collect(folder: &Path, name: &Path, files: &mut Vec<(PathBuf, PathBuf)>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = name.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn publishing_copies_new_files_drops_old_ones_and_leaves_equal_ones_alone() {
        let base = std::env::temp_dir().join(format!("matchd-publish-{}", std::process::id()));
        let (from, to) = (base.join("from"), base.join("to"));
        fs::create_dir_all(from.join("fonts")).unwrap();
        fs::create_dir_all(&to).unwrap();
        fs::write(from.join("index.html"), "page").unwrap();
        fs::write(from.join("fonts/a.woff2"), "font").unwrap();
        fs::write(to.join("index.html"), "page").unwrap();
        fs::write(to.join("gone.js"), "old").unwrap();
        let before = fs::metadata(to.join("index.html")).unwrap().modified().unwrap();

        publish(&[&from], &to).unwrap();

        assert_eq!(fs::read_to_string(to.join("fonts/a.woff2")).unwrap(), "font");
        assert!(!to.join("gone.js").exists());
        assert_eq!(fs::metadata(to.join("index.html")).unwrap().modified().unwrap(), before);
        fs::remove_dir_all(base).unwrap();
    }
}

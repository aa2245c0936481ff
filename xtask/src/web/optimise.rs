//! wasm-opt, which takes about a third off the size of the App. It comes from npm, and the App works without it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::workspace::{find_program, output, root};

/// The version of binaryen, the package wasm-opt is a part of.
const VERSION: &str = "132.0.0";

/// Where wasm-opt is; installs it on first use. `None` means that it cannot be had here, which is said in a line.
///
/// # Errors
/// The folder for it cannot be made.
pub(super) fn wasm_opt() -> Result<Option<PathBuf>> {
    let folder = root().join("target/tools").join(format!("binaryen-{VERSION}"));
    let program = folder.join("node_modules/binaryen/bin/wasm-opt");
    let complete = folder.join("complete");
    if complete.exists() {
        return Ok(Some(program));
    }
    if find_program("npm").is_none() {
        println!("npm is not installed: the App will be about a third larger than it could be");
        return Ok(None);
    }
    fs::create_dir_all(&folder)?;
    let installed = output(
        Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
            .arg(&folder)
            .arg(format!("binaryen@{VERSION}"))
            .current_dir(&folder),
    );
    if let Err(error) = installed {
        println!("wasm-opt could not be installed; the App will be larger than it could be: {error:#}");
        return Ok(None);
    }
    fs::write(complete, "")?;
    Ok(Some(program))
}

/// Rewrites the file smaller.
///
/// # Errors
/// wasm-opt does not understand the file.
pub(super) fn shrink(wasm_opt: &Path, wasm: &Path) -> Result<()> {
    output(Command::new("node").arg(wasm_opt).arg("-Oz").arg(wasm).arg("-o").arg(wasm)).map(drop)
}

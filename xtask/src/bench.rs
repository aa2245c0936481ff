//! `cargo xtask bench`: runs one of the project's measurements, optimised as it ships.

use std::{fs, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::e2e;
use crate::workspace::{become_program, cargo, output, root, run, target};

/// Measurements in a browser are files with this ending in `e2e`.
const IN_BROWSER: &str = ".bench.mjs";

/// Runs the bench target, the example or the measurement in a browser of this name; `arguments` go to it.
///
/// # Errors
/// There is none of this name (the error lists those there are), or it failed.
pub(crate) fn bench(name: &str, arguments: &[String]) -> Result<()> {
    let metadata = output(cargo().args(["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut known = Vec::new();
    for entry in fs::read_dir(root().join("e2e"))? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if let Some(found) = file.strip_suffix(IN_BROWSER) {
            if found == name {
                return run(e2e::node()?.arg(format!("e2e/{file}")).args(arguments));
            }
            known.push(found.to_owned());
        }
    }
    for package in metadata["packages"].as_array().context("cargo metadata lists no packages")? {
        for target in package["targets"].as_array().into_iter().flatten() {
            let kind = target["kind"][0].as_str().unwrap_or_default();
            let (Some(package), Some(target)) = (package["name"].as_str(), target["name"].as_str()) else {
                continue;
            };
            if !matches!(kind, "bench" | "example") {
                continue;
            }
            if target == name {
                return run_target(package, kind, name, arguments);
            }
            known.push(target.to_owned());
        }
    }
    bail!("there is no bench {name:?}; there are: {}", known.join(", "))
}

fn run_target(package: &str, kind: &str, name: &str, arguments: &[String]) -> Result<()> {
    let mut command = cargo();
    match kind {
        "bench" => command.args(["bench", "--package", package, "--bench", name]),
        _ => command.args(["run", "--release", "--package", package, "--example", name]),
    };
    run(command.arg("--").args(arguments))
}

/// Builds the server and the load tool as they ship, and runs the load tool with these arguments.
///
/// # Errors
/// Something does not build, or the load tool found something wrong.
pub(crate) fn loadtest(arguments: &[String]) -> Result<()> {
    let build = ["build", "--quiet", "--release", "--package", "server", "--package", "loadtest", "--target-dir"];
    run(cargo().args(build).arg(target()))?;
    let mut loadtest = Command::new(target().join("release/loadtest"));
    loadtest.args(arguments);
    // So that a signal meant for it reaches it.
    become_program(loadtest)
}

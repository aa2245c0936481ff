//! The list of what the simulation must not use is only worth something while clippy reads it: a misspelt path, a renamed
//! function or a moved file would silence it without a word.

use std::path::Path;
use std::process::Command;

/// Runs clippy as cargo would for a file of package `sim`, and returns what it says.
fn clippy_in_sim(source: &Path) -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new("clippy-driver")
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .arg(source)
        // This is how clippy knows which package it is in, and so which clippy.toml to read.
        .env("CARGO_MANIFEST_DIR", workspace.join("sim"))
        .env_remove("CLIPPY_CONF_DIR")
        .output()
        .expect("clippy is part of the toolchain");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn every_forbidden_thing_is_noticed_in_the_simulation() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::fs::read_to_string(package.join("../sim/clippy.toml")).unwrap();
    let forbidden: Vec<&str> =
        list.lines().filter_map(|line| line.split_once("path = \"")?.1.split('"').next()).collect();
    assert!(forbidden.len() > 50, "the list is not written one entry a line any more");

    let said = clippy_in_sim(&package.join("fixtures/forbidden.rs"));

    for path in forbidden {
        assert!(
            said.contains(&format!("use of a disallowed method `{path}`"))
                || said.contains(&format!("use of a disallowed type `{path}`")),
            "{path} went unnoticed; is it used in fixtures/forbidden.rs?\n{said}"
        );
    }
}

#[test]
fn plain_arithmetic_is_left_alone() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plain.rs");
    std::fs::write(&source, "pub fn length(x: f32, y: f32) -> f32 { (x * x + y * y).sqrt() }\n").unwrap();

    assert_eq!(clippy_in_sim(&source), "");
}

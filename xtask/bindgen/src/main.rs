//! Runs wasm-bindgen at the version the workspace pins.
//!
//! `bindgen IN.wasm OUT_FOLDER` writes the JavaScript module and the finished wasm for a page that loads them as a
//! module. A driver of our own, because it takes a third of the time to build that the published command
//! takes, and because one lock file then holds both halves of wasm-bindgen, which must be of equal version.

use std::path::PathBuf;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let usage = "usage: bindgen IN.wasm OUT_FOLDER";
    let input = arguments.next().context(usage)?;
    let output = arguments.next().context(usage)?;
    Bindgen::new().input_path(input).web(true)?.typescript(false).remove_producers_section(true).generate(output)
}

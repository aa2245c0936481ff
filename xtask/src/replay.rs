//! `cargo xtask replay-wasm`: the simulation compiled to wasm computes what the native one does, bit for bit.

use anyhow::{Context, Result, bail};

use crate::web::{self, module};
use crate::workspace::{cargo, in_root, output};

const SEEDS: &str = "50";
const TICKS: &str = "2000";

/// Plays the same matches natively and in wasm.
///
/// # Errors
/// They differ (the error says from where on), or something does not build.
pub(crate) fn replay() -> Result<()> {
    let module = module::make("replay", web::Build::Shipped)?;
    let native = output(cargo().args(["run", "--quiet", "--package", "replay", "--", SEEDS, TICKS]))?;
    let wasm = output(in_root("node").arg("xtask/replay/replay.mjs").arg(module).args([SEEDS, TICKS]))?;
    compare(&native, &wasm)?;
    println!("{} matches of {TICKS} ticks have equal checksums natively and in wasm", native.lines().count());
    Ok(())
}

/// Compares lines of the form `GAME SEED: CHECKSUM CHECKSUM …`.
fn compare(native: &str, wasm: &str) -> Result<()> {
    if native.is_empty() {
        bail!("no match was played");
    }
    if native.lines().count() != wasm.lines().count() {
        bail!("{} matches natively, {} in wasm", native.lines().count(), wasm.lines().count());
    }
    for (native, wasm) in native.lines().zip(wasm.lines()) {
        if native == wasm {
            continue;
        }
        let (name, checksums) = native.split_once(": ").context("a line without a match")?;
        let others = wasm.split_once(": ").map(|(_, others)| others).unwrap_or_default();
        let equal = checksums.split(' ').zip(others.split(' ')).take_while(|(a, b)| a == b).count();
        bail!("match {name} is not the same in wasm: only its first {equal} checksums are equal");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert!(compare("a 0: 1 2 3\n", "a 0: 1 2 3\n").is_ok());
        let error = compare("a 0: 1 2\na 1: 1 2 3\n", "a 0: 1 2\na 1: 1 9 3\n").unwrap_err().to_string();
        assert_eq!(error, "match a 1 is not the same in wasm: only its first 1 checksums are equal");
    }

    #[test]
    fn nothing_and_less_are_not_equal() {
        assert!(compare("", "").is_err());
        assert!(compare("a 0: 1\na 1: 1\n", "a 0: 1\n").is_err());
        assert!(compare("a 0: 1 2\n", "a 0: 1\n").is_err());
    }
}

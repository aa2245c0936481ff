//! `cargo xtask test`: everything that must hold before a change is taken, in the order in which it fails fastest.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::counts::{self, Counts};
use crate::workspace::{cargo, find_program, run};
use crate::{e2e, licences, replay, web};

/// A step of the run: what is printed above it, whether `--quick` leaves it out, and what it does.
type Step = (&'static str, Cost, fn() -> Result<Counts>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cost {
    Quick,
    /// Needs the browser, or the compiler for it.
    Browser,
}

const STEPS: &[Step] = &[
    ("format", Cost::Quick, format),
    ("licences", Cost::Quick, licences),
    ("browser App", Cost::Browser, app),
    ("clippy", Cost::Quick, clippy),
    ("documentation", Cost::Quick, documentation),
    ("tests", Cost::Quick, tests),
    ("tests in documentation", Cost::Quick, doctests),
    ("replay in wasm", Cost::Browser, replay),
    ("tests in the browser", Cost::Browser, browser),
];

/// Runs all steps, or those that need no browser.
///
/// # Errors
/// A step failed; the ones after it were not run.
pub(crate) fn test(quick: bool) -> Result<()> {
    let mut total = Counts::default();
    for (name, cost, step) in STEPS {
        if quick && *cost == Cost::Browser {
            continue;
        }
        println!("\n== {name}");
        let started = Instant::now();
        let counts = step();
        println!("== {name}: {:.1} s", started.elapsed().as_secs_f32());
        match counts {
            Ok(counts) => total += counts,
            Err(error) => {
                println!("\n{} passed, {} failed; stopped at: {name}", total.passed, total.failed);
                return Err(error);
            }
        }
        if total.failed > 0 {
            break;
        }
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if total.failed > 0 {
        bail!("there are failed tests");
    }
    Ok(())
}

fn format() -> Result<Counts> {
    checked(run(cargo().args(["fmt", "--all", "--check"])))
}

fn licences() -> Result<Counts> {
    checked(licences::check())
}

fn app() -> Result<Counts> {
    checked(web::build(web::Build::Shipped).map(drop))
}

fn clippy() -> Result<Counts> {
    checked(run(cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--locked", "--", "-Dwarnings"])))
}

fn documentation() -> Result<Counts> {
    // Private items too: the modules behind the seams are private, and their pages link to each other.
    checked(run(cargo()
        .args([
            "doc",
            "--quiet",
            "--workspace",
            "--no-deps",
            "--document-private-items",
            "--locked",
            "--exclude",
            "bindgen",
        ])
        .env("RUSTDOCFLAGS", "-Dwarnings -Arustdoc::private-intra-doc-links")))
}

fn tests() -> Result<Counts> {
    // The wasm-bindgen driver has no tests, and is slow to build.
    let packages = ["--workspace", "--exclude", "bindgen", "--locked", "--no-fail-fast"];
    if find_program("cargo-nextest").is_some() {
        counts::run(cargo().args(["nextest", "run"]).args(packages), counts::nextest)
    } else {
        counts::run(cargo().args(["test", "--all-targets"]).args(packages), counts::cargo_test)
    }
}

fn doctests() -> Result<Counts> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--doc", "--workspace", "--exclude", "bindgen", "--locked", "--no-fail-fast"]);
    counts::run(&mut command, counts::cargo_test)
}

fn replay() -> Result<Counts> {
    checked(replay::replay())
}

fn browser() -> Result<Counts> {
    e2e::test("", false)
}

/// A step that holds or does not, and counts no tests.
fn checked(result: Result<()>) -> Result<Counts> {
    result.map(|()| Counts::default())
}

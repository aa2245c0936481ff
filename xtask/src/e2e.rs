//! `cargo xtask e2e`: the whole product in a real browser. The tests themselves are `e2e/*.test.mjs`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::counts::{self, Counts};
use crate::workspace::{cargo, find_program, in_root, output, root, run, target};
use crate::{apt, web};

/// Programs that tests start: the package, its program, and the variable that says where that is.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("server", "matchd", "MATCHD_BIN"),
    ("loadtest", "loadtest", "LOADTEST_BIN"),
    ("devroom", "devroom", "DEVROOM_BIN"),
];

const BROWSER: &str = "MATCHD_BROWSER";
const BROWSER_NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Builds what is needed and runs the tests whose file name contains `filter`; `takes_its_time` lets them wait as long as
/// people do where they otherwise take a short cut.
///
/// # Errors
/// Something could not be built or installed, or no test has such a name. Failed tests are not an error: they are counted.
pub(crate) fn test(filter: &str, takes_its_time: bool) -> Result<Counts> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("e2e"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.mjs") && name.contains(filter) {
            files.push(format!("e2e/{name}"));
        }
    }
    if files.is_empty() {
        bail!("no file e2e/*.test.mjs has {filter:?} in its name");
    }
    files.sort();

    let mut node = node()?;
    // One browser at a time: tests that share two cores with each other mistake that for a slow game.
    node.args(["--test", "--test-reporter=spec", "--test-concurrency=1"]).args(files);
    if takes_its_time {
        node.env("E2E_LONG", "1");
    }
    counts::run(&mut node, counts::node)
}

/// Builds the App and the programs that tests start, and returns a node that finds them and the browser.
///
/// # Errors
/// Something could not be built or installed.
pub(crate) fn node() -> Result<Command> {
    web::build(web::Build::Shipped)?;
    let packages = PROGRAMS.iter().flat_map(|(package, ..)| ["--package", package]);
    run(cargo().args(["build", "--quiet", "--bins"]).args(packages))?;
    install_packages()?;
    let mut node = in_root("node");
    for (_, program, variable) in PROGRAMS {
        node.env(variable, target().join("debug").join(program));
    }
    if let Some(browser) = browser()? {
        node.env(BROWSER, browser);
    }
    Ok(node)
}

/// Installs the packages that package-lock.json names, unless these are the ones that are there.
fn install_packages() -> Result<()> {
    let folder = root().join("e2e");
    let wanted = fs::read(folder.join("package-lock.json"))?;
    let installed = folder.join("node_modules/.installed-lock.json");
    if fs::read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    output(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    fs::write(installed, wanted)?;
    Ok(())
}

/// The browser to use; `None` means the one that playwright-core brings.
fn browser() -> Result<Option<PathBuf>> {
    if let Some(given) = std::env::var_os(BROWSER) {
        return Ok(Some(given.into()));
    }
    let on_path = || BROWSER_NAMES.iter().find_map(|name| find_program(name));
    if let Some(found) = on_path() {
        return Ok(Some(found));
    }
    // Root on a machine with apt is a container or CI. Elsewhere a browser is not ours to install for everybody.
    if apt::is_root() && apt::is_usable() {
        // Without a font, a page's text is empty boxes.
        match apt::install(&["chromium", "fonts-dejavu-core"]) {
            Ok(()) => return Ok(on_path()),
            Err(error) => println!("apt could not install chromium: {error:#}"),
        }
    }
    println!("installing the browser of playwright-core for this user");
    run(Command::new("npx")
        .args(["--no-install", "playwright-core", "install", "chromium"])
        .current_dir(root().join("e2e")))?;
    Ok(None)
}

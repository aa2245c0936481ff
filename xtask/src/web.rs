//! `cargo xtask web`: the browser App, from Rust to a folder of files in `target/web`.

pub(crate) mod module;
mod optimise;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::workspace::{root, site};

const PACKAGE: &str = "client-wasm";

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
    let generated = module::make(PACKAGE, build)?;
    let site = site();
    publish(&[&root().join(PACKAGE).join("web"), &generated], &site)?;
    Ok(site)
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

//! The licences and origins of everything we link, against the lists in `deny.toml`.
//!
//! With cargo-deny installed that is what checks them, and known vulnerabilities too. It takes minutes to build, so without
//! it the same file is read here; only the vulnerabilities are then not looked at, and a line says so.

use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace::{cargo, find_program, output, root, run};

/// Checks all packages of the lock file.
///
/// # Errors
/// Names every package that the lists do not allow.
pub(crate) fn check() -> Result<()> {
    if find_program("cargo-deny").is_some() {
        return run(cargo().args(["deny", "--workspace", "check"]));
    }
    let rules: toml::Table = fs::read_to_string(root().join("deny.toml"))?.parse()?;
    let rules = Rules { licences: strings(&rules, "licenses", "allow")?, banned: strings(&rules, "bans", "deny")? };
    let metadata = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let faults: Vec<String> = packages.iter().filter_map(|package| rules.fault(package)).collect();
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    println!("{} packages have an allowed licence and origin", packages.len());
    println!("known vulnerabilities: not checked, because cargo-deny is not installed");
    Ok(())
}

struct Rules {
    licences: Vec<String>,
    banned: Vec<String>,
}

impl Rules {
    /// What is wrong with a package, if anything.
    fn fault(&self, package: &Value) -> Option<String> {
        let name = package["name"].as_str().unwrap_or_default();
        let shown = format!("{name} {}", package["version"].as_str().unwrap_or_default());
        if self.banned.iter().any(|banned| banned == name) {
            return Some(format!("{shown} is banned, see deny.toml"));
        }
        if let Some(origin) = package["source"].as_str()
            && !origin.starts_with("registry+")
        {
            return Some(format!("{shown} comes from {origin}, not from the registry"));
        }
        match package["license"].as_str() {
            None => Some(format!("{shown} names no licence")),
            Some(licence) => match is_allowed(licence, &self.licences) {
                Some(true) => None,
                Some(false) => Some(format!("{shown} is under {licence}")),
                None => Some(format!("{shown} has a licence expression that cannot be read: {licence}")),
            },
        }
    }
}

fn strings(table: &toml::Table, section: &str, key: &str) -> Result<Vec<String>> {
    let entry = table.get(section).and_then(|section| section.get(key));
    let list = entry.and_then(toml::Value::as_array);
    list.with_context(|| format!("deny.toml has no list {section}.{key}"))?
        .iter()
        .map(|item| {
            // cargo-deny takes a name alone, or a table with the name and the reason.
            let name = item.get("crate").unwrap_or(item).as_str();
            name.map(str::to_owned).with_context(|| format!("{section}.{key} holds something that is no name"))
        })
        .collect()
}

/// Evaluates an SPDX expression such as `(MIT OR Apache-2.0) AND Unicode-3.0`. `None` means that it is malformed.
fn is_allowed(expression: &str, allowed: &[String]) -> Option<bool> {
    // Old manifests write `MIT/Apache-2.0` for a choice.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let result = either(&mut rest, allowed)?;
    rest.is_empty().then_some(result)
}

fn either(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut result = both(words, allowed)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        result |= both(words, allowed)?;
    }
    Some(result)
}

fn both(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut result = one(words, allowed)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        result &= one(words, allowed)?;
    }
    Some(result)
}

fn one(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let (name, rest) = match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let result = either(words, allowed)?;
            let [")", rest @ ..] = *words else {
                return None;
            };
            *words = rest;
            return Some(result);
        }
        [")" | "AND" | "OR" | "WITH", ..] | [] => return None,
        [name, "WITH", exception, rest @ ..] => (format!("{name} WITH {exception}"), rest),
        [name, rest @ ..] => ((*name).to_owned(), rest),
    };
    *words = rest;
    Some(allowed.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(expression: &str) -> Option<bool> {
        is_allowed(
            expression,
            &["MIT".to_owned(), "Unicode-3.0".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()],
        )
    }

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_needs_all() {
        assert_eq!(verdict("MIT"), Some(true));
        assert_eq!(verdict("GPL-3.0 OR MIT"), Some(true));
        assert_eq!(verdict("GPL-3.0/MIT"), Some(true));
        assert_eq!(verdict("(GPL-3.0 OR MIT) AND Unicode-3.0"), Some(true));
        assert_eq!(verdict("GPL-3.0"), Some(false));
        assert_eq!(verdict("MIT AND GPL-3.0"), Some(false));
        assert_eq!(verdict("MIT AND (GPL-3.0 OR AGPL-3.0)"), Some(false));
    }

    #[test]
    fn an_exception_counts_only_with_its_licence() {
        assert_eq!(verdict("Apache-2.0 WITH LLVM-exception"), Some(true));
        assert_eq!(verdict("Apache-2.0"), Some(false));
    }

    #[test]
    fn nonsense_is_not_a_licence() {
        for nonsense in ["", "MIT OR", "(MIT", "MIT)", "AND MIT", "MIT MIT"] {
            assert_eq!(verdict(nonsense), None, "{nonsense}");
        }
    }
}

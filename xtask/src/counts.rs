//! How many tests ran, read from what the test runners print.

use std::io::{BufRead, BufReader, Read, Write};
use std::ops::AddAssign;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

/// Tests that passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Runs a test runner, its output going to the terminal, and counts its tests by giving each line to `count`.
///
/// # Errors
/// The runner is missing, or failed without naming a failed test: then it is something else that is wrong.
pub(crate) fn run(command: &mut Command, count: fn(&str) -> Counts) -> Result<Counts> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let errors = child.stderr.take().expect("it is piped");
    let errors = thread::spawn(move || pass_through(errors, std::io::stderr(), count));
    let mut counts = pass_through(child.stdout.take().expect("it is piped"), std::io::stdout(), count);
    counts += errors.join().expect("copying lines does not panic");
    let status = child.wait()?;
    if !status.success() && counts.failed == 0 {
        bail!("{} failed ({status})", command.get_program().display());
    }
    Ok(counts)
}

fn pass_through(from: impl Read, mut to: impl Write, count: fn(&str) -> Counts) -> Counts {
    let mut counts = Counts::default();
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        counts += count(&String::from_utf8_lossy(&line));
        // A closed terminal is no reason to stop counting.
        let _ = to.write_all(&line).and_then(|()| to.write_all(b"\n"));
    }
    counts
}

/// Reads `Summary [   0.1s] 12 tests run: 11 passed (1 slow), 1 failed, 0 skipped`.
pub(crate) fn nextest(line: &str) -> Counts {
    match line.split_once(" run: ") {
        Some((head, tail)) if head.trim_start().starts_with("Summary [") => in_words(tail, ','),
        _ => Counts::default(),
    }
}

/// Reads `test result: FAILED. 11 passed; 1 failed; 0 ignored; …`.
pub(crate) fn cargo_test(line: &str) -> Counts {
    match line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")) {
        Some((_, tail)) => in_words(tail, ';'),
        None => Counts::default(),
    }
}

/// Reads the lines `ℹ pass 11`, `ℹ fail 1` and `ℹ cancelled 1`.
pub(crate) fn node(line: &str) -> Counts {
    let mut words = line.strip_prefix("ℹ ").unwrap_or_default().split(' ');
    let (name, number) = (words.next(), words.next().and_then(|word| word.parse().ok()));
    match (name, number) {
        (Some("pass"), Some(passed)) => Counts { passed, failed: 0 },
        (Some("fail" | "cancelled"), Some(failed)) => Counts { passed: 0, failed },
        _ => Counts::default(),
    }
}

/// Reads `11 passed, 1 failed`, with any other words between.
fn in_words(text: &str, separator: char) -> Counts {
    let mut counts = Counts::default();
    for part in text.split(separator) {
        let Some((number, what)) = part.trim().split_once(' ') else {
            continue;
        };
        let number: u32 = number.parse().unwrap_or(0);
        if what.starts_with("passed") {
            counts.passed += number;
        } else if what.starts_with("failed") || what.starts_with("timed out") {
            counts.failed += number;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counts(passed: u32, failed: u32) -> Counts {
        Counts { passed, failed }
    }

    #[test]
    fn the_summaries_of_all_three_runners_are_understood() {
        let summary = "     Summary [   0.132s] 14 tests run: 11 passed (1 slow), 2 failed, 1 timed out, 3 skipped";
        assert_eq!(nextest(summary), counts(11, 3));
        assert_eq!(nextest("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped"), counts(1, 0));
        assert_eq!(cargo_test("test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured"), counts(4, 0));
        assert_eq!(cargo_test("test result: FAILED. 4 passed; 2 failed; 0 ignored"), counts(4, 2));
        assert_eq!(node("ℹ pass 7"), counts(7, 0));
        assert_eq!(node("ℹ fail 2"), counts(0, 2));
        assert_eq!(node("ℹ cancelled 1"), counts(0, 1));
    }

    #[test]
    fn other_lines_count_nothing() {
        for line in ["", "        PASS [   0.1s] xtask passed", "ℹ tests 7", "test a ... ok", "12 passed, 3 failed"] {
            assert_eq!(nextest(line), counts(0, 0), "{line}");
            assert_eq!(cargo_test(line), counts(0, 0), "{line}");
            assert_eq!(node(line), counts(0, 0), "{line}");
        }
    }
}

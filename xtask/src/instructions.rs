//! `cargo xtask bench instructions`: how many instructions the hot path takes, compared with what is committed.
//!
//! Time depends on the machine and on who else is busy; the number of instructions does not. valgrind counts them twice,
//! for some turns and for twice as many: the difference is what the turns cost, without anything around them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::{cargo, find_program, output, root, run, target};

/// The name it is run by, which is also that of the example that is counted.
pub(crate) const NAME: &str = "instructions";

/// What is committed may be off by this many percent before it has to be explained.
const CHANGE_PERCENT_MAX: u64 = 5;

/// Turns that are counted.
const TURNS: u32 = 400;

/// Instructions of one turn, by operation.
type Counts = BTreeMap<String, u64>;

/// Counts everything and compares it with the committed counts; with `--accept`, writes them instead.
///
/// # Errors
/// valgrind is missing, something does not run, or a count is off by more than 5 %.
pub(crate) fn compare(arguments: &[String]) -> Result<()> {
    let accepts = match arguments {
        [] => false,
        [only] if only == "--accept" => true,
        _ => bail!("{NAME} takes --accept and nothing else"),
    };
    let valgrind = find_program("valgrind").context("valgrind is not on the PATH: apt-get install valgrind")?;
    let now = count(&valgrind)?;
    let text = fs::read_to_string(baseline()).unwrap_or_default();
    let before = parse(&text).with_context(|| format!("{} is damaged", baseline().display()))?;
    let (table, is_same) = table(&before, &now);
    print!("{table}");
    if accepts {
        fs::write(baseline(), now.iter().map(|(name, count)| format!("{name} {count}\n")).collect::<String>())?;
        println!("\n{} is written.", baseline().display());
    } else if !is_same {
        bail!(
            "counts are off by more than {CHANGE_PERCENT_MAX} %: mend it, or explain it in the commit and run it with `-- --accept`"
        );
    }
    Ok(())
}

fn baseline() -> PathBuf {
    root().join("sim/examples/instructions.txt")
}

fn count(valgrind: &Path) -> Result<Counts> {
    let build = ["build", "--quiet", "--release", "--package", "sim", "--example", NAME, "--target-dir"];
    run(cargo().args(build).arg(target()))?;
    let program = target().join("release/examples").join(NAME);
    let names = output(&mut Command::new(&program))?;
    let of_run = |name: &str, turns: u32| {
        let mut command = Command::new(valgrind);
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&program);
        let done = command.args([name, &turns.to_string()]).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        if !done.status.success() {
            bail!("{name} does not run: {said}");
        }
        collected(&said).with_context(|| format!("valgrind tells no count for {name}: {said}"))
    };
    let of_turn = |name: &str| {
        let extra = of_run(name, 2 * TURNS)?.saturating_sub(of_run(name, TURNS)?);
        anyhow::Ok((name.to_owned(), extra / u64::from(TURNS)))
    };
    names.lines().map(of_turn).collect()
}

/// Reads `==123== Collected : 4567`.
fn collected(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

fn parse(text: &str) -> Result<Counts> {
    let count = |line: &str| {
        let (name, count) = line.split_once(' ').with_context(|| format!("{line:?} has no count"))?;
        anyhow::Ok((name.to_owned(), count.parse()?))
    };
    text.lines().map(count).collect()
}

/// Both counts of every operation as a table, and whether they are the same as far as it matters. What only one of them
/// has is a change.
fn table(before: &Counts, now: &Counts) -> (String, bool) {
    let mut text = String::from("| instructions of one | before | now | change |\n|---|---|---|---|\n");
    let mut is_same = true;
    let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
    for name in names {
        let counts = (before.get(name), now.get(name));
        let is_near = match counts {
            (Some(before), Some(now)) => now.abs_diff(*before) * 100 <= before * CHANGE_PERCENT_MAX,
            _ => false,
        };
        is_same &= is_near;
        let cell = |count: Option<&u64>| count.map_or_else(|| "-".to_owned(), u64::to_string);
        let mark = if is_near { "" } else { " !" };
        let percent = match counts {
            (Some(before), Some(now)) => format!("{:+.1} %{mark}", (*now as f64 / *before as f64 - 1.0) * 100.0),
            _ => mark.trim().to_owned(),
        };
        text += &format!("| {name} | {} | {} | {percent} |\n", cell(counts.0), cell(counts.1));
    }
    (text, is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(of: &[(&str, u64)]) -> Counts {
        of.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn the_count_is_found_in_what_valgrind_says() {
        let said = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 217812345\n==7==\n";
        assert_eq!(collected(said), Some(217_812_345));
        assert_eq!(collected("valgrind: not found"), None);
    }

    #[test]
    fn five_percent_either_way_is_no_change() {
        let before = counts(&[("step", 1000)]);
        for (now, is_same) in [(950, true), (1050, true), (949, false), (1051, false)] {
            let (text, found) = table(&before, &counts(&[("step", now)]));
            assert_eq!(found, is_same, "{text}");
            assert_eq!(text.contains('!'), !is_same, "{text}");
        }
    }

    #[test]
    fn an_operation_that_comes_or_goes_is_a_change() {
        let one = counts(&[("step", 1000)]);
        let both = counts(&[("step", 1000), ("view", 10)]);
        assert!(!table(&one, &both).1);
        assert!(!table(&both, &one).1);
        assert!(table(&both, &both).1);
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(parse("a/step 12\nb/view 3\n").expect("two counts"), counts(&[("a/step", 12), ("b/view", 3)]));
        assert!(parse("step").is_err() && parse("step many").is_err());
    }
}

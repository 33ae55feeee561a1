//! What was executed: `fuzz/record.toml`, and the table that `docs/reliability.md` has of it.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::targets::TARGETS;

/// Everything that is recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// What was executed, by target.
    #[serde(default)]
    pub(super) target: Vec<Executed>,
    /// What was found and mended, oldest first; written by hand.
    #[serde(default)]
    pub(super) failure: Vec<Failure>,
}

/// What was executed of one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Executed {
    /// Its name.
    pub(super) name: String,
    /// Inputs that were run, in all.
    pub(super) executions: u64,
    /// How many of them were made without coverage.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) unguided: u64,
    /// For how long, on one core.
    pub(super) seconds: u64,
    /// Inputs were up to so long.
    pub(super) input_bytes_max: u64,
    /// The day of the last run.
    pub(super) date: String,
    /// The compiler of the last run.
    pub(super) compiler: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Something that a target found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Failure {
    /// The target.
    pub(super) target: String,
    /// What was wrong, in a sentence.
    pub(super) what: String,
    /// The test that keeps it mended.
    pub(super) test: String,
}

const BEGIN: &str =
    "<!-- fuzzing: made of fuzz/record.toml by cargo xtask fuzz page; not edited by hand -->\n";
const END: &str = "<!-- end of fuzzing -->\n";

fn path() -> PathBuf {
    crate::root().join("fuzz/record.toml")
}

fn page_path() -> PathBuf {
    crate::root().join("docs/reliability.md")
}

/// Reads the record.
pub(super) fn load() -> anyhow::Result<Record> {
    let text = fs::read_to_string(path()).context("failed to read fuzz/record.toml")?;
    toml::from_str(&text).context("failed to understand fuzz/record.toml")
}

/// Adds a run to the record, and writes the page anew.
pub(super) fn add(run: Executed) -> anyhow::Result<()> {
    let mut record = load()?;
    match record.target.iter_mut().find(|old| old.name == run.name) {
        Some(old) => {
            let executions = old.executions.saturating_add(run.executions);
            let unguided = old.unguided.saturating_add(run.unguided);
            let seconds = old.seconds.saturating_add(run.seconds);
            let input_bytes_max = old.input_bytes_max.max(run.input_bytes_max);
            *old = Executed { executions, unguided, seconds, input_bytes_max, ..run };
        }
        None => record.target.push(run),
    }
    let place = |name: &str| TARGETS.iter().position(|target| target.name == name);
    record.target.sort_by_key(|run| place(&run.name));
    let text = toml::to_string(&record).context("failed to write the record")?;
    fs::write(path(), text).context("failed to write fuzz/record.toml")?;
    write_page()
}

/// Writes the table into its page.
pub(super) fn write_page() -> anyhow::Result<()> {
    let old = fs::read_to_string(page_path()).unwrap_or_default();
    let new = with_table(&old, &table(&load()?));
    fs::write(page_path(), new).context("failed to write docs/reliability.md")
}

/// Returns the page with the table between its marks, at its end when there are none.
fn with_table(page: &str, table: &str) -> String {
    let (before, rest) = page.split_once(BEGIN).unwrap_or((page, ""));
    let after = rest.split_once(END).map_or("", |(_, after)| after);
    format!("{before}{BEGIN}{table}{END}{after}")
}

fn table(record: &Record) -> String {
    let mut text =
        "\n| target | reads | executions | inputs up to | found and mended | last run |\n\
                    |---|---|---|---|---|---|\n"
            .to_owned();
    let none = Executed::default();
    for target in &TARGETS {
        let run = record.target.iter().find(|run| run.name == target.name).unwrap_or(&none);
        let found = record.failure.iter().filter(|failure| failure.target == target.name).count();
        let (name, reads) = (target.name, target.reads);
        let Executed { input_bytes_max: bytes, date, compiler, .. } = run;
        let executions = match run.unguided {
            0 => grouped(run.executions),
            some => format!("{}, {} of them unguided", grouped(run.executions), grouped(some)),
        };
        let _ = writeln!(
            text,
            "| {name} | {reads} | {executions} | {bytes} B | {found} | {date}, {compiler} |"
        );
    }
    let executions = record.target.iter().map(|run| run.executions).sum();
    let hours = record.target.iter().map(|run| run.seconds).sum::<u64>() / 3600;
    let found = record.failure.len();
    let all = grouped(executions);
    let _ = writeln!(text, "| **all** | | **{all}** in {hours} h of one core | | {found} | |\n");
    text.push_str("What was found, and the test that keeps it mended:\n\n");
    for Failure { target, what, test } in &record.failure {
        let _ = writeln!(text, "- *{target}*: {what} (`{test}`)");
    }
    text.push('\n');
    text
}

/// Returns a number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Returns the compiler's version: `rustc 1.95.0`.
pub(super) fn compiler() -> String {
    let told = said("rustc", &["-V"]);
    told.split(" (").next().unwrap_or_default().to_owned()
}

/// Returns today, in UTC.
pub(crate) fn today() -> String {
    said("date", &["-u", "+%F"])
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{TARGETS, grouped, load, page_path, table, with_table};

    #[test]
    fn the_committed_page_is_what_the_record_says() {
        let page = std::fs::read_to_string(page_path()).unwrap();
        let made = with_table(&page, &table(&load().unwrap()));
        assert!(page == made, "docs/reliability.md is old: run cargo xtask fuzz page");
    }

    #[test]
    fn what_is_recorded_is_of_targets_that_there_are() {
        let record = load().unwrap();
        let recorded = record.target.iter().map(|run| &run.name);
        for name in recorded.chain(record.failure.iter().map(|failure| &failure.target)) {
            assert!(TARGETS.iter().any(|target| target.name == name), "{name}");
        }
    }

    #[test]
    fn a_table_takes_the_place_of_the_old_one_alone() {
        let first = with_table("# A\n", "one\n");
        let second = with_table(&(first.clone() + "# B\n"), "two\n");
        assert!(second.starts_with("# A\n") && second.ends_with("# B\n"), "{second}");
        assert!(second.contains("two") && !second.contains("one"));
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(grouped(999), "999");
    }
}

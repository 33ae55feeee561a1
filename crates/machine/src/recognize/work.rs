//! The law of work: twice the text is twice the work, whatever the text is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::Paste;

/// Returns the looks that a line took on average.
fn looks_per_line(text: &str) -> u64 {
    let lines = text.lines().count() as u64;
    Paste::work(text) / lines.max(1)
}

#[expect(clippy::disallowed_methods, reason = "a test reads the fixtures")]
/// Every line of the pasted texts, and what opens or ends something.
fn lines() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pastes");
    let mut lines: BTreeSet<String> = HOSTILE.map(str::to_owned).into();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "txt") {
            let text = fs::read_to_string(path).unwrap();
            lines.extend(text.lines().map(shape));
        }
    }
    lines.into_iter().collect()
}

/// Returns a line without what differs between lines that are looked at alike: digits, and all but the
/// first words.
fn shape(line: &str) -> String {
    let words: Vec<&str> = line.split_inclusive(' ').take(8).collect();
    words.concat().replace(|c: char| c.is_ascii_digit(), "1")
}

/// What braces, quotes, titles and rules may be made to do.
const HOSTILE: [&str; 24] = [
    "{\"\\\"",
    "{",
    "{\"a\":",
    "{\"a\":[",
    "[",
    "}",
    "\"",
    "Geom name: ada0",
    "Providers:",
    "  pool: tank",
    "config:",
    "errors:",
    "capacity operations bandwidth",
    "=== START OF INFORMATION SECTION ===",
    "------------------------------------------------------------------------",
    "$ zpool status",
    "# zfs get all",
    "NAME PROPERTY VALUE SOURCE",
    "NAME STATE READ WRITE CKSUM",
    "ARC Size: 50% 1 GiB",
    "ZFS Subsystem Report",
    "vdev_tree:",
    "name type data",
    "12 1 0x01 98 26656 5277612345 987654321987",
];
/// Lines of each text that is tried; it is tried with four times as many too.
const LINES: usize = 60;
/// What looks at a line may grow by with four times the lines: windows of some dozen lines. Where each line
/// looked at all below it, they would grow by 90.
const GROWTH_MAX: u64 = 45;

/// Returns what is wrong with the work for lines over and over.
fn wrong(part: &str) -> Option<String> {
    let times = LINES / part.lines().count().max(1);
    let once = looks_per_line(&part.repeat(times));
    let more = looks_per_line(&part.repeat(4 * times));
    (more > once + GROWTH_MAX)
        .then(|| format!("{part:?}: {once} looks a line, with four times the lines {more}"))
}

#[test]
fn every_line_over_and_over_takes_work_for_each() {
    let wrong: Vec<String> =
        lines().iter().filter_map(|line| wrong(&format!("{line}\n"))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn any_lines_over_and_over_take_work_for_each() {
    let lines = lines();
    let config = Config { cases: 500, rng_seed: RngSeed::Fixed(14), ..Config::default() };
    let some = proptest::collection::vec(proptest::sample::select(lines), 2..6);
    TestRunner::new(config)
        .run(&some, |lines| {
            let wrong = wrong(&(lines.join("\n") + "\n"));
            wrong.map_or(Ok(()), |wrong| Err(TestCaseError::fail(wrong)))
        })
        .unwrap();
}

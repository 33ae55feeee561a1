//! `arcwright whatif`: a small experiment, a captured machine, and what is refused.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::Path;

use crate::arcwright;

const FILE: &str = r#"
title = "A film, again and again"
system = { zfs = "2.3.2", memory = "1GiB", pool = { data = ["hdd-nas-7200"] } }
file = [{ name = "film.mkv", size = "1GiB" }]
phase = [
  { name = "first read", clients = [{ read = "film.mkv", io = "1MiB" }] },
  { name = "second read", clients = [{ read = "film.mkv", io = "1MiB" }] },
]
"#;

/// Runs the program in a folder: the exit code, and what it says on standard output and error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = arcwright().args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn film() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("film.toml"), FILE).unwrap();
    folder
}

#[test]
fn combinations_are_ranked_and_the_least_that_helps_is_chosen() {
    let folder = film();
    let whatif = ["whatif", "--scenario", "film.toml", "--phase", "second read"];
    let more = ["--memory", "4GiB,8GiB", "--try", "zfs_prefetch_disable=1"];
    let (code, out, error) = run(folder.path(), &[&whatif[..], &more[..]].concat());
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("\n  4 GiB of memory: clients wait"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let (_, json, _) = run(folder.path(), &[&whatif[..], &more[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["answer"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    let saved: Vec<f64> = rows.iter().skip(1).map(|row| row["saved"].as_f64().unwrap()).collect();
    assert!(saved.is_sorted_by(|one, other| one >= other), "{saved:?}");
}

#[test]
fn prices_stand_beside_what_changes_bring() {
    let folder = film();
    let whatif = ["whatif", "--scenario", "film.toml", "--phase", "second read"];
    let tried = ["--memory", "4GiB,8GiB", "--l2arc", "2GiB"];
    let with = |prices: &[&str]| run(folder.path(), &[&whatif[..], &tried[..], prices].concat());
    let (code, out, error) = with(&["--price", "memory=3.5"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("\n  It costs 10.50.") && out.contains("unknown"), "{out}");
    let (_, out, _) = with(&["--price", "memory=3.5", "--price", "l2arc=0.5", "--budget", "5"]);
    assert!(
        out.contains("Beyond the budget of 5: 4 GiB of memory") && out.contains("for 10.50."),
        "{out}"
    );
    let check = |arguments: &[&str], expected: &str| {
        let (code, _, error) = with(arguments);
        assert!(code == Some(2) && error.contains(expected), "{arguments:?}: {error}");
    };
    check(&["--price", "gold=1"], "“gold=1” is no price; expected memory=AMOUNT");
    check(&["--price", "memory"], "“memory” is no price");
    check(&["--price", "memory=\u{1b}[2J"], "\\x1b[2J");
    for amount in ["-1", "NaN", "inf", "1e300", ""] {
        check(&["--price", &format!("memory={amount}")], "is no amount");
    }
    check(&["--budget", "5"], "--price");
}

#[test]
fn a_captured_machine_is_tried_with_its_own_load() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let check = |machine: &str, change: [&str; 2], is_proved: bool, expected: &str| {
        let from = root.join(format!("fixtures/machines/{machine}.txt"));
        let from = from.to_str().unwrap();
        let all = ["whatif", "--from", from].into_iter().chain(change).collect::<Vec<_>>();
        let (code, out, error) = run(folder.path(), &all);
        assert_eq!(code, Some(0), "{error}");
        assert!(out.contains("Not proved") != is_proved && out.contains(expected), "{out}");
    };
    check("guest-2.3.2-sync", ["--log", "nvme-plp"], true, "log on nvme-plp: clients wait");
    check("guest-2.3.2-l2arc-filled", ["--memory", "2GiB"], false, "2 GiB of memory");
}

#[test]
fn what_cannot_be_tried_is_refused() {
    let folder = film();
    let check = |arguments: &[&str], part: &str| {
        let all = [&["whatif", "--scenario", "film.toml"], arguments].concat();
        let (code, out, error) = run(folder.path(), &all);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: “{part}” is missing in: {error}");
    };
    check(&[], "nothing to try");
    check(&["--try", "zfs_arc_mx=1"], "did you mean");
    check(&["--try", "zfs_arc_max=much"], "not a whole number or a size");
    check(&["--memory", "4"], "has no unit");
    check(&["--log", "nvme-plpp"], "did you mean nvme-plp?");
    check(&["--log", "hdd-nas-7200"], "is no SSD");
    check(&["--l2arc", "900TiB"], "name a larger SSD with --l2arc-on");
    check(&["--memory", "4GiB", "--phase", "third read"], "there is no phase third read");
    check(&["--recordsize", "100KiB"], "a power of two");
    let values: Vec<String> = (1..300).map(|value| value.to_string()).collect();
    let many = format!("zfs_dirty_data_max={}", values.join(","));
    check(&["--try", &many], "300 combinations; at most 256 are tried");
}

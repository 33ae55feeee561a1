//! `arcwright record`: a machine whose counters move, kept, shown, and read as a capture.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::Path;

use crate::arcwright;

/// Makes a copy of a machine's files below `root`, whose ARC was asked so often, at a second of the kernel's clock.
fn machine(root: &Path, second: u64, hits: u64) {
    let folder = root.join("proc/spl/kstat/zfs");
    fs::create_dir_all(&folder).unwrap();
    let at = second * 1_000_000_000;
    let rows = [("hits", hits), ("misses", hits / 9), ("size", 1 << 30), ("c_max", 1 << 31)];
    let rows: String =
        rows.iter().map(|(name, value)| format!("{name:<31} 4    {value}\n")).collect();
    let text =
        format!("13 1 0x01 4 1088 5 {at}\nname                            type data\n{rows}");
    fs::write(folder.join("arcstats"), text).unwrap();
    fs::write(root.join("proc/meminfo"), "MemTotal: 4194304 kB\nMemAvailable: 1048576 kB\n")
        .unwrap();
}

/// Runs the program: the exit code, and what it says on standard output and error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = arcwright().args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn readings_of_a_timer_become_a_recording_that_is_shown_and_judged() {
    let home = tempfile::tempdir().unwrap();
    let (root, to) = (home.path().join("root"), home.path().join("recording"));
    let (root, to) = (root.to_str().unwrap(), to.to_str().unwrap());
    for step in 1..=4 {
        machine(Path::new(root), step * 100, step * 900_000);
        let (code, out, error) = run(&["record", "--once", "--root", root, "--to", to]);
        assert_eq!((code, out.as_str()), (Some(0), ""), "{error}");
    }
    let (code, out, error) = run(&["record", "show", to]);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("4 readings over") && out.contains("90.0 %"), "{out}");
    assert!(!out.contains("L2ARC") && out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let (_, json, _) = run(&["record", "show", to, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["readings"], 4);
    assert_eq!(json["restarts"], 0);
    let (code, out, error) = run(&["doctor", "--from", to]);
    assert_eq!(code, Some(0), "{error}");
    // From the first reading to the last, by the kernel's clock.
    assert!(out.contains("Counted over a window of 5 minutes"), "{out}");
    let mode = fs::metadata(to).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o700, "its owner's alone");
}

#[test]
fn a_recording_of_some_seconds_ends_by_itself() {
    let home = tempfile::tempdir().unwrap();
    let (root, to) = (home.path().join("root"), home.path().join("recording"));
    machine(&root, 1, 1000);
    let (root, to) = (root.to_str().unwrap(), to.to_str().unwrap());
    let (code, out, error) =
        run(&["record", "--root", root, "--to", to, "--interval", "1s", "--for", "2s"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.starts_with("3 readings taken"), "{out}");
    assert!(error.contains("every 1 s, at most 64 MiB"), "{error}");
}

#[test]
fn what_is_no_recording_and_what_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("root");
    machine(&root, 1, 1000);
    let (root, home) = (root.to_str().unwrap(), home.path().to_str().unwrap());
    let check = |arguments: &[&str], code: i32, says: &str| {
        let (got, _, error) = run(arguments);
        assert_eq!(got, Some(code), "{arguments:?}: {error}");
        assert!(error.contains(says), "{arguments:?}: {error}");
    };
    check(&["record", "show", home], 1, "has other files in it");
    check(&["record", "--once", "--root", root, "--to", home], 1, "has other files in it");
    check(&["record", "--once", "--root", home, "--to", "x"], 1, "no ZFS on this machine");
    check(&["record", "--interval", "1ms"], 2, "expected 1s to 1h");
    check(&["record", "--limit", "1KiB"], 2, "expected at least 1MiB");
    let empty = format!("{home}/empty");
    check(&["record", "--once", "--root", root, "--to", &empty], 0, "");
    check(&["doctor", "--from", &empty], 1, "no two readings that go on from each other");
}

#[test]
fn a_recording_becomes_a_page_and_too_short_a_one_does_not() {
    let home = tempfile::tempdir().unwrap();
    let (root, to) = (home.path().join("root"), home.path().join("recording"));
    let page = home.path().join("page.html");
    let [root, to, page] = [&root, &to, &page].map(|path| path.to_str().unwrap());
    let once = |second: u64, options: &[&str]| {
        machine(Path::new(root), second, second * 900_000);
        run(&[&["record", "--once", "--root", root, "--to", to], options].concat())
    };
    let (code, _, error) = once(1, &["--html", page]);
    assert_eq!(code, Some(1));
    assert!(error.contains("fewer than two readings"), "{error}");
    assert!(!Path::new(page).exists(), "nothing is left of it");
    for second in 2..6 {
        assert_eq!(once(second, &[]).0, Some(0));
    }
    let (code, out, error) = run(&["record", "show", to, "--html", page]);
    assert_eq!((code, error.contains("wrote ")), (Some(0), true), "{error}");
    assert!(out.contains("5 readings over"), "{out}");
    let shown = fs::read_to_string(page).unwrap();
    assert!(shown.starts_with("<!DOCTYPE html>") && shown.contains("id=\"memory\""));
    // Who is busy was never counted on this machine.
    assert!(!shown.contains("id=\"datasets\"") && !shown.contains("id=\"disks\""));
    let (code, _, error) = once(6, &["--html", page]);
    assert_eq!(code, Some(0), "{error}");
    assert_ne!(fs::read_to_string(page).unwrap(), shown, "of one reading more");
    let mine = home.path().join("mine.html");
    fs::write(&mine, "my own").unwrap();
    let (code, _, error) = run(&["record", "show", to, "--html", mine.to_str().unwrap()]);
    assert_eq!((code, error.contains("is no report")), (Some(2), true), "{error}");
}

//! `arcwright run --check`, and what a mistake in a scenario looks like to its author.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use crate::arcwright;

const GOOD: &str = r#"
title = "test"
question = "test"
[system]
zfs = "2.1.11"
os = "linux"
memory = "16GiB"
[system.pool]
data = [{ raidz1 = ["hdd-nas-7200", "hdd-nas-7200"] }]
cache = [{ device = "nvme-consumer", size = "1GiB" }]
[[arm]]
name = "as it is"
[[file]]
name = "test.dat"
size = "1GiB"
[[phase]]
name = "read"
clients = [{ read = "test.dat", io = "128KiB" }]
"#;

/// Checks the good scenario with one part replaced: the exit code and what the message holds.
fn check(from: &str, to: &str, code: i32, parts: &[&str]) {
    assert!(GOOD.contains(from), "the scenario does not hold “{from}”");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD.replace(from, to)).unwrap();
    let output = arcwright().args(["run", "--check"]).arg(&path).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{to}: {errors}");
    for part in parts {
        assert!(errors.contains(part), "{to}: “{part}” is missing in: {errors}");
    }
}

#[test]
fn a_mistake_is_shown_with_its_place_and_the_nearest_name() {
    let at = "test.toml:";
    check("memory =", "memroy =", 2, &[at, "memroy", "memory"]);
    check("hdd-nas-7200\", \"hdd", "hdd-nas-720\", \"hdd", 2, &[at, "hdd-nas-7200"]);
    check("\"hdd-nas-7200\", \"hdd-nas-7200\"", "\"hdd-nas-7200\"", 2, &[at, "raidz1"]);
    check("size = \"1GiB\" }", "size = \"9EiB\" }", 2, &[at, "size"]);
    check("\"16GiB\"", "16", 2, &[at, "memory"]);
    check("\"16GiB\"", "\"16\"", 2, &[at, "memory"]);
    check("read = \"test.dat\"", "read = \"tset.dat\"", 2, &[at, "tset.dat", "test.dat"]);
    check("[[phase]]", "[[phase]", 2, &[at]);
}

#[test]
fn a_wrong_command_line_says_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD).unwrap();
    let refused = |arguments: &[&str], code: i32, parts: &[&str]| {
        let output = arcwright().args(["run"]).arg(&path).args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        for part in parts {
            assert!(errors.contains(part), "{arguments:?}: “{part}” is missing in: {errors}");
        }
    };
    refused(&["--check", "--arm", "as it si"], 2, &["as it si", "as it is"]);
    refused(&["--check", "--set", "system.memroy=1GiB"], 2, &["memroy"]);
    refused(&["--check", "--set", "nothing"], 2, &["KEY=VALUE"]);
    refused(&["--check", "--engine", "labb"], 2, &["labb"]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let output = arcwright().args(["run", "--check", "no-such.toml"]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(errors.contains("no-such.toml"), "{errors}");
}

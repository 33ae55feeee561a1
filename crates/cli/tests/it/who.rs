//! `arcwright who`: captured machines, and what is not known of them.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::path::Path;

use serde_json::Value;

use crate::arcwright;

/// Runs `who`: exit code, what it prints, what it complains about.
fn who(arguments: &[&str]) -> (Option<i32>, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = arcwright().arg("who").args(arguments).current_dir(root).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_captured_machine_has_its_datasets() {
    let (code, json, error) = who(&["--from", "fixtures/machines/guest-2.3.2-sync.txt", "--json"]);
    assert_eq!(code, Some(0), "{error}");
    let json: Value = serde_json::from_str(&json).unwrap();
    let row = &json["datasets"]["rows"][0];
    assert_eq!(row["name"], "tank/database");
    assert!(row["written"].as_f64().is_some_and(|rate| rate > 500_000.0), "{row}");
    assert_eq!((&json["processes"], &json["objects"]), (&Value::Null, &Value::Null));
}

#[test]
fn datasets_of_other_pools_are_left_out() {
    let from = "fixtures/machines/guest-2.3.2-sync.txt";
    let (_, json, _) = who(&["--from", from, "--pool", "other", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["datasets"]["rows"], Value::Array(Vec::new()));
}

#[test]
fn what_a_text_does_not_tell_is_said_and_no_zero() {
    let paste = "arc_summary says\nARC hits: nothing\n";
    let output = arcwright().args(["who", "--from", "-"]).stdin(paste).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let counters = "name type data\nhits 4 900\nmisses 4 100\n";
    let output = arcwright().args(["who", "--from", "-"]).stdin(counters).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Datasets: not counted here") && !text.contains(" 0/s"), "{text}");
}

#[test]
fn files_are_for_this_machine() {
    let (code, _, error) = who(&["--files", "--from", "fixtures/machines/guest-2.3.2-sync.txt"]);
    assert_eq!(code, Some(2), "{error}");
}

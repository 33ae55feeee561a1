//! `arcwright advise`: captured machines, from counters to commands.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::path::Path;

use crate::arcwright;

/// Runs `advise` on a machine of the fixtures: what it prints and what it remarks.
fn advise(machine: &str, more: &[&str]) -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let from = format!("fixtures/machines/{machine}.txt");
    let output = arcwright()
        .args(["advise", "--from", &from])
        .args(more)
        .current_dir(root)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_machine_gets_findings_a_curve_a_ranking_and_commands() {
    let (out, _) = advise("guest-2.3.2-l2arc-idle", &[]);
    for expected in [
        "[look] The L2ARC feed is too slow",
        "The knee is at ",
        "What each change brings",
        "arcwright tune apply zfs_arc_max=576MiB",
        "arcwright record --for 7d",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
}

#[test]
fn a_machine_that_waits_for_its_log_is_told_so() {
    let (json, _) = advise("guest-2.3.2-sync", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["findings"].as_array().is_some_and(|findings| !findings.is_empty()));
    assert_eq!(json["curve"]["rows"].as_array().unwrap().len(), 7);
    assert_eq!(json["enough_memory"], serde_json::Value::Null, "memory brings nothing here");
    let choice = usize::try_from(json["answer"]["choice"].as_u64().unwrap()).unwrap();
    assert_eq!(json["answer"]["rows"][choice]["name"], "log on nvme-plp");
    let expected =
        "arcwright ssd plan --from fixtures/machines/guest-2.3.2-sync.txt --profile nvme-plp";
    assert_eq!(json["steps"][0]["command"], expected);
}

#[test]
fn a_machine_without_pools_is_refused_in_words() {
    let output = arcwright().args(["advise", "--from", "-"]).stdin("hello\n").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

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
    let (out, _) = advise("guest-2.3.2-l2arc-filled", &[]);
    for expected in [
        "[fine] Nothing is wrong by the counters; what a change would bring is below",
        "other loads that the counters of the machine fit as well it ",
        "The knee is at ",
        "What each change brings",
        "arcwright tune apply zfs_arc_max=384MiB",
        "arcwright record --for 7d",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
}

/// Most of what it reads is read once; the L2ARC's hits say that some comes back, after nobody knows how much.
#[test]
fn what_counters_do_not_tell_is_a_range() {
    let (json, _) = advise("guest-2.3.2-l2arc-idle", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["answer"]["other_loads"].as_u64().unwrap() > 0);
    let rows = json["curve"]["rows"].as_array().unwrap();
    let most = rows.iter().max_by_key(|row| row["memory"].as_u64()).unwrap();
    let [least, greatest] = [0, 1].map(|end| most["saved_range"][end].as_f64().unwrap());
    assert!(least <= most["saved"].as_f64().unwrap() && greatest > least, "{most}");
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

/// Several machines are one table; with prices there is one plan for all, within the budget.
#[test]
fn a_fleet_gets_one_table_and_one_plan_of_purchases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let from =
        ["l2arc-filled", "bare"].map(|name| format!("fixtures/machines/guest-2.3.2-{name}.txt"));
    let fleet = |more: &[&str]| {
        let command = arcwright().args(["advise", "--from"]).args(&from).args(more);
        let output = command.current_dir(&root).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text, remarks) = fleet(&[]);
    assert_eq!(code, Some(0), "{remarks}");
    assert!(remarks.contains("2 of 2: "), "{remarks}");
    assert!(
        text.contains("zfs_arc_max=384MiB") && text.contains("not tried: no pool was read"),
        "{text}"
    );
    assert!(!text.contains("Plan:"), "{text}");
    let (code, json, remarks) =
        fleet(&["--price", "memory=4", "--price", "l2arc=1", "--budget", "0", "--json"]);
    assert_eq!(code, Some(0), "{remarks}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["machines"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&json["purchases"]["price"], &json["purchases"]["budget"]),
        (&0.0.into(), &0.0.into())
    );
    assert!(json["purchases"]["fewer_waiting"].as_f64().unwrap() > 0.0, "{json}");
    let (code, _, remarks) = fleet(&["--html", "page.html"]);
    assert!(code == Some(2) && remarks.contains("--html shows one machine"), "{remarks}");
    let (code, _, remarks) = fleet(&["--from", "live"]);
    assert!(code == Some(2) && remarks.contains("live is this one"), "{remarks}");
}

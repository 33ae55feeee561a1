//! `arcwright doctor` on captures of machines whose trouble is known.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::process::{Command, Output};

use arcwright_fixtures::path;

fn doctor(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_arcwright");
    Command::new(program).arg("doctor").args(arguments).output().unwrap()
}

fn on(name: &str, arguments: &[&str]) -> String {
    let from = path(name);
    let mut all = vec!["--from", from.to_str().unwrap(), "--no-model"];
    all.extend(arguments);
    let output = doctor(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns what calls for a change in a fixture, the most important first.
fn changes(name: &str) -> Vec<String> {
    let lines = on(name, &["-H"]);
    let calls = lines.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let severity = cells.next()?;
        ["hurts-now", "worth-a-look"].contains(&severity).then(|| cells.next().unwrap().to_owned())
    });
    calls.collect()
}

#[test]
fn an_old_freebsd_whose_metadata_does_not_fit_is_told_first() {
    assert_eq!(changes("freebsd-11-legacy"), ["metadata-misses", "prefetch-off", "seek-bound"]);
}

#[test]
fn a_healthy_freebsd_calls_for_no_change_and_one_ssd_with_two_jobs_is_noted() {
    assert_eq!(changes("freebsd-14-openzfs-2.2"), Vec::<String>::new());
    let lines = on("freebsd-14-openzfs-2.2", &["-H"]);
    // That tree holds neither `dmu_tx` nor the commits of datasets, so that it is no all-clear.
    assert!(lines.starts_with("note\tnot-enough\t"), "{lines}");
    assert!(lines.contains("shared-device\ttank\tOne device has two roles: ada6"), "{lines}");
}

#[test]
fn real_modules_are_diagnosed_by_what_was_done_to_them() {
    for (name, expected) in [
        ("guest-2.1.11-healthy", &[][..]),
        ("guest-2.1.11-bare", &[]),
        ("guest-2.1.11-metadata", &["metadata-misses"]),
        ("guest-2.1.11-l2arc-idle", &["l2arc-prefetch-excluded", "l2arc-feed-slow"]),
        ("guest-2.1.11-l2arc-filled", &["l2arc-prefetch-excluded"]),
        ("guest-2.1.11-sync", &["sync-writes-wait"]),
        ("guest-2.3.2-healthy", &[]),
        ("guest-2.3.2-l2arc-filled", &[]),
        ("guest-2.3.2-sync", &["sync-writes-wait"]),
        ("guest-2.3.2-bare", &[]),
        ("guest-2.3.2-metadata", &["metadata-misses"]),
        ("guest-2.3.2-l2arc-idle", &["l2arc-feed-slow", "obsolete-advice"]),
    ] {
        assert_eq!(changes(name), expected, "{name}");
    }
}

#[test]
fn json_has_a_version_and_the_findings() {
    let json: serde_json::Value =
        serde_json::from_str(&on("freebsd-11-legacy", &["--json"])).unwrap();
    assert_eq!(json["output_version"]["command"], "arcwright doctor");
    assert_eq!(json["output_version"]["vers_major"], 1);
    let first = &json["doctor"]["findings"][0];
    assert_eq!(first["id"], "metadata-misses");
    assert_eq!(first["severity"], "hurts-now");
    assert!(first["evidence"][0]["exact"].is_u64());
    for field in ["title", "cause", "cost", "risk", "gain", "confidence", "remedy", "sources"] {
        assert!(!first[field].is_null(), "{field}");
    }
}

#[test]
fn findings_are_no_failure_but_a_plugin_ends_by_them() {
    let from = path("freebsd-11-legacy");
    let from = from.to_str().unwrap();
    assert_eq!(doctor(&["--no-model", "--from", from]).status.code(), Some(0));
    let checked = doctor(&["--check", "--from", from]);
    // What costs only speed wakes nobody.
    assert_eq!(checked.status.code(), Some(1));
    assert!(checked.stdout.starts_with(b"ZFS WARNING - Metadata does not fit"));
    assert_eq!(doctor(&["--check", "--from", "/nonexistent/capture"]).status.code(), Some(3));
    assert_eq!(doctor(&["--from", "/nonexistent/capture"]).status.code(), Some(1));
    assert_eq!(doctor(&["--window", "soon"]).status.code(), Some(2));
}

#[test]
fn pasted_text_is_judged_by_what_it_tells() {
    let folder = tempfile::tempdir().unwrap();
    let paste = folder.path().join("paste.txt");
    // The report of a user whose copies crawl: nothing but this was sent.
    let text = "               capacity     operations    bandwidth\npool        alloc   free   read  write   read  write\n\
                ----------  -----  -----  -----  -----  -----  -----\nzdata       4.56T  6.31T  5.65K    435  25.5M  4.94M\n\
                zdata       4.56T  6.31T  7.43K      0  32.7M      0\nzdata       4.56T  6.31T  5.44K      0  24.1M      0\n";
    std::fs::write(&paste, text).unwrap();
    let output = doctor(&["-H", "--from", paste.to_str().unwrap()]);
    let lines = String::from_utf8(output.stdout).unwrap();
    // Its columns alloc and free tell that the pool has room, and nothing tells of the caches: that is said behind what the text tells.
    let last = lines.lines().last().unwrap_or_default();
    assert!(last.starts_with("note\tno-counters\t"), "{lines}");
    // More reads than so few disks can seek for: what they are is said, not that they seek.
    assert!(
        lines.contains("note\tsmall-reads\tzdata\tzdata does 6589 reads per second"),
        "{lines}"
    );
    assert!(!lines.contains("seek-bound"), "{lines}");
}

#[test]
fn what_is_shown_fits_the_page() {
    for line in on("freebsd-14-openzfs-2.2", &["--explain"]).lines() {
        let is_command = ["zpool ", "zfs ", "arcwright ", "sysctl ", "echo ", "# "]
            .iter()
            .any(|start| line.trim_start().trim_start_matches("now").trim_start().contains(start));
        assert!(is_command || line.chars().count() <= 100, "{line}");
    }
}

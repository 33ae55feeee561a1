//! `arcwright doctor --check` as a monitoring plugin, and what its owner says about findings.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::process::{Command, Output};

use arcwright_fixtures::path;
use tempfile::TempDir;

fn doctor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arcwright")).arg("doctor").args(arguments).output().unwrap()
}

fn on(name: &str, arguments: &[&str]) -> (i32, String) {
    let from = path(name);
    let mut all = vec!["--from", from.to_str().unwrap()];
    all.extend(arguments);
    let output = doctor(&all);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_costs_speed_is_a_warning_and_data_at_risk_is_critical() {
    let (code, line) = on("freebsd-11-legacy", &["--check"]);
    assert!(code == 1 && line.starts_with("ZFS WARNING - Metadata does not fit"), "{line}");
    assert_eq!(line.lines().count(), 1);
    let (code, line) = on("guest-2.3.2-healthy", &["--check"]);
    assert!(code == 0 && line.starts_with("ZFS OK - "), "{line}");
    let folder = TempDir::new().unwrap();
    let status = "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\
                  \ttank        DEGRADED     0     0     0\n\t  mirror-0  DEGRADED     0     0     0\n\
                  \t    sda     ONLINE       0     0     0\n\t    sdb     FAULTED      0     0     0\n\n\
                  errors: No known data errors\n";
    let paste = file(&folder, "status.txt", status);
    let output = doctor(&["--check", "--from", &paste]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn performance_data_has_the_form_that_plugins_have() {
    let (_, line) = on("guest-2.3.2-metadata", &["--check"]);
    let data = line.trim_end().split_once(" | ").unwrap().1;
    for one in data.split(' ') {
        let (label, rest) = one.split_once('=').unwrap();
        assert!(!label.is_empty(), "{one}");
        let number: String =
            rest.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '.').collect();
        assert!(number.parse::<f64>().is_ok(), "{one}");
        assert!(rest.split(';').count() <= 5, "{one}");
    }
    for label in ["findings_hurt=1;", "arc_size=", "arc_hit_pct=", "pool_zdata_capacity="] {
        assert!(data.contains(label), "{label}: {data}");
    }
}

#[test]
fn what_is_ignored_is_left_out_and_said_to_be() {
    let folder = TempDir::new().unwrap();
    let list = file(&folder, "ignored", "# known\nprefetch-off\nseek-bound   # old disks\n");
    let arguments = ["--check", "--ignore", "metadata-misses", "--ignore-file", &list];
    let (code, line) = on("freebsd-11-legacy", &arguments);
    assert!(code == 0 && line.contains("(3 known findings ignored)"), "{line}");
    let (_, page) = on("freebsd-11-legacy", &["--no-model", "--ignore", "seek-bound:tank"]);
    assert!(page.contains("Ignored on request: seek-bound:tank"), "{page}");
    let (_, page) = on("freebsd-11-legacy", &["--no-model", "--ignore", "seek-bound:other"]);
    assert!(!page.contains("Left out"), "{page}");
}

#[test]
fn a_severity_is_what_its_owner_says() {
    let folder = TempDir::new().unwrap();
    let config = file(
        &folder,
        "arcwright.toml",
        "ignore = [\"seek-bound\"]\n[severity]\nmetadata-misses = \"hurts-now\"\nprefetch-off = \"note\"\n",
    );
    let (code, line) = on("freebsd-11-legacy", &["--check", "--config", &config]);
    assert!(code == 2 && line.starts_with("ZFS CRITICAL - Metadata"), "{line}");
    assert!(!line.contains("more)"), "{line}");
    let (_, lines) = on("freebsd-11-legacy", &["-H", "--no-model", "--config", &config]);
    assert!(lines.contains("note\tprefetch-off\t") && !lines.contains("seek-bound"), "{lines}");
}

#[test]
fn a_baseline_excuses_what_was_there_and_nothing_new_or_worse() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("baseline.json");
    let path = path.to_str().unwrap();
    let (code, said) = on("freebsd-11-legacy", &["--no-model", "--write-baseline", path]);
    assert!(code == 0 && said.contains("findings accepted"), "{said}");
    let (code, line) = on("freebsd-11-legacy", &["--check", "--baseline", path]);
    assert!(code == 0 && line.starts_with("ZFS OK - no new findings"), "{line}");
    // The same finding, now worse than it was accepted.
    let text = fs::read_to_string(path).unwrap();
    let milder = file(&folder, "milder.json", &text.replace("hurts-now", "worth-a-look"));
    let (code, line) = on("freebsd-11-legacy", &["--check", "--baseline", &milder]);
    assert!(code == 1 && line.contains("Metadata does not fit"), "{line}");
    // Another machine's findings are new.
    let (code, line) = on("guest-2.3.2-sync", &["--check", "--baseline", path]);
    assert!(code == 1, "{line}");
}

#[test]
fn files_that_are_wrong_are_named_with_what_is_right() {
    let folder = TempDir::new().unwrap();
    let check_code = |arguments: &[&str], code: i32, expected: &str| {
        let from = path("guest-2.3.2-healthy");
        let mut all = vec!["--no-model", "--from", from.to_str().unwrap()];
        all.extend(arguments);
        let output = doctor(&all);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(expected), "{arguments:?}: {told}");
        all.push("--check");
        let output = doctor(&all);
        let line = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {line}");
        assert!(line.starts_with("ZFS UNKNOWN - ") && line.lines().count() == 1, "{line}");
    };
    let check = |arguments: &[&str], expected: &str| check_code(arguments, 2, expected);
    let list = file(&folder, "list", "atime\nmetadata-mises\n");
    let odd = file(&folder, "odd.toml", "[severity]\natime = \"loud\"\n");
    let key = file(&folder, "key.toml", "ignored = []\n");
    let no = file(&folder, "no.json", "{}");
    check(&["--ignore", "pool_full"], "did you mean “pool-full”?");
    check(&["--ignore-file", &list], "list:2: no finding is called “metadata-mises”");
    check(&["--config", &odd], "“loud” is not a severity; the severities are");
    check(&["--config", &key], "unknown field `ignored`");
    check(&["--baseline", &no], "is not a baseline");
    // What cannot be read has no mistake in it: as everywhere.
    check_code(&["--config", "/nonexistent.toml"], 1, "failed to read /nonexistent.toml");
    check_code(&["--config", "/dev/zero"], 1, "is a device, not a file");
}

#[test]
fn words_that_are_wrong_are_unknown_to_a_plugin() {
    assert_eq!(doctor(&["--check", "--window", "soon"]).status.code(), Some(3));
    assert_eq!(doctor(&["--window", "soon"]).status.code(), Some(2));
}

#[test]
fn every_finding_is_listed_with_what_it_means() {
    let output = doctor(&["--list"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let help = String::from_utf8(doctor(&["--help"]).stdout).unwrap();
    for known in arcwright_advice::KNOWN {
        assert!(text.contains(known.id) && text.contains(known.meaning), "{}", known.id);
        assert!(help.contains(known.id), "{}", known.id);
    }
    assert!(text.contains("pool-degraded            critical"), "{text}");
    assert!(text.contains("metadata-misses          warning"), "{text}");
}

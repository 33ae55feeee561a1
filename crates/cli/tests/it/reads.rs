//! `arcwright record reads`: on for a while, off again whatever happens, and every record once.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::arcwright;

const LENGTH: &str = "sys/module/zfs/parameters/zfs_read_history";
const HITS: &str = "sys/module/zfs/parameters/zfs_read_history_hits";
const LIST: &str = "proc/spl/kstat/zfs/tank/reads";
const RECORDS: &str = "UID start objset object level blkid aflags origin pid process\n\
    7 1000 0x51 9 0 0 0x12 5 smbd\n8 2000 0x51 9 0 0 0x1a 5 smbd\n10 3000 0x51 9 0 1 0x12 6 cp \u{1b}[2J\n";

/// A machine of files whose list says the same all the time.
fn machine(length: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [(LENGTH, length), (HITS, "0\n"), (LIST, RECORDS)] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn state(root: &Path) -> String {
    let read = |path| fs::read_to_string(root.join(path)).unwrap().trim().to_owned();
    format!("{} {} {}", read(LENGTH), read(HITS), read(LIST))
}

#[test]
fn records_are_taken_once_and_it_is_off_afterwards() {
    let root = machine("0\n");
    let trace = root.path().join("reads.csv");
    let page = root.path().join("reads.html");
    let run = || {
        let command = arcwright()
            .args(["record", "reads", "--pool", "tank", "--for", "1s", "--yes", "--root"])
            .arg(root.path());
        command.arg("-o").arg(&trace).arg("--html").arg(&page).output().unwrap()
    };
    let output = run();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        text.starts_with("3 reads on demand, 2 of them missed; 0 ahead of demand. 1 were lost"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}') && text.contains("smbd"), "{text}");
    assert_eq!(state(root.path()), "0 0 0");
    let shown = fs::read_to_string(&page).unwrap();
    assert!(shown.contains("Whose reads missed") && shown.contains("smbd"));
    let written = fs::read_to_string(&trace).unwrap();
    assert_eq!(written.lines().count(), 4, "{written}");
    assert_eq!(written.lines().nth(2), Some("1000,81/9/0/0,131072,read"));
    // The trace is not written over, and nothing is switched on for that.
    assert_eq!(run().status.code(), Some(2));
}

#[test]
fn a_killed_recorder_leaves_nothing_on() {
    let root = machine("0\n");
    let mut recorder = std::process::Command::new(snapbox::cmd::cargo_bin!("arcwright"))
        .args(["record", "reads", "--pool", "tank", "--for", "600s", "--yes", "--root"])
        .arg(root.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = |wanted: &str| {
        while !state(root.path()).starts_with(wanted) {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("16384 1");
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    // By the guard; what hangs here would never have been switched off.
    until("0 0 0");
}

#[test]
fn without_a_terminal_or_beside_another_nothing_is_switched_on() {
    for (length, more, code) in [("0\n", None, 2), ("100\n", Some("--yes"), 1)] {
        let root = machine(length);
        let command = arcwright()
            .args(["record", "reads", "--pool", "tank", "--for", "1s", "--root"])
            .arg(root.path());
        let output = command.args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(state(root.path()).starts_with(length.trim()), "{}", state(root.path()));
    }
}

#[test]
fn a_pool_is_a_name_and_no_path() {
    let root = machine("0\n");
    for pool in ["../zfs/tank", "other", ".."] {
        let command = arcwright().args(["record", "reads", "--pool", pool, "--yes", "--root"]);
        assert_eq!(command.arg(root.path()).output().unwrap().status.code(), Some(1), "{pool}");
    }
}

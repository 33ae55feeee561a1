//! `arcwright metrics`: printed, as a text file, and what is refused.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

mod server;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use arcwright_fixtures::path;
use snapbox::str;

use crate::arcwright;

fn printed(arguments: &[&str]) -> String {
    let assert = arcwright().arg("metrics").args(arguments).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_capture_is_printed_in_either_form() {
    let from = path("guest-2.3.2-metadata");
    let from = from.to_str().unwrap();
    let open = printed(&["--from", from]);
    for line in [
        "# TYPE arcwright_arc_class_accesses counter",
        "# UNIT arcwright_arc_size_bytes bytes",
        "arcwright_arc_target_max_bytes 67108864",
        "arcwright_pool_state{pool=\"zdata\",state=\"online\"} 1",
        "arcwright_finding{rule=\"metadata-misses\",severity=\"hurts-now\",urgent=\"no\"} 1",
        "arcwright_judged 1",
        "# EOF",
    ] {
        assert!(open.lines().any(|one| one == line), "no “{line}” in\n{open}");
    }
    assert!(!open.contains("arcwright_dataset_"), "{open}");
    let plain = printed(&["--from", from, "--format", "text", "--datasets"]);
    assert!(plain.contains("# TYPE arcwright_arc_class_accesses_total counter\n"), "{plain}");
    assert!(plain.contains("arcwright_dataset_bytes_total{dataset=\"zdata"), "{plain}");
    assert!(!plain.contains("# EOF") && !plain.contains("# UNIT"), "{plain}");
    // What was copied some time ago has no time that it was read at, and nothing was read now.
    assert!(!plain.contains("arcwright_collection_timestamp_seconds"), "{plain}");
}

#[test]
fn pasted_text_is_read_as_doctor_reads_it() {
    let pasted = "$ zpool status\n  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\
                  \ttank        DEGRADED     0     0     0\n\t  mirror-0  DEGRADED     0     0     0\n\
                  \t    sda     ONLINE       0     0     0\n\t    sdb     FAULTED      3     0     0\n";
    let assert = arcwright().args(["metrics", "--from", "-"]).stdin(pasted).assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(
        text.contains(
            "arcwright_vdev_online{class=\"data\",pool=\"tank\",top=\"mirror-0\",vdev=\"sdb\"} 0"
        ),
        "{text}"
    );
    assert!(!text.contains("arcwright_arc_"), "{text}");
}

#[test]
fn a_text_file_is_replaced_as_a_whole_and_read_by_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arcwright.prom");
    fs::write(&file, "older").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let from = path("guest-2.1.11-sync");
    arcwright()
        .args(["metrics", "--from"])
        .arg(from)
        .arg("--textfile")
        .arg(&file)
        .assert()
        .success()
        .stdout_eq(str![]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# HELP arcwright_") && text.ends_with('\n'), "{text}");
    assert!(!text.contains("# EOF"), "{text}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let from = path("guest-2.1.11-sync");
    let from = from.to_str().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    symlink("/dev/null", at("device.prom")).unwrap();
    let (other, device) = (at("other.txt"), at("device.prom"));
    let cases: [(&[&str], i32, &str); 9] = [
        (&["--from", from, "--textfile", &other], 2, "files whose names end in .prom"),
        (&["--from", from, "--textfile", &device], 1, "is a device"),
        (&["--from", from, "--textfile", "/nonexistent/a.prom"], 1, "No such file or directory"),
        (&["--listen", "0.0.0.0:0"], 2, "--public allows that"),
        (&["--listen", "localhost"], 2, "invalid value 'localhost'"),
        (&["--listen", "127.0.0.1:0", "--from", from], 2, "cannot be used with"),
        (&["--interval", "5s"], 2, "--listen"),
        (&["--listen", "127.0.0.1:0", "--interval", "10ms"], 2, "expected 1s to 1h"),
        (&["--listen", "127.0.0.1:0", "--root", "/nonexistent"], 1, "no ZFS on this machine"),
    ];
    for (arguments, code, expected) in cases {
        let assert = arcwright().arg("metrics").args(arguments).assert().code(code);
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

//! `arcwright doctor` over several machines: one table, the worst first.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arcwright_fixtures::{machine, path, unpack};
use tempfile::TempDir;

fn doctor(arguments: &[&str], from: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcwright"));
    command.arg("doctor").args(arguments);
    if !from.is_empty() {
        command.arg("--from").args(from);
    }
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the cells of `-H`.
fn cells(output: &Output) -> Vec<Vec<String>> {
    let text = stdout(output);
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Packs a fixture as a capture of a machine with a name and a date.
fn packed(folder: &Path, file: &str, fixture: &str, name: Option<&str>) -> PathBuf {
    let sources = machine(fixture).unwrap();
    let manifest = arcwright_host::capture::Manifest {
        format: arcwright_host::capture::FORMAT,
        program: "0.1.0".to_owned(),
        window_s: 10.0,
        redacted: false,
        machine: name.map(str::to_owned),
        time_s: name.map(|_| 1_795_291_200),
        missing: Vec::new(),
    };
    let packed = folder.join(file);
    fs::write(&packed, arcwright_host::capture::pack(&sources, &manifest).unwrap()).unwrap();
    packed
}

#[test]
fn many_machines_are_one_table_with_the_worst_first() {
    let (hurt, fine) = (path("guest-2.3.2-metadata"), path("guest-2.3.2-healthy"));
    let output = doctor(&[], &[&fine, &hurt]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("MACHINE"), "{text}");
    assert!(lines[1].starts_with("guest-2.3.2-metadata  hurts now"), "{text}");
    assert!(lines[1].contains("Metadata does not fit"), "{text}");
    assert!(lines[2].starts_with("guest-2.3.2-healthy"), "{text}");
    let rows = cells(&doctor(&["-H"], &[&fine, &hurt]));
    assert_eq!(rows[0][..3], ["guest-2.3.2-metadata", "hurts-now", "metadata-misses"]);
    assert!(rows.iter().all(|row| row.len() == arcwright_report::FLEET_COLUMNS.len()));
    let json: serde_json::Value =
        serde_json::from_slice(&doctor(&["--json"], &[&fine, &hurt]).stdout).unwrap();
    assert_eq!(json["output_version"]["command"], "arcwright doctor fleet");
    assert_eq!(json["machines"][0]["worst"]["id"], "metadata-misses");
}

#[test]
fn a_folder_of_captures_is_many_machines_and_tells_names_and_dates() {
    let folder = TempDir::new().unwrap();
    packed(folder.path(), "a.tar.gz", "guest-2.3.2-metadata", Some("attic"));
    packed(folder.path(), "b.tgz", "guest-2.3.2-healthy", None);
    fs::write(folder.path().join("c.txt"), "nothing of it is known\n").unwrap();
    fs::write(folder.path().join("notes.md"), "to do\n").unwrap();
    let output = doctor(&["-H"], &[folder.path()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let rows = cells(&output);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["attic", "c", "b"]);
    assert_eq!(rows[0][5], "2026-11-21 20:00:00 UTC");
    assert_eq!(rows[1][1], "unreadable");
}

#[test]
fn a_folder_that_is_one_machine_is_no_fleet() {
    let tree = TempDir::new().unwrap();
    unpack(&machine("guest-2.3.2-healthy").unwrap(), tree.path()).unwrap();
    let text = stdout(&doctor(&["--no-model"], &[tree.path()]));
    assert!(!text.contains("MACHINE"), "{text}");
    // Readings of one machine before and after, and texts of several commands.
    let folder = TempDir::new().unwrap();
    let sources = machine("guest-2.3.2-healthy").unwrap();
    let arcstats = sources.text("sample-0/proc/spl/kstat/zfs/arcstats").unwrap();
    for name in ["before", "after"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("arcstats"), arcstats).unwrap();
    }
    fs::write(folder.path().join("zpool-status.txt"), "  pool: tank\n state: ONLINE\n").unwrap();
    let text = stdout(&doctor(&["--no-model"], &[folder.path()]));
    assert!(!text.contains("MACHINE"), "{text}");
}

#[test]
fn one_that_cannot_be_opened_is_a_row_and_only_all_of_them_a_failure() {
    let (fine, none) = (path("guest-2.3.2-healthy"), PathBuf::from("/nonexistent/nas.tar.gz"));
    let output = doctor(&[], &[&none, &fine, &path("guest-2.1.11-healthy")]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("nas  ") && text.contains("unreadable"), "{text}");
    assert!(text.contains("1 of 3 could not be opened"), "{text}");
    let output = doctor(&[], &[&none, Path::new("/dev/null")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("is a device, not a file"), "{output:?}");
}

#[test]
fn standard_input_is_read_once() {
    let output = doctor(&[], &[Path::new("-"), Path::new("-")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("can be read only once"));
}

#[test]
fn a_plugin_over_many_machines_names_the_worst() {
    let (hurt, fine) = (path("guest-2.3.2-metadata"), path("guest-2.3.2-healthy"));
    let output = doctor(&["--check"], &[&fine, &hurt]);
    assert_eq!(output.status.code(), Some(1));
    let line = stdout(&output);
    assert!(
        line.starts_with("ZFS WARNING - guest-2.3.2-metadata: Metadata does not fit"),
        "{line}"
    );
    assert!(
        line.contains(" | machines=2;;;0 machines_critical=0;;;0 machines_warning=1;;;0"),
        "{line}"
    );
    // Silence about one of them is no all-clear.
    let output = doctor(&["--check"], &[&fine, Path::new("/dev/null")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

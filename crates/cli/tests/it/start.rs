//! What somebody does first: the version, the examples, a scenario of their own, pages, preferences.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::Path;

use snapbox::cmd::Command;

use crate::arcwright;

/// Runs the program in an empty folder and returns its exit code, output and complaints.
fn said(command: Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn in_folder(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    said(arcwright().args(words).current_dir(folder).env("XDG_CONFIG_HOME", folder.join("config")))
}

/// Writes the user's preferences below `folder`.
fn prefer(folder: &Path, text: &str) {
    let place = folder.join("config/arcwright");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("config.toml"), text).unwrap();
}

#[test]
fn the_version_says_what_runs_here() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, _) = in_folder(folder.path(), &["--version"]);
    assert_eq!(code, Some(0));
    for line in ["arcwright 0.1.0", "target ", "module ", "libzpool "] {
        assert!(text.contains(line), "{text}");
    }
    let (_, json, _) = in_folder(folder.path(), &["--version", "-j"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["arcwright"], "0.1.0");
    assert!(json["libzpool"].is_array());
    assert_eq!(in_folder(folder.path(), &["-j"]).0, Some(2));
}

#[test]
fn a_scenario_of_the_gallery_runs_from_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, _) = in_folder(folder.path(), &["run", "spare-ssd", "--check"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("A spare SSD as cache and log of a small NAS"), "{text}");
    // A bare word is a name of the gallery, whatever stands in the folder.
    fs::write(folder.path().join("spare-ssd"), "nonsense").unwrap();
    assert_eq!(in_folder(folder.path(), &["run", "spare-ssd", "--check"]).0, Some(0));
    assert_eq!(in_folder(folder.path(), &["run", "./spare-ssd", "--check"]).0, Some(2));
    let (code, _, text) = in_folder(folder.path(), &["run", "spare-sdd", "--check"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("did you mean arcwright run spare-ssd?"), "{text}");
}

#[test]
fn scenarios_are_listed_and_printed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, json, _) = in_folder(folder.path(), &["scenarios", "--json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert!(listed.iter().all(|it| it["question"].as_str().is_some_and(|text| !text.is_empty())));
    let (_, text, _) = in_folder(folder.path(), &["scenarios", "steam-library"]);
    assert_eq!(text, include_str!("../../../../scenarios/steam-library.toml"));
    let (code, _, text) = in_folder(folder.path(), &["scenarios", "steam"]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn a_scenario_is_begun_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("experiment.toml");
    assert_eq!(in_folder(folder.path(), &["init"]).0, Some(0));
    let (code, text, _) = in_folder(folder.path(), &["run", "experiment.toml", "--check"]);
    assert_eq!(code, Some(0), "{text}");
    fs::write(&file, "mine").unwrap();
    let (code, _, text) = in_folder(folder.path(), &["init"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("is there already"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let (_, printed, _) = in_folder(folder.path(), &["init", "-"]);
    assert!(printed.contains("[[arm]]"));
}

/// What could not be written is an error of every command, help included.
#[test]
fn a_full_disk_behind_standard_output_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for words in [
        "--help",
        "run --help",
        "help doctor",
        "--version",
        "--version --json",
        "scenarios",
        "scenarios steam-library",
        "tune list",
        "init -",
        "generate completions zsh",
        "run steam-library --check",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let ended = std::process::Command::new(env!("CARGO_BIN_EXE_arcwright"))
            .current_dir(folder.path())
            .args(words.split(' '))
            .stdout(full)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{words}: {text}");
        assert!(text.contains("failed to write to standard output"), "{words}: {text}");
    }
}

#[test]
fn pages_and_completions_are_written() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(in_folder(folder.path(), &["generate", "man", "."]).0, Some(0));
    let page = std::fs::read_to_string(folder.path().join("arcwright.1")).unwrap();
    for part in [".SH EXIT STATUS", "ARCWRIGHT_LAB", "ARCWRIGHT_OPENZFS", "NO_COLOR", ".SH FILES"] {
        assert!(page.contains(part), "{part} is missing in: {page}");
    }
    let page = fs::read_to_string(folder.path().join("arcwright-tune-apply.1")).unwrap();
    assert!(page.contains(".TH ARCWRIGHT-TUNE-APPLY 1"), "{page}");
    assert!(!folder.path().join("arcwright-lab-worker.1").exists());
    for shell in ["bash", "zsh", "fish"] {
        let (code, text, _) = in_folder(folder.path(), &["generate", "completions", shell]);
        assert!(code == Some(0) && text.contains("COMPLETE"), "{shell}: {text}");
    }
}

#[test]
fn preferences_hold_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "steam-library", "--check"];
    prefer(folder.path(), "units = \"decimal\"");
    let (_, text, _) = in_folder(folder.path(), &run);
    assert!(text.contains("nvme-consumer (129 GB)") && text.contains("16 GiB memory"), "{text}");
    prefer(folder.path(), "");
    assert!(in_folder(folder.path(), &run).1.contains("nvme-consumer (120 GiB)"));
    prefer(folder.path(), "[findings]\nignore = [\"l2arc-prefetch-excluded\"]");
    let machine = arcwright_fixtures::path("guest-2.1.11-l2arc-idle");
    let machine = machine.to_str().unwrap();
    let doctor = ["doctor", "--no-model", "--from", machine];
    let (_, with, _) = in_folder(folder.path(), &doctor);
    assert!(with.contains("l2arc-prefetch-excluded"), "what is left out is named: {with}");
}

#[test]
fn a_mistake_in_the_preferences_is_named() {
    let folder = tempfile::tempdir().unwrap();
    prefer(folder.path(), "colors = true");
    let (code, _, text) = in_folder(folder.path(), &["scenarios"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("config.toml") && text.contains("unknown field"), "{text}");
    // To a monitoring system 2 would be a machine in trouble.
    let (code, text, _) = in_folder(folder.path(), &["doctor", "--check"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("UNKNOWN"), "{text}");
}

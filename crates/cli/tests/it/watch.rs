//! `arcwright watch`: the screen as text, and what is refused.

use std::path::PathBuf;

use snapbox::str;

use crate::arcwright;

fn scenario(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name)
}

#[test]
fn a_run_of_the_model_is_watched_second_by_second() {
    let assert = arcwright()
        .args(["watch", "--picture", "80x24", "--after", "40", "--set", "lab.scale=32"])
        .args(["--scale", "32", "--scenario"])
        .arg(scenario("steam-library.toml"))
        .assert()
        .success();
    let out = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert_eq!(out.lines().count(), 24, "{out}");
    let expected = [
        "arm “as installed” · first read",
        "over 1 s",
        "read by programs",
        "written by programs 0",
        "demand data",
        "data-0-2",
        "1–3 of 4",
    ];
    for text in expected {
        assert!(out.contains(text), "no “{text}” in\n{out}");
    }
}

#[test]
fn a_recorded_run_is_shown_without_zfs() {
    let assert = arcwright().args(["watch", "--demo", "--picture", "120x40"]).assert().success();
    let out = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    for text in ["demo: ", "read by programs", "2 ARC", "8 devices", "all of the recorded run"] {
        assert!(out.contains(text), "no “{text}” in\n{out}");
    }
}

#[test]
fn without_a_terminal_a_picture_must_be_asked_for() {
    arcwright()
        .args(["watch", "--scenario"])
        .arg(scenario("steam-library.toml"))
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: watch needs a terminal; --picture prints the screen as text

"#]]);
}

//! A run does not depend on the name of the machine, which a pool writes into its configuration.

use std::process::{Command, Stdio};

use super::{INSTANT, oldest_and_newest, read_once, without_wall_time};

/// Returns what a run prints for programs on a machine of that name.
fn on_machine_called(name: &str, version: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, read_once(INSTANT, "")).unwrap();
    let script = "hostname \"$0\" && [ \"$(uname -n)\" = \"$0\" ] && exec \"$@\"";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--uts", "sh", "-c", script, name])
        .args([env!("CARGO_BIN_EXE_arcwright"), "run", path.to_str().unwrap()])
        .args(["--engine", "lab", "--openzfs", version, "--json"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    output.stdout
}

#[test]
#[ignore = "needs the OpenZFS libraries, and a process that may name its machine: ./test"]
fn a_run_is_the_same_on_machines_of_different_names() {
    for version in oldest_and_newest() {
        let long = "a-machine-with-a-name-that-is-much-longer.example";
        let (one, other) = (on_machine_called("a", version), on_machine_called(long, version));
        assert_eq!(without_wall_time(&one), without_wall_time(&other), "{version}");
    }
}

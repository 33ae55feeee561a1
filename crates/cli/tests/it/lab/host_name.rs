//! A run does not depend on the name of the machine, which a pool writes into its configuration.

use std::process::{Command, Stdio};

use arcwright_scenario::Outcome;
use arcwright_units::Nanos;

use super::{INSTANT, VERSIONS, enabled, scenario};

/// Returns what a run prints for programs on a machine of that name; none where a process may not have
/// a name of its own for its machine.
fn on_machine_called(name: &str, version: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, scenario(INSTANT, "")).unwrap();
    let script = "hostname \"$0\" && [ \"$(uname -n)\" = \"$0\" ] || exit 77; exec \"$@\"";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--uts", "sh", "-c", script, name])
        .args([env!("CARGO_BIN_EXE_arcwright"), "run", path.to_str().unwrap()])
        .args(["--engine", "lab", "--openzfs", version, "--json"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let may_not = output.status.code() == Some(77) || text.starts_with("unshare:");
    if may_not {
        println!("skipped: a process may not have a machine name of its own here: {text:?}");
        return None;
    }
    assert!(output.status.success(), "{text}");
    Some(output.stdout)
}

/// Leaves out how long the run took by this machine's clock; everything else is virtual time.
fn without_wall_time(json: &[u8]) -> Outcome {
    let mut outcome: Outcome = serde_json::from_slice(json).unwrap();
    outcome.engine.wall_ns = Nanos::ZERO;
    outcome
}

#[test]
fn a_run_is_the_same_on_machines_of_different_names() {
    if !enabled() {
        return;
    }
    for version in VERSIONS {
        let long = "a-machine-with-a-name-that-is-much-longer.example";
        let both = (on_machine_called("a", version), on_machine_called(long, version));
        let (Some(one), Some(other)) = both else { return };
        assert_eq!(without_wall_time(&one), without_wall_time(&other), "{version}");
    }
}

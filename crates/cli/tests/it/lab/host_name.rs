//! A run does not depend on the name of the machine, which a pool writes into its configuration.

use std::process::{Command, Stdio};

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
        println!("skipped: no machine name of its own for a process: {text}");
        return None;
    }
    assert!(output.status.success(), "{text}");
    Some(output.stdout)
}

/// Leaves out how long the run took.
fn without_times(json: &[u8]) -> serde_json::Value {
    let mut json: serde_json::Value = serde_json::from_slice(json).unwrap();
    drop_times(&mut json);
    json
}

fn drop_times(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::Object(map) => {
            map.retain(|key, _| !key.contains("took") && !key.contains("elapsed"));
            map.values_mut().for_each(drop_times);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(drop_times),
        _ => {}
    }
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
        assert_eq!(without_times(&one), without_times(&other), "{version}");
    }
}

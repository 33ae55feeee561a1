//! What `--json` prints is what its schema in `docs/reference/schema` says.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::arcwright;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(name: &str) -> Value {
    let path = root().join("docs/reference/schema").join(format!("{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn printed(words: &[&str]) -> Value {
    let output = arcwright().args(words).current_dir(root()).output().unwrap();
    assert!(!output.stdout.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(name: &str, value: &Value) {
    let schema = schema(name);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

#[test]
fn doctor_prints_what_its_schema_says() {
    for fixture in ["guest-2.3.2-metadata", "freebsd-11-legacy", "guest-2.1.11-bare"] {
        let from = format!("fixtures/machines/{fixture}.txt");
        let words = ["doctor", "--no-model", "--json", "--ignore", "atime", "--from", &from];
        check("doctor", &printed(&words));
    }
    let words =
        ["doctor", "--json", "--from", "fixtures/machines/guest-2.3.2-sync.txt", "/dev/null"];
    check("doctor-fleet", &printed(&words));
}

#[test]
fn a_run_prints_what_its_schema_says() {
    let words = ["run", "scenarios/vm-sync-writes.toml", "--scale", "32", "--json"];
    check("run", &printed(&words));
}

#[test]
fn whatif_prints_what_its_schema_says() {
    let words = ["whatif", "--scenario", "scenarios/vm-sync-writes.toml", "--scale", "32"];
    check("whatif", &printed(&[&words[..], &["--log", "nvme-plp", "--json"]].concat()));
}

#[test]
fn traces_print_what_their_schemas_say() {
    let trace = "traces/lirs_2_pools.trace.gz";
    check("trace-info", &printed(&["trace", "info", trace, "--json"]));
    let machine = "fixtures/machines/guest-2.3.2-sync.txt";
    check("who", &printed(&["who", "--from", machine, "--json"]));
    check("trace-curve", &printed(&["trace", "curve", trace, "--json"]));
}

#[test]
fn tune_prints_what_its_schemas_say() {
    let tree = crate::tune::tree::tree("2.3.2");
    let root = tree.path().to_str().unwrap();
    for (name, words) in [
        ("tune-list", &["list", "--all", "--json"][..]),
        ("tune-show", &["show", "zfs_arc_max", "zfs_arc_meta_limit", "--json"]),
        ("tune-diff", &["diff", "dumb-lru", "zfs_arc_max=1GiB", "--json"]),
        ("tune-apply", &["apply", "l2arc_norw=1", "--yes", "--json"]),
        ("tune-persist", &["persist", "dumb-lru", "--write", "--json"]),
        ("tune-verify", &["verify", "--json"]),
        ("tune-log", &["log", "--json"]),
        ("tune-undo", &["undo", "all", "--json"]),
        ("tune-persist", &["persist", "reset", "--json"]),
        ("tune-log", &["log", "--json"]),
    ] {
        let mut all = vec!["tune", "--root", root];
        all.extend(words);
        check(name, &printed(&all));
    }
}

#[test]
fn a_schema_refuses_what_lacks_its_version() {
    let schema = schema("doctor");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut value = printed(&[
        "doctor",
        "--no-model",
        "--json",
        "--from",
        "fixtures/machines/guest-2.3.2-sync.txt",
    ]);
    assert!(validator.is_valid(&value));
    value.as_object_mut().unwrap().remove("output_version");
    assert!(!validator.is_valid(&value));
}

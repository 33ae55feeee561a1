//! The model from outside: what it refuses, and laws that every run obeys.
#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

mod compression;
mod datasets;
mod draid;
mod encryption;
mod fill;
mod laws;
mod links;
mod readings;
mod refusals;
mod shared;
mod small;
mod traces;
mod trees;
mod tunables;
mod volumes;
mod warm;
mod writes;

use arcwright_model::Model;
use arcwright_scenario::{Engine, EngineError, Outcome, PhaseRun, RunRequest, Scenario, Unwatched};

/// A loop over a file three times as large as the ARC, with and without a cache device.
const LOOP: &str = r#"
title = "test"
question = "test"
[system]
zfs = "2.1.11"
os = "linux"
memory = "512MiB"
[system.pool]
data = [{ raidz1 = ["hdd-nas-7200", "hdd-nas-7200", "hdd-nas-7200"] }]
cache = [{ device = "nvme-consumer", size = "4GiB" }]
[system.tunables]
zfs_arc_max = "256MiB"
[[arm]]
name = "with"
tunables = { l2arc_noprefetch = 0, l2arc_write_max = "1GiB" }
[[arm]]
name = "without"
cache = []
[[file]]
name = "f"
size = "768MiB"
[[phase]]
name = "first"
clients = [{ read = "f", io = "128KiB" }]
[[phase]]
name = "second"
clients = [{ read = "f", io = "128KiB" }, { read = "f", io = "16KiB", pattern = "random", amount = "16MiB" }]
"#;

/// Returns the top of a scenario: a machine of 1 GiB with such a version, and what follows in its table `[system]`.
fn machine(version: &str, keys: &str) -> String {
    format!(
        "title = \"test\"\n[system]\nzfs = \"{version}\"\nos = \"linux\"\nmemory = \"1GiB\"\n{keys}\n"
    )
}

/// Returns the tables of phases that are named by their numbers, each with such keys.
fn numbered(keys: &[&str]) -> String {
    let phase = |(at, keys): (usize, &&str)| format!("[[phase]]\nname = \"{at}\"\n{keys}\n");
    keys.iter().enumerate().map(phase).collect()
}

/// Returns the phases of the first arm.
fn phases(outcome: &Outcome) -> &[PhaseRun] {
    &outcome.arms.first().unwrap().phases
}

fn run(text: &str) -> Result<Outcome, EngineError> {
    let scenario = Scenario::parse(text, "test.toml").unwrap();
    Model::default().run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched)
}

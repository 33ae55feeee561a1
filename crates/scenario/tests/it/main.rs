//! What the crate promises to those who call it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod answers;
mod datasets;
mod devices;
mod faults;
mod fio;
mod folder;
mod grammar;
mod mutations;
mod overrides;
mod platforms;
mod processors;
mod scaling;
mod selection;
mod series;
mod statistics;
mod traces;

/// A scenario in which nothing is wrong; tests break exactly one thing of it.
const GOOD: &str = r#"title = "good"
question = "what is wrong here?"
[system]
zfs = "2.1.5"
os = "linux"
memory = "16GiB"
tunables = { zfs_arc_max = "8GiB" }
[system.pool]
data = [{ mirror = ["hdd-nas-7200", "hdd-nas-7200"] }]
cache = [{ device = "nvme-consumer", size = "120GiB" }]
log = [{ mirror = ["nvme-plp", "nvme-plp"] }]
recordsize = "128KiB"
[[arm]]
name = "one"
[[arm]]
name = "two"
zfs = "2.2.7"
[arm.tunables]
l2arc_noprefetch = false
zfetch_max_distance = "2GiB"
[[file]]
name = "test.dat"
size = "20GiB"
recordsize = "1MiB"
[[tree]]
name = "pictures"
files = 1000
files_per_directory = 100
size_min = "50KiB"
size_max = "200KiB"
[[phase]]
name = "first read"
pause = "10s"
limit = "1h"
clients = [
  { read = "test.dat", io = "1MiB" },
  { mixed = "test.dat", read_pct = 70, pattern = "zipf", zipf = 1.2, amount = "1GiB", count = 2 },
]
[[phase]]
name = "copy"
clients = [{ tree-copy = "pictures", link = { rate = "1Gbit/s", round_trip = "300us" } }]
[reported]
unit = "MiB/s"
"one" = { "first read" = 324, "copy" = 1.5 }
[lab]
scale = 32
motion = 2.5
"#;

/// Returns the scenario of a text that is right.
fn parsed(text: &str) -> arcwright_scenario::Scenario {
    arcwright_scenario::Scenario::parse(text, "good.toml").unwrap()
}

//! `cargo xtask sanitize`: what the compiler cannot see of the lab's `unsafe` code, looked at while it runs.
//!
//! Miri runs the lab's tests that need no library of OpenZFS: the scheduler with its laws, the places of messages,
//! patterns of data. The address and thread sanitizers watch the program itself while the lab's hooks serve real
//! libraries. All three need the nightly toolchain; docs/reliability.md says when they ran and what they found.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;

/// Who watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Watcher {
    /// Miri: undefined behaviour, in tests that need no library.
    Miri,
    /// The address sanitizer: memory that is not one's own, or not any more.
    Address,
    /// The thread sanitizer: data races.
    Thread,
}

/// Tests of the lab that call nothing but Rust.
const PURE: [&str; 4] = ["schedule::", "protocol::", "worker::pattern", "fuse::nvlist"];
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// Reads, writes, and writes that wait, on every kind of vdev that the lab has; and a tree of small files. The disks are
/// small, since the thread sanitizer has no room to map large ones.
const SCENARIO: &str = r#"
title = "Every hook of the lab"
question = "Does a sanitizer find anything?"
[system]
zfs = "2.3.2"
os = "linux"
memory = "1GiB"
cpu = "nas-quad"
[system.pool]
data = [
  { mirror = [{ device = "ssd-sata-consumer", size = "2GiB" }, { device = "ssd-sata-consumer", size = "2GiB" }] },
  { raidz1 = [{ device = "hdd-nas-7200", size = "2GiB" }, { device = "hdd-nas-7200", size = "2GiB" }, { device = "hdd-nas-7200", size = "2GiB" }] },
]
special = [{ mirror = [{ device = "nvme-consumer", size = "2GiB" }, { device = "nvme-consumer", size = "2GiB" }] }]
cache = [{ device = "nvme-consumer", size = "1GiB" }]
log = [{ device = "nvme-plp", size = "1GiB" }]
[[arm]]
name = "as is"
[[file]]
name = "f"
size = "64MiB"
[[file]]
name = "g"
size = "32MiB"
[[tree]]
name = "small"
files = 300
files_per_directory = 30
size_min = "1KiB"
size_max = "200KiB"
[[phase]]
name = "read"
clients = [{ read = "f", io = "64KiB" }, { read = "g", io = "16KiB", pattern = "random", amount = "4MiB" }]
[[phase]]
name = "write"
clients = [{ sync-write = "g", io = "16KiB", depth = 4, amount = "4MiB" }, { write = "f", io = "128KiB", amount = "16MiB" }]
[[phase]]
name = "look"
clients = [{ tree-copy = "small" }]
"#;

pub(crate) fn run(watchers: &[Watcher]) -> anyhow::Result<()> {
    let all = Watcher::value_variants();
    let chosen = if watchers.is_empty() { all } else { watchers };
    chosen.iter().try_for_each(|watcher| match watcher {
        Watcher::Miri => miri(),
        Watcher::Address => in_the_lab("address", ("ASAN_OPTIONS", "detect_leaks=0")),
        Watcher::Thread => in_the_lab("thread", ("TSAN_OPTIONS", "verbosity=1")),
    })
}

fn folder(name: &str) -> PathBuf {
    crate::root().join("target/sanitize").join(name)
}

fn miri() -> anyhow::Result<()> {
    println!("Miri: the lab's tests that need no library");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["+nightly", "miri", "test", "--package", "arcwright-lab", "--lib", "--"])
        .args(PURE)
        .current_dir(crate::root())
        .env("CARGO_TARGET_DIR", folder("miri"))
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .env("PROPTEST_CASES", "4");
    let status = cargo.status().context("failed to start cargo")?;
    ensure!(
        status.success(),
        "Miri found something, or is not there: `rustup +nightly component add miri rust-src` installs it"
    );
    Ok(())
}

/// Builds the program with a sanitizer and runs the scenario on every library.
fn in_the_lab(sanitizer: &str, options: (&str, &str)) -> anyhow::Result<()> {
    println!("{sanitizer} sanitizer: the lab's hooks under every library");
    let target = folder(sanitizer);
    let mut cargo = Command::new("cargo");
    cargo
        .args(["+nightly", "build", "--quiet", "--package", "arcwright", "-Zbuild-std"])
        .args(["--target", TARGET, "--target-dir"])
        .arg(&target)
        .current_dir(crate::root())
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cforce-frame-pointers=yes"));
    ensure!(
        cargo.status()?.success(),
        "the program could not be built with the {sanitizer} sanitizer"
    );
    let program = target.join(TARGET).join("debug/arcwright");
    let scenario = target.join("hooks.toml");
    std::fs::write(&scenario, SCENARIO)?;
    let mut failed = Vec::new();
    let is_library = |name: &&str| !name.starts_with("zfs-fuse");
    for version in arcwright_lab::openzfs::KNOWN.into_iter().filter(is_library) {
        let found = watched((&program, &scenario), version, options)?;
        println!(
            "  OpenZFS {version}: {}",
            if found.is_empty() { "nothing found" } else { &found }
        );
        failed.extend((!found.is_empty()).then_some(version));
    }
    ensure!(
        failed.is_empty(),
        "the {sanitizer} sanitizer found something on {}",
        failed.join(", ")
    );
    Ok(())
}

/// Runs the scenario on a library; returns what the sanitizer reported. Each process writes reports to a file of its own,
/// since the lab keeps what its workers say.
fn watched(
    (program, scenario): (&Path, &Path),
    version: &str,
    (name, value): (&str, &str),
) -> anyhow::Result<String> {
    let reports = tempfile::tempdir()?;
    let path = reports.path().join("report");
    let output = Command::new(program)
        .args(["run", "--engine", "lab", "--openzfs", version])
        .arg(scenario)
        .env("ARCWRIGHT_OPENZFS", crate::root().join("target/openzfs"))
        .env(name, format!("{value}:log_path={}", path.display()))
        .output()
        .context("failed to start the program")?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(reports.path())? {
        let text = std::fs::read_to_string(entry?.path())?;
        found.extend(text.lines().filter(|line| line.starts_with("SUMMARY:")).map(str::to_owned));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() || !found.is_empty(), "the run on {version} failed:\n{said}");
    Ok(found.join("\n"))
}

//! Runs without coverage: the targets that go through the whole program, at its own speed.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};

use super::record::{self, Executed};
use super::targets::Target;
use super::{Places, folder, number_after};

/// Builds the one program of all these targets.
pub(super) fn build() -> anyhow::Result<()> {
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--quiet", "--example", "unguided"])
        .arg("--manifest-path")
        .arg(crate::root().join("fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(folder().join("unguided"))
        .env("RUSTFLAGS", "--cfg=fuzzing")
        .status()
        .context("failed to start cargo")?;
    anyhow::ensure!(status.success(), "failed to build the fuzz targets without coverage");
    Ok(())
}

/// Runs one target for a time, from a seed that is new each time and named when an input fails.
pub(super) fn run(
    target: &Target,
    places: &Places,
    failures: &Path,
    seconds: u32,
) -> anyhow::Result<Executed> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
    let output = Command::new(folder().join("unguided/release/examples/unguided"))
        .args([target.name, &target.bytes_max.to_string()])
        .args([seconds.to_string(), seed.to_string()])
        .arg(failures)
        .arg(places.words.as_deref().unwrap_or(Path::new("/dev/null")))
        .args([&places.found, &places.first, &places.kept])
        .output()
        .context("failed to start; cargo xtask fuzz build --unguided makes the program")?;
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
        bail!("an input failed, of those from seed {seed}; it stands in {}", failures.display());
    }
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let executions = number_after(&told, "executions:").next();
    let executions = executions.context("the target does not say how often it ran")?;
    Ok(Executed {
        name: target.name.to_owned(),
        executions,
        unguided: executions,
        seconds: u64::from(seconds),
        input_bytes_max: target.bytes_max as u64,
        date: record::today(),
        compiler: record::compiler(),
    })
}

//! Runs without coverage: the targets that go through the whole program, at its own speed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow, bail};
use arcwright_fuzz::targets;
use arcwright_fuzz::unguided::{Plan, inputs_of, words_of};

use super::record::{self, Executed};
use super::targets::Target;
use super::{Places, SEED, folder, number_after};

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

/// How much is run: whichever is reached first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub(super) executions: u64,
    pub(super) seconds: u32,
}

/// Runs one target in this program: its first inputs and those that are kept as they are, then the beginning of
/// a sequence of changed ones that is the same each time.
pub(super) fn run_same(
    target: &Target,
    places: &Places,
    failures: PathBuf,
    amount: Amount,
) -> anyhow::Result<Executed> {
    let run = targets::named(target.name);
    let words = places.words.as_ref().map(std::fs::read_to_string).transpose()?;
    let plan = Plan {
        target: run.with_context(|| format!("fuzz/src/targets.rs lacks {}", target.name))?,
        inputs: inputs_of(&[places.first.clone(), places.kept.clone()])?,
        words: words_of(&words.unwrap_or_default()),
        bytes_max: target.bytes_max,
        time: Duration::from_secs(amount.seconds.into()),
        executions_max: amount.executions,
        seed: SEED,
        failures,
    };
    let failed = |path: PathBuf| anyhow!("an input failed; it stands in {}", path.display());
    let executions = plan.run_unchanged().map_err(failed)? + plan.run().map_err(failed)?;
    Ok(Executed {
        name: target.name.to_owned(),
        executions,
        unguided: executions,
        seconds: u64::from(amount.seconds),
        input_bytes_max: target.bytes_max as u64,
        date: record::today(),
        compiler: record::compiler(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arcwright_fuzz::unguided::Plan;

    fn fails_on_letters(bytes: &[u8]) {
        assert!(!bytes.contains(&b'x'), "an x");
    }

    fn plan(inputs: &[&str], words: &[&str], failures: &std::path::Path) -> Plan {
        let bytes = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        Plan {
            target: fails_on_letters,
            inputs: bytes(inputs),
            words: bytes(words),
            bytes_max: 16,
            time: Duration::from_secs(20),
            executions_max: 1000,
            seed: 1,
            failures: failures.to_owned(),
        }
    }

    #[test]
    fn an_input_that_fails_is_found_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(plan(&["1", "2"], &[], folder.path()).run_unchanged(), Ok(2));
        let kept = plan(&["1", "ax"], &[], folder.path()).run_unchanged().unwrap_err();
        assert_eq!(std::fs::read(kept).unwrap(), b"ax");
        let kept = plan(&["1", "2"], &["x"], folder.path()).run().unwrap_err();
        assert!(std::fs::read(kept).unwrap().contains(&b'x'));
    }
}

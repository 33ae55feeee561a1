//! Runs of the lab that are ended at random moments: what they leave behind, and what the next run makes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

const SEED: u64 = 0x5eed_0001;
const SCENARIO: &str = "scenarios/steam-library.toml";
/// How long an end that was asked for may take.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

pub(super) fn run(times: u32, openzfs: &str) -> anyhow::Result<()> {
    let scratch = std::env::temp_dir().join(format!("arcwright-kill-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let result = kill_all(times, openzfs, &scratch);
    fs::remove_dir_all(&scratch).unwrap_or_default();
    result
}

fn kill_all(times: u32, openzfs: &str, scratch: &Path) -> anyhow::Result<()> {
    let begin = Instant::now();
    let clean = finished(openzfs, scratch)?;
    let whole = begin.elapsed();
    anyhow::ensure!(left(scratch)?.is_empty(), "a run that ended left {:?}", left(scratch)?);
    println!("a run takes {:.1} s; seed {SEED:#x}", whole.as_secs_f64());
    let (mut random, mut slowest) = (SEED, Duration::ZERO);
    let signals = ["TERM", "INT", "KILL"].into_iter().cycle();
    for (number, signal) in (0..times).zip(signals) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let share = f64::from(u32::try_from(random >> 40).unwrap_or(0)) / f64::from(1_u32 << 24);
        let child = begun(openzfs, scratch)?;
        std::thread::sleep(whole.mul_f64(share));
        let took = end(child, signal)?;
        slowest = slowest.max(if signal == "KILL" { Duration::ZERO } else { took });
        let left = left(scratch)?;
        // What nobody could tidy up stays until the next run.
        if signal != "KILL" && !left.is_empty() {
            bail!("run {number}, ended by SIG{signal} after {share:.3} of its time, left {left:?}");
        }
        let workers = workers(scratch)?;
        anyhow::ensure!(
            workers.is_empty(),
            "run {number}, SIG{signal}: workers are left: {workers:?}"
        );
    }
    let again = finished(openzfs, scratch)?;
    anyhow::ensure!(again == clean, "the run after all these made another result");
    anyhow::ensure!(left(scratch)?.is_empty(), "the last run left {:?}", left(scratch)?);
    println!(
        "{times} runs were ended at random moments; the slowest end took {:.2} s, nothing is left, and the \
         next run made the same result",
        slowest.as_secs_f64()
    );
    Ok(())
}

fn command(openzfs: &str, scratch: &Path) -> anyhow::Result<Command> {
    let own = std::env::current_exe().context("failed to find this program's own file")?;
    let mut command = Command::new(own.with_file_name("arcwright"));
    command
        .args([
            "run",
            SCENARIO,
            "--engine",
            "lab",
            "--scale",
            "240",
            "--json",
            "--openzfs",
            openzfs,
            "--scratch",
        ])
        .arg(scratch)
        .current_dir(crate::root())
        .stdin(Stdio::null());
    Ok(command)
}

/// Runs to the end, and returns what came out without how long it took.
fn finished(openzfs: &str, scratch: &Path) -> anyhow::Result<String> {
    let output = command(openzfs, scratch)?
        .output()
        .context("failed to start arcwright; cargo build --workspace --bins makes it")?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let timeless = text.lines().filter(|line| !line.contains("wall"));
    Ok(timeless.collect::<Vec<_>>().join("\n"))
}

fn begun(openzfs: &str, scratch: &Path) -> anyhow::Result<Child> {
    let mut command = command(openzfs, scratch)?;
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

/// Sends the signal and waits; returns how long the end took.
fn end(mut child: Child, signal: &str) -> anyhow::Result<Duration> {
    let asked = Instant::now();
    // It may have ended by itself.
    let _sent = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .stderr(Stdio::null())
        .status()?;
    while child.try_wait()?.is_none() {
        if asked.elapsed() > ENDS_WITHIN {
            child.kill()?;
            bail!("SIG{signal} did not end the run within {} s", ENDS_WITHIN.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(asked.elapsed())
}

/// Returns what lies in the folder for the lab's disks.
fn left(scratch: &Path) -> anyhow::Result<BTreeSet<String>> {
    let names = fs::read_dir(scratch)?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.collect())
}

/// Returns processes that still have something open below the folder, or were started for it; those that
/// are just ending are waited for.
fn workers(scratch: &Path) -> anyhow::Result<Vec<String>> {
    const ENDING: Duration = Duration::from_secs(10);
    let begin = Instant::now();
    loop {
        let found = open_below(scratch)?;
        if found.is_empty() || begin.elapsed() > ENDING {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn open_below(scratch: &Path) -> anyhow::Result<Vec<String>> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for process in fs::read_dir("/proc")?.flatten() {
        let number = process.file_name().to_string_lossy().into_owned();
        if number == own || number.parse::<u32>().is_err() {
            continue;
        }
        let handles = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        let is_below = |link: std::path::PathBuf| {
            fs::read_link(link).is_ok_and(|path| path.starts_with(scratch))
        };
        if handles.into_iter().any(|handle| is_below(handle.path())) {
            let told = fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
            found.push(format!("{number} {}", told.replace('\0', " ")));
        }
    }
    Ok(found)
}

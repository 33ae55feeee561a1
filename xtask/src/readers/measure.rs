//! What one run of the program takes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// A run that takes longer is stopped.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time, memory and end of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cost {
    pub(super) seconds: f64,
    /// The most memory that was resident, as the kernel counts it.
    pub(super) peak_mib: u64,
    pub(super) exit: i32,
}

/// Runs the program. Its peak is read again and again while it runs: it only rises, and the last reading
/// is at most a millisecond old.
pub(super) fn measure(program: &Path, arguments: &[&str]) -> anyhow::Result<Cost> {
    let begin = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("failed to start the program")?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    loop {
        if let Some(end) = child.try_wait()? {
            let seconds = begin.elapsed().as_secs_f64();
            let exit = end.code().unwrap_or(-1);
            return Ok(Cost { seconds, peak_mib: peak_kib / 1024, exit });
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        peak_kib = peak_kib.max(kib.unwrap_or_default());
        if begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("{} ran for over {} s", arguments.join(" "), PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

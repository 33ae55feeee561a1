//! What the system says of a process.

use anyhow::Context as _;

/// Returns a row of a process's status, in KiB.
pub(crate) fn status_kib(pid: u32, name: &str) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find(|line| line.starts_with(name));
    let word = line.and_then(|line| line.split_whitespace().nth(1));
    word.and_then(|word| word.parse().ok()).with_context(|| format!("no {name} of process {pid}"))
}

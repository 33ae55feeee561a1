//! `xtask drives`: the disk model against measured drives, as a table.
//!
//! `traces/README.md` says what the traces are. The arithmetic is the device crate's.

use std::path::Path;

use anyhow::{Context as _, bail};
use arcwright_device::validation::{MeasuredDrive, compare, measured_drives, parse_trace};

/// The project's aim: at most this many times `DiskSim`'s demerit figure.
const AIM: f64 = 1.5;

/// Prints measured and modelled service times of each drive.
pub(crate) fn run() -> anyhow::Result<()> {
    let directory = crate::peers::in_repository();
    let mut lines = Vec::new();
    for drive in measured_drives() {
        let path = directory.join(drive.trace_file);
        lines.push(row(drive, &path)?);
    }
    print(&lines);
    Ok(())
}

fn row(drive: &MeasuredDrive, path: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("failed to read {}", path.display()))?;
    let (trace, bad) = parse_trace(&text);
    if bad > 0 || trace.is_empty() {
        bail!("{}: {bad} lines are no requests, {} are", path.display(), trace.len());
    }
    let figures = compare(&drive.profile()?, &trace);
    let is_within = figures.demerit_ms <= AIM * drive.disksim_demerit_ms;
    Ok(format!(
        "{:<10} {:>8} {:>9.3} ms {:>9.3} ms {:>9.3} ms {:>9.3} ms  {}",
        drive.name,
        figures.requests,
        figures.measured_ms,
        figures.modelled_ms,
        figures.demerit_ms,
        drive.disksim_demerit_ms,
        if is_within { "within" } else { "beyond" },
    ))
}

#[expect(clippy::print_stdout, reason = "the table is what this command is for")]
fn print(lines: &[String]) {
    println!("Service times of measured drives and of the disk model; demerit is the root mean");
    println!("square distance of the two distributions. Overheads are fitted to these traces.");
    println!();
    println!(
        "{:<10} {:>8} {:>12} {:>12} {:>12} {:>12}  {AIM} x DiskSim",
        "drive", "requests", "measured", "model", "demerit", "DiskSim's"
    );
    for line in lines {
        println!("{line}");
    }
}

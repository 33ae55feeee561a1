//! Programs of the host: run one, and say its last words when it fails.

use std::process::Command;

use anyhow::{Context as _, bail};

/// Lines of a failed program that are shown.
const LAST_LINES: usize = 8;

/// Runs a program to its end and returns what it printed.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.env("LC_ALL", "C").output();
    let output = output.with_context(|| format!("failed to start {name}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let both = [output.stdout, output.stderr].concat();
    bail!("{name} failed:\n{}", last_lines(&String::from_utf8_lossy(&both)))
}

/// Runs a program to its end; what it says goes where ours goes.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("failed to start {name}"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(())
}

/// Returns the last lines of a text, indented.
pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
    last.iter().map(|line| format!("    {line}\n")).collect()
}

/// Fails with a word about what to install when a program is not there.
pub(super) fn need(program: &str, package: &str) -> anyhow::Result<()> {
    output(Command::new(program).arg("--version")).map(|_| ()).with_context(|| {
        format!("the guest needs {program}; on Debian 12: apt-get install {package}")
    })
}

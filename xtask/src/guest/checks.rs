//! `cargo xtask guest check`: all of `vm/checks` in a guest of each version.
//!
//! ```text
//!   first boot    NAME.sh, in order of names
//!   second boot   NAME.reboot.sh, where there are any: same drives, same /etc and /var
//! ```
//!
//! A script passes with exit code 0, is skipped with 77 (its last line says why), else fails.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail};

use super::boot::Guest;
use super::{cases, run};
use crate::parallel;

/// Seconds that one boot with its checks may take, beside as many others as there are cores.
const LIMIT: u64 = 900;
const LAYOUT: &str = "fast";
const AFTER_REBOOT: &str = ".reboot.sh";

pub(super) fn check(versions: &[String], only: &str) -> anyhow::Result<()> {
    let scripts = scripts(only)?;
    if scripts.is_empty() {
        bail!("vm/checks has no script whose name holds “{only}”");
    }
    let guests = versions.iter().map(|version| guest(version)).collect::<Result<Vec<_>, _>>()?;
    let of_version: Vec<(&String, Guest)> = versions.iter().zip(guests).collect();
    // Each emulates one processor, and builds nothing any more.
    run::program()?;
    let found = parallel::map(&of_version, |(version, guest)| {
        let found = checked(guest, version, &scripts);
        if let Ok(Checked { text, .. }) = &found {
            print!("OpenZFS {version}:\n{text}");
        }
        found
    });
    let mut failed = Vec::new();
    for found in found {
        failed.extend(found?.failed);
    }
    match failed.len() {
        0 => Ok(()),
        count => bail!("{count} checks failed: {}", failed.join(", ")),
    }
}

/// Returns a guest of a version with drives that hold nothing.
fn guest(version: &str) -> anyhow::Result<Guest> {
    let folder = run::scratch(&format!("check-{version}"));
    let _gone = fs::remove_dir_all(&folder);
    Ok(Guest { loud: false, ..run::guest(version, LAYOUT, folder, LIMIT)? })
}

/// What came of the checks in one guest: their names where they failed, and lines for people.
#[derive(Debug, Default)]
struct Checked {
    failed: Vec<String>,
    text: String,
}

/// Runs all checks in one guest.
fn checked(guest: &Guest, version: &str, scripts: &[PathBuf]) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    let (later, first): (Vec<_>, Vec<_>) =
        scripts.iter().cloned().partition(|path| is_after_reboot(path));
    for scripts in [first, later] {
        boot(guest, version, &scripts, &mut checked)?;
    }
    if checked.failed.is_empty() {
        fs::remove_dir_all(&guest.folder)?;
    }
    Ok(checked)
}

fn scripts(only: &str) -> anyhow::Result<Vec<PathBuf>> {
    let folder = crate::root().join("vm/checks");
    let mut scripts = Vec::new();
    for entry in fs::read_dir(&folder).context("there is no folder vm/checks")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".sh") && name.contains(only) {
            scripts.push(path);
        }
    }
    scripts.sort();
    Ok(scripts)
}

fn is_after_reboot(path: &std::path::Path) -> bool {
    path.to_string_lossy().ends_with(AFTER_REBOOT)
}

/// Boots once for `scripts` and adds what came of them.
fn boot(
    guest: &Guest,
    version: &str,
    scripts: &[PathBuf],
    checked: &mut Checked,
) -> anyhow::Result<()> {
    if scripts.is_empty() {
        return Ok(());
    }
    let vm = crate::root().join("vm");
    let job = run::begin(guest)?;
    job.add(&vm.join("suite.sh"), "run")?;
    job.add_text(&format!("{version}\n"), "version")?;
    job.add(&cases::parameters_of(version), "parameters.txt")?;
    job.add(&crate::root().join("scenarios/steam-library.toml"), "steam-library.toml")?;
    for script in scripts {
        let name = script.file_name().unwrap_or_default().to_string_lossy();
        job.add(script, &format!("checks/{name}"))?;
    }
    let answer = guest.run(&job)?;
    let table =
        fs::read_to_string(answer.out.join("results")).context("the suite left no results")?;
    let results: Vec<CheckResult> = table.lines().filter_map(CheckResult::parse).collect();
    if results.len() != scripts.len() {
        bail!(
            "{} of {} checks were run; see {}",
            results.len(),
            scripts.len(),
            guest.folder.display()
        );
    }
    for result in &results {
        checked.text.extend(["  ", &result.line(), "\n"]);
        if result.code != 0 && result.code != SKIPPED {
            let log = fs::read_to_string(answer.out.join(format!("{}.log", result.name)));
            checked.text.push_str(&indented(&log.unwrap_or_default()));
            checked.failed.push(format!("{} on {version}", result.name));
        }
    }
    Ok(())
}

/// How a script says that it was skipped.
const SKIPPED: i32 = 77;

/// A line of the suite's results: name, exit code, seconds, last line, by tabs.
#[derive(Debug, PartialEq, Eq)]
struct CheckResult {
    name: String,
    code: i32,
    seconds: String,
    last: String,
}

impl CheckResult {
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.splitn(4, '\t').map(str::to_owned);
        let (name, code) = (parts.next()?, parts.next()?.parse().ok()?);
        Some(Self { name, code, seconds: parts.next()?, last: parts.next()? })
    }

    fn line(&self) -> String {
        let Self { name, seconds, last, .. } = self;
        match self.code {
            0 => format!("passed   {name} ({seconds} s)"),
            SKIPPED => format!("SKIPPED  {name}: {last}"),
            code => format!("FAILED   {name} ({seconds} s, exit code {code}):"),
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("      {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::CheckResult;

    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(CheckResult::parse(line).map(|result| result.line()).as_deref(), expected);
    }

    #[test]
    fn a_result_is_told_by_its_code() {
        check("pool\t0\t3\tfine", Some("passed   pool (3 s)"));
        check("pool\t77\t3\tno disk", Some("SKIPPED  pool: no disk"));
        check("pool\t1\t3\t", Some("FAILED   pool (3 s, exit code 1):"));
        check("pool\tx\t3\t", None);
        check("pool\t0", None);
    }
}

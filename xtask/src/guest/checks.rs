//! `cargo xtask guest check`: all of `vm/checks` in a guest of each version.
//!
//! ```text
//!   first boot    NAME.sh, in order of names
//!   second boot   NAME.reboot.sh, where there are any: same drives, same /etc and /var
//!   another guest NAME.sh with a line `# needs: bpftrace`: more memory, drives of its own
//! ```
//!
//! A script passes with exit code 0, is skipped with 77 (its last line says why), else fails. One that takes
//! long names a version, `# on: 2.3.2`, and is run on that one alone, unless it is asked for.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail};

use super::boot::Guest;
use super::{added, cases, run};
use crate::parallel;

/// Seconds that one boot with its checks may take, beside as many others as there are cores.
const LIMIT: u64 = 1200;
const LAYOUT: &str = "fast";
/// The line of a check that needs `bpftrace`.
const NEEDS_TRACER: &str = "# needs: bpftrace";
const AFTER_REBOOT: &str = ".reboot.sh";

pub(super) fn check(versions: &[String], only: &str, every: bool) -> anyhow::Result<()> {
    let scripts = scripts(only)?;
    let every = every || !only.is_empty();
    if scripts.is_empty() {
        bail!("vm/checks has no script whose name holds “{only}”");
    }
    let of_version = versions.iter().map(|version| Ok((version, guest(version, LAYOUT)?)));
    let of_version: Vec<(&String, Guest)> = of_version.collect::<anyhow::Result<_>>()?;
    // Each emulates one processor, and builds nothing any more.
    run::program()?;
    let found = parallel::map(&of_version, |(version, guest)| {
        let found = checked(guest, version, &scripts, every);
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
fn guest(version: &str, layout: &str) -> anyhow::Result<Guest> {
    let name = match layout {
        LAYOUT => format!("check-{version}"),
        other => format!("check-{version}-{other}"),
    };
    let folder = run::scratch(&name);
    let _gone = fs::remove_dir_all(&folder);
    Ok(Guest { loud: false, ..run::guest(version, layout, folder, LIMIT)? })
}

/// What came of the checks in one guest: their names where they failed, and lines for people.
#[derive(Debug, Default)]
struct Checked {
    failed: Vec<String>,
    text: String,
}

/// Runs the checks in one guest: every one, or those that are not for another version alone.
fn checked(
    guest: &Guest,
    version: &str,
    scripts: &[Script],
    every: bool,
) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    let (run, left): (Vec<&Script>, Vec<&Script>) = scripts
        .iter()
        .partition(|script| every || script.on.as_ref().is_none_or(|on| on == version));
    let (traced, run): (Vec<&Script>, Vec<&Script>) =
        run.into_iter().partition(|script| script.is_traced);
    let (later, first): (Vec<PathBuf>, Vec<PathBuf>) =
        run.iter().map(|script| script.path.clone()).partition(|path| is_after_reboot(path));
    for scripts in [first, later] {
        boot(guest, version, &scripts, &mut checked)?;
    }
    if !traced.is_empty() {
        let guest = self::guest(version, added::TRACED)?;
        let scripts: Vec<PathBuf> = traced.iter().map(|script| script.path.clone()).collect();
        boot(&guest, version, &scripts, &mut checked)?;
        if checked.failed.is_empty() {
            fs::remove_dir_all(&guest.folder)?;
        }
    }
    for Script { path, on, .. } in left {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let on = on.as_deref().unwrap_or_default();
        let line = format!(
            "  SKIPPED  {name} on {version}: it takes long, and runs on {on} alone; --every runs it\n"
        );
        checked.text.push_str(&line);
    }
    if checked.failed.is_empty() {
        fs::remove_dir_all(&guest.folder)?;
    }
    Ok(checked)
}

/// A check of `vm/checks`.
#[derive(Debug)]
struct Script {
    path: PathBuf,
    /// The only version on which it runs unless it is asked for.
    on: Option<String>,
    /// Whether it needs `bpftrace`, and so a guest of its own.
    is_traced: bool,
}

/// Reads the line `# on: VERSION`.
fn only_on(script: &str) -> Option<String> {
    let line = script.lines().find_map(|line| line.strip_prefix("# on:"))?;
    Some(line.trim().to_owned())
}

fn scripts(only: &str) -> anyhow::Result<Vec<Script>> {
    let folder = crate::root().join("vm/checks");
    let mut scripts = Vec::new();
    for entry in fs::read_dir(&folder).context("there is no folder vm/checks")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".sh") && name.contains(only) {
            let text = fs::read_to_string(&path)?;
            let is_traced = text.lines().any(|line| line == NEEDS_TRACER);
            scripts.push(Script { path, on: only_on(&text), is_traced });
        }
    }
    scripts.sort_by(|one, other| one.path.cmp(&other.path));
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
    use super::{CheckResult, only_on};

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

    #[test]
    fn a_long_check_names_its_version() {
        assert_eq!(only_on("# What it is.\n# on: 2.3.2\n. ./lib.sh\n").as_deref(), Some("2.3.2"));
        assert_eq!(only_on("# What it is.\n. ./lib.sh\n"), None);
    }
}

//! The packages in fresh Debian systems: installed, used, removed; and the program on a read-only one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use super::foreign;
use crate::guest::program::output;
use crate::parallel;
use crate::systems::{self, Suite, System};

/// The systems in which the packages must work.
const SUITES: [Suite; 2] = [
    Suite { name: "bookworm", packages: "bash-completion,man-db,mount" },
    Suite { name: "trixie", packages: "bash-completion,fish,zsh,man-db,mount,lintian,rpm" },
];
/// What is done in each, from `packaging/check`.
const SCRIPTS: [&str; 3] = ["install.sh", "lab.sh", "read-only.sh"];
/// What is done besides where these packages are there: Debian's judge of packages, and RPM.
const WITH_MORE: [(&str, &str); 2] = [("lintian", "lintian.sh"), ("rpm", "rpm.sh")];
/// Units that are given away.
const UNITS: [&str; 5] = [
    "arcwright-doctor.service",
    "arcwright-metrics.service",
    "arcwright-record.service",
    "arcwright-serve.service",
    "arcwright-textfile.service",
];
/// How much of the system a unit may reach, in tenths, as `systemd-analyze security` counts: 2.0.
const EXPOSURE_MAX: &str = "20";
/// A machine to be judged.
const CAPTURE: &str = "fixtures/machines/guest-2.1.11-l2arc-idle.txt";

/// Runs every check on what is in `folder`.
pub(super) fn run(folder: &Path) -> anyhow::Result<()> {
    let capture = crate::root().join(CAPTURE);
    foreign::run(folder, &capture)?;
    UNITS.into_iter().try_for_each(unit)?;
    if !systems::are_possible() {
        println!("SKIPPED  packages in fresh systems: only root may change the root of a process");
        return Ok(());
    }
    let files = files(folder, &capture)?;
    let archives = SUITES.iter().map(|suite| suite.archive()).collect::<Result<Vec<_>, _>>()?;
    let systems: Vec<(Suite, PathBuf)> = SUITES.into_iter().zip(archives).collect();
    parallel::map(&systems, |(suite, archive)| {
        let place = folder.join(format!("system-{}", suite.name));
        let has = |package: &str| suite.packages.split(',').any(|it| it == package);
        let more = WITH_MORE.into_iter().filter(|(package, _)| has(package));
        for script in SCRIPTS.into_iter().chain(more.map(|(_, script)| script)) {
            let said = System::fresh(archive, &place, &files)?.run(script, &[])?;
            print!("== Debian {}: {script}\n{said}", suite.name);
        }
        fs::remove_dir_all(place).context("failed to remove the last system")
    })
    .into_iter()
    .collect()
}

/// Lets systemd judge a unit, where it is on this machine.
fn unit(name: &str) -> anyhow::Result<()> {
    let mut judge = Command::new("systemd-analyze");
    judge.args(["security", "--offline=true", "--no-pager", "--threshold", EXPOSURE_MAX]);
    judge.arg(crate::root().join("packaging/systemd").join(name));
    match output(&mut judge) {
        Ok(said) => println!("ok: {}", said.trim().lines().next_back().unwrap_or_default()),
        Err(error) if error.to_string().contains("failed to start") => {
            println!("SKIPPED  the judge of {name}: systemd-analyze is not on this machine");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Returns what the scripts find in /srv.
fn files(folder: &Path, capture: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        [".x86_64.rpm", "_amd64.deb", "-x86_64-unknown-linux-musl.tar.gz"]
            .iter()
            .any(|ending| name.ends_with(ending))
    });
    if files.len() < 4 {
        bail!("{} lacks packages: run cargo xtask dist --target x86_64 first", folder.display());
    }
    let scripts = fs::read_dir(crate::root().join("packaging/check"))?;
    files.extend(scripts.filter_map(|entry| Some(entry.ok()?.path())));
    let copy = folder.join("capture.txt");
    fs::copy(capture, &copy)?;
    files.push(copy);
    Ok(files)
}

//! Scenarios of one arm in the lab, and what its counters say of each phase.

use std::fmt::Write as _;

use anyhow::Context as _;
use arcwright_scenario::{DeviceRun, Engine as _, PhaseRun, RunRequest, Scenario, Unwatched};

/// A disk that takes no time.
pub(super) const INSTANT: &str = "{ device = \"instant\", size = \"32GiB\" }";
/// Ends a walk of a tree when its root is open and no file was looked at.
pub(super) const ROOT_ALONE: &str = "1us";
/// Ends a walk of a tree behind its first file, with [`ONE_FILE`].
const BEFORE_SECOND_FILE: &str = "500ms";
/// A walk that looks at one file and then waits.
const ONE_FILE: &str = ", pattern = \"random\", think = \"1s\"";

/// A scenario of one arm.
pub(super) struct Setup<'a> {
    pub(super) disk: &'a str,
    /// Power of two of a sector: 9 shows what blocks take most finely.
    pub(super) ashift: u8,
    pub(super) record: &'a str,
    /// Its files and trees.
    pub(super) contents: String,
    pub(super) phases: Vec<Phase>,
}

pub(super) struct Phase {
    clients: String,
    limit: Option<&'static str>,
}

impl Phase {
    pub(super) fn of(clients: String) -> Self {
        Self { clients, limit: None }
    }

    /// Walks a tree until its end, or until a limit.
    pub(super) fn stat(tree: &str, limit: Option<&'static str>) -> Self {
        Self { clients: format!("{{ tree-stat = \"{tree}\" }}"), limit }
    }

    /// Looks at one file of a tree, another one in every phase.
    pub(super) fn stat_one(tree: &str) -> Self {
        let clients = format!("{{ tree-stat = \"{tree}\"{ONE_FILE} }}");
        Self { clients, limit: Some(BEFORE_SECOND_FILE) }
    }
}

/// Returns a file as a scenario has it.
pub(super) fn file(name: &str, size: &str) -> String {
    format!("[[file]]\nname = \"{name}\"\nsize = \"{size}\"\n")
}

/// Returns a tree of files of one sector.
pub(super) fn tree(name: &str, files: u64, per_directory: u64) -> String {
    format!(
        "[[tree]]\nname = \"{name}\"\nfiles = {files}\nfiles_per_directory = {per_directory}\n\
         size_min = \"512B\"\nsize_max = \"512B\"\n"
    )
}

/// The counters of a phase: how far each went.
pub(super) struct Reading(PhaseRun);

impl Reading {
    /// Returns how far a row of `arcstats` went.
    pub(super) fn arc(&self, row: &str) -> anyhow::Result<f64> {
        self.row("arcstats", row)
    }

    pub(super) fn row(&self, kstat: &str, row: &str) -> anyhow::Result<f64> {
        let value = self.0.kstats.get(kstat).and_then(|rows| rows.get(row));
        let value = value.with_context(|| format!("the library has no {row} in {kstat}"))?;
        Ok(*value as f64)
    }

    /// Returns what the only disk did.
    pub(super) fn disk(&self) -> anyhow::Result<&DeviceRun> {
        self.0.devices.first().context("the run has no disk")
    }
}

/// Runs a scenario in the lab; the counters of its phases.
pub(super) fn run(version: &str, setup: &Setup<'_>) -> anyhow::Result<Vec<Reading>> {
    let text = text(version, setup);
    let scenario = Scenario::parse(&text, "sizes").context("no scenario")?;
    let mut lab = crate::lab(version)?;
    let outcome = lab.run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched)?;
    let phases = outcome.arms.into_iter().flat_map(|arm| arm.phases);
    Ok(phases.map(Reading).collect())
}

fn text(version: &str, setup: &Setup<'_>) -> String {
    let Setup { disk, ashift, record, contents, phases } = setup;
    let mut text = format!(
        "title = \"sizes\"\nquestion = \"What do blocks and groups take?\"\n[system]\nzfs = \"{version}\"\n\
         os = \"linux\"\nmemory = \"2GiB\"\n[system.pool]\ndata = [{disk}]\nrecordsize = \"{record}\"\n\
         ashift = {ashift}\n[system.tunables]\nzfs_arc_max = \"1GiB\"\n[[arm]]\nname = \"a\"\n{contents}\
         [lab]\nscale = 1\n"
    );
    for (number, Phase { clients, limit }) in phases.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "[[phase]]\nname = \"{number}\"\nclients = [{clients}]");
        let _ = limit.map(|limit| writeln!(text, "limit = \"{limit}\""));
    }
    text
}

//! The project's own chores, run as `cargo xtask`.
#![expect(clippy::print_stdout, reason = "a program for developers that talks to them")]

mod bench;
mod costs;
mod crash;
mod curves;
mod demo;
mod deny;
mod dist;
mod drives;
mod effect;
mod fidelity;
mod figures;
mod fuzz;
mod gallery;
mod guest;
mod lab_records;
mod machines;
mod metrics;
mod overhead;
mod parallel;
mod peers;
mod process;
mod programs;
mod python;
mod readers;
mod reference;
mod replays;
mod same;
mod sanitize;
mod scaling;
mod scoreboard;
mod site;
mod soak;
mod systems;
mod tidy;
mod twins;
mod web;

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Check the rules of the house that no compiler knows.
    Tidy {
        /// Print the list of places that do not keep a rule yet, as it is today.
        #[arg(long)]
        debts: bool,
    },
    /// Hold the dependencies' licences, sources and versions against deny.toml.
    Deny,
    /// Make what is given away: programs, archives, packages, bills of materials; into target/dist.
    Dist(dist::Options),
    /// Build the program in fresh Debian 12 and 13 systems that have only what README names, and run it.
    Fresh,
    /// Bring the OpenZFS libraries into target/openzfs, without root and without installing.
    Openzfs {
        /// Versions to bring; all that are known when none is named.
        versions: Vec<String>,
    },
    /// Hold the disk model against measured drives.
    Drives,
    /// Measure what the emulation costs, against the bare library, in one run.
    Overhead {
        /// Library: 2.1.11, 2.3.2 or a path.
        #[arg(long, default_value = "2.1.11")]
        openzfs: String,
        /// How often each is measured, in turns.
        #[arg(long, default_value_t = 3)]
        turns: u32,
    },
    /// Hold the model against the lab: run it on the recorded cases and write the board.
    Fidelity {
        /// Run the lab first, on the cases whose name holds this text; all when it is empty.
        #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
        record: Option<String>,
        /// Of these, only the cases that the lab of today has not recorded yet.
        #[arg(long, requires = "record")]
        missing: bool,
        /// Only show the cases whose name holds this text, phase by phase, and write nothing.
        #[arg(long, value_name = "TEXT")]
        show: Option<String>,
    },
    /// See whether known loads are found again in their counters, and write the page.
    Twins(twins::Options),
    /// Hold miss-ratio curves against the lab, size by size.
    Curves(curves::Options),
    /// Hold what changes bring under traces against the lab, and write the page.
    Replays(replays::Options),
    /// Record the run of the lab that arcwright serve --demo plays.
    Demo,
    /// Hold the model against published measurements of real machines, and write the page.
    Machines {
        /// Only print the tables of the machines whose name holds this text, and write nothing.
        #[arg(long, value_name = "TEXT")]
        show: Option<String>,
    },
    /// Measure and fit how much work the processor does, on disks that take no time.
    #[command(subcommand)]
    Costs(costs::Verb),
    /// Hold the textbook policies against libCacheSim and the ARC paper, on public traces.
    Peers(peers::Options),
    /// Measure how fast the model is, side by side with a peer and with what the memory allows.
    Bench(bench::Options),
    /// Let writers crash on the real OpenZFS, and see what of their writes is left.
    Crash {
        /// Scenario with a client that writes.
        scenario: PathBuf,
        /// Library: 2.1.11 or 2.3.2.
        #[arg(long, default_value = "2.3.2")]
        openzfs: String,
        /// How many moments of a crash.
        #[arg(long, default_value_t = 3)]
        seeds: u64,
    },
    /// Measure what 16 MB of anything cost the readers, in time and memory.
    Readers(readers::Options),
    /// Let promtool, a Python parser and node_exporter read metrics and alert rules; or measure scrapes.
    Metrics(metrics::Options),
    /// Write the pages that are made from data: docs/reference.
    Reference,
    /// Hold figures in README and the guides against the runs that they name, and write their blocks.
    Figures(figures::Options),
    /// Hold the model against what it did before, to the last digit.
    Same(same::Options),
    /// Measure what scaling changes, on the gallery's scenarios, and write the page.
    Scaling,
    /// Hold doctor against texts whose right answer is known, and write the page.
    Scoreboard {
        /// Only print what is said of the cases whose name holds this text, and write nothing.
        #[arg(long, value_name = "TEXT")]
        show: Option<String>,
    },
    /// The real OpenZFS kernel module in an emulated machine: build it, run scripts, check.
    #[command(subcommand)]
    Guest(guest::Verb),
    /// Coverage-guided fuzzing of what reads pasted text and captures: build the targets, run them.
    #[command(subcommand)]
    Fuzz(fuzz::Verb),
    /// Look for growth over hours, and for what runs leave behind that are killed.
    #[command(subcommand)]
    Soak(soak::Verb),
    /// Miri, the address and the thread sanitizer over the lab; they need the nightly toolchain.
    Sanitize {
        /// Which; all when none is named.
        watchers: Vec<sanitize::Watcher>,
    },
    /// Build the browser page into target/page; with --check test it as well.
    Web(web::Options),
    /// Build the site of guides, stories and model pages into target/site/html; with --check look at it as well.
    Site(web::Options),
    /// Build the wheel of the Python package into target/wheels; with --check test it as well.
    Python(python::Options),
    /// One run of the lab; started by the lab itself.
    #[command(hide = true)]
    LabWorker,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().chore {
        Chore::Tidy { debts: false } => tidy::run(),
        Chore::Tidy { debts: true } => tidy::print_debts(),
        Chore::Deny => deny::run(),
        Chore::Fresh => systems::build(),
        Chore::Sanitize { watchers } => sanitize::run(&watchers),
        Chore::Dist(options) => dist::run(&options),
        Chore::Openzfs { versions } => openzfs(&versions),
        Chore::Drives => drives::run(),
        Chore::Overhead { openzfs, turns } => overhead::run(&openzfs, turns),
        Chore::Fidelity { record, missing, show } => {
            let wanted = record.map(|text| fidelity::Chosen { text, only_missing: missing });
            fidelity::run(wanted.as_ref(), show.as_deref())
        }
        Chore::Machines { show } => machines::run(show.as_deref()),
        Chore::Twins(options) => twins::run(&options),
        Chore::Curves(options) => curves::run(&options),
        Chore::Replays(options) => replays::run(&options),
        Chore::Demo => demo::run(),
        Chore::Costs(verb) => costs::run(verb),
        Chore::Peers(options) => peers::run(&options),
        Chore::Bench(options) => bench::run(&options),
        Chore::Crash { scenario, openzfs, seeds } => crash::run(&openzfs, &scenario, seeds),
        Chore::Readers(options) => readers::run(&options),
        Chore::Metrics(options) => metrics::run(&options),
        Chore::Reference => reference::run(),
        Chore::Figures(options) => figures::run(&options),
        Chore::Same(options) => same::run(&options),
        Chore::Scaling => scaling::run(),
        Chore::Scoreboard { show } => scoreboard::run(show.as_deref()),
        Chore::Guest(verb) => guest::run(&verb),
        Chore::Fuzz(verb) => fuzz::run(&verb),
        Chore::Soak(verb) => soak::run(&verb),
        Chore::Web(options) => web::run(&options),
        Chore::Site(options) => site::run(&options),
        Chore::Python(options) => python::run(&options),
        Chore::LabWorker => match arcwright_lab::worker::main() {
            0 => Ok(()),
            code => Err(anyhow::anyhow!("the worker ended with {code}")),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns where cargo builds.
fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| root().join("target"))
}

/// A lab with this version of the libraries; this very program is its worker.
fn lab(openzfs: &str) -> anyhow::Result<arcwright_lab::Lab> {
    let file = std::env::current_exe().context("failed to find this program's own file")?;
    let worker = arcwright_lab::WorkerProgram { file, arguments: vec!["lab-worker".to_owned()] };
    let options =
        arcwright_lab::Options { openzfs: Some(openzfs.to_owned()), scratch: None, worker };
    Ok(arcwright_lab::Lab::new(options))
}

fn openzfs(versions: &[String]) -> anyhow::Result<()> {
    let root = root().join("target/openzfs");
    let known = arcwright_lab::openzfs::KNOWN.map(str::to_owned);
    let versions = if versions.is_empty() { &known } else { versions };
    for version in versions {
        let library = arcwright_lab::openzfs::fetch(version, &root, &mut |line| println!("{line}"))
            .with_context(|| format!("failed to bring OpenZFS {version}"))?;
        println!("OpenZFS {}: {}", library.version, library.libzpool.display());
    }
    Ok(())
}

/// Returns the folder of the workspace.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.clone(), std::path::Path::to_path_buf)
}

/// Returns where a link leads that stands in a file of `folder`.
fn joined(folder: &Path, link: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for part in Path::new(link.split('#').next().unwrap_or(link)).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn every_chore_can_be_asked_for() {
        super::Arguments::command().debug_assert();
    }
}

//! `cargo xtask costs`: how much work the processor does, counted in lock operations, by the lab.
//!
//! ```text
//!   experiments on disks that take no time ──record──> fidelity/costs/lab.jsonl ──show──> lab beside model
//!                                                                               └─fit──> counts of the model
//!   sizes of blocks and groups ──sizes──> fidelity/costs/sizes.csv
//! ```
//!
//! Disks that take no time leave nothing but that work: cold and cached reads, writes with and without waiting for
//! a log device, groups and evictions beside their clients on two cores, and trees. None of them is a case of the
//! fidelity board.

mod experiments;
mod fit;
mod record;
mod sizes;
mod table;

use arcwright_model::{LockOps, Model};
use clap::Subcommand;

use experiments::Experiment;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Measure the experiments in the lab, with a library.
    Record {
        /// Libraries; all that the lab knows when none is named.
        openzfs: Vec<String>,
        /// Only those whose name begins so; of the others stays what the file has.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Fit the counts to what was recorded, and write them to the model and its page.
    Fit,
    /// Measure in the lab what blocks, structures in memory and groups take, and write it beside the constants.
    Sizes,
    /// Print what was recorded beside the model of today.
    Show {
        /// Library.
        #[arg(default_value = "2.3.2")]
        openzfs: String,
    },
}

pub(crate) fn run(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Record { openzfs, only } => {
            let known = libraries();
            let versions = if openzfs.is_empty() { &known } else { &openzfs };
            versions.iter().try_for_each(|version| {
                println!("OpenZFS {version}");
                record::record(version, &only)
            })
        }
        Verb::Fit => fit::fit(),
        Verb::Sizes => sizes::measure(&libraries()),
        Verb::Show { openzfs } => show(&openzfs),
    }
}

/// Returns what the lab knows, but for the old daemon, which has experiments of its own.
fn libraries() -> Vec<String> {
    let is_library = |name: &&str| !name.starts_with("zfs-fuse");
    let known = arcwright_lab::openzfs::KNOWN.into_iter().filter(is_library);
    known.map(str::to_owned).collect()
}

/// Runs an experiment in the model; the figure of each phase that is measured, by its name.
fn model(
    experiment: &Experiment,
    version: &str,
    counts: LockOps,
) -> anyhow::Result<Vec<(String, f64)>> {
    let mut model =
        Model { scale: Some(1), user_space: true, lock_ops: Some(counts), ..Model::default() };
    experiment.measure(version, &mut model)
}

/// Prints every figure of a library: the lab, the model, how far the model is off.
fn show(version: &str) -> anyhow::Result<()> {
    println!("OpenZFS {version}, disks that take no time, in microseconds: lab, model, difference");
    for row in fit::residuals(version, LockOps::of(Some(version)))? {
        let [lab, model] = [row.lab, row.model].map(|nanos| nanos / 1000.0);
        let name = format!("{}, {}", row.experiment, row.phase);
        println!("{name:<72} {lab:>12.1} {model:>12.1} {:>+6.1} %", row.error() * 100.0);
    }
    Ok(())
}

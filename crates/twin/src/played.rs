//! A machine with a recorded trace in the place of the load that its counters tell.

use arcwright_machine::{Dataset, Machine};
use arcwright_scenario::trace_phases;
use arcwright_units::{Bytes, visible};

use crate::hardware::Hardware;
use crate::load::size;
use crate::plan::Plan;
use crate::{TwinError, pool_of, text};

/// The record size of a dataset of which nothing else is said.
const RECORD: Bytes = Bytes::kib(128);
/// Datasets whose record size is said.
const DATASETS_MAX: usize = 200;

/// A machine under a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The scenario file.
    pub text: String,
    /// What the machine has and the scenario does not say.
    pub left_out: Vec<String>,
}

/// Returns a machine with one of its pools, on which a trace is played that touches so much; the file calls it `path`.
///
/// # Errors
/// [`TwinError`] says what of the machine is missing, and what shows it.
pub fn played(
    machine: &Machine,
    pool: Option<&str>,
    (path, touched): (&str, Bytes),
) -> Result<Played, TwinError> {
    let pool = pool_of(machine, pool)?;
    let hardware = Hardware::of(machine, pool)?;
    let (fill, played) = (hardware.fill_beside(touched), Some(path.to_owned()));
    let plan = Plan { fill, played, ..Plan::default() };
    let head = [
        vec![
            "The machine as it was captured, with a recorded trace in the place of its load."
                .to_owned(),
        ],
        vec![format!("The trace, {}, touches {touched}.", visible(path))],
    ];
    let (recordsizes, mut left_out) = recordsizes(machine, &pool.name);
    let text = text::file(&hardware, &plan, &head) + &trace_phases(path, &recordsizes);
    left_out.splice(0..0, hardware.left_out);
    Ok(Played { text, left_out })
}

/// Returns the datasets of a pool whose records are not of the usual size, and what of them is left out.
fn recordsizes(machine: &Machine, pool: &str) -> (Vec<(String, Bytes)>, Vec<String>) {
    let below = format!("{pool}/");
    let is_ours = |name: &str| name == pool || name.starts_with(&below);
    let record = |dataset: &Dataset| size(&dataset.properties.get("recordsize")?.0);
    let ours = machine.datasets.iter().filter(|dataset| is_ours(&dataset.name));
    let of = ours.filter_map(|dataset| Some((dataset.name.clone(), record(dataset)?)));
    let mut all: Vec<(String, Bytes)> = of.collect();
    // What lies in a dataset of the usual size below one of another has to be told too.
    let usual = |size: Bytes| size == RECORD;
    if all.iter().all(|(_, size)| usual(*size)) {
        return (Vec::new(), Vec::new());
    }
    let inherited = |name: &str, size: Bytes, all: &[(String, Bytes)]| {
        let above = name.rsplit_once('/').map(|(above, _)| above);
        let above = above.and_then(|above| all.iter().find(|(name, _)| name == above));
        size == above.map_or(RECORD, |(_, size)| *size)
    };
    let known = all.clone();
    all.retain(|(name, size)| !inherited(name, *size, &known));
    let more = all.len().saturating_sub(DATASETS_MAX);
    all.truncate(DATASETS_MAX);
    let left_out = (more > 0).then(|| format!("the record sizes of {more} more datasets"));
    (all, left_out.into_iter().collect())
}

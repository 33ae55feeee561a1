//! A machine with a recorded trace in the place of the load that its counters tell.

use std::collections::BTreeMap;

use arcwright_machine::{Dataset, Machine};
use arcwright_scenario::trace_phases;
use arcwright_units::{Bytes, visible};

use crate::datasets::of_pool;
use crate::hardware::Hardware;
use crate::load::{RECORD, size};
use crate::plan::Plan;
use crate::{TwinError, pool_of, text};

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

/// Returns the datasets of a pool whose records have another size than those above them, and what of them is left out.
fn recordsizes(machine: &Machine, pool: &str) -> (Vec<(String, Bytes)>, Vec<String>) {
    let property = |dataset: &Dataset, name: &str| size(&dataset.properties.get(name)?.0);
    // A volume has the other alone.
    let record = |dataset: &Dataset| {
        property(dataset, "recordsize").or_else(|| property(dataset, "volblocksize"))
    };
    let of = of_pool(machine, pool)
        .filter_map(|dataset| Some((dataset.name.as_str(), record(dataset)?)));
    let known: BTreeMap<&str, Bytes> = of.collect();
    // Of datasets whose size was not read nothing is said; what lies in them is taken by the next above.
    let differs = |(name, size): &(&str, Bytes)| {
        let mut above = std::iter::successors(parent(name), |name| parent(name));
        *size != above.find_map(|name| known.get(name).copied()).unwrap_or(RECORD)
    };
    let all = known.iter().map(|(name, size)| (*name, *size)).filter(differs);
    let mut all: Vec<(String, Bytes)> = all.map(|(name, size)| (name.to_owned(), size)).collect();
    let more = all.len().saturating_sub(DATASETS_MAX);
    all.truncate(DATASETS_MAX);
    let left_out = (more > 0).then(|| format!("the record sizes of {more} more datasets"));
    (all, left_out.into_iter().collect())
}

/// Returns the dataset in which one is; none for that of a pool.
fn parent(name: &str) -> Option<&str> {
    name.rsplit_once('/').map(|(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{Dataset, Machine};

    use super::recordsizes;

    #[test]
    fn datasets_are_named_where_their_records_are_not_those_above_them() {
        let check = |datasets: &[(&str, Option<&str>)], expected: &str| {
            let dataset = |(name, size): &(&str, Option<&str>)| {
                let of_blocks = if name.ends_with("/vol") { "volblocksize" } else { "recordsize" };
                let property =
                    |size: &&str| (of_blocks.to_owned(), ((*size).to_owned(), "local".to_owned()));
                let properties = size.iter().map(property).collect();
                Dataset { name: (*name).to_owned(), properties }
            };
            let datasets = datasets.iter().map(dataset).collect();
            let machine = Machine { datasets, ..Machine::default() };
            let (found, left_out) = recordsizes(&machine, "tank");
            let found: Vec<String> =
                found.iter().map(|(name, size)| format!("{name} {size}")).collect();
            assert_eq!((found.join(", ").as_str(), left_out.len()), (expected, 0));
        };
        let usual = Some("131072");
        check(&[("tank", usual), ("tank/a", usual), ("other", Some("16K"))], "");
        check(&[("tank", Some("1M")), ("tank/a", Some("1M"))], "tank 1 MiB");
        check(
            &[("tank", usual), ("tank/a", Some("16K")), ("tank/a/b", usual)],
            "tank/a 16 KiB, tank/a/b 128 KiB",
        );
        // A volume is called by its own name.
        check(&[("tank", usual), ("tank/vol", Some("16K"))], "tank/vol 16 KiB");
        // What was not read is not taken to be usual.
        check(
            &[("tank", Some("1M")), ("tank/a", None), ("tank/a/b", usual)],
            "tank 1 MiB, tank/a/b 128 KiB",
        );
    }
}

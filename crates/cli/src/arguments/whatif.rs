//! What may stand on the command line of `arcwright whatif`.

use std::path::PathBuf;

use arcwright_tunables::{Version, lookup, nearest};
use arcwright_units::{Bytes, visible};
use clap::Args;

use super::ssd::{hours, size};
use super::{ExperimentArguments, MachineArguments, PriceArguments, completion};

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WhatIfArguments {
    /// Installed memory to try, such as 32GiB,64GiB, or 32GiB..256GiB for each doubling; the ARC's limit grows with it.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = sizes)]
    pub(crate) memory: Vec<Sizes>,

    /// L2ARC to try, by its size; several sizes, or 100GB..800GB for each doubling, are tried beside none.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = sizes)]
    pub(crate) l2arc: Vec<Sizes>,

    /// SSD that the L2ARC lies on, by its device profile.
    #[arg(long, value_name = "NAME", default_value = "nvme-consumer", add = completion::flash_profiles())]
    pub(crate) l2arc_on: String,

    /// SSD for a log device to try, by its device profile; several are tried each.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', add = completion::flash_profiles())]
    pub(crate) log: Vec<String>,

    /// Parameter to try, with its values: zfs_prefetch_disable=1 or l2arc_write_max=33554432,134217728; may be given several
    /// times.
    #[arg(long = "try", value_name = "NAME=VALUES", value_parser = parameter)]
    pub(crate) parameters: Vec<Parameter>,

    /// OpenZFS release to try, such as 2.1.11,2.4.4.
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',', value_parser = release, add = completion::versions())]
    pub(crate) release: Vec<String>,

    /// Record size to try; files that have their own keep it.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = record)]
    pub(crate) recordsize: Vec<Bytes>,

    /// Take pool and load from a scenario file, or a name from arcwright scenarios.
    #[arg(long, value_name = "SCENARIO", add = completion::scenarios(), conflicts_with_all = ["from", "window", "pool"])]
    pub(crate) scenario: Option<PathBuf>,

    /// Play this trace in the place of the machine's or the scenario's own load; its first half warms the caches, its second half
    /// counts.
    #[arg(long, value_name = "TRACE")]
    pub(crate) trace: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: MachineArguments,

    /// A phase that counts, of the scenario; may be given several times. Without it those that the scenario asks about.
    #[arg(long = "phase", value_name = "NAME")]
    pub(crate) phases: Vec<String>,

    /// Hours a day that this load goes on, for the years that an SSD lasts: 24 of a machine, 1 of a scenario.
    #[arg(long, value_name = "HOURS", value_parser = hours)]
    pub(crate) hours_a_day: Option<f64>,

    #[command(flatten)]
    pub(crate) price: PriceArguments,

    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,

    /// Print all rows, also those that others beat.
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,

    /// Write the answer with charts to one HTML file as well; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print everything as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A size, or a range of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes(Vec<Bytes>);

impl Sizes {
    /// Returns the sizes of several, each once.
    pub(crate) fn all(some: &[Self]) -> Vec<Bytes> {
        let mut all: Vec<Bytes> = Vec::new();
        for size in some.iter().flat_map(|sizes| &sizes.0) {
            if !all.contains(size) {
                all.push(*size);
            }
        }
        all
    }
}

/// A parameter with values to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) values: Vec<u64>,
}

const EXAMPLES: &str = "\
All combinations are tried, each beside the pool as it is. Examples:
  arcwright whatif --memory 64GiB --l2arc 250GB,500GB      here, under the load of the next ten seconds
  arcwright whatif --from nas.tar.gz --memory 32GiB,64GiB  from a capture
  arcwright whatif --scenario steam-library --memory 64GiB --try zfs_prefetch_disable=1";

fn parameter(text: &str) -> Result<Parameter, String> {
    let (name, values) = text
        .split_once('=')
        .ok_or_else(|| "expected NAME=VALUES, such as zfs_prefetch_disable=1".to_owned())?;
    let name = name.trim();
    if lookup(name).is_none() {
        let near = nearest(name).map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(format!("there is no parameter {}{near}", visible(name)));
    }
    let value = |value: &str| {
        let value = value.trim();
        let number = value.parse::<u64>().ok();
        number
            .or_else(|| Bytes::parse(value).ok().map(|bytes| bytes.0))
            .ok_or_else(|| format!("“{}” is not a whole number or a size", visible(value)))
    };
    let values = values.split(',').map(value).collect::<Result<Vec<u64>, _>>()?;
    Ok(Parameter { name: name.to_owned(), values })
}

/// Reads a size, or a range such as 32GiB..256GiB: its ends, and each doubling between.
fn sizes(text: &str) -> Result<Sizes, String> {
    let Some((least, most)) = text.split_once("..") else {
        return size(text).map(|one| Sizes(vec![one]));
    };
    let (least, most) = (size(least.trim())?, size(most.trim())?);
    if least.0 == 0 || least >= most {
        return Err("a range goes from a size to a larger one, such as 32GiB..256GiB".to_owned());
    }
    let doublings = std::iter::successors(Some(least), |size| size.0.checked_mul(2).map(Bytes));
    let all = doublings.take_while(|size| *size < most).chain([most]).collect();
    Ok(Sizes(all))
}

fn release(text: &str) -> Result<String, String> {
    match Version::parse(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("expected a version such as 2.3.2".to_owned()),
    }
}

fn record(text: &str) -> Result<Bytes, String> {
    let size = size(text)?;
    match size.0.is_power_of_two() && (512..=16 << 20).contains(&size.0) {
        true => Ok(size),
        false => Err("expected a power of two from 512 bytes to 16MiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::{Sizes, sizes};

    #[test]
    fn a_range_has_each_doubling_and_its_ends() {
        let check = |text: &str, expected: &[u64]| {
            let expected = expected.iter().map(|gib| Bytes::gib(*gib)).collect();
            assert_eq!(sizes(text), Ok(Sizes(expected)), "{text}");
        };
        check("32GiB", &[32]);
        check("8GiB..32GiB", &[8, 16, 32]);
        check("8GiB..24GiB", &[8, 16, 24]);
        check("8 GiB .. 9 GiB", &[8, 9]);
        let refused = |text: &str| assert!(sizes(text).is_err(), "{text}");
        let none = ["32GiB..8GiB", "8GiB..8GiB", "0..8GiB", "..", "8GiB..", "8GiB..x"];
        none.iter().for_each(|text| refused(text));
        let both = [sizes("8GiB..32GiB").unwrap(), sizes("16GiB").unwrap()];
        assert_eq!(Sizes::all(&both).len(), 3);
    }
}

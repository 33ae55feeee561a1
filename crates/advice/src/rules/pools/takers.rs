//! Which datasets take the space of a pool; not a rule itself.

use arcwright_machine::Dataset;
use arcwright_units::Bytes;

use crate::format;
use crate::rules::dataset_state::{property, size};

/// Datasets that are named.
const NAMED_MAX: usize = 4;

/// Says which of the datasets below a pool's root take most of what is used; nothing where the list does not show half of
/// it.
pub(super) fn said(used: u64, below: &[&Dataset]) -> String {
    let bytes_of = |dataset: &Dataset| {
        let lead = format!("{}/", dataset.name);
        let is_parent = below.iter().any(|other| other.name.starts_with(&lead));
        // What is used below another one is counted there.
        size(dataset, "usedbydataset").or_else(|| size(dataset, "used").filter(|_| !is_parent))
    };
    let known = below.iter().filter(|_| below.len() <= DATASETS_MAX);
    let mut all: Vec<(u64, &Dataset)> =
        known.filter_map(|dataset| Some((bytes_of(dataset)?, *dataset))).collect();
    all.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name)));
    all.truncate(NAMED_MAX);
    all.retain(|(bytes, _)| *bytes >= used / 10);
    let sum: u64 = all.iter().map(|(bytes, _)| *bytes).fold(0, u64::saturating_add);
    if all.is_empty() || sum < used / 2 {
        return String::new();
    }
    let names: Vec<String> = all
        .iter()
        .map(|(bytes, dataset)| format!("{} ({})", dataset.name, Bytes(*bytes)))
        .collect();
    format!(" Most of it is in {}.{}", format::list(&names), of_one_place(&all))
}

/// With more, who takes what is a matter for `zfs list -s used`.
const DATASETS_MAX: usize = 2048;

/// Says that two of them are to be mounted at one place, where only one of them can be seen.
fn of_one_place(all: &[(u64, &Dataset)]) -> String {
    let place = |dataset: &Dataset| {
        let place = property(dataset, "mountpoint")?.to_owned();
        place.starts_with('/').then_some(place)
    };
    let places: Vec<(String, &str)> = all
        .iter()
        .filter_map(|(_, dataset)| Some((place(dataset)?, dataset.name.as_str())))
        .collect();
    let twice = places.iter().enumerate().find_map(|(at, (place, name))| {
        let (_, other) = places.iter().skip(at + 1).find(|(other, _)| other == place)?;
        Some((place, name, other))
    });
    match twice {
        Some((place, one, other)) => format!(
            " {one} and {other} are both for {place}, where only one is seen: the other may be of an earlier system."
        ),
        None => String::new(),
    }
}

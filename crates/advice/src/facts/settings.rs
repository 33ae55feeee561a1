//! Parameters that differ from their defaults, and properties that decide what is cached and how it is written.

use arcwright_machine::{Dataset, Parameter};
use arcwright_tunables::lookup;
use arcwright_units::Bytes;

use super::Fact;
use crate::rows::is_size;
use crate::view::View;

/// Properties that matter here, in the order of a line.
const PROPERTIES: [&str; 12] = [
    "recordsize",
    "volblocksize",
    "compression",
    "primarycache",
    "secondarycache",
    "sync",
    "logbias",
    "dedup",
    "special_small_blocks",
    "atime",
    "copies",
    "encryption",
];
/// Those that are sizes in bytes.
const SIZES: [&str; 3] = ["recordsize", "volblocksize", "special_small_blocks"];
/// Of so few datasets, or parameters, somebody asked for those: all of them are told.
const FEW_DATASETS: usize = 3;
const FEW_PARAMETERS: usize = 12;
const DATASETS_MAX: usize = 6;
const PARAMETERS_MAX: usize = 12;

pub(super) fn of(view: &View<'_>) -> Vec<Fact> {
    parameters(view).into_iter().chain(datasets(view)).collect()
}

fn parameters(view: &View<'_>) -> Option<Fact> {
    let all = &view.machine.parameters;
    let told = all.iter().filter(|(name, parameter)| match by_default(view, name) {
        Some(default) => parameter.value.trim().parse() != Ok(default),
        None => all.len() <= FEW_PARAMETERS,
    });
    let told: Vec<String> = told.map(|(name, parameter)| set(name, parameter)).collect();
    let mut shown: Vec<String> = told.iter().take(PARAMETERS_MAX).cloned().collect();
    if let more @ 1.. = told.len().saturating_sub(PARAMETERS_MAX) {
        shown.push(format!("{more} more"));
    }
    (!shown.is_empty()).then(|| Fact::new("parameters", shown.join(", ")))
}

/// Returns what the module shows while nobody sets a parameter; none where that is not known.
fn by_default(view: &View<'_>, name: &str) -> Option<u64> {
    lookup(name)?.shown_by_default(view.machine.os?, view.machine.zfs?)
}

fn set(name: &str, parameter: &Parameter) -> String {
    let value = parameter.value.trim();
    let size = value.parse().ok().filter(|size| is_size(name) && *size >= 1 << 20);
    let value = size.map_or_else(|| value.to_owned(), |size| Bytes(size).to_string());
    format!("{}={value}", parameter.name)
}

fn datasets(view: &View<'_>) -> Vec<Fact> {
    let all = &view.machine.datasets;
    let is_few = all.len() <= FEW_DATASETS;
    let fact = |dataset: &Dataset| {
        let told = PROPERTIES.iter().filter_map(|property| {
            let (value, source) = dataset.properties.get(*property)?;
            let is_own = matches!(source.as_str(), "local" | "received" | "temporary");
            let size = value.parse().ok().filter(|size| SIZES.contains(property) && *size > 0);
            let value = size.map_or_else(|| value.clone(), |size| Bytes(size).to_string());
            (is_few || is_own).then(|| format!("{property}={value}"))
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| Fact::new(format!("dataset {}", dataset.name), told.join(", ")))
    };
    all.iter().filter_map(fact).take(DATASETS_MAX).collect()
}

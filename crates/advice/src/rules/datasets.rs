//! What rules about datasets share; not a rule itself.

use std::collections::BTreeMap;

use arcwright_kstat::Value;
use arcwright_machine::{Dataset, Pool};

use crate::verdict::NotJudged;
use crate::view::View;

/// Returns all datasets, or why there are none.
pub(super) fn all<'a>(view: &View<'a>) -> Result<&'a [Dataset], NotJudged> {
    if view.machine.datasets.is_empty() {
        return Err(view.not_read("properties of datasets", "zfs-get"));
    }
    Ok(&view.machine.datasets)
}

/// Says whether a dataset belongs to a pool.
pub(super) fn is_in(dataset: &Dataset, pool: &Pool) -> bool {
    pool_of(&dataset.name) == pool.name
}

/// Returns the name of the pool that a dataset belongs to.
pub(super) fn pool_of(dataset: &str) -> &str {
    dataset.split(['/', '@']).next().unwrap_or(dataset)
}

/// Returns a property's value.
pub(super) fn property<'a>(dataset: &'a Dataset, name: &str) -> Option<&'a str> {
    dataset.properties.get(name).map(|(value, _)| value.as_str())
}

/// Returns datasets that have a property at a value, and themselves say so: name, value and source.
pub(super) fn own(
    datasets: &[Dataset],
    name: &str,
    values: &[&str],
) -> Vec<(String, String, String)> {
    let set = |dataset: &Dataset| {
        let (value, source) = dataset.properties.get(name)?;
        let is_own = !source.starts_with("inherited");
        (is_own && values.contains(&value.as_str()))
            .then(|| (dataset.name.clone(), value.clone(), source.clone()))
    };
    datasets.iter().filter_map(set).collect()
}

/// What clients asked of a dataset, from its objset kstat.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) reads: u64,
    pub(super) read_bytes: u64,
    pub(super) writes: u64,
    pub(super) written_bytes: u64,
    /// Waits for stable storage (2.2 and later).
    pub(super) commits: Option<u64>,
}

/// Returns what clients asked of each dataset over the time judged, by the dataset's name.
pub(super) fn asked(view: &View<'_>) -> BTreeMap<String, Asked> {
    let Some(now) = view.machine.now() else { return BTreeMap::new() };
    let mut all = BTreeMap::new();
    for (path, _) in view.kstats().filter(|(path, _)| path.contains("/objset-")) {
        let name = now.kstats.get(path).and_then(|kstat| kstat.value("dataset_name"));
        let Some(Value::Text(name) | Value::Char(name)) = name else { continue };
        let row = |row: &str| view.counted(path, row).unwrap_or(0);
        let asked = Asked {
            reads: row("reads"),
            read_bytes: row("nread"),
            writes: row("writes"),
            written_bytes: row("nwritten"),
            commits: view.counted(path, "zil_commit_count").ok(),
        };
        all.insert(name.clone(), asked);
    }
    all
}

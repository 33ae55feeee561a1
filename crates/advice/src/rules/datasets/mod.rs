//! What rules about datasets share; not a rule itself.

pub(super) mod atime;
pub(super) mod cipher;
pub(super) mod compression;
pub(super) mod dedup;
pub(super) mod direct_io;
pub(super) mod primarycache;
pub(super) mod recordsize;

use std::collections::BTreeMap;

use arcwright_kstat::Value;
use arcwright_machine::{Dataset, Pool};

use crate::verdict::NotJudged;
use crate::view::View;

/// Returns all datasets, or why there are none.
pub(crate) fn all<'a>(view: &View<'a>) -> Result<&'a [Dataset], NotJudged> {
    if view.machine.datasets.is_empty() {
        return Err(view.not_read("properties of datasets", "zfs-get"));
    }
    Ok(&view.machine.datasets)
}

/// Says whether a dataset belongs to a pool.
pub(crate) fn is_in(dataset: &Dataset, pool: &Pool) -> bool {
    pool_of(&dataset.name) == pool.name
}

/// Returns the name of the pool that a dataset belongs to.
pub(crate) fn pool_of(dataset: &str) -> &str {
    dataset.split_once(['/', '@']).map_or_else(|| dataset, |(pool, _)| pool)
}

/// Returns a property's value.
pub(crate) fn property<'a>(dataset: &'a Dataset, name: &str) -> Option<&'a str> {
    dataset.properties.get(name).map(|(value, _)| value.as_str())
}

/// Returns datasets that have a property at a value, and themselves say so: name, value and source.
pub(crate) fn own(
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

/// Refuses to speak of all datasets when one of them, or its property `name`, was not read.
pub(crate) fn complete(view: &View<'_>, name: &str) -> Result<(), NotJudged> {
    let all = all(view)?;
    let is_listed = |wanted: &str| all.iter().any(|dataset| dataset.name == wanted);
    let pools = view.machine.pools.iter().map(|pool| pool.name.as_str());
    let mounted = view.machine.mounts.iter().map(|mount| mount.dataset.as_str());
    let mut there = pools.chain(mounted).filter(|name| !name.contains('@'));
    let unlisted = there.find(|name| !is_listed(name));
    let lacks =
        |dataset: &&Dataset| !dataset.name.contains('@') && !dataset.properties.contains_key(name);
    let without = all.iter().find(lacks).map(|dataset| dataset.name.as_str());
    match unlisted.or(without) {
        Some(dataset) => Err(NotJudged::NotRead(format!("{name} of {dataset} was not read"))),
        None => Ok(()),
    }
}

/// What clients asked of a dataset, from its objset kstat; none where a row was not read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientCounts {
    pub(super) reads: Option<u64>,
    pub(super) read_bytes: Option<u64>,
    pub(super) writes: Option<u64>,
    pub(super) written_bytes: Option<u64>,
    /// Waits for stable storage (2.2 and later).
    pub(super) commits: Option<u64>,
}

/// Returns what clients asked of each dataset over the time judged, by the dataset's name, when all that
/// are in use were counted.
pub(crate) fn asked(view: &View<'_>) -> Result<BTreeMap<String, ClientCounts>, NotJudged> {
    let all = counted(view);
    let is_volume = |dataset: &&Dataset| {
        dataset.properties.contains_key("volblocksize")
            && property(dataset, "volmode") != Some("none")
    };
    let volumes = view.machine.datasets.iter().filter(is_volume);
    let mounted = view.machine.mounts.iter().map(|mount| mount.dataset.as_str());
    let used: Vec<&str> = mounted
        .filter(|name| !name.contains('@'))
        .chain(volumes.map(|dataset| dataset.name.as_str()))
        .collect();
    if used.is_empty() {
        return Err(view.not_read("which datasets are mounted", "mount"));
    }
    match used.iter().find(|name| !all.contains_key(**name)) {
        Some(name) => {
            Err(NotJudged::NotRead(format!("the requests to the dataset {name} were not read")))
        }
        None => Ok(all),
    }
}

/// Returns what was counted of datasets, as far as it was read.
pub(crate) fn counted(view: &View<'_>) -> BTreeMap<String, ClientCounts> {
    let Some(now) = view.machine.now() else { return BTreeMap::new() };
    let mut all = BTreeMap::new();
    for (path, _) in view.kstats().filter(|(path, _)| path.contains("/objset-")) {
        let name = now.kstats.get(path).and_then(|kstat| kstat.value("dataset_name"));
        let Some(Value::Text(name) | Value::Char(name)) = name else { continue };
        let row = |row: &str| view.counted(path, row).ok();
        let asked = ClientCounts {
            reads: row("reads"),
            read_bytes: row("nread"),
            writes: row("writes"),
            written_bytes: row("nwritten"),
            commits: row("zil_commit_count"),
        };
        all.insert(name.clone(), asked);
    }
    all
}

/// Returns whether this version counts by dataset at all: from 0.8 on (module/zfs/dataset_kstats.c), and
/// not in FreeBSD's own ZFS of 8 to 12; none when nothing tells.
pub(crate) fn are_counted(view: &View<'_>) -> Option<bool> {
    if view.kstats().any(|(path, _)| path.contains("/objset-")) {
        return Some(true);
    }
    let legacy = view.machine.zfs.is_some_and(arcwright_tunables::Version::is_legacy_freebsd);
    if legacy { Some(false) } else { view.is_from("0.8.0") }
}

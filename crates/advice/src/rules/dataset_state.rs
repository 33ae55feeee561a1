//! What rules about datasets share, and others ask of them; not a rule itself.

use arcwright_machine::{Dataset, Pool};

pub(crate) use crate::datasets::{ClientCounts, pool_of};

use crate::changes::OwnProperty;
use crate::config::number;
use crate::datasets::Requests;
use crate::verdict::NotJudged;
use crate::view::View;

/// Returns all datasets, or why there are none.
pub(crate) fn all<'a>(view: &View<'a>) -> Result<&'a [Dataset], NotJudged> {
    if view.machine.datasets.is_empty() {
        return Err(view.not_read("properties of datasets", "zfs-get"));
    }
    Ok(&view.machine.datasets)
}

/// Returns the datasets of a pool.
pub(crate) fn of_pool<'a, 'b>(view: &'b View<'a>, pool: &str) -> &'b [&'a Dataset] {
    view.datasets.of_pool(view.machine, pool)
}

/// Returns the dataset of a name.
pub(crate) fn named<'a>(view: &View<'a>, name: &str) -> Option<&'a Dataset> {
    view.datasets.named(view.machine, name)
}

/// Returns a property's value.
pub(crate) fn property<'a>(dataset: &'a Dataset, name: &str) -> Option<&'a str> {
    dataset.properties.get(name).map(|(value, _)| value.as_str())
}

/// Returns a property that is a size in bytes.
pub(crate) fn size(dataset: &Dataset, name: &str) -> Option<u64> {
    let text = property(dataset, name)?;
    // `11,0G` in the languages that write it so.
    number(text).or_else(|| number(&text.replacen(',', ".", 1)))
}

/// Returns a dataset to which hardly anything is available of what it has: less than a thousandth, and than a GiB.
pub(crate) fn without_space<'a>(view: &View<'a>) -> Option<&'a str> {
    const SHARE: u64 = 1000;
    const LEAST: u64 = 1 << 30;
    let is_full = |dataset: &&Dataset| {
        let available = size(dataset, "available");
        let held = size(dataset, "used").or_else(|| size(dataset, "referenced"));
        available.zip(held).is_some_and(|(free, held)| free < LEAST && free < held / SHARE)
    };
    let mut all = view.machine.datasets.iter();
    all.find(|dataset| is_full(dataset)).map(|dataset| dataset.name.as_str())
}

/// Returns a dataset of a pool that alone refers to more than twice of what a list of pools says is taken of it: the two
/// are of different moments. What is deduplicated or cloned may be referred to more often than it is there.
pub(crate) fn larger_than<'a>(view: &View<'a>, pool: &Pool) -> Option<&'a str> {
    let taken = pool.number("allocated")?;
    let is_larger = |dataset: &&Dataset| {
        let of_it = ["referenced", "usedbydataset"].map(|name| size(dataset, name));
        pool_of(&dataset.name) == pool.name
            && of_it.iter().flatten().any(|held| *held / 2 > taken.max(1 << 30))
    };
    view.machine.datasets.iter().find(is_larger).map(|dataset| dataset.name.as_str())
}

/// Returns the datasets that have a property at a value, and themselves say so.
pub(crate) fn own<'a>(
    datasets: impl IntoIterator<Item = &'a Dataset>,
    name: &str,
    values: &[&str],
) -> Vec<OwnProperty> {
    let set = |dataset: &Dataset| {
        let (value, source) = dataset.properties.get(name)?;
        let is_own = !source.starts_with("inherited");
        (is_own && values.contains(&value.as_str()))
            .then(|| OwnProperty::of(dataset, value, source))
    };
    datasets.into_iter().filter_map(set).collect()
}

/// Refuses to speak of all datasets when one of them, or its property `name`, was not read.
pub(crate) fn complete(view: &View<'_>, name: &str) -> Result<(), NotJudged> {
    let all = all(view)?;
    let is_listed = |wanted: &str| named(view, wanted).is_some();
    let pools = view.machine.pools.iter().map(|pool| pool.name.as_str());
    let mounted = view.machine.mounts.iter().map(|mount| mount.dataset.as_str());
    // A dataset that stands there alone was picked out of its pool's.
    let roots = all.iter().filter_map(|dataset| dataset.name.split(['/', '@']).next());
    let mut there = pools.chain(mounted).chain(roots).filter(|name| !name.contains('@'));
    let unlisted = there.find(|name| !is_listed(name));
    let lacks =
        |dataset: &&Dataset| !dataset.name.contains('@') && !dataset.properties.contains_key(name);
    let without = all.iter().find(lacks).map(|dataset| dataset.name.as_str());
    match unlisted.or(without) {
        Some(dataset) => Err(NotJudged::NotRead(format!("{name} of {dataset} was not read"))),
        None => Ok(()),
    }
}

/// Returns what clients asked of each dataset over the time judged, by the dataset's name, when all that
/// are in use were counted.
pub(crate) fn asked<'b>(view: &'b View<'_>) -> Result<&'b Requests, NotJudged> {
    let all = counted(view);
    view.datasets.are_complete(|| all_in_use(view, all))?;
    Ok(all)
}

/// Returns what clients asked of the datasets of a pool; none of a pool of which nothing was counted.
pub(crate) fn asked_of_pool<'b>(
    view: &'b View<'_>,
    pool: &str,
) -> Result<Option<&'b Requests>, NotJudged> {
    let all = asked(view)?;
    Ok(view.datasets.requests_of_pool(all, pool))
}

fn all_in_use(view: &View<'_>, counted: &Requests) -> Result<(), NotJudged> {
    let is_volume = |dataset: &&Dataset| {
        dataset.properties.contains_key("volblocksize")
            && property(dataset, "volmode") != Some("none")
    };
    let volumes = view.machine.datasets.iter().filter(is_volume);
    let mounted = view.machine.mounts.iter().map(|mount| mount.dataset.as_str());
    let mut used = mounted
        .filter(|name| !name.contains('@'))
        .chain(volumes.map(|dataset| dataset.name.as_str()))
        .peekable();
    if used.peek().is_none() {
        return Err(view.not_read("which datasets are mounted", "mount"));
    }
    match used.find(|name| !counted.contains_key(*name)) {
        Some(name) => {
            Err(NotJudged::NotRead(format!("the requests to the dataset {name} were not read")))
        }
        None => Ok(()),
    }
}

/// Returns what was counted of datasets, as far as it was read.
pub(crate) fn counted<'b>(view: &'b View<'_>) -> &'b Requests {
    view.datasets.requests(|| read(view))
}

fn read(view: &View<'_>) -> Requests {
    let Some(now) = view.machine.now() else { return Requests::new() };
    let mut all = Requests::new();
    for (path, _) in view.kstats().filter(|(path, _)| path.contains("/objset-")) {
        let name = now.kstats.get(path).and_then(|kstat| kstat.text("dataset_name"));
        let Some(name) = name else { continue };
        let row = |row: &str| view.counted(path, row).ok();
        let asked = ClientCounts {
            reads: row("reads"),
            read_bytes: row("nread"),
            writes: row("writes"),
            written_bytes: row("nwritten"),
            commits: row("zil_commit_count"),
        };
        all.insert(name.to_owned(), asked);
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

//! Properties of pools and datasets, and mounts.

use arcwright_machine::unescaped_mount;

use super::names::{Names, is_group};
use super::vocabulary::{is_cell, is_identifier, is_plain};

/// Properties of pools whose values are numbers or words of OpenZFS; features besides.
const OF_POOLS: [&str; 37] = [
    "allocated",
    "ashift",
    "autoexpand",
    "autoreplace",
    "autotrim",
    "bcloneratio",
    "bclonesaved",
    "bcloneused",
    "capacity",
    "checkpoint",
    "compatibility",
    "dedup_table_quota",
    "dedup_table_size",
    "dedupratio",
    "delegation",
    "expandsize",
    "failmode",
    "fragmentation",
    "free",
    "freeing",
    "health",
    "last_scrubbed_txg",
    "leaked",
    "listsnapshots",
    "maxblocksize",
    "maxdnodesize",
    "multihost",
    "readonly",
    "size",
    "version",
    "dedupcached",
    "dedup_cached",
    "logicalused",
    "available",
    "usable",
    "used",
    "delegated",
];
/// The same of datasets.
const OF_DATASETS: [&str; 72] = [
    "aclinherit",
    "aclmode",
    "acltype",
    "atime",
    "available",
    "canmount",
    "casesensitivity",
    "checksum",
    "compression",
    "compressratio",
    "copies",
    "createtxg",
    "creation",
    "dedup",
    "defer_destroy",
    "devices",
    "direct",
    "dnodesize",
    "encryption",
    "exec",
    "filesystem_count",
    "filesystem_limit",
    "jailed",
    "keyformat",
    "keystatus",
    "logbias",
    "logicalreferenced",
    "logicalused",
    "longname",
    "mounted",
    "mountpoint",
    "nbmand",
    "normalization",
    "objsetid",
    "overlay",
    "pbkdf2iters",
    "prefetch",
    "primarycache",
    "quota",
    "readonly",
    "recordsize",
    "redundant_metadata",
    "refcompressratio",
    "referenced",
    "refquota",
    "refreservation",
    "relatime",
    "reservation",
    "secondarycache",
    "setuid",
    "sharenfs",
    "sharesmb",
    "snapdev",
    "snapdir",
    "snapshot_count",
    "snapshot_limit",
    "snapshots_changed",
    "special_small_blocks",
    "sync",
    "type",
    "used",
    "usedbychildren",
    "usedbydataset",
    "usedbyrefreservation",
    "usedbysnapshots",
    "utf8only",
    "version",
    "volblocksize",
    "volmode",
    "volsize",
    "volthreading",
    "written",
];

/// Which things have properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Pool,
    Dataset,
}

impl Owner {
    pub(super) fn name(self, names: &mut Names, name: &str) -> String {
        match self {
            Self::Pool if names.knows_pool(name) || !is_group(name) => names.pool(name),
            Self::Pool => name.to_owned(),
            Self::Dataset => names.dataset(name),
        }
    }

    /// Returns a property's value; none when the property is not known to be harmless.
    pub(super) fn value(self, names: &mut Names, property: &str, value: &str) -> Option<String> {
        let known: &[&str] = match self {
            Self::Pool => &OF_POOLS,
            Self::Dataset => &OF_DATASETS,
        };
        let is_feature = property.strip_prefix("feature@").is_some_and(is_identifier);
        let is_known = known.contains(&property) || (self == Self::Pool && is_feature);
        if !is_known {
            return None;
        }
        Some(match property {
            "mountpoint" => names.path(value),
            // Whom it is shared with is given by addresses, or by names that may be words.
            "sharenfs" | "sharesmb" if !["on", "off"].contains(&value) => "-".to_owned(),
            _ if value.split_whitespace().all(is_cell) => value.to_owned(),
            _ => "-".to_owned(),
        })
    }

    pub(super) fn source(self, names: &mut Names, source: &str) -> String {
        match source.strip_prefix("inherited from ") {
            Some(from) => format!("inherited from {}", names.dataset(from.trim())),
            None if is_plain(source) || source == "-" => source.to_owned(),
            None => "-".to_owned(),
        }
    }
}

/// Replaces names and values in `zpool get` and `zfs get`; other properties than the known are left out.
pub(super) fn properties(names: &mut Names, owner: Owner, text: &str) -> String {
    let mut done = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = match line.contains('\t') {
            true => line.splitn(4, '\t').collect(),
            false => line.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect(),
        };
        let [name, property, value, rest @ ..] = columns.as_slice() else { continue };
        if (*name, *property) == ("NAME", "PROPERTY") {
            continue;
        }
        let Some(value) = owner.value(names, property, value) else { continue };
        let source = owner.source(names, rest.first().copied().unwrap_or("-"));
        let name = owner.name(names, name);
        done.push(format!("{name}\t{property}\t{value}\t{source}\n"));
    }
    done.concat()
}

/// Replaces the names in `/proc/mounts`, which writes blanks as `\040`.
pub(super) fn mounts(names: &mut Names, text: &str) -> String {
    let mut done = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(dataset), Some(path), Some(kind)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        if kind != "zfs" {
            continue;
        }
        let (dataset, path) =
            (names.dataset(&unescaped_mount(dataset)), names.path(&unescaped_mount(path)));
        done.push(format!("{dataset} {path} zfs {} 0 0\n", options(words.next().unwrap_or("rw"))));
    }
    done.concat()
}

/// Replaces the names in what `mount` of `FreeBSD` prints.
pub(super) fn mount(names: &mut Names, text: &str) -> String {
    let mut done = Vec::new();
    for line in text.lines() {
        let found = line.split_once(" on ").and_then(|(dataset, rest)| {
            let (path, told) = rest.rsplit_once(" (")?;
            Some((dataset, path, told.trim_end().strip_suffix(')')?))
        });
        let Some((dataset, path, told)) = found else { continue };
        let (dataset, path) = (names.dataset(dataset), names.path(path));
        done.push(format!("{dataset} on {path} ({})\n", options(told)));
    }
    done.concat()
}

/// Returns the options of a mount that are OpenZFS's and the kernel's.
fn options(told: &str) -> String {
    let separator = if told.contains(", ") { ", " } else { "," };
    let kept = told.split(separator).filter(|option| !option.contains('=') && is_plain(option));
    kept.collect::<Vec<_>>().join(separator)
}

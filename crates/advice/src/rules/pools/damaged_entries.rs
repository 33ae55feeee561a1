//! What the entries of a list of permanent errors are; not a rule itself.
//!
//! `zpool status -v` names each damaged object as well as it can (`zpool_obj_to_path`, lib/libzfs/libzfs_pool.c):
//!
//! ```text
//! /tank/photos/a.raw          a file of a mounted dataset
//! tank/home:/a.raw            a file of one that is not mounted
//! tank/home@monday:/a.raw     a file of a snapshot
//! tank/vm:<0x1>               an object without a path: of a volume all of its contents
//! <0x218>:<0x7308>            an object of a dataset or snapshot that is no longer there
//! <metadata>:<0x8c>           an object of the pool itself
//! ```

use arcwright_machine::{Dataset, Pool};

use crate::format;
use crate::view::View;

/// What is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// A file as it is now.
    File,
    /// The contents of a volume.
    Volume,
    /// Something of a dataset that has no path.
    Object,
    /// Something of a snapshot.
    Snapshot,
    /// Something of a dataset or snapshot that was destroyed.
    Gone,
    /// Something of the pool itself.
    OfPool,
}

/// Names that are shown in a sentence.
const NAMES_MAX: usize = 4;

/// Returns what each entry of a pool's list is, with its name.
pub(super) fn of_pool<'a>(view: &View<'_>, pool: &'a Pool) -> Vec<(Entry, &'a str)> {
    let entry = |name: &'a String| (kind(view, name.trim()), name.trim());
    pool.damaged.iter().map(entry).collect()
}

fn kind(view: &View<'_>, name: &str) -> Entry {
    if name.starts_with("<metadata>") {
        return Entry::OfPool;
    }
    if name.starts_with("<0x") {
        return Entry::Gone;
    }
    if name.starts_with('/') {
        return if name.contains("/.zfs/snapshot/") { Entry::Snapshot } else { Entry::File };
    }
    let object = name.strip_suffix('>').and_then(|name| name.rsplit_once(":<0x"));
    match (object, name.split_once(":/")) {
        (Some((dataset, _)), _) if dataset.contains('@') => Entry::Snapshot,
        (Some((dataset, "1")), _) if is_volume(view, dataset) => Entry::Volume,
        (Some(_), _) => Entry::Object,
        (None, Some((dataset, _))) if dataset.contains('@') => Entry::Snapshot,
        (None, _) => Entry::File,
    }
}

/// Returns whether a dataset is known to be a volume: by its properties, or since it is named like a guest's disk on Proxmox,
/// where those of containers are called otherwise.
fn is_volume(view: &View<'_>, dataset: &str) -> bool {
    let has = |known: &Dataset| {
        let says = |property: &str, what: fn(&str) -> bool| {
            known.properties.get(property).is_some_and(|(value, _)| what(value))
        };
        says("type", |value| value == "volume") || says("volsize", |value| value != "-")
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let last = dataset.rsplit('/').next();
    let of_guest = last.and_then(|name| name.strip_prefix("vm-").or(name.strip_prefix("base-")));
    let is_named = of_guest
        .and_then(|name| name.split_once("-disk-"))
        .is_some_and(|(guest, disk)| is_number(guest) && is_number(disk));
    view.machine.datasets.iter().any(|known| known.name == dataset && has(known)) || is_named
}

/// Returns whether one of the entries is of a kind.
pub(super) fn has(entries: &[(Entry, &str)], kind: Entry) -> bool {
    entries.iter().any(|(entry, _)| *entry == kind)
}

/// Returns whether there are entries, and all are of a kind.
pub(super) fn are_all(entries: &[(Entry, &str)], kind: Entry) -> bool {
    !entries.is_empty() && entries.iter().all(|(entry, _)| *entry == kind)
}

/// Returns what is damaged, for a title: what is lost as it is now comes first.
pub(super) fn noun(entries: &[(Entry, &str)]) -> &'static str {
    match entries.iter().map(|(entry, _)| *entry).min() {
        Some(Entry::File) => "Files",
        Some(Entry::Volume) => "Volumes",
        Some(Entry::Object) => "Objects",
        Some(Entry::Snapshot) => "Snapshots",
        Some(Entry::Gone | Entry::OfPool) | None => "Data",
    }
}

/// Returns a sentence on each kind that is listed.
pub(super) fn sentences(entries: &[(Entry, &str)]) -> String {
    let names = |kind: Entry| {
        let of_kind = entries.iter().filter(|(entry, _)| *entry == kind);
        let mut names: Vec<String> = of_kind.map(|(_, name)| (*name).to_owned()).collect();
        names.dedup();
        let more = names.len().saturating_sub(NAMES_MAX);
        let shown = names.iter().take(NAMES_MAX).cloned().collect::<Vec<_>>().join(", ");
        match more {
            0 => shown,
            more => format!("{shown} and {} more", format::count(more as u64)),
        }
    };
    let sentence = |(kind, words): (Entry, &str)| {
        has(entries, kind).then(|| match kind {
            Entry::Gone => format!(" {words}"),
            _ => format!(" {}: {words}", names(kind)),
        })
    };
    [
        (
            Entry::File,
            "the blocks are damaged there, all other files are intact as far as they were read.",
        ),
        (
            Entry::Volume,
            "object 0x1 of a volume is all that is on it; which files of the guest or client are hit, only its own file \
             system knows.",
        ),
        (
            Entry::Object,
            "an object without a path: a file that was deleted or is no longer found, or a part of the dataset itself; of a \
             volume 0x1 is all of its contents.",
        ),
        (
            Entry::Snapshot,
            "of a snapshot, which cannot be mended: the entry stays as long as the snapshot does, and what is there now may be \
             whole.",
        ),
        (
            Entry::Gone,
            "An entry <0x…>:<0x…> is of a dataset or snapshot that is no longer there: nothing of it can be restored or needs \
             to be, and it leaves the list after two scrubs without errors.",
        ),
    ]
    .into_iter()
    .filter_map(sentence)
    .collect()
}

/// Returns what to do about each kind that is listed.
pub(super) fn steps(entries: &[(Entry, &str)]) -> Vec<&'static str> {
    [
        (Entry::File, "restore the files from a backup or an intact snapshot, or delete them"),
        (
            Entry::Volume,
            "copy off what its guest can still read, and restore the volume from a backup",
        ),
        (
            Entry::Object,
            "copy what can be read of the datasets named, and restore what is missing from a backup",
        ),
        (Entry::Snapshot, "destroy the snapshots named once nothing in them is needed"),
    ]
    .into_iter()
    .filter_map(|(kind, step)| has(entries, kind).then_some(step))
    .collect()
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Machine;

    use super::{Entry, kind};
    use crate::estimate::Estimate;
    use crate::view::View;

    #[test]
    fn an_entry_is_told_by_its_form() {
        let machine = Machine::default();
        let view = View::of(&machine, Estimate::CountersOnly);
        for (name, expected) in [
            ("/tank/a b.raw", Entry::File),
            ("tank/home:/a: b.raw", Entry::File),
            ("/tank/.zfs/snapshot/monday/a", Entry::Snapshot),
            ("tank/home@monday:/a", Entry::Snapshot),
            ("tank/home@2025-01-01:10:00:<0x1>", Entry::Snapshot),
            ("tank/vm-100-disk-0:<0x1>", Entry::Volume),
            ("tank/vm-100-disk-0:<0x2>", Entry::Object),
            ("tank/subvol-100-disk-0:<0x1>", Entry::Object),
            ("tank/home:<0x1b3f>", Entry::Object),
            ("<0x218>:<0x7308>", Entry::Gone),
            ("<metadata>:<0x8c>", Entry::OfPool),
        ] {
            assert_eq!(kind(&view, name), expected, "{name}");
        }
    }
}

//! What healthy machines are put together from.

use std::collections::BTreeMap;

use arcwright_machine::{Dataset, Drive, DriveKind, Layout, Mount, Parameter, Pool, Vdev};
use arcwright_tunables::{Kernel, Version, entries};
use arcwright_units::Bytes;

/// Returns all parameters of a version at their defaults.
pub(crate) fn parameters(zfs: Version, os: Kernel) -> BTreeMap<String, Parameter> {
    let held = entries().iter().filter_map(|entry| {
        entry.default_for(zfs)?;
        let value = entry.shown_by_default(os, zfs).into_iter().sum::<u64>();
        let name = match os {
            Kernel::Linux => Some(&entry.name),
            Kernel::Freebsd if zfs.is_legacy_freebsd() => entry.freebsd_legacy.as_ref(),
            Kernel::Freebsd => entry.freebsd.as_ref(),
        }?;
        let parameter =
            Parameter { name: name.clone(), value: value.to_string(), writable: Some(true) };
        Some((entry.name.clone(), parameter))
    });
    held.collect()
}

pub(crate) fn pool(name: &str) -> Pool {
    let properties = [
        ("capacity", "45"),
        ("fragmentation", "12"),
        ("ashift", "12"),
        ("dedupratio", "1.00x"),
        ("size", "3985729650688"),
        ("free", "2192151307878"),
    ];
    let disks = ["sda", "sdb"].map(|disk| Vdev {
        name: disk.to_owned(),
        state: Some("ONLINE".to_owned()),
        errors: Some([0, 0, 0]),
        slow_ios: Some(0),
        ..Vdev::default()
    });
    Pool {
        name: name.to_owned(),
        state: Some("ONLINE".to_owned()),
        scan: Some("scrub repaired 0B in 05:12:09 with 0 errors".to_owned()),
        errors: Some("No known data errors".to_owned()),
        data_errors: Some(0),
        properties: properties
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        vdevs: vec![Vdev {
            name: "mirror-0".to_owned(),
            layout: Layout::Mirror,
            state: Some("ONLINE".to_owned()),
            errors: Some([0, 0, 0]),
            children: disks.to_vec(),
            ..Vdev::default()
        }],
        ..Pool::default()
    }
}

pub(crate) fn dataset(name: &str, source: &str) -> Dataset {
    let properties = [
        ("recordsize", "131072"),
        ("compression", "lz4"),
        ("atime", "off"),
        ("relatime", "off"),
        ("sync", "standard"),
        ("primarycache", "all"),
        ("secondarycache", "all"),
        ("dedup", "off"),
        ("checksum", "on"),
    ];
    let properties = properties
        .iter()
        .map(|(name, value)| ((*name).to_owned(), ((*value).to_owned(), source.to_owned())));
    Dataset { name: name.to_owned(), properties: properties.collect() }
}

pub(crate) fn hdd(name: &str) -> Drive {
    Drive {
        name: name.to_owned(),
        kind: Some(DriveKind::Hdd),
        size: Some(Bytes::gib(3726)),
        smart_passed: Some(true),
        reallocated: Some(0),
        pending: Some(0),
        uncorrectable: Some(0),
        link_errors: Some(0),
        sector_logical: Some(Bytes(512)),
        sector_physical: Some(Bytes(4096)),
        ..Drive::default()
    }
}

pub(crate) fn mount(dataset: &str) -> Mount {
    Mount { dataset: dataset.to_owned(), path: format!("/{dataset}"), options: Vec::new() }
}

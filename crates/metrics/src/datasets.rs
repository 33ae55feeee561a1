//! Datasets and volumes: reads, writes, and their intent logs from 2.2 on.

use arcwright_kstat::{NamedKstat, Snapshot};

use crate::families::Families;
use crate::family::{BYTES, Family, Number};
use crate::intent_log;
use crate::rows::{Row, row};

/// Datasets that get series of their own; a machine may have tens of thousands, Prometheus should not.
const DATASETS_MAX: usize = 2000;

/// Whether datasets get series of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetSeries {
    /// No.
    Off,
    /// Yes, each of them up to a bound.
    On,
}

const OPERATIONS: Family = Family::counter(
    "arcwright_dataset_operations",
    "Reads and writes of programs since the dataset was mounted.",
);
const MOVED: Family =
    Family::counter("arcwright_dataset_bytes", "Bytes of these reads and writes.").of(BYTES);
const UNLINKS: Family =
    Family::counter("arcwright_dataset_unlinks", "Files that programs deleted.");
const UNLINKED: Family =
    Family::counter("arcwright_dataset_unlinked", "Deleted files whose space was freed.");
const LEFT_OUT: Family = Family::gauge(
    "arcwright_datasets_left_out",
    "Datasets without series of their own, as there are too many.",
);

const ROWS: [Row; 6] = [
    row("reads", OPERATIONS, &[("direction", "read")]),
    row("writes", OPERATIONS, &[("direction", "write")]),
    row("nread", MOVED, &[("direction", "read")]),
    row("nwritten", MOVED, &[("direction", "write")]),
    row("nunlinks", UNLINKS, &[]),
    row("nunlinked", UNLINKED, &[]),
];

/// Adds every dataset that counts.
pub(crate) fn add(families: &mut Families, kstats: &Snapshot) {
    let mut left_out = 0_usize;
    for (index, (pool, dataset, kstat)) in named(kstats).enumerate() {
        if index >= DATASETS_MAX {
            left_out = left_out.saturating_add(1);
            continue;
        }
        let whose = [("dataset", dataset), ("pool", pool)];
        families.add_kstat(kstat, &ROWS, &whose);
        families.add_kstat(kstat, &intent_log::DATASET, &whose);
    }
    families.add(&LEFT_OUT, &[], Number::size(left_out));
}

/// Returns the kstats of datasets, with the pool and the name of each.
pub(crate) fn named(kstats: &Snapshot) -> impl Iterator<Item = (&str, &str, &NamedKstat)> {
    kstats.datasets().filter_map(|kstat| {
        let pool = kstat.module.strip_prefix("zfs/")?;
        Some((pool, kstat.dataset()?.trim(), kstat))
    })
}

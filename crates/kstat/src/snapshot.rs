//! All kstats of a machine at one moment.

use std::collections::BTreeMap;

use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};

use crate::counter::Counter;
use crate::named::NamedKstat;

/// One reading of kernel statistics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When it was taken, on the clock of whoever took it.
    pub at: Nanos,
    /// The kstats by path: `zfs/arcstats`, `zfs/tank/iostats`.
    pub kstats: BTreeMap<String, NamedKstat>,
}

impl Snapshot {
    /// Returns the kstats of datasets.
    pub fn datasets(&self) -> impl Iterator<Item = &NamedKstat> {
        self.kstats.values().filter(|kstat| kstat.is_dataset())
    }

    /// Returns `row` of all datasets, added up; none where none has it.
    #[must_use]
    pub fn of_datasets(&self, row: &str) -> Option<u64> {
        self.datasets().filter_map(|kstat| kstat.get(row)).reduce(u64::saturating_add)
    }

    /// Returns a snapshot of `kstats` taken at `at`; of two with one path the last is kept.
    #[must_use]
    pub fn from_kstats(at: Nanos, kstats: Vec<NamedKstat>) -> Self {
        Self { at, kstats: kstats.into_iter().map(|kstat| (kstat.path(), kstat)).collect() }
    }

    /// Returns a row as a number; none when the kstat or the row is absent or not a number.
    #[must_use]
    pub fn get(&self, kstat: &str, row: &str) -> Option<u64> {
        self.kstats.get(kstat)?.get(row)
    }

    /// Returns a row as a counter to be subtracted from a later one.
    #[must_use]
    pub fn counter(&self, kstat: &str, row: &str) -> Option<Counter> {
        self.get(kstat, row).map(Counter)
    }
}

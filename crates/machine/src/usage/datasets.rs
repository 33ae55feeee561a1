//! Which datasets read and write, and what is not known of their misses.
//!
//! OpenZFS counts reads and writes of each dataset since 0.8, hits and misses only of the whole machine: which dataset
//! missed is not known, and nothing here guesses it.

use std::collections::BTreeMap;

use arcwright_kstat::Delta;
use arcwright_units::visible;
use schemars::JsonSchema;
use serde::Serialize;

use crate::device_counts::float;
use crate::machine::{Dataset, Machine};
use crate::sample::Sample;

/// Datasets that are listed, the busiest first.
const DATASETS_MAX: usize = 200;

/// Datasets by what they read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DatasetTable {
    /// The time that rates are of.
    pub seconds: f64,
    /// The busiest first.
    pub rows: Vec<DatasetRow>,
    /// How many datasets there are beyond these.
    pub more: usize,
    /// Accesses of all datasets that missed the ARC per second, demand alone; absent where not counted.
    pub misses: Option<f64>,
    /// Those that the L2ARC did not have either; absent without L2ARC.
    pub l2_misses: Option<f64>,
    /// The share of demand accesses that the ARC had.
    pub arc_share: Option<f64>,
    /// Whether datasets are counted here at all.
    pub is_counted: bool,
}

/// What one dataset did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DatasetRow {
    /// Its name, hidden characters written out.
    pub name: String,
    /// Bytes per second.
    pub read: Option<f64>,
    /// Requests per second.
    pub reads: Option<f64>,
    /// Bytes per second.
    pub written: Option<f64>,
    /// Requests per second.
    pub writes: Option<f64>,
    /// Waits for stable storage per second (2.2+).
    pub commits: Option<f64>,
    /// What it lets the ARC keep (`primarycache`); absent where not read.
    pub primarycache: Option<String>,
    /// What it lets the L2ARC keep.
    pub secondarycache: Option<String>,
    /// Its record or block size in bytes.
    pub recordsize: Option<u64>,
}

impl DatasetRow {
    /// Returns what it read and wrote per second, of what was counted; none where neither was.
    #[must_use]
    pub fn moved(&self) -> Option<f64> {
        [self.read, self.written].into_iter().flatten().reduce(|read, written| read + written)
    }
}

impl DatasetTable {
    /// Returns what datasets did between two readings; properties are those of the machine.
    #[must_use]
    pub fn between(from: &Sample, to: &Sample, machine: Option<&Machine>) -> Self {
        let delta = Delta::between(&from.kstats, &to.kstats);
        let span = float(delta.span.0) / 1e9;
        let per_s = |path: &str, row: &str| {
            let count = delta.counted(path, row)?;
            (span > 0.0).then(|| float(count) / span)
        };
        let known = machine.map(|machine| machine.datasets.as_slice()).unwrap_or_default();
        let known: BTreeMap<&str, &Dataset> =
            known.iter().map(|dataset| (dataset.name.as_str(), dataset)).collect();
        let mut rows: Vec<DatasetRow> = Vec::new();
        for (path, kstat) in &to.kstats.kstats {
            let Some(name) = kstat.dataset() else { continue };
            let of = known.get(name);
            let property = |property: &str| {
                of.and_then(|dataset| dataset.properties.get(property))
                    .map(|(text, _)| text.as_str())
            };
            let size = property("recordsize").or_else(|| property("volblocksize"));
            rows.push(DatasetRow {
                name: visible(name).into_owned(),
                read: per_s(path, "nread"),
                reads: per_s(path, "reads"),
                written: per_s(path, "nwritten"),
                writes: per_s(path, "writes"),
                commits: per_s(path, "zil_commit_count"),
                primarycache: property("primarycache").map(|text| visible(text).into_owned()),
                secondarycache: property("secondarycache").map(|text| visible(text).into_owned()),
                recordsize: size.and_then(|text| text.parse().ok()),
            });
        }
        let busy = |row: &DatasetRow| row.moved().unwrap_or(0.0);
        rows.sort_by(|one, other| {
            busy(other).total_cmp(&busy(one)).then_with(|| one.name.cmp(&other.name))
        });
        let arc = |row: &str| per_s("zfs/arcstats", row);
        let both = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
        let misses = both(arc("demand_data_misses"), arc("demand_metadata_misses"));
        let hits = both(arc("demand_data_hits"), arc("demand_metadata_hits"));
        let all = both(hits, misses).filter(|all| *all > 0.0);
        let has_l2arc = to.kstats.get("zfs/arcstats", "l2_size").is_some_and(|size| size > 0);
        let is_counted = !rows.is_empty();
        let more = rows.len().saturating_sub(DATASETS_MAX);
        rows.truncate(DATASETS_MAX);
        Self {
            seconds: span,
            rows,
            more,
            misses,
            l2_misses: arc("l2_misses").filter(|_| has_l2arc),
            arc_share: hits.zip(all).map(|(hits, all)| hits / all),
            is_counted,
        }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::{NamedKstat, Snapshot};
    use arcwright_units::Nanos;

    use super::DatasetTable;
    use crate::sample::Sample;

    fn sample(second: u64, reads: &[(&str, u64)]) -> Sample {
        let kstat = |(number, (name, bytes)): (usize, &(&str, u64))| {
            let text = format!(
                "36 1 0x01 3 0 5 {}\nname type data\ndataset_name 7 {name}\nnread 4 {bytes}\nreads 4 {bytes}\n",
                Nanos::secs(second).0
            );
            NamedKstat::parse(&format!("zfs/tank/objset-0x{number}"), &text).unwrap()
        };
        let kstats = reads.iter().enumerate().map(kstat).collect();
        Sample { kstats: Snapshot::from_kstats(Nanos::secs(second), kstats), ..Sample::default() }
    }

    #[test]
    fn the_busiest_dataset_stands_first_and_misses_stay_unknown() {
        let from = sample(1, &[("tank/a", 0), ("tank/<b>", 0)]);
        let to = sample(3, &[("tank/a", 10), ("tank/<b>", 30)]);
        let table = DatasetTable::between(&from, &to, None);
        let rows: Vec<(&str, Option<f64>)> =
            table.rows.iter().map(|row| (row.name.as_str(), row.read)).collect();
        assert_eq!(rows, [("tank/<b>", Some(15.0)), ("tank/a", Some(5.0))]);
        assert_eq!((table.misses, table.l2_misses, table.arc_share), (None, None, None));
        assert_eq!(table.rows[0].written, None);
        assert!(!DatasetTable::between(&Sample::default(), &Sample::default(), None).is_counted);
    }
}

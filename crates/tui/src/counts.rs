//! The rows of a reading that the dashboard shows.
//!
//! Row names: docs/model/counters.md. A row that is absent is none.

use std::sync::Arc;

use arcwright_kstat::{NamedKstat, Snapshot, Txg};
use arcwright_machine::{DeviceCount, ProcessMoment};
use arcwright_units::{Nanos, visible};

use crate::sample::{DashboardSample, QueueSample};

/// The four classes of accesses, as the kernel names them and as people do.
pub(crate) const KINDS: [(&str, &str); 4] = [
    ("demand_data", "demand data"),
    ("demand_metadata", "demand metadata"),
    ("prefetch_data", "prefetch data"),
    ("prefetch_metadata", "prefetch metadata"),
];
/// Datasets that are kept of a reading: those that have moved the most.
pub(crate) const DATASETS_MAX: usize = 256;

/// A row, when it is there.
pub(crate) type Count = Option<u64>;

/// The rows of a reading that are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) at: Nanos,
    pub(crate) place: String,
    pub(crate) activity: String,
    pub(crate) arc: ArcCounts,
    pub(crate) l2: L2Counts,
    pub(crate) writes: WriteCounts,
    pub(crate) memory: MemoryCounts,
    pub(crate) read_bytes: Count,
    pub(crate) written_bytes: Count,
    pub(crate) devices: Vec<DeviceCount>,
    /// By name.
    pub(crate) datasets: Vec<DatasetCount>,
    /// Datasets beyond those.
    pub(crate) datasets_more: usize,
    pub(crate) pools: Vec<PoolCount>,
    pub(crate) processes: Option<Arc<ProcessMoment>>,
}

/// The ARC's own rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ArcCounts {
    /// Found and not found, by class; found on its way counts as found.
    pub(crate) kinds: [(Count, Count); 4],
    pub(crate) ghost_hits: Count,
    pub(crate) size: Count,
    pub(crate) target: Count,
    pub(crate) target_max: Count,
    pub(crate) metadata: Count,
    pub(crate) data: Count,
    pub(crate) headers: Count,
}

/// The rows of cache devices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct L2Counts {
    pub(crate) hits: Count,
    pub(crate) misses: Count,
    pub(crate) read_bytes: Count,
    pub(crate) write_bytes: Count,
    pub(crate) size: Count,
    pub(crate) allocated: Count,
    pub(crate) headers: Count,
}

/// Transaction groups, the intent log, queues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WriteCounts {
    pub(crate) commits: Count,
    pub(crate) log_normal: Count,
    pub(crate) log_slog: Count,
    /// Transactions that were delayed since there was much dirty data.
    pub(crate) delays: Count,
    /// The last groups of each pool, the newest first.
    pub(crate) groups: Vec<(Arc<str>, Txg)>,
    pub(crate) dirty_max: Count,
    pub(crate) queues: Vec<QueueSample>,
}

/// The machine's memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MemoryCounts {
    pub(crate) total: Count,
    /// What programs could get without swapping.
    pub(crate) available: Count,
}

/// What a dataset has moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DatasetCount {
    pub(crate) name: Arc<str>,
    pub(crate) read_bytes: Count,
    pub(crate) written_bytes: Count,
    pub(crate) reads: Count,
    pub(crate) writes: Count,
}

/// A pool with what its datasets have moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PoolCount {
    pub(crate) name: String,
    pub(crate) state: Option<String>,
    pub(crate) devices: Vec<String>,
    pub(crate) read_bytes: Count,
    pub(crate) written_bytes: Count,
}

/// Groups that are kept of each pool.
const GROUPS_MAX: usize = 64;

impl Counts {
    /// Returns the rows of a reading; names are those of the reading before where they are the same.
    pub(crate) fn of(moment: &DashboardSample, before: Option<&Self>) -> Self {
        let kstats = &moment.kstats;
        let mut datasets = datasets(kstats, before.map_or(&[], |before| &before.datasets));
        let datasets_more = datasets.len().saturating_sub(DATASETS_MAX);
        if datasets_more > 0 {
            let moved = |it: &DatasetCount| {
                it.read_bytes.unwrap_or(0).saturating_add(it.written_bytes.unwrap_or(0))
            };
            datasets.sort_by_key(|it| std::cmp::Reverse(moved(it)));
            datasets.truncate(DATASETS_MAX);
        }
        datasets.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            at: kstats.at,
            place: moment.place.clone(),
            activity: moment.activity.clone(),
            arc: ArcCounts::of(kstats),
            l2: L2Counts::of(kstats),
            writes: WriteCounts::of(moment),
            memory: MemoryCounts::of(kstats),
            read_bytes: moment.read_bytes,
            written_bytes: moment.written_bytes,
            devices: moment.devices.clone(),
            datasets,
            datasets_more,
            pools: pools(moment),
            processes: moment.processes.clone(),
        }
    }
}

impl ArcCounts {
    fn of(kstats: &Snapshot) -> Self {
        let arc = |row: &str| kstats.get("zfs/arcstats", row);
        Self {
            kinds: KINDS.map(|(kind, _)| accesses(kstats, kind)),
            ghost_hits: sum(arc("mru_ghost_hits"), arc("mfu_ghost_hits")),
            size: arc("size"),
            target: arc("c"),
            target_max: arc("c_max"),
            metadata: arc("arc_meta_used").or_else(|| arc("metadata_size")),
            data: arc("data_size"),
            headers: arc("hdr_size"),
        }
    }
}

impl L2Counts {
    fn of(kstats: &Snapshot) -> Self {
        let arc = |row: &str| kstats.get("zfs/arcstats", row);
        Self {
            hits: arc("l2_hits"),
            misses: arc("l2_misses"),
            read_bytes: arc("l2_read_bytes"),
            write_bytes: arc("l2_write_bytes"),
            size: arc("l2_size"),
            allocated: arc("l2_asize"),
            headers: arc("l2_hdr_size"),
        }
    }
}

impl WriteCounts {
    fn of(moment: &DashboardSample) -> Self {
        let zil = |row: &str| moment.kstats.get("zfs/zil", row);
        let first = |rows: [&str; 2]| rows.into_iter().find_map(zil);
        let mut groups = Vec::new();
        for (pool, list) in &moment.txgs {
            let pool: Arc<str> = visible(pool).into();
            let newest = list.iter().rev().take(GROUPS_MAX);
            groups.extend(newest.map(|group| (Arc::clone(&pool), *group)));
        }
        // On one machine all pools have one clock.
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.birth));
        groups.truncate(GROUPS_MAX);
        Self {
            commits: zil("zil_commit_count"),
            log_normal: first(["zil_itx_metaslab_normal_write", "zil_itx_metaslab_normal_bytes"]),
            log_slog: first(["zil_itx_metaslab_slog_write", "zil_itx_metaslab_slog_bytes"]),
            delays: moment.kstats.get("zfs/dmu_tx", "dmu_tx_dirty_delay"),
            groups,
            dirty_max: moment.dirty_bytes_max,
            queues: moment.queues.clone(),
        }
    }
}

impl MemoryCounts {
    /// What the kernel estimates comes first; the ARC's own view leaves out pages of files in use.
    fn of(kstats: &Snapshot) -> Self {
        let kernel = |row: &str| kstats.get("memory/meminfo", row);
        let arc = |row: &str| kstats.get("zfs/arcstats", row);
        match (kernel("MemTotal"), kernel("MemAvailable")) {
            (Some(total), Some(available)) => {
                Self { total: Some(total), available: Some(available) }
            }
            _ => Self { total: arc("memory_all_bytes"), available: arc("memory_free_bytes") },
        }
    }
}

fn accesses(kstats: &Snapshot, kind: &str) -> (Count, Count) {
    let row = |what: &str| kstats.get("zfs/arcstats", &format!("{kind}_{what}"));
    let hits = row("hits").map(|hits| hits.saturating_add(row("iohits").unwrap_or(0)));
    (hits, row("misses"))
}

fn sum(one: Count, other: Count) -> Count {
    Some(one?.saturating_add(other?))
}

fn datasets(kstats: &Snapshot, before: &[DatasetCount]) -> Vec<DatasetCount> {
    let counted = kstats.datasets().filter_map(|kstat| {
        let name = visible(kstat.dataset()?);
        let same = before.binary_search_by(|it| (*it.name).cmp(&name)).ok();
        let same = same.and_then(|index| before.get(index)).map(|it| Arc::clone(&it.name));
        Some(DatasetCount {
            name: same.unwrap_or_else(|| name.as_ref().into()),
            read_bytes: kstat.get("nread"),
            written_bytes: kstat.get("nwritten"),
            reads: kstat.get("reads"),
            writes: kstat.get("writes"),
        })
    });
    counted.collect()
}

fn pools(moment: &DashboardSample) -> Vec<PoolCount> {
    let pool = |pool: &crate::sample::PoolSample| {
        let folder = format!("zfs/{}/", pool.name);
        let all = moment.kstats.kstats.iter();
        let own = all.filter(|(path, kstat)| path.starts_with(&folder) && kstat.is_dataset());
        let own: Vec<&NamedKstat> = own.map(|(_, kstat)| kstat).collect();
        let total = |row: &str| own.iter().filter_map(|it| it.get(row)).reduce(u64::saturating_add);
        PoolCount {
            name: visible(&pool.name).into_owned(),
            state: pool.state.as_deref().map(|state| visible(state).into_owned()),
            devices: pool.devices.iter().map(|name| visible(name).into_owned()).collect(),
            read_bytes: total("nread"),
            written_bytes: total("nwritten"),
        }
    };
    moment.pools.iter().map(pool).collect()
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
    use arcwright_units::Nanos;

    use super::{Counts, DATASETS_MAX};
    use crate::sample::DashboardSample;

    fn reading(datasets: usize) -> DashboardSample {
        let kstat = |number: usize| {
            let rows = vec![
                ("dataset_name".to_owned(), KstatValue::Text(format!("tank/d{number}"))),
                ("nread".to_owned(), KstatValue::U64(number as u64)),
            ];
            NamedKstat::of_rows(&format!("zfs/tank/objset-0x{number:x}"), rows)
        };
        let kstats = Snapshot::from_kstats(Nanos::secs(1), (0..datasets).map(kstat).collect());
        DashboardSample { kstats, ..DashboardSample::default() }
    }

    #[test]
    fn of_many_datasets_those_are_kept_that_moved_the_most() {
        let counts = Counts::of(&reading(DATASETS_MAX + 3), None);
        assert_eq!((counts.datasets.len(), counts.datasets_more), (DATASETS_MAX, 3));
        assert!(counts.datasets.iter().all(|it| it.read_bytes >= Some(3)));
        assert!(counts.datasets.is_sorted_by(|one, other| one.name < other.name));
        assert_eq!(counts.datasets[0].written_bytes, None, "there is no such row");
    }

    #[test]
    fn a_name_is_kept_once_however_many_readings_have_it() {
        let first = Counts::of(&reading(2), None);
        let second = Counts::of(&reading(3), Some(&first));
        let is_shared = |index: usize| {
            std::sync::Arc::ptr_eq(&first.datasets[index].name, &second.datasets[index].name)
        };
        assert!(is_shared(0) && is_shared(1));
    }
}

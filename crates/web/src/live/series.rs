//! The series of the page: a table of what each is made from.
//!
//! Rows and the releases that have them: docs/model/counters.md.

use arcwright_kstat::{Delta, Snapshot, Txg};
use arcwright_machine::Sample;
use arcwright_units::Nanos;

use super::point::LiveReading;

/// One series of points.
#[derive(Debug, Clone, Copy)]
pub struct Series {
    /// Its name in JSON.
    pub id: &'static str,
    /// What its values are.
    pub unit: SeriesUnit,
    made_from: MadeFrom,
}

/// What values of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesUnit {
    /// Events per second.
    PerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// Bytes at one moment.
    Bytes,
    /// Nanoseconds.
    Time,
}

/// Where a series comes from.
#[derive(Debug, Clone, Copy)]
enum MadeFrom {
    /// Counters of one kstat, added up; the first must be there, others only some releases have.
    Counted(&'static str, &'static [&'static str]),
    /// Levels of `arcstats`, added up; likewise.
    Level(&'static [&'static str]),
    /// A counter of all datasets.
    Datasets(&'static str),
    /// Bytes of disks of a kind, read or written.
    Disks(DiskUse, Direction),
    /// Something of the last group that each pool has committed.
    Group(fn(&Txg) -> Option<u64>, Joined),
}

/// What pools use a disk for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiskUse {
    /// Neither as a cache nor as a log.
    Data,
    Cache,
    Log,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Reads,
    Writes,
}

/// How pools are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    Sum,
    Most,
}

const ARC: &str = "zfs/arcstats";

const fn counted(id: &'static str, unit: SeriesUnit, rows: &'static [&'static str]) -> Series {
    Series { id, unit, made_from: MadeFrom::Counted(ARC, rows) }
}

const fn level(id: &'static str, rows: &'static [&'static str]) -> Series {
    Series { id, unit: SeriesUnit::Bytes, made_from: MadeFrom::Level(rows) }
}

const fn bytes(id: &'static str, made_from: MadeFrom) -> Series {
    Series { id, unit: SeriesUnit::BytesPerSecond, made_from }
}

use SeriesUnit::{BytesPerSecond, PerSecond, Time};

/// All series, in the order of a point's values.
pub const SERIES: [Series; 39] = [
    bytes("programs_read", MadeFrom::Datasets("nread")),
    bytes("programs_write", MadeFrom::Datasets("nwritten")),
    bytes("disks_read", MadeFrom::Disks(DiskUse::Data, Direction::Reads)),
    bytes("disks_write", MadeFrom::Disks(DiskUse::Data, Direction::Writes)),
    bytes("cache_read", MadeFrom::Disks(DiskUse::Cache, Direction::Reads)),
    bytes("log_write", MadeFrom::Disks(DiskUse::Log, Direction::Writes)),
    counted("demand_data_hits", PerSecond, &["demand_data_hits", "demand_data_iohits"]),
    counted("demand_data_misses", PerSecond, &["demand_data_misses"]),
    counted("demand_metadata_hits", PerSecond, &["demand_metadata_hits", "demand_metadata_iohits"]),
    counted("demand_metadata_misses", PerSecond, &["demand_metadata_misses"]),
    counted("prefetch_data_hits", PerSecond, &["prefetch_data_hits", "prefetch_data_iohits"]),
    counted("prefetch_data_misses", PerSecond, &["prefetch_data_misses"]),
    counted(
        "prefetch_metadata_hits",
        PerSecond,
        &["prefetch_metadata_hits", "prefetch_metadata_iohits"],
    ),
    counted("prefetch_metadata_misses", PerSecond, &["prefetch_metadata_misses"]),
    counted("hits", PerSecond, &["hits", "iohits"]),
    counted("misses", PerSecond, &["misses"]),
    counted("mru_ghost_hits", PerSecond, &["mru_ghost_hits"]),
    counted("mfu_ghost_hits", PerSecond, &["mfu_ghost_hits"]),
    counted("l2_hits", PerSecond, &["l2_hits"]),
    counted("l2_misses", PerSecond, &["l2_misses"]),
    counted("l2_read", BytesPerSecond, &["l2_read_bytes"]),
    counted("l2_write", BytesPerSecond, &["l2_write_bytes"]),
    level("arc_size", &["size"]),
    level("arc_target", &["c"]),
    level("arc_max", &["c_max"]),
    level("arc_data", &["data_size"]),
    level("arc_metadata", &["metadata_size"]),
    level("arc_dnodes", &["dnode_size", "bonus_size", "dbuf_size"]),
    level("arc_headers", &["hdr_size"]),
    level("l2_headers", &["l2_hdr_size"]),
    level("memory_free", &["memory_free_bytes"]),
    level("l2_size", &["l2_asize"]),
    Series {
        id: "commits",
        unit: PerSecond,
        made_from: MadeFrom::Counted("zfs/zil", &["zil_commit_count"]),
    },
    Series {
        id: "delays",
        unit: PerSecond,
        made_from: MadeFrom::Counted("zfs/dmu_tx", &["dmu_tx_dirty_delay"]),
    },
    Series {
        id: "dirty",
        unit: SeriesUnit::Bytes,
        made_from: MadeFrom::Group(|group| group.dirty.map(|dirty| dirty.0), Joined::Sum),
    },
    Series {
        id: "txg_open",
        unit: Time,
        made_from: MadeFrom::Group(|group| Some(group.open.0), Joined::Most),
    },
    Series {
        id: "txg_sync",
        unit: Time,
        made_from: MadeFrom::Group(|group| Some(group.syncing.0), Joined::Most),
    },
    counted("throttled", PerSecond, &["memory_throttle_count"]),
    counted("reclaims", PerSecond, &["memory_direct_count"]),
];

/// Shares that follow from two series, so that they stay right over any span: part, and the rest of the whole.
pub const RATIOS: [(&str, &str, &str); 6] = [
    ("arc_share", "hits", "misses"),
    ("demand_data_share", "demand_data_hits", "demand_data_misses"),
    ("demand_metadata_share", "demand_metadata_hits", "demand_metadata_misses"),
    ("prefetch_data_share", "prefetch_data_hits", "prefetch_data_misses"),
    ("prefetch_metadata_share", "prefetch_metadata_hits", "prefetch_metadata_misses"),
    ("l2_share", "l2_hits", "l2_misses"),
];

impl Series {
    /// Returns its value between two readings; `delta` is that of their kstats.
    pub(super) fn value(
        &self,
        (from, to): (&LiveReading, &LiveReading),
        (delta, seconds): (&Delta, f64),
    ) -> Option<f64> {
        match self.made_from {
            MadeFrom::Counted(kstat, rows) => {
                let (first, others) = rows.split_first()?;
                let first = delta.counted(kstat, first)?;
                let others = others.iter().filter_map(|row| delta.counted(kstat, row));
                Some(float(others.fold(first, u64::saturating_add)) / seconds)
            }
            MadeFrom::Level(rows) => {
                let kstats = &to.sample.kstats;
                let (first, others) = rows.split_first()?;
                let first = kstats.get(ARC, first)?;
                let others = others.iter().filter_map(|row| kstats.get(ARC, row));
                Some(float(others.fold(first, u64::saturating_add)))
            }
            MadeFrom::Datasets(row) => {
                let counted = of_datasets(&to.sample.kstats, delta, row);
                let told = || match row {
                    "nread" => to.programs_read_bytes?.checked_sub(from.programs_read_bytes?),
                    _ => to.programs_written_bytes?.checked_sub(from.programs_written_bytes?),
                };
                counted.or_else(told).map(|count| float(count) / seconds)
            }
            MadeFrom::Disks(kind, direction) => {
                of_disks((from, to), kind, direction).map(|count| float(count) / seconds)
            }
            MadeFrom::Group(of, joined) => of_groups(&to.sample, of, joined),
        }
    }
}

/// Returns what all datasets counted; none where none counts it.
fn of_datasets(kstats: &Snapshot, delta: &Delta, row: &str) -> Option<u64> {
    let datasets = kstats.kstats.iter().filter(|(_, kstat)| kstat.is_dataset());
    let counted = datasets.filter_map(|(path, _)| delta.counted(path, row));
    counted.reduce(u64::saturating_add)
}

/// Returns bytes of the disks of a kind; none where there is no such disk, or where one cannot be compared.
fn of_disks(
    (from, to): (&LiveReading, &LiveReading),
    kind: DiskUse,
    direction: Direction,
) -> Option<u64> {
    let is_it = |role: &str| match kind {
        DiskUse::Data => !matches!(role, "cache" | "log" | "spare"),
        DiskUse::Cache => role == "cache",
        DiskUse::Log => role == "log",
    };
    let mut sum = None;
    for disk in to.disks.iter().filter(|disk| is_it(&disk.role)) {
        let before = from.disks.iter().find(|before| before.name == disk.name)?;
        let more = match direction {
            Direction::Reads => disk.read_bytes.checked_sub(before.read_bytes)?,
            Direction::Writes => disk.write_bytes.checked_sub(before.write_bytes)?,
        };
        sum = Some(more.saturating_add(sum.unwrap_or(0)));
    }
    sum
}

fn of_groups(sample: &Sample, of: fn(&Txg) -> Option<u64>, joined: Joined) -> Option<f64> {
    let last = sample.txgs.values().filter_map(|groups| {
        let group = groups.iter().rev().find(|group| group.state == 'C')?;
        of(group)
    });
    let all = match joined {
        Joined::Sum => last.reduce(u64::saturating_add),
        Joined::Most => last.max(),
    };
    all.map(float)
}

/// Returns a number as a float; above 2^53 the last digits are lost, which no chart shows.
#[expect(clippy::cast_precision_loss, reason = "charts show three digits")]
pub(super) const fn float(number: u64) -> f64 {
    number as f64
}

/// Returns seconds of a time.
pub(super) fn seconds(time: Nanos) -> f64 {
    float(time.0) / 1e9
}

#[cfg(test)]
mod tests {
    use super::{RATIOS, SERIES};

    #[test]
    fn names_are_unique_and_ratios_are_of_series() {
        let mut ids: Vec<&str> = SERIES.iter().map(|series| series.id).collect();
        ids.extend(RATIOS.iter().map(|(id, _, _)| *id));
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
        for (_, part, rest) in RATIOS {
            for id in [part, rest] {
                assert!(SERIES.iter().any(|series| series.id == id), "{id}");
            }
        }
    }
}

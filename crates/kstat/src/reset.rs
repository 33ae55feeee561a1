//! Counters that do not count on from where they stood: noticed, never subtracted.
//!
//! A kstat whose time of creation changed was made anew: the module was loaded again, or the pool
//! imported again; all its counters began at zero, even those that are past their old value by now.
//! Where no time of creation is known (`FreeBSD`), a counter that went back tells. A counter that
//! stood in the last sixteenth of its type's range and now stands in the first one has wrapped, and
//! its difference is known after all. Gauges go both ways and are never a sign of anything.

use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};

use crate::named::NamedKstat;
use crate::value::KstatValue;

/// Counters whose difference over the window is not what the two readings suggest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// The kstat's path: `zfs/arcstats`.
    pub kstat: String,
    /// The rows that went back, or all counters of a kstat that was made anew.
    pub rows: Vec<String>,
    /// How it is known.
    pub cause: ResetCause,
}

/// How it is known that counters started anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResetCause {
    /// The kstat was created in between: module loaded again, pool imported again.
    MadeAnew,
    /// Rows that count stand lower than before.
    WentBack,
    /// Rows ran over the end of their type; their differences are right.
    Wrapped,
}

/// Rows of `arcstats` that are levels, not counters, beyond what their names' endings tell.
const GAUGES: [&str; 27] = [
    "p",
    "c",
    "pd",
    "pm",
    "meta",
    "c_min",
    "c_max",
    "hash_elements",
    "hash_elements_max",
    "hash_chains",
    "hash_chain_max",
    "hash_table_count",
    "hash_mutex_count",
    "cache_count",
    "io_active",
    "arc_no_grow",
    "arc_tempreserve",
    "arc_loaned_bytes",
    "arc_meta_used",
    "arc_need_free",
    "arc_sys_free",
    "metadata_cache_count",
    "cached_only_in_progress",
    "l2_data_to_meta_ratio",
    "l2_ndev",
    "wcnt",
    "rcnt",
];
const GAUGE_ENDINGS: [&str; 15] = [
    "_cnt",
    "_waste",
    "size",
    "_limit",
    "_max",
    "_min",
    "_size_bytes",
    "_evictable_data",
    "_evictable_metadata",
    "_free_bytes",
    "_available_bytes",
    "_all_bytes",
    "_target_bytes",
    "water_bytes",
    "_lsize",
];
const GAUGE_STARTS: [&str; 8] = [
    "scatter_order_",
    "anon_",
    "mru_data",
    "mru_metadata",
    "mfu_data",
    "mfu_metadata",
    "uncached_",
    "cache_level_",
];

/// Returns whether a row is a level that goes both ways.
#[must_use]
pub fn is_gauge(row: &str) -> bool {
    let ghost_part = row.contains("_ghost_") && !row.ends_with("_hits");
    let counted = row.ends_with("_hits") || row.ends_with("_misses");
    let part = GAUGE_STARTS.iter().any(|start| row.starts_with(start)) && !counted;
    ghost_part
        || part
        || GAUGES.contains(&row)
        || GAUGE_ENDINGS.iter().any(|ending| row.ends_with(ending))
}

impl NamedKstat {
    /// Returns whether any row counts: sizes and limits alone are of one instant.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.rows.iter().any(|(row, _)| !is_gauge(row))
    }
}

/// Returns what happened to a kstat between two readings, nothing when it counted on.
pub(crate) fn resets(path: &str, old: &NamedKstat, new: &NamedKstat) -> Vec<Reset> {
    let numbers = |kstat: &NamedKstat| -> std::collections::BTreeMap<String, KstatValue> {
        let rows =
            kstat.rows.iter().filter(|(name, value)| value.as_i128().is_some() && !is_gauge(name));
        rows.cloned().collect()
    };
    let (before, after) = (numbers(old), numbers(new));
    let counters = after.iter().filter_map(|(row, new)| Some((row, before.get(row)?, new)));
    let of = |cause, rows: Vec<String>| Reset { kstat: path.to_owned(), rows, cause };
    if made_anew(old, new) {
        return vec![of(ResetCause::MadeAnew, counters.map(|(row, ..)| row.clone()).collect())];
    }
    let back = counters.filter(|(_, old, new)| old.as_i128() > new.as_i128());
    let (wrapped, back): (Vec<_>, Vec<_>) =
        back.partition(|(_, old, new)| wrapped_difference(old, new).is_some());
    let names = |rows: Vec<(&String, &KstatValue, &KstatValue)>| -> Vec<String> {
        rows.into_iter().map(|(row, ..)| row.clone()).collect()
    };
    let both = [(ResetCause::WentBack, names(back)), (ResetCause::Wrapped, names(wrapped))];
    both.into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(cause, rows)| of(cause, rows))
        .collect()
}

/// Returns whether the kernel made the kstat between the readings.
pub(crate) fn made_anew(old: &NamedKstat, new: &NamedKstat) -> bool {
    old.crtime != new.crtime && old.crtime != Nanos::ZERO && new.crtime != Nanos::ZERO
}

/// Returns how much a counter counted over the end of its type; none when it did not wrap.
pub(crate) fn wrapped_difference(old: &KstatValue, new: &KstatValue) -> Option<i128> {
    let range: i128 = match (old, new) {
        (KstatValue::U64(_), KstatValue::U64(_)) | (KstatValue::ULong(_), KstatValue::ULong(_)) => {
            1 << 64
        }
        (KstatValue::U32(_), KstatValue::U32(_)) => 1 << 32,
        _ => return None,
    };
    let (old, new) = (old.as_i128()?, new.as_i128()?);
    let near = range / 16;
    (old >= range - near && new < near).then_some(new + range - old)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{KstatValue, NamedKstat, Reset, ResetCause, is_gauge, resets};

    fn kstat(crtime: u64, rows: &[(&str, KstatValue)]) -> NamedKstat {
        let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let crtime = Nanos(crtime);
        NamedKstat { crtime, ..NamedKstat::of_rows("zfs/arcstats", rows) }
    }

    fn check(old: &NamedKstat, new: &NamedKstat, expected: &[(ResetCause, &[&str])]) {
        let got = resets("zfs/arcstats", old, new);
        let expected = expected.iter().map(|(cause, rows)| Reset {
            kstat: "zfs/arcstats".to_owned(),
            rows: rows.iter().map(|row| (*row).to_owned()).collect(),
            cause: *cause,
        });
        assert_eq!(got, expected.collect::<Vec<_>>());
    }

    #[test]
    fn counting_on_and_gauges_are_no_reset() {
        let old = kstat(5, &[("hits", KstatValue::U64(5)), ("size", KstatValue::U64(9))]);
        let new = kstat(5, &[("hits", KstatValue::U64(6)), ("size", KstatValue::U64(1))]);
        check(&old, &new, &[]);
    }

    #[test]
    fn a_kstat_made_anew_has_no_counters_left_even_when_they_are_higher() {
        let old = kstat(5, &[("hits", KstatValue::U64(5)), ("size", KstatValue::U64(9))]);
        let new = kstat(8, &[("hits", KstatValue::U64(6)), ("size", KstatValue::U64(1))]);
        check(&old, &new, &[(ResetCause::MadeAnew, &["hits"])]);
    }

    #[test]
    fn without_times_of_creation_the_rows_that_went_back_tell() {
        let old = kstat(0, &[("hits", KstatValue::U64(5)), ("misses", KstatValue::U64(2))]);
        let new = kstat(0, &[("hits", KstatValue::U64(4)), ("misses", KstatValue::U64(3))]);
        check(&old, &new, &[(ResetCause::WentBack, &["hits"])]);
    }

    #[test]
    fn a_wrap_is_not_a_reset() {
        let old = kstat(
            5,
            &[("hits", KstatValue::U64(u64::MAX - 2)), ("reads", KstatValue::U32(u32::MAX))],
        );
        let new = kstat(5, &[("hits", KstatValue::U64(3)), ("reads", KstatValue::U32(1))]);
        check(&old, &new, &[(ResetCause::Wrapped, &["hits", "reads"])]);
    }

    #[test]
    fn levels_are_told_from_counters() {
        let gauges = [
            "size",
            "c",
            "mfu_ghost_size",
            "mru_evictable_data",
            "memory_free_bytes",
            "anon_data",
            "l2_hdr_size",
            "arc_meta_limit",
            "mru_data",
            "cache_target_bytes",
        ];
        gauges.iter().for_each(|row| assert!(is_gauge(row), "{row}"));
        let counters = [
            "hits",
            "mru_ghost_hits",
            "l2_write_bytes",
            "uncached_hits",
            "deleted",
            "evict_l2_eligible",
            "demand_metadata_misses",
            "zil_commit_count",
            "nread",
            "l2_feeds",
            "memory_throttle_count",
            "cache_total_evicts",
            "hash_collisions",
        ];
        counters.iter().for_each(|row| assert!(!is_gauge(row), "{row}"));
    }
}

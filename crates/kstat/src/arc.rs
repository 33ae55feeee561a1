//! What the ARC and the L2ARC did between two snapshots.
//!
//! Row names and the versions that have them: docs/model/counters.md. A row that the module does
//! not have, or that was reset in between, is `None`, never zero.

use arcwright_units::Ratio;
use serde::{Deserialize, Serialize};

use crate::delta::Delta;

const ARCSTATS: &str = "zfs/arcstats";

/// Rows of `arcstats` that count evicted bytes, each byte in one of them.
pub const EVICTED_ROWS: [&str; 3] = ["evict_l2_cached", "evict_l2_eligible", "evict_l2_ineligible"];

/// Accesses of one class: demand or prefetch, of data or metadata.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessCounts {
    /// Found in memory.
    pub hits: Option<u64>,
    /// Found while its I/O was under way (2.2+).
    pub iohits: Option<u64>,
    /// Neither.
    pub misses: Option<u64>,
}

/// The counters of `arcstats` over a span of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArcDelta {
    /// All accesses.
    pub all: AccessCounts,
    /// Demand reads of file contents.
    pub demand_data: AccessCounts,
    /// Demand reads of metadata.
    pub demand_metadata: AccessCounts,
    /// Prefetches of file contents.
    pub prefetch_data: AccessCounts,
    /// Prefetches of metadata.
    pub prefetch_metadata: AccessCounts,
    /// Hits on the recently used list.
    pub mru_hits: Option<u64>,
    /// Hits on the frequently used list.
    pub mfu_hits: Option<u64>,
    /// Misses that the ghost list of recently used blocks remembers.
    pub mru_ghost_hits: Option<u64>,
    /// Misses that the ghost list of frequently used blocks remembers.
    pub mfu_ghost_hits: Option<u64>,
    /// ARC misses that the L2ARC had.
    pub l2_hits: Option<u64>,
    /// ARC misses that the L2ARC did not have; counted only while there is a cache device.
    pub l2_misses: Option<u64>,
    /// Bytes read from cache devices.
    pub l2_read_bytes: Option<u64>,
    /// Bytes written to cache devices.
    pub l2_write_bytes: Option<u64>,
    /// Change of the ARC's size in bytes; a gauge, so it goes both ways.
    pub size_change_bytes: Option<i64>,
    /// Change of the ARC's target `c` in bytes.
    pub target_change_bytes: Option<i64>,
}

impl ArcDelta {
    /// Returns the ARC's part of `delta`; none when there are no `arcstats`.
    #[must_use]
    pub fn of(delta: &Delta) -> Option<Self> {
        delta.kstats.get(ARCSTATS)?;
        let row = |name: &str| delta.counted(ARCSTATS, name);
        Some(Self {
            all: AccessCounts { hits: row("hits"), iohits: row("iohits"), misses: row("misses") },
            demand_data: class_of(delta, "demand_data"),
            demand_metadata: class_of(delta, "demand_metadata"),
            prefetch_data: class_of(delta, "prefetch_data"),
            prefetch_metadata: class_of(delta, "prefetch_metadata"),
            mru_hits: row("mru_hits"),
            mfu_hits: row("mfu_hits"),
            mru_ghost_hits: row("mru_ghost_hits"),
            mfu_ghost_hits: row("mfu_ghost_hits"),
            l2_hits: row("l2_hits"),
            l2_misses: row("l2_misses"),
            l2_read_bytes: row("l2_read_bytes"),
            l2_write_bytes: row("l2_write_bytes"),
            size_change_bytes: delta.get(ARCSTATS, "size"),
            target_change_bytes: delta.get(ARCSTATS, "c"),
        })
    }

    /// Returns the share of accesses that found their block in memory or on its way there.
    #[must_use]
    pub fn arc_hit_ratio(&self) -> Ratio {
        self.all.hit_ratio()
    }

    /// Returns the share of ARC misses that the L2ARC had; none where it is not counted.
    #[must_use]
    pub fn l2arc_hit_ratio(&self) -> Option<Ratio> {
        let hits = self.l2_hits?;
        Some(Ratio::new(hits, hits.saturating_add(self.l2_misses?)))
    }
}

impl AccessCounts {
    /// Returns how many found their block in memory or on its way there, which versions before 2.2 count as hits; none
    /// when unknown.
    #[must_use]
    pub fn found(&self) -> Option<u64> {
        let hits = self.hits?;
        Some(self.iohits.map_or(hits, |late| hits.saturating_add(late)))
    }

    /// Returns `(hits + iohits) / (hits + iohits + misses)`; a share of nothing when unknown.
    #[must_use]
    pub fn hit_ratio(&self) -> Ratio {
        let (Some(found), Some(misses)) = (self.found(), self.misses) else {
            return Ratio::default();
        };
        Ratio::new(found, found.saturating_add(misses))
    }
}

fn class_of(delta: &Delta, class: &str) -> AccessCounts {
    let row = |what: &str| delta.counted(ARCSTATS, &format!("{class}_{what}"));
    AccessCounts { hits: row("hits"), iohits: row("iohits"), misses: row("misses") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arcwright_units::{Nanos, Ratio};

    use super::{ArcDelta, Delta};

    fn delta(rows: &[(&str, i64)]) -> Delta {
        let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let kstats = BTreeMap::from([("zfs/arcstats".to_owned(), rows)]);
        Delta { span: Nanos::SECOND, kstats, resets: Vec::new() }
    }

    #[test]
    fn joined_reads_count_as_found() {
        let new = delta(&[("hits", 6), ("iohits", 2), ("misses", 2), ("demand_data_hits", 5)]);
        let arc = ArcDelta::of(&new).unwrap();
        assert_eq!(arc.arc_hit_ratio(), Ratio::new(8, 10));
        assert_eq!(arc.demand_data.hits, Some(5));
        assert_eq!(arc.demand_data.misses, None);
    }

    #[test]
    fn an_old_module_has_no_iohits() {
        let arc = ArcDelta::of(&delta(&[("hits", 6), ("misses", 2)])).unwrap();
        assert_eq!(arc.all.iohits, None);
        assert_eq!(arc.arc_hit_ratio(), Ratio::new(6, 8));
        assert_eq!(arc.l2arc_hit_ratio(), None);
    }

    #[test]
    fn a_reset_counter_gives_no_ratio() {
        let arc = ArcDelta::of(&delta(&[("hits", -6), ("misses", 2)])).unwrap();
        assert_eq!(arc.all.hits, None);
        assert_eq!(arc.arc_hit_ratio().value(), None);
    }

    #[test]
    fn the_l2arc_ratio_is_of_arc_misses() {
        let arc = ArcDelta::of(&delta(&[("l2_hits", 3), ("l2_misses", 1)])).unwrap();
        assert_eq!(arc.l2arc_hit_ratio(), Some(Ratio::new(3, 4)));
        assert_eq!(ArcDelta::of(&Delta::default()), None);
    }
}

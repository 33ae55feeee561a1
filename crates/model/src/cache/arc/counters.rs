//! What the ARC counts, by the kernel's names.

use super::Kind;

/// Rows of arcstats that the model keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) hits: u64,
    pub(crate) iohits: u64,
    pub(crate) misses: u64,
    /// By demand or prefetch, then by data or metadata.
    pub(crate) hits_by: [[u64; 2]; 2],
    pub(crate) iohits_by: [[u64; 2]; 2],
    pub(crate) misses_by: [[u64; 2]; 2],
    pub(crate) mru_hits: u64,
    pub(crate) mfu_hits: u64,
    pub(crate) mru_ghost_hits: u64,
    pub(crate) mfu_ghost_hits: u64,
    pub(crate) deleted: u64,
    pub(crate) evict_skip: u64,
    pub(crate) evict_not_enough: u64,
    pub(crate) evict_l2_cached: u64,
    pub(crate) evict_l2_eligible: u64,
    pub(crate) evict_l2_ineligible: u64,
    pub(crate) demand_hit_predictive_prefetch: u64,
    pub(crate) demand_iohit_predictive_prefetch: u64,
    pub(crate) predictive_prefetch: u64,
    pub(crate) demand_hit_prescient_prefetch: u64,
    pub(crate) demand_iohit_prescient_prefetch: u64,
    pub(crate) prescient_prefetch: u64,
    /// Hits of what is not to stay.
    pub(crate) uncached_hits: u64,
    pub(crate) async_upgrade_sync: u64,
    pub(crate) l2_hits: u64,
    pub(crate) l2_misses: u64,
    pub(crate) l2_rw_clash: u64,
    pub(crate) l2_read_bytes: u64,
}

impl Counters {
    pub(crate) fn hit(&mut self, prefetch: bool, kind: Kind) {
        self.hits += 1;
        add(&mut self.hits_by, prefetch, kind);
    }

    /// Counts `count` accesses to metadata that is in memory and not modelled block by block.
    pub(crate) fn count_hits(&mut self, count: u64) {
        self.hits += count;
        self.mru_hits += count;
        if let Some(hits) =
            self.hits_by.first_mut().and_then(|of| of.get_mut(Kind::Metadata as usize))
        {
            *hits += count;
        }
    }

    pub(crate) fn iohit(&mut self, prefetch: bool, kind: Kind) {
        self.iohits += 1;
        add(&mut self.iohits_by, prefetch, kind);
    }

    pub(crate) fn miss(&mut self, prefetch: bool, kind: Kind) {
        self.misses += 1;
        add(&mut self.misses_by, prefetch, kind);
    }
}

fn add(counts: &mut [[u64; 2]; 2], prefetch: bool, kind: Kind) {
    let count = counts.get_mut(usize::from(prefetch)).and_then(|of| of.get_mut(kind as usize));
    if let Some(count) = count {
        *count += 1;
    }
}

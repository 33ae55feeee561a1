//! The tables of deduplication (DDT) of a pool.

use arcwright_units::Bytes;

/// The tables of deduplication that a pool has, and would have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DedupTables {
    /// The one that it has, as `zpool status -D` tells it.
    pub own: Option<DedupTable>,
    /// The one that it would have if everything were deduplicated, as `zdb -S` counts it.
    pub simulated: Option<DedupTable>,
}

/// The table of deduplication (DDT), from the line `dedup: DDT entries …` of `zpool status -D`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DedupTable {
    /// Blocks in it.
    pub entries: Option<u64>,
    /// What one entry takes on disk.
    pub entry_size_on_disk: Option<Bytes>,
    /// What one entry takes in memory.
    pub entry_size_in_core: Option<Bytes>,
    /// What its blocks take on disk.
    pub allocated: Option<Bytes>,
    /// What they would take if nothing were shared.
    pub referenced: Option<Bytes>,
    /// What is saved by sharing, as the rows of its histogram have it: their differences, of less rounded figures than the
    /// totals.
    pub saved_by_rows: Option<Bytes>,
    /// Blocks in it that are referenced once, so that nothing is saved by them.
    pub unique: Option<u64>,
}

impl DedupTable {
    /// Returns what is saved by sharing blocks.
    #[must_use]
    pub fn saved(&self) -> Option<Bytes> {
        let totals = || Some(Bytes(self.referenced?.0.saturating_sub(self.allocated?.0)));
        self.saved_by_rows.or_else(totals)
    }

    /// Returns how many times as much would be stored if nothing were shared.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        Some(self.referenced?.0 as f64 / self.allocated?.0.max(1) as f64)
    }
}

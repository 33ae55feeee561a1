//! What is shown of a recording over time: a table of the rows that each quantity is made from.
//!
//! Rows and the releases that have them: docs/model/counters.md.

/// A quantity over time. Counters are per second, in bytes per second where they count bytes; levels are in bytes, times in
/// nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimelineMeasure {
    /// Accesses to data that somebody waited for and the ARC had.
    DemandDataHits,
    /// The same that it did not have.
    DemandDataMisses,
    /// Accesses to metadata that somebody waited for and the ARC had.
    DemandMetadataHits,
    /// The same that it did not have.
    DemandMetadataMisses,
    /// Data that the prefetcher asked for and the ARC had.
    PrefetchDataHits,
    /// The same that it did not have.
    PrefetchDataMisses,
    /// Metadata that the prefetcher asked for and the ARC had.
    PrefetchMetadataHits,
    /// The same that it did not have.
    PrefetchMetadataMisses,
    /// Misses of the ARC that the L2ARC had.
    L2Hits,
    /// Misses of the ARC that the L2ARC did not have either.
    L2Misses,
    /// Bytes read from the L2ARC.
    L2Read,
    /// Bytes written to the L2ARC.
    L2Written,
    /// Size of the ARC.
    ArcSize,
    /// What the ARC aims for.
    ArcTarget,
    /// The ARC's limit.
    ArcMax,
    /// Bytes on the L2ARC.
    L2Size,
    /// Memory for the headers of what is on the L2ARC.
    L2Headers,
    /// The machine's memory.
    MemoryTotal,
    /// What programs could get of it.
    MemoryAvailable,
    /// Commits of the intent log.
    Commits,
    /// Transactions that were delayed, as too much was dirty.
    Delays,
    /// Bytes that programs read.
    ProgramsRead,
    /// Bytes that programs wrote.
    ProgramsWritten,
    /// Bytes read from the pools' disks, without caches and logs.
    DisksRead,
    /// Bytes written to them.
    DisksWritten,
    /// Bytes written to log devices.
    LogWritten,
    /// Dirty bytes of the last transaction group of each pool.
    Dirty,
    /// How long the last transaction group of a pool took to be written, the longest.
    Syncing,
}

/// Where rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    Arc,
    Log,
    Transactions,
    Memory,
    /// A dataset, or all of them as one table.
    Dataset,
    /// A disk of a pool that is neither a cache nor a log.
    DataDisk,
    CacheDisk,
    LogDisk,
    /// The last transaction group of a pool.
    Group,
}

/// What a quantity is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ingredients {
    pub(super) measure: TimelineMeasure,
    pub(super) kind: TableKind,
    /// Added up; the first must be there, others only some releases have.
    pub(super) rows: &'static [&'static str],
    pub(super) nature: Nature,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    Counter,
    Level,
    /// A level of which the largest of all tables counts.
    Largest,
}

use Nature::{Counter, Largest, Level};
use TableKind::{Arc, DataDisk, Dataset, Group, Log, LogDisk, Memory, Transactions};
use TimelineMeasure as M;

const fn of(
    measure: TimelineMeasure,
    kind: TableKind,
    rows: &'static [&'static str],
    nature: Nature,
) -> Ingredients {
    Ingredients { measure, kind, rows, nature }
}

pub(super) const INGREDIENTS: [Ingredients; 28] = [
    of(M::DemandDataHits, Arc, &["demand_data_hits", "demand_data_iohits"], Counter),
    of(M::DemandDataMisses, Arc, &["demand_data_misses"], Counter),
    of(M::DemandMetadataHits, Arc, &["demand_metadata_hits", "demand_metadata_iohits"], Counter),
    of(M::DemandMetadataMisses, Arc, &["demand_metadata_misses"], Counter),
    of(M::PrefetchDataHits, Arc, &["prefetch_data_hits", "prefetch_data_iohits"], Counter),
    of(M::PrefetchDataMisses, Arc, &["prefetch_data_misses"], Counter),
    of(
        M::PrefetchMetadataHits,
        Arc,
        &["prefetch_metadata_hits", "prefetch_metadata_iohits"],
        Counter,
    ),
    of(M::PrefetchMetadataMisses, Arc, &["prefetch_metadata_misses"], Counter),
    of(M::L2Hits, Arc, &["l2_hits"], Counter),
    of(M::L2Misses, Arc, &["l2_misses"], Counter),
    of(M::L2Read, Arc, &["l2_read_bytes"], Counter),
    of(M::L2Written, Arc, &["l2_write_bytes"], Counter),
    of(M::ArcSize, Arc, &["size"], Level),
    of(M::ArcTarget, Arc, &["c"], Level),
    of(M::ArcMax, Arc, &["c_max"], Level),
    of(M::L2Size, Arc, &["l2_asize"], Level),
    of(M::L2Headers, Arc, &["l2_hdr_size"], Level),
    of(M::MemoryTotal, Memory, &["MemTotal"], Level),
    of(M::MemoryAvailable, Memory, &["MemAvailable"], Level),
    of(M::Commits, Log, &["zil_commit_count"], Counter),
    of(M::Delays, Transactions, &["dmu_tx_dirty_delay"], Counter),
    of(M::ProgramsRead, Dataset, &["nread"], Counter),
    of(M::ProgramsWritten, Dataset, &["nwritten"], Counter),
    of(M::DisksRead, DataDisk, &["read_bytes"], Counter),
    of(M::DisksWritten, DataDisk, &["write_bytes"], Counter),
    of(M::LogWritten, LogDisk, &["write_bytes"], Counter),
    of(M::Dirty, Group, &["ndirty"], Level),
    of(M::Syncing, Group, &["stime"], Largest),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::INGREDIENTS;

    #[test]
    fn every_quantity_is_made_once() {
        let all: BTreeSet<_> = INGREDIENTS.iter().map(|of| of.measure).collect();
        assert_eq!(all.len(), INGREDIENTS.len());
        assert!(INGREDIENTS.iter().all(|of| !of.rows.is_empty()));
    }
}

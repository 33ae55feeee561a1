//! Buffers above the ARC, dnodes, and the streams that read ahead.

use arcwright_kstat::Snapshot;

use crate::families::Families;
use crate::family::{BYTES, Family};
use crate::rows::{Row, row};

const DBUFS: Family = Family::gauge("arcwright_dbuf_cache_buffers", "Buffers in the dbuf cache.");
const DBUF_SIZE: Family =
    Family::gauge("arcwright_dbuf_cache_size_bytes", "Memory that the dbuf cache takes.").of(BYTES);
const DBUF_TARGET: Family =
    Family::gauge("arcwright_dbuf_cache_target_bytes", "The size that the dbuf cache aims at.")
        .of(BYTES);
const DBUF_EVICTIONS: Family =
    Family::counter("arcwright_dbuf_cache_evictions", "Buffers that left the dbuf cache.");
const DBUF_LOOKUPS: Family = Family::counter(
    "arcwright_dbuf_lookups",
    "Reads by whether their block had a dbuf (hit) or had to be asked for in the ARC (miss).",
);
const DBUF_METADATA: Family = Family::gauge(
    "arcwright_dbuf_metadata_cache_size_bytes",
    "Memory of the dbuf cache for metadata of datasets.",
)
.of(BYTES);
const DBUF_HASH: Family = Family::gauge("arcwright_dbufs", "Dbufs in the hash table.");

const DBUF_ROWS: [Row; 8] = [
    row("cache_count", DBUFS, &[]),
    row("cache_size_bytes", DBUF_SIZE, &[]),
    row("cache_target_bytes", DBUF_TARGET, &[]),
    row("cache_total_evicts", DBUF_EVICTIONS, &[]),
    row("hash_hits", DBUF_LOOKUPS, &[("result", "hit")]),
    row("hash_misses", DBUF_LOOKUPS, &[("result", "miss")]),
    row("metadata_cache_size_bytes", DBUF_METADATA, &[]),
    row("hash_elements", DBUF_HASH, &[]),
];

const DNODE_HOLDS: Family = Family::counter(
    "arcwright_dnode_holds",
    "Requests for a dnode by whether it was there and in use (hit) or not (miss).",
);
const DNODES_ALLOCATED: Family =
    Family::counter("arcwright_dnode_allocations", "Dnodes that were allocated for new objects.");
const DNODES_REALLOCATED: Family =
    Family::counter("arcwright_dnode_reallocations", "Dnodes that were given to another object.");
const DNODE_EVICTIONS: Family =
    Family::counter("arcwright_dnode_block_evictions", "Blocks of dnodes that left memory.");

const DNODE_ROWS: [Row; 5] = [
    row("dnode_hold_alloc_hits", DNODE_HOLDS, &[("result", "hit")]),
    row("dnode_hold_alloc_misses", DNODE_HOLDS, &[("result", "miss")]),
    row("dnode_allocate", DNODES_ALLOCATED, &[]),
    row("dnode_reallocate", DNODES_REALLOCATED, &[]),
    row("dnode_buf_evict", DNODE_EVICTIONS, &[]),
];

const STREAM_ACCESSES: Family = Family::counter(
    "arcwright_prefetch_stream_accesses",
    "Reads by how they met a stream that reads ahead: hit, miss, or ahead of, behind or beside one (2.2.4+).",
);
const STREAMS_REFUSED: Family = Family::counter(
    "arcwright_prefetch_streams_refused",
    "Streams that were not begun as the file had its most already.",
);
const PREFETCHES_ISSUED: Family =
    Family::counter("arcwright_prefetch_reads", "Reads ahead that were issued (2.1+).");
const PREFETCHES_ACTIVE: Family =
    Family::gauge("arcwright_prefetch_reads_active", "Reads ahead that are under way (2.1+).");

const STREAM_ROWS: [Row; 8] = [
    row("hits", STREAM_ACCESSES, &[("result", "hit")]),
    row("misses", STREAM_ACCESSES, &[("result", "miss")]),
    row("future", STREAM_ACCESSES, &[("result", "future")]),
    row("stride", STREAM_ACCESSES, &[("result", "stride")]),
    row("past", STREAM_ACCESSES, &[("result", "past")]),
    row("max_streams", STREAMS_REFUSED, &[]),
    row("io_issued", PREFETCHES_ISSUED, &[]),
    row("io_active", PREFETCHES_ACTIVE, &[]),
];

const ABDS: Family = Family::gauge(
    "arcwright_abd_bytes",
    "Data in buffers of the ARC by how they lie in memory: in one piece, in pages, or lost at the end of pages.",
)
.of(BYTES);

const ABD_ROWS: [Row; 3] = [
    row("linear_data_size", ABDS, &[("layout", "linear")]),
    row("scatter_data_size", ABDS, &[("layout", "scatter")]),
    row("scatter_chunk_waste", ABDS, &[("layout", "waste")]),
];

/// Adds dbufs, dnodes, streams and the buffers' layout.
pub(crate) fn add(families: &mut Families, kstats: &Snapshot) {
    families.add_rows(kstats, "zfs/dbufstats", &DBUF_ROWS);
    families.add_rows(kstats, "zfs/dnodestats", &DNODE_ROWS);
    families.add_rows(kstats, "zfs/zfetchstats", &STREAM_ROWS);
    families.add_rows(kstats, "zfs/abdstats", &ABD_ROWS);
}

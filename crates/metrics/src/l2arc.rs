//! The L2ARC: all cache devices of all pools together, as `arcstats` counts them.

use arcwright_kstat::Snapshot;

use crate::arc::ARCSTATS;
use crate::families::Families;
use crate::family::{BYTES, Family};
use crate::rows::{Row, row};

const SIZE: Family =
    Family::gauge("arcwright_l2arc_size_bytes", "Blocks in the L2ARC, before compression.")
        .of(BYTES);
const STORED: Family = Family::gauge(
    "arcwright_l2arc_stored_bytes",
    "What those blocks take on the cache devices: compressed and aligned.",
)
.of(BYTES);
const HEADERS: Family = Family::gauge(
    "arcwright_l2arc_header_bytes",
    "Memory that headers of blocks take which only the L2ARC has.",
)
.of(BYTES);
const ACCESSES: Family = Family::counter(
    "arcwright_l2arc_accesses",
    "Misses of the ARC by whether the L2ARC had the block; misses are counted only with a cache device.",
);
const READ: Family =
    Family::counter("arcwright_l2arc_read_bytes", "Bytes read from cache devices.").of(BYTES);
const WRITTEN: Family =
    Family::counter("arcwright_l2arc_written_bytes", "Bytes written to cache devices.").of(BYTES);
const WRITES: Family =
    Family::counter("arcwright_l2arc_writes", "Writes that the feed sent to cache devices.");
const WRITES_DONE: Family =
    Family::counter("arcwright_l2arc_writes_done", "Of these writes, those that have ended.");
const FEEDS: Family = Family::counter("arcwright_l2arc_feeds", "Passes of the feed.");
const ERRORS: Family = Family::counter(
    "arcwright_l2arc_errors",
    "Errors of cache devices: failed writes, failed reads, wrong checksums.",
);
const CLASHES: Family = Family::counter(
    "arcwright_l2arc_read_write_clashes",
    "Reads that went to the disks as the feed was writing to the cache device (l2arc_norw).",
);
const LOWMEM: Family = Family::counter(
    "arcwright_l2arc_low_memory_aborts",
    "Passes of the feed that wrote nothing as memory was short.",
);
const RETRIES: Family = Family::counter(
    "arcwright_l2arc_lock_retries",
    "Times that the feed or an eviction from a cache device had to wait for a lock.",
);
const EVICTED_READING: Family = Family::counter(
    "arcwright_l2arc_evictions_while_read",
    "Blocks that left a cache device while somebody read them.",
);
const EVICTED_CACHED: Family = Family::counter(
    "arcwright_l2arc_evictions_in_arc",
    "Blocks that left a cache device while the ARC had them.",
);
const BY_STATE: Family = Family::gauge(
    "arcwright_l2arc_state_bytes",
    "Blocks on cache devices by the list of the ARC that they came from (2.1+).",
)
.of(BYTES);
const BY_KIND: Family =
    Family::gauge("arcwright_l2arc_kind_bytes", "Blocks on cache devices by their kind (2.1+).")
        .of(BYTES);
const DEVICES: Family = Family::gauge("arcwright_l2arc_devices", "Cache devices (2.4+).");
const LOG_BYTES: Family = Family::gauge(
    "arcwright_l2arc_log_bytes",
    "What the log on cache devices takes, from which the L2ARC is rebuilt after an import (2.0+).",
)
.of(BYTES);
const LOG_WRITES: Family =
    Family::counter("arcwright_l2arc_log_writes", "Blocks of that log that were written (2.0+).");
const REBUILDS: Family = Family::counter(
    "arcwright_l2arc_rebuilds",
    "Times that the L2ARC was rebuilt after an import (2.0+).",
);
const REBUILD_ERRORS: Family = Family::counter(
    "arcwright_l2arc_rebuild_errors",
    "Rebuilds that failed or ended early, by reason (2.0+).",
);
const REBUILT: Family = Family::counter(
    "arcwright_l2arc_rebuilt_bytes",
    "Blocks that were found again by rebuilding, before compression (2.0+).",
)
.of(BYTES);

const ROWS: [Row; 36] = [
    row("l2_size", SIZE, &[]),
    row("l2_asize", STORED, &[]),
    row("l2_hdr_size", HEADERS, &[]),
    row("l2_hits", ACCESSES, &[("result", "hit")]),
    row("l2_misses", ACCESSES, &[("result", "miss")]),
    row("l2_read_bytes", READ, &[]),
    row("l2_write_bytes", WRITTEN, &[]),
    row("l2_writes_sent", WRITES, &[]),
    row("l2_writes_done", WRITES_DONE, &[]),
    row("l2_feeds", FEEDS, &[]),
    row("l2_writes_error", ERRORS, &[("error", "write")]),
    row("l2_io_error", ERRORS, &[("error", "read")]),
    row("l2_cksum_bad", ERRORS, &[("error", "checksum")]),
    row("l2_rw_clash", CLASHES, &[]),
    row("l2_abort_lowmem", LOWMEM, &[]),
    row("l2_writes_lock_retry", RETRIES, &[("by", "feed")]),
    row("l2_evict_lock_retry", RETRIES, &[("by", "eviction")]),
    row("l2_evict_reading", EVICTED_READING, &[]),
    row("l2_evict_l1cached", EVICTED_CACHED, &[]),
    row("l2_prefetch_asize", BY_STATE, &[("state", "prefetch")]),
    row("l2_mru_asize", BY_STATE, &[("state", "mru")]),
    row("l2_mfu_asize", BY_STATE, &[("state", "mfu")]),
    row("l2_bufc_data_asize", BY_KIND, &[("kind", "data")]),
    row("l2_bufc_metadata_asize", BY_KIND, &[("kind", "metadata")]),
    row("l2_ndev", DEVICES, &[]),
    row("l2_log_blk_asize", LOG_BYTES, &[]),
    row("l2_log_blk_writes", LOG_WRITES, &[]),
    row("l2_rebuild_success", REBUILDS, &[]),
    row("l2_rebuild_unsupported", REBUILD_ERRORS, &[("reason", "unsupported")]),
    row("l2_rebuild_io_errors", REBUILD_ERRORS, &[("reason", "read")]),
    row("l2_rebuild_dh_errors", REBUILD_ERRORS, &[("reason", "device_header")]),
    row("l2_rebuild_cksum_lb_errors", REBUILD_ERRORS, &[("reason", "log_checksum")]),
    row("l2_rebuild_lowmem", REBUILD_ERRORS, &[("reason", "low_memory")]),
    row("l2_rebuild_size", REBUILT, &[]),
    row("l2_free_on_write", FREED, &[]),
    row("l2_rebuild_bufs", REBUILT_BLOCKS, &[]),
];

const FREED: Family = Family::counter(
    "arcwright_l2arc_frees_on_write",
    "Blocks that were freed while the feed was writing them.",
);
const REBUILT_BLOCKS: Family = Family::counter(
    "arcwright_l2arc_rebuilt_blocks",
    "Blocks that were found again by rebuilding (2.0+).",
);

/// Adds what `arcstats` says of the L2ARC.
pub(crate) fn add(families: &mut Families, kstats: &Snapshot) {
    families.add_rows(kstats, ARCSTATS, &ROWS);
}

//! The ARC: sizes, targets, accesses, evictions, memory pressure. Rows: docs/model/counters.md.

use arcwright_kstat::Snapshot;

use crate::families::Families;
use crate::family::{BYTES, Family, Number, RATIO};
use crate::rows::{Row, row};

pub(crate) const ARCSTATS: &str = "zfs/arcstats";

const ACCESSES: Family = Family::counter(
    "arcwright_arc_accesses",
    "Accesses to the ARC by result; a hit found its block in memory, an iohit joined a read in flight (2.2+).",
);
const CLASS_ACCESSES: Family = Family::counter(
    "arcwright_arc_class_accesses",
    "Accesses to the ARC by result, by who asks (demand or prefetch) and for what (data or metadata).",
);
const STATE_HITS: Family = Family::counter(
    "arcwright_arc_state_hits",
    "Hits by the list that the block was on: recently used, frequently used, uncached.",
);
const GHOST_HITS: Family = Family::counter(
    "arcwright_arc_ghost_hits",
    "Misses that a ghost list remembers: a larger ARC would have kept the block.",
);
const PREFETCHES: Family =
    Family::counter("arcwright_arc_prefetches", "Prefetch reads that reached the ARC, by kind.");
const PREFETCH_USES: Family = Family::counter(
    "arcwright_arc_prefetch_uses",
    "Demand reads of a prefetched block that had arrived (hit) or was on its way (iohit).",
);
const PREFETCH_UPGRADES: Family = Family::counter(
    "arcwright_arc_prefetch_upgrades",
    "Prefetches in flight that a demand read made urgent.",
);

/// Accesses by result and class.
const ACCESS_ROWS: [Row; 28] = [
    row("hits", ACCESSES, &[("result", "hit")]),
    row("iohits", ACCESSES, &[("result", "iohit")]),
    row("misses", ACCESSES, &[("result", "miss")]),
    class("demand_data_hits", &[("access", "demand"), ("kind", "data"), ("result", "hit")]),
    class("demand_data_iohits", &[("access", "demand"), ("kind", "data"), ("result", "iohit")]),
    class("demand_data_misses", &[("access", "demand"), ("kind", "data"), ("result", "miss")]),
    class("demand_metadata_hits", &[("access", "demand"), ("kind", "metadata"), ("result", "hit")]),
    class(
        "demand_metadata_iohits",
        &[("access", "demand"), ("kind", "metadata"), ("result", "iohit")],
    ),
    class(
        "demand_metadata_misses",
        &[("access", "demand"), ("kind", "metadata"), ("result", "miss")],
    ),
    class("prefetch_data_hits", &[("access", "prefetch"), ("kind", "data"), ("result", "hit")]),
    class("prefetch_data_iohits", &[("access", "prefetch"), ("kind", "data"), ("result", "iohit")]),
    class("prefetch_data_misses", &[("access", "prefetch"), ("kind", "data"), ("result", "miss")]),
    class(
        "prefetch_metadata_hits",
        &[("access", "prefetch"), ("kind", "metadata"), ("result", "hit")],
    ),
    class(
        "prefetch_metadata_iohits",
        &[("access", "prefetch"), ("kind", "metadata"), ("result", "iohit")],
    ),
    class(
        "prefetch_metadata_misses",
        &[("access", "prefetch"), ("kind", "metadata"), ("result", "miss")],
    ),
    row("mru_hits", STATE_HITS, &[("state", "mru")]),
    row("mfu_hits", STATE_HITS, &[("state", "mfu")]),
    row("uncached_hits", STATE_HITS, &[("state", "uncached")]),
    row("mru_ghost_hits", GHOST_HITS, &[("state", "mru")]),
    row("mfu_ghost_hits", GHOST_HITS, &[("state", "mfu")]),
    row("predictive_prefetch", PREFETCHES, &[("prefetch", "predictive")]),
    row("prescient_prefetch", PREFETCHES, &[("prefetch", "prescient")]),
    used("demand_hit_predictive_prefetch", &[("prefetch", "predictive"), ("result", "hit")]),
    used("demand_iohit_predictive_prefetch", &[("prefetch", "predictive"), ("result", "iohit")]),
    used("demand_hit_prescient_prefetch", &[("prefetch", "prescient"), ("result", "hit")]),
    used("demand_iohit_prescient_prefetch", &[("prefetch", "prescient"), ("result", "iohit")]),
    row("async_upgrade_sync", PREFETCH_UPGRADES, &[]),
    row("access_skip", ACCESS_SKIPS, &[]),
];

const ACCESS_SKIPS: Family = Family::counter(
    "arcwright_arc_access_skips",
    "Accesses that counted as neither hit nor miss, as the block was being written anew.",
);

const fn class(name: &'static str, labels: crate::rows::Fixed) -> Row {
    row(name, CLASS_ACCESSES, labels)
}

const fn used(name: &'static str, labels: crate::rows::Fixed) -> Row {
    row(name, PREFETCH_USES, labels)
}

const SIZE: Family =
    Family::gauge("arcwright_arc_size_bytes", "Memory that the ARC takes.").of(BYTES);
const TARGET: Family =
    Family::gauge("arcwright_arc_target_bytes", "The size that the ARC aims at (c).").of(BYTES);
const TARGET_MIN: Family = Family::gauge(
    "arcwright_arc_target_min_bytes",
    "The target never falls below this (c_min, zfs_arc_min).",
)
.of(BYTES);
const TARGET_MAX: Family = Family::gauge(
    "arcwright_arc_target_max_bytes",
    "The target never grows above this (c_max, zfs_arc_max).",
)
.of(BYTES);
const PARTS: Family = Family::gauge(
    "arcwright_arc_part_bytes",
    "What the memory of the ARC is taken by; the parts of a release add up to its size.",
)
.of(BYTES);
const METADATA: Family =
    Family::gauge("arcwright_arc_metadata_bytes", "Metadata in the ARC, with headers.").of(BYTES);
const METADATA_LIMIT: Family = Family::gauge(
    "arcwright_arc_metadata_limit_bytes",
    "The most that metadata may take (up to 2.1; later releases balance it).",
)
.of(BYTES);
const DNODE_LIMIT: Family = Family::gauge(
    "arcwright_arc_dnode_limit_bytes",
    "Above this size of pinned dnodes file systems are asked to drop some.",
)
.of(BYTES);
const COMPRESSED: Family =
    Family::gauge("arcwright_arc_compressed_bytes", "Blocks in the ARC as they are stored.")
        .of(BYTES);
const UNCOMPRESSED: Family = Family::gauge(
    "arcwright_arc_uncompressed_bytes",
    "The same blocks before they were compressed.",
)
.of(BYTES);
const OVERHEAD: Family = Family::gauge(
    "arcwright_arc_overhead_bytes",
    "Uncompressed copies of blocks that are in use beside the compressed ones.",
)
.of(BYTES);
const STATE: Family = Family::gauge(
    "arcwright_arc_state_bytes",
    "Blocks in memory by list: anonymous (being written), recently used, frequently used, uncached.",
)
.of(BYTES);
const GHOST: Family = Family::gauge(
    "arcwright_arc_ghost_bytes",
    "Size of the evicted blocks that the ghost lists remember; it takes no memory.",
)
.of(BYTES);
const EVICTABLE: Family =
    Family::gauge("arcwright_arc_evictable_bytes", "Blocks that could be evicted now.").of(BYTES);
const MRU_TARGET: Family = Family::gauge(
    "arcwright_arc_mru_target_bytes",
    "The share of the target that is meant for recently used blocks (p, up to 2.1).",
)
.of(BYTES);
const HASH_ELEMENTS: Family =
    Family::gauge("arcwright_arc_headers", "Headers of blocks that the ARC knows.");
const HASH_COLLISIONS: Family = Family::counter(
    "arcwright_arc_hash_collisions",
    "Headers that were put into a chain of the hash table which was not empty.",
);

/// Sizes and targets.
const SIZE_ROWS: [Row; 42] = [
    row("size", SIZE, &[]),
    row("c", TARGET, &[]),
    row("c_min", TARGET_MIN, &[]),
    row("c_max", TARGET_MAX, &[]),
    row("p", MRU_TARGET, &[]),
    row("data_size", PARTS, &[("part", "data")]),
    row("metadata_size", PARTS, &[("part", "metadata")]),
    row("hdr_size", PARTS, &[("part", "header")]),
    row("l2_hdr_size", PARTS, &[("part", "l2arc_header")]),
    row("dbuf_size", PARTS, &[("part", "dbuf")]),
    row("dnode_size", PARTS, &[("part", "dnode")]),
    row("bonus_size", PARTS, &[("part", "bonus")]),
    row("other_size", PARTS, &[("part", "other")]),
    row("abd_chunk_waste_size", PARTS, &[("part", "chunk_waste")]),
    row("arc_meta_used", METADATA, &[]),
    row("arc_meta_limit", METADATA_LIMIT, &[]),
    row("arc_dnode_limit", DNODE_LIMIT, &[]),
    row("compressed_size", COMPRESSED, &[]),
    row("uncompressed_size", UNCOMPRESSED, &[]),
    row("overhead_size", OVERHEAD, &[]),
    row("anon_size", STATE, &[("state", "anonymous")]),
    row("mru_size", STATE, &[("state", "mru")]),
    row("mfu_size", STATE, &[("state", "mfu")]),
    row("uncached_size", STATE, &[("state", "uncached")]),
    row("mru_ghost_size", GHOST, &[("state", "mru")]),
    row("mfu_ghost_size", GHOST, &[("state", "mfu")]),
    row("mru_evictable_data", EVICTABLE, &[("kind", "data"), ("state", "mru")]),
    row("mru_evictable_metadata", EVICTABLE, &[("kind", "metadata"), ("state", "mru")]),
    row("mfu_evictable_data", EVICTABLE, &[("kind", "data"), ("state", "mfu")]),
    row("mfu_evictable_metadata", EVICTABLE, &[("kind", "metadata"), ("state", "mfu")]),
    row("hash_elements", HASH_ELEMENTS, &[]),
    row("hash_collisions", HASH_COLLISIONS, &[]),
    row("memory_all_bytes", MEMORY, &[("kind", "all")]),
    row("memory_free_bytes", MEMORY, &[("kind", "free")]),
    row("memory_available_bytes", MEMORY, &[("kind", "available")]),
    row("arc_need_free", NEED_FREE, &[]),
    row("arc_sys_free", SYS_FREE, &[]),
    row("arc_no_grow", NO_GROW, &[]),
    row("memory_throttle_count", THROTTLES, &[]),
    row("memory_direct_count", RECLAIMS, &[("reclaim", "direct")]),
    row("memory_indirect_count", RECLAIMS, &[("reclaim", "indirect")]),
    row("arc_prune", PRUNES, &[]),
];

const MEMORY: Family = Family::gauge(
    "arcwright_arc_memory_bytes",
    "Memory of the machine as ZFS sees it; what is available is below zero under pressure.",
)
.of(BYTES);
const NEED_FREE: Family = Family::gauge(
    "arcwright_arc_need_free_bytes",
    "Memory that the kernel wants back from the ARC.",
)
.of(BYTES);
const SYS_FREE: Family = Family::gauge(
    "arcwright_arc_sys_free_bytes",
    "Memory that the ARC tries to leave free (zfs_arc_sys_free).",
)
.of(BYTES);
const NO_GROW: Family = Family::gauge(
    "arcwright_arc_no_grow",
    "Whether the ARC may not grow for want of memory: 1 or 0.",
);
const THROTTLES: Family = Family::counter(
    "arcwright_arc_memory_throttles",
    "Writes that were delayed for want of memory.",
);
const RECLAIMS: Family = Family::counter(
    "arcwright_arc_memory_reclaims",
    "Times that the kernel reclaimed memory from the ARC: directly, for somebody who waits, or in the background.",
);
const PRUNES: Family =
    Family::counter("arcwright_arc_prunes", "Calls that asked file systems to drop dnodes.");

const EVICTED: Family = Family::counter(
    "arcwright_arc_evicted_bytes",
    "Bytes evicted, before compression, by whether the L2ARC has them, may take them, or may not.",
)
.of(BYTES);
const DELETED: Family =
    Family::counter("arcwright_arc_deletions", "Headers that left a ghost list for good.");
const EVICT_LOCK_MISSES: Family = Family::counter(
    "arcwright_arc_lock_misses",
    "Headers that eviction passed over as another thread had locked them.",
);
const EVICT_SKIPS: Family = Family::counter(
    "arcwright_arc_evict_skips",
    "Headers that eviction passed over by a rule, such as young prefetched blocks.",
);
const EVICT_SHORT: Family = Family::counter(
    "arcwright_arc_evict_shortfalls",
    "Passes of eviction that freed less than wanted.",
);
const EVICT_L2_SKIPS: Family = Family::counter(
    "arcwright_arc_evict_l2arc_skips",
    "Ghosts that eviction kept back because the L2ARC's feed was writing them.",
);

const EVICT_ROWS: [Row; 8] = [
    row("evict_l2_cached", EVICTED, &[("l2arc", "cached")]),
    row("evict_l2_eligible", EVICTED, &[("l2arc", "eligible")]),
    row("evict_l2_ineligible", EVICTED, &[("l2arc", "ineligible")]),
    row("deleted", DELETED, &[]),
    row("mutex_miss", EVICT_LOCK_MISSES, &[]),
    row("evict_skip", EVICT_SKIPS, &[]),
    row("evict_not_enough", EVICT_SHORT, &[]),
    row("evict_l2_skip", EVICT_L2_SKIPS, &[]),
];

const BALANCE: Family = Family::gauge(
    "arcwright_arc_balance_ratio",
    "Shares that the ARC aims at (2.2+): of metadata in all, of recently used blocks in data and in metadata.",
)
.of(RATIO);
/// Rows that are fractions of 2³².
const BALANCE_ROWS: [(&str, &str); 3] =
    [("meta", "metadata"), ("pd", "mru_data"), ("pm", "mru_metadata")];

/// Adds what `arcstats` says of the ARC.
pub(crate) fn add(families: &mut Families, kstats: &Snapshot) {
    for rows in [ACCESS_ROWS.as_slice(), &SIZE_ROWS, &EVICT_ROWS] {
        families.add_rows(kstats, ARCSTATS, rows);
    }
    for (row, share) in BALANCE_ROWS {
        const WHOLE: f64 = 4_294_967_296.0;
        let ratio = kstats.get(ARCSTATS, row).map(|part| Number::Float(part as f64 / WHOLE));
        families.add_some(&BALANCE, &[("share", share)], ratio);
    }
}

//! What the labels of `arc_summary` mean: a table of rows, one per label, without case and marks.

const ARC: &str = "zfs/arcstats";
const FETCH: &str = "zfs/zfetchstats";
const ZIL: &str = "zfs/zil";
/// What a report says of the machine's memory; no kstat.
pub(super) const MEMORY: &str = "memory";
/// The size of the L2ARC's contents where the one above it is of what is on its devices.
pub(super) const L2_DECOMPRESSED: &str = "l2_size below";

/// Rows of `arcstats` that shares told, used where no counts did; no kstat.
pub(super) const CLASSES: &str = "classes by share";

/// A label, the kstat and the row.
type Meaning = (&'static str, &'static str, &'static str);

/// Labels that mean the same under every heading.
const ANYWHERE: &[Meaning] = &[
    ("memory throttle count", ARC, "memory_throttle_count"),
    ("memory throttles", ARC, "memory_throttle_count"),
    ("memory direct reclaims", ARC, "memory_direct_count"),
    ("memory indirect reclaims", ARC, "memory_indirect_count"),
    ("total memory size", ARC, "memory_all_bytes"),
    ("free memory size", ARC, "memory_free_bytes"),
    ("available memory size", ARC, "memory_available_bytes"),
    ("arc size current", ARC, "size"),
    ("arc size", ARC, "size"),
    ("current size", ARC, "size"),
    ("target size adaptive", ARC, "c"),
    ("target size", ARC, "c"),
    ("min size hard limit", ARC, "c_min"),
    ("min target size", ARC, "c_min"),
    ("max size high water", ARC, "c_max"),
    ("max size hard limit", ARC, "c_max"),
    ("max target size", ARC, "c_max"),
    ("decompressed data size", ARC, "uncompressed_size"),
    ("uncompressed size", ARC, "uncompressed_size"),
    ("compressed data size", ARC, "compressed_size"),
    ("real available", MEMORY, "physical"),
    ("physical memory", MEMORY, "physical"),
    ("physical ram", MEMORY, "physical"),
    ("free memory", MEMORY, "available"),
    ("real installed", MEMORY, "installed"),
    ("logical free", MEMORY, "available"),
    ("compressed size", ARC, "compressed_size"),
    ("overhead size", ARC, "overhead_size"),
    ("bonus size", ARC, "bonus_size"),
    ("dnode size", ARC, "dnode_size"),
    ("dbuf size", ARC, "dbuf_size"),
    ("l2 header size", ARC, "l2_hdr_size"),
    ("abd chunk waste size", ARC, "abd_chunk_waste_size"),
    ("most frequently used mfu cache size", ARC, "mfu_size"),
    ("most recently used mru cache size", ARC, "mru_size"),
    ("metadata cache size hard limit", ARC, "arc_meta_limit"),
    ("metadata cache size current", ARC, "arc_meta_used"),
    ("dnode cache size hard limit", ARC, "arc_dnode_limit"),
    ("dnode cache target", ARC, "arc_dnode_limit"),
    ("dnode cache size current", ARC, "dnode_size"),
    ("dnode cache size", ARC, "dnode_size"),
    ("data size", ARC, "data_size"),
    ("metadata size", ARC, "metadata_size"),
    ("anonymous data size", ARC, "anon_data"),
    ("anonymous metadata size", ARC, "anon_metadata"),
    ("mfu data size", ARC, "mfu_data"),
    ("mfu evictable data size", ARC, "mfu_evictable_data"),
    ("mfu ghost data size", ARC, "mfu_ghost_data"),
    ("mfu metadata size", ARC, "mfu_metadata"),
    ("mfu evictable metadata size", ARC, "mfu_evictable_metadata"),
    ("mfu ghost metadata size", ARC, "mfu_ghost_metadata"),
    ("mru data size", ARC, "mru_data"),
    ("mru evictable data size", ARC, "mru_evictable_data"),
    ("mru ghost data size", ARC, "mru_ghost_data"),
    ("mru metadata size", ARC, "mru_metadata"),
    ("mru evictable metadata size", ARC, "mru_evictable_metadata"),
    ("mru ghost metadata size", ARC, "mru_ghost_metadata"),
    ("uncached data size", ARC, "uncached_data"),
    ("uncached metadata size", ARC, "uncached_metadata"),
    ("deleted", ARC, "deleted"),
    ("mutex misses", ARC, "mutex_miss"),
    ("eviction skips", ARC, "evict_skip"),
    ("evict skips", ARC, "evict_skip"),
    ("eviction skips due to l2 writes", ARC, "evict_l2_skip"),
    ("l2 cached evictions", ARC, "evict_l2_cached"),
    ("l2 eligible evictions", ARC, "evict_l2_eligible"),
    ("l2 eligible mfu evictions", ARC, "evict_l2_eligible_mfu"),
    ("l2 eligible mru evictions", ARC, "evict_l2_eligible_mru"),
    ("l2 ineligible evictions", ARC, "evict_l2_ineligible"),
    ("cache hit ratio", ARC, "hits"),
    ("cache miss ratio", ARC, "misses"),
    ("total hits", ARC, "hits"),
    ("total io hits", ARC, "iohits"),
    ("total misses", ARC, "misses"),
    ("demand data hits", ARC, "demand_data_hits"),
    ("demand data io hits", ARC, "demand_data_iohits"),
    ("demand data misses", ARC, "demand_data_misses"),
    ("demand metadata hits", ARC, "demand_metadata_hits"),
    ("demand metadata io hits", ARC, "demand_metadata_iohits"),
    ("demand metadata misses", ARC, "demand_metadata_misses"),
    ("prefetch data hits", ARC, "prefetch_data_hits"),
    ("prefetch data io hits", ARC, "prefetch_data_iohits"),
    ("prefetch data misses", ARC, "prefetch_data_misses"),
    ("prefetch metadata hits", ARC, "prefetch_metadata_hits"),
    ("prefetch metadata io hits", ARC, "prefetch_metadata_iohits"),
    ("prefetch metadata misses", ARC, "prefetch_metadata_misses"),
    ("arc predictive prefetches", ARC, "predictive_prefetch"),
    ("arc prescient prefetches", ARC, "prescient_prefetch"),
    ("demand hits after predictive", ARC, "demand_hit_predictive_prefetch"),
    ("demand io hits after predictive", ARC, "demand_iohit_predictive_prefetch"),
    ("demand hits after prescient", ARC, "demand_hit_prescient_prefetch"),
    ("demand io hits after prescient", ARC, "demand_iohit_prescient_prefetch"),
    ("most frequently used mfu", ARC, "mfu_hits"),
    ("most frequently used", ARC, "mfu_hits"),
    ("most recently used mru", ARC, "mru_hits"),
    ("most recently used", ARC, "mru_hits"),
    ("most frequently used mfu ghost", ARC, "mfu_ghost_hits"),
    ("most frequently used ghost", ARC, "mfu_ghost_hits"),
    ("most recently used mru ghost", ARC, "mru_ghost_hits"),
    ("most recently used ghost", ARC, "mru_ghost_hits"),
    ("stream hits", FETCH, "hits"),
    ("hits behind stream", FETCH, "past"),
    ("stream misses", FETCH, "misses"),
    ("streams limit reached", FETCH, "max_streams"),
    ("stream strides", FETCH, "stride"),
    ("prefetches issued", FETCH, "io_issued"),
    ("low memory aborts", ARC, "l2_abort_lowmem"),
    ("free on write", ARC, "l2_free_on_write"),
    ("rw clashes", ARC, "l2_rw_clash"),
    ("bad checksums", ARC, "l2_cksum_bad"),
    ("io errors", ARC, "l2_io_error"),
    ("read errors", ARC, "l2_io_error"),
    ("write errors", ARC, "l2_writes_error"),
    ("l2arc size adaptive", ARC, "l2_size"),
    ("l2 arc size", ARC, "l2_size"),
    ("compressed", ARC, "l2_asize"),
    ("mfu allocated size", ARC, "l2_mfu_asize"),
    ("mru allocated size", ARC, "l2_mru_asize"),
    ("prefetch allocated size", ARC, "l2_prefetch_asize"),
    ("data buffer content allocated size", ARC, "l2_bufc_data_asize"),
    ("metadata buffer content allocated size", ARC, "l2_bufc_metadata_asize"),
    ("feeds", ARC, "l2_feeds"),
    ("writes sent", ARC, "l2_writes_sent"),
    ("zil committed transactions", ZIL, "zil_itx_count"),
    ("commit requests", ZIL, "zil_commit_count"),
    ("flushes to stable storage", ZIL, "zil_commit_writer_count"),
    ("transactions to slog storage pool", ZIL, "zil_itx_metaslab_slog_count"),
    ("transactions to non slog storage pool", ZIL, "zil_itx_metaslab_normal_count"),
];

const BY_TYPE_HITS: &[Meaning] = &[
    ("demand data", ARC, "demand_data_hits"),
    ("prefetch data", ARC, "prefetch_data_hits"),
    ("demand metadata", ARC, "demand_metadata_hits"),
    ("prefetch metadata", ARC, "prefetch_metadata_hits"),
];
const BY_TYPE_MISSES: &[Meaning] = &[
    ("demand data", ARC, "demand_data_misses"),
    ("prefetch data", ARC, "prefetch_data_misses"),
    ("demand metadata", ARC, "demand_metadata_misses"),
    ("prefetch metadata", ARC, "prefetch_metadata_misses"),
];
const FETCHES: &[Meaning] = &[("hit ratio", FETCH, "hits"), ("miss ratio", FETCH, "misses")];
const L2_SIZE: &[Meaning] =
    &[("header size", ARC, "l2_hdr_size"), ("decompressed data size", ARC, L2_DECOMPRESSED)];
const L2: &[Meaning] = &[("hit ratio", ARC, "l2_hits"), ("miss ratio", ARC, "l2_misses")];
const L2_IO: &[Meaning] = &[("reads", ARC, "l2_hits"), ("writes", ARC, "l2_writes_sent")];
const L2_WRITES: &[Meaning] =
    &[("done ratio", ARC, "l2_writes_done"), ("error ratio", ARC, "l2_writes_error")];
const L2_EVICTS: &[Meaning] = &[
    ("l1 cached", ARC, "l2_evict_l1cached"),
    ("while reading", ARC, "l2_evict_reading"),
    ("upon reading", ARC, "l2_evict_reading"),
    ("lock retries", ARC, "l2_evict_lock_retry"),
];
/// Labels of rows whose first value is bytes and whose last is a count, by heading.
const BYTES: &[(&str, &str, &str, &str)] = &[
    ("l2arc io", "reads", ARC, "l2_read_bytes"),
    ("l2arc io", "writes", ARC, "l2_write_bytes"),
    (
        "zil committed transactions",
        "transactions to slog storage pool",
        ZIL,
        "zil_itx_metaslab_slog_bytes",
    ),
    (
        "zil committed transactions",
        "transactions to non slog storage pool",
        ZIL,
        "zil_itx_metaslab_normal_bytes",
    ),
];
const HASH: &[Meaning] = &[
    ("elements", ARC, "hash_elements"),
    ("elements max", ARC, "hash_elements_max"),
    ("elements current", ARC, "hash_elements"),
    ("collisions", ARC, "hash_collisions"),
    ("chain max", ARC, "hash_chain_max"),
    ("chains", ARC, "hash_chains"),
];
const STATES: &[Meaning] = &[("uncached", ARC, "uncached_hits")];
const STRUCTURE: &[Meaning] = &[("header size", ARC, "hdr_size")];

/// The forerunner calls all of metadata so, not only what is cached of blocks.
const BREAKDOWN: &[Meaning] = &[
    ("metadata size", ARC, "arc_meta_used"),
    ("metadata size hard limit", ARC, "arc_meta_limit"),
    ("dnode size hard limit", ARC, "arc_dnode_limit"),
];

/// Headings, and the labels that mean something below them alone.
const SECTIONS: &[(&str, &[Meaning])] = &[
    ("cache hits by data type", BY_TYPE_HITS),
    ("cache misses by data type", BY_TYPE_MISSES),
    ("cache hits by cache type", &[]),
    ("cache hits by cache list", &[]),
    ("arc states hits of all accesses", STATES),
    ("arc hash breakdown", HASH),
    ("arc structural breakdown current size", STRUCTURE),
    ("arc size breakdown", BREAKDOWN),
    ("arc size current", &[]),
    ("arc size", &[]),
    ("arc types breakdown compressed overhead", &[]),
    ("arc states breakdown compressed overhead", &[]),
    ("arc misc", &[]),
    ("arc status", &[]),
    ("arc summary", &[]),
    ("arc efficiency", &[]),
    ("arc efficency", &[]),
    ("arc total accesses hits misses", &[]),
    ("arc total accesses", &[]),
    ("dmu prefetch efficiency", FETCHES),
    ("dmu efficiency", FETCHES),
    ("file level prefetch", FETCHES),
    ("dmu predictive prefetcher calls", &[]),
    ("l2arc status", &[]),
    ("l2 arc summary", &[]),
    ("l2arc size adaptive", L2_SIZE),
    ("l2 arc size", L2_SIZE),
    ("l2arc breakdown", L2),
    ("l2 arc breakdown", L2),
    ("l2arc io", L2_IO),
    ("l2arc writes", L2_WRITES),
    ("l2 arc writes", L2_WRITES),
    ("l2arc evicts", L2_EVICTS),
    ("l2 arc evicts", L2_EVICTS),
    ("vdev cache summary", &[]),
    ("zil committed transactions", &[]),
    ("system information", &[]),
    ("system memory", &[]),
    ("kernel memory", &[]),
    ("kernel memory map", &[]),
    ("l2 arc buffer", &[]),
    ("arc demand data accesses", &[]),
    ("arc demand metadata accesses", &[]),
    ("arc prefetch data accesses", &[]),
    ("arc prefetch metadata accesses", &[]),
    ("arc predictive prefetches", &[]),
    ("arc prescient prefetches", &[]),
    ("arc meta", &[]),
    // The prefetcher of 0.6 counts ratios of its own below these.
    ("colinear", &[]),
    ("stride", &[]),
    ("dmu misc", &[]),
    ("reclaim", &[]),
    ("streams", &[]),
];
/// Labels whose values are no quantities.
const UNUSED: &[&str] = &[
    "kernel version",
    "hardware platform",
    "processor architecture",
    "zfs storage pool version",
    "zfs filesystem version",
    "compression factor",
    "cache access total",
    "real hit ratio",
    "writes sent",
    "memory throttle count",
    "recycle misses",
    "free",
    "data",
    "text",
    "size",
];

/// Returns whether a section is only found within others; alone its heading is a common word.
pub(super) fn is_inner(plain: &str) -> bool {
    ["colinear", "stride", "dmu misc", "reclaim", "streams"].contains(&plain)
}

/// Returns a label without case and marks: `I/O Hits (MFU):` is `io hits mfu`; none of what is too
/// long for one.
pub(super) fn plain(label: &str) -> Option<String> {
    const LENGTH_MAX: usize = 120;
    (label.len() <= LENGTH_MAX).then_some(())?;
    let lower = label.to_lowercase().replace('/', "");
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Returns whether a row is in bytes.
pub(super) fn is_bytes(row: &str) -> bool {
    const ENDINGS: [&str; 6] = ["size", "_bytes", "_limit", "_used", "below", "_waste"];
    const PARTS: [&str; 4] = ["anon_", "mru_", "mfu_", "uncached_"];
    const NAMES: [&str; 7] = ["c", "c_min", "c_max", "p", "physical", "installed", "available"];
    let state = PARTS.iter().any(|part| row.starts_with(part)) && !row.ends_with("hits");
    let evicted = row.starts_with("evict_l2_") && row != "evict_l2_skip";
    let ending = ENDINGS.iter().any(|ending| row.ends_with(ending));
    NAMES.contains(&row) || state || evicted || ending
}

/// Returns the rows of hits and misses whose share and sum a label tells.
pub(super) fn efficiency(plain: &str) -> Option<[&'static str; 2]> {
    match plain {
        "data demand efficiency" | "demand data efficiency" => {
            Some(["demand_data_hits", "demand_data_misses"])
        }
        "data prefetch efficiency" | "prefetch data efficiency" => {
            Some(["prefetch_data_hits", "prefetch_data_misses"])
        }
        _ => None,
    }
}

/// Returns the row of the bytes that stand before a count.
pub(super) fn bytes_row(heading: &str, plain: &str) -> Option<(&'static str, &'static str)> {
    let mut found = BYTES.iter().filter(|(at, label, ..)| *at == heading && *label == plain);
    found.next().map(|(.., path, row)| (*path, *row))
}

/// Returns whether a label is one of a report that nothing is made of.
pub(super) fn is_unused(plain: &str) -> bool {
    UNUSED.contains(&plain)
}

/// Returns whether a plain label opens a section.
pub(super) fn is_section(plain: &str) -> bool {
    SECTIONS.iter().any(|(heading, _)| *heading == plain)
}

/// Returns the kstat and the row that a plain label means below a heading.
pub(super) fn row(heading: &str, plain: &str) -> Option<(&'static str, &'static str)> {
    let own = SECTIONS.iter().find(|(name, _)| *name == heading).map(|(_, own)| *own);
    let all = own.unwrap_or_default().iter().chain(ANYWHERE);
    let mut all = all.filter(|(label, ..)| *label == plain);
    all.next().map(|(_, path, row)| (*path, *row))
}

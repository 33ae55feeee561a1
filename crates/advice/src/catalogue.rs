//! Every finding that a rule can make: its name, what it means, and whether it may wake somebody.
//!
//! Names are never changed: scripts, ignore lists and baselines hold them. A test compares this table
//! with the rules' sources, so that a new finding cannot be forgotten here.

/// A finding that some rule can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Its name: `metadata-misses`.
    pub id: &'static str,
    /// What it means, in a few words.
    pub meaning: &'static str,
    /// Whether monitoring may call it critical: data is at risk, or writing is about to stop. What costs
    /// only speed is a warning at most, since it can wait until the morning.
    pub is_urgent: bool,
}

const fn slow(id: &'static str, meaning: &'static str) -> Known {
    Known { id, meaning, is_urgent: false }
}

const fn urgent(id: &'static str, meaning: &'static str) -> Known {
    Known { id, meaning, is_urgent: true }
}

/// All of them, by name.
pub const KNOWN: &[Known] = &[
    slow("arc-max-ignored", "zfs_arc_max is outside its bounds, so that the module ignores it"),
    slow("arc-max-too-large", "the ARC may take nearly all of the memory"),
    slow("arc-small", "the ARC is at its limit and blocks that it evicts are read again"),
    slow("arc-squeezed", "other programs push the ARC below its limit"),
    slow("ashift", "sectors of the pool are smaller than those of its disks"),
    slow("atime", "every read of a file writes its time of access"),
    slow("compression-off", "datasets are not compressed"),
    slow("counters-reset", "counters began anew between the two readings"),
    slow("dedup", "deduplication is on"),
    urgent("device-errors", "a device had read, write or checksum errors"),
    slow("dnode-limit", "dnodes are at their limit in the ARC"),
    slow("l2arc-barred", "datasets keep their blocks out of the L2ARC"),
    slow("l2arc-errors", "the cache device had errors"),
    slow("l2arc-feed-slow", "the L2ARC is filled more slowly than the ARC evicts"),
    slow("l2arc-headers", "headers of the L2ARC take much of the ARC"),
    slow("l2arc-ineligible", "most of what the ARC evicts may not go to the L2ARC"),
    slow("l2arc-not-reread", "the L2ARC is filled and hardly read"),
    slow("l2arc-prefetch-excluded", "streaming reads never reach the L2ARC"),
    slow("l2arc-unneeded", "the ARC alone holds nearly everything that is read"),
    slow("l2arc-warming", "the L2ARC is still being filled"),
    slow("l2arc-wear", "writes to the cache device use up its life"),
    slow("metadata-cold", "metadata was read for the first time"),
    slow("metadata-misses", "metadata does not fit into the ARC"),
    slow("no-counters", "no counters of the caches were read"),
    slow("no-pool", "no pool is imported"),
    slow("no-redundancy", "a pool has data on disks without a copy"),
    slow("nothing-happened", "nobody used the caches while they were counted"),
    slow("nothing-judged", "too little was read for any verdict"),
    slow("nothing-to-change", "what was judged is as it should be"),
    slow("obsolete-advice", "a setting comes from advice for older versions"),
    slow("parameter-gone", "a file sets a parameter that this version does not have"),
    urgent("pool-degraded", "a pool is not whole"),
    urgent("pool-full", "a pool is full or nearly so"),
    slow("prefetch-off", "prefetch is turned off"),
    slow("prefetch-wasted", "prefetch reads what nobody asks for"),
    slow("primarycache", "datasets keep their data out of the ARC"),
    slow("recordsize", "requests are much smaller than the records they read"),
    slow("scan-running", "a scrub or resilver was running while it was counted"),
    slow("seek-bound", "disks are busy with small reads at random places"),
    slow("setting-not-lasting", "a value in force is in no file and ends with the next start"),
    slow("setting-not-live", "a file sets a value that is not in force"),
    slow("shared-device", "one device has two jobs"),
    slow("slog-alone", "the log device has no mirror"),
    slow("slog-idle", "the log device is hardly used"),
    slow("slog-unprotected", "the log device may have no power-loss protection"),
    slow("slow-disk", "one disk is slower than its equals"),
    urgent("special-redundancy", "the special vdev has less redundancy than the pool"),
    urgent("ssd-worn", "a drive has used up its rated writes"),
    urgent("sync-disabled", "a dataset forgets acknowledged writes at a crash"),
    slow("sync-writes-wait", "synchronous writes wait for disks"),
    urgent("unsafe-parameter", "a parameter puts data at risk"),
    slow("writes-throttled", "writers are delayed because disks are behind"),
];

/// Returns what is known of a finding; none when no rule makes it.
#[must_use]
pub fn known(id: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.id == id)
}

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
    slow("arc-at-minimum", "the ARC's target stands at its minimum"),
    slow("arc-collapsed", "the ARC has shrunk though memory is free"),
    slow("arc-held-low", "the ARC evicts at a target far below its maximum, and nothing tells why"),
    slow("arc-larger", "clients would wait less with a larger ARC, by the model of this load"),
    slow("arc-max-ignored", "zfs_arc_max is outside its bounds, so that the module ignores it"),
    slow("arc-max-too-large", "the ARC may take nearly all of the memory"),
    slow("arc-over-max", "the ARC is larger than its maximum"),
    slow("arc-shrinking", "the ARC gives up memory, and nothing tells what for"),
    slow("arc-small", "the ARC is at its limit and blocks that it evicts are read again"),
    slow("arc-squeezed", "other programs push the ARC below its limit"),
    slow("ashift", "sectors of the pool are smaller than those of its disks"),
    slow("atime", "every read of a file writes its time of access"),
    slow("cache-device-lost", "a cache device does not work"),
    slow("command-refused", "ZFS refused a command"),
    slow("compression-off", "datasets are not compressed"),
    slow("counters-reset", "the counters restarted between the two readings"),
    slow("crypto-slow", "encryption runs without the processor's AES instructions"),
    urgent("data-errors", "files are damaged and no copy is left to repair them from"),
    urgent("data-errors-likely", "requests failed that no copy of a block could answer"),
    slow("dataset-full", "a dataset is nearly at its quota"),
    slow("dbuf-cache-thrash", "the ARC decompresses the same blocks again and again"),
    slow("dedup", "deduplication is on"),
    slow("dedup-table", "the deduplication table takes much of the memory for metadata"),
    slow("demand-misses", "much of what programs wait for is read from the disks"),
    urgent("device-errors", "a device had read, write or checksum errors"),
    slow("direct-io-small", "small requests bypass the ARC"),
    slow("disk-waits-long", "requests of a pool take long at its disks"),
    slow("disks-saturated", "all disks of a pool are busy nearly all the time"),
    slow("dnode-limit", "dnodes are at their limit in the ARC"),
    urgent("drive-failing", "a drive reports that it is failing, or has lost sectors"),
    urgent(
        "errors-above-disks",
        "a mirror or raidz has checksum errors that none of its disks reports",
    ),
    slow("errors-while-resilvering", "checksum errors are counted that a resilver explains"),
    slow("eviction-fruitless", "eviction scans much and frees little"),
    slow("expansion-running", "a raidz vdev gets another disk"),
    slow("kernel-log", "the kernel log reports failed requests of a disk"),
    urgent("kernel-log-shared", "the kernel log reports failed requests of several disks at once"),
    slow("kernel-log-volumes", "the kernel log reports failed requests of volumes of ZFS"),
    slow("l2arc-errors", "the cache device had errors"),
    slow("l2arc-excluded", "datasets keep their blocks out of the L2ARC"),
    slow("l2arc-feed-slow", "the L2ARC is filled more slowly than the ARC evicts"),
    slow("l2arc-headers", "headers of the L2ARC take much of the ARC"),
    slow("l2arc-ineligible", "most of what the ARC evicts is not eligible for the L2ARC"),
    slow("l2arc-not-reread", "the L2ARC is full and hardly read"),
    slow("l2arc-not-worth-it", "writing the L2ARC wears the SSD for hardly any hits"),
    slow("l2arc-prefetch-excluded", "streaming reads never reach the L2ARC"),
    slow("l2arc-serves-little", "the L2ARC serves next to nothing of all accesses"),
    slow("l2arc-unneeded", "the ARC alone holds nearly everything that is read"),
    slow("l2arc-warming", "the L2ARC is still being filled"),
    slow("l2arc-wear", "writes to the cache device use up its life"),
    slow("link-errors", "a drive counts errors on its cable or port"),
    urgent("log-device-failed", "a log device does not work"),
    slow("memory-short", "hardly any memory is left for programs"),
    slow("metadata-at-limit", "metadata is at its own limit in the ARC"),
    slow("metadata-cold", "metadata was read for the first time"),
    urgent("metadata-damaged", "metadata of the pool itself is damaged"),
    slow("metadata-misses", "metadata does not fit into the ARC"),
    slow("metadata-not-cacheable", "datasets keep their metadata out of the ARC"),
    slow("metadata-over-limit", "metadata is far above its own limit and cannot be evicted"),
    urgent("module-stopped", "ZFS stopped at an assertion or a panic of its own"),
    slow("no-counters", "no counters of the caches were read"),
    slow("no-pool", "no pool is imported"),
    slow("no-redundancy", "a pool has data without redundancy"),
    slow("not-enough", "something that an all-clear rests on was not read"),
    slow("nothing-happened", "nobody used the caches while they were counted"),
    slow("nothing-judged", "too little was read for any verdict"),
    slow("nothing-to-change", "what was judged is as it should be"),
    slow("obsolete-advice", "a setting comes from advice for older versions"),
    slow("parameter-gone", "a file sets a parameter that this version does not have"),
    urgent("pool-degraded", "a pool is not whole"),
    urgent("pool-full", "a pool is full or nearly so"),
    slow("pool-not-imported", "a pool on the disks is not imported"),
    urgent("pool-suspended", "a pool waits for its devices to come back"),
    urgent("pool-unopened", "a pool cannot be opened with the devices it has"),
    slow("prefetch-off", "prefetch is turned off"),
    slow("prefetch-wasted", "prefetch reads blocks that are never read"),
    slow("primarycache", "datasets keep their data out of the ARC"),
    slow("program-stopped", "a program of ZFS ended at an assertion"),
    slow("queue-of-one", "a file gives each class of requests one at a time"),
    slow("recordsize", "requests are much smaller than the records they read"),
    slow("room-unused", "a pool could grow to what its disks have"),
    slow("scan-running", "a scrub or resilver was running while it was counted"),
    slow("scan-slow", "a scrub or resilver hardly gets on"),
    slow("seek-bound", "disks are busy with small random reads"),
    slow("setting-not-live", "a file sets a value that is not in force"),
    slow("setting-not-persisted", "a value in force is in no file and is lost at the next reboot"),
    urgent("shared-checksum-errors", "several disks have checksum errors"),
    slow("shared-device", "one device has two roles"),
    slow("slabs-beyond-arc", "slabs of the kernel take far more memory than the ARC counts"),
    slow("slog-alone", "the log device has no mirror"),
    slow("slog-idle", "the log device is hardly used"),
    slow("slog-slow", "the log device is no faster than the disks"),
    slow("slog-unprotected", "the log device may have no power-loss protection"),
    urgent("slop-space", "only reserved space is left in a pool, so that writes fail"),
    slow("slow-disk", "one disk is slower than its peers, or slow for its kind"),
    urgent("slow-ios", "I/Os took half a minute"),
    slow("small-blocks-padded", "small blocks take far more room than what is in them"),
    slow("small-reads", "a pool does many small reads, and their cause was not read"),
    slow("snapshots-hold-space", "snapshots hold much of what a dataset has"),
    slow("space-reserved", "reservations of volumes use up a pool's free space"),
    slow("spare-in-use", "a spare stands in for a device that works"),
    slow("spare-lost", "a spare does not work"),
    slow("special-full", "the special vdev is full, so that blocks go to the data disks"),
    urgent("special-redundancy", "the special vdev has less redundancy than the pool"),
    slow("special-takes-all", "all blocks of files go to the special vdev"),
    urgent("ssd-worn", "a drive has used up its rated writes"),
    slow("swap-on-zvol", "swap is on a volume of ZFS"),
    slow("swapped-beside-arc", "programs are swapped out while the ARC is at its maximum"),
    urgent("sync-disabled", "a dataset loses acknowledged writes at a crash"),
    slow("sync-writes-wait", "synchronous writes wait for disks"),
    slow("tasks-hung", "the kernel reports that programs wait for ZFS"),
    slow("timed-by-hand", "manual timings, and what they show"),
    urgent("txg-sync-hung", "the kernel reports that txg_sync is blocked"),
    slow("txg-sync-slow", "transaction groups take longer to sync than they stay open"),
    slow("txgs-empty", "transaction groups follow each other and hold nothing"),
    urgent("unsafe-parameter", "a parameter puts data at risk"),
    slow("usable-space-low", "less than a tenth of a pool's usable space is left"),
    slow("vdev-cache-large", "the old cache of each device is set to take much memory"),
    slow("vdev-full", "one vdev of a pool is nearly full and others are not"),
    slow("writes-throttled", "the write throttle delays writers because the disks are slower"),
    urgent("zil-errors", "the intent log could not be written"),
    slow("zil-stalls", "the intent log found no space"),
];

/// Returns what is known of a finding; none when no rule makes it.
#[must_use]
pub fn known(id: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.id == id)
}

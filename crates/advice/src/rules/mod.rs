//! The rules, one per file, in the order in which they are asked.

mod arc_collapsed;
mod arc_limits;
mod arc_over;
mod arc_small;
mod arc_squeezed;
mod ashift;
mod atime;
mod cipher;
mod compression;
mod counters_reset;
mod data_errors;
mod datasets;
mod dbuf_cache;
mod dedup;
mod device_errors;
mod direct_io;
mod disks;
mod dnode_limit;
mod eviction;
mod gone_parameters;
mod health;
mod kernel_log;
mod l2arc;
mod l2arc_cold;
mod l2arc_errors;
mod l2arc_excluded;
mod l2arc_feed;
mod l2arc_headers;
mod l2arc_ineligible;
mod l2arc_prefetch;
mod l2arc_unneeded;
mod l2arc_warming;
mod l2arc_worth;
mod log_facts;
mod memory_signs;
mod metadata;
mod metadata_remedy;
mod metadata_uncached;
mod not_persisted;
mod obsolete_advice;
mod pool_full;
mod pool_state;
mod prefetch;
mod prefetch_off;
mod primarycache;
pub(crate) mod provisional;
mod recordsize;
mod redundancy;
mod room;
mod room_unused;
mod seek_bound;
mod shared_ssd;
mod slog_idle;
mod slog_safety;
mod slog_slow;
mod slop;
mod slow_disk;
mod slow_ios;
mod slow_pair;
mod smart;
mod special;
mod special_full;
mod swap_on_zvol;
mod sync_disabled;
mod sync_writes;
mod throttled;
mod timed;
mod txg_sync;
mod unsafe_parameters;
mod vdev_full;
mod wear;
mod zil_errors;

use crate::rule::Rule;

pub(crate) use arc_limits::RULE as ARC_LIMITS;
pub(crate) use arc_small::RULE as ARC_SMALL;
pub(crate) use arc_squeezed::RULE as ARC_SQUEEZED;
pub(crate) use dnode_limit::RULE as DNODE_LIMIT;
pub(crate) use health::RULE as HEALTH;
pub(crate) use l2arc_cold::RULE as L2ARC_COLD;
pub(crate) use l2arc_feed::RULE as L2ARC_FEED;
pub(crate) use l2arc_headers::RULE as L2ARC_HEADERS;
pub(crate) use l2arc_prefetch::RULE as L2ARC_PREFETCH;
pub(crate) use metadata::RULE as METADATA;
pub(crate) use not_persisted::RULE as NOT_LASTING;
pub(crate) use pool_full::RULE as POOL_FULL;
pub(crate) use prefetch::RULE as PREFETCH;
pub(crate) use prefetch_off::RULE as PREFETCH_OFF;
pub(crate) use recordsize::RULE as RECORDSIZE;
pub(crate) use seek_bound::RULE as SEEK_BOUND;
pub(crate) use sync_disabled::RULE as SYNC_DISABLED;
pub(crate) use sync_writes::RULE as SYNC_WRITES;
pub(crate) use throttled::RULE as THROTTLED;
pub(crate) use unsafe_parameters::RULE as UNSAFE_PARAMETERS;

/// All of them.
pub(crate) const ALL: &[Rule] = &[
    health::RULE,
    data_errors::RULE,
    device_errors::RULE,
    slow_ios::RULE,
    smart::RULE,
    kernel_log::RULE,
    swap_on_zvol::RULE,
    counters_reset::RULE,
    provisional::RULE,
    metadata::RULE,
    metadata_uncached::RULE,
    dnode_limit::RULE,
    arc_small::RULE,
    arc_squeezed::RULE,
    arc_over::RULE,
    arc_collapsed::RULE,
    eviction::RULE,
    dbuf_cache::RULE,
    l2arc_errors::RULE,
    l2arc_worth::RULE,
    l2arc_prefetch::RULE,
    l2arc_feed::RULE,
    l2arc_warming::RULE,
    l2arc_cold::RULE,
    l2arc_headers::RULE,
    l2arc_excluded::RULE,
    l2arc_ineligible::RULE,
    l2arc_unneeded::RULE,
    prefetch::RULE,
    prefetch_off::RULE,
    sync_writes::RULE,
    slog_idle::RULE,
    sync_disabled::RULE,
    slog_safety::RULE,
    shared_ssd::RULE,
    unsafe_parameters::RULE,
    throttled::RULE,
    txg_sync::RULE,
    zil_errors::RULE,
    slog_slow::RULE,
    slop::RULE,
    seek_bound::RULE,
    slow_disk::RULE,
    slow_pair::RULE,
    pool_full::RULE,
    vdev_full::RULE,
    room_unused::RULE,
    recordsize::RULE,
    ashift::RULE,
    atime::RULE,
    compression::RULE,
    dedup::RULE,
    primarycache::RULE,
    special::RULE,
    special_full::RULE,
    cipher::RULE,
    direct_io::RULE,
    redundancy::RULE,
    wear::RULE,
    arc_limits::RULE,
    not_persisted::RULE,
    gone_parameters::RULE,
    obsolete_advice::RULE,
    timed::RULE,
];

//! The rules, one per file, in the order in which they are asked.

mod arc_limits;
mod arc_small;
mod arc_squeezed;
mod ashift;
mod atime;
mod compression;
mod counters_reset;
mod data_errors;
mod datasets;
mod dedup;
mod device_errors;
mod disks;
mod dnode_limit;
mod gone_parameters;
mod health;
mod l2arc;
mod l2arc_barred;
mod l2arc_cold;
mod l2arc_errors;
mod l2arc_feed;
mod l2arc_headers;
mod l2arc_ineligible;
mod l2arc_prefetch;
mod l2arc_unneeded;
mod l2arc_warming;
mod log_facts;
mod metadata;
mod not_lasting;
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
mod seek_bound;
mod shared_ssd;
mod slog_idle;
mod slog_safety;
mod slow_disk;
mod slow_ios;
mod smart;
mod special;
mod swap_on_zvol;
mod sync_disabled;
mod sync_writes;
mod throttled;
mod unsafe_parameters;
mod wear;

use crate::verdict::Rule;

/// All of them.
pub(crate) const ALL: &[Rule] = &[
    health::RULE,
    data_errors::RULE,
    device_errors::RULE,
    slow_ios::RULE,
    smart::RULE,
    swap_on_zvol::RULE,
    counters_reset::RULE,
    provisional::RULE,
    metadata::RULE,
    dnode_limit::RULE,
    arc_small::RULE,
    arc_squeezed::RULE,
    l2arc_errors::RULE,
    l2arc_prefetch::RULE,
    l2arc_feed::RULE,
    l2arc_warming::RULE,
    l2arc_cold::RULE,
    l2arc_headers::RULE,
    l2arc_barred::RULE,
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
    seek_bound::RULE,
    slow_disk::RULE,
    pool_full::RULE,
    recordsize::RULE,
    ashift::RULE,
    atime::RULE,
    compression::RULE,
    dedup::RULE,
    primarycache::RULE,
    special::RULE,
    redundancy::RULE,
    wear::RULE,
    arc_limits::RULE,
    not_lasting::RULE,
    gone_parameters::RULE,
    obsolete_advice::RULE,
];

//! The rules, one per file, in folders by subject, and the order in which they run.
//!
//! Folders do not use each other; what several of them ask of a machine is in the files beside them.

mod arc;
mod datasets;
mod disks;
mod l2arc;
mod pools;
pub(crate) mod reading;
mod settings;
mod sync;

pub(crate) mod dataset_state;
mod device_paths;
pub(crate) mod disk_state;
pub(crate) mod l2arc_state;
mod last_copies;
mod metadata_uncached;
pub(crate) mod pool_state;
mod weak;

use crate::rule::Rule;

pub use arc::room::larger_arc;

pub(crate) use arc::dnode_limit::RULE as DNODE_LIMIT;
pub(crate) use arc::limits::RULE as ARC_LIMITS;
pub(crate) use arc::metadata::RULE as METADATA;
pub(crate) use arc::prefetch::RULE as PREFETCH;
pub(crate) use arc::prefetch_off::RULE as PREFETCH_OFF;
pub(crate) use arc::small::RULE as ARC_SMALL;
pub(crate) use arc::squeezed::RULE as ARC_SQUEEZED;
pub(crate) use datasets::recordsize::RULE as RECORDSIZE;
pub(crate) use disks::seek_bound::RULE as SEEK_BOUND;
pub(crate) use l2arc::cold::RULE as L2ARC_COLD;
pub(crate) use l2arc::feed::RULE as L2ARC_FEED;
pub(crate) use l2arc::headers::RULE as L2ARC_HEADERS;
pub(crate) use l2arc::prefetch::RULE as L2ARC_PREFETCH;
pub(crate) use pools::disk_labels::evidence as label_evidence;
pub(crate) use pools::health::RULE as HEALTH;
pub(crate) use pools::pool_full::RULE as POOL_FULL;
pub(crate) use reading::timed::all_evidence as timing_evidence;
pub(crate) use settings::not_persisted::RULE as NOT_PERSISTED;
pub(crate) use settings::unsafe_parameters::RULE as UNSAFE_PARAMETERS;
pub(crate) use sync::disabled::RULE as SYNC_DISABLED;
pub(crate) use sync::throttled::RULE as THROTTLED;
pub(crate) use sync::writes::RULE as SYNC_WRITES;

/// All of them.
pub(crate) const ALL: &[Rule] = &[
    pools::health::RULE,
    pools::data_errors::RULE,
    pools::notices::RULE,
    pools::panicked::RULE,
    pools::overwritten::RULE,
    pools::refused::RULE,
    pools::disk_labels::RULE,
    disks::device_errors::RULE,
    disks::errors_before::RULE,
    disks::repaired::RULE,
    disks::slow_ios::RULE,
    disks::smart::RULE,
    disks::kernel_log::RULE,
    sync::hung::RULE,
    pools::swap_on_zvol::RULE,
    reading::counters_reset::RULE,
    reading::provisional::RULE,
    reading::two_machines::RULE,
    arc::metadata::RULE,
    arc::metadata_uncached::RULE,
    arc::meta_limit::RULE,
    arc::dnode_limit::RULE,
    arc::small::RULE,
    arc::larger::RULE,
    arc::misses::RULE,
    arc::squeezed::RULE,
    arc::swapped::RULE,
    arc::swap_full::RULE,
    arc::throttled::RULE,
    arc::wired::RULE,
    arc::memory::RULE,
    arc::over::RULE,
    arc::collapsed::RULE,
    arc::minimum::RULE,
    arc::eviction::RULE,
    arc::busy_threads::RULE,
    disks::waited_for::RULE,
    arc::dbuf_cache::RULE,
    arc::slabs::RULE,
    arc::slabs_empty::RULE,
    arc::slab_beside::RULE,
    l2arc::errors::RULE,
    l2arc::serves::RULE,
    l2arc::worth::RULE,
    l2arc::prefetch::RULE,
    l2arc::feed::RULE,
    l2arc::warming::RULE,
    l2arc::cold::RULE,
    l2arc::headers::RULE,
    l2arc::compressed::RULE,
    l2arc::excluded::RULE,
    l2arc::ineligible::RULE,
    l2arc::unneeded::RULE,
    arc::prefetch::RULE,
    arc::prefetch_off::RULE,
    sync::writes::RULE,
    sync::slog_idle::RULE,
    sync::disabled::RULE,
    sync::slog_safety::RULE,
    sync::shared_ssd::RULE,
    settings::unsafe_parameters::RULE,
    settings::vdev_cache::RULE,
    settings::queue_of_one::RULE,
    sync::throttled::RULE,
    sync::txg_sync::RULE,
    sync::zil_errors::RULE,
    sync::slog_slow::RULE,
    pools::slop::RULE,
    pools::scan_slow::RULE,
    disks::seek_bound::RULE,
    disks::saturated::RULE,
    disks::slow_disk::RULE,
    disks::slow_pair::RULE,
    disks::long_waits::RULE,
    disks::wait_tail::RULE,
    disks::queue_wait::RULE,
    pools::pool_full::RULE,
    pools::reserved::RULE,
    pools::vdev_full::RULE,
    pools::room_unused::RULE,
    pools::never_scrubbed::RULE,
    datasets::recordsize::RULE,
    datasets::fio_record::RULE,
    datasets::snapshots::RULE,
    datasets::padding::RULE,
    pools::ashift::RULE,
    datasets::checksum_off::RULE,
    datasets::atime::RULE,
    datasets::compression::RULE,
    datasets::dedup::RULE,
    datasets::dedup_simulated::RULE,
    datasets::primarycache::RULE,
    pools::special::RULE,
    pools::special_full::RULE,
    datasets::cipher::RULE,
    datasets::direct_io::RULE,
    pools::redundancy::RULE,
    disks::wear::RULE,
    disks::shingled::RULE,
    arc::limits::RULE,
    arc::conflicting::RULE,
    settings::not_persisted::RULE,
    settings::gone_parameters::RULE,
    settings::obsolete_advice::RULE,
    settings::set_commands::RULE,
    reading::timed::RULE,
];

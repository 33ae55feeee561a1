//! The tunables of a run: as set, or the version's default, scaled with the experiment.

use arcwright_scenario::System;
use arcwright_tunables::{DefaultValue, Version, lookup};

/// Every tunable that the model knows, in its own unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) arc: ArcSettings,
    pub(crate) dbuf_cache_shift: u64,
    pub(crate) l2arc: L2arcSettings,
    pub(crate) prefetch: PrefetchSettings,
    pub(crate) queues: QueueSettings,
    pub(crate) txg: TxgSettings,
    pub(crate) log: LogSettings,
}

impl Settings {
    /// Returns the settings of `system`, whose tunables are scaled already, in 1/`scale`.
    pub(crate) fn of(system: &System, version: Option<Version>, scale: u64) -> Self {
        let set = |name: &str| {
            system.tunables.iter().find(|setting| setting.name == name).map(|setting| setting.value)
        };
        Self::read(&set, version, scale)
    }

    /// Returns the defaults of a version, at full scale.
    pub(crate) fn defaults(version: Option<Version>) -> Self {
        Self::read(&|_| None, version, 1)
    }

    fn read(set: &dyn Fn(&str) -> Option<u64>, version: Option<Version>, scale: u64) -> Self {
        let get = |name: &str, otherwise: u64| {
            if let Some(value) = set(name) {
                return value;
            }
            let entry = lookup(name);
            let value =
                entry.zip(version).and_then(|(entry, version)| match entry.default_for(version) {
                    Some(DefaultValue::Fixed(value)) => Some(value),
                    _ => None,
                });
            let value = value.unwrap_or(otherwise);
            entry.map_or(value, |entry| entry.scaled(value, scale))
        };
        Self {
            arc: ArcSettings::read(&get, version),
            dbuf_cache_shift: get("dbuf_cache_shift", 5),
            l2arc: L2arcSettings::read(&get),
            prefetch: PrefetchSettings::read(&get),
            queues: QueueSettings::read(&get),
            txg: TxgSettings::read(set, &get),
            log: LogSettings::read(&get, version),
        }
    }
}

/// Asks for a tunable by its name. The number beside it counts only where it is not set and the catalogue
/// (`crates/tunables/catalogue`) has no fixed default for the version: releases without the tunable, and defaults that
/// depend on the machine.
type Get<'a> = &'a dyn Fn(&str, u64) -> u64;

/// What the ARC keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArcSettings {
    pub(crate) min_prefetch_ms: u64,
    pub(crate) meta_balance: u64,
    pub(crate) meta: MetaSettings,
}

impl ArcSettings {
    fn read(get: Get<'_>, version: Option<Version>) -> Self {
        Self {
            min_prefetch_ms: get("zfs_arc_min_prefetch_ms", 1000),
            meta_balance: get("zfs_arc_meta_balance", 500),
            meta: MetaSettings::read(get, version),
        }
    }
}

/// What limits metadata and dnodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MetaSettings {
    pub(crate) limit: u64,
    /// What holds while `limit` is 0.
    pub(crate) rule: MetaLimit,
    pub(crate) min: u64,
    pub(crate) dnode_limit: u64,
    pub(crate) dnode_limit_percent: u64,
}

impl MetaSettings {
    fn read(get: Get<'_>, version: Option<Version>) -> Self {
        Self {
            limit: get("zfs_arc_meta_limit", 0),
            rule: MetaLimit::of(version, get("zfs_arc_meta_limit_percent", 75)),
            min: get("zfs_arc_meta_min", 0),
            dnode_limit: get("zfs_arc_dnode_limit", 0),
            dnode_limit_percent: get("zfs_arc_dnode_limit_percent", 10),
        }
    }
}

/// How much metadata may take by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetaLimit {
    /// So many hundredths of the ARC's maximum (0.6 to 2.1).
    Percent(u64),
    /// A quarter of it (FreeBSD's own ZFS).
    Quarter,
    /// There is no limit (2.2 and later).
    None,
}

impl MetaLimit {
    fn of(version: Option<Version>, percent: u64) -> Self {
        let before = |text: &str| version.is_some_and(|v| Version::parse(text) > Some(v));
        match version {
            Some(version) if version.is_legacy_freebsd() => Self::Quarter,
            _ if before("2.2") => Self::Percent(percent),
            _ => Self::None,
        }
    }
}

/// What the L2ARC takes, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct L2arcSettings {
    pub(crate) write_max: u64,
    pub(crate) write_boost: u64,
    pub(crate) headroom: u64,
    pub(crate) headroom_boost: u64,
    pub(crate) feed_secs: u64,
    pub(crate) feed_min_ms: u64,
    pub(crate) feed_again: bool,
    pub(crate) noprefetch: bool,
    pub(crate) norw: bool,
    pub(crate) mfuonly: u64,
    pub(crate) meta_percent: u64,
}

impl L2arcSettings {
    fn read(get: Get<'_>) -> Self {
        Self {
            write_max: get("l2arc_write_max", 8 << 20),
            write_boost: get("l2arc_write_boost", 8 << 20),
            headroom: get("l2arc_headroom", 2),
            headroom_boost: get("l2arc_headroom_boost", 200),
            feed_secs: get("l2arc_feed_secs", 1),
            feed_min_ms: get("l2arc_feed_min_ms", 200),
            feed_again: get("l2arc_feed_again", 1) != 0,
            noprefetch: get("l2arc_noprefetch", 1) != 0,
            norw: get("l2arc_norw", 0) != 0,
            mfuonly: get("l2arc_mfuonly", 0),
            meta_percent: get("l2arc_meta_percent", 33),
        }
    }
}

/// How far is read ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PrefetchSettings {
    pub(crate) disable: bool,
    pub(crate) max_streams: u64,
    pub(crate) min_distance: u64,
    pub(crate) max_distance: u64,
    pub(crate) max_idistance: u64,
    pub(crate) array_rd_sz: u64,
}

impl PrefetchSettings {
    fn read(get: Get<'_>) -> Self {
        Self {
            disable: get("zfs_prefetch_disable", 0) != 0,
            max_streams: get("zfetch_max_streams", 8),
            min_distance: get("zfetch_min_distance", 4 << 20),
            max_distance: get("zfetch_max_distance", 64 << 20),
            max_idistance: get("zfetch_max_idistance", 64 << 20),
            array_rd_sz: get("zfetch_array_rd_sz", 1 << 20),
        }
    }
}

/// What waits in front of a disk, and what is joined there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueSettings {
    /// Requests of a disk that may be active: synchronous reads and writes, asynchronous reads and
    /// writes; the maximum of the last while little is dirty.
    pub(crate) max_active: [u64; 4],
    pub(crate) min_active: [u64; 4],
    /// Requests of a disk that may be active, of all classes together.
    pub(crate) vdev_max_active: u64,
    /// Asynchronous writes that may be active while much is dirty.
    pub(crate) async_write_max_active: u64,
    /// Shares of the dirty data that may be, in percent, between which that maximum grows.
    pub(crate) async_write_dirty: [u64; 2],
    pub(crate) aggregation_rotating: u64,
    pub(crate) aggregation_solid: u64,
    pub(crate) read_gap: u64,
    pub(crate) write_gap: u64,
}

impl QueueSettings {
    fn read(get: Get<'_>) -> Self {
        Self {
            max_active: [
                get("zfs_vdev_sync_read_max_active", 10),
                get("zfs_vdev_sync_write_max_active", 10),
                get("zfs_vdev_async_read_max_active", 3),
                get("zfs_vdev_async_write_min_active", 2),
            ],
            min_active: [
                get("zfs_vdev_sync_read_min_active", 10),
                get("zfs_vdev_sync_write_min_active", 10),
                get("zfs_vdev_async_read_min_active", 1),
                get("zfs_vdev_async_write_min_active", 2),
            ],
            vdev_max_active: get("zfs_vdev_max_active", 1000),
            async_write_max_active: get("zfs_vdev_async_write_max_active", 10),
            async_write_dirty: [
                get("zfs_vdev_async_write_active_min_dirty_percent", 30),
                get("zfs_vdev_async_write_active_max_dirty_percent", 60),
            ],
            aggregation_rotating: get("zfs_vdev_aggregation_limit", 1 << 20),
            aggregation_solid: get("zfs_vdev_aggregation_limit_non_rotating", 128 << 10),
            read_gap: get("zfs_vdev_read_gap_limit", 32 << 10),
            write_gap: get("zfs_vdev_write_gap_limit", 4096),
        }
    }
}

/// When a transaction group is written, and how much it may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TxgSettings {
    pub(crate) timeout_secs: u64,
    /// Whether disks are asked to empty their caches at the end of a group.
    pub(crate) flushes: bool,
    pub(crate) dirty: DirtySettings,
}

impl TxgSettings {
    fn read(set: &dyn Fn(&str) -> Option<u64>, get: Get<'_>) -> Self {
        Self {
            timeout_secs: get("zfs_txg_timeout", 5),
            flushes: get(NO_FLUSHES, 0) == 0,
            dirty: DirtySettings::read(set, get),
        }
    }
}

/// The tunable with which disks are never asked to empty their caches.
const NO_FLUSHES: &str = "zfs_nocacheflush";

/// How much may be changed in memory, and from when on writers are held up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DirtySettings {
    /// None for the default, a share of the memory.
    pub(crate) max: Option<u64>,
    /// Shares of the memory, in percent: the default, and its upper bound.
    pub(crate) percent: [u64; 2],
    /// The default's upper bound, beside that share.
    pub(crate) bound: u64,
    pub(crate) max_max: Option<u64>,
    pub(crate) sync: Option<u64>,
    pub(crate) sync_percent: u64,
    pub(crate) delay_min_percent: u64,
    pub(crate) delay_scale: u64,
}

impl DirtySettings {
    fn read(set: &dyn Fn(&str) -> Option<u64>, get: Get<'_>) -> Self {
        Self {
            max: set("zfs_dirty_data_max"),
            percent: [
                get("zfs_dirty_data_max_percent", 10),
                get("zfs_dirty_data_max_max_percent", 25),
            ],
            bound: get("zfs_dirty_data_max_max", 4 << 30),
            max_max: set("zfs_dirty_data_max_max"),
            sync: set("zfs_dirty_data_sync"),
            sync_percent: get("zfs_dirty_data_sync_percent", 20),
            delay_min_percent: get("zfs_delay_min_dirty_percent", 60),
            delay_scale: get("zfs_delay_scale", 500_000),
        }
    }
}

/// How the intent log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogSettings {
    pub(crate) commit_timeout_percent: u64,
    pub(crate) immediate_write: u64,
    /// Whether disks are asked to empty their caches behind a block.
    pub(crate) flushes: bool,
}

impl LogSettings {
    fn read(get: Get<'_>, version: Option<Version>) -> Self {
        // 10 from 2.2.4 on.
        let is_new = version.is_none_or(|version| Version::parse("2.2.4") <= Some(version));
        let commit_timeout = if is_new { 10 } else { 5 };
        Self {
            commit_timeout_percent: get("zfs_commit_timeout_pct", commit_timeout),
            immediate_write: get("zfs_immediate_write_sz", 32 << 10),
            flushes: get(NO_FLUSHES, 0) == 0 && get("zil_nocacheflush", 0) == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use arcwright_tunables::{Modelled, entries};

    use super::Settings;

    /// Shown among the counters, as a module shows them, and not followed.
    const SHOWN: [&str; 2] = ["zfs_arc_dnode_limit", "zfs_arc_dnode_limit_percent"];
    /// Read where the limits of the ARC are settled (`ArcLimits`).
    const ELSEWHERE: [&str; 2] = ["zfs_arc_max", "zfs_arc_min"];

    #[test]
    fn the_catalogue_says_of_those_that_are_read_that_they_are_simulated_and_of_no_others() {
        let read = RefCell::new(BTreeSet::from(ELSEWHERE.map(str::to_owned)));
        let ask = |name: &str| {
            read.borrow_mut().insert(name.to_owned());
            None
        };
        Settings::read(&ask, None, 1);
        let said = entries().iter().filter(|entry| entry.model == Modelled::Simulated);
        let said: BTreeSet<String> = said.map(|entry| entry.name.clone()).collect();
        let mut read = read.into_inner();
        read.retain(|name| !SHOWN.contains(&name.as_str()));
        assert_eq!(read, said);
    }
}

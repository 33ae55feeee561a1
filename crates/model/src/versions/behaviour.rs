//! What differs between versions, chosen once (docs/model/README.md#what-changed-when).
//!
//! A group for each subsystem; beside them stands what several of them ask for.

use arcwright_tunables::Version;
use arcwright_units::Nanos;

use super::costs::{self, ByEra, Structures};
use super::rules::{
    Allocators, ArcRules, LogCompany, LogPacking, LogPlanning, MetaStrategy, Prefetcher,
    QueueOrder, Start, TxgSize,
};
use super::ticks::Ticks;

/// A version's behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Behaviour {
    pub(crate) arc: ArcBehaviour,
    pub(crate) l2arc: L2arcBehaviour,
    pub(crate) dbufs: DbufBehaviour,
    pub(crate) prefetch: PrefetchBehaviour,
    pub(crate) queues: QueueBehaviour,
    pub(crate) layout: LayoutBehaviour,
    pub(crate) txg: TxgBehaviour,
    pub(crate) log: LogBehaviour,
    /// Whether those that wait for the same block are called in the order in which they came (2.2+), or
    /// the last one first (`acb_next` and `acb_prev`, arc.c).
    pub(crate) waiters_in_order: bool,
    /// Whether a transaction holds many records of a request (2.2 and later), or one.
    pub(crate) long_transactions: bool,
    /// In what ages and sleeps are counted.
    pub(crate) ticks: Ticks,
}

/// Arrivals that share a deadline, where requests go by deadlines: `lbolt >> zfs_vdev_time_shift`, with the
/// 1000 ticks in a second of FreeBSD, and those of zfs-fuse of 2^23 ns.
const GRAIN: Nanos = Nanos::millis(64);
const GRAIN_OF_DAEMON: Nanos = Nanos(1 << 29);

impl Behaviour {
    /// Returns the behaviour of `version`; a version that is not known behaves like the newest.
    pub(crate) fn of(version: Option<Version>) -> Self {
        let release = Release(version);
        Self {
            arc: ArcBehaviour::of(release),
            l2arc: L2arcBehaviour::of(release),
            dbufs: DbufBehaviour::of(release),
            prefetch: PrefetchBehaviour::of(release),
            queues: QueueBehaviour::of(release),
            layout: LayoutBehaviour::of(release),
            txg: TxgBehaviour::of(release),
            log: LogBehaviour::of(release),
            waiters_in_order: release.is_from_2_2(),
            long_transactions: release.is_from_2_2(),
            ticks: Ticks::Kernel,
        }
    }

    /// The same in user space, with the headers, dbufs and dnodes of the Debian libraries, as `cargo xtask costs sizes`
    /// measures them.
    pub(crate) fn in_user_space(version: Option<Version>) -> Self {
        let release = Release(version);
        let mut behaviour = Self::of(version);
        behaviour.layout.txg_size = TxgSize::Fixed(64 << 20);
        if behaviour.arc.recycles {
            // The old daemon keeps the kernel's ways; its groups are ended by the lab.
            behaviour.queues.order = QueueOrder::Deadlines { grain: GRAIN_OF_DAEMON };
            return behaviour;
        }
        behaviour.arc.header_bytes = release.of_era(costs::HEADER_IN_USER_SPACE);
        behaviour.arc.starts = Start::AtHalfOfDefault;
        behaviour.dbufs.structures.dbuf = release.of_era(costs::DBUF_IN_USER_SPACE);
        behaviour.dbufs.structures.dnode = release.of_era(costs::DNODE_IN_USER_SPACE);
        behaviour.layout.blocks_under_way = costs::UNDER_WAY_IN_USER_SPACE;
        behaviour.ticks = Ticks::UserSpace;
        behaviour
    }
}

/// What the ARC keeps and lets go, and what a block costs there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArcBehaviour {
    pub(crate) rules: ArcRules,
    /// Whether a pass of eviction counts the metadata that the MRU has given before the MFU gives its own (2.2.7 and
    /// later); before, the MFU gives that once more.
    pub(crate) counts_given_metadata: bool,
    /// Whether room is made block by block, by taking the memory of another one (before FreeBSD 11).
    pub(crate) recycles: bool,
    /// Whether a block that comes back from a ghost list gets its new state before its memory, which
    /// counts it twice and moves no target (OpenSolaris from changeset 11805 of 2010; FreeBSD 9).
    pub(crate) counts_ghosts_twice: bool,
    /// Whether a block that comes back from a ghost list is moved by what asks for it now (before 0.7 and
    /// FreeBSD 11), or by what asked for it last.
    pub(crate) ghosts_come_back_by_request: bool,
    /// Whether a prefetched block loses its flag as soon as it is there, and with it the protection of
    /// `arc_min_prefetch_ms` (2.1).
    pub(crate) prefetch_flag_ends_on_arrival: bool,
    /// What happens beyond the limit on metadata.
    pub(crate) meta_strategy: MetaStrategy,
    /// Whether blocks stay compressed (0.7 and FreeBSD 11 and later).
    pub(crate) compresses: bool,
    /// Bytes of a full header (`HDR_FULL_SIZE` on 64-bit Linux).
    pub(crate) header_bytes: u64,
    /// Where the target begins.
    pub(crate) starts: Start,
}

impl ArcBehaviour {
    fn of(release: Release) -> Self {
        let is_freebsd = release.is_freebsd();
        Self {
            rules: if release.is_from_2_2() { ArcRules::Fractions } else { ArcRules::Target },
            counts_given_metadata: release.is_from("2.2.7"),
            recycles: release.is_old() && is_freebsd,
            counts_ghosts_twice: is_freebsd
                && release.is_from("freebsd-9")
                && release.is_before("freebsd-10"),
            ghosts_come_back_by_request: release.is_old(),
            prefetch_flag_ends_on_arrival: release.is_from("2.1") && !release.is_from_2_2(),
            meta_strategy: if is_freebsd {
                MetaStrategy::Only
            } else {
                MetaStrategy::Balanced { reads_anew: release.is_before("0.8") }
            },
            compresses: !release.is_old(),
            header_bytes: release.of_era(costs::HEADER),
            starts: if release.is_before("2.0") { Start::Full } else { Start::AtMinimum },
        }
    }
}

/// What the L2ARC takes, and how much in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct L2arcBehaviour {
    /// Whether a prefetch is not read from a cache device while `l2arc_noprefetch` is set (before 2.2.1).
    pub(crate) refuses_prefetches: bool,
    /// Whether what is needed to restore it after an import is written as well (2.0 and later).
    pub(crate) keeps_log: bool,
    /// Whether a pass of the feed counts its log blocks (2.1.13, 2.2 and later).
    pub(crate) feed_counts_log: bool,
    /// Whether a pass of the feed writes at most a quarter of the device (2.2.3 and later).
    pub(crate) feed_is_capped: bool,
}

impl L2arcBehaviour {
    fn of(release: Release) -> Self {
        Self {
            refuses_prefetches: release.is_before("2.2.1"),
            keeps_log: release.is_from("2.0"),
            feed_counts_log: release.is_from("2.1.13"),
            feed_is_capped: release.is_from("2.2.3"),
        }
    }
}

/// What stays in memory in front of the ARC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DbufBehaviour {
    /// Whether dbufs are kept after use (0.7 and later).
    pub(crate) has_cache: bool,
    /// Whether the cache counts the dnodes of a block with it (2.3 and later).
    pub(crate) counts_dnodes: bool,
    /// Whether a record that was read because part of it is written leaves memory with its dbuf.
    pub(crate) written_parts_pass: bool,
    /// Bytes of a dbuf, of a dnode, and of a bonus buffer.
    pub(crate) structures: Structures,
}

impl DbufBehaviour {
    fn of(release: Release) -> Self {
        Self {
            has_cache: !release.is_old(),
            counts_dnodes: release.is_from("2.3"),
            written_parts_pass: release.is_from("2.4.1"),
            structures: costs::STRUCTURES,
        }
    }
}

/// How sequential readers are followed, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PrefetchBehaviour {
    pub(crate) rules: Prefetcher,
    /// Whether a request longer than `zfetch_array_rd_sz` bypasses the prefetcher (up to 2.1).
    pub(crate) long_reads_bypass: bool,
    /// Whether prefetches of the whole system together have a limit (2.1.10 and later).
    pub(crate) is_limited: bool,
    /// Whether a write of part of a record is followed as a read of the record too (2.4 and later).
    pub(crate) follows_partial_writes: bool,
}

impl PrefetchBehaviour {
    fn of(release: Release) -> Self {
        Self {
            rules: match () {
                () if release.is_from("2.2.4") => Prefetcher::Reordering,
                () if release.is_from("2.1.6") => Prefetcher::OnEvidence,
                () if release.is_old() => Prefetcher::ByBlock,
                () => Prefetcher::Doubling,
            },
            long_reads_bypass: !release.is_from_2_2(),
            is_limited: release.is_from("2.1.10"),
            follows_partial_writes: release.is_from("2.4"),
        }
    }
}

/// How requests wait in front of the disks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueBehaviour {
    /// How the vdev queue orders what waits.
    pub(crate) order: QueueOrder,
    /// Whether a prefetch that somebody waits for becomes a synchronous read (0.8 and later).
    pub(crate) upgrades_prefetches: bool,
    /// Whether the sides of a mirror take turns by offset, 2 MiB each, however busy they are (FreeBSD
    /// before 10; vdev_mirror.c).
    pub(crate) mirrors_take_turns: bool,
}

impl QueueBehaviour {
    fn of(release: Release) -> Self {
        Self {
            order: match () {
                () if release.is_from_2_2() => QueueOrder::Buckets,
                () if release.is_before("freebsd-10") => QueueOrder::Deadlines { grain: GRAIN },
                () => QueueOrder::Elevator,
            },
            upgrades_prefetches: release.is_from("0.8"),
            mirrors_take_turns: release.is_before("freebsd-10"),
        }
    }
}

/// Where blocks come to lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayoutBehaviour {
    /// Pointers in an indirect block: of 16 KiB up to FreeBSD 10 and 0.6, of 128 KiB later.
    pub(crate) pointers: u32,
    /// Bytes that a top-level vdev gets before it is the next one's turn, for each of its disks that
    /// hold data, or for each disk at all (up to 2.1.5, and 2.4).
    pub(crate) aliquot: (u64, bool),
    /// How files that are there were written.
    pub(crate) txg_size: TxgSize,
    /// Blocks of a top-level vdev that may be under way to the disks when a group begins to be written,
    /// and at most: `zfs_vdev_queue_depth_pct` is 1000 in the kernel, and 300 in user space.
    pub(crate) blocks_under_way: [u32; 2],
    /// Allocators of a pool.
    pub(crate) allocators: Allocators,
    /// Small blocks of volumes go to special vdevs, as those of files do.
    pub(crate) volumes_are_small: bool,
}

impl LayoutBehaviour {
    fn of(release: Release) -> Self {
        Self {
            pointers: if release.is_old() { 128 } else { 1024 },
            aliquot: match () {
                () if release.is_from("2.4") => (2 << 20, true),
                () if release.is_from("2.1.6") => (1 << 20, false),
                () => (512 << 10, true),
            },
            txg_size: match () {
                () if release.is_before("freebsd-10") => TxgSize::EighthOfMemory,
                () if release.is_before("0.8") => TxgSize::Fixed(64 << 20),
                () => TxgSize::FifthOfDirtyData,
            },
            blocks_under_way: costs::UNDER_WAY,
            allocators: Allocators::of([release.is_before("0.8"), release.is_before("2.3")]),
            volumes_are_small: release.is_from("2.4"),
        }
    }
}

/// When a transaction group is written, and what it writes and counts besides what was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TxgBehaviour {
    /// Whether a group asks to be written by its share of what may be dirty (0.8 and later).
    pub(crate) syncs_by_share: bool,
    /// Sync passes in which a txg writes the pool's own metadata, and bytes of each of two copies in one:
    /// a lone change in the lab's 2.3.2 has 28 with 364 KiB in all, in 2.1.11 34 with 632 KiB.
    pub(crate) sync_passes: u64,
    pub(crate) sync_pass_bytes: u64,
    /// Hits of metadata that a group counts while it is written: what the lab counts beyond the clients'
    /// own, 57 to 66 in 2.3.2, 120 to 137 in 2.1.11.
    pub(crate) hits: u64,
    /// Whether what is new in the ARC is held against the most that the ARC may have, while memory was never short (2.0
    /// and later), instead of its target.
    pub(crate) counts_arc_max: bool,
}

impl TxgBehaviour {
    fn of(release: Release) -> Self {
        Self {
            syncs_by_share: release.is_from("0.8"),
            sync_passes: release.of_era(costs::SYNC_PASSES),
            sync_pass_bytes: costs::SYNC_PASS_BYTES,
            hits: release.of_era(costs::TXG_HITS),
            counts_arc_max: release.is_from("2.0"),
        }
    }
}

/// How the intent log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogBehaviour {
    /// How records come into its blocks.
    pub(crate) packing: LogPacking,
    /// Whether what somebody waits for is logged where it is less than half of a block, and the log lies on
    /// special vdevs where there is no log vdev.
    pub(crate) takes_small_parts: bool,
    /// Whether a block that nobody waits for leaves its flush to the next one in any case (up to 2.1), or
    /// only when that is on its way.
    pub(crate) flush_waits_for_next: bool,
    /// Whether blocks are sent off under the log's lock (up to 2.1).
    pub(crate) issues_under_lock: bool,
    /// Whether a further thread is called once the disks are flushed (2.2 and later).
    pub(crate) done_by_another: bool,
}

impl LogBehaviour {
    fn of(release: Release) -> Self {
        let is_from_2_2 = release.is_from_2_2();
        Self {
            packing: LogPacking::of(release),
            takes_small_parts: release.is_from("2.4"),
            flush_waits_for_next: !is_from_2_2,
            issues_under_lock: !is_from_2_2,
            done_by_another: is_from_2_2,
        }
    }
}

impl LogPacking {
    fn of(release: Release) -> Self {
        let (planning, company) = match () {
            () if release.is_from("2.2.4") => (LogPlanning::Bursts, LogCompany::IfExpected),
            () if release.is_from("0.8") && release.is_before("2.1.10") => {
                (LogPlanning::Buckets, LogCompany::Always)
            }
            () => (LogPlanning::Buckets, LogCompany::UnlessIdle),
        };
        let splits_large = release.is_before("2.2.3");
        Self { planning, company, splits_large, is_of_2_2: release.is_from_2_2() }
    }

    /// Returns that of a release, by its name.
    #[cfg(test)]
    pub(crate) fn of_version(text: &str) -> Self {
        Self::of(Release(Version::parse(text)))
    }
}

/// A version; one that is not known is after all others.
#[derive(Debug, Clone, Copy)]
struct Release(Option<Version>);

impl Release {
    fn is_from(self, text: &str) -> bool {
        self.0.is_none_or(|version| Version::parse(text) <= Some(version))
    }

    fn is_before(self, text: &str) -> bool {
        self.0.is_some_and(|version| Version::parse(text) > Some(version))
    }

    fn is_freebsd(self) -> bool {
        self.0.is_some_and(Version::is_legacy_freebsd)
    }

    /// Says whether it is of before FreeBSD 11 or 0.7.
    fn is_old(self) -> bool {
        self.is_before("freebsd-11") || (self.is_before("0.7") && !self.is_freebsd())
    }

    fn is_from_2_2(self) -> bool {
        is_from_2_2(self.0)
    }

    fn of_era(self, numbers: ByEra) -> u64 {
        costs::of_era(numbers, self.is_from_2_2())
    }
}

/// Says whether it is 2.2 or later, which what is not known counts as.
pub(super) fn is_from_2_2(version: Option<Version>) -> bool {
    Release(version).is_from("2.2")
}

//! What differs between versions, chosen once (docs/model/README.md#what-changed-when).

use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use super::costs::{self, Structures, of_era};
use super::ticks::Ticks;

/// In which order requests of a class go to the disk
/// (docs/model/vdev-queues.md#order-within-a-class, #deadline-queue).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueOrder {
    /// By offset, round and round (0.6.4 to 2.1).
    Elevator,
    /// The same within half a second of arrivals (2.2 and later).
    Buckets,
    /// No classes at all: by arrival in spans of `grain` plus a handicap, then by offset (FreeBSD before
    /// 10).
    Deadlines { grain: Nanos },
}

impl QueueOrder {
    /// Says whether all classes stand in one row.
    pub(crate) fn is_by_deadlines(self) -> bool {
        matches!(self, Self::Deadlines { .. })
    }
}

/// How sizes of log blocks are found (docs/model/zil.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogPlanning {
    /// By what was logged, from a few sizes (up to 2.1).
    Buckets,
    /// By bursts (2.2 and later).
    Bursts,
}

/// How many allocators a pool has (docs/model/allocation.md#allocators).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocators {
    One,
    Four,
    /// One for four processors, at most four.
    ByProcessors,
}

impl Allocators {
    /// Returns those of a version that is before 0.8, before 2.3, or neither.
    const fn of(before: [bool; 2]) -> Self {
        match before {
            [true, _] => Self::One,
            [_, true] => Self::Four,
            _ => Self::ByProcessors,
        }
    }

    pub(crate) fn count(self, processors: u32) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
            Self::ByProcessors => (processors / 4).clamp(1, 4),
        }
    }
}

/// How the ARC decides what stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArcRules {
    /// One target `p` between MRU and MFU, metadata under a limit (0.7 to 2.1).
    Target,
    /// Three fractions, moved by ghost hits (2.2 and later).
    Fractions,
}

/// What happens when metadata is over its limit (up to 2.1; see `cache/arc/limit.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetaStrategy {
    /// Data and metadata go in turns; whether what is over is read anew after each (0.6 and 0.7).
    Balanced { reads_anew: bool },
    /// Only metadata goes (FreeBSD's own ZFS).
    Only,
}

/// How sequential readers are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefetcher {
    /// Told of every block, stretches and strides (FreeBSD 8 to 10, 0.6).
    ByBlock,
    /// Distance doubles on every hit up to 8 MiB (0.7 to 2.1.5).
    Doubling,
    /// 4 MiB by itself, up to 64 MiB on evidence (2.1.6 to 2.2.3).
    OnEvidence,
    /// As before, and out-of-order accesses are followed (2.2.4 and later).
    Reordering,
}

/// Where the ARC's target begins (`arc_init`, arc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// At its maximum (before 2.0).
    Full,
    /// At its minimum.
    AtMinimum,
    /// At half of the maximum that is the default on this memory, which is the minimum in user space.
    AtHalfOfDefault,
}

/// How much of a file that is written as fast as it goes is one transaction group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// So many bytes: `zfs_dirty_data_sync` of 0.6.4 to 0.7, and the lab, which ends groups itself.
    Fixed(u64),
    /// A fifth of the dirty data that may be: `zfs_dirty_data_sync_percent` (0.8 and later) of a tenth
    /// of the memory, 4 GiB at most.
    FifthOfDirtyData,
    /// `zfs_write_limit_max`, before dirty data was counted (before FreeBSD 10).
    EighthOfMemory,
}

impl Group {
    /// Returns the bytes of a group on a machine with `memory`.
    pub(crate) fn bytes(self, memory: Bytes) -> u64 {
        let bytes = match self {
            Self::Fixed(bytes) => bytes,
            Self::FifthOfDirtyData => (memory.0 / 10).min(Bytes::gib(4).0) / 5,
            Self::EighthOfMemory => memory.0 / 8,
        };
        bytes.max(1)
    }
}

/// A version's behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Behaviour {
    pub(crate) arc: ArcRules,
    /// Whether room is made block by block, by taking the memory of another one (before FreeBSD 11).
    pub(crate) recycles: bool,
    /// Whether a block that comes back from a ghost list gets its new state before its memory, which
    /// counts it twice and moves no target (OpenSolaris from changeset 11805 of 2010; FreeBSD 9).
    pub(crate) counts_ghosts_twice: bool,
    /// What happens beyond the limit on metadata.
    pub(crate) meta_strategy: MetaStrategy,
    pub(crate) prefetcher: Prefetcher,
    /// Whether a prefetch is refused by the L2ARC while `l2arc_noprefetch` is set (up to 2.1).
    pub(crate) prefetch_avoids_l2arc: bool,
    /// Whether a prefetched block loses its flag as soon as it is there, and with it the protection of
    /// `arc_min_prefetch_ms` (2.1).
    pub(crate) prefetch_flag_ends_on_arrival: bool,
    /// Whether a block that comes back from a ghost list is moved by what asks for it now (before 0.7 and
    /// FreeBSD 11), or by what asked for it last.
    pub(crate) ghosts_come_back_by_request: bool,
    /// Whether a request longer than `zfetch_array_rd_sz` bypasses the prefetcher (up to 2.1).
    pub(crate) long_reads_bypass_prefetch: bool,
    /// How the vdev queue orders what waits.
    pub(crate) queue: QueueOrder,
    /// Whether a prefetch that somebody waits for becomes a synchronous read (0.8 and later).
    pub(crate) upgrades_prefetches: bool,
    /// Whether the sides of a mirror take turns by offset, 2 MiB each, however busy they are (FreeBSD
    /// before 10; vdev_mirror.c).
    pub(crate) mirrors_take_turns: bool,
    /// Whether the dbuf cache counts the dnodes of a block with it (2.3 and later).
    pub(crate) counts_dnodes: bool,
    /// Whether a record that was read because part of it is written leaves memory with its dbuf.
    pub(crate) written_parts_pass: bool,
    /// Lock operations of holding a block of metadata that is there, from trees in the lab.
    pub(crate) hold_steps: u64,
    /// The same of a block that the open transaction group has changed already, of which the ARC is not
    /// told: what is left of a write of 4 KiB into one, 103 operations in the lab's 2.1.11 and 86 in 2.3.2,
    /// less call and transaction, and it is held twice.
    pub(crate) dirty_hold_steps: u64,
    /// Whether blocks stay compressed in the ARC (0.7 and FreeBSD 11 and later).
    pub(crate) compresses_arc: bool,
    /// Whether dbufs are kept after use (0.7 and later).
    pub(crate) has_dbuf_cache: bool,
    /// Pointers in an indirect block: of 16 KiB up to FreeBSD 10 and 0.6, of 128 KiB later.
    pub(crate) pointers: u32,
    /// Bytes that a top-level vdev gets before it is the next one's turn, for each of its disks that
    /// hold data, or for each disk at all (up to 2.1.5, and 2.4).
    pub(crate) aliquot: (u64, bool),
    /// How files that are there were written.
    pub(crate) group: Group,
    /// Whether a group asks to be written by its share of what may be dirty (0.8 and later).
    pub(crate) sync_by_share: bool,
    /// Rounds in which a group writes the pool's own metadata, and bytes of each of two copies in one:
    /// a lone change in the lab's 2.3.2 has 28 with 364 KiB in all, in 2.1.11 34 with 632 KiB. And the
    /// lock operations of one: on disks that take no time they take 1.3 and 3.0 ms together.
    pub(crate) group_rounds: (u64, u64, u64),
    /// Blocks of a top-level vdev that may be under way to the disks when a group begins to be written,
    /// and at most: `zfs_vdev_queue_depth_pct` is 1000 in the kernel, and 300 in user space.
    pub(crate) blocks_under_way: [u32; 2],
    /// Allocators of a pool.
    pub(crate) allocators: Allocators,
    /// Whether what somebody waits for is logged where it is less than half of a block, and the log lies on
    /// special vdevs where there is no log vdev.
    pub(crate) logs_small_parts: bool,
    /// Hits of metadata that a group counts while it is written: what the lab counts beyond the clients'
    /// own, 57 to 66 in 2.3.2, 120 to 137 in 2.1.11.
    pub(crate) group_hits: u64,
    /// How large blocks of the intent log are.
    pub(crate) log_planning: LogPlanning,
    /// Whether a log block that nobody waits for leaves its flush to the next one in any case (up to
    /// 2.1), or only when that is on its way.
    pub(crate) flush_waits_for_next: bool,
    /// Whether a transaction holds many records of a request (2.2 and later), or one.
    pub(crate) long_transactions: bool,
    /// Where the ARC's target begins.
    pub(crate) starts: Start,
    /// In what ages and sleeps are counted.
    pub(crate) ticks: Ticks,
    /// Whether those that wait for the same block are called in the order in which they came (2.2+), or
    /// the last one first (`acb_next` and `acb_prev`, arc.c).
    pub(crate) waiters_in_order: bool,
    /// Whether prefetches of the whole system together have a limit (2.1.10 and later).
    pub(crate) prefetches_limited: bool,
    /// Whether a pass of the feed counts its log blocks (2.1.13, 2.2 and later).
    pub(crate) feed_counts_log: bool,
    /// Lock operations of a prefetch besides those of its read: 98 in the lab's 2.1.11, 71 in 2.3.2.
    pub(crate) prefetch_steps: u64,
    /// Lock operations of sending a read, and of each further column of it: 35 and 26 in 2.1.11, 24 and
    /// 20 in 2.3.2, from the same runs.
    pub(crate) read_steps: (u64, u64),
    /// Bytes of a full ARC header (`HDR_FULL_SIZE` on 64-bit Linux).
    pub(crate) header_bytes: u64,
    /// Bytes of a dbuf, of a dnode, and of a bonus buffer.
    pub(crate) structures: Structures,
}

/// Arrivals that share a deadline, where requests go by deadlines: `lbolt >> zfs_vdev_time_shift`, with the
/// 1000 ticks in a second of FreeBSD, and those of zfs-fuse of 2^23 ns.
const GRAIN: Nanos = Nanos::millis(64);
const GRAIN_OF_DAEMON: Nanos = Nanos(1 << 29);

impl Behaviour {
    /// Returns the behaviour of `version`; a version that is not known behaves like the newest.
    pub(crate) fn of(version: Option<Version>) -> Self {
        let from = |text: &str| version.is_none_or(|version| Version::parse(text) <= Some(version));
        let before = |text: &str| version.is_some_and(|v| Version::parse(text) > Some(v));
        let is_freebsd = version.is_some_and(Version::is_legacy_freebsd);
        let is_old = before("freebsd-11") || (before("0.7") && !is_freebsd);
        let prefetcher = match () {
            () if from("2.2.4") => Prefetcher::Reordering,
            () if from("2.1.6") => Prefetcher::OnEvidence,
            () if is_old => Prefetcher::ByBlock,
            () => Prefetcher::Doubling,
        };
        let modern = from("2.2");
        let of_era = |numbers| of_era(numbers, modern);
        Self {
            arc: if modern { ArcRules::Fractions } else { ArcRules::Target },
            recycles: is_old && is_freebsd,
            counts_ghosts_twice: is_freebsd && from("freebsd-9") && before("freebsd-10"),
            meta_strategy: if is_freebsd {
                MetaStrategy::Only
            } else {
                MetaStrategy::Balanced { reads_anew: before("0.8") }
            },
            prefetcher,
            prefetch_avoids_l2arc: !modern,
            prefetch_flag_ends_on_arrival: from("2.1") && !modern,
            ghosts_come_back_by_request: is_old,
            long_reads_bypass_prefetch: !modern,
            queue: match () {
                () if modern => QueueOrder::Buckets,
                () if before("freebsd-10") => QueueOrder::Deadlines { grain: GRAIN },
                () => QueueOrder::Elevator,
            },
            upgrades_prefetches: from("0.8"),
            mirrors_take_turns: before("freebsd-10"),
            counts_dnodes: from("2.3"),
            written_parts_pass: from("2.4.1"),
            hold_steps: of_era(costs::HOLD),
            dirty_hold_steps: of_era(costs::DIRTY_HOLD),
            compresses_arc: !is_old,
            has_dbuf_cache: !is_old,
            pointers: if is_old { 128 } else { 1024 },
            aliquot: match () {
                () if from("2.4") => (2 << 20, true),
                () if from("2.1.6") => (1 << 20, false),
                () => (512 << 10, true),
            },
            group: match () {
                () if before("freebsd-10") => Group::EighthOfMemory,
                () if before("0.8") => Group::Fixed(64 << 20),
                () => Group::FifthOfDirtyData,
            },
            sync_by_share: from("0.8"),
            group_hits: of_era(costs::GROUP_HITS),
            log_planning: if modern { LogPlanning::Bursts } else { LogPlanning::Buckets },
            flush_waits_for_next: !modern,
            blocks_under_way: costs::UNDER_WAY,
            allocators: Allocators::of([before("0.8"), before("2.3")]),
            logs_small_parts: from("2.4"),
            long_transactions: modern,
            group_rounds: (of_era(costs::ROUNDS), costs::ROUND_BYTES, of_era(costs::ROUND)),
            ticks: Ticks::Kernel,
            starts: if before("2.0") { Start::Full } else { Start::AtMinimum },
            waiters_in_order: modern,
            prefetches_limited: from("2.1.10"),
            feed_counts_log: from("2.1.13"),
            prefetch_steps: of_era(costs::PREFETCH),
            read_steps: (of_era(costs::READ), of_era(costs::COLUMN)),
            header_bytes: of_era(costs::HEADER),
            structures: costs::STRUCTURES,
        }
    }

    /// The same in user space, with the headers of the Debian libraries: `hdr_size` over blocks in the
    /// lab gives 424 bytes for 2.1.11 and 416 for 2.3.2.
    pub(crate) fn in_user_space(version: Option<Version>) -> Self {
        let kernel = Self::of(version);
        if kernel.recycles {
            // The old daemon keeps the kernel's ways; its groups are ended by the lab.
            let queue = QueueOrder::Deadlines { grain: GRAIN_OF_DAEMON };
            return Self { group: Group::Fixed(64 << 20), queue, ..kernel };
        }
        let modern = kernel.arc == ArcRules::Fractions;
        // `dbuf_size`, `dnode_size` and `bonus_size` go up and down in these steps there.
        let dbuf = of_era(costs::DBUF_IN_USER_SPACE, modern);
        let dnode = of_era(costs::DNODE_IN_USER_SPACE, modern);
        Self {
            header_bytes: of_era(costs::HEADER_IN_USER_SPACE, modern),
            structures: Structures { dbuf, dnode, ..kernel.structures },
            group: Group::Fixed(64 << 20),
            starts: Start::AtHalfOfDefault,
            ticks: Ticks::UserSpace,
            blocks_under_way: costs::UNDER_WAY_IN_USER_SPACE,
            ..kernel
        }
    }
}

//! What work costs in lock operations, and what stands for blocks in memory, by era; where each number comes
//! from is in docs/model/constants.md.

/// A number up to 2.1, and the one of 2.2 and later.
pub(super) type ByEra = [u64; 2];

/// Sync passes over the pool's own metadata in a txg, and bytes of each of two copies; no counter tells passes, and
/// `cargo xtask costs sizes` has their range.
pub(super) const SYNC_PASSES: ByEra = [34, 28];
pub(super) const SYNC_PASS_BYTES: u64 = 8 << 10;
/// Hits of metadata that a txg counts while it is written.
pub(super) const TXG_HITS: ByEra = [130, 60];
/// Bytes of a full ARC header, in the kernel and in the Debian libraries.
pub(super) const HEADER: ByEra = [328, 240];
pub(super) const HEADER_IN_USER_SPACE: ByEra = [424, 416];
/// Bytes of a dbuf, a dnode and a bonus buffer in the kernel; of the first two in the Debian libraries.
pub(super) const STRUCTURES: Structures = Structures { dbuf: 360, dnode: 960, bonus: 320 };
pub(super) const DBUF_IN_USER_SPACE: ByEra = [512, 488];
pub(super) const DNODE_IN_USER_SPACE: ByEra = [1224, 1176];
/// Blocks of a top-level vdev under way when a group begins, and at most; in the kernel and in user space.
pub(super) const UNDER_WAY: [u32; 2] = [32, 100];
pub(super) const UNDER_WAY_IN_USER_SPACE: [u32; 2] = [32, 32];

/// Bytes of what stands for a block and for a file in memory (docs/model/arc.md#memory-accounting).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Structures {
    pub(crate) dbuf: u64,
    pub(crate) dnode: u64,
    pub(crate) bonus: u64,
}

/// Returns the number of an era.
pub(super) fn of_era<T>([old, new]: [T; 2], is_from_2_2: bool) -> T {
    if is_from_2_2 { new } else { old }
}

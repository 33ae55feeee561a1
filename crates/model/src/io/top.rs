//! Top-level vdevs: which disks a block is on, and which of them is read.
#![expect(clippy::indexing_slicing, reason = "indices are ids made here: vdevs, leaves")]

use arcwright_scenario::VdevLayout;

use super::PoolIo;
use super::place::Place;
use crate::ids::{LeafId, VdevId, number_of};
use crate::vdev::geometry::{Column, Shape};

/// A top-level vdev: what becomes of a block on it, and the first of its disks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Top {
    pub(crate) shape: Shape,
    pub(crate) base: LeafId,
}

impl Top {
    /// Returns its disks.
    pub(crate) fn leaves(self) -> impl Iterator<Item = LeafId> {
        let disks = number_of(self.shape.disks);
        (self.base.0..self.base.0 + disks).map(LeafId)
    }

    /// Returns one of its disks.
    pub(super) fn leaf(self, disk: u32) -> LeafId {
        LeafId(self.base.0 + disk)
    }
}

/// A stretch of a disk or of a top-level vdev.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Extent {
    pub(super) fn of(column: &Column) -> Self {
        Self { offset: column.offset, bytes: u64::from(column.size) }
    }
}

impl PoolIo {
    /// Returns a top-level vdev of the pool.
    pub(crate) fn top(&self, vdev: VdevId) -> Top {
        self.tops[vdev.place()]
    }

    /// Returns the disks that hold the pool.
    pub(crate) fn pool_leaves(&self) -> Vec<LeafId> {
        let leaves = self.leaves.iter().zip(0..);
        leaves.filter(|(leaf, _)| leaf.role.holds_pool()).map(|(_, id)| LeafId(id)).collect()
    }

    /// Returns how many disks take part in a read of `bytes` at `place`.
    pub(crate) fn columns_of(&self, place: Place, bytes: u64) -> u64 {
        let shape = self.top(place.vdev).shape;
        match shape.layout {
            VdevLayout::Mirror => 1,
            _ => shape.read_from().min(bytes >> 12).max(1),
        }
    }

    /// Returns the side of a mirror that takes a read (docs/model/mirror-raidz.md#mirror-read-selection;
    /// vdev_mirror.c 0.7+).
    pub(super) fn lightest(&self, top: Top, offset: u64) -> u32 {
        let load = |disk: u32| {
            let leaf = &self.leaves[top.leaf(disk).place()];
            let near = leaf.queue.last_end().abs_diff(offset);
            let more = match (leaf.rotating, near) {
                (_, 0) => 0,
                (true, near) if near < 1 << 20 => 2,
                (true, _) => 5,
                (false, _) => 1,
            };
            leaf.queue.load() + more
        };
        let disks = number_of(top.shape.disks);
        let all = self.mirrors_take_turns;
        let lightest = (0..disks).map(load).fold(u64::MAX, u64::min);
        let ties = (0..disks).filter(|disk| all || load(*disk) == lightest);
        let turn = (offset >> 21) as usize % ties.clone().count();
        // The last of the first so many, of which there is at least one.
        ties.take(turn + 1).fold(0, |_, side| side)
    }
}

//! Where new blocks go (docs/model/allocation.md; metaslab.c and zio.c 0.7 to 2.3).
//!
//! Nothing is overwritten: a block gets a new place each time it is written, behind whatever its
//! top-level vdev took last. A vdev has its turn until an aliquot was taken from it; while a transaction
//! group is written it also passes the turn on while too many of its blocks are under way and another
//! vdev has fewer. How many may be under way starts at 32 with each group and grows by one with every
//! block that is done, up to 100 (`zfs_vdev_def_queue_depth`, ten times `zfs_vdev_async_write_max_active`).
//!
//! Simplifications: the free space of a vdev is one stretch that begins behind what the files took, and
//! begins anew at its end; no metaslabs, no bias towards emptier vdevs.
//!
//! A small case: two vdevs of one disk, aliquot 1 MiB, blocks of 128 KiB. While nothing waits, eight
//! blocks go to the first, eight to the second. With 32 under way on the first and fewer on the second,
//! the next goes to the second, and whichever has just finished one gets the next.
#![expect(clippy::indexing_slicing, reason = "every index is the number of a top-level vdev")]

use crate::ids::number;
use crate::io::place::Place;
use crate::vdev::geometry::Shape;

/// What a new pool has taken of the first aliquot for itself when its first file comes, from the order
/// of blocks of 128 KiB in the lab's images of both versions.
const NEW_POOL_BYTES: u64 = 640 << 10;
/// A vdev has some 200 metaslabs of at least 512 MiB; copies of a block never share one.
const METASLABS: u64 = 200;
const METASLAB_MIN: u64 = 512 << 20;

/// Returns the bytes of a metaslab of a vdev of `size`.
fn metaslab(size: u64) -> u64 {
    (size / METASLABS).next_power_of_two().max(METASLAB_MIN)
}

/// The free space of the pool.
#[derive(Debug)]
pub(crate) struct Allocator {
    shapes: Vec<Shape>,
    aliquot: (u64, bool),
    used: Vec<u64>,
    /// Bytes of each vdev, once known.
    sizes: Vec<u64>,
    turn: usize,
    taken: u64,
    /// Blocks under way, and how many may be.
    depth: Vec<u32>,
    depth_max: Vec<u32>,
    /// The special vdevs, which take all metadata; their numbers follow those of the others.
    special: Option<Box<Self>>,
    /// How many may be when a group begins, and at most.
    depths: [u32; 2],
}

impl Allocator {
    pub(crate) fn new(shapes: &[Shape], aliquot: (u64, bool), depths: [u32; 2]) -> Self {
        let count = shapes.len();
        Self {
            shapes: shapes.to_vec(),
            aliquot,
            used: vec![0; count],
            sizes: vec![u64::MAX; count],
            turn: 0,
            taken: NEW_POOL_BYTES,
            depth: vec![0; count],
            special: None,
            depth_max: vec![depths[0]; count],
            depths,
        }
    }

    /// Gives metadata vdevs of its own, if there are any (`zio_dva_allocate`, `spa_preferred_class`,
    /// spa_misc.c 0.8 and later).
    pub(crate) fn with_special(self, shapes: &[Shape]) -> Self {
        let special =
            (!shapes.is_empty()).then(|| Box::new(Self::new(shapes, self.aliquot, self.depths)));
        Self { special, ..self }
    }

    /// Takes room for a block of metadata.
    pub(crate) fn take_metadata(&mut self, bytes: u64) -> Place {
        match self.take_special(bytes) {
            Some(place) => place,
            None => self.take(bytes),
        }
    }

    /// Takes room on a special vdev, if there is one.
    pub(crate) fn take_special(&mut self, bytes: u64) -> Option<Place> {
        let first = number(self.shapes.len());
        let place = self.special.as_mut()?.take(bytes);
        Some(Place { vdev: place.vdev + first, ..place })
    }

    /// Says how large the vdevs are; what is written from now on goes to fresh metaslabs. Returns where
    /// each vdev keeps one for the intent log: in the lab it is as far before the files.
    pub(crate) fn settle(&mut self, sizes: &[u64]) -> Vec<u64> {
        let (sizes, special) = sizes.split_at(self.shapes.len().min(sizes.len()));
        self.special.iter_mut().for_each(|vdevs| drop(vdevs.settle(special)));
        self.sizes = sizes.to_vec();
        let end = |(used, size): (&u64, &u64)| used.next_multiple_of(metaslab(*size)).min(size / 2);
        let kept = self.used.iter().zip(sizes).map(end).collect();
        for (used, size) in self.used.iter_mut().zip(sizes) {
            // Two or three further on in the lab.
            let bytes = metaslab(*size);
            *used = ((used.div_ceil(bytes) + 2) * bytes).min(size / 2);
        }
        (self.turn, self.taken) = (0, 0);
        kept
    }

    /// Takes room for a block of `bytes`.
    pub(crate) fn take(&mut self, bytes: u64) -> Place {
        let turn = self.turn;
        self.take_from(turn, bytes)
    }

    /// A transaction group begins to be written.
    pub(crate) fn begin_group(&mut self) {
        self.depth_max.fill(self.depths[0]);
    }

    /// Says whether another block may be placed now.
    pub(crate) fn has_slot(&self) -> bool {
        self.depth.iter().sum::<u32>() < self.depth_max.iter().sum::<u32>()
    }

    /// Takes room for a block that is written with its group, and counts it as under way.
    pub(crate) fn take_slot(&mut self, bytes: u64) -> Place {
        let count = self.shapes.len();
        let free = |vdev: usize| self.depth[vdev] < self.depth_max[vdev];
        let next = (0..count).map(|step| (self.turn + step) % count).find(|vdev| free(*vdev));
        if let Some(next) = next.filter(|next| *next != self.turn) {
            (self.turn, self.taken) = (next, 0);
        }
        let place = self.take(bytes);
        self.depth[place.vdev as usize] += 1;
        place
    }

    /// A block that was under way is done.
    pub(crate) fn release(&mut self, vdev: u32) {
        let vdev = vdev as usize;
        if vdev >= self.depth.len() {
            // Special vdevs count none.
            return;
        }
        self.depth[vdev] -= 1;
        self.depth_max[vdev] = (self.depth_max[vdev] + 1).min(self.depths[1]);
    }

    /// Takes room for a further copy of a block at `place`: on the next vdev, or far from the first.
    pub(crate) fn take_copy(&mut self, place: Place, bytes: u64) -> Place {
        let first = number(self.shapes.len());
        if let (Some(special), true) = (&mut self.special, place.vdev >= first) {
            let own = Place { vdev: place.vdev - first, ..place };
            let copy = special.take_copy(own, bytes);
            return Place { vdev: copy.vdev + first, ..copy };
        }
        let vdev = (place.vdev as usize + 1) % self.shapes.len();
        if vdev != place.vdev as usize {
            return self.take_from(vdev, bytes);
        }
        let size = self.sizes[vdev];
        Place { offset: (place.offset + metaslab(size)) % size.max(1), ..place }
    }

    fn take_from(&mut self, vdev: usize, bytes: u64) -> Place {
        let shape = self.shapes[vdev];
        let size = shape.allocated(bytes);
        if self.used[vdev].saturating_add(size) > self.sizes[vdev] {
            self.used[vdev] = 0;
        }
        let offset = self.used[vdev];
        self.used[vdev] += size;
        if vdev == self.turn {
            self.taken += size;
            let disks = if self.aliquot.1 { shape.disks } else { shape.data_disks() };
            if self.taken >= self.aliquot.0 * disks {
                (self.turn, self.taken) = ((self.turn + 1) % self.shapes.len(), 0);
            }
        }
        Place { vdev: number(vdev), offset }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Disk, Layout, Vdev};

    use super::Allocator;
    use crate::vdev::geometry::Shape;

    fn two_disks() -> Allocator {
        let disk = Disk { profile: "instant".to_owned(), size: None };
        let shape = Shape::of(&Vdev { layout: Layout::Single, disks: vec![disk] }, 12);
        let mut allocator = Allocator::new(&[shape; 2], (1 << 20, false), [32, 100]);
        allocator.settle(&[1 << 40; 2]);
        allocator
    }

    #[test]
    fn a_vdev_has_its_turn_for_an_aliquot() {
        let mut allocator = two_disks();
        let vdevs: Vec<u32> = (0..20).map(|_| allocator.take_slot(128 << 10).vdev).collect();
        assert_eq!(vdevs, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn whoever_has_just_finished_one_gets_the_next() {
        let mut allocator = two_disks();
        while allocator.has_slot() {
            allocator.take_slot(128 << 10);
        }
        assert_eq!(allocator.depth, [32, 32]);
        for vdev in [1, 0, 1, 1] {
            // The one that is done makes room for itself and for one more.
            allocator.release(vdev);
            assert_eq!(allocator.take_slot(128 << 10).vdev, vdev);
            assert_eq!(allocator.take_slot(128 << 10).vdev, vdev);
            assert!(!allocator.has_slot());
        }
    }
}

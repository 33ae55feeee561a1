//! Where new blocks go (docs/model/allocation.md; metaslab.c and zio.c 0.7 to 2.3).
//!
//! Nothing is overwritten: a block gets a new place each time it is written, behind whatever its
//! top-level vdev took last. A vdev has its turn until an aliquot was taken from it; while a transaction
//! group is written it also passes the turn on while too many of its blocks are under way and another
//! vdev has fewer. How many may be under way starts at 32 with each group and grows by one with every
//! block that is done, up to 100 (`zfs_vdev_def_queue_depth`, ten times `zfs_vdev_async_write_max_active`).
//!
//! A pool has one to four allocators, each with a metaslab of its own on every vdev, a turn and a count of
//! blocks under way; its object and level decide which one places a block. With several, a vdev is written in
//! as many places.
//!
//! Simplifications: the free space of a vdev is one stretch that begins behind what the files took, and
//! begins anew at its end; no fragments, no bias towards emptier vdevs.
//!
//! A small case: two vdevs of one disk, aliquot 1 MiB, blocks of 128 KiB. While nothing waits, eight
//! blocks go to the first, eight to the second. With 32 under way on the first and fewer on the second,
//! the next goes to the second, and whichever has just finished one gets the next.
#![expect(clippy::indexing_slicing, reason = "every index is the number of a top-level vdev")]

use crate::ids::{AllocatorId, VdevId, number};
use crate::io::place::Place;
use crate::vdev::geometry::Shape;

/// What a new pool has taken of the first aliquot for itself when its first file comes, from the order
/// of blocks of 128 KiB in the lab's images of both versions.
const NEW_POOL_BYTES: u64 = 640 << 10;
/// A vdev has some 200 metaslabs of 512 MiB to 16 GiB; copies of a block never share one.
const METASLABS: u64 = 200;
/// Metaslabs from where one allocator of a new pool begins to the next, two to four on the libraries of the lab: between
/// them are those that have second copies.
const METASLABS_APART: u64 = 3;
/// Metaslabs of a new pool before the one that its first files are in, on all libraries of the lab.
const METASLABS_BEFORE: u64 = 2;
const METASLAB_MIN: u64 = 512 << 20;
const METASLAB_MAX: u64 = 16 << 30;

/// Returns the bytes of a metaslab of a vdev of `size`.
fn metaslab(size: u64) -> u64 {
    (size / METASLABS).next_power_of_two().clamp(METASLAB_MIN, METASLAB_MAX)
}

/// The free space of the pool.
#[derive(Debug)]
pub(crate) struct Allocator {
    shapes: Vec<Shape>,
    aliquot: (u64, bool),
    /// Allocators of the pool; what is kept of each stands in rows of so many.
    count: usize,
    /// Where a vdev goes on for each of them, and where the metaslab ends that it takes from.
    stretches: Vec<Stretch>,
    /// Where they began.
    begins: Vec<u64>,
    /// The first metaslab of each vdev that none of them has begun.
    fresh: Vec<u64>,
    /// Bytes of each vdev, once known.
    sizes: Vec<u64>,
    /// Whose turn it is, and what was taken from it, for each of them.
    turns: Vec<(usize, u64)>,
    /// Blocks under way, and how many may be: of each vdev for each of them.
    depth: Vec<u32>,
    depth_max: Vec<u32>,
    /// The special vdevs, which take all metadata and small blocks of files; their numbers follow those of the
    /// others.
    special: Option<Box<Self>>,
    /// How many may be when a group begins, and at most.
    depths: [u32; 2],
    /// Whether each task of writing a group has an allocator of its own.
    by_task: bool,
}

/// The part of a vdev that an allocator takes from.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    next: u64,
    end: u64,
}

/// How a pool places blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placing {
    /// Bytes that a vdev gives in its turn for each disk, and whether parity disks count.
    pub(crate) aliquot: (u64, bool),
    /// Blocks of a vdev under way when a group begins, and at most.
    pub(crate) depths: [u32; 2],
    /// Allocators of the pool.
    pub(crate) allocators: u32,
    /// Whether each task of writing a group has one of its own (2.3 and later), instead of each object by a hash.
    pub(crate) by_task: bool,
}

impl Allocator {
    pub(crate) fn new(shapes: &[Shape], placing: Placing) -> Self {
        let (vdevs, count) = (shapes.len(), placing.allocators.max(1) as usize);
        Self {
            shapes: shapes.to_vec(),
            aliquot: placing.aliquot,
            count,
            stretches: vec![Stretch { next: 0, end: u64::MAX }; vdevs * count],
            begins: vec![0; vdevs * count],
            fresh: vec![0; vdevs],
            sizes: vec![u64::MAX; vdevs],
            turns: (0..count).map(|by| (0, if by == 0 { NEW_POOL_BYTES } else { 0 })).collect(),
            depth: vec![0; vdevs * count],
            special: None,
            depth_max: vec![placing.depths[0]; vdevs * count],
            depths: placing.depths,
            by_task: placing.by_task,
        }
    }

    /// Says where the files of a pool begin that are there before anything runs, with vdevs as large as `rooms` say:
    /// on dRAID in the third metaslab, as in the lab, since which disks a file is on depends on its place there; and
    /// each allocator but the first some metaslabs behind the one before, if each task has one of its own.
    pub(crate) fn with_begin(mut self, rooms: &[u64]) -> Self {
        for (vdev, room) in rooms.iter().enumerate().take(self.shapes.len()) {
            let (bytes, half) = (metaslab(*room), room / 2);
            let first = match self.shapes[vdev].is_draid() {
                true => (METASLABS_BEFORE * bytes + NEW_POOL_BYTES).min(half),
                false => 0,
            };
            let apart = if self.by_task { METASLABS_APART * bytes } else { 0 };
            for by in 0..self.count {
                self.stretches[vdev * self.count + by].next = (first + apart * by as u64).min(half);
            }
        }
        self.begins = self.stretches.iter().map(|stretch| stretch.next).collect();
        self
    }

    /// Returns up to where a vdev is taken by the files that are there before anything runs.
    fn used(&self, vdev: usize) -> u64 {
        let first = vdev * self.count;
        let begun = (first + 1..first + self.count)
            .filter(|row| self.stretches[*row].next > self.begins[*row])
            .map(|row| self.stretches[row].next);
        begun.fold(self.stretches[first].next, u64::max)
    }

    /// Gives metadata vdevs of its own, if there are any (`zio_dva_allocate`, `spa_preferred_class`,
    /// spa_misc.c 0.8 and later).
    pub(crate) fn with_special(self, shapes: &[Shape], rooms: &[u64], placing: Placing) -> Self {
        let vdevs = || Box::new(Self::new(shapes, placing).with_begin(rooms));
        Self { special: (!shapes.is_empty()).then(vdevs), ..self }
    }

    /// Returns how many allocators the pool has.
    pub(crate) fn count(&self) -> u32 {
        number(self.count)
    }

    /// Returns what compressed blocks are multiples of: the least that any vdev for data or special one takes
    /// (`spa_min_alloc`).
    pub(crate) fn unit(&self) -> u64 {
        self.all_shapes().map(|shape| shape.unit()).min().unwrap_or(1)
    }

    /// The same in the session that made the pool, where distributed spares count with their sectors.
    pub(crate) fn unit_when_made(&self) -> u64 {
        let spares = self.all_shapes().filter(|shape| shape.has_spares());
        spares.map(|shape| shape.sector_bytes()).min().unwrap_or_else(|| self.unit())
    }

    fn all_shapes(&self) -> impl Iterator<Item = &Shape> {
        let special = self.special.iter().flat_map(|special| &special.shapes);
        self.shapes.iter().chain(special)
    }

    /// Says whether metadata has vdevs of its own.
    pub(crate) const fn has_special(&self) -> bool {
        self.special.is_some()
    }

    /// Takes room for a block of metadata by one of the allocators.
    pub(crate) fn take_metadata(&mut self, bytes: u64, by: AllocatorId) -> Place {
        match self.take_special(bytes, by) {
            Some(place) => place,
            None => self.take_by(bytes, by),
        }
    }

    /// Takes room on a special vdev, if there is one.
    pub(crate) fn take_special(&mut self, bytes: u64, by: AllocatorId) -> Option<Place> {
        let before = self.shapes.len();
        let place = self.special.as_mut()?.take_by(bytes, by);
        Some(Place { vdev: place.vdev.behind(before), ..place })
    }

    /// Returns what a block of `bytes` at a place takes of the special vdevs.
    pub(crate) fn held_on_special(&self, place: Place, bytes: u64) -> u64 {
        let vdev = place.vdev.without(self.shapes.len());
        let shape = self.special.as_ref().zip(vdev).map(|(it, vdev)| it.shapes[vdev.place()]);
        shape.map_or_else(|| 0, |shape| shape.allocated(bytes))
    }

    /// Says how large the vdevs are; what is written from now on goes to fresh metaslabs. Returns where
    /// each vdev keeps one for the intent log: in the lab it is as far before the files.
    pub(crate) fn settle(&mut self, sizes: &[u64]) -> Vec<u64> {
        let (sizes, special) = sizes.split_at(self.shapes.len().min(sizes.len()));
        self.special.iter_mut().for_each(|vdevs| drop(vdevs.settle(special)));
        self.sizes = sizes.to_vec();
        let mut kept = Vec::with_capacity(sizes.len());
        for (vdev, size) in sizes.iter().enumerate() {
            let (bytes, row) = (metaslab(*size), vdev * self.count);
            let used = self.used(vdev);
            kept.push(used.next_multiple_of(bytes).min(size / 2));
            // Two or three further on in the lab.
            let begin = ((used.div_ceil(bytes) + 2) * bytes).min(size / 2);
            self.stretches[row] = Stretch { next: begin, end: u64::MAX };
            if self.count > 1 {
                self.fresh[vdev] = begin;
                for by in 0..self.count {
                    self.stretches[row + by] = self.metaslab_of(vdev);
                }
                // As many hold the second copies.
                self.fresh[vdev] += bytes * self.count as u64;
            }
        }
        self.turns.fill((0, 0));
        kept
    }

    /// Begins a metaslab of a vdev.
    fn metaslab_of(&mut self, vdev: usize) -> Stretch {
        let bytes = metaslab(self.sizes[vdev]);
        let is_behind = self.fresh[vdev].saturating_add(bytes) > self.sizes[vdev];
        let next = if is_behind { 0 } else { self.fresh[vdev] };
        self.fresh[vdev] = next + bytes;
        Stretch { next, end: next + bytes }
    }

    /// Takes room for a block of `bytes` by the first allocator, as whatever waits for stable storage does.
    pub(crate) fn take(&mut self, bytes: u64) -> Place {
        self.take_by(bytes, AllocatorId::FIRST)
    }

    /// Takes room for a block of `bytes` by an allocator.
    pub(crate) fn take_by(&mut self, bytes: u64, by: AllocatorId) -> Place {
        let (vdev, _) = self.turns[by.place()];
        self.take_from(vdev, bytes, by)
    }

    /// A transaction group begins to be written.
    pub(crate) fn begin_txg(&mut self) {
        self.depth_max.fill(self.depths[0]);
    }

    /// Returns which allocator the task of a list has; none where there are no such tasks. It is the same in every group:
    /// in the lab most groups of a file go to the same place, as the tasks between are as many each time.
    pub(crate) fn of_task(&self, list: u32) -> Option<AllocatorId> {
        self.by_task.then(|| AllocatorId::at(list as usize % self.count))
    }

    /// Returns the row of a vdev and an allocator.
    fn row(&self, vdev: usize, by: AllocatorId) -> usize {
        vdev * self.count + by.place()
    }

    /// Says whether an allocator may place another block on a vdev now.
    fn is_free(&self, vdev: usize, by: AllocatorId) -> bool {
        let row = self.row(vdev, by);
        self.depth[row] < self.depth_max[row]
    }

    /// Says whether an allocator may place another block now.
    pub(crate) fn has_slot(&self, by: AllocatorId) -> bool {
        (0..self.shapes.len()).any(|vdev| self.is_free(vdev, by))
    }

    /// Takes room for a block that is written with its group, and counts it as under way.
    pub(crate) fn take_slot(&mut self, bytes: u64, by: AllocatorId) -> Place {
        let vdevs = self.shapes.len();
        let (turn, _) = self.turns[by.place()];
        let mut others = (0..vdevs).map(|step| (turn + step) % vdevs);
        let next = others.find(|vdev| self.is_free(*vdev, by));
        if let Some(next) = next.filter(|next| *next != turn) {
            self.turns[by.place()] = (next, 0);
        }
        let place = self.take_by(bytes, by);
        let row = self.row(place.vdev.place(), by);
        self.depth[row] += 1;
        place
    }

    /// A block that was under way is done.
    pub(crate) fn release(&mut self, vdev: VdevId, by: AllocatorId) {
        let vdev = vdev.place();
        if vdev >= self.shapes.len() {
            // Special vdevs count none.
            return;
        }
        let row = self.row(vdev, by);
        self.depth[row] -= 1;
        self.depth_max[row] = (self.depth_max[row] + 1).min(self.depths[1]);
    }

    /// Takes room for a further copy of a block at `place`: on the next vdev, or far from the first.
    pub(crate) fn take_copy(&mut self, place: Place, bytes: u64, by: AllocatorId) -> Place {
        let before = self.shapes.len();
        if let (Some(special), Some(vdev)) = (&mut self.special, place.vdev.without(before)) {
            let copy = special.take_copy(Place { vdev, ..place }, bytes, by);
            return Place { vdev: copy.vdev.behind(before), ..copy };
        }
        let vdev = (place.vdev.place() + 1) % self.shapes.len();
        if vdev != place.vdev.place() {
            return self.take_from(vdev, bytes, by);
        }
        let size = self.sizes[vdev];
        let distance = metaslab(size).saturating_mul(self.count as u64);
        Place { offset: place.offset.saturating_add(distance) % size.max(1), ..place }
    }

    fn take_from(&mut self, vdev: usize, bytes: u64, by: AllocatorId) -> Place {
        let shape = self.shapes[vdev];
        let size = shape.allocated(bytes);
        let row = self.row(vdev, by);
        let Stretch { next, end } = self.stretches[row];
        if next.saturating_add(size) > end.min(self.sizes[vdev]) {
            self.stretches[row] = match self.count {
                1 => Stretch { next: 0, end },
                _ => self.metaslab_of(vdev),
            };
        }
        let offset = self.stretches[row].next;
        self.stretches[row].next += size;
        let (turn, taken) = &mut self.turns[by.place()];
        if vdev == *turn {
            *taken += size;
            let disks = if self.aliquot.1 { shape.disks } else { shape.data_disks() };
            if *taken >= self.aliquot.0 * disks {
                (*turn, *taken) = ((*turn + 1) % self.shapes.len(), 0);
            }
        }
        Place { vdev: VdevId::at(vdev), offset }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Disk, VdevLayout, VdevSpec};

    use super::{Allocator, Place, Placing, metaslab};
    use crate::ids::{AllocatorId, VdevId};
    use crate::vdev::geometry::Shape;

    fn two_disks(allocators: u32) -> Allocator {
        let disk = Disk::of("instant", None);
        let shape = Shape::of(&VdevSpec { layout: VdevLayout::Single, disks: vec![disk] }, 12);
        let mut allocator = Allocator::new(
            &[shape; 2],
            Placing { aliquot: (1 << 20, false), depths: [32, 100], allocators, by_task: false },
        );
        allocator.settle(&[1 << 40; 2]);
        allocator
    }

    #[test]
    fn a_vdev_has_its_turn_for_an_aliquot() {
        let mut allocator = two_disks(1);
        let vdevs: Vec<u32> =
            (0..20).map(|_| allocator.take_slot(128 << 10, AllocatorId::FIRST).vdev.0).collect();
        assert_eq!(vdevs, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn whoever_has_just_finished_one_gets_the_next() {
        let mut allocator = two_disks(1);
        while allocator.has_slot(AllocatorId::FIRST) {
            allocator.take_slot(128 << 10, AllocatorId::FIRST);
        }
        assert_eq!(allocator.depth, [32, 32]);
        for vdev in [1, 0, 1, 1].map(VdevId) {
            // The one that is done makes room for itself and for one more.
            allocator.release(vdev, AllocatorId::FIRST);
            assert_eq!(allocator.take_slot(128 << 10, AllocatorId::FIRST).vdev, vdev);
            assert_eq!(allocator.take_slot(128 << 10, AllocatorId::FIRST).vdev, vdev);
            assert!(!allocator.has_slot(AllocatorId::FIRST));
        }
    }

    #[test]
    fn each_allocator_has_metaslabs_and_a_turn_of_its_own() {
        let mut allocator = two_disks(4);
        let bytes = metaslab(1 << 40);
        let mut offset = |by| {
            let place = allocator.take_slot(128 << 10, AllocatorId(by));
            (place.vdev.0, place.offset)
        };
        let first = offset(0);
        assert_eq!(offset(0), (0, first.1 + (128 << 10)));
        for by in 1..4 {
            assert_eq!(offset(by), (0, first.1 + u64::from(by) * bytes), "allocator {by}");
        }
        let copy = allocator.take_copy(Place { vdev: VdevId(0), offset: 0 }, 4096, AllocatorId(2));
        assert_eq!(copy.vdev.0, 1);
    }
}

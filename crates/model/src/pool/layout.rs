//! How files came to lie where they are: written one after the other into an empty pool.
//!
//! Blocks lie nearly in order, spread over the top-level vdevs in turns of one aliquot
//! (docs/model/allocation.md#vdev-rotation); an indirect block lies behind the data of the transaction
//! group that wrote the last of its blocks. Nearly: several threads compress, checksum and then place
//! blocks (`z_wr_iss`, zio.c), and one that is held up comes after its followers. What holds it up is
//! measured in time, so blocks of 16 KiB change places with their neighbours now and then, those of
//! 128 KiB hardly ever.
#![expect(clippy::indexing_slicing, reason = "every index is a block number of this very table")]

use arcwright_scenario::{FileSpec, PoolSpec};
use arcwright_units::{Bytes, Rate};
use arcwright_workload::Stream;

use super::allocate::{Allocator, Placing};
use super::blocks::{Blocks, File, POINTER_LENGTH, Row};
use super::compressed::Stored;
use super::small::SmallBlocks;
use super::trees::{Tree, TreeLayout, number_data, packed, populate};
use crate::divisor::Divisor;
use crate::ids::{AllocatorId, BlockId, number, number_of};
use crate::io::place::{Packed, Place};
use crate::vdev::geometry::Shape;
use crate::versions::behaviour::Behaviour;

/// Bytes that a pointer to an incompressible block takes after LZ4; `cargo xtask costs sizes` has a little more
/// (docs/model/constants.md#sizes-in-the-lab).
const POINTER_BYTES: u64 = 40;
/// How fast the threads that write place blocks, all together.
const WRITE_RATE: Rate = Rate(2 << 30);
/// How often, in thousands, a thread that writes to a raidz is held up for a moment, and for how long
/// at most in nanoseconds. From the order of blocks of 16 KiB in the lab's images: 3 to 11 of 100 have
/// changed places with a neighbour, none in pools without parity.
const HELD_UP_PERMILLE: u64 = 60;
const HELD_UP_MAX: u64 = 16_000;

/// What decides where the files of a dataset lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolLayout<'a> {
    pub(crate) files: &'a [FileSpec],
    pub(crate) pool: &'a PoolSpec,
    /// Top-level vdevs: those for data, then the special ones.
    pub(crate) shapes: &'a [Shape],
    /// What each of them holds.
    pub(crate) rooms: &'a [u64],
    /// What the special ones hold together.
    pub(crate) special_room: u64,
    pub(crate) behaviour: &'a Behaviour,
    pub(crate) memory: Bytes,
    pub(crate) cores: u32,
    pub(crate) seed: u64,
}

/// The layout at work.
struct Writer<'a> {
    layout: PoolLayout<'a>,
    /// Bytes of a transaction group.
    txg: u64,
    /// Whether lengths of data are kept, since some compress.
    has_lengths: bool,
    blocks: Blocks,
    /// Indirect blocks so far, which get their numbers behind all data.
    indirect: Vec<Indirect>,
}

/// An indirect block: where it lies, and its bytes there.
#[derive(Debug, Clone, Copy)]
struct Indirect {
    place: Place,
    bytes: u64,
}

impl PoolLayout<'_> {
    /// Lays out the files, and `trees` behind them.
    pub(crate) fn lay_out(self, trees: &mut [Tree]) -> Blocks {
        let Self { pool, shapes, behaviour, .. } = self;
        let (of_data, special) = shapes.split_at(pool.data.len().min(shapes.len()));
        let placing = Placing {
            aliquot: behaviour.layout.aliquot,
            depths: behaviour.layout.blocks_under_way,
            allocators: behaviour.layout.allocators.count(self.cores),
            by_task: behaviour.layout.allocators.is_by_task(),
        };
        let (data_rooms, special_rooms) = self.rooms.split_at(of_data.len().min(self.rooms.len()));
        let allocator = Allocator::new(of_data, placing).with_begin(data_rooms);
        let allocator = allocator.with_special(special, special_rooms, placing);
        let txg = behaviour.layout.txg_size.bytes(self.memory);
        let has_lengths = pool.compresses();
        let of_trees = TreeLayout {
            record: pool.recordsize,
            compression: pool.compression,
            has_lengths,
            unit: allocator.unit_when_made(),
            unit_of_copies: allocator.unit(),
            pointers: behaviour.layout.pointers,
            txg,
            cores: self.cores,
            allocators: placing.by_task.then_some(placing.allocators),
            seed: self.seed,
        };
        let blocks = Blocks::new(allocator, SmallBlocks::new(self.special_room));
        let mut writer = Writer { layout: self, txg, has_lengths, blocks, indirect: Vec::new() };
        for file in self.files {
            writer.add_file(file);
        }
        let mut blocks = writer.blocks;
        trees.iter_mut().for_each(|tree| number_data(tree, &mut blocks, of_trees));
        blocks.metadata_from = blocks.next();
        if !has_lengths {
            blocks.lengths_from = blocks.metadata_from;
        }
        blocks.small.add(blocks.metadata_from, pool.special_small_blocks.0);
        for file in &mut blocks.files {
            file.first_indirect = blocks.metadata_from.plus(file.first_indirect.0);
        }
        for Indirect { place, bytes } in writer.indirect {
            let length = u64::from(behaviour.layout.pointers * POINTER_LENGTH);
            let block = blocks.add(bytes, Some(length), None);
            blocks.put(block, place);
        }
        blocks.indirect_until = blocks.next();
        find_parents(&mut blocks);
        populate(trees, &mut blocks, of_trees);
        blocks
    }
}

impl Writer<'_> {
    /// Writes a file: its blocks get numbers and places.
    fn add_file(&mut self, spec: &FileSpec) {
        let PoolLayout { pool, behaviour, .. } = self.layout;
        let record = pool.properties_of(spec).recordsize.0.max(512);
        let block_bytes = if spec.size.0 <= record { spec.size.0.max(512) } else { record };
        let file = File {
            name: spec.name.clone(),
            size: spec.size,
            block_bytes,
            by_block: Divisor::of(block_bytes),
            first: self.blocks.next(),
            count: number_of(spec.size.0.div_ceil(block_bytes)),
            // Counted from the first of all, which has its number when all data have theirs.
            first_indirect: BlockId::at(self.indirect.len()),
            pointers: behaviour.layout.pointers,
            by_pointers: Divisor::of(u64::from(behaviour.layout.pointers)),
        };
        let small_max = self.small_max(spec);
        let behind = self.place_data(&file, self.stored(spec), small_max);
        self.blocks.small.add(self.blocks.next(), small_max);
        self.indirect.extend(behind);
        self.blocks.files.push(file);
    }

    /// Returns how the dataset of a file stores what that holds.
    fn stored(&self, spec: &FileSpec) -> Stored {
        let PoolLayout { pool, .. } = self.layout;
        let compression = pool.properties_of(spec).compression;
        Stored::of(compression, spec.compressratio_percent, self.blocks.allocator.unit_when_made())
    }

    /// Returns the most bytes of a block that is a small one in the dataset of a file, or in a volume.
    fn small_max(&self, spec: &FileSpec) -> u64 {
        let PoolLayout { pool, behaviour, .. } = self.layout;
        let properties = pool.properties_of(spec);
        let counts = properties.kind.is_files() || behaviour.layout.volumes_are_small;
        if counts { properties.special_small_blocks.0 } else { 0 }
    }

    /// Places the data blocks of a file in the order in which the threads come to it, those of at most `small_max`
    /// bytes on special vdevs; returns its indirect blocks.
    fn place_data(&mut self, file: &File, stored: Stored, small_max: u64) -> Vec<Indirect> {
        let (count, length, txg) = (file.count, file.block_bytes, self.txg);
        let whole = stored.size(length, length);
        let last = stored.size(length, file.size.0 - u64::from(count - 1) * length);
        let size_of = |index: u32| if index + 1 == count { last } else { whole };
        let first = self.blocks.len();
        let row = |index: u32| Row { size: number_of(size_of(index)), ..Row::nowhere() };
        self.blocks.rows.extend((0..count).map(row));
        if self.has_lengths {
            self.blocks.lengths.resize(first + count as usize, number_of(length));
        }
        let of_indirect =
            IndirectOf { pointers: file.pointers, unit: self.blocks.allocator.unit_when_made() };
        let mut indirect = Vec::new();
        let (mut done, mut of_txg) = (0, 0);
        let Blocks { rows, allocator, small, .. } = &mut self.blocks;
        let mut place = |index: u32| {
            let bytes = size_of(index);
            let place = match small.fits(bytes, small_max) {
                true => allocator.take_metadata(bytes, AllocatorId::FIRST),
                false => allocator.take(bytes),
            };
            small.hold(allocator.held_on_special(place, bytes));
            rows[first + index as usize].place = Packed::new(place);
            done += 1;
            of_txg += length;
            if of_txg >= txg || done == count {
                of_txg %= txg;
                of_indirect.end_txg(&mut indirect, done, allocator);
            }
        };
        if self.layout.shapes.iter().any(|shape| shape.parity() > 0) {
            let order = order_of(count, length, self.layout.seed);
            order.into_iter().for_each(|placed| place(placed.index));
        } else {
            (0..count).for_each(place);
        }
        indirect
    }
}

/// The indirect blocks of a file.
#[derive(Clone, Copy)]
struct IndirectOf {
    pointers: u32,
    /// What compressed blocks are multiples of, bytes.
    unit: u64,
}

impl IndirectOf {
    /// Returns the bytes of one that holds so many pointers.
    fn bytes(self, held: u32) -> u64 {
        let whole = u64::from(self.pointers * POINTER_LENGTH);
        packed(whole, u64::from(held) * POINTER_BYTES, self.unit)
    }

    /// Places those of the first `done` blocks that a transaction group has touched: one that has room
    /// for more pointers is written anew with the next group.
    fn end_txg(self, indirect: &mut Vec<Indirect>, done: u32, allocator: &mut Allocator) {
        if indirect.last().is_some_and(|last| last.bytes < self.bytes(self.pointers)) {
            indirect.pop();
        }
        for number in number(indirect.len())..done.div_ceil(self.pointers) {
            let bytes = self.bytes((done - number * self.pointers).min(self.pointers));
            indirect.push(Indirect {
                place: allocator.take_metadata(bytes, AllocatorId::FIRST),
                bytes,
            });
        }
    }
}

/// Says of each data block of a file which indirect block points to it.
fn find_parents(blocks: &mut Blocks) {
    for file in blocks.files.iter().filter(|file| file.count > 1) {
        let all = file.first.place()..file.block(file.count).place();
        let below = blocks.rows[all].chunks_mut(file.pointers as usize);
        for (below, number) in below.zip(0..) {
            let parent = file.first_indirect.plus(number);
            below.iter_mut().for_each(|row| row.parent = parent);
        }
    }
}

/// When a block of a file is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    at: u64,
    index: u32,
}

/// Returns the blocks of a file in a pool with parity in the order in which they are placed.
fn order_of(count: u32, bytes: u64, seed: u64) -> Vec<Placed> {
    let mut rng = Stream::new(seed, "write threads");
    let step = WRITE_RATE.time_for(Bytes(bytes)).0;
    let placed = |index: u32| Placed { at: u64::from(index) * step + held_up(&mut rng), index };
    let mut order: Vec<Placed> = (0..count).map(placed).collect();
    order.sort_unstable();
    order
}

/// Returns for how many nanoseconds the thread of a block is held up.
fn held_up(rng: &mut Stream) -> u64 {
    if rng.below(1000) < HELD_UP_PERMILLE { rng.below(HELD_UP_MAX) } else { 0 }
}

//! The blocks of all files, as one row of numbers, and where they lie.
//!
//! Data blocks of all files come first, file after file, then their indirect blocks of level 1. The
//! levels above are always in memory and are not modelled.
//!
//! Layout: files were written one after the other into an empty pool, so blocks lie nearly in order,
//! spread over the top-level vdevs in turns of one aliquot (docs/model/allocation.md#vdev-rotation); an indirect block
//! lies behind the data of the transaction group that wrote the last of its blocks. Nearly: see
//! `writers`.
#![expect(clippy::indexing_slicing, reason = "every index is a block number of this very table")]

use arcwright_scenario::{FileSpec, Pool};
use arcwright_units::Bytes;

use crate::allocate::Allocator;
use crate::behaviour::Behaviour;
use crate::divisor::Divisor;
use crate::ids::FileId;
use crate::trees::{DNODES, Soil, Tree, number_data, plant};
use crate::vdev::geometry::Shape;
use crate::writers::order_of;

/// Bytes that a pointer to an incompressible block takes after LZ4; measured in the lab as 40 KiB
/// for a full indirect block.
const POINTER_BYTES: u64 = 40;
/// Bytes of a pointer as it is.
const POINTER_LENGTH: u32 = 128;
/// A block's number.
pub(crate) type Block = u32;

/// Where a block lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The top-level vdev, or the cache device.
    pub(crate) vdev: u32,
    /// The offset in it.
    pub(crate) offset: u64,
}

/// A place in eight bytes: the vdev in the highest one, offsets up to 64 PiB below.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Packed(u64);

const OFFSET_BITS: u32 = 56;

impl Packed {
    pub(crate) fn new(place: Place) -> Self {
        Self(u64::from(place.vdev) << OFFSET_BITS | place.offset)
    }

    /// The place of what has none yet.
    pub(crate) const NOWHERE: Self = Self(u64::MAX);

    pub(crate) fn is_nowhere(self) -> bool {
        self.0 == u64::MAX
    }

    pub(crate) fn place(self) -> Place {
        let vdev = u32::try_from(self.0 >> OFFSET_BITS).unwrap_or(0);
        Place { vdev, offset: self.0 & ((1 << OFFSET_BITS) - 1) }
    }
}

/// One file's blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) size: Bytes,
    pub(crate) block_bytes: u64,
    by_block: Divisor,
    /// The first data block.
    pub(crate) first: Block,
    pub(crate) count: u32,
    /// The first indirect block.
    first_indirect: Block,
    /// Pointers in an indirect block.
    pointers: u32,
    by_pointers: Divisor,
}

impl File {
    /// Returns the block that holds byte `offset`, counted within the file.
    pub(crate) fn index_of(&self, offset: u64) -> u32 {
        u32::try_from(self.by_block.divide(offset)).unwrap_or(u32::MAX).min(self.count - 1)
    }

    /// Returns how far into its block byte `offset` is.
    pub(crate) fn within_block(&self, offset: u64) -> u64 {
        self.by_block.rest(offset)
    }

    /// Returns the indirect block above the data block `index`; none in a file of one block.
    pub(crate) fn indirect_of(&self, index: u32) -> Option<Block> {
        let number = u32::try_from(self.by_pointers.divide(u64::from(index))).unwrap_or(u32::MAX);
        (self.count > 1).then(|| self.first_indirect + number)
    }

    /// Returns the indirect block of this number; none behind the last one.
    pub(crate) fn indirect(&self, number: u32) -> Option<Block> {
        let is_there = self.count > 1 && number < self.count.div_ceil(self.pointers);
        is_there.then(|| self.first_indirect + number)
    }
}

/// All blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) files: Vec<File>,
    /// Bytes of each block on disk and in the ARC.
    pub(crate) sizes: Vec<u32>,
    places: Vec<Packed>,
    /// The first block that is metadata.
    pub(crate) metadata_from: Block,
    /// The first metadata block that is not an indirect one.
    pub(crate) indirect_until: Block,
    /// Bytes of each metadata block before compression, from `metadata_from` on.
    pub(crate) lengths: Vec<u32>,
    /// The block whose dbuf is held as long as one's own exists: what points to it; [`NO_BLOCK`] for
    /// what the modelled blocks end with.
    parents: Vec<Block>,
    /// The first block of dnodes.
    pub(crate) dnodes_from: Block,
    pub(crate) trees: Vec<Tree>,
    /// The free space behind them.
    pub(crate) allocator: Allocator,
}

/// No block at all.
pub(crate) const NO_BLOCK: Block = u32::MAX;

impl Blocks {
    /// Lays out `files` in `pool`.
    pub(crate) fn new(
        (files, trees): (&[FileSpec], Vec<Tree>),
        pool: &Pool,
        shapes: &[Shape],
        (behaviour, memory, cores): (Behaviour, Bytes, u32),
    ) -> Self {
        let pointers = behaviour.pointers;
        let group = behaviour.group.bytes(memory);
        let (shapes_of_data, special) = shapes.split_at(pool.data.len().min(shapes.len()));
        let allocator =
            Allocator::new(shapes_of_data, behaviour.aliquot, behaviour.blocks_under_way)
                .with_special(special);
        let mut blocks = Self {
            files: Vec::new(),
            sizes: Vec::new(),
            places: Vec::new(),
            metadata_from: 0,
            indirect_until: 0,
            lengths: Vec::new(),
            parents: Vec::new(),
            dnodes_from: 0,
            trees,
            allocator,
        };
        let soil = Soil {
            record: pool.recordsize,
            ashift: pool.ashift,
            pointers,
            group,
            cores,
            one_by_one: behaviour.counts_dnodes,
        };
        let parity = shapes.iter().any(|shape| shape.parity() > 0);
        let mut indirect = Vec::new();
        for file in files {
            let record = file.recordsize.unwrap_or(pool.recordsize).0.max(512);
            let block_bytes = if file.size.0 <= record { file.size.0.max(512) } else { record };
            let count = u32::try_from(file.size.0.div_ceil(block_bytes)).unwrap_or(u32::MAX);
            let first = blocks.next();
            let first_indirect = u32::try_from(indirect.len()).unwrap_or(u32::MAX);
            let behind =
                blocks.add_file((count, block_bytes), (pointers, pool.ashift, group), parity);
            indirect.extend(behind);
            let name = file.name.clone();
            blocks.files.push(File {
                name,
                size: file.size,
                block_bytes,
                by_block: Divisor::of(block_bytes),
                first,
                count,
                first_indirect,
                pointers,
                by_pointers: Divisor::of(u64::from(pointers)),
            });
        }
        blocks.parents = vec![NO_BLOCK; blocks.len()];
        let mut trees = std::mem::take(&mut blocks.trees);
        trees.iter_mut().for_each(|tree| number_data(tree, &mut blocks, soil));
        blocks.metadata_from = blocks.next();
        for file in &mut blocks.files {
            file.first_indirect += blocks.metadata_from;
        }
        for (place, bytes) in indirect {
            let block = blocks.add(bytes, Some(u64::from(pointers * POINTER_LENGTH)), None);
            blocks.put(block, place);
        }
        blocks.indirect_until = blocks.next();
        blocks.find_parents();
        plant(&mut trees, &mut blocks, soil);
        blocks.trees = trees;
        blocks
    }

    /// Returns a file.
    pub(crate) fn file(&self, id: FileId) -> &File {
        &self.files[id.place()]
    }

    /// Returns the file of this name.
    pub(crate) fn file_named(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|file| file.name == name).map(FileId::at)
    }

    /// Adds a block of `bytes`, which has no place yet; metadata has its `length` before compression.
    pub(crate) fn add(&mut self, bytes: u64, length: Option<u64>, parent: Option<Block>) -> Block {
        let block = self.next();
        self.sizes.push(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.places.push(Packed::NOWHERE);
        self.parents.push(parent.unwrap_or(NO_BLOCK));
        if let Some(length) = length {
            self.lengths.push(u32::try_from(length).unwrap_or(u32::MAX));
        }
        block
    }

    /// Says what points to a block.
    pub(crate) fn set_parent(&mut self, block: Block, parent: Block) {
        self.parents[block as usize] = parent;
    }

    /// Gives a block its next place, as if it were written now.
    pub(crate) fn place_anew(&mut self, block: Block) {
        let size = self.size(block);
        let place = if block < self.metadata_from {
            self.allocator.take(size)
        } else {
            self.allocator.take_metadata(size)
        };
        self.put(block, place);
    }

    /// Returns the numbers of the trees that copies make.
    pub(crate) fn copies(&self) -> std::ops::Range<usize> {
        let first = self.trees.iter().position(Tree::is_copy).unwrap_or(self.trees.len());
        first..self.trees.len()
    }

    /// Returns how many blocks of dnodes there are.
    pub(crate) fn dnode_blocks(&self) -> usize {
        let end = self.trees.first().map_or(self.dnodes_from, |tree| tree.root.first);
        (end - self.dnodes_from) as usize
    }

    /// Returns the block of dnodes in which an object stands.
    pub(crate) fn dnode_block(&self, object: u64) -> Block {
        self.dnodes_from + u32::try_from(object / DNODES).unwrap_or(0)
    }

    fn find_parents(&mut self) {
        for file in &self.files {
            if file.count < 2 {
                continue;
            }
            let all = file.first as usize..(file.first + file.count) as usize;
            let below = self.parents[all].chunks_mut(file.pointers as usize);
            below.zip(file.first_indirect..).for_each(|(below, parent)| below.fill(parent));
        }
    }

    /// Returns the block that points to this one, as far as the model goes up.
    pub(crate) fn parent(&self, block: Block) -> Option<Block> {
        let parent = self.parents[block as usize];
        (parent != NO_BLOCK).then_some(parent)
    }

    /// Says whether a block holds pointers to blocks of its own object.
    pub(crate) fn is_indirect(&self, block: Block) -> bool {
        self.metadata_from <= block && block < self.indirect_until
    }

    /// Says whether a block is changed in the open group, as data and directories are; dnodes and what
    /// points to blocks are filled in while their group is written.
    pub(crate) fn is_content(&self, block: Block) -> bool {
        let directories = self.trees.first().map_or(Block::MAX, |tree| tree.root.first);
        block < self.metadata_from || block >= directories
    }

    /// Returns the bytes of a block before compression, which a dbuf and a ghost list count.
    pub(crate) fn length(&self, block: Block) -> u64 {
        match block.checked_sub(self.metadata_from) {
            Some(number) => u64::from(self.lengths[number as usize]),
            None => self.size(block),
        }
    }

    pub(crate) fn next(&self) -> Block {
        u32::try_from(self.sizes.len()).unwrap_or(u32::MAX)
    }

    /// Places the data blocks of a file in the order in which the threads come to it; returns its
    /// indirect blocks.
    fn add_file(
        &mut self,
        (count, bytes): (u32, u64),
        (pointers, ashift, group): (u32, u8, u64),
        parity: bool,
    ) -> Vec<(Place, u64)> {
        let first = self.places.len();
        self.sizes.resize(first + count as usize, u32::try_from(bytes).unwrap_or(u32::MAX));
        self.places.resize(first + count as usize, Packed::NOWHERE);
        let mut indirect = Vec::new();
        let (mut done, mut of_group) = (0, 0);
        let mut place = |index: u32| {
            self.places[first + index as usize] = Packed::new(self.allocator.take(bytes));
            done += 1;
            of_group += bytes;
            if of_group >= group || done == count {
                of_group %= group;
                end_group(&mut indirect, done, (pointers, ashift), &mut self.allocator);
            }
        };
        if parity {
            order_of(count, bytes).into_iter().for_each(|(_, index)| place(index));
        } else {
            (0..count).for_each(place);
        }
        indirect
    }

    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn size(&self, block: Block) -> u64 {
        u64::from(self.sizes[block as usize])
    }

    pub(crate) fn place(&self, block: Block) -> Place {
        self.places[block as usize].place()
    }

    /// Returns the last block that an indirect block points to; none of a data block.
    pub(crate) fn last_below(&self, block: Block) -> Option<Block> {
        if block < self.metadata_from {
            return None;
        }
        let file =
            self.files.partition_point(|file| file.first_indirect <= block).checked_sub(1)?;
        let file = &self.files[file];
        if block >= file.first_indirect + file.count.div_ceil(file.pointers) {
            // Metadata of trees, which is written behind all data, in order of its numbers.
            return None;
        }
        let below = (block - file.first_indirect + 1) * file.pointers;
        Some(file.first + below.min(file.count) - 1)
    }

    /// Gives a block the place at which it is written.
    pub(crate) fn put(&mut self, block: Block, place: Place) {
        self.places[block as usize] = Packed::new(place);
    }

    /// Says whether a block has been written: one that is new has its number and no place.
    pub(crate) fn is_written(&self, block: Block) -> bool {
        !self.places[block as usize].is_nowhere()
    }
}

/// Places the indirect blocks of the first `done` blocks of a file that a transaction group has
/// touched: one that has room for more pointers is written anew with the next group.
fn end_group(
    indirect: &mut Vec<(Place, u64)>,
    done: u32,
    (pointers, ashift): (u32, u8),
    allocator: &mut Allocator,
) {
    let sector = 1u64 << ashift;
    let size = |held: u32| (u64::from(held) * POINTER_BYTES).div_ceil(sector) * sector;
    if indirect.last().is_some_and(|(_, bytes)| *bytes < size(pointers)) {
        indirect.pop();
    }
    for number in u32::try_from(indirect.len()).unwrap_or(u32::MAX)..done.div_ceil(pointers) {
        let bytes = size((done - number * pointers).min(pointers));
        indirect.push((allocator.take_metadata(bytes), bytes));
    }
}

//! The blocks of all files, as one row of numbers, and where they lie.
//!
//! Data blocks of all files come first, file after file, then their indirect blocks of level 1. The
//! levels above are always in memory and are not modelled.
#![expect(clippy::indexing_slicing, reason = "every index is a block number of this very table")]

use arcwright_units::Bytes;

use super::allocate::Allocator;
use super::small::SmallBlocks;
use crate::divisor::Divisor;
use crate::ids::{AllocatorId, BlockId, BlockRun, FileId, number_of};
use crate::io::place::{Packed, Place};

/// Bytes of a pointer as it is.
pub(crate) const POINTER_LENGTH: u32 = 128;
/// Dnodes of a block.
pub(crate) const DNODES: u64 = 32;

/// One file's blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) size: Bytes,
    pub(crate) block_bytes: u64,
    pub(crate) by_block: Divisor,
    /// The first data block.
    pub(crate) first: BlockId,
    pub(crate) count: u32,
    /// The first indirect block.
    pub(crate) first_indirect: BlockId,
    /// Pointers in an indirect block.
    pub(crate) pointers: u32,
    pub(crate) by_pointers: Divisor,
}

impl File {
    /// Returns the block that holds byte `offset`, counted within the file.
    pub(crate) fn index_of(&self, offset: u64) -> u32 {
        number_of(self.by_block.divide(offset)).min(self.count - 1)
    }

    /// Returns the blocks that hold `size` bytes from `offset` on.
    pub(crate) fn indices_of(&self, offset: u64, size: u64) -> Indices {
        Indices { first: self.index_of(offset), last: self.index_of(offset + size - 1) }
    }

    /// Returns how far into its block byte `offset` is.
    pub(crate) fn within_block(&self, offset: u64) -> u64 {
        self.by_block.rest(offset)
    }

    /// Returns the data block `index`.
    #[inline]
    pub(crate) fn block(&self, index: u32) -> BlockId {
        self.first.plus(index)
    }

    /// Returns the indirect block above the data block `index`; none in a file of one block.
    pub(crate) fn indirect_of(&self, index: u32) -> Option<BlockId> {
        let number = number_of(self.by_pointers.divide(u64::from(index)));
        (self.count > 1).then(|| self.first_indirect.plus(number))
    }

    /// Returns the indirect block of this number; none behind the last one.
    pub(crate) fn indirect(&self, number: u32) -> Option<BlockId> {
        let is_there = self.count > 1 && number < self.count.div_ceil(self.pointers);
        is_there.then(|| self.first_indirect.plus(number))
    }
}

/// Blocks of a file that follow each other, from the first to the last, by their places in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Indices {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Indices {
    /// Returns how many there are.
    pub(crate) fn count(self) -> u32 {
        self.last - self.first + 1
    }

    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = u32> {
        self.first..=self.last
    }
}

/// A block on the disks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) place: Packed,
    /// Bytes on disk and in the ARC.
    pub(super) size: u32,
    /// The block whose dbuf is held as long as one's own exists: what points to it; [`BlockId::NONE`] for
    /// what the modelled blocks end with.
    pub(super) parent: BlockId,
}

impl Row {
    /// What has no place yet, and nothing that points to it.
    pub(super) const fn nowhere() -> Self {
        Self { place: Packed::NOWHERE, size: 0, parent: BlockId::NONE }
    }
}

/// All blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) files: Vec<File>,
    /// Files of trees that somebody reads, numbered behind those of the dataset.
    pub(crate) open: Vec<File>,
    pub(super) rows: Vec<Row>,
    /// The first block that is metadata.
    pub(crate) metadata_from: BlockId,
    /// The first metadata block that is not an indirect one.
    pub(crate) indirect_until: BlockId,
    /// Bytes of each block before compression, from `lengths_from` on.
    pub(crate) lengths: Vec<u32>,
    /// The first block of metadata, or of all where data compress too; those before take what they hold.
    pub(crate) lengths_from: BlockId,
    /// The first block of dnodes.
    pub(crate) dnodes_from: BlockId,
    /// The first block of a directory, behind those of dnodes; no block where there are no trees.
    pub(crate) directories_from: BlockId,
    /// The free space behind them.
    pub(crate) allocator: Allocator,
    /// Which of them go to special vdevs although they are data.
    pub(crate) small: SmallBlocks,
}

/// A level of an object, which has a number.
struct Part {
    object: u32,
    level: u64,
}

/// The file of an indirect block, and which one it is there.
struct Above<'a> {
    file: &'a File,
    number: u32,
}

impl Blocks {
    /// Makes a table without blocks, which are placed by `allocator`; `small` of them go to special vdevs.
    pub(crate) fn new(allocator: Allocator, small: SmallBlocks) -> Self {
        Self {
            files: Vec::new(),
            open: Vec::new(),
            rows: Vec::new(),
            metadata_from: BlockId(0),
            indirect_until: BlockId(0),
            lengths: Vec::new(),
            lengths_from: BlockId(0),
            dnodes_from: BlockId(0),
            directories_from: BlockId::NONE,
            allocator,
            small,
        }
    }

    /// Returns a file, of the dataset or an open one of a tree.
    #[inline]
    pub(crate) fn file(&self, id: FileId) -> &File {
        match self.files.get(id.place()) {
            Some(file) => file,
            None => &self.open[id.place() - self.files.len()],
        }
    }

    /// Enters a file of a tree that somebody opens: in the place of one that was closed, or behind all.
    pub(crate) fn put_open(&mut self, id: FileId, file: File) {
        let place = id.place() - self.files.len();
        if place == self.open.len() {
            self.open.push(file);
        } else {
            self.open[place] = file;
        }
    }

    /// Returns the file of this name.
    pub(crate) fn file_named(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|file| file.name == name).map(FileId::at)
    }

    /// Returns a file of a tree, whose `data` have one block above them.
    pub(crate) fn file_of_tree(&self, data: BlockRun, record: u64, pointers: u32) -> File {
        let pointers = pointers.max(data.count);
        File {
            name: String::new(),
            size: Bytes(u64::from(data.count) * record),
            block_bytes: record,
            by_block: Divisor::of(record),
            first: data.first,
            count: data.count,
            first_indirect: self.rows[data.first.place()].parent,
            pointers,
            by_pointers: Divisor::of(u64::from(pointers)),
        }
    }

    /// Adds a block of `bytes`, which has no place yet; what compresses has its `length` before that.
    pub(crate) fn add(
        &mut self,
        bytes: u64,
        length: Option<u64>,
        parent: Option<BlockId>,
    ) -> BlockId {
        let block = self.next();
        let parent = parent.unwrap_or(BlockId::NONE);
        self.rows.push(Row { size: number_of(bytes), parent, ..Row::nowhere() });
        if let Some(length) = length {
            self.lengths.push(number_of(length));
        }
        block
    }

    /// Says what points to a block.
    pub(crate) fn set_parent(&mut self, block: BlockId, parent: BlockId) {
        self.rows[block.place()].parent = parent;
    }

    /// Returns which of the pool's allocators places a block with its group: it is the same for all blocks of a
    /// level of an object; or of an object, if each task of writing a group has one.
    pub(crate) fn allocator_of(&self, block: BlockId) -> AllocatorId {
        let count = self.allocator.count();
        if count == 1 {
            return AllocatorId::FIRST;
        }
        let Part { object, level } = self.part(block);
        if let Some(by) = self.allocator.of_task(number_of(mix(u64::from(object)) >> 33)) {
            return by;
        }
        AllocatorId(number_of((mix(u64::from(object) << 2 | level) >> 32) % u64::from(count)))
    }

    /// Returns which level of which object a block is of.
    fn part(&self, block: BlockId) -> Part {
        let (is_data, is_indirect) = (block < self.metadata_from, self.is_indirect(block));
        let of_file = if is_data {
            let behind = self.files.partition_point(|file| file.first <= block);
            let file = behind.checked_sub(1).map(|file| &self.files[file]);
            file.filter(|file| block.behind(file.first).is_some_and(|number| number < file.count))
        } else {
            self.file_above(block).map(|above| above.file)
        };
        if let Some(file) = of_file {
            return Part { object: file.first.0, level: u64::from(!is_data) };
        }
        if self.number_of_dnodes(block).is_some() {
            return Part { object: u32::MAX, level: 0 };
        }
        // The other blocks of a tree: what points to those of an object stands for it.
        let above = self.parent(block).filter(|parent| !is_indirect && self.is_indirect(*parent));
        Part { object: above.unwrap_or(block).0, level: if is_indirect { 1 } else { 2 } }
    }

    /// Gives a block its next place, as if it were written now.
    pub(crate) fn place_anew(&mut self, block: BlockId) {
        self.place_by(block, AllocatorId::FIRST);
    }

    /// Gives a block its next place, by one of the pool's allocators.
    pub(crate) fn place_by(&mut self, block: BlockId, by: AllocatorId) {
        let size = self.size(block);
        let place = match self.is_for_special(block) {
            true => self.allocator.take_metadata(size, by),
            false => self.allocator.take_by(size, by),
        };
        self.put(block, place);
    }

    /// Says whether a block goes to special vdevs, if there are any: metadata, and small blocks of files.
    pub(crate) fn is_for_special(&self, block: BlockId) -> bool {
        block >= self.metadata_from || self.small.takes(block, self.size(block))
    }

    /// Returns how many blocks of dnodes there are.
    pub(crate) fn dnode_blocks(&self) -> usize {
        let count = self.directories_from.behind(self.dnodes_from);
        count.filter(|_| self.has_trees()).map_or(0, |count| count as usize)
    }

    /// Returns which block of dnodes a block is; none of another one.
    pub(crate) fn number_of_dnodes(&self, block: BlockId) -> Option<usize> {
        let is_one = block < self.directories_from && self.has_trees();
        block.behind(self.dnodes_from).filter(|_| is_one).map(|number| number as usize)
    }

    /// Says whether there are trees of files.
    pub(crate) fn has_trees(&self) -> bool {
        self.directories_from != BlockId::NONE
    }

    /// Returns the block of dnodes in which an object stands.
    pub(crate) fn dnode_block(&self, object: u64) -> BlockId {
        self.dnodes_from.plus(number_of(object / DNODES))
    }

    /// Returns the block that points to this one, as far as the model goes up.
    pub(crate) fn parent(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.rows[block.place()].parent;
        (parent != BlockId::NONE).then_some(parent)
    }

    /// Says whether a block holds pointers to blocks of its own object.
    pub(crate) fn is_indirect(&self, block: BlockId) -> bool {
        self.metadata_from <= block && block < self.indirect_until
    }

    /// Says whether a block is changed in the open group, as data and directories are; dnodes and what
    /// points to blocks are filled in while their group is written.
    pub(crate) fn is_content(&self, block: BlockId) -> bool {
        block < self.metadata_from || block >= self.directories_from
    }

    /// Returns the bytes of a block before compression, which a dbuf and a ghost list count.
    pub(crate) fn length(&self, block: BlockId) -> u64 {
        match block.behind(self.lengths_from) {
            Some(number) => u64::from(self.lengths[number as usize]),
            None => self.size(block),
        }
    }

    pub(crate) fn next(&self) -> BlockId {
        BlockId::at(self.rows.len())
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the bytes of each block, in their order.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        self.rows.iter().map(|row| row.size).collect()
    }

    pub(crate) fn size(&self, block: BlockId) -> u64 {
        u64::from(self.rows[block.place()].size)
    }

    pub(crate) fn place(&self, block: BlockId) -> Place {
        self.rows[block.place()].place.place()
    }

    /// Returns the file of the dataset that an indirect block belongs to, and which one it is there.
    fn file_above(&self, block: BlockId) -> Option<Above<'_>> {
        let behind = self.files.partition_point(|file| file.first_indirect <= block);
        let file = &self.files[behind.checked_sub(1)?];
        let number = block.behind(file.first_indirect)?;
        (number < file.count.div_ceil(file.pointers)).then_some(Above { file, number })
    }

    /// Returns the last block that an indirect block points to; none of a data block.
    pub(crate) fn last_below(&self, block: BlockId) -> Option<BlockId> {
        if block < self.metadata_from {
            return None;
        }
        // Metadata of trees is written behind all data, in order of its numbers.
        let Above { file, number } = self.file_above(block)?;
        let below = ((number + 1) * file.pointers).min(file.count);
        Some(file.block(below - 1))
    }

    /// Gives a block the place at which it is written.
    pub(crate) fn put(&mut self, block: BlockId, place: Place) {
        let old = std::mem::replace(&mut self.rows[block.place()].place, Packed::new(place));
        if self.allocator.has_special() {
            let copies = if block < self.metadata_from { 1 } else { 2 };
            let held = |allocator: &Allocator, place: Place| {
                copies * allocator.held_on_special(place, self.size(block))
            };
            let new = held(&self.allocator, place);
            let old = if old.is_nowhere() { 0 } else { held(&self.allocator, old.place()) };
            self.small.hold(new);
            self.small.let_go(old);
        }
    }

    /// Says whether a block has been written: one that is new has its number and no place.
    pub(crate) fn is_written(&self, block: BlockId) -> bool {
        !self.rows[block.place()].place.is_nowhere()
    }
}
/// Spreads numbers that lie side by side.
const fn mix(key: u64) -> u64 {
    key.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

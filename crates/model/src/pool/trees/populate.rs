//! Where the blocks of trees lie: written group by group, as a program that copies them there does
//! (docs/model/allocation.md#order-of-blocks-in-a-transaction-group; dmu_objset.c, dnode_sync.c 0.7 to 2.3).
//!
//! A group ends after so many bytes or files. It is written object by object: the objects that it changed
//! stand on lists by a hash of their numbers, the last change first. Up to 2.2 three of four processors
//! take a list each, and then the next; later a thread for every four does. An object's blocks are its
//! data, or the blocks of a directory that got a name. An indirect block waits until what it points to
//! is placed, and then stands behind what was handed over meanwhile: with several threads four times as
//! many blocks as were placed, with one hardly more. From 2.3 on every thread has an allocator, and so a part of
//! each vdev, to itself while it goes through a list, the next one for the next list. Last come the blocks of the dnodes that changed. What a
//! later group changes again is written again, elsewhere.
//!
//! Simplifications: threads take turns block by block; second copies of metadata take room
//! elsewhere on the vdev and are not read.
#![expect(
    clippy::indexing_slicing,
    reason = "every index is the number of a file, directory or list"
)]

use std::ops::Range;

use arcwright_scenario::Compression;
use arcwright_units::Bytes;
use arcwright_workload::Stream;

use super::threads::{BlockWrite, Threads};
use super::{DNODE_BLOCK, DNODE_PACKED, FileBlocks, Size, Tree, file_blocks, packed};
use crate::ids::{BlockId, row};
use crate::pool::blocks::{Blocks, DNODES};
use crate::pool::compressed::Stored;

/// The most files of a group, as the lab makes its trees.
const TXG_FILES: u64 = 4096;
/// The least lists of changed objects (`os_dirty_dnodes` has one for each processor, at least four).
const LISTS_MIN: u32 = 4;
/// Bytes of a pointer as it is, and of one to a small block after compression: two places, two
/// birthdays, a checksum.
const POINTER: u32 = 128;
const POINTER_PACKED: u64 = 48;

/// What decides where trees lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeLayout {
    pub(crate) record: Bytes,
    pub(crate) compression: Compression,
    /// Whether lengths of data are kept, since some compress.
    pub(crate) has_lengths: bool,
    /// What compressed blocks are multiples of, bytes: those that are there before anything runs, and those of copies.
    pub(crate) unit: u64,
    pub(crate) unit_of_copies: u64,
    pub(crate) pointers: u32,
    /// Bytes of a transaction group.
    pub(crate) txg: u64,
    pub(crate) cores: u32,
    /// Allocators, each of which a thread has to itself for a list (2.3 and later); none where one thread for three of
    /// four processors go through the lists, and share one allocator.
    pub(crate) allocators: Option<u32>,
    /// Seed of the hashes that spread objects over the lists.
    pub(crate) seed: u64,
}

impl TreeLayout {
    /// Returns what compressed blocks of a tree are multiples of, bytes.
    fn unit_of(&self, tree: &Tree) -> u64 {
        if tree.is_copy { self.unit_of_copies } else { self.unit }
    }
}

/// An object whose blocks a group writes.
#[derive(Debug, Clone, Copy)]
enum Changed {
    File(u64),
    Directory(usize),
    Root,
}

/// Gives the blocks of `trees` their numbers and places. The data blocks have theirs already.
pub(crate) fn populate(trees: &mut [Tree], blocks: &mut Blocks, layout: TreeLayout) {
    for tree in trees.iter_mut() {
        number_indirect(tree, blocks, layout);
    }
    let objects = trees.last().map_or(0, Tree::objects_end);
    let dnode_blocks = objects.div_ceil(DNODES);
    let above: Vec<BlockId> = (0..dnode_blocks.div_ceil(u64::from(layout.pointers)))
        .map(|number| {
            let below = (dnode_blocks - number * u64::from(layout.pointers))
                .min(u64::from(layout.pointers));
            let size =
                packed(u64::from(POINTER * layout.pointers), below * POINTER_PACKED, layout.unit);
            blocks.add(size, Some(u64::from(POINTER * layout.pointers)), None)
        })
        .collect();
    blocks.indirect_until = blocks.next();
    blocks.dnodes_from = blocks.next();
    let there = trees.iter().filter(|tree| !tree.is_copy).map(Tree::objects_end).max();
    let there = there.map_or(0, |objects| objects.div_ceil(DNODES));
    for number in 0..dnode_blocks {
        let unit = if number < there { layout.unit } else { layout.unit_of_copies };
        let size = packed(DNODE_BLOCK, DNODES * DNODE_PACKED, unit);
        let parent = above[row(number / u64::from(layout.pointers))];
        blocks.add(size, Some(DNODE_BLOCK), Some(parent));
    }
    blocks.directories_from = if trees.is_empty() { BlockId::NONE } else { blocks.next() };
    for tree in trees.iter_mut() {
        number_directories(tree, blocks, layout.unit_of(tree));
    }
    for tree in trees.iter().filter(|tree| !tree.is_copy) {
        place_txgs(tree, blocks, layout);
    }
    for block in above.into_iter().take(row(there.div_ceil(u64::from(layout.pointers)))) {
        blocks.place_anew(block);
    }
}

/// Numbers the data blocks of a tree; before all metadata.
pub(crate) fn number_data(tree: &mut Tree, blocks: &mut Blocks, layout: TreeLayout) {
    tree.record = layout.record.0;
    let stored = Stored::of(layout.compression, tree.compressratio_percent, layout.unit_of(tree));
    for file in 0..tree.files.count() {
        let FileBlocks { count, bytes } = file_blocks(&tree.files, file, layout.record);
        let length = layout.has_lengths.then_some(bytes);
        let last = tree.files.size(file).0 - u64::from(count - 1) * bytes;
        tree.data.push(blocks.next());
        for _ in 1..count {
            blocks.add(stored.size(bytes, bytes), length, None);
        }
        blocks.add(stored.size(bytes, last), length, None);
    }
    tree.data.push(blocks.next());
}

/// Numbers the indirect blocks of a tree's files and directories.
fn number_indirect(tree: &mut Tree, blocks: &mut Blocks, layout: TreeLayout) {
    let (length, unit) = (u64::from(POINTER * layout.pointers), layout.unit_of(tree));
    let size = |below: u32| packed(length, u64::from(below) * POINTER_PACKED, unit);
    for file in 0..tree.files.count() {
        let data = tree.data_of(file);
        if data.count > 1 {
            let block = blocks.add(size(data.count), Some(length), None);
            tree.indirect.push(block);
            data.iter().for_each(|data| blocks.set_parent(data, block));
        }
    }
    for directory in [&mut tree.root].into_iter().chain(&mut tree.directories) {
        let below = directory.zap.blocks();
        if below > 1 {
            directory.indirect = blocks.add(size(below), Some(length), None);
        }
    }
}

/// Numbers the blocks of a tree's directories, and says which dnode each object has.
fn number_directories(tree: &mut Tree, blocks: &mut Blocks, unit: u64) {
    for directory in [&mut tree.root].into_iter().chain(&mut tree.directories) {
        directory.first = blocks.next();
        let dnode = blocks.dnode_block(directory.object);
        let has_indirect = directory.zap.blocks() > 1;
        let parent = if has_indirect { directory.indirect } else { dnode };
        for Size { length, packed: bytes } in directory.sizes() {
            blocks.add(packed(length, bytes, unit), Some(length), Some(parent));
        }
        if has_indirect {
            blocks.set_parent(directory.indirect, dnode);
        }
    }
    let mut indirect = tree.indirect.as_slice();
    for file in 0..tree.files.count() {
        let dnode = blocks.dnode_block(tree.object(file));
        let data = tree.data_of(file);
        if data.count > 1 {
            blocks.set_parent(indirect[0], dnode);
            indirect = &indirect[1..];
        } else {
            blocks.set_parent(data.first, dnode);
        }
    }
}

fn place_txgs(tree: &Tree, blocks: &mut Blocks, layout: TreeLayout) {
    let mut rng = Stream::new(layout.seed, "lists of changed objects");
    let (mut threads, count) =
        (Threads::new(layout.allocators, layout.cores), layout.cores.max(LISTS_MIN));
    let (mut first, mut bytes) = (0, 0);
    for file in 0..tree.files.count() {
        bytes += tree.files.size(file).0;
        let is_last = file + 1 == tree.files.count();
        if bytes >= layout.txg || file + 1 - first >= TXG_FILES || is_last {
            let changes = changed_by(tree, blocks, &(first..file + 1));
            let lists = lists_of(tree, blocks, &changes, (count, &mut rng));
            threads.write(lists, changes.dnodes, blocks);
            (first, bytes) = (file + 1, 0);
        }
    }
}

/// What a group changes: objects, in order, and the blocks of their dnodes.
struct Changes {
    files: Range<u64>,
    objects: Vec<Changed>,
    dnodes: Vec<BlockId>,
}

/// Returns what the group of some files changes.
fn changed_by(tree: &Tree, blocks: &Blocks, of: &Range<u64>) -> Changes {
    let mut objects = vec![Changed::Root];
    let mut dnodes = vec![blocks.dnode_block(tree.root.object)];
    for file in of.clone() {
        let directory = tree.place_of(file).directory;
        if file == of.start || tree.place_of(file - 1).directory != directory {
            objects.push(Changed::Directory(directory));
            dnodes.push(blocks.dnode_block(tree.directories[directory].object));
        }
        objects.push(Changed::File(file));
        dnodes.push(blocks.dnode_block(tree.object(file)));
    }
    Changes { files: of.clone(), objects, dnodes: each_once(dnodes) }
}

/// Returns blocks in order, each once.
fn each_once(mut blocks: Vec<BlockId>) -> Vec<BlockId> {
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// Returns the lists of what a group changes, on which objects stand by a hash of their numbers.
fn lists_of(
    tree: &Tree,
    blocks: &Blocks,
    changes: &Changes,
    (count, rng): (u32, &mut Stream),
) -> Vec<Vec<BlockWrite>> {
    let mut lists: Vec<Vec<BlockWrite>> = (0..count).map(|_| Vec::new()).collect();
    // The last change comes first.
    for object in changes.objects.iter().rev() {
        let list = row(rng.below(u64::from(count)));
        let above = blocks_of(tree, blocks, *object, &changes.files, &mut lists[list]);
        if let Some(last) = lists[list].last_mut() {
            last.above = above;
        }
    }
    lists
}

/// Appends the blocks of an object to its list; returns the indirect block above them.
fn blocks_of(
    tree: &Tree,
    blocks: &Blocks,
    object: Changed,
    of: &Range<u64>,
    list: &mut Vec<BlockWrite>,
) -> Option<BlockId> {
    match object {
        Changed::File(file) => {
            let data = tree.data_of(file);
            list.extend(data.iter().map(BlockWrite::of));
            blocks.parent(data.first).filter(|_| data.count > 1)
        }
        Changed::Root => {
            list.extend(tree.root.blocks().iter().map(BlockWrite::of));
            (tree.root.blocks().count > 1).then_some(tree.root.indirect)
        }
        Changed::Directory(number) => {
            let directory = &tree.directories[number];
            let all = tree.files.files_in(number as u64);
            let changed = all.start.max(of.start)..all.end.min(of.end);
            let leaves = changed.filter_map(|file| directory.leaf_of(file - all.start)).collect();
            list.push(BlockWrite::of(directory.first));
            let written = each_once(leaves).into_iter().chain(directory.tables().iter());
            list.extend(written.map(BlockWrite::of));
            (directory.blocks().count > 1).then_some(directory.indirect)
        }
    }
}

//! Trees of small files as blocks: directories, dnodes, data, and what points to them
//! (docs/model/metadata.md; dmu_object.c, dnode.h, zap.c 0.7 to 2.3).
//!
//! A tree's objects are numbered in the order in which they were made: the root, then each directory
//! and behind it its files (`dmu_object_alloc`; one program makes them all, so the chunks of other
//! processors play no part). A dnode of 512 bytes stands for an object; 32 of them are a block of 16 KiB,
//! and 1024 such blocks have an indirect block (128 of them before 0.7). A file that fits into a record is one block of whole
//! sectors of 512 bytes, to which its dnode points; a larger one has records and an indirect block.
//!
//! All metadata is compressed by LZ4, in the lab (`cargo xtask costs sizes`) so that 32 dnodes take one sector of 4 KiB,
//! a leaf with 120 to 212 names of 16 letters two, 1000 entries of a small directory three.
//!
//! A small case: 40 files of 60 KiB in two directories are objects 2 (the root), 3 and 4 to 23, 24 and 25 to
//! 44: two blocks of dnodes, three small directories, 40 blocks of data, one indirect block.
#![expect(
    clippy::indexing_slicing,
    reason = "every index is the number of a file, directory or leaf"
)]

mod populate;
mod threads;
mod zap;

use arcwright_scenario::{Scenario, TreeSpec};
use arcwright_units::Bytes;
use arcwright_workload::{Action, Stream, TreeFiles};

use crate::ids::{BlockId, BlockRun, number_of, row};
pub(crate) use populate::{TreeLayout, number_data, populate};
use zap::{FAT_BLOCK, Zap};

/// Bytes of a block of dnodes.
const DNODE_BLOCK: u64 = 16 << 10;
/// The object of the first tree's root; the one before holds the dataset's master node.
const FIRST_OBJECT: u64 = 2;
/// Bytes, after compression, of a dnode, of an entry of a small directory, of one of a leaf, of a
/// pointer to metadata, and of the header of a directory; beside what `cargo xtask costs sizes` measures in
/// docs/model/constants.md#sizes-in-the-lab.
const DNODE_PACKED: u64 = 112;
const MICRO_PACKED_TENTHS: u64 = 95;
const LEAF_PACKED: u64 = 37;
const HEADER_PACKED: u64 = 2048;

/// A directory's blocks.
#[derive(Debug)]
pub(crate) struct Directory {
    /// The object.
    pub(crate) object: u64,
    zap: Zap,
    /// Its block 0; the others follow.
    pub(crate) first: BlockId,
    /// What points to its blocks, when they are several.
    indirect: BlockId,
}

/// A tree.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) name: String,
    /// What LZ4 makes of what its files hold, in hundredths.
    compressratio_percent: Option<u32>,
    /// Bytes of a record.
    pub(crate) record: u64,
    /// A copy that a client is going to make: its blocks have numbers and no places.
    is_copy: bool,
    pub(crate) files: TreeFiles,
    pub(crate) root: Directory,
    pub(crate) directories: Vec<Directory>,
    /// The first data block of each file, and one more.
    pub(crate) data: Vec<BlockId>,
    /// The indirect block of each file that has one.
    indirect: Vec<BlockId>,
}

/// The bytes of a block before and after compression.
#[derive(Debug, Clone, Copy)]
struct Size {
    length: u64,
    packed: u64,
}

impl Directory {
    fn new(object: u64, names: &[String], chance: &mut Stream) -> Self {
        let zap = Zap::new(names, chance);
        Self { object, zap, first: BlockId::NONE, indirect: BlockId::NONE }
    }

    /// Returns the block in which an entry stands, besides block 0; none in a small directory.
    pub(crate) fn leaf_of(&self, entry: u64) -> Option<BlockId> {
        match &self.zap {
            Zap::Micro { .. } => None,
            Zap::Fat(fat) => Some(self.first.plus(1 + fat.leaf_of[row(entry)])),
        }
    }

    /// Returns all its blocks.
    pub(crate) fn blocks(&self) -> BlockRun {
        BlockRun { first: self.first, count: self.zap.blocks() }
    }

    /// Returns the blocks of the table outside of the header.
    fn tables(&self) -> BlockRun {
        match &self.zap {
            Zap::Micro { .. } => BlockRun { first: self.first, count: 0 },
            Zap::Fat(fat) => {
                let first = self.first.plus(1 + fat.leaves());
                BlockRun { first, count: fat.table_blocks }
            }
        }
    }

    /// Returns the number of the entry that is listed as `place`.
    pub(crate) fn listed(&self, place: u64) -> u64 {
        match &self.zap {
            Zap::Micro { .. } => place,
            Zap::Fat(fat) => u64::from(fat.listed[row(place)]),
        }
    }

    /// Returns the bytes of each block before and after compression.
    fn sizes(&self) -> Vec<Size> {
        match &self.zap {
            Zap::Micro { bytes } => {
                vec![Size { length: *bytes, packed: bytes / 64 * MICRO_PACKED_TENTHS / 10 }]
            }
            Zap::Fat(fat) => {
                let of = |packed: u64| Size { length: FAT_BLOCK, packed };
                let leaf = |entries: &u32| of(u64::from(*entries) * LEAF_PACKED);
                let table = (0..fat.table_blocks).map(|_| of(FAT_BLOCK / 4));
                let header = [of(HEADER_PACKED)].into_iter();
                header.chain(fat.entries.iter().map(leaf)).chain(table).collect()
            }
        }
    }
}

/// A directory by its number, and the number of a file in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InDirectory {
    pub(crate) directory: usize,
    pub(crate) entry: u64,
}

impl Tree {
    /// Draws a tree whose objects begin at `object`.
    fn new(spec: &TreeSpec, seed: u64, object: u64) -> Self {
        let files = spec.drawn(seed);
        let mut chance = Stream::new(seed, &format!("salts of {}", spec.name));
        let names: Vec<String> = (0..files.directories()).map(TreeFiles::directory_name).collect();
        let root = Directory::new(object, &names, &mut chance);
        let directories = (0..files.directories())
            .map(|number| {
                let of = files.files_in(number);
                let object = object + 1 + of.start + number;
                let names: Vec<String> = of.map(TreeFiles::file_name).collect();
                Directory::new(object, &names, &mut chance)
            })
            .collect();
        let name = spec.name.clone();
        Self {
            name,
            compressratio_percent: spec.compressratio_percent,
            record: 0,
            is_copy: false,
            files,
            root,
            directories,
            data: Vec::new(),
            indirect: Vec::new(),
        }
    }

    /// Returns the tree that a copy of this one will be, with objects from `object` on; it has no name.
    fn copied(&self, object: u64) -> Self {
        let moved = |old: &Directory| Directory {
            object: old.object - self.root.object + object,
            zap: old.zap.clone(),
            first: BlockId::NONE,
            indirect: BlockId::NONE,
        };
        Self {
            name: String::new(),
            compressratio_percent: self.compressratio_percent,
            record: 0,
            is_copy: true,
            files: self.files.clone(),
            root: moved(&self.root),
            directories: self.directories.iter().map(moved).collect(),
            data: Vec::new(),
            indirect: Vec::new(),
        }
    }

    pub(crate) fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// Returns the object of a file.
    pub(crate) fn object(&self, file: u64) -> u64 {
        self.root.object + 2 + file + self.files.directory_of(file)
    }

    /// Returns where a file stands.
    pub(crate) fn place_of(&self, file: u64) -> InDirectory {
        let directory = self.files.directory_of(file);
        let entry = file - self.files.files_in(directory).start;
        InDirectory { directory: row(directory), entry }
    }

    /// Returns the data blocks of a file.
    pub(crate) fn data_of(&self, file: u64) -> BlockRun {
        let file = row(file);
        BlockRun::between(self.data[file], self.data[file + 1])
    }

    /// Returns the first object behind its own.
    fn objects_end(&self) -> u64 {
        self.root.object + 1 + self.files.count() + self.files.directories()
    }
}

/// Draws all trees of an experiment, and behind them the copies that its clients will make, in order.
pub(crate) fn draw(scenario: &Scenario) -> Vec<Tree> {
    let mut object = FIRST_OBJECT;
    let mut trees: Vec<Tree> = Vec::new();
    for spec in &scenario.trees {
        let tree = Tree::new(spec, scenario.seed, object);
        object = tree.objects_end();
        trees.push(tree);
    }
    for client in scenario.phases.iter().flat_map(|phase| &phase.clients) {
        if !matches!(client.action, Action::TreeCopy { .. }) {
            continue;
        }
        let source = trees.iter().find(|tree| tree.name == client.file);
        debug_assert!(source.is_some(), "the scenario has no tree “{}” to copy", client.file);
        let Some(source) = source else { continue };
        let copy = source.copied(object);
        object = copy.objects_end();
        trees.push(copy);
    }
    trees
}

/// Returns the numbers of the trees that copies make.
pub(crate) fn copies(trees: &[Tree]) -> std::ops::Range<usize> {
    let first = trees.iter().position(Tree::is_copy).unwrap_or(trees.len());
    first..trees.len()
}

/// Returns what a block takes on disk and in the ARC: multiples of `unit`, or as it is when that saves none.
pub(super) fn packed(length: u64, bytes: u64, unit: u64) -> u64 {
    bytes.next_multiple_of(unit.max(1)).min(length)
}

/// How many blocks a file has, and the bytes of each.
struct FileBlocks {
    count: u32,
    bytes: u64,
}

/// Returns the blocks of `file`.
fn file_blocks(files: &TreeFiles, file: u64, record: Bytes) -> FileBlocks {
    let bytes = files.block_size(file, record).0.max(512);
    let count = files.size(file).0.div_ceil(bytes).max(1);
    FileBlocks { count: number_of(count), bytes }
}

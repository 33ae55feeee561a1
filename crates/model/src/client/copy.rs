//! What copying a file into another tree touches and changes (zfs_vnops.c `zfs_create`, `zfs_write`; zap.c
//! `fzap_add`; dnode.c 0.7 to 2.3).
//!
//! The copy's name is looked up twice in vain. Creating it is a transaction that changes the header and
//! the leaf of its directory, the dnode of the directory and its own; each record that is written is
//! another, which changes the record and the dnode. A directory is made when its first file comes.
//!
//! Simplification: the new directories have from the beginning the blocks that they will have at the end.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of directories")]

use super::steps::TreeOp;
use super::visit::look_up;
use crate::ids::{BlockId, number};
use crate::pool::trees::{Directory, InDirectory, Tree};

/// A copy that is to be created.
#[derive(Clone, Copy)]
pub(super) struct Creation<'a> {
    pub(super) tree: &'a Tree,
    pub(super) file: u64,
    /// Whether it is the first of all.
    pub(super) is_first: bool,
    /// Whether its directory has no file yet.
    pub(super) makes_directory: bool,
}

/// Creates the copy of a file, and its directory when that has no file yet.
pub(super) fn create(
    creation: Creation<'_>,
    dnode: &dyn Fn(u64) -> BlockId,
    steps: &mut Vec<TreeOp>,
) {
    let Creation { tree, file, is_first, makes_directory } = creation;
    let InDirectory { directory: number, entry } = tree.place_of(file);
    let directory = &tree.directories[number];
    if is_first {
        transaction(&[dnode(tree.root.object), tree.root.first], steps);
    }
    if makes_directory {
        look_up(&tree.root, dnode(tree.root.object), number as u64, steps);
        add_name(&tree.root, number as u64, dnode, dnode(directory.object), steps);
        transaction(&[directory.first], steps);
    }
    for _ in 0..2 {
        look_up(directory, dnode(directory.object), entry, steps);
    }
    add_name(directory, entry, dnode, dnode(tree.object(file)), steps);
    steps.push(TreeOp::Call(0));
}

/// Enters a name in a directory, for an object whose dnode is new.
fn add_name(
    directory: &Directory,
    entry: u64,
    dnode: &dyn Fn(u64) -> BlockId,
    new: BlockId,
    steps: &mut Vec<TreeOp>,
) {
    // The transaction looks at what it will change before it begins; the new dnode is held to be made, and
    // again to be filled.
    let ahead = [dnode(directory.object), directory.first];
    steps.extend(ahead.into_iter().chain(directory.leaf_of(entry)).map(TreeOp::Touch));
    steps.extend([TreeOp::LetGo, TreeOp::Touch(new), TreeOp::Touch(new), TreeOp::LetGo]);
    let mut changed = ahead.to_vec();
    changed.extend(directory.leaf_of(entry));
    changed.push(new);
    transaction(&changed, steps);
}

/// Which block of a copy is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It grows with what is written, for which the dnode is held once more (`dmu_object_set_blocksize`).
    OfFirst,
    OfLater,
}

/// Writes a block of the copy, or a part of it, which is a transaction.
pub(super) fn write(data: BlockId, dnode: BlockId, part: Part, steps: &mut Vec<TreeOp>) {
    let hold = match part {
        Part::OfFirst => TreeOp::Touch(dnode),
        Part::OfLater => TreeOp::Keep(dnode),
    };
    steps.extend([TreeOp::Ask, TreeOp::Data(data), TreeOp::Wait, hold]);
    steps.extend([TreeOp::Change(data), TreeOp::Change(dnode), TreeOp::LetGo]);
    steps.push(TreeOp::Transaction(2));
}

/// Changes some blocks together, once the throttle lets it.
fn transaction(blocks: &[BlockId], steps: &mut Vec<TreeOp>) {
    steps.push(TreeOp::Ask);
    steps.extend(blocks.iter().map(|block| TreeOp::Touch(*block)));
    steps.extend(blocks.iter().map(|block| TreeOp::Change(*block)));
    let changes = number(blocks.len());
    steps.push(TreeOp::Transaction(changes));
    steps.push(TreeOp::LetGo);
}

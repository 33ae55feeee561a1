//! What copying a file into another tree touches and changes (zfs_vnops.c `zfs_create`, `zfs_write`; zap.c
//! `fzap_add`; dnode.c 0.7 to 2.3).
//!
//! The copy's name is looked up twice in vain. Creating it is a transaction that changes the header and
//! the leaf of its directory, the dnode of the directory and its own; each record that is written is
//! another, which changes the record and the dnode. A directory is made when its first file comes.
//!
//! Simplification: the new directories have from the beginning the blocks that they will have at the end.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of directories")]

use super::walk::{Do, look_up};
use crate::blocks::Block;
use crate::trees::{Directory, Tree};

/// Lock operations of a transaction, and of a block that it changes.
const LOCK_OPS_PER_TRANSACTION: u32 = 60;
const LOCK_OPS_PER_CHANGE: u32 = 40;

/// Creates the copy of `file`, and its directory when that has no file yet.
pub(super) fn create(
    (tree, file): (&Tree, u64),
    (is_first, makes_directory): (bool, bool),
    dnode: &dyn Fn(u64) -> Block,
    steps: &mut Vec<Do>,
) {
    let (number, entry) = tree.place_of(file);
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
    steps.push(Do::Call(0));
}

/// Enters a name in a directory, for an object whose dnode is new.
fn add_name(
    directory: &Directory,
    entry: u64,
    dnode: &dyn Fn(u64) -> Block,
    new: Block,
    steps: &mut Vec<Do>,
) {
    // The transaction looks at what it will change before it begins; the new dnode is held to be made, and
    // again to be filled.
    let ahead = [dnode(directory.object), directory.first];
    steps.extend(ahead.into_iter().chain(directory.leaf_of(entry)).map(Do::Touch));
    steps.extend([Do::LetGo, Do::Touch(new), Do::Touch(new), Do::LetGo]);
    let mut changed = ahead.to_vec();
    changed.extend(directory.leaf_of(entry));
    changed.push(new);
    transaction(&changed, steps);
}

/// Writes `bytes` into a block of the copy.
pub(super) fn write(data: Block, dnode: Block, bytes: u64, steps: &mut Vec<Do>) {
    steps.extend([Do::Ask, Do::Data(data), Do::Wait, Do::Touch(dnode)]);
    steps.extend([Do::Change(data), Do::Change(dnode), Do::LetGo]);
    steps.push(Do::LockOps(LOCK_OPS_PER_TRANSACTION + 2 * LOCK_OPS_PER_CHANGE));
    steps.push(Do::Call(u32::try_from(bytes).unwrap_or(u32::MAX)));
}

/// Changes some blocks together, once the throttle lets it.
fn transaction(blocks: &[Block], steps: &mut Vec<Do>) {
    steps.push(Do::Ask);
    steps.extend(blocks.iter().map(|block| Do::Touch(*block)));
    steps.extend(blocks.iter().map(|block| Do::Change(*block)));
    let changes = u32::try_from(blocks.len()).unwrap_or(0);
    steps.push(Do::LockOps(LOCK_OPS_PER_TRANSACTION + changes * LOCK_OPS_PER_CHANGE));
    steps.push(Do::LetGo);
}

//! What a visit to a directory or a file does, step by step, before it is done.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of directories")]

use super::copy::{Part, write};
use super::steps::TreeOp;
use crate::ids::{BlockId, number_of};
use crate::pool::blocks::Indices;
use crate::pool::trees::{Directory, Tree};
use crate::versions::work::Work;

/// What `getdents` returns at once: 32 KiB of records, 40 bytes for a name of a tree.
const NAMES_PER_CALL: u64 = (32 << 10) / NAME_BYTES as u64;
const NAME_BYTES: u32 = 40;

/// Looks a name up.
pub(super) fn look_up(directory: &Directory, dnode: BlockId, entry: u64, steps: &mut Vec<TreeOp>) {
    steps.extend([
        TreeOp::Work(Work::DirectoryLookup, 1),
        TreeOp::Touch(dnode),
        TreeOp::Touch(directory.first),
    ]);
    steps.extend(directory.leaf_of(entry).map(TreeOp::Touch));
    steps.push(TreeOp::LetGo);
}

/// Lists a directory, call by call.
pub(super) fn list(
    tree: &Tree,
    number: usize,
    dnode: &dyn Fn(u64) -> BlockId,
    steps: &mut Vec<TreeOp>,
) {
    let directory = &tree.directories[number];
    let files = tree.files.files_in(number as u64);
    let count = files.end - files.start;
    let mut first = 0;
    while first < count {
        let names = NAMES_PER_CALL.min(count - first);
        steps.extend([TreeOp::Touch(dnode(directory.object)), TreeOp::Touch(directory.first)]);
        if first == 0 && directory.blocks().count > 2 {
            steps.push(TreeOp::Touch(dnode(directory.object)));
            steps.extend(directory.blocks().iter().skip(1).map(TreeOp::Look));
        }
        let mut leaf = None;
        for place in first..first + names {
            let entry = directory.listed(place);
            let of = directory.leaf_of(entry);
            if of != leaf {
                steps.extend(of.map(TreeOp::Touch));
                leaf = of;
            }
            if first == 0 {
                steps.push(TreeOp::Look(dnode(tree.object(files.start + entry))));
            }
        }
        let all = number_of(names);
        steps.extend([TreeOp::LetGo, TreeOp::Work(Work::DirectoryEntry, all)]);
        steps.push(TreeOp::Call(all * NAME_BYTES));
        first += names;
    }
}

/// A copy that is written: the tree that it is in, and the block of its dnode.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) tree: &'a Tree,
    pub(super) dnode: BlockId,
}

/// Reads a file, part by part, writes what it read into its copy if there is one, and closes both.
pub(super) fn read(
    tree: &Tree,
    target: Option<Target<'_>>,
    file: u64,
    io: u64,
    steps: &mut Vec<TreeOp>,
) {
    let (data, size) = (tree.data_of(file), tree.files.size(file).0);
    let bytes = if data.count > 1 { tree.record } else { size.max(1) };
    let mut offset = 0;
    while offset < size {
        let part = io.min(size - offset);
        let index = |at: u64| number_of(at / bytes).min(data.count - 1);
        let indices = Indices { first: index(offset), last: index(offset + part - 1) };
        steps.push(TreeOp::Access(indices, number_of(part)));
        steps.extend(indices.iter().map(|index| TreeOp::Data(data.first.plus(index))));
        steps.extend([TreeOp::Ahead, TreeOp::Wait, TreeOp::LetGo]);
        steps.push(TreeOp::Call(number_of(part)));
        if let Some(Target { tree: target, dnode }) = target {
            let copy = target.data_of(file).first;
            for index in indices.iter() {
                let at = if index == 0 { Part::OfFirst } else { Part::OfLater };
                write(copy.plus(index), dnode, at, steps);
            }
            steps.push(TreeOp::Call(number_of(part)));
        }
        offset += part;
    }
    steps.extend([TreeOp::Close, TreeOp::Call(0)]);
    steps.extend(target.map(|_| TreeOp::Call(0)));
}

//! Clients that walk trees of small files, file by file (docs/model/metadata.md#how-the-model-walks-a-tree; zfs_dir.c,
//! zfs_vnops.c, zap_micro.c, zap.c, dnode.c 0.7 to 2.3).
//!
//! ```text
//!   directory   look its name up in the root, hold its dnode, list it
//!   stat        look the name up, hold the file's dnode
//!   read        the same, then read … read, close
//! ```
//!
//! Looking a name up holds the block of the directory's dnode, its block 0 and, when it is large, the
//! leaf of the name. Holding a dnode holds its block, of which the ARC is told each time. Listing goes from
//! leaf to leaf; its first call asks for all leaves ahead, and for the dnodes of the names that it returns
//! (the lookup that opened the directory has asked for that). What is done to a file is written down as a
//! list of small steps first, then done step by step.
//!
//! Files of more than two blocks are followed by no prefetcher here.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of lanes, trees and directories")]

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Action;

use super::copy::{Creation, create, write};
use super::{Client, IoSlot, LOCK_OPS_PER_BLOCK, LOCK_OPS_PER_DBUF};
use crate::clock::Event;
use crate::ids::{BlockId, number_of};
use crate::pool::trees::{Directory, Tree};
use crate::stack::{Pins, Stack};
use crate::writes::throttle::Admission;

/// What `getdents` returns at once: 32 KiB of records, 40 bytes for a name of a tree.
const NAMES_PER_CALL: u64 = (32 << 10) / NAME_BYTES as u64;
const NAME_BYTES: u32 = 40;
/// Lock operations of a lookup beside its holds; of an entry that is listed; of a dnode that is made; of
/// asking ahead for a block that is there; and by how many data of a file whose dnode is held takes
/// fewer than a block of metadata, and a new dbuf without an indirect block above it than one with. From
/// trees in the lab on disks that take no time.
const LOCK_OPS_PER_LOOKUP: u32 = 21;
const LOCK_OPS_PER_ENTRY: u32 = 4;
const LOCK_OPS_PER_DNODE: u64 = 26;
const LOCK_OPS_PER_LOOK: u64 = 5;
const LOCK_OPS_LESS_FOR_DATA: u64 = 10;
const LOCK_OPS_LESS_UNDER_DNODE: u64 = 27;

/// A step of what is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeOp {
    /// Holds a block of metadata until the next [`TreeOp::LetGo`].
    Touch(BlockId),
    LetGo,
    /// Holds the dnode of an open file, or of the directory that it works in.
    Open(u64),
    Close,
    Enter(u64),
    Leave,
    /// Asks for a block ahead.
    Look(BlockId),
    /// Holds a block of data, and does not wait yet.
    Data(BlockId),
    Wait,
    /// Asks to be let into the open transaction group.
    Ask,
    /// Makes a held block dirty.
    Change(BlockId),
    LockOps(u32),
    /// A system call that carries so many bytes is over.
    Call(u32),
}

/// A client on its way through a tree.
#[derive(Debug)]
pub(crate) struct Walk {
    tree: usize,
    visits: Vec<u64>,
    next: usize,
    /// The directory that it works in, and the block of its dnode, which is held.
    directory: Option<usize>,
    here: Option<BlockId>,
    steps: Vec<TreeOp>,
    at: usize,
    touched: Vec<BlockId>,
    open: Option<BlockId>,
    asked: Nanos,
    size: Bytes,
    /// The tree that its copies make.
    target: Option<usize>,
    /// Which directories of the target are made.
    made: Vec<bool>,
    /// It only looks, before it goes through the files again.
    scans: bool,
}

impl Walk {
    pub(crate) fn new(tree: usize, visits: Vec<u64>) -> Self {
        Self {
            tree,
            visits,
            next: 0,
            directory: None,
            here: None,
            steps: Vec::new(),
            at: 0,
            touched: Vec::new(),
            open: None,
            asked: Nanos::ZERO,
            size: Bytes::ZERO,
            target: None,
            made: Vec::new(),
            scans: false,
        }
    }

    /// Returns what the next step carries, if it is the end of a call.
    fn calls(&self) -> Option<u32> {
        match self.steps.get(self.at) {
            Some(TreeOp::Call(bytes)) => Some(*bytes),
            _ => None,
        }
    }

    /// The same for a client that copies into `target`, a tree of so many directories.
    pub(crate) fn into_tree(self, target: usize, directories: usize, scans: bool) -> Self {
        Self { target: Some(target), made: vec![false; directories], scans, ..self }
    }
}

/// Lets a slot go on until it has to wait or is ahead of what happens elsewhere; says whether it has come
/// to its end, and when.
pub(super) fn go_on(
    slot: &mut IoSlot,
    client: &mut Client,
    stack: &mut Stack,
    is_called: bool,
) -> Option<Nanos> {
    let IoSlot { walk: Some(walk), pins, .. } = slot else { return None };
    let mut ready = stack.clock.now;
    let mut now = stack.clock.begin(ready, is_called);
    loop {
        if walk.at == walk.steps.len() && !begin(walk, client, stack, ready) {
            return Some(ready);
        }
        let call = walk.calls();
        let after = step(walk, pins, stack, now);
        now = after.unwrap_or(now);
        stack.clock.cores.end(now);
        after?;
        ready = now + call.map_or(Nanos::ZERO, |bytes| client.on_link(bytes));
        if walk.at == walk.steps.len() {
            stack.release_pins(pins);
            stack.cache.trim_dbufs(&stack.blocks);
            ready = client.count_visit(walk, ready);
        }
        if stack.next_event() < ready {
            stack.clock.push(ready, Event::GoOn(pins.slot));
            return None;
        }
        now = stack.clock.cores.begin(ready);
    }
}

/// Takes the next file and writes down what is done to it; false when there is none left.
fn begin(walk: &mut Walk, client: &Client, stack: &mut Stack, now: Nanos) -> bool {
    let late = client.limit.is_some_and(|limit| now >= limit);
    if walk.scans && walk.next == walk.visits.len() {
        (walk.scans, walk.next, walk.directory) = (false, 0, None);
        walk.here.take().iter().for_each(|block| stack.release(*block));
    }
    let Some(file) = walk.visits.get(walk.next).copied().filter(|_| !late) else {
        walk.steps.clear();
        walk.at = 0;
        walk.here.take().iter().for_each(|block| stack.release(*block));
        return false;
    };
    let (reads, lists) = match client.spec.action {
        Action::TreeRead => (true, true),
        Action::TreeCopy { scan_first } => (!walk.scans, walk.scans || !scan_first),
        _ => (false, true),
    };
    let io = client.spec.io.0.max(1);
    walk.next += 1;
    walk.asked = now;
    walk.steps.clear();
    walk.at = 0;
    let blocks = &stack.blocks;
    let tree = &stack.trees[walk.tree];
    let dnode = |object: u64| blocks.dnode_block(object);
    let (directory, entry) = tree.place_of(file);
    let here = &tree.directories[directory];
    if walk.directory != Some(directory) {
        walk.directory = Some(directory);
        walk.steps.push(TreeOp::Leave);
        look_up(&tree.root, dnode(tree.root.object), directory as u64, &mut walk.steps);
        walk.steps.extend([TreeOp::Enter(here.object), TreeOp::Call(0)]);
        if lists {
            list(tree, directory, &dnode, &mut walk.steps);
        }
    }
    look_up(here, dnode(here.object), entry, &mut walk.steps);
    walk.steps.extend([TreeOp::Open(tree.object(file)), TreeOp::Call(0)]);
    walk.size = Bytes::ZERO;
    if reads {
        walk.size = tree.files.size(file);
        let target = walk.target.and_then(|target| stack.trees.get(target));
        if let Some(target) = target {
            let is_first = !walk.made.contains(&true);
            let makes_directory = !std::mem::replace(&mut walk.made[directory], true);
            let creation = Creation { tree: target, file, is_first, makes_directory };
            create(creation, &dnode, &mut walk.steps);
        }
        let target = target.map(|target| (target, dnode(target.object(file))));
        read((tree, target), file, io, &mut walk.steps);
    } else {
        walk.steps.push(TreeOp::Close);
    }
    true
}

/// Looks a name up.
pub(super) fn look_up(directory: &Directory, dnode: BlockId, entry: u64, steps: &mut Vec<TreeOp>) {
    steps.extend([
        TreeOp::LockOps(LOCK_OPS_PER_LOOKUP),
        TreeOp::Touch(dnode),
        TreeOp::Touch(directory.first),
    ]);
    steps.extend(directory.leaf_of(entry).map(TreeOp::Touch));
    steps.push(TreeOp::LetGo);
}

/// Lists a directory, call by call.
fn list(tree: &Tree, number: usize, dnode: &dyn Fn(u64) -> BlockId, steps: &mut Vec<TreeOp>) {
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
        steps.extend([TreeOp::LetGo, TreeOp::LockOps(all * LOCK_OPS_PER_ENTRY)]);
        steps.push(TreeOp::Call(all * NAME_BYTES));
        first += names;
    }
}

/// Reads a file, part by part, writes what it read into its copy if there is one, and closes both.
fn read(
    (tree, target): (&Tree, Option<(&Tree, BlockId)>),
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
        let blocks = index(offset)..=index(offset + part - 1);
        steps.extend(blocks.map(|index| TreeOp::Data(data.first.plus(index))));
        steps.extend([TreeOp::Wait, TreeOp::LetGo, TreeOp::Call(number_of(part))]);
        if let Some((target, dnode)) = target {
            let copy = target.data_of(file).first.plus(index(offset));
            write(copy, dnode, part, steps);
        }
        offset += part;
    }
    steps.extend([TreeOp::Close, TreeOp::Call(0)]);
    steps.extend(target.map(|_| TreeOp::Call(0)));
}

/// Does the next step; returns when it is over, or none when the slot has to wait.
fn step(walk: &mut Walk, pins: &mut Pins, stack: &mut Stack, now: Nanos) -> Option<Nanos> {
    let mut after = now;
    match walk.steps[walk.at] {
        TreeOp::Touch(block) => {
            after = now + stack.clock.lock_ops(lock_ops_to_hold(stack, block));
            if !stack.hold(pins, block, after) {
                return None;
            }
            walk.touched.push(block);
        }
        TreeOp::LetGo => {
            while let Some(block) = walk.touched.pop() {
                stack.release(block);
            }
        }
        TreeOp::Open(object) | TreeOp::Enter(object) => {
            let block = stack.blocks.dnode_block(object);
            after = now + stack.clock.lock_ops(lock_ops_to_hold(stack, block));
            if !stack.hold(pins, block, after) {
                return None;
            }
            let is_new = stack.cache.make_dnode(object);
            after += stack.clock.lock_ops(if is_new { LOCK_OPS_PER_DNODE } else { 0 });
            let opens = matches!(walk.steps[walk.at], TreeOp::Open(_));
            *(if opens { &mut walk.open } else { &mut walk.here }) = Some(block);
        }
        TreeOp::Close => walk.open.take().iter().for_each(|block| stack.release(*block)),
        TreeOp::Leave => walk.here.take().iter().for_each(|block| stack.release(*block)),
        TreeOp::Look(block) => {
            let count = stack.look_ahead(block, now);
            after = now + stack.clock.lock_ops(LOCK_OPS_PER_LOOK + count);
        }
        TreeOp::Data(block) => {
            let count = lock_ops_to_hold(stack, block) - LOCK_OPS_LESS_FOR_DATA;
            after = now + stack.clock.lock_ops(count);
            if !stack.hold_data(pins, block, after) {
                return None;
            }
            walk.touched.push(block);
        }
        TreeOp::Wait => {
            if stack.waits.is_waiting(pins.slot) {
                return None;
            }
        }
        TreeOp::Ask => {
            if stack.may_change(pins.slot, now, now) != Admission::Now {
                stack.waits.add(pins.slot);
                walk.at += 1;
                return None;
            }
        }
        TreeOp::Change(block) => stack.change(block, now),
        TreeOp::LockOps(count) => after = now + stack.clock.lock_ops(u64::from(count)),
        TreeOp::Call(bytes) => {
            after = now + stack.clock.costs.call + stack.clock.costs.copy(u64::from(bytes));
        }
    }
    walk.at += 1;
    Some(after)
}

/// Returns the lock operations of holding a block.
fn lock_ops_to_hold(stack: &Stack, block: BlockId) -> u64 {
    let there = stack.behaviour.hold_steps;
    if stack.cache.dbufs.exists(block) {
        return there;
    }
    let parent = stack.blocks.parent(block);
    let is_below = parent.is_some_and(|parent| stack.blocks.is_indirect(parent));
    let new = there + LOCK_OPS_PER_BLOCK - LOCK_OPS_PER_DBUF;
    if is_below { new } else { new - LOCK_OPS_LESS_UNDER_DNODE }
}

impl Client {
    /// Returns how long what a call carries is on the client's link.
    fn on_link(&self, bytes: u32) -> Nanos {
        self.spec.link.map_or(Nanos::ZERO, |link| link.time(Bytes(u64::from(bytes))))
    }

    /// Counts a file that is done; returns when the next one may begin.
    fn count_visit(&mut self, walk: &Walk, now: Nanos) -> Nanos {
        if !walk.scans {
            self.done.count(walk.size, now - walk.asked);
        }
        self.next_may_begin(now)
    }
}

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
//! A file of several blocks is followed by its prefetcher from when it is opened until it is closed; what an
//! earlier visit has left there is forgotten.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are numbers of I/O slots, trees and directories"
)]

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Action;

use super::copy::{Creation, create};
use super::visit::{list, look_up, read};
use super::{Client, IoSlot};
use crate::clock::{Clock, Event};
use crate::ids::{BlockId, BlockRun, FileId, StreamId, number_of};
use crate::pool::trees::Tree;
use crate::stack::{HoldOutcome, Pins, ReadPath, Stack, WritePath};
use crate::versions::work::Work;
use crate::writes::throttle::Admission;

/// A step of what is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeOp {
    /// Holds a block of metadata until the next [`TreeOp::LetGo`].
    Touch(BlockId),
    LetGo,
    /// The same for a block that an open file keeps in memory, of which the ARC is not told.
    Keep(BlockId),
    /// Holds the dnode of an open file, or of the directory that it works in.
    Open(u64),
    Close,
    Enter(u64),
    Leave,
    /// Asks for a block ahead.
    Look(BlockId),
    /// Lets a prefetcher follow the reads of a file of several blocks, of so many bytes each.
    Follow(BlockRun, u32),
    /// Reads so many bytes from the first to the last of these blocks.
    Access(u32, u32, u32),
    /// Holds a block of data, and does not wait yet.
    Data(BlockId),
    /// Asks for what the prefetcher wants after a read.
    Ahead,
    Wait,
    /// Asks to be let into the open transaction group.
    Ask,
    /// Makes a held block dirty.
    Change(BlockId),
    Work(Work, u32),
    /// The work of a transaction that changes so many blocks.
    Transaction(u32),
    /// A system call that carries so many bytes is over.
    Call(u32),
}

/// The file whose reads a prefetcher follows, and the read under way.
#[derive(Debug, Clone, Copy)]
struct Followed {
    file: FileId,
    first: BlockId,
    stream: Option<StreamId>,
    bytes: u32,
    missed: bool,
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
    followed: Option<Followed>,
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
            followed: None,
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
    trees: &[Tree],
    stack: &mut Stack,
    is_called: bool,
) -> Option<Nanos> {
    let IoSlot { walk: Some(walk), pins, .. } = slot else { return None };
    let Stack { reads, writes, .. } = stack;
    let mut ready = reads.clock.now;
    let mut now = reads.clock.begin(ready, is_called);
    loop {
        if walk.at == walk.steps.len() && !begin(walk, client, trees, reads, ready) {
            return Some(ready);
        }
        let call = walk.calls();
        let after = step(walk, pins, reads, writes, now);
        now = after.unwrap_or(now);
        reads.clock.cores.end(now);
        after?;
        ready = now + call.map_or(Nanos::ZERO, |bytes| client.on_link(bytes));
        if walk.at == walk.steps.len() {
            reads.release_pins(pins);
            reads.cache.trim_dbufs(&reads.blocks);
            ready = client.count_visit(walk, ready);
        }
        if reads.next_event() < ready {
            reads.clock.push(ready, Event::GoOn(pins.slot));
            return None;
        }
        now = reads.clock.cores.begin(ready);
    }
}

/// Takes the next file and writes down what is done to it; false when there is none left.
fn begin(
    walk: &mut Walk,
    client: &Client,
    trees: &[Tree],
    reads: &mut ReadPath,
    now: Nanos,
) -> bool {
    let late = client.times.limit.is_some_and(|limit| now >= limit);
    if walk.scans && walk.next == walk.visits.len() {
        (walk.scans, walk.next, walk.directory) = (false, 0, None);
        walk.here.take().iter().for_each(|block| reads.release(*block));
    }
    let Some(file) = walk.visits.get(walk.next).copied().filter(|_| !late) else {
        walk.steps.clear();
        walk.at = 0;
        walk.here.take().iter().for_each(|block| reads.release(*block));
        return false;
    };
    let (opens, lists) = match client.spec.action {
        Action::TreeRead => (true, true),
        Action::TreeCopy { scan_first } => (!walk.scans, walk.scans || !scan_first),
        _ => (false, true),
    };
    let io = client.spec.io.0.max(1);
    walk.next += 1;
    walk.asked = now;
    walk.steps.clear();
    walk.at = 0;
    let blocks = &reads.blocks;
    let tree = &trees[walk.tree];
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
    if opens {
        walk.size = tree.files.size(file);
        let target = walk.target.and_then(|target| trees.get(target));
        if let Some(target) = target {
            let is_first = !walk.made.contains(&true);
            let makes_directory = !std::mem::replace(&mut walk.made[directory], true);
            let creation = Creation { tree: target, file, is_first, makes_directory };
            create(creation, &dnode, &mut walk.steps);
        }
        let target = target.map(|target| (target, dnode(target.object(file))));
        let data = tree.data_of(file);
        walk.steps.extend((data.count > 1).then_some(TreeOp::Follow(data, number_of(tree.record))));
        read((tree, target), file, io, &mut walk.steps);
    } else {
        walk.steps.push(TreeOp::Close);
    }
    true
}

/// Does the next step; returns when it is over, or none when the slot has to wait.
fn step(
    walk: &mut Walk,
    pins: &mut Pins,
    reads: &mut ReadPath,
    writes: &mut WritePath,
    now: Nanos,
) -> Option<Nanos> {
    let mut after = now;
    match walk.steps[walk.at] {
        TreeOp::Touch(block) => {
            after = now + reads.clock.lock_ops(lock_ops_to_hold(reads, block));
            if !reads.hold(pins, block, after) {
                return None;
            }
            walk.touched.push(block);
        }
        TreeOp::Keep(block) => {
            reads.cache.hold_dbuf(&reads.blocks, block);
            walk.touched.push(block);
        }
        TreeOp::LetGo => {
            while let Some(block) = walk.touched.pop() {
                reads.release(block);
            }
        }
        TreeOp::Open(object) | TreeOp::Enter(object) => {
            let block = reads.blocks.dnode_block(object);
            after = now + reads.clock.lock_ops(lock_ops_to_hold(reads, block));
            if !reads.hold(pins, block, after) {
                return None;
            }
            let is_new = reads.cache.make_dnode(object);
            if is_new {
                after += reads.clock.work(Work::DnodeCreate);
            }
            let opens = matches!(walk.steps[walk.at], TreeOp::Open(_));
            *(if opens { &mut walk.open } else { &mut walk.here }) = Some(block);
        }
        TreeOp::Follow(..) | TreeOp::Access(..) | TreeOp::Ahead => after = follow(walk, reads, now),
        TreeOp::Close => {
            walk.followed.take().iter().for_each(|followed| reads.prefetch.close(followed.file));
            walk.open.take().iter().for_each(|block| reads.release(*block));
        }
        TreeOp::Leave => walk.here.take().iter().for_each(|block| reads.release(*block)),
        TreeOp::Look(block) => {
            let count = reads.look_ahead(block, now);
            after = now + reads.clock.work(Work::PrefetchCheck) + reads.clock.lock_ops(count);
        }
        TreeOp::Data(block) => {
            let less = reads.clock.counts.count(Work::DataHoldSaving);
            let count = lock_ops_to_hold(reads, block).saturating_sub(less);
            after = now + reads.clock.lock_ops(count);
            let held = reads.hold_data(pins, block, after);
            if held == HoldOutcome::Later {
                return None;
            }
            walk.touched.push(block);
            after = note(&mut walk.followed, (block, held), reads, after);
        }
        TreeOp::Wait => {
            if reads.waits.is_waiting(pins.slot) {
                return None;
            }
        }
        TreeOp::Ask => {
            if writes.may_change(&mut reads.clock, pins.slot, now, now) != Admission::Now {
                reads.waits.add(pins.slot);
                walk.at += 1;
                return None;
            }
        }
        TreeOp::Change(block) => writes.change(reads, block, now),
        op => after = now + time_of(op, &reads.clock),
    }
    walk.at += 1;
    Some(after)
}

/// Does the next step of a file's prefetcher; returns when it is over.
fn follow(walk: &mut Walk, reads: &mut ReadPath, now: Nanos) -> Nanos {
    match (walk.steps[walk.at], &mut walk.followed) {
        (TreeOp::Follow(data, record), followed) => {
            let file = reads.open_of_tree(data, u64::from(record));
            let (first, stream) = (data.first, None);
            *followed = Some(Followed { file, first, stream, bytes: 0, missed: false });
        }
        (TreeOp::Access(first, last, bytes), Some(followed)) => {
            let size = u64::from(bytes);
            let stream = reads.note_access(followed.file, (first, last), size, now);
            *followed = Followed { stream, bytes, missed: false, ..*followed };
        }
        (TreeOp::Ahead, Some(Followed { file, stream: Some(stream), missed, .. })) => {
            return reads.prefetch_ahead(*file, *stream, Some(*missed), now);
        }
        _ => {}
    }
    now
}

/// Notes a block of a read for its prefetcher, of which the oldest ones are told block by block; returns when
/// that is over.
fn note(
    followed: &mut Option<Followed>,
    (block, held): (BlockId, HoldOutcome),
    reads: &mut ReadPath,
    now: Nanos,
) -> Nanos {
    let Some(followed) = followed else { return now };
    let index = block.behind(followed.first);
    let index = index.filter(|index| *index < reads.blocks.file(followed.file).count);
    // Not of its copy.
    let Some(index) = index else { return now };
    followed.missed |= held != HoldOutcome::There;
    let is_there = held != HoldOutcome::Sent;
    reads.prefetch_by_block(followed.file, (index, is_there), u64::from(followed.bytes), now)
}

/// Returns how long a step takes that is work alone.
fn time_of(op: TreeOp, clock: &Clock) -> Nanos {
    let times = |work, times: u32| clock.lock_ops(clock.counts.count(work) * u64::from(times));
    match op {
        TreeOp::Work(work, count) => times(work, count),
        TreeOp::Transaction(changes) => {
            clock.work(Work::CopyTransaction) + times(Work::CopyDirtyBlock, changes)
        }
        TreeOp::Call(bytes) => clock.costs.call + clock.costs.copy(u64::from(bytes)),
        _ => Nanos::ZERO,
    }
}

/// Returns the lock operations of holding a block.
fn lock_ops_to_hold(reads: &ReadPath, block: BlockId) -> u64 {
    let counts = reads.clock.counts;
    let there = counts.count(Work::MetadataHold);
    if reads.cache.dbufs.exists(block) {
        return there;
    }
    let parent = reads.blocks.parent(block);
    let is_below = parent.is_some_and(|parent| reads.blocks.is_indirect(parent));
    let made = counts.count(Work::DbufCreate).saturating_sub(counts.count(Work::DbufHold));
    let less = if is_below { 0 } else { counts.count(Work::NoIndirectSaving) };
    (there + made).saturating_sub(less)
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

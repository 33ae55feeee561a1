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
//! leaf of the name. Holding a dnode holds its block, which the ARC counts each time. Listing goes from
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
use super::steps::{Followed, TreeOp, step};
use super::visit::{Target, list, look_up, read};
use super::{Client, IoSlot};
use crate::clock::Event;
use crate::ids::{BlockId, number_of};
use crate::pool::trees::{InDirectory, Tree};
use crate::stack::{ReadPath, Stack};

/// A client on its way through a tree.
#[derive(Debug)]
pub(crate) struct Walk {
    tree: usize,
    visits: Vec<u64>,
    next: usize,
    /// The directory that it works in, and the block of its dnode, which is held.
    directory: Option<usize>,
    pub(super) here: Option<BlockId>,
    pub(super) steps: Vec<TreeOp>,
    pub(super) at: usize,
    pub(super) touched: Vec<BlockId>,
    pub(super) open: Option<BlockId>,
    pub(super) followed: Option<Followed>,
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
    reads.waits.resume(pins.slot);
    let mut ready = reads.clock.now;
    let mut now = reads.clock.begin(ready, is_called);
    loop {
        if walk.at == walk.steps.len() && !begin(walk, client, trees, reads, ready) {
            return Some(ready);
        }
        let call = walk.calls();
        let after = step(walk, pins, reads, writes, now);
        now = after.unwrap_or(now);
        if after.is_some() && walk.at == walk.steps.len() {
            reads.release_pins(pins);
            now += reads.cache.trim_dbufs(&mut reads.clock, &reads.blocks, now);
        }
        reads.clock.cores.end(now);
        after?;
        ready = now + call.map_or(Nanos::ZERO, |bytes| client.on_link(bytes));
        if walk.at == walk.steps.len() {
            ready = client.count_visit(walk, ready);
        }
        if reads.next_event() < ready {
            reads.waits.pause(pins.slot);
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
    let InDirectory { directory, entry } = tree.place_of(file);
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
        let target = target.map(|tree| Target { tree, dnode: dnode(tree.object(file)) });
        let data = tree.data_of(file);
        walk.steps.extend((data.count > 1).then_some(TreeOp::Follow(data, number_of(tree.record))));
        read(tree, target, file, io, &mut walk.steps);
    } else {
        walk.steps.push(TreeOp::Close);
    }
    true
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
            if walk.target.is_some() {
                self.written += walk.size;
            }
        }
        self.next_may_begin(now)
    }
}

//! What is known of requests: what they are for, who waits for them, whether they go first.
#![expect(clippy::indexing_slicing, reason = "indices are ids made here: leaves, requests, parts")]

use super::PoolIo;
use crate::ids::{BlockId, FileId, IoId, LeafId, LogId, RequestId, SlotId, StreamId, VdevId};
use crate::vdev::queue::{Class, Waiting};

/// What a request is for, and so whose it is when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A block is read from the pool or the L2ARC.
    Read { block: BlockId, from_l2: bool },
    /// The feed writes a batch.
    Feed,
    /// A changed block is written with its transaction group.
    Write { block: BlockId, vdev: VdevId },
    /// What a transaction group writes for itself, and the flushes at its end.
    Txg,
    /// A block of the intent log, or one that it points to.
    Log { id: LogId },
    /// The flushes for a block of the intent log.
    LogFlush { id: LogId },
}

/// A read or write of a block, in as many parts as it has columns.
#[derive(Debug)]
pub(super) struct RequestState {
    pub(super) purpose: Purpose,
    pub(super) class: Class,
    pub(super) pending: u32,
    /// A thread waits for it.
    pub(super) is_demanded: bool,
    pub(super) waiting: Vec<SlotId>,
    /// What a stream asked for, when it is a prefetch.
    pub(super) prefetch: Option<Prefetch>,
    pub(super) ios: Vec<IoId>,
}

/// A block of a file that a stream asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefetch {
    pub(crate) file: FileId,
    /// None when it was asked for block by block.
    pub(crate) stream: Option<StreamId>,
    /// Whether it is an indirect block, or a block of data.
    pub(crate) is_indirect: bool,
    /// The number of the block among those of its kind.
    pub(crate) index: u32,
}

/// A part of a request on one disk.
#[derive(Debug, Clone, Copy)]
pub(super) struct IoState {
    pub(super) request: RequestId,
    pub(super) leaf: LeafId,
    pub(super) waiting: Waiting,
    pub(super) is_queued: bool,
}

/// Memory of a request without its parts, or of a part: its state, its lists, its places in a queue, and an
/// event.
pub(crate) const REQUEST_BYTES: u64 =
    (size_of::<RequestState>() + size_of::<IoState>() + 64) as u64;

/// What there is to know of a request whose parts are all done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished {
    pub(crate) purpose: Purpose,
    pub(crate) is_demanded: bool,
    pub(crate) prefetch: Option<Prefetch>,
}

impl PoolIo {
    /// Returns in how many parts a request is.
    pub(crate) fn parts(&self, id: RequestId) -> u64 {
        self.requests[id.place()].ios.len() as u64
    }

    /// Returns what the request is for that a part belongs to.
    pub(crate) fn purpose_of(&self, part: IoId) -> Purpose {
        self.purpose(self.ios[part.place()].request)
    }

    /// Returns what a request is for.
    pub(crate) fn purpose(&self, id: RequestId) -> Purpose {
        self.requests[id.place()].purpose
    }

    /// Returns the request that reads a block, if one does.
    pub(crate) fn read_of(&self, block: BlockId) -> Option<RequestId> {
        let number = !self.reads[block.place()];
        (number != u32::MAX).then_some(RequestId(number))
    }

    fn read_mut(&mut self, block: BlockId) -> Option<&mut RequestState> {
        let id = self.read_of(block)?;
        Some(&mut self.requests[id.place()])
    }

    /// Lets a slot be called when a block that is on its way is there.
    pub(crate) fn wait_for(&mut self, block: BlockId, slot: SlotId) {
        if let Some(request) = self.read_mut(block) {
            request.waiting.push(slot);
        }
    }

    /// Takes the slots that wait for a request; the list goes back with [`PoolIo::give_back`], so that the
    /// next request does not ask for memory.
    pub(crate) fn take_waiting(&mut self, id: RequestId) -> Vec<SlotId> {
        std::mem::take(&mut self.requests[id.place()].waiting)
    }

    /// Takes back the list of a request.
    pub(crate) fn give_back(&mut self, id: RequestId, mut waiting: Vec<SlotId>) {
        waiting.clear();
        self.requests[id.place()].waiting = waiting;
    }

    /// Remembers which stream a prefetch belongs to.
    pub(crate) fn tag(&mut self, block: BlockId, prefetch: Prefetch) {
        if let Some(request) = self.read_mut(block) {
            request.prefetch = Some(prefetch);
        }
    }

    /// Lets a prefetch that was just started be queued as a read that a thread waits for.
    pub(crate) fn send_urgently(&mut self, block: BlockId) {
        if let Some(request) = self.read_mut(block) {
            request.class = Class::SyncRead;
        }
    }

    /// Says that a thread now waits for a block that is being read; a prefetch goes first from now on.
    /// Says whether that changed its priority.
    pub(crate) fn raise_priority(&mut self, block: BlockId) -> bool {
        let Some(id) = self.read_of(block) else { return false };
        let request = &mut self.requests[id.place()];
        request.is_demanded = true;
        if request.class != Class::AsyncRead || !self.upgrades_prefetches {
            return false;
        }
        request.class = Class::SyncRead;
        for index in 0..self.requests[id.place()].ios.len() {
            let io = self.requests[id.place()].ios[index];
            let state = &mut self.ios[io.place()];
            // A part that is done may serve another request by now.
            if state.is_queued && state.request == id {
                self.leaves[state.leaf.place()].queue.upgrade(io, &mut state.waiting);
            }
        }
        true
    }

    /// Checks that nothing is under way that nobody knows of; for debug runs.
    pub(crate) fn check(&self) {
        let under_way = self.requests.len() - self.free_requests.len();
        let reads = self.reads.iter().filter(|read| **read != 0).count();
        assert!(reads <= under_way, "{reads} blocks are being read by {under_way} requests");
        let parts: u32 = self.requests.iter().map(|request| request.pending).sum();
        let there = self.ios.len() - self.free_ios.len();
        assert_eq!(parts as usize, there, "parts under way, and parts that requests wait for");
    }
}

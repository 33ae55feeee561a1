//! Requests: what they are for, in how many parts they are, who waits for them.
#![expect(clippy::indexing_slicing, reason = "indices are ids made here: leaves, requests, parts")]

use arcwright_units::Nanos;

use super::{Extent, PoolIo};
use crate::ids::{BlockId, FileId, IoId, LeafId, LogId, RequestId, SlotId, StreamId, number_of};
use crate::vdev::queue::{Class, Waiting};

/// What a request is for, and so whose it is when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A block is read from the pool or the L2ARC.
    Read { block: BlockId, from_l2: bool },
    /// The feed writes a batch.
    Feed,
    /// A changed block is written with its transaction group.
    Write { block: BlockId, vdev: u32 },
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
    purpose: Purpose,
    class: Class,
    pub(super) pending: u32,
    /// A thread waits for it.
    is_demanded: bool,
    waiting: Vec<SlotId>,
    /// What a stream asked for, when it is a prefetch.
    prefetch: Option<Prefetch>,
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
    waiting: Waiting,
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
    /// Makes a request without parts.
    pub(crate) fn new_request(&mut self, purpose: Purpose, class: Class) -> RequestId {
        if let Some(id) = self.free_requests.pop() {
            let state = &mut self.requests[id.place()];
            // The lists were emptied when the request was done.
            state.purpose = purpose;
            state.class = class;
            state.pending = 0;
            state.is_demanded = false;
            state.prefetch = None;
            return id;
        }
        self.requests.push(RequestState {
            purpose,
            class,
            pending: 0,
            is_demanded: false,
            waiting: Vec::new(),
            prefetch: None,
            ios: Vec::new(),
        });
        RequestId::at(self.requests.len() - 1)
    }

    /// Makes the request that reads a block; a thread may wait for it already.
    pub(crate) fn new_read(
        &mut self,
        block: BlockId,
        from_l2: bool,
        is_demanded: bool,
    ) -> RequestId {
        let class = if is_demanded { Class::SyncRead } else { Class::AsyncRead };
        let id = self.new_request(Purpose::Read { block, from_l2 }, class);
        self.requests[id.place()].is_demanded = is_demanded;
        self.reads[block.place()] = !id.0;
        id
    }

    /// Returns what a request is for.
    pub(crate) fn purpose(&self, id: RequestId) -> Purpose {
        self.requests[id.place()].purpose
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

    /// Lets a prefetch that was just started be queued as a read that a thread waits for.
    pub(crate) fn send_urgently(&mut self, block: BlockId) {
        if let Some(request) = self.read_mut(block) {
            request.class = Class::SyncRead;
        }
    }

    /// Remembers which stream a prefetch belongs to.
    pub(crate) fn tag(&mut self, block: BlockId, prefetch: Prefetch) {
        if let Some(request) = self.read_mut(block) {
            request.prefetch = Some(prefetch);
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

    /// Adds the flush of a disk to a request.
    pub(crate) fn add_flush(&mut self, now: Nanos, request: RequestId, leaf: LeafId) {
        let waiting = Waiting { offset: 0, size: 0, class: Class::SyncWrite, since: now };
        let io = self.new_io(IoState { request, leaf, waiting, is_queued: false });
        self.leaves[leaf.place()].flush(now, io);
        self.expect_device(leaf);
    }

    /// Adds a part to a request, and puts it into the queue of its disk.
    pub(crate) fn add_part(&mut self, now: Nanos, request: RequestId, leaf: LeafId, part: Extent) {
        let class = self.requests[request.place()].class;
        let waiting =
            Waiting { offset: part.offset, size: number_of(part.bytes), class, since: now };
        let io = self.new_io(IoState { request, leaf, waiting, is_queued: true });
        self.leaves[leaf.place()].queue.push(io, waiting);
    }

    /// Gives a part a number, and counts it in its request.
    fn new_io(&mut self, state: IoState) -> IoId {
        let io = match self.free_ios.pop() {
            Some(io) => {
                self.ios[io.place()] = state;
                io
            }
            None => {
                self.ios.push(state);
                IoId::at(self.ios.len() - 1)
            }
        };
        let request = &mut self.requests[state.request.place()];
        request.pending += 1;
        request.ios.push(io);
        io
    }

    /// Returns what a request was for whose parts are all done.
    pub(crate) fn finished(&mut self, id: RequestId) -> Finished {
        let state = &mut self.requests[id.place()];
        state.ios.clear();
        let finished = Finished {
            purpose: state.purpose,
            is_demanded: state.is_demanded,
            prefetch: state.prefetch,
        };
        if let Purpose::Read { block, .. } = finished.purpose {
            self.reads[block.place()] = 0;
        }
        finished
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

    /// Makes the number of a request free.
    pub(crate) fn free(&mut self, id: RequestId) {
        self.free_requests.push(id);
    }
}

//! Requests on their way to the disks: what they are for, which disks they go to, who waits.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are numbers made here: blocks, leaves, requests"
)]

use arcwright_scenario::Layout;
use arcwright_units::Nanos;

use super::{IoState, NONE, Prefetch, Purpose, RequestState, STEPS_TO_FINISH, World};
use crate::arc::{Kind, Lookup};
use crate::blocks::Block;
use crate::events::Event;
use crate::vdev::queue::{Class, Waiting};

impl World {
    /// Returns the request that is bringing a block; none of that number if there is none.
    fn bringing(&self, block: Block) -> u32 {
        !self.bringing[block as usize]
    }

    /// Makes a client wait for a block that is on its way.
    pub(crate) fn wait_for(&mut self, block: Block, client: u32) {
        let number = self.bringing(block);
        if let Some(request) = self.requests.get_mut(number as usize) {
            request.clients.push(client);
        }
    }

    /// Says that somebody now wants a block that is being prefetched; its requests go first.
    pub(crate) fn demand(&mut self, block: Block) {
        let number = self.bringing(block);
        let Some(request) = self.requests.get_mut(number as usize) else { return };
        request.demanded = true;
        if request.class != Class::AsyncRead || !self.behaviour.upgrades_prefetches {
            return;
        }
        request.class = Class::SyncRead;
        self.arc.counters.async_upgrade_sync += 1;
        for index in 0..self.requests[number as usize].ios.len() {
            let io = self.requests[number as usize].ios[index];
            let state = &mut self.ios[io as usize];
            // A part that is done may serve another request by now.
            if state.queued && state.request == number {
                self.leaves[state.leaf as usize].queue.upgrade(io, &mut state.waiting);
            }
        }
    }

    /// Reads a block that the ARC has just reported as missing; it is queued at `at`. Returns the lock
    /// operations that sending it takes.
    pub(crate) fn start_read(
        &mut self,
        block: Block,
        found: Lookup,
        demanded: bool,
        at: Nanos,
    ) -> u64 {
        let from_l2 = found == Lookup::FromL2;
        if !self.l2arc.is_empty() {
            self.arc.count_l2(from_l2, self.blocks.size(block));
        }
        self.wake_eviction(at);
        let class = if demanded { Class::SyncRead } else { Class::AsyncRead };
        let request = self.new_request(Purpose::Read { block, from_l2 }, class);
        self.requests[request as usize].demanded = demanded;
        self.bringing[block as usize] = !request;
        let steps = self.steps_to_read(block);
        let sent = at + self.steps(steps);
        self.events.push_in_row(sent + self.costs.switch, Event::Enqueue(request));
        steps
    }

    /// Lets a prefetch that was just started be queued as a read that somebody waits for.
    pub(crate) fn hasten(&mut self, block: Block) {
        let number = self.bringing(block);
        if let Some(request) = self.requests.get_mut(number as usize) {
            request.class = Class::SyncRead;
        }
    }

    /// Counts the copy of a block that a dbuf makes at `at`.
    pub(crate) fn add_copy(&mut self, block: Block, at: Nanos) {
        self.arc.add_copy(block, at);
        self.wake_eviction(at);
    }

    fn wake_eviction(&mut self, at: Nanos) {
        if self.arc.wakes_eviction() {
            self.events.push(at + self.costs.switch, Event::Evict);
        }
    }

    /// Remembers which stream a prefetch belongs to.
    pub(crate) fn tag(&mut self, block: Block, prefetch: Prefetch) {
        let number = self.bringing(block);
        if let Some(request) = self.requests.get_mut(number as usize) {
            request.prefetch = Some(prefetch);
        }
    }

    /// Lets a data block be prefetched when its indirect block has come.
    pub(crate) fn prefetch_behind(&mut self, indirect: Block, wanted: Prefetch) {
        self.zfetches[wanted.file as usize].sent(wanted.stream);
        self.prefetches += 1;
        self.behind.push((indirect, wanted));
    }

    /// Prefetches what waited for an indirect block, one after the other; returns how long that takes.
    fn prefetch_all(&mut self, indirect: Block) -> Nanos {
        let mut behind: Vec<(Block, Prefetch)> =
            self.behind.extract_if(.., |(block, _)| *block == indirect).collect();
        if !self.behaviour.waiters_in_order {
            behind.reverse();
        }
        let mut took = Nanos::ZERO;
        for (_, wanted) in behind {
            self.prefetches -= 1;
            self.zfetches[wanted.file as usize].landed(wanted.stream);
            let steps = crate::client::prefetch(self, wanted, self.now + took);
            took += self.steps(steps);
        }
        took
    }

    /// Ends a request whose parts are all done.
    pub(super) fn request_done(&mut self, number: u32) {
        let state = &mut self.requests[number as usize];
        state.ios.clear();
        let (demanded, prefetch, purpose) = (state.demanded, state.prefetch, state.purpose);
        match purpose {
            Purpose::Read { block, .. } => self.read_done(number, block, (demanded, prefetch)),
            Purpose::Feed => self.feed_done(),
            Purpose::Write { block, vdev } => self.write_done(block, vdev),
            Purpose::Group => self.part_done(),
            Purpose::Log { number } => self.log_written(number),
            Purpose::LogFlush { number } => self.log_flushed(number),
        }
        self.free_requests.push(number);
    }

    fn read_done(
        &mut self,
        number: u32,
        block: Block,
        (demanded, prefetch): (bool, Option<Prefetch>),
    ) {
        self.bringing[block as usize] = !NONE;
        // An indirect block that only prefetches wait for gets no dbuf (dbuf_prefetch_indirect_done).
        let held = demanded && self.dbufs.exists(block);
        self.arc.complete(block, self.now, u16::from(held));
        if held {
            self.add_copy(block, self.now);
        }
        if let Some(Prefetch { file, stream, index }) = prefetch {
            self.zfetches[file as usize].arrived(stream, u64::from(index));
            self.prefetches = self.prefetches.saturating_sub(1);
        }
        let may_be_waited_for = self.blocks.is_indirect(block) && !self.behind.is_empty();
        let called = if may_be_waited_for { self.prefetch_all(block) } else { Nanos::ZERO };
        let mut through = self.cores.work(self.now, self.steps(STEPS_TO_FINISH));
        let prefetched = self.cores.work(through, called);
        if self.behaviour.waiters_in_order {
            // Those that read came when the prefetches waited already.
            through = prefetched;
        }
        let up = through + self.costs.switch;
        // The lists go back, so that the next request does not ask for memory.
        let mut clients = std::mem::take(&mut self.requests[number as usize].clients);
        for client in clients.drain(..) {
            let client_state = &mut self.lanes[client as usize];
            client_state.pending -= 1;
            if client_state.pending == 0 {
                self.events.push(up, Event::Client(client));
            }
        }
        self.requests[number as usize].clients = clients;
        if !demanded && self.arc.cell(block).kind() == Kind::Metadata {
            self.trim_dbufs();
        }
    }

    pub(super) fn new_request(&mut self, purpose: Purpose, class: Class) -> u32 {
        if let Some(number) = self.free_requests.pop() {
            let state = &mut self.requests[number as usize];
            // The lists were emptied when the request was done.
            state.purpose = purpose;
            state.class = class;
            state.pending = 0;
            state.demanded = false;
            state.prefetch = None;
            return number;
        }
        self.requests.push(RequestState {
            purpose,
            class,
            pending: 0,
            demanded: false,
            clients: Vec::new(),
            prefetch: None,
            ios: Vec::new(),
        });
        u32::try_from(self.requests.len() - 1).unwrap_or(NONE)
    }

    /// The thread that queues a request has been called; it may have to wait for a core.
    pub(super) fn arrive(&mut self, number: u32) {
        let at = self.cores.begin_called(self.now, self.costs.switch);
        self.cores.end(at);
        if at > self.now {
            self.events.push(at, Event::Queue(number));
        } else {
            self.enqueue(number);
        }
    }

    pub(super) fn enqueue(&mut self, number: u32) {
        match self.requests[number as usize].purpose {
            Purpose::Read { block, from_l2: true } => {
                let size = u32::try_from(self.blocks.size(block)).unwrap_or(u32::MAX);
                if let Some((leaf, offset)) = self.l2arc.place(block) {
                    self.add_io(number, leaf, (offset, size));
                    self.pump(leaf, false);
                }
            }
            Purpose::Read { block, from_l2: false } => self.enqueue_columns(number, block),
            // Those are sent where they are made.
            _ => {}
        }
    }

    /// Returns the lock operations of sending a read of `block` on its way: more when it has several
    /// columns.
    pub(crate) fn steps_to_read(&self, block: Block) -> u64 {
        let shape = self.shapes[self.blocks.place(block).vdev as usize];
        let columns = match shape.layout {
            Layout::Mirror => 1,
            _ => shape.data_disks().min(self.blocks.size(block) >> 12).max(1),
        };
        let (first, further) = self.behaviour.read_steps;
        first + further * (columns - 1)
    }

    fn enqueue_columns(&mut self, number: u32, block: Block) {
        let place = self.blocks.place(block);
        let shape = self.shapes[place.vdev as usize];
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        shape.read_columns(place.offset, self.blocks.size(block), &mut columns);
        let base = self.bases[place.vdev as usize];
        let mirror = shape.layout == Layout::Mirror;
        for column in &columns {
            let disk =
                if mirror { self.lightest(base, shape.disks, place.offset) } else { column.disk };
            self.add_io(number, base + disk, (column.offset, column.size));
        }
        self.columns = columns;
        for index in 0..self.requests[number as usize].ios.len() {
            let io = self.requests[number as usize].ios[index];
            self.pump(self.ios[io as usize].leaf, false);
        }
    }

    /// Returns the side of a mirror that takes a read (docs/model/mirror-raidz.md#mirror-read-selection; vdev_mirror.c 0.7+).
    fn lightest(&self, base: u32, disks: u64, offset: u64) -> u32 {
        let load = |disk: u32| {
            let leaf = &self.leaves[(base + disk) as usize];
            let near = leaf.queue.last_end().abs_diff(offset);
            let more = match (leaf.rotating, near) {
                (_, 0) => 0,
                (true, near) if near < 1 << 20 => 2,
                (true, _) => 5,
                (false, _) => 1,
            };
            leaf.queue.load() + more
        };
        let disks = u32::try_from(disks).unwrap_or(1);
        let all = self.behaviour.mirrors_take_turns;
        let least = (0..disks).map(load).min().unwrap_or(0);
        let mut ties = (0..disks).filter(|disk| all || load(*disk) == least);
        let turn = usize::try_from(offset >> 21).unwrap_or(0) % ties.clone().count().max(1);
        ties.nth(turn).unwrap_or(0)
    }

    /// Adds the flush of a disk to a request.
    pub(super) fn add_flush(&mut self, request: u32, leaf: u32) {
        let waiting = Waiting { offset: 0, size: 0, class: Class::SyncWrite, since: self.now };
        let io = self.free_io();
        self.ios[io as usize] = IoState { request, leaf, waiting, queued: false };
        let state = &mut self.requests[request as usize];
        state.pending += 1;
        state.ios.push(io);
        self.leaves[leaf as usize].flush(self.now, io);
        self.expect_device(leaf);
    }

    pub(super) fn add_io(&mut self, request: u32, leaf: u32, (offset, size): (u64, u32)) {
        let class = self.requests[request as usize].class;
        let waiting = Waiting { offset, size, class, since: self.now };
        let io = self.free_io();
        self.ios[io as usize] = IoState { request, leaf, waiting, queued: true };
        let request = &mut self.requests[request as usize];
        request.pending += 1;
        request.ios.push(io);
        self.leaves[leaf as usize].queue.push(io, waiting);
    }

    /// Returns the number of a part that is not in use.
    fn free_io(&mut self) -> u32 {
        self.free_ios.pop().unwrap_or_else(|| {
            let waiting = Waiting { offset: 0, size: 0, class: Class::SyncRead, since: self.now };
            self.ios.push(IoState { request: NONE, leaf: 0, waiting, queued: false });
            u32::try_from(self.ios.len() - 1).unwrap_or(NONE)
        })
    }
}

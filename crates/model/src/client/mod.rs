//! Clients: their requests, one slot for each that may be outstanding, and what their own work costs.
//!
//! A slot is a thread: it works through its request until it has to wait, and goes on when it is called.
#![expect(clippy::indexing_slicing, reason = "indices are slots and clients of the phase")]

mod copy;
mod reads;
mod visit;
mod walk;
mod writes;

use std::ops::Range;

use arcwright_scenario::{Measured, SyncMode, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Access, Accesses, Client as Spec, Waits, Wire};

use crate::clock::Event;
use crate::ids::{ClientId, FileId, SlotId, StreamId};
use crate::pool::blocks::Blocks;
use crate::pool::trees::{self, Tree};
use crate::stack::{LogPath, Pins, ReadPath, Stack, WritePath};
use crate::versions::work::Work;
use reads::look_at_blocks;
pub(crate) use walk::Walk;
use writes::WriteProgress;

/// The clients of a phase.
#[derive(Default)]
pub(crate) struct Clients {
    clients: Vec<Client>,
    slots: Vec<IoSlot>,
    /// How many slots have not come to their end.
    at_work: usize,
    /// The trees that they walk.
    pub(crate) trees: Vec<Tree>,
    /// Those that copies make, in the order in which clients come to them.
    copies: Range<usize>,
}

/// One client: what its slots share.
pub(crate) struct Client {
    spec: Spec,
    wire: Wire,
    /// Its files, in the order of [`Access::file`].
    files: Vec<FileId>,
    accesses: Accesses,
    times: Times,
    done: Tally,
}

/// When a client works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) began: Nanos,
    /// It makes no new request from then on.
    pub(crate) limit: Option<Nanos>,
}

/// A request at a time of a client; it has as many slots as it keeps requests outstanding.
pub(crate) struct IoSlot {
    pins: Pins,
    /// Its way through a tree, if that is what it does.
    walk: Option<Walk>,
    client: ClientId,
    request: Option<Request>,
    end: Option<Nanos>,
}

/// A request under way.
struct Request {
    access: Access,
    file: FileId,
    asked: Nanos,
    first: u32,
    last: u32,
    /// The next block to look at.
    at: u32,
    stream: Option<StreamId>,
    missed: bool,
    /// How far a write is.
    write: WriteProgress,
}

impl Client {
    pub(crate) fn new(spec: &Spec, files: Vec<FileId>, accesses: Accesses, times: Times) -> Self {
        Self {
            spec: spec.clone(),
            wire: Wire::new(spec.link),
            files,
            accesses,
            times,
            done: Tally::default(),
        }
    }

    /// Returns when the next request may begin after one that is over at `now`.
    fn next_may_begin(&self, now: Nanos) -> Nanos {
        let rested = now + self.spec.think;
        let rate = self.spec.rate;
        rate.map_or(rested, |rate| rested.max(self.times.began + rate.time_for(self.done.bytes)))
    }

    /// Counts a request that is done; returns when the next one may begin.
    fn count(&mut self, request: &Request, always_waits: bool, now: Nanos) -> Nanos {
        let size = Bytes(u64::from(request.access.size));
        let now = self.wire.carry(size, now);
        let waits = request.access.waits != Waits::No || (request.access.write && always_waits);
        if waits {
            self.done.count_sync(size, now - request.asked);
        } else {
            self.done.count(size, now - request.asked);
        }
        self.next_may_begin(now)
    }
}

impl Clients {
    /// Makes the clients of a machine with these trees, which has none before its first phase.
    pub(crate) fn of(trees: Vec<Tree>) -> Self {
        Self { copies: trees::copies(&trees), trees, ..Self::default() }
    }

    /// Makes room for those of the next phase.
    pub(crate) fn clear(&mut self) {
        self.clients.clear();
        self.slots.clear();
        self.at_work = 0;
    }

    /// Adds a client.
    pub(crate) fn add(&mut self, client: Client) -> ClientId {
        self.clients.push(client);
        ClientId::at(self.clients.len() - 1)
    }

    /// Adds a slot of a client, which may walk a tree.
    pub(crate) fn add_slot(&mut self, client: ClientId, walk: Option<Walk>) -> SlotId {
        let id = SlotId::at(self.slots.len());
        self.slots.push(IoSlot { pins: Pins::of(id), walk, client, request: None, end: None });
        self.at_work += 1;
        id
    }

    /// Returns the next of the trees that copies make: there is one for every client that copies.
    pub(crate) fn next_copy(&mut self) -> usize {
        assert!(!self.copies.is_empty(), "more clients copy than there are copies");
        let next = self.copies.start;
        self.copies.start += 1;
        next
    }

    /// Returns how many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Says whether all of them have come to their end.
    pub(crate) fn are_done(&self) -> bool {
        self.at_work == 0
    }

    /// Returns what all clients have moved so far.
    pub(crate) fn moved(&self) -> Bytes {
        self.clients.iter().map(|client| client.done.bytes).sum()
    }

    /// Returns when the last slot came to its end.
    pub(crate) fn end(&self) -> Option<Nanos> {
        self.slots.iter().filter_map(|slot| slot.end).max()
    }

    /// Returns what each client did until its last slot was done.
    pub(crate) fn measured(&self) -> Vec<Measured> {
        let of = |(client, number): (&Client, u32)| {
            let slots = self.slots.iter().filter(|slot| slot.client == ClientId(number));
            // One that was stopped before it came to its end is measured as of its beginning.
            let end = slots.filter_map(|slot| slot.end).max().unwrap_or(client.times.began);
            let began = client.times.began;
            client.done.measured(&client.spec, began, end.max(began))
        };
        self.clients.iter().zip(0..).map(of).collect()
    }

    /// Lets a slot go on until it has to wait or is ahead of what happens elsewhere; `is_called` says that
    /// its thread has to be switched to.
    pub(crate) fn go_on(&mut self, stack: &mut Stack, id: SlotId, is_called: bool) {
        let Self { clients, slots, at_work, trees, .. } = self;
        let slot = &mut slots[id.place()];
        let client = &mut clients[slot.client.place()];
        let end = if slot.walk.is_some() {
            walk::go_on(slot, client, trees, stack, is_called)
        } else {
            slot.go_on(client, stack, is_called)
        };
        if let Some(end) = end
            && slot.end.replace(end).is_none()
        {
            *at_work -= 1;
        }
    }

    /// A slot has come to the point where it waits for the log.
    pub(crate) fn wait_for_log(
        &mut self,
        id: SlotId,
        reads: &mut ReadPath,
        writes: &mut WritePath,
        log: &mut LogPath,
    ) {
        writes::wait_for_log(&mut self.slots[id.place()], reads, writes, log);
    }
}

impl IoSlot {
    /// Goes on until it has to wait or is ahead of what happens elsewhere; returns the instant when it has
    /// come to its end.
    fn go_on(&mut self, client: &mut Client, stack: &mut Stack, is_called: bool) -> Option<Nanos> {
        let always_waits = stack.log.rules.sync == SyncMode::Always;
        let mut ready = stack.reads.clock.now;
        let mut now = stack.reads.clock.begin(ready, is_called);
        loop {
            let Self { pins, request, .. } = self;
            let request = match request {
                Some(request) => request,
                None => match begin(client, &mut stack.reads, ready, now) {
                    Some(new) => request.insert(new),
                    None => return Some(ready),
                },
            };
            now = if request.access.write {
                writes::go_on(request, pins, stack, now)
            } else {
                look_at_blocks(request, pins, &mut stack.reads, now)
            };
            let reads = &mut stack.reads;
            if reads.waits.is_waiting(pins.slot) {
                reads.clock.cores.end(now);
                return None;
            }
            if !request.is_complete() {
                continue;
            }
            let over = finish(request, pins, reads, now);
            ready = client.count(request, always_waits, over);
            self.request = None;
            if reads.next_event() < ready {
                reads.clock.push(ready, Event::GoOn(self.pins.slot));
                return None;
            }
            now = reads.clock.cores.begin(ready);
        }
    }
}

impl Request {
    fn is_complete(&self) -> bool {
        self.at > self.last && (!self.access.write || self.write.is_over())
    }
}

/// Takes the client's next request, which was asked for when its slot was `ready`; none when there is none
/// left.
fn begin(client: &mut Client, reads: &mut ReadPath, ready: Nanos, now: Nanos) -> Option<Request> {
    let late = client.times.limit.is_some_and(|limit| ready >= limit);
    let access = if late { None } else { client.accesses.next() }?;
    let file = *client.files.get(access.file as usize)?;
    let mut request = Request {
        access,
        file,
        asked: ready,
        first: 0,
        last: 0,
        at: 0,
        stream: None,
        missed: false,
        write: WriteProgress::default(),
    };
    // A write turns to its blocks transaction by transaction.
    if !access.write {
        let size = u64::from(access.size);
        let (first, last) = blocks_of(&reads.blocks, file, access.offset, size);
        (request.first, request.last, request.at) = (first, last, first);
        request.stream = reads.note_access(file, (first, last), size, now);
    }
    Some(request)
}

/// Returns the first and the last block of `size` bytes at `offset` of a file.
fn blocks_of(blocks: &Blocks, file: FileId, offset: u64, size: u64) -> (u32, u32) {
    let file = blocks.file(file);
    (file.index_of(offset), file.index_of(offset + size - 1))
}

/// Ends the request: copies, and lets go of the blocks; returns when that is over.
fn finish(request: &Request, pins: &mut Pins, reads: &mut ReadPath, now: Nanos) -> Nanos {
    let clock = &mut reads.clock;
    // Writes have copied with each transaction.
    let copy = match request.access.write {
        true => Nanos::ZERO,
        false => clock.costs.copy(u64::from(request.access.size)),
    };
    let now = now + clock.costs.call + clock.work(Work::Syscall) + copy;
    clock.cores.end(now);
    if request.access.write {
        return now;
    }
    note_partial(request, reads);
    let first = reads.blocks.file(request.file).first;
    for index in request.first..=request.last {
        reads.release(first.plus(index));
    }
    reads.release_pins(pins);
    reads.cache.trim_dbufs(&reads.blocks);
    now
}

/// Notes how far the last block of a request was read, where blocks leave when they are read through:
/// one that was read from its beginning stays for whoever goes on in it (2.2 and later).
fn note_partial(request: &Request, reads: &mut ReadPath) {
    if reads.cache.keeps_data() || !reads.prefetch.rules.follows_data {
        return;
    }
    let file = reads.blocks.file(request.file);
    let (block, begin) = (file.block(request.last), u64::from(request.last) * file.block_bytes);
    let end = request.access.offset + u64::from(request.access.size);
    let is_cut = end < (begin + file.block_bytes).min(file.size.0);
    if !is_cut {
        reads.cache.dbufs.set_partial(block, false);
    } else if request.access.offset <= begin {
        reads.cache.dbufs.set_partial(block, true);
    }
}

//! Requests of a slot, one after the other; a read from its first block to its last.
//!
//! The blocks of a read are held one after the other; those that are not there are waited for together.
//! What a write does meanwhile is in `writes.rs`.

use arcwright_scenario::SyncMode;
use arcwright_units::Nanos;
use arcwright_workload::{Access, ReplayRequest};

use super::writes::{self, WriteProgress};
use super::{Client, IoSlot};
use crate::clock::Event;
use crate::ids::{FileId, StreamId};
use crate::pool::blocks::Indices;
use crate::stack::{
    Entry, HeldBlock, HoldOutcome, HoldReason, LockRange, NotedAccess, Pins, ReadPath, Stack,
};
use crate::versions::work::Work;

/// A request under way.
pub(super) struct Request {
    pub(super) access: Access,
    pub(super) file: FileId,
    pub(super) asked: Nanos,
    /// Its blocks; of a write, those of the transaction.
    pub(super) blocks: Indices,
    /// The next block to look at.
    pub(super) at: u32,
    pub(super) stream: Option<StreamId>,
    missed: bool,
    /// Whether it has the lock of its range.
    is_entered: bool,
    /// How far a write is.
    pub(super) write: WriteProgress,
}

/// Lets a slot go on with its requests until it has to wait or is ahead of what happens elsewhere; returns the
/// instant when it has come to its end.
pub(super) fn go_on(
    slot: &mut IoSlot,
    client: &mut Client,
    stack: &mut Stack,
    is_called: bool,
) -> Option<Nanos> {
    let mut ready = stack.reads.clock.now;
    let mut now = stack.reads.clock.begin(ready, is_called);
    loop {
        let IoSlot { pins, request, taken, .. } = slot;
        let request = match request {
            Some(request) => request,
            None => match begin((client, taken), &stack.reads, ready) {
                Begun::Now(new) => request.insert(new),
                Begun::At(later) => {
                    stack.reads.clock.cores.end(now);
                    stack.reads.clock.push(later, Event::GoOn(pins.slot));
                    return None;
                }
                Begun::Over => return Some(ready),
            },
        };
        if !request.is_entered && !enter(request, pins, &mut stack.reads, now) {
            stack.reads.clock.cores.end(now);
            return None;
        }
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
        let always_waits = stack.log.rules_of(request.file).sync == SyncMode::Always;
        ready = client.count(request, always_waits, over);
        slot.request = None;
        if reads.next_event() < ready {
            reads.clock.push(ready, Event::GoOn(slot.pins.slot));
            return None;
        }
        now = reads.clock.cores.begin(ready);
    }
}

impl Request {
    fn is_complete(&self) -> bool {
        self.at > self.blocks.last && (!self.access.write || self.write.is_over())
    }
}

/// What becomes of a slot that has no request.
enum Begun {
    /// It has the next one.
    Now(Request),
    /// The next one, which it has taken, is made then.
    At(Nanos),
    /// There is none left.
    Over,
}

/// Takes the client's next request, which was asked for when its slot was `ready`.
fn begin(
    (client, taken): (&mut Client, &mut Option<Access>),
    reads: &ReadPath,
    ready: Nanos,
) -> Begun {
    let limit = client.times.limit;
    let is_late = |at: Nanos| limit.is_some_and(|limit| at >= limit);
    if is_late(ready) {
        return Begun::Over;
    }
    let next = || {
        warm(client, reads);
        client.accesses.next()
    };
    let Some(access) = taken.take().or_else(next) else { return Begun::Over };
    let at = client.times.began + access.at;
    if at > ready {
        if is_late(at) {
            return Begun::Over;
        }
        *taken = Some(access);
        return Begun::At(at);
    }
    let Some(file) = client.files.get(access.file as usize).copied() else { return Begun::Over };
    Begun::Now(Request {
        access,
        file,
        asked: ready,
        blocks: Indices::default(),
        at: 0,
        stream: None,
        missed: false,
        is_entered: false,
        write: WriteProgress::default(),
    })
}

/// Locks the range of a request and turns to its blocks; false when its slot has to wait for another's.
fn enter(request: &mut Request, pins: &Pins, reads: &mut ReadPath, now: Nanos) -> bool {
    let Access { offset: from, size, write: is_write, .. } = request.access;
    let size = u64::from(size);
    let range = LockRange { from, to: from + size, is_write };
    match reads.locks.enter(request.file, (pins.slot, range), now, reads.clock.now) {
        Entry::Now => {}
        Entry::Called => {
            reads.waits.add(pins.slot);
            return false;
        }
        Entry::At(then) => {
            reads.waits.add(pins.slot);
            reads.clock.wake(then, Event::Resume(pins.slot));
            return false;
        }
    }
    request.is_entered = true;
    // A write turns to its blocks transaction by transaction.
    if !is_write {
        request.blocks = reads.blocks.file(request.file).indices_of(from, size);
        request.at = request.blocks.first;
        let noted = NotedAccess { blocks: request.blocks, size, fetches_data: true };
        request.stream = reads.note_access(request.file, noted, now);
    }
    true
}

/// Brings near what is known of the first blocks of those requests that a trace announces.
fn warm(client: &Client, reads: &ReadPath) {
    let announced = client.accesses.announced();
    if announced.is_empty() {
        return;
    }
    let first_block = |request: &ReplayRequest| {
        let file = reads.blocks.file(*client.files.get(usize::from(request.file))?);
        Some(file.block(file.index_of(request.offset)))
    };
    reads.warm(announced.iter().filter_map(first_block));
}

/// Looks at the blocks of a read from where it stopped; returns the time when it is through.
fn look_at_blocks(
    request: &mut Request,
    pins: &mut Pins,
    reads: &mut ReadPath,
    mut now: Nanos,
) -> Nanos {
    if request.at > request.blocks.last {
        return now;
    }
    let (file, size) = (request.file, u64::from(request.access.size));
    let first = reads.blocks.file(file).first;
    while request.at <= request.blocks.last {
        let is_there = reads.cache.dbufs.exists(first.plus(request.at));
        let work = if is_there { Work::DbufHold } else { Work::DbufCreate };
        now += reads.clock.work(work);
        let outcome = reads.hold_block(pins, (file, request.at), HoldReason::Access, now);
        match outcome {
            HoldOutcome::Later => return now,
            HoldOutcome::Sent { lock_ops } => now += reads.clock.lock_ops(lock_ops),
            HoldOutcome::Opened(took) => now += took,
            HoldOutcome::There | HoldOutcome::OnItsWay => {}
        }
        let held = HeldBlock { file, index: request.at, outcome };
        now = reads.prefetch_by_block(held, size, now);
        request.missed |= !outcome.is_there();
        request.at += 1;
    }
    match request.stream {
        Some(stream) => reads.prefetch_ahead(file, stream, request.missed, now),
        None => now,
    }
}

/// Ends the request: copies, and lets go of the blocks; returns when that is over.
fn finish(request: &Request, pins: &mut Pins, reads: &mut ReadPath, now: Nanos) -> Nanos {
    let clock = &mut reads.clock;
    // Writes have copied with each transaction.
    let copy = match request.access.write {
        true => Nanos::ZERO,
        false => clock.costs.copy(u64::from(request.access.size)),
    };
    let mut now = now + clock.costs.call + clock.work(Work::Syscall) + copy;
    if request.access.write {
        clock.cores.end(now);
        return now;
    }
    note_partial(request, reads);
    let first = reads.blocks.file(request.file).first;
    for index in request.blocks.iter() {
        reads.release(first.plus(index));
    }
    reads.release_pins(pins);
    now += reads.cache.trim_dbufs(&mut reads.clock, &reads.blocks, now);
    reads.locks.exit(&mut reads.clock, request.file, pins.slot, now);
    reads.clock.cores.end(now);
    now
}

/// Notes how far the last block of a request was read, where blocks leave when they are read through:
/// one that was read from its beginning stays for whoever goes on in it (2.2 and later).
fn note_partial(request: &Request, reads: &mut ReadPath) {
    let file = reads.blocks.file(request.file);
    if reads.cache.keeps(file.first) || !reads.prefetch.rules.follows_uncached {
        return;
    }
    let last = request.blocks.last;
    let (block, begin) = (file.block(last), u64::from(last) * file.block_bytes);
    let end = request.access.offset + u64::from(request.access.size);
    let is_cut = end < (begin + file.block_bytes).min(file.size.0);
    if !is_cut {
        reads.cache.dbufs.set_partial(block, false);
    } else if request.access.offset <= begin {
        reads.cache.dbufs.set_partial(block, true);
    }
}

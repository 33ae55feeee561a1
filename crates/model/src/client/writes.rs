//! Writes of a request, in transactions (docs/model/clients.md#transactions-of-a-write; dmu.c, dmu_tx.c, zfs_vnops.c 0.7 to
//! 2.3).
//!
//! A transaction is a record of a file up to 2.1, and up to 32 MiB later and of a volume. For each, the records at its
//! ends that are not covered whole are read if they are not in memory; then the throttle lets it in;
//! then all its records are held, changed, and let go. A record that is covered whole is not read.
//!
//! A small case: 16 KiB into a record of 128 KiB that is not in memory read 128 KiB first; 128 KiB over
//! the whole record read nothing but the indirect block above it.

use arcwright_scenario::{DatasetKind, SyncMode};
use arcwright_units::Nanos;
use arcwright_workload::Waits;

use super::{IoSlot, Request};
use crate::cache::arc::{Kind, State};
use crate::clock::Event;
use crate::ids::{BlockId, BlockRun};
use crate::pool::blocks::Blocks;
use crate::stack::{
    Change, HoldOutcome, HoldReason, LogPath, NotedAccess, Pins, ReadPath, Stack, WritePath,
};
use crate::versions::work::Work;
use crate::writes::throttle::Admission;

/// The most that a transaction of 2.2 and later writes (half of `DMU_MAX_ACCESS`).
const TRANSACTION_MAX: u64 = 32 << 20;

/// How far a write is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Step {
    /// The next transaction begins.
    #[default]
    Begin,
    /// Its ends are being read.
    Ends,
    /// It may go on as soon as the throttle lets it.
    Throttled,
    /// Its blocks are being held.
    Hold,
    /// They are all there, to be changed.
    Change,
    /// Everything is changed, and has to be in the log.
    Commit,
    /// It waits for the log.
    Logged,
    Over,
}

/// The state of a write.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WriteProgress {
    step: Step,
    /// Bytes of the request that earlier transactions wrote.
    done: u64,
    /// Bytes of this one.
    size: u64,
    /// When this one began.
    began: Nanos,
}

impl WriteProgress {
    pub(super) fn is_over(self) -> bool {
        self.step == Step::Over
    }
}

/// Lets a write go on until it has to wait or is over.
pub(super) fn go_on(
    request: &mut Request,
    pins: &mut Pins,
    stack: &mut Stack,
    mut now: Nanos,
) -> Nanos {
    let Stack { reads, writes, log } = stack;
    loop {
        match request.write.step {
            Step::Begin => now = begin(request, reads, (writes, log), now),
            Step::Ends => now = read_ends(request, pins, reads, writes, now),
            Step::Throttled => take_blocks(request, reads, now),
            Step::Hold => now = hold_all(request, pins, reads, writes, now),
            Step::Change => {
                now = change_all(request, reads, writes, log, now);
                if !matches!(request.write.step, Step::Begin) {
                    reads.locks.exit(&mut reads.clock, request.file, pins.slot, now);
                }
            }
            Step::Commit => now = commit(pins, reads, now),
            Step::Logged => {
                request.write.step = Step::Over;
                return now;
            }
            Step::Over => return now,
        }
        if reads.waits.is_waiting(pins.slot) {
            return now;
        }
    }
}

/// Begins the next transaction of the request.
fn begin(
    request: &mut Request,
    reads: &ReadPath,
    (writes, log): (&WritePath, &LogPath),
    now: Nanos,
) -> Nanos {
    let offset = request.access.offset + request.write.done;
    let left = u64::from(request.access.size) - request.write.done;
    let file = reads.blocks.file(request.file);
    let is_long =
        writes.long_transactions || log.rules_of(request.file).kind == DatasetKind::Volume;
    let size_max = if is_long { TRANSACTION_MAX } else { file.block_bytes };
    let size = left.min(size_max - file.within_block(offset));
    request.write = WriteProgress { step: Step::Ends, size, began: now, ..request.write };
    request.blocks = file.indices_of(offset, size);
    request.at = request.blocks.first;
    now + reads.clock.work(Work::Transaction)
}

/// Returns the work of holding a block that is to be changed.
fn work_to_hold(reads: &ReadPath, writes: &WritePath, block: BlockId) -> Work {
    match reads.cache.dbufs.exists(block) {
        true if writes.is_changed(block) => Work::DbufHoldDirty,
        true => Work::DbufHold,
        false => Work::DbufCreate,
    }
}

/// Says whether the transaction covers a block only in part.
fn is_partial(blocks: &Blocks, request: &Request, index: u32) -> bool {
    let file = blocks.file(request.file);
    let (begin, end) =
        (u64::from(index) * file.block_bytes, u64::from(index + 1) * file.block_bytes);
    let from = request.access.offset + request.write.done;
    let to = from + request.write.size;
    let is_new = !blocks.is_written(file.block(index));
    !is_new && (begin < from || end.min(file.size.0) > to)
}

/// Holds a block of the transaction; returns when the slot is through with it, or none when it has to
/// come again.
fn hold_one(request: &Request, pins: &mut Pins, reads: &mut ReadPath, now: Nanos) -> Option<Nanos> {
    let reason = match request.write.step {
        Step::Ends => HoldReason::PartOfWrite,
        _ => HoldReason::Access,
    };
    let file = reads.blocks.file(request.file);
    let (block, parent) = (file.block(request.at), file.indirect_of(request.at));
    // Who finds no dbuf holds what is above it, before another slot is found to have made it.
    if reads.made.is_later(block, now)
        && reads.cache.dbufs.exists(block)
        && let Some(parent) = parent
    {
        reads.cache.touch_dbuf(parent, now);
    }
    match reads.hold_block(pins, (request.file, request.at), reason, now) {
        HoldOutcome::Later => None,
        HoldOutcome::Sent { lock_ops } => Some(now + reads.clock.lock_ops(lock_ops)),
        HoldOutcome::Opened(took) => Some(now + took),
        HoldOutcome::There | HoldOutcome::OnItsWay => Some(now),
    }
}

/// Reads the blocks at the ends that are not covered whole, and asks to be let in.
fn read_ends(
    request: &mut Request,
    pins: &mut Pins,
    reads: &mut ReadPath,
    writes: &mut WritePath,
    mut now: Nanos,
) -> Nanos {
    while request.at <= request.blocks.last {
        if is_partial(&reads.blocks, request, request.at) {
            let block = reads.blocks.file(request.file).block(request.at);
            now += reads.clock.work(work_to_hold(reads, writes, block));
            let Some(through) = hold_one(request, pins, reads, now) else { return now };
            now = through;
        }
        // Only the first and the last can be covered in part.
        let is_first =
            request.at == request.blocks.first && request.blocks.last > request.blocks.first;
        request.at = if is_first { request.blocks.last } else { request.blocks.last + 1 };
    }
    if reads.waits.is_waiting(pins.slot) {
        return now;
    }
    release(request, reads, true);
    request.write.step = Step::Throttled;
    let began = request.write.began;
    if writes.may_change(reads, pins.slot, began, now) != Admission::Now {
        reads.waits.add(pins.slot);
    }
    now
}

/// Turns to the blocks of the transaction.
fn take_blocks(request: &mut Request, reads: &mut ReadPath, now: Nanos) {
    let (offset, size) = (request.access.offset + request.write.done, request.write.size);
    request.blocks = reads.blocks.file(request.file).indices_of(offset, size);
    request.at = request.blocks.first;
    let noted = NotedAccess { blocks: request.blocks, size, fetches_data: false };
    request.stream = reads.note_access(request.file, noted, now);
    request.write.step = Step::Hold;
}

/// Holds the blocks of the transaction, until all are there.
fn hold_all(
    request: &mut Request,
    pins: &mut Pins,
    reads: &mut ReadPath,
    writes: &WritePath,
    mut now: Nanos,
) -> Nanos {
    while request.at <= request.blocks.last {
        let block = reads.blocks.file(request.file).block(request.at);
        let is_there = reads.cache.dbufs.exists(block);
        now += reads.clock.work(work_to_hold(reads, writes, block));
        let must_look = is_there
            || is_partial(&reads.blocks, request, request.at)
            || reads.cache.is_in_flight(block);
        if must_look {
            // Who holds it before the first has changed it counts a hit.
            if is_there
                && writes.was_unchanged(block, now)
                && reads.cache.arc.cell(block).state == State::Anon
            {
                reads.cache.arc.counters.hit(false, Kind::Data);
            }
            let Some(through) = hold_one(request, pins, reads, now) else { return now };
            now = through;
        } else {
            let parent = reads.blocks.file(request.file).indirect_of(request.at);
            if let Some(parent) = parent
                && !reads.hold(pins, parent, now)
            {
                return now;
            }
            reads.cache.fill(&mut reads.clock, &reads.blocks, block, now);
        }
        request.at += 1;
    }
    if !reads.waits.is_waiting(pins.slot) {
        request.write.step = Step::Change;
    }
    now
}

/// Changes the blocks of the transaction and lets go of them; ends the request with its last one.
fn change_all(
    request: &mut Request,
    reads: &mut ReadPath,
    writes: &mut WritePath,
    log: &mut LogPath,
    mut now: Nanos,
) -> Nanos {
    let (file, size) = (request.file, request.write.size);
    if let Some(stream) = request.stream {
        now = reads.prefetch_ahead(file, stream, false, now);
    }
    let from = reads.blocks.file(file).first;
    for index in request.blocks.iter() {
        let block = from.plus(index);
        let is_part = is_partial(&reads.blocks, request, index);
        if is_part {
            now += reads.clock.work(Work::PartialWrite);
        }
        if !writes.is_changed(block) {
            now += reads.clock.work(Work::DirtyRecord);
            if is_part {
                now = reads.follow_partial_write(file, index, now);
            }
        }
        writes.change(reads, block, now);
    }
    release(request, reads, false);
    now += reads.cache.trim_dbufs(&mut reads.clock, &reads.blocks, now);
    now += reads.clock.costs.copy(size);
    let count = request.blocks.count();
    let blocks = BlockRun { first: from.plus(request.blocks.first), count };
    let is_waited_for = request.access.waits == Waits::Write;
    now += log.note(Change { file, blocks, bytes: size, is_waited_for }, reads, writes, now);
    let sync = log.rules_of(file).sync;
    let waits = sync == SyncMode::Always || request.access.waits != Waits::No;
    request.write.done += size;
    let is_over = request.write.done >= u64::from(request.access.size);
    request.write.step = match (is_over, waits && sync != SyncMode::Disabled) {
        (false, _) => Step::Begin,
        (true, true) => Step::Commit,
        (true, false) => Step::Over,
    };
    now
}

/// Lets the slot wait for the log, once it has come to that.
fn commit(pins: &Pins, reads: &mut ReadPath, now: Nanos) -> Nanos {
    let ready = now + reads.clock.work(Work::ZilCommit);
    reads.waits.add(pins.slot);
    reads.clock.push(ready, Event::Commit(pins.slot));
    ready
}

/// A slot has come to the point where it waits for the log.
pub(super) fn wait_for_log(
    slot: &mut IoSlot,
    reads: &mut ReadPath,
    writes: &mut WritePath,
    log: &mut LogPath,
) {
    debug_assert!(
        slot.request.is_some(),
        "{:?} waits for the log without a request",
        slot.pins.slot
    );
    let Some(request) = &mut slot.request else { return };
    if log.commit(slot.pins.slot, request.file, reads, writes) {
        request.write.step = Step::Logged;
    }
}

/// Lets go of the blocks of the transaction: of those at its ends that were read, or of all.
fn release(request: &Request, reads: &mut ReadPath, only_ends: bool) {
    let first = reads.blocks.file(request.file).first;
    for index in request.blocks.iter() {
        let is_end = index == request.blocks.first || index == request.blocks.last;
        if only_ends && !(is_end && is_partial(&reads.blocks, request, index)) {
            continue;
        }
        reads.release(first.plus(index));
    }
}

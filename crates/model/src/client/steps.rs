//! The steps of a visit to a directory or a file, done one by one.
#![expect(clippy::indexing_slicing, reason = "a walk is at one of its steps")]

use arcwright_units::Nanos;

use super::walk::Walk;
use crate::clock::Clock;
use crate::ids::{BlockId, BlockRun, FileId, StreamId};
use crate::pool::blocks::Indices;
use crate::stack::{HeldBlock, HoldOutcome, NotedAccess, Pins, ReadPath, WritePath};
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
    /// Reads so many bytes of these blocks.
    Access(Indices, u32),
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
pub(super) struct Followed {
    file: FileId,
    first: BlockId,
    stream: Option<StreamId>,
    bytes: u32,
    missed: bool,
}

/// Does the next step; returns when it is over, or none when the slot has to wait.
pub(super) fn step(
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
            after += held.took();
            walk.touched.push(block);
            after = note(&mut walk.followed, block, held, reads, after);
        }
        TreeOp::Wait => {
            if reads.waits.is_waiting(pins.slot) {
                return None;
            }
        }
        TreeOp::Ask => {
            if writes.may_change(reads, pins.slot, now, now) != Admission::Now {
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
        (TreeOp::Access(blocks, bytes), Some(followed)) => {
            let size = u64::from(bytes);
            let stream = reads.note_access(
                followed.file,
                NotedAccess { blocks, size, fetches_data: true },
                now,
            );
            *followed = Followed { stream, bytes, missed: false, ..*followed };
        }
        (TreeOp::Ahead, Some(Followed { file, stream: Some(stream), missed, .. })) => {
            return reads.prefetch_ahead(*file, *stream, *missed, now);
        }
        _ => {}
    }
    now
}

/// Notes a block of a read for its prefetcher, which tells the oldest ones block by block; returns when
/// that is over.
fn note(
    followed: &mut Option<Followed>,
    block: BlockId,
    outcome: HoldOutcome,
    reads: &mut ReadPath,
    now: Nanos,
) -> Nanos {
    let Some(followed) = followed else { return now };
    let index = block.behind(followed.first);
    let index = index.filter(|index| *index < reads.blocks.file(followed.file).count);
    // Not of its copy.
    let Some(index) = index else { return now };
    followed.missed |= !outcome.is_there();
    let held = HeldBlock { file: followed.file, index, outcome };
    reads.prefetch_by_block(held, u64::from(followed.bytes), now)
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

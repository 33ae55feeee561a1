//! Writes of a request, in transactions (docs/model/clients.md#transactions-of-a-write; dmu.c, dmu_tx.c, zfs_vnops.c 0.7 to
//! 2.3).
//!
//! A transaction is a record up to 2.1, and up to 32 MiB of them later. For each, the records at its
//! ends that are not covered whole are read if they are not in memory; then the throttle lets it in;
//! then all its records are held, changed, and let go. A record that is covered whole is not read.
//!
//! A small case: 16 KiB into a record of 128 KiB that is not in memory read 128 KiB first; 128 KiB over
//! the whole record read nothing but the indirect block above it.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of clients and files")]

use arcwright_scenario::SyncMode;
use arcwright_units::Nanos;
use arcwright_workload::Waits;

use super::holds::hold;
use super::prefetch::prefetch_ahead;
use super::reads::hold_block;
use super::{STEPS_PER_BLOCK, STEPS_PER_DBUF, look};
use crate::arc::IN_FLIGHT;
use crate::blocks::Block;
use crate::events::Event;
use crate::throttle::Turn;
use crate::world::World;

/// The most that a transaction of 2.2 and later writes (half of `DMU_MAX_ACCESS`).
const TRANSACTION_MAX: u64 = 32 << 20;
/// Lock operations of a transaction, of a changed block, and how many more of one that is changed in part;
/// from writes in the lab on disks that take no time, of 4 KiB to 1 MiB into records of 16 and 128 KiB,
/// cached: 131 for a block with its dbuf, in transactions of 45 (2.3.2) and 50 (2.1.11).
const STEPS_PER_TRANSACTION: u64 = 48;
const STEPS_PER_CHANGE: u64 = 29;
const STEPS_PER_PART: u64 = 14;
/// Lock operations until a lane that waits has put its records into log blocks; from the same runs, with
/// a log device that takes no time.
const STEPS_PER_COMMIT: u64 = 240;

/// How far a write is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Step {
    /// The next transaction begins.
    #[default]
    Begin,
    /// Its ends are being read.
    Ends,
    /// It may go on as soon as it is called.
    Throttled,
    /// Its blocks are being held.
    Hold,
    /// Everything is changed, and has to be in the log.
    Commit,
    /// It waits for the log.
    Logged,
    Over,
}

/// The state of a write.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Write {
    step: Step,
    /// Bytes of the request that earlier transactions wrote.
    done: u64,
    /// Bytes of this one.
    size: u64,
    /// When this one began.
    began: Nanos,
}

impl Write {
    pub(super) fn is_over(self) -> bool {
        self.step == Step::Over
    }
}

/// Lets a write go on until it has to wait or is over.
pub(super) fn go_on(world: &mut World, number: u32, mut now: Nanos) -> Nanos {
    loop {
        let Some(request) = &world.lanes[number as usize].request else { return now };
        match request.write.step {
            Step::Begin => now = begin(world, number, now),
            Step::Ends => now = read_ends(world, number, now),
            Step::Throttled => now = take_blocks(world, number, now),
            Step::Hold => now = hold_all(world, number, now),
            Step::Commit => now = commit(world, number, now),
            Step::Logged => {
                set(world, number, Step::Over);
                return now;
            }
            Step::Over => return now,
        }
        if world.lanes[number as usize].pending > 0 {
            return now;
        }
    }
}

fn set(world: &mut World, number: u32, step: Step) {
    if let Some(request) = &mut world.lanes[number as usize].request {
        request.write.step = step;
    }
}

/// Begins the next transaction of the request.
fn begin(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let Some(request) = &mut world.lanes[number as usize].request else { return now };
    let (offset, left) = (
        request.access.offset + request.write.done,
        u64::from(request.access.size) - request.write.done,
    );
    let file = &world.blocks.files[request.file as usize];
    let most = if world.behaviour.long_transactions { TRANSACTION_MAX } else { file.block_bytes };
    let size = left.min(most - file.within_block(offset));
    request.write = Write { step: Step::Ends, size, began: now, ..request.write };
    request.first = file.index_of(offset);
    request.last = file.index_of(offset + size - 1);
    request.at = request.first;
    now + world.steps(STEPS_PER_TRANSACTION)
}

/// Returns the lock operations of holding a block that is to be changed.
fn steps_to_hold(world: &World, block: Block) -> u64 {
    match world.dbufs.exists(block) {
        true if world.is_changed(block) => world.behaviour.dirty_hold_steps,
        true => STEPS_PER_DBUF,
        false => STEPS_PER_BLOCK,
    }
}

/// Says whether the transaction covers a block only in part.
fn is_partial(world: &World, number: u32, index: u32) -> bool {
    let Some(request) = &world.lanes[number as usize].request else { return false };
    let file = &world.blocks.files[request.file as usize];
    let (begin, end) =
        (u64::from(index) * file.block_bytes, u64::from(index + 1) * file.block_bytes);
    let from = request.access.offset + request.write.done;
    let to = from + request.write.size;
    let is_new = !world.blocks.is_written(file.first + index);
    !is_new && (begin < from || end.min(file.size.0) > to)
}

/// Reads the blocks at the ends that are not covered whole, and asks to be let in.
fn read_ends(world: &mut World, number: u32, mut now: Nanos) -> Nanos {
    loop {
        let Some(request) = &world.lanes[number as usize].request else { return now };
        let (file, at, first, last) = (request.file, request.at, request.first, request.last);
        if at > last {
            break;
        }
        if is_partial(world, number, at) {
            let block = world.blocks.files[file as usize].first + at;
            now += world.steps(steps_to_hold(world, block));
            let Some((_, read)) = hold_block(world, (number, file), at, now) else { return now };
            now += world.steps(if read { world.steps_to_read(block) } else { 0 });
        }
        if let Some(request) = &mut world.lanes[number as usize].request {
            // Only the first and the last can be covered in part.
            request.at = if at == first && last > first { last } else { last + 1 };
        }
    }
    if world.lanes[number as usize].pending > 0 {
        return now;
    }
    release(world, number, true);
    ask(world, number, now)
}

/// Asks the throttle.
fn ask(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let Some(request) = &world.lanes[number as usize].request else { return now };
    let began = request.write.began;
    set(world, number, Step::Throttled);
    if world.may_change(number, began, now) != Turn::Now {
        world.lanes[number as usize].pending += 1;
    }
    now
}

/// Turns to the blocks of the transaction.
fn take_blocks(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let Some(request) = &world.lanes[number as usize].request else { return now };
    let range = (request.access.offset + request.write.done, request.write.size);
    let (first, last, stream) = look(world, request.file, range, now);
    if let Some(request) = &mut world.lanes[number as usize].request {
        (request.first, request.last, request.at, request.stream) = (first, last, first, stream);
        request.write.step = Step::Hold;
    }
    now
}

/// Holds the blocks of the transaction, and changes them when all are there.
fn hold_all(world: &mut World, number: u32, mut now: Nanos) -> Nanos {
    loop {
        let Some(request) = &world.lanes[number as usize].request else { return now };
        let (file, at, last) = (request.file, request.at, request.last);
        if at > last {
            break;
        }
        let block = world.blocks.files[file as usize].first + at;
        let exists = world.dbufs.exists(block);
        now += world.steps(steps_to_hold(world, block));
        let must_look =
            exists || is_partial(world, number, at) || world.arc.cell(block).is(IN_FLIGHT);
        if must_look {
            let Some((_, read)) = hold_block(world, (number, file), at, now) else { return now };
            now += world.steps(if read { world.steps_to_read(block) } else { 0 });
        } else {
            let parent = world.blocks.files[file as usize].indirect_of(at);
            if let Some(parent) = parent
                && !hold(world, number, parent, now)
            {
                return now;
            }
            world.fill(block, now);
        }
        if let Some(request) = &mut world.lanes[number as usize].request {
            request.at += 1;
        }
    }
    if world.lanes[number as usize].pending > 0 {
        return now;
    }
    change_all(world, number, now)
}

/// Changes the blocks of the transaction and lets go of them; ends the request with its last one.
fn change_all(world: &mut World, number: u32, mut now: Nanos) -> Nanos {
    let Some(request) = &world.lanes[number as usize].request else { return now };
    let (file, stream, size) = (request.file, request.stream, request.write.size);
    let (first, last, waits) = (request.first, request.last, request.access.waits);
    if let Some(stream) = stream {
        now = prefetch_ahead(world, (file, stream), None, now);
    }
    for index in first..=last {
        let block = world.blocks.files[file as usize].first + index;
        let part = if is_partial(world, number, index) { STEPS_PER_PART } else { 0 };
        let is_first = !world.is_changed(block);
        now += world.steps(if is_first { STEPS_PER_CHANGE } else { 0 } + part);
        world.change(block, now);
    }
    release(world, number, false);
    world.trim_dbufs();
    now += world.costs.copy(size);
    let from = world.blocks.files[file as usize].first;
    let waits_itself = waits == Waits::Write;
    now += world.log_change(file, (from + first, from + last), size, waits_itself);
    let always = world.log_rules.sync == SyncMode::Always;
    let waits = world.log_rules.sync != SyncMode::Disabled && (always || waits != Waits::No);
    if let Some(request) = &mut world.lanes[number as usize].request {
        request.write.done += size;
        let is_over = request.write.done >= u64::from(request.access.size);
        request.write.step = match (is_over, waits) {
            (false, _) => Step::Begin,
            (true, true) => Step::Commit,
            (true, false) => Step::Over,
        };
    }
    now
}

/// Lets the lane wait for the log, once it has come to that.
fn commit(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let ready = now + world.steps(STEPS_PER_COMMIT);
    if ready > world.now {
        world.lanes[number as usize].pending += 1;
        world.events.push(ready, Event::Commit(number));
        return ready;
    }
    now
}

/// A lane has come to the point where it waits for the log.
pub(crate) fn wait_for_log(world: &mut World, number: u32) {
    let Some(request) = &world.lanes[number as usize].request else { return };
    let file = request.file;
    if world.commit(number, file) {
        set(world, number, Step::Logged);
    }
}

/// Lets go of the blocks of the transaction: of those at its ends that were read, or of all.
fn release(world: &mut World, number: u32, ends: bool) {
    let Some(request) = &world.lanes[number as usize].request else { return };
    let (file, first, last) = (request.file, request.first, request.last);
    for index in first..=last {
        if ends && !((index == first || index == last) && is_partial(world, number, index)) {
            continue;
        }
        let block = world.blocks.files[file as usize].first + index;
        world.release_dbuf(block);
    }
}

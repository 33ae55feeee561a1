//! Reads of a request: its blocks are held one after the other; those that are not there are waited
//! for together.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of clients and files")]

use arcwright_units::Nanos;

use super::holds::{hold, wait};
use super::prefetch::{prefetch_ahead, prefetch_by_block};
use super::{STEPS_PER_BLOCK, STEPS_PER_DBUF};
use crate::arc::{HAS_DBUF, IN_FLIGHT, Lookup};
use crate::world::World;

/// Looks at the blocks of the request from where it stopped; returns the time when it is through.
pub(super) fn look_at_blocks(world: &mut World, number: u32, mut now: Nanos) -> Nanos {
    loop {
        let Some(request) = &world.lanes[number as usize].request else { return now };
        let file = request.file;
        if request.at > request.last {
            return now;
        }
        let (index, stream) = (request.at, request.stream);
        let block = world.blocks.files[file as usize].first + index;
        let steps = if world.dbufs.exists(block) { STEPS_PER_DBUF } else { STEPS_PER_BLOCK };
        now += world.steps(steps);
        let Some((missed, read)) = hold_block(world, (number, file), index, now) else {
            return now;
        };
        now += world.steps(if read { world.steps_to_read(block) } else { 0 });
        now = prefetch_by_block(world, (number, file), (index, !read), now);
        let Some(request) = &mut world.lanes[number as usize].request else { return now };
        request.missed |= missed;
        request.at += 1;
        if request.at > request.last {
            let missed = request.missed;
            if let Some(stream) = stream {
                now = prefetch_ahead(world, (file, stream), Some(missed), now);
            }
            return now;
        }
    }
}

/// Holds a block for the client; says whether it had to be waited for and whether a read was sent.
/// None when its indirect block has to come first.
pub(super) fn hold_block(
    world: &mut World,
    (number, file): (u32, u32),
    index: u32,
    now: Nanos,
) -> Option<(bool, bool)> {
    let block = world.blocks.files[file as usize].first + index;
    if world.dbufs.exists(block) {
        world.hold_again(block, now);
        if world.arc.cell(block).is(IN_FLIGHT) {
            wait(world, number, block);
            return Some((true, false));
        }
        return Some((false, false));
    }
    if !world.arc.cell(block).is(HAS_DBUF)
        && let Some(parent) = world.blocks.files[file as usize].indirect_of(index)
        && !hold(world, number, parent, now)
    {
        return None;
    }
    world.hold_dbuf(block);
    match world.arc.read(block, now, false) {
        Lookup::Hit => {
            world.add_copy(block, now);
            Some((false, false))
        }
        Lookup::InFlight => {
            world.demand(block);
            wait(world, number, block);
            Some((true, false))
        }
        found => {
            world.start_read(block, found, true, now);
            wait(world, number, block);
            Some((true, true))
        }
    }
}

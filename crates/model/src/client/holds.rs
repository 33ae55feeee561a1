//! Holding the dbufs of metadata: an indirect block, a block of dnodes, of a directory
//! (`dbuf_hold_impl` and `dbuf_findbp`, dbuf.c 0.7 to 2.3).
//!
//! A dbuf that is there is held, and the ARC is told of it. One that is not there is made: first the
//! indirect block that points to it is held in the same way, which then stays held as long as the new
//! dbuf exists; where the dnode itself points to it, the dnode's block is held, of which the ARC is not
//! told. A client that has to wait for a block keeps it held meanwhile, and goes on with it when it is
//! there: that is no second access. One that was never written is made without reading.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of lanes")]

use arcwright_units::Nanos;

use crate::arc::{IN_FLIGHT, Lookup};
use crate::blocks::Block;
use crate::world::World;

/// Holds a block of metadata; false when the client has to wait and to ask again.
pub(super) fn hold(world: &mut World, number: u32, block: Block, now: Nanos) -> bool {
    let pins = &mut world.lanes[number as usize].pins;
    if pins.last() == Some(&block) {
        pins.pop();
        return true;
    }
    if world.dbufs.exists(block) {
        world.hold_again(block, now);
        if world.arc.cell(block).is(IN_FLIGHT) {
            pin(world, number, block);
            return false;
        }
        return true;
    }
    if !hold_parent(world, number, block, now) {
        return false;
    }
    if !world.blocks.is_written(block) {
        world.fill(block, now);
        return true;
    }
    match world.arc.read(block, now, false) {
        Lookup::Hit => {
            world.hold_dbuf(block);
            world.add_copy(block, now);
            true
        }
        found => {
            match found {
                Lookup::InFlight => world.demand(block),
                found => {
                    world.start_read(block, found, true, now);
                }
            }
            world.hold_dbuf(block);
            pin(world, number, block);
            false
        }
    }
}

/// Holds what points to a block; false when the client has to wait and to ask again.
fn hold_parent(world: &mut World, number: u32, block: Block, now: Nanos) -> bool {
    match world.blocks.parent(block) {
        Some(parent) if world.blocks.is_indirect(parent) => hold(world, number, parent, now),
        Some(parent) => {
            world.hold_dbuf(parent);
            true
        }
        None => true,
    }
}

/// Lets go of what was held while its place was taken by somebody else.
pub(super) fn release_pins(world: &mut World, number: u32) {
    while let Some(block) = world.lanes[number as usize].pins.pop() {
        world.release_dbuf(block);
    }
}

fn pin(world: &mut World, number: u32, block: Block) {
    world.lanes[number as usize].pins.push(block);
    wait(world, number, block);
}

/// Makes a client wait for a block that is on its way.
pub(super) fn wait(world: &mut World, number: u32, block: Block) {
    world.lanes[number as usize].pending += 1;
    world.wait_for(block, number);
}

/// Holds a block of data; it is waited for with others later. False when what points to it has to
/// come first.
pub(super) fn hold_data(world: &mut World, number: u32, block: Block, now: Nanos) -> bool {
    if world.dbufs.exists(block) {
        world.hold_again(block, now);
        if world.arc.cell(block).is(IN_FLIGHT) {
            wait(world, number, block);
        }
        return true;
    }
    if !hold_parent(world, number, block, now) {
        return false;
    }
    if !world.blocks.is_written(block) {
        world.fill(block, now);
        return true;
    }
    world.hold_dbuf(block);
    match world.arc.read(block, now, false) {
        Lookup::Hit => world.add_copy(block, now),
        Lookup::InFlight => {
            world.demand(block);
            wait(world, number, block);
        }
        found => {
            world.start_read(block, found, true, now);
            wait(world, number, block);
        }
    }
    true
}

/// Asks for a block of metadata ahead, as urgently as if somebody waited for it (`dmu_prefetch` with
/// `ZIO_PRIORITY_SYNC_READ`); returns the lock operations of its read.
pub(super) fn look_ahead(world: &mut World, block: Block, now: Nanos) -> u64 {
    if world.dbufs.exists(block) {
        return 0;
    }
    let mut steps = 0;
    if let Some(parent) = world.blocks.parent(block)
        && world.dbufs.exists(parent)
        && !world.arc.cell(parent).is(IN_FLIGHT)
    {
        world.arc.touch(parent, now);
        steps += world.behaviour.hold_steps;
    }
    match world.arc.read(block, now, true) {
        Lookup::Hit | Lookup::InFlight => steps,
        found => {
            let read = world.start_read(block, found, false, now);
            world.hasten(block);
            steps + world.behaviour.prefetch_steps + read
        }
    }
}

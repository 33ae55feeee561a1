//! What a client's reads set off ahead of themselves: prefetches of data and of indirect blocks.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of clients and files")]

use arcwright_units::Nanos;

use crate::arc::{IN_FLIGHT, Lookup};
use crate::behaviour::Prefetcher;
use crate::blocks::Block;
use crate::divisor::Divisor;
use crate::world::{Prefetch, World};

/// Lock operations of a prefetch that finds its block in the ARC or on its way there.
const STEPS_PER_FOUND: u64 = 60;

/// The stream of a prefetch that no stream waits for.
const NO_STREAM: u32 = u32::MAX;

/// Tells the oldest prefetchers of a block and sends off what they ask for.
pub(super) fn prefetch_by_block(
    world: &mut World,
    (number, file): (u32, u32),
    (index, prefetched): (u32, bool),
    mut now: Nanos,
) -> Nanos {
    if world.behaviour.prefetcher != Prefetcher::ByBlock {
        return now;
    }
    let request = world.lanes[number as usize].request.as_ref();
    let size = request.map_or(0, |request| u64::from(request.access.size));
    if size > world.settings.zfetch_array_rd_sz {
        return now;
    }
    let mut wanted = Vec::new();
    world.zfetches[file as usize].block(u64::from(index), prefetched, now, &mut wanted);
    for index in wanted.into_iter().flatten() {
        let Ok(index) = u32::try_from(index) else { break };
        let steps = prefetch(world, Prefetch { file, stream: NO_STREAM, index }, now);
        now += world.steps(steps);
    }
    now
}

/// Sends off what the stream asks for; `missed` says whether its reads had to wait, none of writes, for
/// which only indirect blocks are prefetched.
pub(super) fn prefetch_ahead(
    world: &mut World,
    (file, stream): (u32, u32),
    missed: Option<bool>,
    mut now: Nanos,
) -> Nanos {
    let pointers = Divisor::of(u64::from(world.behaviour.pointers));
    let asked = world.zfetches[file as usize].take(stream, missed == Some(true), pointers);
    let wanted = |index: u64| {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Prefetch { file, stream, index }
    };
    let data = if missed.is_some() { asked.data } else { 0..0 };
    for index in data {
        let steps = prefetch(world, wanted(index), now);
        now += world.steps(steps);
    }
    for index in asked.indirect {
        let steps = prefetch_indirect(world, wanted(index), now);
        now += world.steps(steps);
    }
    now
}

/// Prefetches one block; returns how many lock operations that took.
pub(crate) fn prefetch(world: &mut World, wanted: Prefetch, now: Nanos) -> u64 {
    let spec = &world.blocks.files[wanted.file as usize];
    if wanted.index >= spec.count {
        return 0;
    }
    let (block, parent) = (spec.first + wanted.index, spec.indirect_of(wanted.index));
    if world.dbufs.exists(block) {
        return 0;
    }
    if let Some(parent) = parent
        && !prefetch_parent(world, parent, wanted, now)
    {
        return STEPS_PER_FOUND;
    }
    issue_prefetch(world, block, wanted, now)
}

/// Prefetches one indirect block; returns how many lock operations that took.
fn prefetch_indirect(world: &mut World, wanted: Prefetch, now: Nanos) -> u64 {
    let Some(block) = world.blocks.files[wanted.file as usize].indirect(wanted.index) else {
        return 0;
    };
    if world.dbufs.exists(block) {
        return 0;
    }
    // Its reader never passes it: only data that came late lengthens the distance.
    issue_prefetch(world, block, Prefetch { index: u32::MAX, ..wanted }, now)
}

/// Reads a prefetched block unless it is there.
fn issue_prefetch(world: &mut World, block: Block, wanted: Prefetch, now: Nanos) -> u64 {
    let Prefetch { file, stream, .. } = wanted;
    match world.arc.read(block, now, true) {
        Lookup::Hit | Lookup::InFlight => {
            world.zfetches[file as usize].counters.io_issued += 1;
            STEPS_PER_FOUND
        }
        found => {
            let steps = world.start_read(block, found, false, now);
            world.tag(block, wanted);
            world.zfetches[file as usize].sent(stream);
            world.prefetches += 1;
            world.behaviour.prefetch_steps + steps
        }
    }
}

/// Looks up the indirect block of a prefetch; false when it has to come first.
fn prefetch_parent(world: &mut World, parent: Block, child: Prefetch, now: Nanos) -> bool {
    if world.dbufs.exists(parent) && !world.arc.cell(parent).is(IN_FLIGHT) {
        world.touch_dbuf(parent, now);
        return true;
    }
    match world.arc.read(parent, now, false) {
        Lookup::Hit => {
            if world.keeps_dbuf(parent) {
                world.hold_dbuf(parent);
                world.add_copy(parent, now);
                world.release_dbuf(parent);
            }
            return true;
        }
        Lookup::InFlight => world.demand(parent),
        found => {
            world.start_read(parent, found, true, now);
        }
    }
    world.prefetch_behind(parent, child);
    false
}

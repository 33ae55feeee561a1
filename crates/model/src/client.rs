//! A client's requests: dbufs, the ARC, the prefetcher, and what its own work costs.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of clients and files")]

use arcwright_scenario::{Measured, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Access, Accesses, Client as Spec};

use crate::arc::{HAS_DBUF, IN_FLIGHT, Lookup};
use crate::behaviour::Prefetcher;
use crate::blocks::Block;
use crate::events::Event;
use crate::world::{Prefetch, World};

/// Lock operations of a client's call, of a block whose dbuf is made anew, and of one whose dbuf is
/// there; from `cargo xtask costs`, cached reads in the lab on disks that take no time (2.3.2: 13, 98, 42;
/// 2.1.11: 14, 106, 49), where a lock operation is what work is counted in.
const STEPS_PER_CALL: u64 = 13;
const STEPS_PER_BLOCK: u64 = 102;
const STEPS_PER_DBUF: u64 = 45;
/// Lock operations of a prefetch that finds its block in the ARC or on its way there.
const STEPS_PER_FOUND: u64 = 60;

/// The stream of a prefetch that no stream waits for.
const NO_STREAM: u32 = u32::MAX;

/// One client at work.
pub(crate) struct Client {
    pub(crate) pending: u32,
    spec: Spec,
    file: u32,
    accesses: Accesses,
    limit: Option<Nanos>,
    began: Nanos,
    request: Option<Request>,
    done: Tally,
    pub(crate) end: Option<Nanos>,
}

/// A request under way.
struct Request {
    access: Access,
    asked: Nanos,
    first: u32,
    last: u32,
    /// The next block to look at.
    at: u32,
    stream: Option<u32>,
    missed: bool,
}

impl Client {
    pub(crate) fn new(
        spec: &Spec,
        file: u32,
        accesses: Accesses,
        times: (Nanos, Option<Nanos>),
    ) -> Self {
        Self {
            pending: 0,
            spec: spec.clone(),
            file,
            accesses,
            limit: times.1,
            began: times.0,
            request: None,
            done: Tally::default(),
            end: None,
        }
    }

    /// Returns what it did, once it is done.
    pub(crate) fn measured(&self) -> Measured {
        self.done.measured(&self.spec, self.began, self.end.unwrap_or(self.began))
    }
}

/// Lets a client go on until it has to wait or is ahead of what happens elsewhere.
pub(crate) fn go_on(world: &mut World, number: u32) {
    let mut now = world.now;
    loop {
        if world.clients[number as usize].request.is_none() && !begin(world, number, now) {
            return;
        }
        now = look_at_blocks(world, number, now);
        if world.clients[number as usize].pending > 0 {
            return;
        }
        if !is_complete(world, number) {
            continue;
        }
        let at = finish(world, number, now);
        if at > now || world.next_event() < now {
            now = at.max(now);
            if world.next_event() < now {
                world.events.push(now, Event::Client(number));
                return;
            }
        }
    }
}

fn is_complete(world: &World, number: u32) -> bool {
    world.clients[number as usize].request.as_ref().is_none_or(|request| request.at > request.last)
}

/// Takes the client's next request; false when there is none left.
fn begin(world: &mut World, number: u32, now: Nanos) -> bool {
    let client = &mut world.clients[number as usize];
    let late = client.limit.is_some_and(|limit| now >= limit);
    let access = if late { None } else { client.accesses.next() };
    let Some(access) = access else {
        client.end = Some(now);
        return false;
    };
    let number_of_file = client.file as usize;
    let file = &world.blocks.files[number_of_file];
    let first = file.index_of(access.offset);
    let last = file.index_of(access.offset + u64::from(access.size) - 1);
    let long = u64::from(access.size) > world.settings.zfetch_array_rd_sz
        && world.behaviour.long_reads_bypass_prefetch;
    let crowded = world.prefetches_crowd(file.block_bytes);
    let range = (u64::from(first), u64::from(last - first + 1));
    let zfetch = &mut world.zfetches[number_of_file];
    let stream = if long { None } else { zfetch.access(range, now, crowded) };
    let client = &mut world.clients[number as usize];
    client.request =
        Some(Request { access, asked: now, first, last, at: first, stream, missed: false });
    true
}

/// Looks at the blocks of the request from where it stopped; returns the time when it is through.
fn look_at_blocks(world: &mut World, number: u32, mut now: Nanos) -> Nanos {
    loop {
        let client = &world.clients[number as usize];
        let (Some(request), file) = (&client.request, client.file) else { return now };
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
        let Some(request) = &mut world.clients[number as usize].request else { return now };
        request.missed |= missed;
        request.at += 1;
        if request.at > request.last {
            let missed = request.missed;
            if let Some(stream) = stream {
                now = prefetch_ahead(world, (file, stream), missed, now);
            }
            return now;
        }
    }
}

/// Holds a block for the client; says whether it had to be waited for and whether a read was sent.
/// None when its indirect block has to come first.
fn hold_block(
    world: &mut World,
    (number, file): (u32, u32),
    index: u32,
    now: Nanos,
) -> Option<(bool, bool)> {
    let block = world.blocks.files[file as usize].first + index;
    let bytes = world.dbuf_bytes(block);
    if world.dbufs.exists(block) {
        if world.arc.cell(block).is(IN_FLIGHT) {
            world.dbufs.hold(block, bytes);
            wait(world, number, block);
            return Some((true, false));
        }
        world.touch(block, now);
        world.dbufs.hold(block, bytes);
        return Some((false, false));
    }
    if !world.arc.cell(block).is(HAS_DBUF)
        && let Some(parent) = world.blocks.files[file as usize].indirect_of(index)
        && !hold_parent(world, number, parent, now)
    {
        return None;
    }
    world.dbufs.hold(block, bytes);
    match world.arc.read(block, now, false) {
        Lookup::Hit => {
            world.add_copy(bytes, now);
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

/// Holds the dbuf of an indirect block; false when the client has to wait for it.
fn hold_parent(world: &mut World, number: u32, parent: Block, now: Nanos) -> bool {
    let bytes = world.dbuf_bytes(parent);
    if world.dbufs.exists(parent) {
        if world.arc.cell(parent).is(IN_FLIGHT) {
            wait(world, number, parent);
            return false;
        }
        world.touch(parent, now);
        world.dbufs.hold(parent, bytes);
        return true;
    }
    match world.arc.read(parent, now, false) {
        Lookup::Hit => {
            world.dbufs.hold(parent, bytes);
            world.add_copy(bytes, now);
            true
        }
        found => {
            match found {
                Lookup::InFlight => world.demand(parent),
                found => {
                    world.start_read(parent, found, true, now);
                }
            }
            make_dbuf(world, parent, bytes);
            wait(world, number, parent);
            false
        }
    }
}

/// Makes the dbuf of a block that is on its way; it stays as long as the cache lets it.
fn make_dbuf(world: &mut World, block: Block, bytes: u64) {
    world.dbufs.hold(block, bytes);
    world.dbufs.release(block, bytes);
}

fn wait(world: &mut World, number: u32, block: Block) {
    world.clients[number as usize].pending += 1;
    world.wait_for(block, number);
}

/// Tells the oldest prefetchers of a block and sends off what they ask for.
fn prefetch_by_block(
    world: &mut World,
    (number, file): (u32, u32),
    (index, prefetched): (u32, bool),
    mut now: Nanos,
) -> Nanos {
    if world.behaviour.prefetcher != Prefetcher::ByBlock {
        return now;
    }
    let request = world.clients[number as usize].request.as_ref();
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

/// Sends off what the stream asks for.
fn prefetch_ahead(
    world: &mut World,
    (file, stream): (u32, u32),
    missed: bool,
    mut now: Nanos,
) -> Nanos {
    let asked = world.zfetches[file as usize].take(stream, missed, world.behaviour.pointers);
    let wanted = |index: u64| {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Prefetch { file, stream, index }
    };
    for index in asked.data {
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
    let bytes = world.dbuf_bytes(parent);
    if world.dbufs.exists(parent) && !world.arc.cell(parent).is(IN_FLIGHT) {
        world.touch(parent, now);
        return true;
    }
    match world.arc.read(parent, now, false) {
        Lookup::Hit => {
            world.add_copy(bytes, now);
            make_dbuf(world, parent, bytes);
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

/// Ends the request: copies, lets go of the blocks, counts; returns when the next one may begin.
fn finish(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let Some(request) = world.clients[number as usize].request.take() else { return now };
    let file = world.clients[number as usize].file;
    let size = Bytes(u64::from(request.access.size));
    let copy = world.costs.copy(size.0);
    let now = now + world.costs.call + world.steps(STEPS_PER_CALL) + copy;
    for index in request.first..=request.last {
        let block = world.blocks.files[file as usize].first + index;
        let bytes = world.dbuf_bytes(block);
        world.dbufs.release(block, bytes);
    }
    world.trim_dbufs();
    let client = &mut world.clients[number as usize];
    let now = client.spec.link.map_or(now, |link| now + link.time(size));
    client.done.count(size, now - request.asked);
    let rested = now + client.spec.think;
    client
        .spec
        .rate
        .map_or(rested, |rate| rested.max(client.began + rate.time_for(client.done.bytes)))
}

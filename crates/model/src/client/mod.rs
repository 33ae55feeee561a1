//! A client's requests: dbufs, the ARC, the prefetcher, and what its own work costs.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of clients and files")]

mod copy;
mod holds;
mod prefetch;
mod reads;
mod walk;
mod writes;

use arcwright_scenario::{Measured, SyncMode, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Access, Accesses, Client as Spec, Waits};

use crate::blocks::Block;
use crate::events::Event;
use crate::world::World;

pub(crate) use prefetch::prefetch;
use reads::look_at_blocks;
pub(crate) use walk::Walk;
use writes::Write;
pub(crate) use writes::wait_for_log;

/// Lock operations of a client's call, of a block whose dbuf is made anew, and of one whose dbuf is
/// there; from `cargo xtask costs`, cached reads in the lab on disks that take no time (2.3.2: 13, 98, 42;
/// 2.1.11: 14, 106, 49), where a lock operation is what work is counted in.
const STEPS_PER_CALL: u64 = 13;
const STEPS_PER_BLOCK: u64 = 102;
const STEPS_PER_DBUF: u64 = 45;

/// One client: what its lanes share.
pub(crate) struct Client {
    spec: Spec,
    /// Its files, in the order of [`Access::file`].
    files: Vec<u32>,
    accesses: Accesses,
    limit: Option<Nanos>,
    began: Nanos,
    done: Tally,
}

/// A request at a time of a client; it has as many lanes as it keeps requests under way.
pub(crate) struct Lane {
    pub(crate) pending: u32,
    /// Blocks of metadata that it holds while it waits for them.
    pins: Vec<Block>,
    /// Its way through a tree, if that is what it does.
    pub(crate) walk: Option<Walk>,
    client: u32,
    request: Option<Request>,
    pub(crate) end: Option<Nanos>,
}

/// A request under way.
struct Request {
    access: Access,
    file: u32,
    asked: Nanos,
    first: u32,
    last: u32,
    /// The next block to look at.
    at: u32,
    stream: Option<u32>,
    missed: bool,
    /// How far a write is.
    write: Write,
}

impl Client {
    pub(crate) fn new(
        spec: &Spec,
        files: Vec<u32>,
        accesses: Accesses,
        times: (Nanos, Option<Nanos>),
    ) -> Self {
        Self {
            spec: spec.clone(),
            files,
            accesses,
            limit: times.1,
            began: times.0,
            done: Tally::default(),
        }
    }

    /// Returns what it has moved so far.
    pub(crate) fn moved(&self) -> Bytes {
        self.done.bytes
    }

    /// Returns what it did until `end`, when its last lane was done.
    pub(crate) fn measured(&self, end: Nanos) -> Measured {
        self.done.measured(&self.spec, self.began, end.max(self.began))
    }
}

impl Lane {
    pub(crate) fn new(client: u32) -> Self {
        Self { pending: 0, pins: Vec::new(), walk: None, client, request: None, end: None }
    }

    /// Returns the client whose lane it is.
    pub(crate) fn client(&self) -> u32 {
        self.client
    }
}

/// Lets a lane that was held up go on.
pub(crate) fn resume(world: &mut World, number: u32) {
    let lane = &mut world.lanes[number as usize];
    lane.pending = lane.pending.saturating_sub(1);
    if lane.pending == 0 {
        go_on(world, number, true);
    }
}

/// Lets a lane go on until it has to wait or is ahead of what happens elsewhere; `is_called` says that
/// its thread waited.
pub(crate) fn go_on(world: &mut World, number: u32, is_called: bool) {
    if world.lanes[number as usize].walk.is_some() {
        walk::go_on(world, number, is_called);
        return;
    }
    let mut ready = world.now;
    let mut now = begin_at(world, ready, is_called);
    loop {
        if world.lanes[number as usize].request.is_none() && !begin(world, number, (ready, now)) {
            return;
        }
        now = if is_write(world, number) {
            writes::go_on(world, number, now)
        } else {
            look_at_blocks(world, number, now)
        };
        if world.lanes[number as usize].pending > 0 {
            world.cores.end(now);
            return;
        }
        if !is_complete(world, number) {
            continue;
        }
        ready = finish(world, number, now);
        if world.next_event() < ready {
            world.events.push(ready, Event::GoOn(number));
            return;
        }
        now = world.cores.begin(ready);
    }
}

/// Returns when a client that is ready has a core.
fn begin_at(world: &mut World, ready: Nanos, is_called: bool) -> Nanos {
    let switch = if is_called { world.costs.switch } else { Nanos::ZERO };
    world.cores.begin_called(ready, switch)
}

fn is_write(world: &World, number: u32) -> bool {
    world.lanes[number as usize].request.as_ref().is_some_and(|request| request.access.write)
}

fn is_complete(world: &World, number: u32) -> bool {
    world.lanes[number as usize].request.as_ref().is_none_or(|request| {
        request.at > request.last && (!request.access.write || request.write.is_over())
    })
}

/// Takes the lane's next request, which was asked for when the lane was ready; false when there is none
/// left.
fn begin(world: &mut World, number: u32, (ready, now): (Nanos, Nanos)) -> bool {
    let lane = &mut world.lanes[number as usize];
    let client = &mut world.clients[lane.client as usize];
    let late = client.limit.is_some_and(|limit| ready >= limit);
    let access = if late { None } else { client.accesses.next() };
    let Some(access) = access else {
        world.end_lane(number, ready);
        return false;
    };
    let file = client.files.get(access.file as usize).copied().unwrap_or(0);
    // A write turns to its blocks transaction by transaction.
    let (first, last, stream) = if access.write {
        (0, 0, None)
    } else {
        look(world, file, (access.offset, u64::from(access.size)), now)
    };
    world.lanes[number as usize].request = Some(Request {
        access,
        file,
        asked: ready,
        first,
        last,
        at: first,
        stream,
        missed: false,
        write: Write::default(),
    });
    true
}

/// Turns to the blocks of `size` bytes at `offset`, and tells the prefetcher; returns the first and the
/// last of them, and the stream that they belong to.
fn look(
    world: &mut World,
    number: u32,
    (offset, size): (u64, u64),
    now: Nanos,
) -> (u32, u32, Option<u32>) {
    let file = &world.blocks.files[number as usize];
    let (first, last) = (file.index_of(offset), file.index_of(offset + size - 1));
    let long =
        size > world.settings.zfetch_array_rd_sz && world.behaviour.long_reads_bypass_prefetch;
    if long || !world.prefetches_data {
        return (first, last, None);
    }
    let crowded = world.prefetches_crowd(file.block_bytes);
    let range = (u64::from(first), u64::from(last - first + 1));
    (first, last, world.zfetches[number as usize].access(range, now, crowded))
}

/// Ends the request: copies, lets go of the blocks, counts; returns when the next one may begin.
fn finish(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let Some(request) = world.lanes[number as usize].request.take() else { return now };
    let client = world.lanes[number as usize].client as usize;
    let size = Bytes(u64::from(request.access.size));
    // Writes have copied with each transaction.
    let copy = if request.access.write { Nanos::ZERO } else { world.costs.copy(size.0) };
    let now = now + world.costs.call + world.steps(STEPS_PER_CALL) + copy;
    world.cores.end(now);
    if request.access.write {
        return count(world, client, &request, now);
    }
    note_partial(world, &request);
    for index in request.first..=request.last {
        let block = world.blocks.files[request.file as usize].first + index;
        world.release_dbuf(block);
    }
    holds::release_pins(world, number);
    world.trim_dbufs();
    count(world, client, &request, now)
}

/// Counts a request that is done; returns when the next one may begin.
fn count(world: &mut World, client: usize, request: &Request, now: Nanos) -> Nanos {
    let size = Bytes(u64::from(request.access.size));
    let always = world.log_rules.sync == SyncMode::Always;
    let client = &mut world.clients[client];
    let now = client.spec.link.map_or(now, |link| now + link.time(size));
    let waits = request.access.waits != Waits::No || (request.access.write && always);
    if waits {
        client.done.count_sync(size, now - request.asked);
    } else {
        client.done.count(size, now - request.asked);
    }
    let rested = now + client.spec.think;
    client
        .spec
        .rate
        .map_or(rested, |rate| rested.max(client.began + rate.time_for(client.done.bytes)))
}

/// Notes how far the last block of a request was read, where blocks leave when they are read through:
/// one that was read from its beginning stays for whoever goes on in it (2.2 and later).
fn note_partial(world: &mut World, request: &Request) {
    if world.kept[0] || !world.prefetches_data {
        return;
    }
    let file = &world.blocks.files[request.file as usize];
    let (block, begin) = (file.first + request.last, u64::from(request.last) * file.block_bytes);
    let end = request.access.offset + u64::from(request.access.size);
    let is_cut = end < (begin + file.block_bytes).min(file.size.0);
    if !is_cut {
        world.dbufs.set_partial(block, false);
    } else if request.access.offset <= begin {
        world.dbufs.set_partial(block, true);
    }
}

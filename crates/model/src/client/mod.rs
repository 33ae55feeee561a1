//! A client's requests: dbufs, the ARC, the prefetcher, and what its own work costs.
#![expect(clippy::indexing_slicing, reason = "indices are numbers of clients and files")]

mod holds;
mod prefetch;
mod reads;

use arcwright_scenario::{Measured, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Access, Accesses, Client as Spec};

use crate::blocks::Block;
use crate::events::Event;
use crate::world::World;

pub(crate) use prefetch::prefetch;
use reads::look_at_blocks;

/// Lock operations of a client's call, of a block whose dbuf is made anew, and of one whose dbuf is
/// there; from `cargo xtask costs`, cached reads in the lab on disks that take no time (2.3.2: 13, 98, 42;
/// 2.1.11: 14, 106, 49), where a lock operation is what work is counted in.
const STEPS_PER_CALL: u64 = 13;
const STEPS_PER_BLOCK: u64 = 102;
const STEPS_PER_DBUF: u64 = 45;

/// One client at work.
pub(crate) struct Client {
    pub(crate) pending: u32,
    /// Blocks of metadata that it holds while it waits for them.
    pins: Vec<Block>,
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
            pins: Vec::new(),
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
    let stream =
        if long || !world.prefetches_data { None } else { zfetch.access(range, now, crowded) };
    let client = &mut world.clients[number as usize];
    client.request =
        Some(Request { access, asked: now, first, last, at: first, stream, missed: false });
    true
}

/// Ends the request: copies, lets go of the blocks, counts; returns when the next one may begin.
fn finish(world: &mut World, number: u32, now: Nanos) -> Nanos {
    let Some(request) = world.clients[number as usize].request.take() else { return now };
    let file = world.clients[number as usize].file;
    let size = Bytes(u64::from(request.access.size));
    let copy = world.costs.copy(size.0);
    let now = now + world.costs.call + world.steps(STEPS_PER_CALL) + copy;
    note_partial(world, file, &request);
    for index in request.first..=request.last {
        let block = world.blocks.files[file as usize].first + index;
        world.release_dbuf(block);
    }
    holds::release_pins(world, number);
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

/// Notes how far the last block of a request was read, where blocks leave when they are read through:
/// one that was read from its beginning stays for whoever goes on in it (2.2 and later).
fn note_partial(world: &mut World, file: u32, request: &Request) {
    if world.kept[0] || !world.prefetches_data {
        return;
    }
    let file = &world.blocks.files[file as usize];
    let (block, begin) = (file.first + request.last, u64::from(request.last) * file.block_bytes);
    let end = request.access.offset + u64::from(request.access.size);
    let is_cut = end < (begin + file.block_bytes).min(file.size.0);
    if !is_cut {
        world.dbufs.set_partial(block, false);
    } else if request.access.offset <= begin {
        world.dbufs.set_partial(block, true);
    }
}

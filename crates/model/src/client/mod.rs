//! Clients: their requests, one slot for each that may be outstanding, and what their own work costs.
//!
//! A slot is a thread: it works through its request until it has to wait, and goes on when it is called.
#![expect(clippy::indexing_slicing, reason = "indices are slots and clients of the phase")]

mod copy;
mod requests;
mod steps;
mod visit;
mod walk;
mod writes;

use std::ops::Range;

use arcwright_scenario::{Measured, Tally};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Access, Accesses, Client as Spec, Waits, Wire};

use crate::ids::{ClientId, FileId, SlotId};
use crate::pool::trees::{self, Tree};
use crate::stack::{LogPath, Pins, ReadPath, Stack, WritePath};
use requests::Request;
pub(crate) use walk::Walk;

/// The clients of a phase.
#[derive(Default)]
pub(crate) struct Clients {
    clients: Vec<Client>,
    slots: Vec<IoSlot>,
    /// How many slots have not come to their end.
    at_work: usize,
    /// The trees that they walk.
    pub(crate) trees: Vec<Tree>,
    /// Those that copies make, in the order in which clients come to them.
    copies: Range<usize>,
}

/// One client: what its slots share.
pub(crate) struct Client {
    spec: Spec,
    wire: Wire,
    /// Its files, in the order of [`arcwright_workload::Access::file`].
    files: Vec<FileId>,
    accesses: Accesses,
    times: Times,
    done: Tally,
    /// Of what is done, what was written.
    written: Bytes,
}

/// When a client works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) began: Nanos,
    /// It makes no new request from then on.
    pub(crate) limit: Option<Nanos>,
}

/// A request at a time of a client; it has as many slots as it keeps requests outstanding.
pub(crate) struct IoSlot {
    pins: Pins,
    /// Its way through a tree, if that is what it does.
    walk: Option<Walk>,
    client: ClientId,
    request: Option<Request>,
    /// The next one, whose time has not come.
    taken: Option<Access>,
    end: Option<Nanos>,
}

impl Client {
    pub(crate) fn new(spec: &Spec, files: Vec<FileId>, accesses: Accesses, times: Times) -> Self {
        Self {
            spec: spec.clone(),
            wire: Wire::new(spec.link),
            files,
            accesses,
            times,
            done: Tally::default(),
            written: Bytes::ZERO,
        }
    }

    /// Returns when the next request may begin after one that is over at `now`.
    fn next_may_begin(&self, now: Nanos) -> Nanos {
        let rested = now + self.spec.think;
        let rate = self.spec.rate;
        rate.map_or(rested, |rate| rested.max(self.times.began + rate.time_for(self.done.bytes)))
    }

    /// Counts a request that is done; returns when the next one may begin.
    fn count(&mut self, request: &Request, always_waits: bool, now: Nanos) -> Nanos {
        let size = Bytes(u64::from(request.access.size));
        let now = self.wire.carry(size, now);
        if request.access.write {
            self.written += size;
        }
        let waits = request.access.waits != Waits::No || (request.access.write && always_waits);
        if waits {
            self.done.count_sync(size, now - request.asked);
        } else {
            self.done.count(size, now - request.asked);
        }
        self.next_may_begin(now)
    }
}

impl Clients {
    /// Makes the clients of a machine with these trees, which has none before its first phase.
    pub(crate) fn of(trees: Vec<Tree>) -> Self {
        Self { copies: trees::copies(&trees), trees, ..Self::default() }
    }

    /// Makes room for those of the next phase.
    pub(crate) fn clear(&mut self) {
        self.clients.clear();
        self.slots.clear();
        self.at_work = 0;
    }

    /// Adds a client.
    pub(crate) fn add(&mut self, client: Client) -> ClientId {
        self.clients.push(client);
        ClientId::at(self.clients.len() - 1)
    }

    /// Adds a slot of a client, which may walk a tree.
    pub(crate) fn add_slot(&mut self, client: ClientId, walk: Option<Walk>) -> SlotId {
        let id = SlotId::at(self.slots.len());
        self.slots.push(IoSlot {
            pins: Pins::of(id),
            walk,
            client,
            request: None,
            taken: None,
            end: None,
        });
        self.at_work += 1;
        id
    }

    /// Returns the next of the trees that copies make: there is one for every client that copies.
    pub(crate) fn next_copy(&mut self) -> usize {
        assert!(!self.copies.is_empty(), "more clients copy than there are copies");
        let next = self.copies.start;
        self.copies.start += 1;
        next
    }

    /// Returns how many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Says whether all of them have come to their end.
    pub(crate) fn are_done(&self) -> bool {
        self.at_work == 0
    }

    /// Returns what all clients have moved so far.
    pub(crate) fn moved(&self) -> Bytes {
        self.clients.iter().map(|client| client.done.bytes).sum()
    }

    /// Returns what all clients have written so far, copies included.
    pub(crate) fn written(&self) -> Bytes {
        self.clients.iter().map(|client| client.written).sum()
    }

    /// Returns when the last slot came to its end.
    pub(crate) fn end(&self) -> Option<Nanos> {
        self.slots.iter().filter_map(|slot| slot.end).max()
    }

    /// Returns what each client did until its last slot was done.
    pub(crate) fn measured(&self) -> Vec<Measured> {
        let of = |(client, number): (&Client, u32)| {
            let slots = self.slots.iter().filter(|slot| slot.client == ClientId(number));
            // One that was stopped before it came to its end is measured as of its beginning.
            let end = slots.filter_map(|slot| slot.end).max().unwrap_or(client.times.began);
            let began = client.times.began;
            client.done.measured(&client.spec, began, end.max(began))
        };
        self.clients.iter().zip(0..).map(of).collect()
    }

    /// Lets a slot go on until it has to wait or is ahead of what happens elsewhere; `is_called` says that
    /// its thread has to be switched to.
    pub(crate) fn go_on(&mut self, stack: &mut Stack, id: SlotId, is_called: bool) {
        let Self { clients, slots, at_work, trees, .. } = self;
        let slot = &mut slots[id.place()];
        let client = &mut clients[slot.client.place()];
        let end = if slot.walk.is_some() {
            walk::go_on(slot, client, trees, stack, is_called)
        } else {
            requests::go_on(slot, client, stack, is_called)
        };
        if let Some(end) = end
            && slot.end.replace(end).is_none()
        {
            *at_work -= 1;
        }
    }

    /// A slot has come to the point where it waits for the log.
    pub(crate) fn wait_for_log(
        &mut self,
        id: SlotId,
        reads: &mut ReadPath,
        writes: &mut WritePath,
        log: &mut LogPath,
    ) {
        writes::wait_for_log(&mut self.slots[id.place()], reads, writes, log);
    }
}

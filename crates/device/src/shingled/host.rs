//! What the host has asked for and what is not done of it.

use std::collections::VecDeque;

use arcwright_units::Nanos;

use crate::numbered::Numbered;
use crate::request::Request;

/// A request of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostRequest {
    pub(super) ticket: u32,
    pub(super) request: Request,
    /// Requests to the platters that are still to be done for it.
    pub(super) parts: u32,
}

/// All requests of the host, by numbers of their own.
#[derive(Debug, Clone, Default)]
pub(super) struct HostRequests {
    all: Numbered<HostRequest>,
    /// Those under way or waiting.
    pub(super) under_way: usize,
    /// Writes and flushes that wait for room, in their order.
    pub(super) waiting: VecDeque<u32>,
    /// Parts of reads that wait for others.
    pub(super) parts: VecDeque<(u32, Request)>,
    pub(super) parts_under_way: usize,
    /// When there was last something to do.
    pub(super) last_work: Nanos,
}

impl HostRequests {
    /// Takes a request and returns its number.
    pub(super) fn add(&mut self, ticket: u32, request: Request) -> u32 {
        self.under_way += 1;
        self.all.add(HostRequest { ticket, request, parts: 0 })
    }

    pub(super) fn get(&self, number: u32) -> Option<HostRequest> {
        self.all.get(number)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut HostRequest> {
        self.all.get_mut(number)
    }

    /// Notes that a part is done at `at`; returns the ticket of its request when that was the last one.
    pub(super) fn part_done(&mut self, number: u32, at: Nanos) -> Option<u32> {
        self.parts_under_way -= 1;
        let request = self.get_mut(number)?;
        request.parts = request.parts.saturating_sub(1);
        let ticket = (request.parts == 0).then_some(request.ticket)?;
        self.all.release(number);
        self.under_way -= 1;
        self.last_work = self.last_work.max(at);
        Some(ticket)
    }
}

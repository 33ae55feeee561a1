//! Flash devices: channels, a latency floor, a link, a fast write cache with an end, flushes.
//!
//! # Theory
//!
//! A read of `n` stripes occupies `n` channels for the time of one page read each, then crosses the
//! link: small reads cost the latency floor, many of them use all channels, large ones run at the
//! link's or the flash's rate, whichever is lower. Writes are taken in order at the *burst* rate
//! while the fast cache (single-level cells, as vendors print it) has room and at the *sustained*
//! rate afterwards; idle time gives the room back. While programs are under way, page reads take
//! longer. A flush waits for the writes before it and then costs `flush`, which is small only with
//! power-loss protection; without it, later writes wait for the flush. A flush with nothing written
//! since the last one is an empty command.
//!
//! Simplifications: no translation layer and no garbage collection by itself; their effect is one
//! number, the write amplification, right for a ring writer such as the L2ARC (1.0 to 1.1) and too
//! kind to small random overwrites of a full drive. No tail of rare slow reads. Writes do not wait for the
//! link, except where the device is told that it carries one direction at a time, as SATA's does.
//!
//! Small case: 8 channels of 70 µs, stripe 16 KiB, link 3 GB/s. A 128 KiB read takes all 8 channels
//! for 70 µs and then 44 µs of link; eight of them at once take 70 + 8 * 70 µs, the channels being
//! the limit (1.9 GB/s), not the link.

use arcwright_units::{Bytes, Nanos, Rate};

use crate::profile::FlashSpec;
use crate::request::{Io, Request};

/// A flash device at work, in inner time.
#[derive(Debug, Clone)]
pub(crate) struct Flash {
    spec: FlashSpec,
    /// When each channel is free.
    channels: Vec<Nanos>,
    link_free: Nanos,
    write_free: Nanos,
    cache: Cache,
    is_dirty: bool,
    /// Whether the link carries one direction at a time.
    is_one_way: bool,
}

/// The fast write cache: room in bytes, given back by idle time.
#[derive(Debug, Clone)]
struct Cache {
    room: u64,
    size: u64,
    refill: Rate,
    /// Until when the room was computed.
    at: Nanos,
}

impl Flash {
    pub(crate) fn new(spec: &FlashSpec, factor: u64) -> Self {
        let size = spec.cache_size.0 / factor.max(1);
        Self {
            channels: vec![Nanos::ZERO; usize::from(spec.channels.max(1))],
            link_free: Nanos::ZERO,
            write_free: Nanos::ZERO,
            cache: Cache { room: size, size, refill: spec.cache_refill, at: Nanos::ZERO },
            is_dirty: false,
            is_one_way: false,
            spec: spec.clone(),
        }
    }

    /// From now on the link carries one direction at a time.
    pub(crate) fn share_link(&mut self) {
        self.is_one_way = true;
    }

    /// Returns when a request that arrives now will be done.
    pub(crate) fn serve(&mut self, arrival: Nanos, request: &Request) -> Nanos {
        match request.io {
            Io::Read => self.read(arrival, request),
            Io::Write => self.write(arrival, request),
            Io::Flush => self.flush(arrival),
        }
    }

    /// Returns how much flash a request wears out.
    pub(crate) fn wear_of(&self, request: &Request) -> Bytes {
        match request.io {
            Io::Write => Bytes(u64::from(request.size) * self.spec.amplification_permille / 1000),
            Io::Read | Io::Flush => Bytes::ZERO,
        }
    }

    fn read(&mut self, arrival: Nanos, request: &Request) -> Nanos {
        let is_programming = self.write_free > arrival;
        let percent = if is_programming { self.spec.read_while_writing_percent } else { 100 };
        let page = Nanos(self.spec.read_latency.0.saturating_mul(percent) / 100);
        let flash_end = self.read_pages(arrival, request, page);
        let size = Bytes(u64::from(request.size));
        let link = self.spec.read_rate.time_for(size).max(self.spec.command);
        self.link_free = self.link_free.max(arrival) + link;
        (self.link_free + page).max(flash_end + link)
    }

    /// Occupies the channels of the request's stripes and returns when the last one is read.
    fn read_pages(&mut self, arrival: Nanos, request: &Request, page: Nanos) -> Nanos {
        let stripe = self.spec.stripe.0.max(1);
        let behind = request.offset.saturating_add(u64::from(request.size.max(1)));
        let count = self.channels.len() as u64;
        let mut end = arrival + page;
        for place in request.offset / stripe..behind.div_ceil(stripe) {
            // Most devices have a power of two of channels, where no division is needed.
            let spread = spread(place);
            let turn = if count.is_power_of_two() { spread & (count - 1) } else { spread % count };
            let index = usize::try_from(turn).unwrap_or(0);
            if let Some(free) = self.channels.get_mut(index) {
                *free = (*free).max(arrival) + page;
                end = end.max(*free);
            }
        }
        end
    }

    fn write(&mut self, arrival: Nanos, request: &Request) -> Nanos {
        let size = u64::from(request.size);
        let mut start = self.write_free.max(arrival);
        if self.is_one_way {
            let begin = self.link_free.max(arrival);
            self.link_free =
                begin + self.spec.read_rate.time_for(Bytes(size)).max(self.spec.command);
            start = start.max(begin);
        }
        let fast = self.cache.take(start, size);
        let programs = self.spec.write_rate_burst.time_for(Bytes(fast))
            + self.spec.write_rate.time_for(Bytes(size - fast));
        self.write_free = start + programs.max(self.spec.command);
        self.cache.at = self.write_free;
        self.is_dirty |= size > 0;
        self.write_free + self.spec.write_latency
    }

    fn flush(&mut self, arrival: Nanos) -> Nanos {
        let start = self.write_free.max(arrival);
        if !self.is_dirty {
            return start + self.spec.command;
        }
        self.is_dirty = false;
        let end = start + self.spec.flush;
        if !self.spec.power_loss_protection {
            // The drive programs what its volatile buffer held; writes wait for it.
            self.write_free = end;
        }
        end
    }
}

impl Cache {
    /// Takes at most `size` of the room there is at `now` and returns how much.
    fn take(&mut self, now: Nanos, size: u64) -> u64 {
        let idle = u128::from((now - self.at).0);
        let emptied = u128::from(self.refill.0) * idle / 1_000_000_000;
        self.room = self.room.saturating_add(u64::try_from(emptied).unwrap_or(u64::MAX));
        let taken = self.room.min(self.size).min(size);
        self.room = self.room.min(self.size) - taken;
        taken
    }
}

/// Spreads neighbouring stripes over the channels the way a translation layer does: evenly, and
/// without a stride that would meet one channel only.
fn spread(stripe: u64) -> u64 {
    stripe ^ (stripe >> 7) ^ (stripe >> 13)
}

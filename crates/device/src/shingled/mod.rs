//! Drives with shingled tracks that hide it from the host (drive-managed SMR).
//!
//! # Theory
//!
//! Tracks overlap like shingles within a *band*, so that a band can only be written from its beginning to its end. A
//! write in the middle goes to a *cache* on the platters instead, at the outer diameter, one behind the other as in a
//! log; a map says what of it is where. What is written in a long row goes straight to its bands. When the drive has been
//! idle for a while it *cleans*: it takes the band whose data is oldest, reads it together with what of it lies in the
//! cache, and writes it again. When the cache or its map is full, a write waits until a band has been cleaned: that is
//! the cliff. Reads are put together from bands and cache, and seek between them.
//!
//! The structure, and sizes of a drive of 2013, are from A. Aghayev and P. Desnoyers, "Skylight: a window on shingled
//! disk operation", FAST 2015: one cache at the outer diameter, static mapping of bands, cleaning in the order of
//! arrival that begins when the drive is idle.
//!
//! Simplifications: no cylinders are left out between bands; all bands have one size, while real ones are larger outside;
//! a drive that knows from TRIM what is no longer wanted still rewrites it; the cache is empty at the beginning, as after
//! a night of rest; what is read of it is not moved; writing the map takes no time. When a row of writes ends in a band,
//! what lies behind it in the band is written again later.
//!
//! Small case: bands of 30 MiB at 180 MB/s. A cleaning reads 30 MiB, writes a copy and the band: 3 x 0.17 s. With the
//! cache full of small writes all over the drive, each in a band of its own, one write is taken per cleaning: 2 per second
//! instead of some hundred.

mod cleaning;
mod host;
mod map;
mod streams;

use std::collections::VecDeque;

use arcwright_units::{Bytes, Nanos};

use crate::hdd::Hdd;
use crate::ledger::Ledger;
use crate::profile::{HddSpec, ShingleSpec};
use crate::request::{Completion, Counters, Io, Request};

use cleaning::Cleaning;
use host::{HostRequest, HostRequests};
use map::{CacheMap, Piece};
use streams::Streams;

/// Bands and cache of a scaled drive have at least this much: requests keep their size.
const SCALED_MIN: u64 = 1 << 20;

/// Reads of the platters that the drive asks for at once, for one or several requests of the host.
const PARTS_MAX: usize = 256;

/// A drive at work. Its platters are a disk, which has its own queue; times here are the caller's.
#[derive(Debug, Clone)]
pub(crate) struct Shingled {
    ledger: Ledger,
    disk: Hdd,
    layer: Layer,
    map: CacheMap,
    streams: Streams,
    /// Where in the cache the next write goes.
    head: u64,
    /// Rests of bands to be written again, by where they begin.
    rests: VecDeque<u64>,
    cleaning: Option<Cleaning>,
    host: HostRequests,
    pieces: Vec<Piece>,
    done: Vec<Completion>,
}

/// Sizes of the layer that hides the shingles, scaled.
#[derive(Debug, Clone, Copy)]
struct Layer {
    band: u64,
    cache: u64,
    entries: usize,
    idle: Nanos,
}

/// The number of the drive's own requests to its platters.
const OWN: u32 = u32::MAX;

impl Shingled {
    pub(crate) fn new(
        spec: &HddSpec,
        shingle: &ShingleSpec,
        factor: u64,
        size: Bytes,
        seed: u64,
    ) -> Self {
        let factor = factor.max(1);
        let scaled = |size: Bytes| (size.0 / factor).max(SCALED_MIN.min(size.0));
        let layer = Layer {
            band: scaled(shingle.band).max(1),
            cache: scaled(shingle.cache),
            entries: usize::try_from(u64::from(shingle.entries) / factor).unwrap_or(1).max(1),
            idle: Nanos(shingle.idle.0.saturating_mul(factor)),
        };
        Self {
            ledger: Ledger::new(1),
            disk: Hdd::new(spec, factor, size + Bytes(layer.cache), seed),
            layer,
            map: CacheMap::new(layer.band),
            streams: Streams::new(scaled(shingle.direct)),
            head: 0,
            rests: VecDeque::new(),
            cleaning: None,
            host: HostRequests::default(),
            pieces: Vec::new(),
            done: Vec::new(),
        }
    }

    pub(crate) fn submit(&mut self, now: Nanos, ticket: u32, request: Request) {
        self.run_until(now);
        self.ledger.arrive(now, &request);
        let number = self.host.add(ticket, request);
        match request.io {
            Io::Read => self.read(number, request),
            Io::Write | Io::Flush => self.host.waiting.push_back(number),
        }
        self.go_on(now);
    }

    pub(crate) fn next_event(&self) -> Nanos {
        self.ledger.next().min(self.next_of_platters())
    }

    pub(crate) fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.run_until(now);
        self.ledger.collect(now, done);
    }

    /// Returns what the host asked for; movements of the head are those of everything that the drive did.
    pub(crate) fn counters(&self) -> Counters {
        Counters { seeks: self.disk.counters().seeks, ..self.ledger.counters() }
    }

    fn next_of_platters(&self) -> Nanos {
        let is_begun = self.cleaning.as_ref().is_some_and(Cleaning::is_step_under_way);
        let idle = if self.is_something_to_clean() && self.host.under_way == 0 && !is_begun {
            self.idle_from()
        } else {
            Nanos::MAX
        };
        self.disk.next_event().min(idle)
    }

    fn idle_from(&self) -> Nanos {
        Nanos(self.host.last_work.0.saturating_add(self.layer.idle.0))
    }

    fn is_something_to_clean(&self) -> bool {
        self.cleaning.is_some()
            || !self.map.is_empty()
            || !self.rests.is_empty()
            || self.streams.is_any_direct()
    }

    fn run_until(&mut self, now: Nanos) {
        loop {
            let next = self.next_of_platters();
            if next > now {
                return;
            }
            let mut done = std::mem::take(&mut self.done);
            self.disk.advance(next, &mut done);
            for completion in done.drain(..) {
                self.completed(completion);
            }
            self.done = done;
            self.go_on(next);
        }
    }

    /// Notes that a request to the platters is done.
    fn completed(&mut self, Completion { ticket, at }: Completion) {
        if ticket == OWN {
            let is_last = self.cleaning.as_mut().is_some_and(Cleaning::stepped);
            if is_last && let Some(cleaning) = self.cleaning.take() {
                self.map.remove(cleaning.start, cleaning.end, cleaning.before);
                self.map.list_again(cleaning.band);
            }
            return;
        }
        if let Some(ticket) = self.host.part_done(ticket, at) {
            self.ledger.finish(ticket, at);
        }
    }

    /// Does what can be done at `at`: parts of reads, writes for which there is room, a step of a cleaning.
    fn go_on(&mut self, at: Nanos) {
        self.host.last_work =
            if self.host.under_way > 0 { self.host.last_work.max(at) } else { self.host.last_work };
        while self.host.parts_under_way < PARTS_MAX
            && let Some((number, part)) = self.host.parts.pop_front()
        {
            self.host.parts_under_way += 1;
            self.disk.submit(at, number, part);
        }
        while let Some(number) = self.host.waiting.front().copied() {
            let Some(HostRequest { request, .. }) = self.host.get(number) else { break };
            if !self.take_write(at, number, request) {
                break;
            }
            self.host.waiting.pop_front();
        }
        let is_idle = self.host.under_way == 0 && at >= self.idle_from();
        if !self.host.waiting.is_empty() || is_idle {
            self.clean(at);
        }
    }

    /// Asks for the pieces of a read.
    fn read(&mut self, number: u32, request: Request) {
        let end = request.offset.saturating_add(u64::from(request.size));
        let mut pieces = std::mem::take(&mut self.pieces);
        self.map.pieces(request.offset, end, &mut pieces);
        if pieces.is_empty() {
            pieces.push(Piece { start: request.offset, end: request.offset, cached_at: None });
        }
        if let Some(read) = self.host.get_mut(number) {
            read.parts = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        }
        for piece in pieces.drain(..) {
            let offset = piece.cached_at.unwrap_or(self.layer.cache.saturating_add(piece.start));
            let size = u32::try_from(piece.end - piece.start).unwrap_or(request.size);
            self.host.parts.push_back((number, Request { io: Io::Read, offset, size }));
        }
        self.pieces = pieces;
    }

    /// Takes a write or a flush if there is room for it.
    fn take_write(&mut self, at: Nanos, number: u32, request: Request) -> bool {
        let place = match request.size {
            0 => Some(request.offset),
            size => {
                self.place_write(request.offset, request.offset.saturating_add(u64::from(size)))
            }
        };
        let Some(offset) = place else { return false };
        if let Some(write) = self.host.get_mut(number) {
            write.parts = 1;
        }
        self.host.parts_under_way += 1;
        self.disk.submit(at, number, Request { offset, ..request });
        true
    }

    /// Notes a write and returns where on the platters it goes; none where it has to wait for room in the cache.
    fn place_write(&mut self, start: u64, end: u64) -> Option<u64> {
        let size = end - start;
        let bands = (end - 1) / self.layer.band - start / self.layer.band + 1;
        let entries = self.map.len().saturating_add(usize::try_from(bands).unwrap_or(usize::MAX));
        let is_room = self.map.is_empty()
            || (self.map.bytes() + size <= self.layer.cache && entries <= self.layer.entries);
        if !is_room && !self.streams.would_be_direct(start, end) {
            return None;
        }
        let followed = self.streams.follow(start, end);
        if let Some(left) = followed.left {
            self.leave(left);
        }
        if followed.is_direct {
            self.map.remove(start, end, u64::MAX);
            return Some(self.layer.cache.saturating_add(start));
        }
        let place = self.place_in_cache(size);
        self.map.add(start, end, place);
        Some(place)
    }

    /// Returns where the next `size` bytes of the cache go.
    fn place_in_cache(&mut self, size: u64) -> u64 {
        if self.head.saturating_add(size) > self.layer.cache {
            self.head = 0;
        }
        let place = self.head;
        self.head += size;
        place
    }

    /// Notes that a row that went straight to its bands ended at `end`: the rest of the band is to be written again.
    fn leave(&mut self, end: u64) {
        if !end.is_multiple_of(self.layer.band) {
            self.rests.push_back(end);
        }
    }

    /// Goes on with cleaning, or begins.
    fn clean(&mut self, at: Nanos) {
        if self.cleaning.is_none() {
            self.cleaning = self.next_cleaning();
        }
        if let Some(step) = self.cleaning.as_mut().and_then(Cleaning::step) {
            self.disk.submit(at, OWN, step);
        }
    }

    /// Returns what is cleaned next: for room the band whose data is oldest, else first the rests of bands.
    fn next_cleaning(&mut self) -> Option<Cleaning> {
        let is_pressed = !self.host.waiting.is_empty();
        let range = if is_pressed { self.oldest_band() } else { None };
        if range.is_none() && self.rests.is_empty() {
            let ended: Vec<u64> = self.streams.end_all().collect();
            ended.into_iter().for_each(|end| self.leave(end));
        }
        let (band, start) = range.or_else(|| self.rest()).or_else(|| self.oldest_band())?;
        let mut pieces = std::mem::take(&mut self.pieces);
        self.map.pieces(start, (band + 1) * self.layer.band, &mut pieces);
        let size = (band + 1) * self.layer.band - start;
        let spare = self.place_in_cache(size.min(self.layer.cache));
        let cleaning = Cleaning::new(band, self.map.sequence(), &pieces, self.layer.cache, spare);
        pieces.clear();
        self.pieces = pieces;
        Some(cleaning)
    }

    fn rest(&mut self) -> Option<(u64, u64)> {
        self.rests.pop_front().map(|start| (start / self.layer.band, start))
    }

    fn oldest_band(&mut self) -> Option<(u64, u64)> {
        self.map.take_oldest_band().map(|band| (band, band * self.layer.band))
    }
}

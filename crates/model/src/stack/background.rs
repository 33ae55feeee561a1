//! Threads that work by themselves: the evictions of blocks and of dbufs, and the L2ARC's feed.

use arcwright_units::Nanos;

use super::ReadPath;
use crate::clock::Event;
use crate::io::{Extent, Purpose};
use crate::vdev::queue::Class;
use crate::versions::work::Work;

impl ReadPath {
    /// The eviction thread goes on.
    pub(crate) fn evict(&mut self) {
        let clock = &mut self.clock;
        if let Some(blocks) = self.cache.arc.evict_on(clock.now) {
            let took = clock.lock_ops(blocks * clock.counts.count(Work::Evict)) + clock.lock_ops(1);
            let over = clock.cores.work(clock.now, took);
            clock.push(over, Event::Evict);
        }
    }

    /// The thread that evicts dbufs goes on.
    pub(crate) fn trim_dbufs(&mut self) {
        let clock = &mut self.clock;
        let evicted = self.cache.trim_on(&self.blocks);
        if evicted > 0 {
            let took = clock.lock_ops(evicted * clock.counts.count(Work::DbufEvict));
            let over = clock.cores.work(clock.now, took);
            clock.push(over, Event::TrimDbufs);
        }
    }

    /// The thread that evicts dbufs has slept for long enough.
    pub(crate) fn trimmer_due(&mut self) {
        if self.cache.trimmer_is_due() {
            self.trim_dbufs();
        }
    }

    /// The feed's thread wakes: it begins a pass, or sleeps on.
    pub(crate) fn feed(&mut self) {
        let (clock, cache) = (&mut self.clock, &mut self.cache);
        let Some(pass) = cache.l2arc.feed(&mut cache.arc, clock.now) else {
            let again = cache.l2arc.retry(clock.now);
            clock.push(again, Event::Feed);
            return;
        };
        if pass.writes.is_empty() {
            let next = cache.l2arc.finish(&mut cache.arc, &pass, clock.now);
            clock.push(next, Event::Feed);
            return;
        }
        let request = self.io.new_request(Purpose::Feed, Class::AsyncWrite);
        let now = self.clock.now;
        let mut cipher = Nanos::ZERO;
        for write in &pass.writes {
            let part = Extent { offset: write.offset, bytes: self.blocks.size(write.block) };
            self.io.add_part(now, request, pass.leaf, part);
            if !self.cache.arc.is_sealed(write.block) {
                cipher += self.cipher(write.block);
            }
        }
        // The feed's own thread encrypts again what it has in the clear alone, block by block while the device is at work.
        if cipher > Nanos::ZERO {
            self.clock.cores.work(now, cipher);
        }
        let leaf = pass.leaf;
        self.cache.arc.feed_writes = true;
        self.cache.pass = Some(pass);
        self.io.pump(now, leaf, false);
    }

    /// What the feed wrote is on its cache device.
    pub(crate) fn feed_done(&mut self) {
        let cache = &mut self.cache;
        debug_assert!(cache.pass.is_some(), "the feed wrote without a pass");
        let Some(pass) = cache.pass.take() else { return };
        cache.arc.feed_writes = false;
        let next = cache.l2arc.finish(&mut cache.arc, &pass, self.clock.now);
        self.clock.push(next, Event::Feed);
    }
}

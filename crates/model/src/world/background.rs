//! Threads that work by themselves: eviction, and the L2ARC's feed.

use super::{Purpose, World};
use crate::events::Event;
use crate::vdev::queue::Class;

/// Lock operations of evicting a block; the board is the same from 80 to 200, and worse with 25.
const STEPS_TO_EVICT: u64 = 100;

impl World {
    pub(super) fn evict(&mut self) {
        if let Some(blocks) = self.arc.evict_on(self.now) {
            let took = self.steps(blocks * STEPS_TO_EVICT) + self.steps(1);
            self.events.push(self.cores.work(self.now, took), Event::Evict);
        }
    }

    pub(super) fn feed(&mut self) {
        let Some(pass) = self.l2arc.feed(&mut self.arc, self.now) else {
            self.events.push(self.l2arc.retry(self.now), Event::Feed);
            return;
        };
        if pass.writes.is_empty() {
            let next = self.l2arc.finish(&mut self.arc, &pass, self.now);
            self.events.push(next, Event::Feed);
            return;
        }
        let request = self.new_request(Purpose::Feed, Class::AsyncWrite);
        for (block, offset) in &pass.writes {
            let size = u32::try_from(self.blocks.size(*block)).unwrap_or(u32::MAX);
            self.add_io(request, pass.leaf, (*offset, size));
        }
        let leaf = pass.leaf;
        self.arc.feed_writes = true;
        self.pass = Some(pass);
        self.pump(leaf, false);
    }

    pub(super) fn feed_done(&mut self) {
        let Some(pass) = self.pass.take() else { return };
        self.arc.feed_writes = false;
        let next = self.l2arc.finish(&mut self.arc, &pass, self.now);
        self.events.push(next, Event::Feed);
    }
}

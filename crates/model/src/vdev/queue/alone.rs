//! A request that waits alone: most come to an empty queue and go on at once. They are spared the
//! lists, which only order requests among others.

use super::neighbours::Span;
use super::{Batch, Class, Queue, Waiting};
use crate::ids::IoId;

/// The one request that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone {
    io: IoId,
    waiting: Waiting,
}

impl Queue {
    /// Lets a request wait: apart from the lists while it is the only one.
    #[inline]
    pub(crate) fn push(&mut self, io: IoId, waiting: Waiting) {
        if self.is_empty() {
            self.alone = Some(Alone { io, waiting });
        } else {
            if let Some(first) = self.alone.take() {
                self.enter(first.io, first.waiting);
            }
            self.enter(io, waiting);
        }
        self.waiting[waiting.class as usize] += 1;
        self.waiting_count += 1;
    }

    /// Says whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting_count == 0
    }

    /// Counts `count` requests of a class that do not wait any more.
    pub(super) fn leave(&mut self, class: Class, count: usize) {
        self.waiting[class as usize] -= count;
        self.waiting_count -= count;
    }

    /// Returns the list of a batch of one request.
    pub(crate) fn list_of(&mut self, io: IoId) -> Vec<IoId> {
        let mut ios = self.spare.pop().unwrap_or_default();
        ios.push(io);
        ios
    }

    /// Makes a batch of the request that waits alone, if there is one.
    pub(super) fn batch_of_one(&mut self) -> Option<Batch> {
        let Alone { io, waiting } = self.alone.take()?;
        self.leave(waiting.class, 1);
        let ios = self.list_of(io);
        let span = Span { start: waiting.offset, end: waiting.offset + u64::from(waiting.size) };
        Some(self.batch(span, waiting.class, ios))
    }
}

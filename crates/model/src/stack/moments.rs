//! What several slots do at one time: the one that is looked at first is not done before the others begin.
//!
//! A slot goes on by itself for as long as it needs a processor, and what it does then is done for those that are looked at
//! after it, though their time is earlier. Where what they find depends on it, the last such moments are kept.
//!
//! A small case: four slots write 16 KiB each into one record at 100 us. Each holds its dbuf at 105 us, and finds the record
//! unchanged; the first changes it at 110 us.

use arcwright_units::Nanos;

use crate::ids::BlockId;

/// So many slots are at work on one block at one time.
const KEPT: usize = 16;

/// When something was done to blocks, the last ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    last: [(BlockId, Nanos); KEPT],
    next: usize,
    /// The latest of all: mostly it is past.
    latest: Nanos,
}

impl Default for Moments {
    fn default() -> Self {
        Self { last: [(BlockId(0), Nanos::ZERO); KEPT], next: 0, latest: Nanos::ZERO }
    }
}

impl Moments {
    /// It was done to a block at `at`.
    pub(crate) fn add(&mut self, block: BlockId, at: Nanos) {
        if let Some(place) = self.last.get_mut(self.next) {
            *place = (block, at);
        }
        self.next = (self.next + 1) % KEPT;
        self.latest = self.latest.max(at);
    }

    /// Says whether it is done to a block only after `now`.
    pub(crate) fn is_later(&self, block: BlockId, now: Nanos) -> bool {
        self.latest > now && self.last.iter().any(|(done, at)| *done == block && *at > now)
    }
}

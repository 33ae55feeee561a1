//! The lock of the intent log (docs/model/zil.md#the-lock-of-the-log).

use std::collections::VecDeque;

use crate::ids::SlotId;

/// The lock under which records are put into blocks: one slot has it, the others wait in turn.
#[derive(Debug, Default)]
pub(crate) struct LogLock {
    is_held: bool,
    waiting: VecDeque<SlotId>,
}

impl LogLock {
    /// Says whether `slot` has the lock now; else it waits for it.
    pub(crate) fn take(&mut self, slot: SlotId) -> bool {
        let has = !self.is_held;
        if has {
            self.is_held = true;
        } else {
            self.waiting.push_back(slot);
        }
        has
    }

    /// Lets go of the lock; returns who has it next.
    pub(crate) fn release(&mut self) -> Option<SlotId> {
        debug_assert!(self.is_held, "a lock is let go that nobody has");
        let next = self.waiting.pop_front();
        self.is_held = next.is_some();
        next
    }
}

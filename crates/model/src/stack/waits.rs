//! For how many things each slot waits: blocks on their way, room in a transaction group, the log.
#![expect(clippy::indexing_slicing, reason = "indices are slots of the phase")]

use crate::ids::SlotId;

/// A count for each slot.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pending: Vec<u32>,
}

impl Waits {
    /// Begins a phase with so many slots, none of which waits.
    pub(crate) fn begin(&mut self, slots: usize) {
        self.pending.clear();
        self.pending.resize(slots, 0);
    }

    /// Lets a slot wait for one thing more.
    pub(crate) fn add(&mut self, slot: SlotId) {
        self.pending[slot.place()] += 1;
    }

    /// One of the things that a slot waits for is there; says whether it was the last one.
    pub(crate) fn end(&mut self, slot: SlotId) -> bool {
        let pending = &mut self.pending[slot.place()];
        debug_assert!(*pending > 0, "{slot:?} is called and does not wait");
        *pending = pending.saturating_sub(1);
        *pending == 0
    }

    /// Says whether a slot waits.
    pub(crate) fn is_waiting(&self, slot: SlotId) -> bool {
        self.pending[slot.place()] > 0
    }
}

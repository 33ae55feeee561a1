//! For how many things each slot waits: blocks on their way, room in a transaction group, the log.
#![expect(clippy::indexing_slicing, reason = "indices are slots of the phase")]

use crate::ids::SlotId;

/// A count for each slot.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pending: Vec<u32>,
    /// Slots that have work before they wait, and go on by themselves.
    is_at_work: Vec<bool>,
}

impl Waits {
    /// Begins a phase with so many slots, none of which waits.
    pub(crate) fn begin(&mut self, slots: usize) {
        self.pending.clear();
        self.pending.resize(slots, 0);
        self.is_at_work.clear();
        self.is_at_work.resize(slots, false);
    }

    /// Lets a slot wait for one thing more.
    pub(crate) fn add(&mut self, slot: SlotId) {
        self.pending[slot.place()] += 1;
    }

    /// A slot lets others catch up, and goes on by itself: what it will wait for may be there before it waits.
    pub(crate) fn pause(&mut self, slot: SlotId) {
        self.is_at_work[slot.place()] = true;
    }

    /// A slot goes on.
    pub(crate) fn resume(&mut self, slot: SlotId) {
        self.is_at_work[slot.place()] = false;
    }

    /// One of the things that a slot waits for is there; says whether it was the last one, so that the slot is to be
    /// called.
    pub(crate) fn end(&mut self, slot: SlotId) -> bool {
        let pending = &mut self.pending[slot.place()];
        debug_assert!(*pending > 0, "{slot:?} is called and does not wait");
        *pending = pending.saturating_sub(1);
        *pending == 0 && !self.is_at_work[slot.place()]
    }

    /// Says whether a slot waits.
    pub(crate) fn is_waiting(&self, slot: SlotId) -> bool {
        self.pending[slot.place()] > 0
    }
}

#[cfg(test)]
mod tests {
    use super::Waits;
    use crate::ids::SlotId;

    #[test]
    fn who_is_at_work_is_not_called() {
        let slot = SlotId(0);
        let mut waits = Waits::default();
        waits.begin(1);
        waits.add(slot);
        waits.add(slot);
        assert!(!waits.end(slot), "it waits for another one");
        waits.pause(slot);
        assert!(!waits.end(slot), "it goes on by itself");
        waits.resume(slot);
        assert!(!waits.is_waiting(slot));
        waits.add(slot);
        assert!(waits.end(slot), "it sleeps");
    }
}

//! Transaction groups: which one is open, and when the next is written (docs/model/txg.md#when-a-group-closes; txg.c
//! 0.6.4 to 2.3).
//!
//! One group is open for changes, one at a time is written. The next one is closed and written when
//! somebody asked for it (it has much dirty data, or somebody waits for it) or when `zfs_txg_timeout`
//! has passed since the last one began to be written. Whoever asks while a group is being written
//! waits for its end; meanwhile everything goes to the open group.
//!
//! Simplification: closing a group takes no time, since a change here is one step.
//!
//! A small case: a group begins to be written at 10 s and takes 2 s. Asked for at 11 s, the next one
//! begins at 12 s; nobody asks, and it begins at 15 s.

use arcwright_units::Nanos;

use crate::ids::SlotId;

/// Which group is where.
#[derive(Debug)]
pub(crate) struct Txgs {
    timeout: Nanos,
    pub(crate) open: u64,
    /// The txg that is being written.
    pub(crate) syncing: Option<u64>,
    /// The latest group that somebody asked for.
    asked_for: u64,
    pub(crate) synced: u64,
    /// When the last group began to be written.
    began: Nanos,
    /// How many have been written.
    pub(crate) count: u64,
    /// Who waits for which group to be on the disks.
    waiting: Vec<Waiter>,
}

/// A slot that waits for a group to be on the disks.
#[derive(Debug)]
struct Waiter {
    txg: u64,
    who: SlotId,
}

impl Txgs {
    /// Makes the groups of a pool whose last one began to be written at `began`.
    pub(crate) fn new(timeout: Nanos, began: Nanos) -> Self {
        Self {
            timeout,
            open: 1,
            syncing: None,
            asked_for: 0,
            synced: 0,
            began,
            count: 0,
            waiting: Vec::new(),
        }
    }

    /// Asks for the open group; says whether it can be written at once.
    pub(crate) fn ask(&mut self) -> bool {
        if self.asked_for >= self.open {
            return false;
        }
        self.asked_for = self.open;
        self.syncing.is_none()
    }

    /// Lets `who` wait until `group` is on the disks; says whether it can be written at once.
    pub(crate) fn wait_for(&mut self, txg: u64, who: SlotId) -> bool {
        self.waiting.push(Waiter { txg, who });
        txg >= self.open && self.ask()
    }

    /// Closes the open group and begins to write it.
    pub(crate) fn begin(&mut self, now: Nanos) -> u64 {
        let txg = self.open;
        self.open += 1;
        self.syncing = Some(txg);
        self.began = now;
        txg
    }

    /// The group is on the disks; says whether the next one was asked for.
    pub(crate) fn finish(&mut self) -> bool {
        if let Some(txg) = self.syncing.take() {
            self.synced = txg;
            self.count += 1;
        }
        self.asked_for > self.synced
    }

    /// Takes one of those whose group is on the disks.
    pub(crate) fn call(&mut self) -> Option<SlotId> {
        let place = self.waiting.iter().position(|waiter| waiter.txg <= self.synced)?;
        Some(self.waiting.remove(place).who)
    }

    /// Checks that the txgs follow each other: written, being written, open; for debug runs, at every turn of the
    /// event loop.
    pub(crate) fn check_turn(&self) {
        let last = self.syncing.unwrap_or(self.synced);
        debug_assert_eq!(last + 1, self.open, "a txg is neither open nor written");
        debug_assert!(self.synced <= last, "a txg is written before the one before it");
    }

    /// Returns when the next group is written if nobody asks, at the end of one.
    pub(crate) fn next(&self, now: Nanos) -> Nanos {
        now.max(self.began + self.timeout)
    }

    /// Returns when the next group is written if nobody asks, as seen from `now`; groups without any
    /// change begin and end at once.
    pub(crate) fn due(&self, now: Nanos) -> Nanos {
        let span = self.timeout.0.max(1);
        let passed = now.0.saturating_sub(self.began.0) / span;
        Nanos(self.began.0 + (passed + 1) * span)
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::Txgs;
    use crate::ids::SlotId;

    #[test]
    fn a_group_that_is_asked_for_waits_for_the_one_before() {
        let mut txgs = Txgs::new(Nanos::secs(5), Nanos::secs(10));
        assert_eq!(txgs.due(Nanos::secs(10)), Nanos::secs(15));
        assert_eq!(txgs.due(Nanos::secs(31)), Nanos::secs(35));
        assert!(txgs.ask() && !txgs.ask());
        assert_eq!(txgs.begin(Nanos::secs(11)), 1);
        assert!(!txgs.ask());
        assert!(txgs.finish());
        assert_eq!(txgs.begin(Nanos::secs(12)), 2);
        assert!(!txgs.finish());
        assert_eq!((txgs.due(Nanos::secs(13)), txgs.count), (Nanos::secs(17), 2));
    }

    #[test]
    fn who_waits_is_called_when_its_group_is_written() {
        let mut txgs = Txgs::new(Nanos::secs(5), Nanos::ZERO);
        assert!(txgs.wait_for(1, SlotId(3)));
        txgs.begin(Nanos::ZERO);
        assert!(!txgs.wait_for(2, SlotId(4)));
        assert!(txgs.finish());
        assert_eq!((txgs.call(), txgs.call()), (Some(SlotId(3)), None));
    }
}

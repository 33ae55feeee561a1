//! Ranges of files that requests have locked (docs/model/clients.md#range-locks; `zfs_rangelock_enter`, module/zfs/zfs_rlock.c 0.7 to
//! 2.4).
//!
//! A read shares its range with reads, a write shares it with nobody; who may not enter waits for the one that is in its way, and asks
//! again when that one is through. A small case: a write of 16 KiB into a record that comes from a disk first, and a read of that whole
//! record: the read begins when the record has come and is changed.
#![expect(clippy::indexing_slicing, reason = "indices are files")]

use arcwright_units::Nanos;

use crate::clock::{Clock, Event};
use crate::ids::{FileId, SlotId};

/// The range of a request, bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LockRange {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) is_write: bool,
}

impl LockRange {
    fn overlaps(self, other: Self) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// A range that a request has.
#[derive(Debug, Clone, Copy)]
struct Locked {
    slot: SlotId,
    range: LockRange,
    /// When it is given back: known once the request, which may be ahead of the clock, is through with it.
    until: Nanos,
    /// A write waits for it, so that no read joins.
    is_wanted: bool,
}

/// A request that waits for another.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    slot: SlotId,
    behind: SlotId,
    is_write: bool,
}

/// The locks of one file.
#[derive(Debug, Default)]
struct FileLocks {
    locked: Vec<Locked>,
    waiting: Vec<Waiting>,
}

/// What comes of asking for a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The request has it.
    Now,
    /// It is called when it may ask again.
    Called,
    /// It may ask again then.
    At(Nanos),
}

/// The locks of all files.
#[derive(Debug, Default)]
pub(crate) struct RangeLocks {
    files: Vec<FileLocks>,
    /// Whether any request of the phase can be in the way of another.
    is_used: bool,
}

impl RangeLocks {
    /// Begins a phase in which `is_used` says whether several requests of which some write are under way.
    pub(crate) fn begin(&mut self, files: usize, is_used: bool) {
        self.files.clear();
        self.files.resize_with(if is_used { files } else { 0 }, FileLocks::default);
        self.is_used = is_used;
    }

    /// Asks for a range for a request of `slot`, which is at `now`; the clock is at `clock`.
    pub(crate) fn enter(
        &mut self,
        file: FileId,
        (slot, range): (SlotId, LockRange),
        now: Nanos,
        clock: Nanos,
    ) -> Entry {
        if !self.is_used {
            return Entry::Now;
        }
        let FileLocks { locked, waiting } = &mut self.files[file.place()];
        locked.retain(|locked| locked.until > clock);
        let in_the_way = |locked: &&mut Locked| {
            let is_shared = !range.is_write && !locked.range.is_write && !locked.is_wanted;
            !is_shared && locked.until > now && range.overlaps(locked.range)
        };
        match locked.iter_mut().find(in_the_way) {
            None => {
                locked.push(Locked { slot, range, until: Nanos::MAX, is_wanted: false });
                Entry::Now
            }
            Some(first) if first.until == Nanos::MAX => {
                first.is_wanted |= range.is_write;
                waiting.push(Waiting { slot, behind: first.slot, is_write: range.is_write });
                Entry::Called
            }
            Some(first) => Entry::At(first.until),
        }
    }

    /// Gives the range of `slot` back at `now`, and calls those that wait for it: writes first.
    pub(crate) fn exit(&mut self, clock: &mut Clock, file: FileId, slot: SlotId, now: Nanos) {
        if !self.is_used {
            return;
        }
        let FileLocks { locked, waiting } = &mut self.files[file.place()];
        let of_slot = |locked: &&mut Locked| locked.slot == slot && locked.until == Nanos::MAX;
        if let Some(locked) = locked.iter_mut().find(of_slot) {
            locked.until = now;
        }
        if waiting.is_empty() {
            return;
        }
        for is_write in [true, false] {
            let called = waiting.iter().filter(|it| it.behind == slot && it.is_write == is_write);
            called.for_each(|called| clock.wake(now, Event::Resume(called.slot)));
        }
        waiting.retain(|waiting| waiting.behind != slot);
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Entry, LockRange, RangeLocks};
    use crate::ids::{FileId, SlotId};

    /// Requests that come one after the other, each with what comes of it.
    fn check(requests: &[(u64, u64, bool, Entry)]) {
        let mut locks = RangeLocks::default();
        locks.begin(1, true);
        for (number, (from, to, is_write, expected)) in (0..).zip(requests) {
            let range = LockRange { from: *from, to: *to, is_write: *is_write };
            let entry = locks.enter(FileId(0), (SlotId(number), range), Nanos(10), Nanos(10));
            assert_eq!(entry, *expected, "request {number} of {requests:?}");
        }
    }

    #[test]
    fn writes_share_their_range_with_nobody() {
        let (now, called) = (Entry::Now, Entry::Called);
        check(&[
            (0, 8, false, now),
            (0, 8, false, now),
            (8, 16, true, now),
            (4, 12, false, called),
        ]);
        check(&[(0, 8, true, now), (8, 16, true, now), (7, 9, true, called), (16, 17, true, now)]);
        // A read does not pass a write that waits.
        check(&[
            (0, 8, false, now),
            (0, 8, true, called),
            (0, 8, false, called),
            (8, 9, false, now),
        ]);
    }

    #[test]
    fn who_comes_before_a_request_is_through_waits_until_then() {
        let mut locks = RangeLocks::default();
        locks.begin(1, true);
        let range = LockRange { from: 0, to: 8, is_write: true };
        assert_eq!(locks.enter(FileId(0), (SlotId(0), range), Nanos(10), Nanos(10)), Entry::Now);
        locks.files[0].locked[0].until = Nanos(30);
        let mut enter =
            |slot, now| locks.enter(FileId(0), (SlotId(slot), range), Nanos(now), Nanos(10));
        assert_eq!(enter(1, 20), Entry::At(Nanos(30)));
        assert_eq!(enter(2, 30), Entry::Now);
    }

    #[test]
    fn nothing_is_locked_where_nobody_can_be_in_the_way() {
        let mut locks = RangeLocks::default();
        locks.begin(1, false);
        let range = LockRange { from: 0, to: 8, is_write: true };
        for slot in 0..2 {
            assert_eq!(
                locks.enter(FileId(0), (SlotId(slot), range), Nanos(1), Nanos(1)),
                Entry::Now
            );
        }
    }
}

//! Accesses in the order of their times: each processor has a list of its own, which the tracer reads one after the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::FileAccess;

/// How long it is waited for accesses of other processors: the tracer reads all of their lists several times a second.
const WAIT_NS: u64 = 2_000_000_000;
/// Accesses that wait: some hundred megabytes.
const WAITING_MAX: usize = 1 << 20;

/// Puts accesses in order.
#[derive(Debug, Default)]
pub struct InOrder {
    waiting: BinaryHeap<Reverse<(FileAccess, u64)>>,
    count: u64,
    latest: u64,
    given: u64,
    late: u64,
}

impl InOrder {
    /// Takes an access as it comes.
    pub fn take(&mut self, access: FileAccess) {
        self.latest = self.latest.max(access.at);
        self.waiting.push(Reverse((access, self.count)));
        self.count += 1;
    }

    /// Returns the next one that no other can come before, as far as that is known.
    pub fn due(&mut self) -> Option<FileAccess> {
        let Reverse((first, _)) = self.waiting.peek()?;
        let is_due = first.at.saturating_add(WAIT_NS) <= self.latest;
        if is_due || self.waiting.len() > WAITING_MAX { self.rest() } else { None }
    }

    /// Returns the next one, when no more are to come.
    pub fn rest(&mut self) -> Option<FileAccess> {
        let Reverse((mut access, _)) = self.waiting.pop()?;
        if access.at < self.given {
            self.late += 1;
            access.at = self.given;
        }
        self.given = access.at;
        Some(access)
    }

    /// Returns how many came too late for their place, and got the time of the one before.
    #[must_use]
    pub const fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::{InOrder, WAIT_NS};
    use crate::usage::files::{AccessKind, FileAccess};

    fn at(at: u64) -> FileAccess {
        let kind = AccessKind::Read;
        FileAccess { at, device: 1, inode: 2, offset: 0, bytes: 1, kind }
    }

    #[test]
    fn accesses_come_by_their_times_and_late_ones_are_counted() {
        let mut order = InOrder::default();
        for time in [3, 1, 2, WAIT_NS + 2] {
            order.take(at(time));
        }
        let due: Vec<u64> = std::iter::from_fn(|| order.due()).map(|access| access.at).collect();
        assert_eq!(due, [1, 2]);
        order.take(at(0));
        let rest = std::iter::from_fn(|| order.rest());
        let rest: Vec<u64> = rest.map(|access| access.at).collect();
        assert_eq!(rest, [2, 3, WAIT_NS + 2]);
        assert_eq!(order.late(), 1);
    }
}

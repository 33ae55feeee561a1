//! The ARC's size as eviction sees it: a sum that lags behind (module/zfs/aggsum.c 2.0 to 2.3).
//!
//! Changes are collected in a bucket that borrows room ahead, sixteen times the change; whoever only
//! asks for the lower bound does not see what the bucket holds. An exact reading, which every pass
//! of eviction makes, empties the bucket. So the ARC runs over by 16 to 32 blocks more than the rule
//! says: nothing with gigabytes, a third of an ARC of 64 MiB with records of 1 MiB.
//!
//! A machine has a bucket per processor (per two from twelve on); here there is one, as in user
//! space, where the processor's number is always the same.

/// A bucket borrows `1 << BORROW_SHIFT` times a change (`aggsum_borrow_shift`).
const BORROW_SHIFT: u32 = 4;

/// The lagging sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LaggingSum {
    lower: i64,
    held: i64,
    borrowed: i64,
}

impl LaggingSum {
    /// Adds a change, which may be negative.
    pub(super) fn add(&mut self, change: i64) {
        if (self.held + change).abs() <= self.borrowed {
            self.held += change;
            return;
        }
        let wanted = change.abs() << BORROW_SHIFT;
        let more = if wanted >= self.borrowed {
            wanted - self.borrowed
        } else {
            (wanted - self.borrowed) / 4
        };
        self.borrowed += more;
        self.lower += self.held + change - more;
        self.held = 0;
    }

    /// Returns what the sum is at least, as far as can be told without looking into the bucket.
    pub(super) fn lower_bound(&self) -> i64 {
        self.lower
    }

    /// An exact reading: the sum is `exact`, and the bucket is empty afterwards.
    pub(super) fn read(&mut self, exact: i64) {
        *self = Self { lower: exact, held: 0, borrowed: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::LaggingSum;

    #[test]
    fn the_lower_bound_lags_by_sixteen_to_thirty_two_changes() {
        let mut sum = LaggingSum::default();
        let lags: Vec<i64> = (1..=64)
            .map(|count| {
                sum.add(1);
                count - sum.lower_bound()
            })
            .collect();
        assert_eq!(lags.iter().copied().min(), Some(16));
        assert_eq!(lags.iter().copied().max(), Some(32));
        sum.read(64);
        assert_eq!(sum.lower_bound(), 64);
    }
}

//! The ARC's size as eviction sees it: a sum that lags behind (docs/model/arc.md#lagging-size;
//! module/zfs/aggsum.c 2.0 to 2.4).
//!
//! Changes go to an account of their own, which may be overdrawn by its credit either way. Whoever
//! asks only for the lower bound does not look into the account and takes the worst: that all credit is
//! used. A change beyond the credit settles the account and sets its credit anew, by that change.
//! An exact reading, which every pass of eviction makes, settles it too and leaves no credit. So the
//! ARC runs over by 16 to 32 blocks more than the rule says: nothing with gigabytes, a third of an
//! ARC of 64 MiB with records of 1 MiB.
//!
//! A machine has an account per processor (per two from twelve on); here there is one, as in user
//! space, where the processor's number is always the same.

/// Changes of one size that a credit is good for (`aggsum_borrow_shift` 4).
const CREDIT_CHANGES: i64 = 16;
/// A credit that is too large shrinks by one in so many parts of what it is too large by.
const SHRINK_PARTS: i64 = 4;

/// The lagging sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Aggsum {
    /// The sum when the account was settled last.
    settled: i64,
    /// Changes since.
    unsettled: i64,
    credit: i64,
}

impl Aggsum {
    /// Adds a change, which may be negative.
    pub(super) fn add(&mut self, change: i64) {
        self.unsettled += change;
        if self.unsettled.abs() > self.credit {
            self.settled += std::mem::take(&mut self.unsettled);
            let fitting = CREDIT_CHANGES * change.abs();
            let surplus = (self.credit - fitting).max(0);
            self.credit = self.credit.max(fitting) - surplus / SHRINK_PARTS;
        }
    }

    /// Returns what the sum is at least, as far as is known without looking into the account.
    pub(super) fn lower_bound(&self) -> i64 {
        self.settled - self.credit
    }

    /// An exact reading: the sum is `exact`, and the account is empty afterwards.
    pub(super) fn read(&mut self, exact: i64) {
        *self = Self { settled: exact, unsettled: 0, credit: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::Aggsum;

    #[test]
    fn the_lower_bound_lags_by_sixteen_to_thirty_two_changes() {
        let mut sum = Aggsum::default();
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

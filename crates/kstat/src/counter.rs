//! A counter that only grows, until its owner starts anew.

use serde::{Deserialize, Serialize};

/// A reading of a counter; the only way to subtract two readings is [`Counter::since`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counter(pub u64);

impl Counter {
    /// Returns how much was counted since `earlier`; none when the counter was reset in between.
    ///
    /// A module that was loaded again counts from zero: what it counted before that is unknown,
    /// and neither a wrapped number nor zero would be true.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Option<u64> {
        self.0.checked_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn a_reset_counter_has_no_difference() {
        assert_eq!(Counter(12).since(Counter(5)), Some(7));
        assert_eq!(Counter(5).since(Counter(5)), Some(0));
        assert_eq!(Counter(3).since(Counter(5)), None);
    }
}

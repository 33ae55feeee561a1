//! A set of places in a trace, one bit each, and nothing while it is empty.

/// A set of indices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    bits: Vec<u64>,
}

impl Bits {
    /// Adds an index; they are added in growing order, so that the set is no longer than the trace.
    pub fn insert(&mut self, index: usize) {
        if self.bits.len() <= index / 64 {
            self.bits.resize(index / 64 + 1, 0);
        }
        if let Some(bits) = self.bits.get_mut(index / 64) {
            *bits |= 1 << (index % 64);
        }
    }

    /// Returns whether an index is in the set.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.bits.get(index / 64).is_some_and(|bits| bits >> (index % 64) & 1 == 1)
    }

    /// Returns how many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.bits.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }
}

//! Least recently used.

use std::iter::repeat_n;

use super::Policy;
use crate::intrusive::IntrusiveLists;

/// A cache that drops the page whose last access is longest ago.
#[derive(Debug)]
pub struct Lru {
    /// The list, and whether each page is on it.
    chains: IntrusiveLists<bool>,
    room: u32,
}

impl Lru {
    /// A cache of `capacity` pages for accesses to pages below `pages`.
    #[must_use]
    pub fn new(capacity: u32, pages: u32) -> Self {
        Self {
            chains: IntrusiveLists::over(repeat_n(false, pages as usize), 1, false),
            room: capacity,
        }
    }
}

impl Policy for Lru {
    fn access(&mut self, page: u32) -> bool {
        if self.chains[page] {
            self.chains.remove(page);
            self.chains.push(0, page);
            return true;
        }
        if self.room > 0 {
            self.room -= 1;
        } else if let Some(oldest) = self.chains.pop(0) {
            self.chains[oldest] = false;
        } else {
            return false;
        }
        self.chains[page] = true;
        self.chains.push(0, page);
        false
    }

    fn warm(&self, pages: &[u32]) -> u64 {
        self.chains.warm(pages.iter().copied())
    }
}

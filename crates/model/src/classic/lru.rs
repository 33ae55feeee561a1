//! Least recently used.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are pages below the number given at the start"
)]

use super::Policy;
use crate::intrusive::IntrusiveLists;

/// A cache that drops the page whose last access is longest ago.
#[derive(Debug)]
pub struct Lru {
    here: Vec<bool>,
    chains: IntrusiveLists,
    room: u32,
}

impl Lru {
    /// A cache of `capacity` pages for accesses to pages below `pages`.
    #[must_use]
    pub fn new(capacity: u32, pages: u32) -> Self {
        Self {
            here: vec![false; pages as usize],
            chains: IntrusiveLists::new(pages, 1),
            room: capacity,
        }
    }
}

impl Policy for Lru {
    fn access(&mut self, page: u32) -> bool {
        if self.here[page as usize] {
            self.chains.remove(page);
            self.chains.push(0, page);
            return true;
        }
        if self.room > 0 {
            self.room -= 1;
        } else if let Some(oldest) = self.chains.pop(0) {
            self.here[oldest as usize] = false;
        } else {
            return false;
        }
        self.here[page as usize] = true;
        self.chains.push(0, page);
        false
    }

    fn warm(&self, pages: &[u32]) -> u64 {
        let state = pages.iter().map(|page| u64::from(self.here[*page as usize]));
        state.sum::<u64>() + self.chains.warm(pages.iter().copied())
    }
}

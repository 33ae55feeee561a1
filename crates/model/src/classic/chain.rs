//! Doubly linked lists of pages through one flat array.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are pages below the number given at the start"
)]

/// Lists over the same pages; a page is on at most one of them. Each list is a ring through a
/// sentinel behind the last page, so that no end is a special case.
#[derive(Debug)]
pub(super) struct Chains {
    /// Towards the least recently used, and back.
    links: Vec<[u32; 2]>,
    sentinel: u32,
}

const NEXT: usize = 0;
const PREVIOUS: usize = 1;

impl Chains {
    /// Makes `lists` empty lists for `pages` pages.
    pub(super) fn new(pages: u32, lists: u32) -> Self {
        Self { links: (0..pages + lists).map(|page| [page, page]).collect(), sentinel: pages }
    }

    /// Reads the links of `pages` and of their neighbours.
    pub(super) fn warm(&self, pages: &[u32]) -> u64 {
        let of = |page: u32| self.links.get(page as usize).copied().unwrap_or([0; 2]);
        let links = pages.iter().map(|page| of(*page));
        let seen = links.map(|[next, previous]| u64::from(of(next)[NEXT] ^ of(previous)[PREVIOUS]));
        seen.sum()
    }

    pub(super) fn push(&mut self, list: u32, page: u32) {
        let sentinel = self.sentinel + list;
        let first = self.links[sentinel as usize][NEXT];
        self.links[page as usize] = [first, sentinel];
        self.links[first as usize][PREVIOUS] = page;
        self.links[sentinel as usize][NEXT] = page;
    }

    pub(super) fn remove(&mut self, page: u32) {
        let [next, previous] = self.links[page as usize];
        self.links[previous as usize][NEXT] = next;
        self.links[next as usize][PREVIOUS] = previous;
    }

    /// Takes the least recently used page off a list; none when it is empty.
    pub(super) fn pop(&mut self, list: u32) -> Option<u32> {
        let last = self.links[(self.sentinel + list) as usize][PREVIOUS];
        if last >= self.sentinel {
            return None;
        }
        self.remove(last);
        Some(last)
    }
}

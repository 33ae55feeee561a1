//! Doubly linked lists of pages or blocks through one flat array.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are pages below the number given at the start"
)]

/// Lists over the same pages; a page is on at most one of them. Each list is a ring through a
/// sentinel behind the last page, so that no end is a special case.
#[derive(Debug)]
pub(crate) struct IntrusiveLists {
    /// Towards the least recently used, and back.
    links: Vec<[u32; 2]>,
    sentinel: u32,
}

const NEXT: usize = 0;
const PREVIOUS: usize = 1;

impl IntrusiveLists {
    /// Makes `lists` empty lists for `pages` pages.
    pub(crate) fn new(pages: u32, lists: u32) -> Self {
        // Zeros are taken from the system as they are, and cost nothing until they are touched.
        let mut links = vec![[0; 2]; (pages + lists) as usize];
        links[pages as usize..].iter_mut().zip(pages..).for_each(|(link, list)| *link = [list; 2]);
        Self { links, sentinel: pages }
    }

    /// Reads the links of `pages` and of their neighbours, which brings them into the processor's
    /// caches: all loads at once instead of one after the other. What is returned says nothing.
    pub(crate) fn warm(&self, pages: impl Iterator<Item = u32>) -> u64 {
        let of = |page: u32| self.links[page as usize];
        let seen = pages
            .map(of)
            .map(|[next, previous]| u64::from(of(next)[NEXT] ^ of(previous)[PREVIOUS]));
        seen.sum()
    }

    /// Puts a page at the head of a list.
    #[inline]
    pub(crate) fn push(&mut self, list: u32, page: u32) {
        let sentinel = self.sentinel + list;
        let first = self.links[sentinel as usize][NEXT];
        self.links[page as usize] = [first, sentinel];
        self.links[first as usize][PREVIOUS] = page;
        self.links[sentinel as usize][NEXT] = page;
    }

    /// Takes a page off the list that it is on.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        let [next, previous] = self.links[page as usize];
        self.links[previous as usize][NEXT] = next;
        self.links[next as usize][PREVIOUS] = previous;
    }

    /// Takes the last page off a list; none when it is empty.
    pub(crate) fn pop(&mut self, list: u32) -> Option<u32> {
        let last = self.tail(list)?;
        self.remove(last);
        Some(last)
    }

    /// Returns the first page of a list.
    pub(crate) fn head(&self, list: u32) -> Option<u32> {
        self.after(self.sentinel + list)
    }

    /// Returns the last page of a list.
    pub(crate) fn tail(&self, list: u32) -> Option<u32> {
        self.before(self.sentinel + list)
    }

    /// Returns the page after, towards the tail.
    pub(crate) fn after(&self, page: u32) -> Option<u32> {
        self.page(self.links[page as usize][NEXT])
    }

    /// Returns the page before, towards the head.
    pub(crate) fn before(&self, page: u32) -> Option<u32> {
        self.page(self.links[page as usize][PREVIOUS])
    }

    fn page(&self, link: u32) -> Option<u32> {
        (link < self.sentinel).then_some(link)
    }
}

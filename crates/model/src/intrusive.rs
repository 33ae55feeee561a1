//! Doubly linked lists of pages or blocks through one flat array, which holds what is known of each as well: both are
//! asked for at once, and come from memory together.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are pages below the number given at the start"
)]

use std::ops::{Index, IndexMut};

use crate::ids::number;

/// What stands before and behind a page, and what is known of it.
#[derive(Debug, Clone, Copy)]
struct Entry<T> {
    /// Towards the least recently used.
    next: u32,
    previous: u32,
    item: T,
}

/// Lists over the same pages; a page is on at most one of them. Each list is a ring through a
/// sentinel behind the last page, so that no end is a special case.
#[derive(Debug)]
pub(crate) struct IntrusiveLists<T> {
    entries: Vec<Entry<T>>,
    sentinel: u32,
}

impl<T> Index<u32> for IntrusiveLists<T> {
    type Output = T;

    /// Returns what is known of a page.
    #[inline]
    fn index(&self, page: u32) -> &T {
        &self.entries[page as usize].item
    }
}

impl<T> IndexMut<u32> for IntrusiveLists<T> {
    #[inline]
    fn index_mut(&mut self, page: u32) -> &mut T {
        &mut self.entries[page as usize].item
    }
}

impl<T: Copy> IntrusiveLists<T> {
    /// Makes `lists` empty lists for pages of which `items` are known; `end` stands for what is no page.
    pub(crate) fn over(items: impl ExactSizeIterator<Item = T>, lists: u32, end: T) -> Self {
        let sentinel = number(items.len());
        let mut entries = Vec::with_capacity(items.len() + lists as usize);
        entries.extend(items.map(|item| Entry { next: sentinel, previous: sentinel, item }));
        let ends = sentinel..sentinel + lists;
        entries.extend(ends.map(|list| Entry { next: list, previous: list, item: end }));
        Self { entries, sentinel }
    }

    /// Returns what is known of each page, in their order.
    pub(crate) fn items(&self) -> impl Iterator<Item = &T> {
        self.entries[..self.sentinel as usize].iter().map(|entry| &entry.item)
    }

    /// Reads the links of `pages` and of their neighbours, which brings them into the processor's
    /// caches: all loads at once instead of one after the other. What is returned says nothing.
    pub(crate) fn warm(&self, pages: impl Iterator<Item = u32>) -> u64 {
        let of = |page: u32| &self.entries[page as usize];
        let seen =
            pages.map(of).map(|entry| u64::from(of(entry.next).next ^ of(entry.previous).previous));
        seen.sum()
    }

    /// Puts a page at the head of a list.
    #[inline]
    pub(crate) fn push(&mut self, list: u32, page: u32) {
        let sentinel = self.sentinel + list;
        let first = self.entries[sentinel as usize].next;
        let entry = &mut self.entries[page as usize];
        (entry.next, entry.previous) = (first, sentinel);
        self.entries[first as usize].previous = page;
        self.entries[sentinel as usize].next = page;
    }

    /// Takes a page off the list that it is on.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        let Entry { next, previous, .. } = self.entries[page as usize];
        self.entries[previous as usize].next = next;
        self.entries[next as usize].previous = previous;
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
        self.page(self.entries[page as usize].next)
    }

    /// Returns the page before, towards the head.
    pub(crate) fn before(&self, page: u32) -> Option<u32> {
        self.page(self.entries[page as usize].previous)
    }

    fn page(&self, link: u32) -> Option<u32> {
        (link < self.sentinel).then_some(link)
    }
}

//! S3-FIFO as published: Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023, algorithm 1.
//!
//! New pages go into a small queue of a tenth of the cache. What was used twice more until it reaches the end goes on to
//! the main queue, the rest leaves and is remembered; a page that comes back while it is remembered goes to the main
//! queue at once. There a page that was used since goes round once more for each use, up to three.
//!
//! A hit counts, and moves nothing. The memory of what left is a clock: the number of pages that left so far stands beside
//! each, and a page is remembered while no more than a main queue's worth left after it.
//!
//! Worked case: of ten pages room, one is for the small queue. a a a b c: b finds the cache not full. Later, when room is
//! needed, a has been used twice more and goes to the main queue, b leaves.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are pages below the number given at the start, and places of a ring of more pages than are in it"
)]

use super::Policy;

/// Uses that count, and how many carry a page from the small queue to the main one.
const USES_MAX: u8 = 3;
const USES_TO_STAY: u8 = 2;

/// Where a page is; the bits below are its uses.
const SMALL: u8 = 1 << 2;
const MAIN: u8 = 2 << 2;
const LEFT: u8 = 3 << 2;
const USES: u8 = SMALL - 1;

/// Pages in the order in which they came.
#[derive(Debug)]
struct Ring {
    pages: Vec<u32>,
    first: usize,
    length: usize,
}

impl Ring {
    fn new(room: u32) -> Self {
        Self { pages: vec![0; room as usize + 1], first: 0, length: 0 }
    }

    fn push(&mut self, page: u32) {
        let end = self.first + self.length;
        let end = if end < self.pages.len() { end } else { end - self.pages.len() };
        self.pages[end] = page;
        self.length += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        self.length = self.length.checked_sub(1)?;
        let page = self.pages[self.first];
        self.first = if self.first + 1 < self.pages.len() { self.first + 1 } else { 0 };
        Some(page)
    }
}

/// Two queues, and a memory of what left the first.
#[derive(Debug)]
pub struct S3Fifo {
    state: Vec<u8>,
    /// Of a page that left: how many had left before it.
    left_at: Vec<u32>,
    left: u32,
    small: Ring,
    main: Ring,
    capacity: usize,
}

impl S3Fifo {
    /// A cache of `capacity` pages for accesses to pages below `pages`.
    #[must_use]
    pub fn new(capacity: u32, pages: u32) -> Self {
        let room = capacity.min(pages);
        Self {
            state: vec![0; pages as usize],
            left_at: vec![0; pages as usize],
            left: 0,
            small: Ring::new(room),
            main: Ring::new(room),
            capacity: capacity as usize,
        }
    }

    fn room_of_small(&self) -> usize {
        (self.capacity / 10).max(1)
    }

    fn make_room(&mut self) {
        if self.small.length >= self.room_of_small() || self.main.length == 0 {
            self.shorten_small();
        } else {
            self.shorten_main();
        }
    }

    /// Lets go of the first page of the small queue that was not used enough to stay.
    fn shorten_small(&mut self) {
        while let Some(page) = self.small.pop() {
            if self.state[page as usize] & USES < USES_TO_STAY {
                self.state[page as usize] = LEFT;
                self.left_at[page as usize] = self.left;
                self.left = self.left.wrapping_add(1);
                return;
            }
            self.state[page as usize] = MAIN;
            self.main.push(page);
            if self.main.length > self.capacity - self.room_of_small() {
                self.shorten_main();
                return;
            }
        }
    }

    /// Lets go of the first page of the main queue that was not used since it was looked at.
    fn shorten_main(&mut self) {
        while let Some(page) = self.main.pop() {
            let state = &mut self.state[page as usize];
            if *state & USES == 0 {
                *state = 0;
                return;
            }
            *state -= 1;
            self.main.push(page);
        }
    }

    fn is_remembered(&self, page: u32) -> bool {
        let since = self.left.wrapping_sub(self.left_at[page as usize]) as usize;
        since <= self.capacity - self.room_of_small()
    }
}

impl Policy for S3Fifo {
    fn access(&mut self, page: u32) -> bool {
        let state = self.state[page as usize];
        if (SMALL..LEFT).contains(&state) {
            self.state[page as usize] = state + u8::from(state & USES < USES_MAX);
            return true;
        }
        if self.capacity == 0 {
            return false;
        }
        let comes_back = state == LEFT && self.is_remembered(page);
        if self.small.length + self.main.length >= self.capacity {
            self.make_room();
        }
        let (queue, state) =
            if comes_back { (&mut self.main, MAIN) } else { (&mut self.small, SMALL) };
        queue.push(page);
        self.state[page as usize] = state;
        false
    }

    fn warm(&self, pages: &[u32]) -> u64 {
        pages.iter().map(|page| u64::from(self.state[*page as usize])).sum()
    }
}

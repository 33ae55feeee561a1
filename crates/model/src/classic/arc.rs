//! ARC as published: Megiddo and Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache",
//! FAST 2003, figure 4.
//!
//! T1 holds pages seen once lately, T2 those seen twice; B1 and B2 remember what left them. A hit in
//! B1 says that T1 was too small and raises its target p, a hit in B2 lowers it.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are pages below the number given at the start"
)]

use std::iter::repeat_n;

use super::Policy;
use crate::intrusive::IntrusiveLists;

const T1: u8 = 0;
const T2: u8 = 1;
const B1: u8 = 2;
const B2: u8 = 3;
const NOWHERE: u8 = 4;

/// The adaptive replacement cache of the paper.
#[derive(Debug)]
pub struct ClassicArc {
    /// The lists, and on which of them each page is.
    chains: IntrusiveLists<u8>,
    lengths: [u32; 4],
    capacity: u32,
    target: f64,
}

impl ClassicArc {
    /// A cache of `capacity` pages for accesses to pages below `pages`.
    #[must_use]
    pub fn new(capacity: u32, pages: u32) -> Self {
        Self {
            chains: IntrusiveLists::over(repeat_n(NOWHERE, pages as usize), 4, NOWHERE),
            lengths: [0; 4],
            capacity,
            target: 0.0,
        }
    }

    fn length(&self, list: u8) -> f64 {
        f64::from(self.lengths[list as usize])
    }

    fn push(&mut self, list: u8, page: u32) {
        self.chains.push(u32::from(list), page);
        self.chains[page] = list;
        self.lengths[list as usize] += 1;
    }

    /// Moves the oldest page of a list to another, or out.
    fn demote(&mut self, from: u8, to: u8) {
        let Some(page) = self.chains.pop(u32::from(from)) else { return };
        self.lengths[from as usize] -= 1;
        if to == NOWHERE {
            self.chains[page] = NOWHERE;
        } else {
            self.push(to, page);
        }
    }

    /// The paper's REPLACE.
    fn replace(&mut self, from_b2: bool) {
        let t1 = self.length(T1);
        if t1 >= 1.0 && (t1 > self.target || (from_b2 && t1 >= self.target)) {
            self.demote(T1, B1);
        } else {
            self.demote(T2, B2);
        }
    }

    fn promote(&mut self, list: u8, page: u32) {
        self.chains.remove(page);
        self.lengths[list as usize] -= 1;
        self.push(T2, page);
    }

    fn make_room(&mut self) {
        let recent = self.lengths[T1 as usize] + self.lengths[B1 as usize];
        let all: u32 = self.lengths.iter().sum();
        if recent >= self.capacity {
            if self.lengths[T1 as usize] < self.capacity {
                self.demote(B1, NOWHERE);
                self.replace(false);
            } else {
                self.demote(T1, NOWHERE);
            }
        } else if all >= self.capacity {
            if all >= 2 * self.capacity {
                self.demote(B2, NOWHERE);
            }
            self.replace(false);
        }
    }
}

impl Policy for ClassicArc {
    fn access(&mut self, page: u32) -> bool {
        let list = self.chains[page];
        match list {
            T1 | T2 => {
                self.promote(list, page);
                return true;
            }
            B1 => {
                let more = (self.length(B2) / self.length(B1)).max(1.0);
                self.target = (self.target + more).min(f64::from(self.capacity));
                self.replace(false);
                self.promote(list, page);
            }
            B2 => {
                let less = (self.length(B1) / self.length(B2)).max(1.0);
                self.target = (self.target - less).max(0.0);
                self.replace(true);
                self.promote(list, page);
            }
            _ if self.capacity == 0 => {}
            _ => {
                self.make_room();
                self.push(T1, page);
            }
        }
        false
    }

    fn warm(&self, pages: &[u32]) -> u64 {
        self.chains.warm(pages.iter().copied())
    }
}

//! Numbers what a trace asks for, in the order in which it is first met.
//!
//! One open table of slots of 16 bytes. Slots of many keys are loaded before the first is looked at, so that the
//! memory works on all of them at once. Keys come from outside: where they crowd, the table is made
//! anew with other places.
#![expect(
    clippy::indexing_slicing,
    reason = "slots are reduced to the length of the table, which is a power of two"
)]

/// Keys that are looked up together.
pub(super) const TOGETHER: usize = 64;
const SLOTS_AT_FIRST: usize = 1 << 12;
/// Of eight slots so many may be taken.
const FULL_OF_EIGHT: usize = 5;
/// Steps to a key beyond which the keys crowd: at five eighths full, chance gives far fewer.
const STEPS_MAX: usize = 512;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    /// The number and one; zero: free.
    number: u32,
}

const FREE: Slot = Slot { key: 0, number: 0 };

/// Keys with their numbers.
#[derive(Debug)]
pub(super) struct Interner {
    slots: Vec<Slot>,
    count: u32,
    seed: u64,
}

impl Interner {
    pub(super) fn new() -> Self {
        Self { slots: vec![FREE; SLOTS_AT_FIRST], count: 0, seed: 0x9e37_79b9_7f4a_7c15 }
    }

    /// Returns how many keys there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Appends the numbers of at most [`TOGETHER`] keys; new keys get the next ones.
    pub(super) fn number_all(&mut self, keys: &[u64], into: &mut Vec<u32>) {
        while (self.count as usize + keys.len()) * 8 > self.slots.len() * FULL_OF_EIGHT {
            self.rebuild(self.slots.len() * 2);
        }
        let touched = keys.iter().map(|key| u64::from(self.slots[self.home(*key)].number));
        std::hint::black_box(touched.sum::<u64>());
        for key in keys {
            let number = self.number(*key);
            into.push(number);
        }
    }

    fn number(&mut self, key: u64) -> u32 {
        loop {
            let mut at = self.home(key);
            for _ in 0..STEPS_MAX {
                let slot = &mut self.slots[at];
                if slot.number == 0 {
                    self.count += 1;
                    *slot = Slot { key, number: self.count };
                    return self.count - 1;
                }
                if slot.key == key {
                    return slot.number - 1;
                }
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.seed = self.seed.wrapping_mul(0xd134_2543_de82_ef95) | 1;
            self.rebuild(self.slots.len());
        }
    }

    fn home(&self, key: u64) -> usize {
        let mixed = (key ^ (key >> 32)).wrapping_mul(self.seed);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 20) as usize & (self.slots.len() - 1)
    }

    fn rebuild(&mut self, length: usize) {
        let old = std::mem::replace(&mut self.slots, vec![FREE; length]);
        for slot in old {
            if slot.number > 0 {
                let mut at = self.home(slot.key);
                while self.slots[at].number > 0 {
                    at = (at + 1) & (self.slots.len() - 1);
                }
                self.slots[at] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, TOGETHER};

    #[test]
    fn keys_are_numbered_in_the_order_of_their_first_use() {
        let mut interner = Interner::new();
        let mut chance = crate::Stream::new(1, "intern");
        let keys: Vec<u64> = (0..100_000).map(|_| chance.below(30_000) << 20).collect();
        let mut numbers = Vec::new();
        for keys in keys.chunks(TOGETHER) {
            interner.number_all(keys, &mut numbers);
        }
        let mut known: Vec<u64> = Vec::new();
        for (key, number) in keys.iter().zip(&numbers) {
            if *number as usize == known.len() {
                known.push(*key);
            }
            assert_eq!(known[*number as usize], *key);
        }
        assert_eq!(known.len(), interner.count() as usize);
    }

    /// Keys that all fall on one slot under the first seed.
    #[test]
    fn crowding_keys_make_the_table_anew() {
        let mut interner = Interner::new();
        let home = interner.home(1);
        let crowd: Vec<u64> = (0..).filter(|key| interner.home(*key) == home).take(600).collect();
        let seed = interner.seed;
        let mut numbers = Vec::new();
        for keys in crowd.chunks(TOGETHER) {
            interner.number_all(keys, &mut numbers);
        }
        assert_ne!(interner.seed, seed);
        assert_eq!(numbers, (0..600).collect::<Vec<u32>>());
    }
}

//! Numbers what a trace asks for, in the order in which it is first met.
//!
//! One open table of slots of 16 bytes. Slots of many keys are loaded before the first is looked at, so that the
//! memory works on all of them at once. Keys come from outside: where they crowd, the table is made
//! anew with other places. Small keys that fill their range, numbers of pages or of a compiled trace, have a table of 4 bytes each that
//! they are the places in.
#![expect(
    clippy::indexing_slicing,
    reason = "slots are reduced to the length of the table, which is a power of two"
)]

/// Keys that are looked up together.
pub(crate) const TOGETHER: usize = 64;
const SLOTS_AT_FIRST: usize = 1 << 12;
/// Of eight slots so many may be taken.
const FULL_OF_EIGHT: usize = 5;
/// Steps to a key beyond which the keys crowd: at five eighths full, chance gives far fewer.
const STEPS_MAX: usize = 512;
/// One in so many numbers of a range must be a key for the range to have places of its own: no more memory than slots take.
const DENSE_ONE_IN: u64 = 4;
/// Larger ranges have none: 1 GiB.
const DENSE_BITS_MAX: u32 = 28;
/// How many new keys there are between two looks at their ranges.
const LOOK_EVERY: u32 = 4096;

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    /// The number and one; zero: free.
    number: u32,
}

const FREE: Slot = Slot { key: 0, number: 0 };

/// Keys with their numbers.
#[derive(Debug)]
pub(crate) struct Interner {
    /// By key, the number and one; zero: free. Its length is a power of two.
    dense: Vec<u32>,
    slots: Vec<Slot>,
    /// Keys in slots.
    hashed: usize,
    /// Of those, how many have so many binary digits.
    digits: [u32; 65],
    count: u32,
    looked: u32,
    seed: u64,
}

impl Interner {
    pub(crate) fn new() -> Self {
        Self {
            dense: Vec::new(),
            slots: vec![FREE; SLOTS_AT_FIRST],
            hashed: 0,
            digits: [0; 65],
            count: 0,
            looked: 0,
            seed: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Returns how many keys there are.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Appends the numbers of at most [`TOGETHER`] keys; new keys get the next ones.
    pub(crate) fn number_all(&mut self, keys: &[u64], into: &mut Vec<u32>) {
        if self.count - self.looked >= LOOK_EVERY {
            self.looked = self.count;
            self.look();
        }
        while (self.hashed + keys.len()) * 8 > self.slots.len() * FULL_OF_EIGHT {
            self.rebuild(self.slots.len() * 2);
        }
        let touched = keys.iter().map(|key| match self.dense.get(place(*key)) {
            Some(number) => *number,
            None => self.slots[self.home(*key)].number,
        });
        std::hint::black_box(touched.fold(0, u32::wrapping_add));
        for key in keys {
            let number = self.number(*key);
            into.push(number);
        }
    }

    fn number(&mut self, key: u64) -> u32 {
        if let Some(number) = self.dense.get_mut(place(key)) {
            if *number == 0 {
                self.count += 1;
                *number = self.count;
            }
            return *number - 1;
        }
        loop {
            let mut at = self.home(key);
            for _ in 0..STEPS_MAX {
                let slot = &mut self.slots[at];
                if slot.number == 0 {
                    self.count += 1;
                    *slot = Slot { key, number: self.count };
                    self.hashed += 1;
                    self.digits[digits(key)] += 1;
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

    /// Gives the largest range of small keys that is full enough places of its own.
    fn look(&mut self) {
        let (mut below, mut best) = (u64::from(self.count) - self.hashed as u64, None);
        for bits in 0..=DENSE_BITS_MAX {
            below += u64::from(self.digits[bits as usize]);
            if below * DENSE_ONE_IN >= 1 << bits && 1 << bits > self.dense.len() {
                best = Some(1_usize << bits);
            }
        }
        let Some(length) = best else { return };
        self.dense.resize(length, 0);
        let mut moved = 0;
        for slot in &mut self.slots {
            if slot.number > 0
                && let Some(number) = self.dense.get_mut(place(slot.key))
            {
                *number = slot.number;
                self.digits[digits(slot.key)] -= 1;
                *slot = FREE;
                moved += 1;
            }
        }
        self.hashed -= moved;
        // Keys that stood behind those are found at their places again.
        self.rebuild(self.slots.len());
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

/// Returns the place of a key among those of its range; one that no table has for a key that is too large.
fn place(key: u64) -> usize {
    usize::try_from(key).unwrap_or(usize::MAX)
}

const fn digits(key: u64) -> usize {
    (u64::BITS - key.leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::{Interner, TOGETHER};

    /// Numbers keys and compares each with a list of those that came before.
    fn check(keys: &[u64]) {
        let mut interner = Interner::new();
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
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), interner.count() as usize, "no key has two numbers");
    }

    #[test]
    fn keys_are_numbered_in_the_order_of_their_first_use() {
        let mut chance = crate::Stream::new(1, "intern");
        let mut drawn = |count: u64, shift: u32| -> Vec<u64> {
            (0..100_000).map(|_| chance.below(count) << shift).collect()
        };
        // Far from each other, close to each other, and both in turn.
        let (sparse, dense) = (drawn(30_000, 20), drawn(30_000, 0));
        check(&sparse);
        check(&dense);
        check(&[sparse.clone(), dense.clone(), drawn(60_000, 0)].concat());
        check(
            &sparse.iter().zip(&dense).flat_map(|(one, other)| [*one, *other]).collect::<Vec<_>>(),
        );
        check(&[u64::MAX, 0, u64::MAX, 1 << 40, 0]);
        check(&(0..100_000).rev().collect::<Vec<_>>());
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

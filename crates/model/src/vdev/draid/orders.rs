//! The orders of disks that slices of a dRAID vdev take in turns: fixed numbers of the on-disk format.
//!
//! The orders of so many disks are one list that is shuffled again and again, each time from where it stands, by the
//! numbers of xoroshiro128++ from a seed that the format names. Every slice takes the next step: the first of the
//! orders with 0 to n − 1 added to each of its numbers modulo n, then the second in the same way, and so on.

#![expect(
    clippy::indexing_slicing,
    reason = "numbers of disks that a layout takes, and places below them"
)]

use std::sync::OnceLock;

use super::seeds::{COUNT, DISKS_MIN, SEEDS};
use crate::ids::{number_of, row};

/// The other half of the seed (`VDEV_DRAID_SEED`).
const SEED: u64 = 0x000d_7a1d_5eed;
/// Up to how many disks there are 256 orders; of more, 512.
const FEW_DISKS: u64 = 31;

/// The disks of a slice, by position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    list: &'static [u8],
    added: u64,
}

impl Order {
    /// Returns the disk at a position.
    pub(super) fn disk(self, position: u64) -> u32 {
        let listed = u64::from(self.list[row(position)]);
        number_of((listed + self.added) % self.list.len() as u64)
    }
}

/// Returns the order of a slice of so many disks, of which a vdev has 2 to 255.
pub(super) fn of(disks: u64, slice: u64) -> Order {
    static ALL: [OnceLock<Vec<u8>>; COUNT] = [const { OnceLock::new() }; COUNT];
    let place = row(disks - DISKS_MIN);
    let all = ALL[place].get_or_init(|| shuffled(disks, SEEDS[place]));
    let (width, turn) = (row(disks), row(slice / disks) % count(disks));
    Order { list: &all[turn * width..(turn + 1) * width], added: slice % disks }
}

/// Returns how many orders there are of so many disks.
fn count(disks: u64) -> usize {
    if disks <= FEW_DISKS { 256 } else { 512 }
}

/// Returns all orders, one behind the other.
fn shuffled(disks: u64, seed: u64) -> Vec<u8> {
    let mut list: Vec<u8> = (0..=u8::MAX).take_while(|disk| u64::from(*disk) < disks).collect();
    let mut numbers = Numbers { halves: [SEED, seed] };
    let mut all = Vec::with_capacity(list.len() * count(disks));
    for _ in 0..count(disks) {
        for place in (1..list.len()).rev() {
            let other = numbers.next() % (place as u64 + 1);
            list.swap(place, row(other));
        }
        all.extend_from_slice(&list);
    }
    all
}

/// Numbers that look random: xoroshiro128++ 1.0 of David Blackman and Sebastiano Vigna, in the public domain.
struct Numbers {
    halves: [u64; 2],
}

impl Numbers {
    fn next(&mut self) -> u64 {
        let [one, other] = self.halves;
        let mixed = one ^ other;
        self.halves = [one.rotate_left(49) ^ mixed ^ (mixed << 21), mixed.rotate_left(28)];
        one.wrapping_add(other).rotate_left(17).wrapping_add(one)
    }
}

#[cfg(test)]
mod tests {
    use super::super::seeds::SUMS;
    use super::{DISKS_MIN, SEEDS, of, shuffled};

    #[test]
    fn the_orders_have_the_sums_that_the_format_names() {
        for (disks, (seed, expected)) in (DISKS_MIN..).zip(SEEDS.into_iter().zip(SUMS)) {
            let all = shuffled(disks, seed);
            let words =
                all.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
            assert_eq!(words.map(u64::from).sum::<u64>(), expected, "{disks} disks");
        }
    }

    #[test]
    fn a_slice_has_every_disk_once() {
        for disks in [2, 6, 31, 32, 255] {
            for slice in [0, 1, disks - 1, disks, 7 * disks + 3, 600 * disks] {
                let mut found: Vec<u32> =
                    (0..disks).map(|position| of(disks, slice).disk(position)).collect();
                found.sort_unstable();
                let all: Vec<u32> = (0..u32::try_from(disks).unwrap()).collect();
                assert_eq!(found, all, "slice {slice} of {disks} disks");
            }
        }
    }
}

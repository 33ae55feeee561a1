//! A directory's blocks: which there are, and which entry stands in which (docs/model/metadata.md#large-directories;
//! zap_micro.c, zap.c, zap_leaf.c 0.7 to 2.3).
//!
//! A small directory is one block, an entry of 64 bytes each; one that would be larger than 128 KiB
//! becomes a *fat* one: a header block with a table of pointers, and leaf blocks, all of 16 KiB. An entry
//! stands in the leaf that the first bits of its name's hash point to. A leaf has 638 chunks of 24 bytes;
//! an entry takes one, its name one for each 21 bytes, its value one more. A full leaf is split in two by
//! the next bit of the hash. The table stands in the header as long as no leaf needs more than ten bits,
//! and in blocks of its own after that.
//!
//! The hash is a CRC of the name, begun with a salt (`zap_hash`, zap_micro.c), which spreads numbered
//! names over the leaves far more evenly than chance would.
//!
//! A small case: 213 names of 16 letters take 639 chunks, so the 213th splits the only leaf.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are numbers of leaves and table slots made here"
)]

use arcwright_workload::Stream;

use crate::ids::{number, row};

/// Bytes of an entry of a small directory (`MZAP_ENT_LEN`), and of the largest small directory.
const MICRO_ENTRY: u64 = 64;
const MICRO_MAX: u64 = 128 << 10;
/// Bytes of each block of a fat directory (`fzap_default_block_shift`).
pub(super) const FAT_BLOCK: u64 = 16 << 10;
/// Chunks of a leaf: what its hash table of 512 places and two chunks of header leave.
const LEAF_CHUNKS: u64 = (FAT_BLOCK - 2 * 512) / 24 - 2;
/// Bytes of a name or a value in a chunk.
const CHUNK_BYTES: u64 = 21;
/// The polynomial of the hash, reflected (`ZFS_CRC64_POLY`), and the bits of it that are used.
const CRC_POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;
const HASH_BITS: u32 = 28;
/// Bits of hash that the table in the header block is indexed by.
const EMBEDDED_SHIFT: u32 = 10;
/// Bits of hash that one block of an external table covers.
const TABLE_BLOCK_SHIFT: u32 = 11;

/// A directory's blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Zap {
    /// One block of so many bytes.
    Micro {
        bytes: u64,
    },
    Fat(Fat),
}

/// A directory of many blocks: the header is block 0; leaves follow, then blocks of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fat {
    /// The leaf of each entry, from 0.
    pub(super) leaf_of: Vec<u32>,
    /// Entries of each leaf.
    pub(super) entries: Vec<u32>,
    /// Entries in the order of listing.
    pub(super) listed: Vec<u32>,
    /// Blocks of the table outside of the header.
    pub(super) table_blocks: u32,
}

impl Zap {
    /// Returns the directory of `names`, with a salt from `chance`.
    pub(super) fn new(names: &[String], chance: &mut Stream) -> Self {
        let salt = chance.below(u64::MAX);
        let bytes = (names.len() as u64 + 1) * MICRO_ENTRY;
        if bytes <= MICRO_MAX {
            return Self::Micro { bytes: bytes.div_ceil(512) * 512 };
        }
        // The name ends with a zero byte.
        let longest = names.iter().map(|name| name.len() as u64 + 1).fold(0, u64::max);
        let chunks = 2 + longest.div_ceil(CHUNK_BYTES);
        let hashes: Vec<u64> = names.iter().map(|name| hash(name, salt)).collect();
        Self::Fat(Fat::new(&hashes, LEAF_CHUNKS / chunks))
    }

    /// Returns how many blocks it has.
    pub(super) fn blocks(&self) -> u32 {
        match self {
            Self::Micro { .. } => 1,
            Self::Fat(fat) => 1 + fat.leaves() + fat.table_blocks,
        }
    }
}

/// What a byte adds to the checksum, for each byte.
const CRC: [u64; 256] = crc_table();

const fn crc_table() -> [u64; 256] {
    let mut table = [0u64; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (crc & 1).wrapping_neg() & CRC_POLYNOMIAL;
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// Returns the hash of a name, of whose bits the first 28 count.
fn hash(name: &str, salt: u64) -> u64 {
    let next = |crc: u64, byte: u8| crc >> 8 ^ CRC[usize::from(crc.to_le_bytes()[0] ^ byte)];
    let crc = name.bytes().fold(salt, next);
    crc & !((1 << (64 - HASH_BITS)) - 1)
}

/// A leaf while the directory grows.
struct Leaf {
    prefix: u64,
    bits: u32,
    held: Vec<(u64, u32)>,
}

impl Fat {
    fn new(hashes: &[u64], room: u64) -> Self {
        let entries = number(hashes.len());
        let mut shift = EMBEDDED_SHIFT;
        let mut table = vec![0usize; 1 << shift];
        let mut leaves = vec![Leaf { prefix: 0, bits: 0, held: Vec::new() }];
        for (hash, entry) in hashes.iter().copied().zip(0..) {
            loop {
                let leaf = table[slot(hash, shift)];
                if (leaves[leaf].held.len() as u64) < room {
                    leaves[leaf].held.push((hash, entry));
                    break;
                }
                if leaves[leaf].bits == shift {
                    table = table.iter().flat_map(|leaf| [*leaf, *leaf]).collect();
                    shift += 1;
                }
                split(&mut leaves, leaf, &mut table, shift);
            }
        }
        Self::grown(&leaves, entries, shift)
    }

    fn grown(leaves: &[Leaf], entries: u32, shift: u32) -> Self {
        let mut leaf_of = vec![0; entries as usize];
        for (leaf, number) in leaves.iter().zip(0..) {
            for (_, entry) in &leaf.held {
                leaf_of[*entry as usize] = number;
            }
        }
        // Leaves divide the hashes between them, so that sorting each sorts all.
        let mut in_order: Vec<&Leaf> = leaves.iter().collect();
        in_order.sort_unstable_by_key(|leaf| leaf.prefix << (HASH_BITS - leaf.bits));
        let mut listed = Vec::with_capacity(leaf_of.len());
        let mut held = Vec::new();
        for leaf in in_order {
            held.clone_from(&leaf.held);
            held.sort_unstable();
            listed.extend(held.iter().map(|(_, entry)| *entry));
        }
        Self {
            leaf_of,
            entries: leaves.iter().map(|leaf| number(leaf.held.len())).collect(),
            listed,
            table_blocks: if shift > EMBEDDED_SHIFT { 1 << (shift - TABLE_BLOCK_SHIFT) } else { 0 },
        }
    }

    pub(super) fn leaves(&self) -> u32 {
        number(self.entries.len())
    }
}

fn slot(hash: u64, shift: u32) -> usize {
    row(hash >> (64 - shift))
}

/// Splits a leaf by the next bit of its hashes; the upper half goes to a new one.
fn split(leaves: &mut Vec<Leaf>, leaf: usize, table: &mut [usize], shift: u32) {
    let new = leaves.len();
    let old = &mut leaves[leaf];
    let bits = old.bits + 1;
    let (prefix, mask) = (old.prefix << 1, 1u64 << (64 - bits));
    let (upper, lower): (Vec<_>, Vec<_>) = old.held.iter().partition(|(hash, _)| hash & mask != 0);
    (old.prefix, old.bits, old.held) = (prefix, bits, lower);
    leaves.push(Leaf { prefix: prefix | 1, bits, held: upper });
    let first = row((prefix | 1) << (shift - bits));
    table[first..first + (1 << (shift - bits))].fill(new);
}

#[cfg(test)]
mod tests {
    use arcwright_workload::Stream;

    use super::{Fat, LEAF_CHUNKS, Zap};

    fn zap(entries: u32) -> Zap {
        let names: Vec<String> = (0..entries).map(|entry| format!("IMG_{entry:08}.png")).collect();
        Zap::new(&names, &mut Stream::new(1, "zap"))
    }

    fn fat(entries: u32) -> Fat {
        match zap(entries) {
            Zap::Fat(fat) => fat,
            Zap::Micro { .. } => panic!("{entries} entries are a small directory"),
        }
    }

    #[test]
    fn a_small_directory_is_one_block_of_64_bytes_an_entry() {
        let bytes = |entries: u32| match zap(entries) {
            Zap::Micro { bytes } => Some(bytes),
            Zap::Fat(_) => None,
        };
        assert_eq!(bytes(7), Some(512));
        assert_eq!(bytes(8), Some(1024));
        assert_eq!(bytes(2047), Some(128 << 10));
        assert_eq!(bytes(2048), None);
    }

    #[test]
    fn a_leaf_has_room_for_212_short_names() {
        assert_eq!(LEAF_CHUNKS, 638);
        assert!(fat(10_000).entries.iter().all(|count| *count <= 212));
    }

    /// Half to all full, so 10 000 entries are 64 leaves of 156 on average.
    #[test]
    fn ten_thousand_entries_are_64_leaves() {
        let fat = fat(10_000);
        // As the lab has them; 12 000 are 187 of 212 in each.
        assert_eq!(fat.leaves(), 64);
        assert_eq!(
            (super::tests::fat(12_000).leaves(), super::tests::fat(3000).leaves()),
            (64, 16)
        );
        assert_eq!(fat.table_blocks, 0);
        assert_eq!(fat.entries.iter().sum::<u32>(), 10_000);
    }

    #[test]
    fn listing_goes_leaf_by_leaf() {
        let fat = fat(3000);
        let mut leaves: Vec<u32> =
            fat.listed.iter().map(|entry| fat.leaf_of[*entry as usize]).collect();
        leaves.dedup();
        assert_eq!(leaves.len(), fat.entries.len());
    }
}

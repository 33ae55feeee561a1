//! What a block takes after LZ4 (docs/model/compression.md; zio_compress.c, zio.c 0.7 to 2.4).
//!
//! A small case: a record of 128 KiB at 1.8x is 71.1 KiB, which takes 18 sectors of 4 KiB, 72 KiB; at 1.1x it would be 116.4 KiB,
//! which saves less than an eighth, so that it is stored as it is.

use arcwright_scenario::Compression;

/// How what a file or a tree holds is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    /// What LZ4 makes of it in hundredths, 100 and more; none where the dataset does not compress.
    percent: Option<u64>,
    /// What a compressed block is a multiple of: a sector, or a row of them (`zio_roundup_alloc_size`).
    unit: u64,
}

impl Stored {
    /// Returns how a dataset stores what compresses to `percent`, in multiples of `unit` bytes.
    pub(crate) fn of(compression: Compression, percent: Option<u32>, unit: u64) -> Self {
        let percent = match compression {
            Compression::Off => None,
            Compression::Lz4 => Some(u64::from(percent.unwrap_or(100).max(100))),
        };
        Self { percent, unit }
    }

    /// Returns what a block of `length` bytes takes of which the first `filled` hold something, and the rest zeroes.
    pub(crate) fn size(self, length: u64, filled: u64) -> u64 {
        let Some(percent) = self.percent else { return length };
        let packed = (filled.min(length) * 100).div_ceil(percent);
        let sectors = packed.next_multiple_of(self.unit);
        // What saves less than an eighth is stored as it is.
        let is_worth_it = packed <= length - length / 8 && sectors < length;
        if is_worth_it { sectors } else { length }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compression, Stored};

    #[test]
    fn a_block_takes_whole_sectors_where_an_eighth_is_saved() {
        let check = |percent: u32, length: u64, filled: u64, expected: u64| {
            let stored = Stored::of(Compression::Lz4, Some(percent), 4096);
            assert_eq!(
                stored.size(length << 10, filled << 10),
                expected << 10,
                "{percent} {length}"
            );
        };
        check(100, 128, 128, 128);
        check(110, 128, 128, 128);
        check(115, 128, 128, 112);
        check(180, 128, 128, 72);
        check(200, 16, 16, 8);
        check(200, 4, 4, 4);
        check(150, 8, 8, 8);
        check(300, 8, 8, 4);
        // The end of a file that fills its last record in part.
        check(100, 128, 2, 4);
        check(200, 128, 100, 52);
        let off = Stored::of(Compression::Off, Some(200), 4096);
        assert_eq!(off.size(1 << 17, 4096), 1 << 17);
    }
}

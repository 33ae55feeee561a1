//! Which disks a block of a dRAID vdev lies on (docs/model/draid.md; vdev_draid.c 2.1 to 2.4).
//!
//! ```text
//!   offsets ──> groups of (data + parity) × 16 MiB ──> slices: whole groups that fill whole rows
//!   slice ──> an order of all disks ──> position in a row ──> disk
//! ```
//!
//! A small case: six disks, groups of two data and one parity disk, no spare. A block of 16 KiB is two rows of
//! three sectors of 4 KiB; the first 48 MiB of the vdev lie on the first three disks of the first order, the next
//! 48 MiB on the other three.

mod orders;
mod seeds;

use super::geometry::Column;
use crate::ids::number_of;

/// What a group holds of each of its disks: a block of the largest record size fits, whatever the group
/// (`VDEV_DRAID_ROWHEIGHT`).
const ROW_BYTES: u64 = 16 << 20;
/// What is left free at the end of each disk (`VDEV_DRAID_REFLOW_RESERVE`).
const RESERVED_BYTES: u64 = 2 * ROW_BYTES;

/// The shape of a dRAID vdev.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draid {
    /// Disks of a group that hold data, and that hold parity.
    pub(super) data: u64,
    pub(super) parity: u64,
    /// Disks' worth of spares.
    pub(super) spares: u64,
    /// All disks.
    pub(super) disks: u64,
    pub(super) ashift: u8,
}

/// What becomes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Draid {
    /// Returns how many disks a group lies on.
    const fn width(self) -> u64 {
        self.data + self.parity
    }

    /// Returns how many disks of a row hold groups; the others are its spares.
    pub(super) const fn positions(self) -> u64 {
        self.disks - self.spares
    }

    const fn group_bytes(self) -> u64 {
        self.width() * ROW_BYTES
    }

    /// Returns the bytes that one row of sectors of a group has, parity included.
    const fn stripe_bytes(self) -> u64 {
        self.width() << self.ashift
    }

    /// Returns the least that a compressed block is a multiple of: one row of data sectors.
    pub(super) const fn unit(self) -> u64 {
        self.data << self.ashift
    }

    /// Returns the bytes that offsets go up to, with disks of `bytes`: whole rows, then whole groups.
    pub(super) const fn room(self, bytes: u64) -> u64 {
        let rows = bytes.saturating_sub(RESERVED_BYTES) / ROW_BYTES;
        rows * self.positions() / self.width() * self.group_bytes()
    }

    /// Returns the bytes that a block of `bytes` takes: whole rows of sectors, whatever is in the last.
    pub(super) const fn allocated(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.unit()) * self.stripe_bytes()
    }

    /// Appends the columns of a block. What reaches beyond the end of a group goes on in the next.
    pub(super) fn columns(
        self,
        (offset, bytes): (u64, u64),
        access: Access,
        columns: &mut Vec<Column>,
    ) {
        let (group, stripe) = (self.group_bytes(), self.stripe_bytes());
        // Metaslabs begin where a row of sectors does.
        let mut at = offset - offset % stripe;
        let mut left = bytes.div_ceil(1 << self.ashift);
        loop {
            let stripes = (group - at % group) / stripe;
            let here = left.min(stripes * self.data);
            self.part(at, here, access, columns);
            left -= here;
            if left == 0 {
                return;
            }
            at += stripes * stripe;
        }
    }

    /// Appends the columns of what `sectors` of data take in one group.
    fn part(self, at: u64, sectors: u64, access: Access, columns: &mut Vec<Column>) {
        let (width, positions) = (self.width(), self.positions());
        // A slice: the fewest groups that fill whole rows.
        let groups = positions / common(width, positions);
        let (group, inside) = (at / self.group_bytes(), at % self.group_bytes() / width);
        let (slice, nth) = (group / groups, group % groups);
        let rows = slice * (groups * width / positions);
        let order = orders::of(self.disks, slice);
        let (whole, rest) = (sectors / self.data, sectors % self.data);
        let most = whole + u64::from(rest > 0);
        for place in 0..width {
            let sectors = match (access, place.checked_sub(self.parity)) {
                // What a row lacks of data is written too, as zeroes.
                (Access::Write, _) => most,
                (Access::Read, None) => continue,
                (Access::Read, Some(data)) => whole + u64::from(data < rest),
            };
            if sectors == 0 {
                continue;
            }
            let position = nth * width + place;
            let row = rows + position / positions;
            columns.push(Column {
                disk: order.disk(position % positions),
                offset: row * ROW_BYTES + inside,
                size: number_of(sectors << self.ashift),
            });
        }
    }
}

/// Returns the greatest common divisor.
const fn common(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::{Access, Column, Draid, ROW_BYTES};

    fn draid(parity: u64, data: u64, disks: u64, spares: u64) -> Draid {
        Draid { data, parity, spares, disks, ashift: 12 }
    }

    fn columns(draid: Draid, offset: u64, kib: u64, access: Access) -> Vec<Column> {
        let mut columns = Vec::new();
        draid.columns((offset, kib << 10), access, &mut columns);
        columns
    }

    fn check(draid: Draid, at: u64, kib: u64, access: Access, expected: &[(u32, u64, u32)]) {
        let found: Vec<(u32, u64, u32)> = columns(draid, at, kib, access)
            .iter()
            .map(|column| (column.disk, column.offset >> 12, column.size >> 12))
            .collect();
        assert_eq!(found, expected, "{draid:?} {kib} KiB at {at}");
    }

    /// The cases of docs/model/draid.md#worked-cases: disk, sector, sectors.
    #[test]
    fn columns_are_those_of_the_kernel() {
        let six = draid(1, 2, 6, 0);
        let first = columns(six, 0, 16, Access::Write);
        let disks: Vec<u32> = first.iter().map(|column| column.disk).collect();
        check(six, 0, 16, Access::Write, &[(disks[0], 0, 2), (disks[1], 0, 2), (disks[2], 0, 2)]);
        check(six, 0, 16, Access::Read, &[(disks[1], 0, 2), (disks[2], 0, 2)]);
        // Three sectors: the last row lacks one, which is written and not read.
        check(six, 0, 12, Access::Write, &[(disks[0], 0, 2), (disks[1], 0, 2), (disks[2], 0, 2)]);
        check(six, 0, 12, Access::Read, &[(disks[1], 0, 2), (disks[2], 0, 1)]);
        check(six, 0, 4, Access::Read, &[(disks[1], 0, 1)]);
        // The next group lies on the other three.
        let next = columns(six, 48 << 20, 16, Access::Write);
        assert!(next.iter().all(|column| column.offset == 0 && !disks.contains(&column.disk)));
        assert_eq!(six.allocated(12 << 10), 24 << 10);
        assert_eq!(six.allocated(4 << 10), 12 << 10);
    }

    #[test]
    fn a_block_at_the_end_of_a_group_goes_on_in_the_next() {
        let six = draid(1, 2, 6, 0);
        let end = (48 << 20) - 12288;
        let parts = columns(six, end, 16, Access::Write);
        let offsets: Vec<u64> = parts.iter().map(|column| column.offset).collect();
        assert_eq!(offsets, [ROW_BYTES - 4096, ROW_BYTES - 4096, ROW_BYTES - 4096, 0, 0, 0]);
        let read: u32 = columns(six, end, 16, Access::Read).iter().map(|it| it.size).sum();
        assert_eq!(read, 16384);
    }

    #[test]
    fn every_sector_of_the_vdev_has_a_place_of_its_own() {
        for (parity, data, disks, spares) in
            [(1, 2, 6, 0), (1, 4, 11, 1), (2, 4, 14, 2), (3, 8, 30, 2), (1, 1, 2, 0)]
        {
            let draid = draid(parity, data, disks, spares);
            let bytes = 40 * ROW_BYTES;
            let room = draid.room(bytes);
            let stripe = draid.width() * ROW_BYTES;
            let mut rows = vec![0u64; usize::try_from(disks * 40).unwrap()];
            for at in (0..room).step_by(usize::try_from(stripe).unwrap()) {
                let mut all = Vec::new();
                draid.columns((at, data * ROW_BYTES), Access::Write, &mut all);
                for column in all {
                    assert!(column.offset + u64::from(column.size) <= bytes, "{draid:?}");
                    let row = u64::from(column.disk) * 40 + column.offset / ROW_BYTES;
                    rows[usize::try_from(row).unwrap()] += u64::from(column.size);
                }
            }
            assert!(rows.iter().all(|held| *held == 0 || *held == ROW_BYTES), "{draid:?}");
            let held: u64 = rows.iter().sum();
            assert_eq!(held, room, "{draid:?}");
        }
    }

    #[test]
    fn every_byte_is_read_once_and_written_with_its_parity() {
        for (parity, data, disks, spares) in [(1, 2, 6, 0), (2, 4, 11, 1), (3, 5, 13, 2)] {
            let draid = draid(parity, data, disks, spares);
            let stripe = draid.stripe_bytes();
            for (sectors, at) in (1..48u64).flat_map(|s| (0..30u64).map(move |o| (s, o * 4097))) {
                let at = at * stripe;
                let sum = |access| -> u64 {
                    let all = columns(draid, at, sectors * 4, access);
                    all.iter().map(|column| u64::from(column.size)).sum()
                };
                assert_eq!(sum(Access::Read), sectors << 12, "{draid:?} {sectors} at {at}");
                assert_eq!(sum(Access::Write), draid.allocated(sectors << 12), "{draid:?}");
            }
        }
    }
}

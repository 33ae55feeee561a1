//! Which disks a block of a top-level vdev lies on (docs/model/mirror-raidz.md#raidz-columns).
//!
//! RAIDZ numbers the sectors of all its disks row by row. A block takes a run of these numbers; what of
//! the run falls on one disk is a column, and the first columns hold parity. A small case: 128 KiB on
//! three disks of raidz1 with sectors of 4 KiB is one parity and two data columns of 64 KiB. dRAID is in `draid`.

use std::ops::Range;

use arcwright_scenario::{VdevLayout, VdevSpec};

use super::draid::{Access, Draid};
use crate::ids::number_of;

/// A part of a block on one disk of its vdev.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    /// Which disk of the vdev.
    pub(crate) disk: u32,
    pub(crate) offset: u64,
    pub(crate) size: u32,
}

/// The shape of a top-level vdev.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) layout: VdevLayout,
    pub(crate) disks: u64,
    ashift: u8,
}

impl Shape {
    pub(crate) fn of(vdev: &VdevSpec, ashift: u8) -> Self {
        Self { layout: vdev.layout, disks: vdev.disks.len() as u64, ashift }
    }

    pub(crate) fn parity(self) -> u64 {
        self.layout.parity()
    }

    /// Returns how many disks hold different data; of dRAID, spares and the parity of one group apart, as the
    /// allocator counts them (`vdev_get_ndisks`).
    pub(crate) fn data_disks(self) -> u64 {
        match self.layout {
            VdevLayout::Single | VdevLayout::Mirror => 1,
            VdevLayout::Draid { spares, .. } => self.disks - u64::from(spares) - self.parity(),
            _ => self.disks - self.parity(),
        }
    }

    /// Returns how many disks a large block is read from.
    pub(crate) fn read_from(self) -> u64 {
        self.draid().map_or_else(|| self.data_disks(), |draid| draid.data)
    }

    /// Returns what compressed blocks of a pool of such vdevs are multiples of (`vdev_get_min_alloc`).
    pub(crate) fn unit(self) -> u64 {
        self.draid().map_or_else(|| self.sector_bytes(), Draid::unit)
    }

    /// Says whether disks of it are distributed spares.
    pub(crate) fn has_spares(self) -> bool {
        self.draid().is_some_and(|draid| draid.spares > 0)
    }

    /// Returns the bytes that offsets go up to, with disks of `bytes`.
    pub(crate) fn room(self, bytes: u64) -> u64 {
        match self.draid() {
            Some(draid) => draid.room(bytes),
            None if self.is_raidz() => bytes * self.disks,
            None => bytes,
        }
    }

    /// Returns the bytes that a block of `bytes` takes in the vdev. RAIDZ takes whole multiples of the
    /// smallest block, one data sector with its parity, so that every gap can be filled
    /// (docs/model/mirror-raidz.md#raidz-allocated-size).
    pub(crate) fn allocated(self, bytes: u64) -> u64 {
        if !self.is_raidz() {
            // As most pools are, and placing a block asks for it: no division is needed.
            return bytes.next_multiple_of(self.sector_bytes());
        }
        if let Some(draid) = self.draid() {
            return draid.allocated(bytes);
        }
        self.sectors(bytes).next_multiple_of(self.parity() + 1) << self.ashift
    }

    /// Appends the columns that a read of a whole block touches; mirrors choose their disk later.
    pub(crate) fn read_columns(self, offset: u64, bytes: u64, columns: &mut Vec<Column>) {
        if let Some(draid) = self.draid() {
            draid.columns((offset, bytes), Access::Read, columns);
        } else if self.is_raidz() {
            let parity = self.parity_columns(offset);
            let numbered = (0..).zip(self.raidz_columns(offset, bytes));
            let with_data = numbered.filter(|(number, _)| !parity.contains(number));
            columns.extend(with_data.map(|(_, column)| column));
        } else {
            columns.push(self.copy(0, offset, bytes));
        }
    }

    /// Appends the columns that a write of a whole block touches: every side of a mirror, parity too.
    pub(crate) fn write_columns(self, offset: u64, bytes: u64, columns: &mut Vec<Column>) {
        if let Some(draid) = self.draid() {
            draid.columns((offset, bytes), Access::Write, columns);
        } else if self.is_raidz() {
            columns.extend(self.raidz_columns(offset, bytes));
        } else {
            columns.extend((0..self.disks).map(|disk| self.copy(disk, offset, bytes)));
        }
    }

    pub(crate) const fn is_draid(self) -> bool {
        matches!(self.layout, VdevLayout::Draid { .. })
    }

    fn is_raidz(self) -> bool {
        self.parity() > 0
    }

    fn draid(self) -> Option<Draid> {
        let VdevLayout::Draid { parity, data, spares } = self.layout else { return None };
        let (parity, data, spares) = (parity.into(), data.into(), spares.into());
        Some(Draid { data, parity, spares, disks: self.disks, ashift: self.ashift })
    }

    /// Returns the sectors that a block takes, parity included: each row of data sectors has its own.
    fn sectors(self, bytes: u64) -> u64 {
        let of_data = bytes.div_ceil(self.sector_bytes());
        of_data + self.parity() * of_data.div_ceil(self.disks - self.parity())
    }

    /// Returns a block's columns in order, parity and data. Sector number `a` of the vdev is on disk `a`
    /// modulo disks, in row `a` over disks; so what a column has begins with its own number, and goes on
    /// with every so many numbers as there are disks.
    fn raidz_columns(self, offset: u64, bytes: u64) -> impl Iterator<Item = Column> {
        let (from, sectors) = (offset >> self.ashift, self.sectors(bytes));
        (0..sectors.min(self.disks)).map(move |nth| {
            let (address, rows) = (from + nth, (sectors - nth).div_ceil(self.disks));
            self.column(address % self.disks, (address / self.disks) << self.ashift, rows)
        })
    }

    /// Returns which columns of a block hold parity: the first. With single parity the first two take
    /// turns, a MiB of offsets each, so that no disk holds parity alone.
    fn parity_columns(self, offset: u64) -> Range<u64> {
        const TURN_SHIFT: u32 = 20;
        let first = if self.layout == VdevLayout::Raidz1 { offset >> TURN_SHIFT & 1 } else { 0 };
        first..first + self.parity()
    }

    /// Returns a whole copy of a block. What is not whole sectors takes the rest of its last one.
    fn copy(self, disk: u64, offset: u64, bytes: u64) -> Column {
        self.column(disk, offset, bytes.div_ceil(self.sector_bytes()))
    }

    fn column(self, disk: u64, offset: u64, sectors: u64) -> Column {
        Column { disk: number_of(disk), offset, size: number_of(sectors << self.ashift) }
    }

    pub(crate) fn sector_bytes(self) -> u64 {
        1 << self.ashift
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use arcwright_scenario::VdevLayout;

    use super::{Column, Shape};

    fn shape(layout: VdevLayout, disks: u64, ashift: u8) -> Shape {
        Shape { layout, disks, ashift }
    }

    fn check(shape: Shape, offset: u64, kib: u64, expected: &[(u32, u32)]) {
        let mut columns = Vec::new();
        shape.read_columns(offset, kib << 10, &mut columns);
        let found: Vec<(u32, u32)> =
            columns.iter().map(|column: &Column| (column.disk, column.size >> 10)).collect();
        assert_eq!(found, expected, "{shape:?} {kib} KiB at {offset}");
    }

    /// The vectors of docs/model/mirror-raidz.md#worked-cases.
    #[test]
    fn raidz_columns_are_those_of_the_kernel() {
        let five = shape(VdevLayout::Raidz1, 5, 12);
        check(five, 0, 128, &[(1, 32), (2, 32), (3, 32), (4, 32)]);
        assert_eq!(five.allocated(128 << 10), 163_840);
        let three = shape(VdevLayout::Raidz1, 3, 12);
        check(three, 28_672, 128, &[(2, 64), (0, 64)]);
        assert_eq!(three.allocated(128 << 10), 196_608);
        let four = shape(VdevLayout::Raidz1, 4, 12);
        check(four, 1 << 20, 128, &[(0, 44), (2, 44), (3, 40)]);
        assert_eq!(four.allocated(128 << 10), 180_224);
        check(four, 0, 4, &[(1, 4)]);
        assert_eq!(four.allocated(4 << 10), 8192);
        assert_eq!(shape(VdevLayout::Raidz2, 6, 9).allocated(128 << 10), 196_608);
    }

    #[test]
    fn every_byte_is_read_once() {
        for (layout, disks) in
            [(VdevLayout::Raidz1, 3), (VdevLayout::Raidz2, 5), (VdevLayout::Raidz3, 8)]
        {
            for sectors in 1..64u64 {
                for offset in 0..40u64 {
                    let mut columns = Vec::new();
                    let shape = shape(layout, disks, 12);
                    shape.read_columns(offset << 12, sectors << 12, &mut columns);
                    let read: u64 = columns.iter().map(|column| u64::from(column.size)).sum();
                    assert_eq!(read, sectors << 12, "{layout:?} {sectors} at {offset}");
                }
            }
        }
    }

    #[test]
    fn a_write_reaches_every_disk_that_the_geometry_says_once() {
        for (layout, disks, parity) in [
            (VdevLayout::Single, 1, 0),
            (VdevLayout::Mirror, 3, 0),
            (VdevLayout::Raidz1, 4, 1),
            (VdevLayout::Raidz2, 5, 2),
            (VdevLayout::Raidz3, 8, 3),
        ] {
            for (sectors, offset) in (1..64u64).flat_map(|s| (0..40u64).map(move |o| (s, o))) {
                let mut columns = Vec::new();
                let shape = shape(layout, disks, 12);
                shape.write_columns(offset << 12, sectors << 12, &mut columns);
                let written: u64 = columns.iter().map(|column| u64::from(column.size)).sum();
                let expected = match layout {
                    VdevLayout::Single | VdevLayout::Mirror => sectors * disks,
                    _ => sectors + parity * sectors.div_ceil(disks - parity),
                };
                assert_eq!(written, expected << 12, "{layout:?} {sectors} at {offset}");
                let mut touched: Vec<u32> = columns.iter().map(|column| column.disk).collect();
                touched.sort_unstable();
                touched.dedup();
                assert_eq!(touched.len(), columns.len(), "{layout:?} {sectors} at {offset}");
            }
        }
    }
}

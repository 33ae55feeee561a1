//! Which disks a block of a top-level vdev lies on (docs/model/mirror-raidz.md).
//!
//! RAIDZ (vdev_raidz.c 0.7 to 2.3): a block of `s` sectors at sector `b` of `n` disks with parity `p`
//! begins on disk `b mod n`; `p` parity columns come first, then the data columns. A small case: 128
//! KiB on three disks of raidz1 with sectors of 4 KiB is one parity and two data columns of 64 KiB.

use arcwright_scenario::{Layout, Vdev};

/// A part of a block on one disk of its vdev.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    /// Which disk of the vdev.
    pub(crate) disk: u32,
    pub(crate) offset: u64,
    pub(crate) size: u32,
}

/// Which columns of a block are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touched {
    /// Those that hold data.
    Data,
    /// Those of parity as well.
    All,
}

/// The shape of a top-level vdev.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) layout: Layout,
    pub(crate) disks: u64,
    ashift: u8,
}

impl Shape {
    pub(crate) fn of(vdev: &Vdev, ashift: u8) -> Self {
        Self { layout: vdev.layout, disks: vdev.disks.len() as u64, ashift }
    }

    pub(crate) fn parity(self) -> u64 {
        match self.layout {
            Layout::Single | Layout::Mirror => 0,
            Layout::Raidz1 => 1,
            Layout::Raidz2 => 2,
            Layout::Raidz3 => 3,
        }
    }

    /// Returns how many disks hold different data.
    pub(crate) fn data_disks(self) -> u64 {
        match self.layout {
            Layout::Single | Layout::Mirror => 1,
            _ => self.disks - self.parity(),
        }
    }

    /// Returns the bytes that offsets go up to, with disks of `bytes`.
    pub(crate) fn room(self, bytes: u64) -> u64 {
        if self.parity() > 0 { bytes * self.disks } else { bytes }
    }

    /// Returns the bytes that a block of `bytes` takes in the vdev.
    pub(crate) fn allocated(self, bytes: u64) -> u64 {
        let sectors = bytes.div_ceil(1 << self.ashift);
        let parity = self.parity();
        let all = match parity {
            0 => sectors,
            _ => {
                let all = sectors + parity * sectors.div_ceil(self.disks - parity);
                all.div_ceil(parity + 1) * (parity + 1)
            }
        };
        all << self.ashift
    }

    /// Appends the columns that a read of a whole block touches; mirrors choose their disk later.
    pub(crate) fn read_columns(self, offset: u64, bytes: u64, columns: &mut Vec<Column>) {
        if self.parity() == 0 {
            // What is not whole sectors is read with the rest of its last one.
            let whole = bytes.next_multiple_of(1 << self.ashift);
            columns.push(Column { disk: 0, offset, size: u32::try_from(whole).unwrap_or(0) });
            return;
        }
        self.raidz_columns((offset, bytes), Touched::Data, columns);
    }

    /// Appends the columns that a write of a whole block touches: every side of a mirror, parity too.
    pub(crate) fn write_columns(self, offset: u64, bytes: u64, columns: &mut Vec<Column>) {
        if self.parity() > 0 {
            self.raidz_columns((offset, bytes), Touched::All, columns);
            return;
        }
        let size = u32::try_from(bytes.next_multiple_of(1 << self.ashift)).unwrap_or(u32::MAX);
        for disk in 0..u32::try_from(self.disks).unwrap_or(1) {
            columns.push(Column { disk, offset, size });
        }
    }

    fn raidz_columns(
        self,
        (offset, bytes): (u64, u64),
        touched: Touched,
        columns: &mut Vec<Column>,
    ) {
        let parity = self.parity();
        let (n, sector) = (self.disks, 1u64 << self.ashift);
        let (b, s) = (offset >> self.ashift, bytes.div_ceil(sector));
        let (first, row) = (b % n, b / n);
        let full = s / (n - parity);
        let rest = s - full * (n - parity);
        let big = if rest == 0 { 0 } else { rest + parity };
        let used = if full > 0 { n } else { big };
        let swapped = parity == 1 && offset >> 20 & 1 == 1;
        for column in 0..used {
            let data = match (swapped, column) {
                (true, 0) => true,
                (true, 1) => false,
                _ => column >= parity,
            };
            let sectors = if column < big { full + 1 } else { full };
            if (touched == Touched::Data && !data) || sectors == 0 {
                continue;
            }
            let place = first + column;
            let (disk, row) = if place >= n { (place - n, row + 1) } else { (place, row) };
            columns.push(Column {
                disk: u32::try_from(disk).unwrap_or(0),
                offset: row << self.ashift,
                size: u32::try_from(sectors << self.ashift).unwrap_or(0),
            });
        }
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use arcwright_scenario::Layout;

    use super::{Column, Shape};

    fn shape(layout: Layout, disks: u64, ashift: u8) -> Shape {
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
        let five = shape(Layout::Raidz1, 5, 12);
        check(five, 0, 128, &[(1, 32), (2, 32), (3, 32), (4, 32)]);
        assert_eq!(five.allocated(128 << 10), 163_840);
        let three = shape(Layout::Raidz1, 3, 12);
        check(three, 28_672, 128, &[(2, 64), (0, 64)]);
        assert_eq!(three.allocated(128 << 10), 196_608);
        let four = shape(Layout::Raidz1, 4, 12);
        check(four, 1 << 20, 128, &[(0, 44), (2, 44), (3, 40)]);
        assert_eq!(four.allocated(128 << 10), 180_224);
        check(four, 0, 4, &[(1, 4)]);
        assert_eq!(four.allocated(4 << 10), 8192);
        assert_eq!(shape(Layout::Raidz2, 6, 9).allocated(128 << 10), 196_608);
    }

    #[test]
    fn every_byte_is_read_once() {
        for (layout, disks) in [(Layout::Raidz1, 3), (Layout::Raidz2, 5), (Layout::Raidz3, 8)] {
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
            (Layout::Single, 1, 0),
            (Layout::Mirror, 3, 0),
            (Layout::Raidz1, 4, 1),
            (Layout::Raidz2, 5, 2),
            (Layout::Raidz3, 8, 3),
        ] {
            for (sectors, offset) in (1..64u64).flat_map(|s| (0..40u64).map(move |o| (s, o))) {
                let mut columns = Vec::new();
                let shape = shape(layout, disks, 12);
                shape.write_columns(offset << 12, sectors << 12, &mut columns);
                let written: u64 = columns.iter().map(|column| u64::from(column.size)).sum();
                let expected = match layout {
                    Layout::Single | Layout::Mirror => sectors * disks,
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

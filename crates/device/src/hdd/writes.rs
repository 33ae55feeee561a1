//! The write-back buffer of a disk: what the host believes written and the platter does not have.

/// Separate places that the buffer remembers.
const EXTENTS_MAX: usize = 1024;

/// Places on either side of the head that are looked at for the next one to write.
const NEARBY_MAX: usize = 16;

/// The write-back buffer.
#[derive(Debug, Clone)]
pub(super) struct WriteBuffer {
    /// Sorted by place, neither touching nor overlapping.
    extents: Vec<Extent>,
    sectors: u64,
    sectors_max: u64,
}

/// Sectors `start..end` wait to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Number of the oldest request in it.
    pub(super) sequence: u64,
}

impl WriteBuffer {
    pub(super) fn new(sectors_max: u64) -> Self {
        Self { extents: Vec::with_capacity(EXTENTS_MAX), sectors: 0, sectors_max }
    }

    /// Returns whether the drive has one.
    pub(super) fn is_enabled(&self) -> bool {
        self.sectors_max > 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// Returns whether `sectors` more fit beside `in_flight` that are being written.
    ///
    /// A request larger than the buffer fits an empty one: it streams through.
    pub(super) fn fits(&self, sectors: u64, in_flight: u64) -> bool {
        let used = self.sectors + in_flight;
        let is_room = used + sectors <= self.sectors_max || used == 0;
        is_room && self.extents.len() < EXTENTS_MAX
    }

    /// Returns whether it is time to write even while reads wait.
    pub(super) fn is_filling(&self) -> bool {
        self.sectors * 2 > self.sectors_max || self.extents.len() * 2 > EXTENTS_MAX
    }

    /// Returns whether something that arrived before request `sequence` is still here.
    pub(super) fn holds_before(&self, sequence: u64) -> bool {
        self.extents.iter().any(|extent| extent.sequence < sequence)
    }

    /// Returns whether all of `start..end` is here.
    pub(super) fn covers(&self, start: u64, end: u64) -> bool {
        let index = self.extents.partition_point(|extent| extent.end <= start);
        self.extents.get(index).is_some_and(|extent| extent.start <= start && end <= extent.end)
    }

    /// Adds what was written, together with what it touches.
    pub(super) fn add(&mut self, mut new: Extent) {
        let first = self.extents.partition_point(|extent| extent.end < new.start);
        let behind = self.extents.partition_point(|extent| extent.start <= new.end);
        for extent in self.extents.drain(first..behind.max(first)) {
            new.start = new.start.min(extent.start);
            new.end = new.end.max(extent.end);
            new.sequence = new.sequence.min(extent.sequence);
            self.sectors -= extent.end - extent.start;
        }
        self.sectors += new.end - new.start;
        self.extents.insert(first, new);
    }

    /// Returns the places around `sector`, with their numbers.
    pub(super) fn nearby(&self, sector: u64) -> impl Iterator<Item = (usize, &Extent)> {
        let middle = self.extents.partition_point(|extent| extent.start < sector);
        let first = middle.saturating_sub(NEARBY_MAX);
        self.extents.iter().enumerate().skip(first).take(2 * NEARBY_MAX)
    }

    /// Takes at most `sectors_max` from the beginning of place `index`.
    pub(super) fn take(&mut self, index: usize, sectors_max: u64) -> Option<Extent> {
        let extent = self.extents.get_mut(index)?;
        let taken = Extent { end: extent.end.min(extent.start + sectors_max.max(1)), ..*extent };
        extent.start = taken.end;
        self.sectors -= taken.end - taken.start;
        if extent.start >= extent.end {
            self.extents.remove(index);
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, WriteBuffer};

    fn extent(start: u64, end: u64, sequence: u64) -> Extent {
        Extent { start, end, sequence }
    }

    fn check(writes: &[(u64, u64)], expected: &[(u64, u64)]) {
        let mut buffer = WriteBuffer::new(1000);
        for (sequence, (start, end)) in (0..).zip(writes) {
            buffer.add(extent(*start, *end, sequence));
        }
        let got: Vec<_> = buffer.extents.iter().map(|e| (e.start, e.end)).collect();
        assert_eq!(got, expected, "{writes:?}");
        assert_eq!(buffer.sectors, expected.iter().map(|(start, end)| end - start).sum::<u64>());
    }

    #[test]
    fn what_touches_becomes_one() {
        check(&[(10, 20), (20, 30)], &[(10, 30)]);
        check(&[(20, 30), (10, 20)], &[(10, 30)]);
        check(&[(10, 20), (30, 40)], &[(10, 20), (30, 40)]);
        check(&[(10, 20), (30, 40), (15, 35)], &[(10, 40)]);
        check(&[(10, 40), (20, 30)], &[(10, 40)]);
        check(&[(10, 12), (14, 16), (18, 20), (0, 30)], &[(0, 30)]);
    }

    #[test]
    fn the_oldest_write_of_an_extent_counts_for_a_flush() {
        let mut buffer = WriteBuffer::new(1000);
        buffer.add(extent(10, 20, 3));
        buffer.add(extent(20, 30, 7));
        assert!(buffer.holds_before(4) && !buffer.holds_before(3));
    }

    #[test]
    fn taking_a_part_leaves_the_rest() {
        let mut buffer = WriteBuffer::new(1000);
        buffer.add(extent(10, 30, 1));
        assert_eq!(buffer.take(0, 5).map(|e| (e.start, e.end)), Some((10, 15)));
        assert_eq!(buffer.take(0, 50).map(|e| (e.start, e.end)), Some((15, 30)));
        assert!(buffer.is_empty() && buffer.take(0, 1).is_none());
    }

    #[test]
    fn a_request_larger_than_the_buffer_fits_an_empty_one_only() {
        let mut buffer = WriteBuffer::new(100);
        assert!(buffer.fits(500, 0) && !buffer.fits(500, 1));
        buffer.add(extent(0, 60, 0));
        assert!(buffer.fits(40, 0) && !buffer.fits(41, 0) && !buffer.fits(40, 1));
        assert!(buffer.is_filling());
    }
}

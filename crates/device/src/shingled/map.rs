//! What a shingled drive holds in its cache on the platters, and where.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Data in the cache, by where it belongs; it lies in one band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cached {
    end: u64,
    /// Where in the cache its first byte is.
    at: u64,
    /// Counts what was put there, so that what came during a cleaning is told from what was there before.
    sequence: u64,
}

/// A stretch of the drive's addresses that lies in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Where it is in the cache; none where it is in its band.
    pub(super) cached_at: Option<u64>,
}

/// The map of the cache.
#[derive(Debug, Clone)]
pub(super) struct CacheMap {
    band: u64,
    extents: BTreeMap<u64, Cached>,
    bytes: u64,
    /// Bands that have had something here, the one that came first at the front.
    oldest: VecDeque<u64>,
    listed: BTreeSet<u64>,
    sequence: u64,
}

impl CacheMap {
    /// Returns the empty map of a drive whose bands have so many bytes.
    pub(super) fn new(band: u64) -> Self {
        Self {
            band,
            extents: BTreeMap::new(),
            bytes: 0,
            oldest: VecDeque::new(),
            listed: BTreeSet::new(),
            sequence: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.extents.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// Returns the number that the next addition will have.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Notes that `start..end` now lies at `at` in the cache: one entry for each band that it touches.
    pub(super) fn add(&mut self, start: u64, end: u64, at: u64) {
        self.remove(start, end, u64::MAX);
        let mut from = start;
        while from < end {
            let band = from / self.band;
            let to = end.min((band + 1) * self.band);
            let cached = Cached { end: to, at: at + (from - start), sequence: self.sequence };
            self.extents.insert(from, cached);
            self.bytes += to - from;
            if self.listed.insert(band) {
                self.oldest.push_back(band);
            }
            from = to;
        }
        self.sequence += 1;
    }

    /// Forgets what of `start..end` was added before addition number `before`.
    pub(super) fn remove(&mut self, start: u64, end: u64, before: u64) {
        let first = self.extents.range(..=start).next_back().map_or(start, |(place, _)| *place);
        let mut from = first;
        while let Some((&place, &cached)) = self.extents.range(from..end).next() {
            from = place + 1;
            if cached.end <= start || cached.sequence >= before {
                continue;
            }
            self.extents.remove(&place);
            self.bytes -= cached.end - place;
            if place < start {
                self.extents.insert(place, Cached { end: start, ..cached });
                self.bytes += start - place;
            }
            if cached.end > end {
                let at = cached.at + (end - place);
                self.extents.insert(end, Cached { at, ..cached });
                self.bytes += cached.end - end;
                return;
            }
        }
    }

    /// Appends the pieces of `start..end` in the order of their addresses.
    pub(super) fn pieces(&self, start: u64, end: u64, pieces: &mut Vec<Piece>) {
        let mut from = start;
        let first = self.extents.range(..=start).next_back().map_or(start, |(place, _)| *place);
        for (&place, cached) in self.extents.range(first..end) {
            if cached.end <= start {
                continue;
            }
            let begin = place.max(start);
            if begin > from {
                pieces.push(Piece { start: from, end: begin, cached_at: None });
            }
            from = cached.end.min(end);
            let cached_at = Some(cached.at + (begin - place));
            pieces.push(Piece { start: begin, end: from, cached_at });
        }
        if from < end {
            pieces.push(Piece { start: from, end, cached_at: None });
        }
    }

    /// Takes the band off the list that came first among those that still have something here.
    pub(super) fn take_oldest_band(&mut self) -> Option<u64> {
        while let Some(band) = self.oldest.pop_front() {
            self.listed.remove(&band);
            let range = band * self.band..(band + 1) * self.band;
            if self.extents.range(range).next().is_some() {
                return Some(band);
            }
        }
        None
    }

    /// Puts a band back that was not cleaned, or of which something came meanwhile.
    pub(super) fn list_again(&mut self, band: u64) {
        let range = band * self.band..(band + 1) * self.band;
        if self.extents.range(range).next().is_some() && self.listed.insert(band) {
            self.oldest.push_back(band);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CacheMap, Piece};
    use proptest::prelude::*;

    fn pieces(map: &CacheMap, start: u64, end: u64) -> Vec<(u64, u64, Option<u64>)> {
        let mut found = Vec::new();
        map.pieces(start, end, &mut found);
        found.iter().map(|Piece { start, end, cached_at }| (*start, *end, *cached_at)).collect()
    }

    #[test]
    fn what_is_written_later_lies_on_top() {
        let mut map = CacheMap::new(100);
        map.add(10, 40, 0);
        map.add(20, 30, 500);
        let expected = [
            (0, 10, None),
            (10, 20, Some(0)),
            (20, 30, Some(500)),
            (30, 40, Some(20)),
            (40, 50, None),
        ];
        assert_eq!(pieces(&map, 0, 50), expected);
        assert_eq!((map.bytes(), map.len()), (30, 3));
    }

    #[test]
    fn an_entry_lies_in_one_band() {
        let mut map = CacheMap::new(100);
        map.add(90, 210, 7);
        assert_eq!(map.len(), 3);
        assert_eq!(pieces(&map, 95, 105), [(95, 100, Some(12)), (100, 105, Some(17))]);
        assert_eq!([(); 4].map(|()| map.take_oldest_band()), [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn a_cleaning_leaves_what_came_after_it_began() {
        let mut map = CacheMap::new(100);
        map.add(0, 10, 0);
        assert_eq!(map.take_oldest_band(), Some(0));
        let began = map.sequence();
        map.add(5, 20, 100);
        map.remove(0, 100, began);
        assert_eq!(pieces(&map, 0, 30), [(0, 5, None), (5, 20, Some(100)), (20, 30, None)]);
        map.list_again(0);
        assert_eq!(map.take_oldest_band(), Some(0));
    }

    proptest! {
        #[test]
        fn the_map_is_that_of_a_table_of_bytes(
            steps in prop::collection::vec((0u64..400, 1u64..150, any::<bool>()), 1..60),
        ) {
            let mut map = CacheMap::new(64);
            let mut table = vec![None; 600];
            let mut at = 0;
            for (start, size, is_added) in steps {
                let end = start + size;
                if is_added {
                    map.add(start, end, at);
                } else {
                    map.remove(start, end, u64::MAX);
                }
                for (place, byte) in (0..).zip(&mut table) {
                    if (start..end).contains(&place) {
                        *byte = is_added.then(|| at + (place - start));
                    }
                }
                at += size;
            }
            let mut seen = vec![None; 600];
            let mut last = 0;
            for (start, end, cached_at) in pieces(&map, 0, 600) {
                prop_assert_eq!(start, last);
                last = end;
                for (place, byte) in (0..).zip(&mut seen) {
                    if (start..end).contains(&place) {
                        *byte = cached_at.map(|at| at + (place - start));
                    }
                }
            }
            prop_assert_eq!(last, 600);
            prop_assert_eq!(&seen, &table);
            prop_assert_eq!(map.bytes(), table.iter().flatten().count() as u64);
        }
    }
}

//! Requests that wait, in order of a key.
//!
//! Most arrive at the end and leave at the front, which costs next to nothing. Where a prefetcher runs
//! far ahead on a cache device, though, thousands wait and more come in between; so they stand in
//! pieces, and only the rest of one piece moves.

use super::class::Class;
use crate::ids::IoId;

/// Requests of a piece at most: 4 KiB of entries, which move in a few dozen nanoseconds.
const PIECE_MAX: usize = 128;

/// A waiting request as it stands in a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// What the list is sorted by; see [`Entry::place_key`].
    pub(super) key: u128,
    pub(super) size: u32,
    /// The half second of its arrival, where the order asks for it.
    pub(super) bucket: u32,
    pub(super) class: Class,
}

impl Entry {
    /// Returns the key of an offset: the offset, then the request's number, in one number.
    pub(super) fn place_key(offset: u64, io: IoId) -> u128 {
        u128::from(offset) << 32 | u128::from(io.0)
    }

    /// The same entry for a list that goes by its bucket first.
    pub(super) fn by_bucket(self) -> Self {
        Self { key: u128::from(self.bucket) << 96 | self.key, ..self }
    }

    /// The same entry for a list that goes by offset alone.
    pub(super) fn by_offset(self) -> Self {
        Self { key: self.key << 32 >> 32, ..self }
    }

    #[expect(clippy::cast_possible_truncation, reason = "cut out of the key on purpose")]
    pub(super) fn offset(&self) -> u64 {
        (self.key >> 32) as u64
    }

    #[expect(clippy::cast_possible_truncation, reason = "cut out of the key on purpose")]
    pub(super) fn io(&self) -> IoId {
        IoId(self.key as u32)
    }

    pub(super) fn end(&self) -> u64 {
        self.offset() + u64::from(self.size)
    }
}

/// Entries in order of their keys.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// None of them is empty.
    pieces: Vec<Piece>,
    /// An empty piece to use again.
    spare: Option<Piece>,
}

/// A part of the entries. What is taken from its beginning stays where it is until there is a whole piece
/// of it: most is taken there.
#[derive(Debug, Default)]
struct Piece {
    entries: Vec<Entry>,
    taken: usize,
}

/// Where an entry stands: the piece, and the index in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(usize, usize);

impl Piece {
    fn entries(&self) -> &[Entry] {
        self.entries.split_at(self.taken).1
    }

    fn is_full(&self) -> bool {
        self.entries.len() - self.taken >= PIECE_MAX
    }

    /// Lets go of what was taken, once it is a whole piece.
    fn tidy(&mut self) {
        if self.taken >= PIECE_MAX {
            self.entries.drain(..self.taken);
            self.taken = 0;
        }
    }

    fn push(&mut self, entry: Entry) {
        self.tidy();
        self.entries.push(entry);
    }

    fn insert(&mut self, index: usize, entry: Entry) {
        self.tidy();
        self.entries.insert(self.taken + index, entry);
    }

    fn split_off(&mut self, index: usize) -> Self {
        Self { entries: self.entries.split_off(self.taken + index), taken: 0 }
    }

    fn take(&mut self, index: usize, count: usize) {
        if index == 0 {
            self.taken += count;
        } else {
            let from = self.taken + index;
            self.entries.drain(from..from + count);
        }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.taken = 0;
    }
}

impl Sorted {
    pub(super) fn first(&self) -> Option<&Entry> {
        self.pieces.first()?.entries().first()
    }

    #[expect(clippy::indexing_slicing, reason = "what is not behind the last has a piece")]
    pub(super) fn insert(&mut self, entry: Entry) {
        let last = self.pieces.last().and_then(|piece| piece.entries.last());
        if last.is_none_or(|last| last.key < entry.key) {
            self.append(entry);
            return;
        }
        let Place(number, index) = self.place(entry.key);
        let piece = &mut self.pieces[number];
        let was_full = piece.is_full();
        piece.insert(index, entry);
        if was_full {
            let half = piece.split_off(PIECE_MAX / 2);
            self.pieces.insert(number + 1, half);
        }
    }

    fn append(&mut self, entry: Entry) {
        if let Some(piece) = self.pieces.last_mut().filter(|piece| !piece.is_full()) {
            piece.push(entry);
            return;
        }
        let mut piece = self.spare.take().unwrap_or_default();
        piece.push(entry);
        self.pieces.push(piece);
    }

    /// Returns the place of the first key that is not below `key`.
    pub(super) fn place(&self, key: u128) -> Place {
        if self.first().is_none_or(|first| first.key >= key) {
            return Place(0, 0);
        }
        let is_below = |entry: &Entry| entry.key < key;
        let number =
            self.pieces.partition_point(|piece| piece.entries.last().is_some_and(is_below));
        let piece = self.pieces.get(number);
        Place(number, piece.map_or(0, |piece| piece.entries().partition_point(is_below)))
    }

    pub(super) fn get(&self, Place(number, index): Place) -> Option<&Entry> {
        self.pieces.get(number)?.entries().get(index)
    }

    /// Returns the next place; there may be nothing at it.
    pub(super) fn after(&self, Place(number, index): Place) -> Place {
        let is_within =
            self.pieces.get(number).is_some_and(|piece| index + 1 < piece.entries().len());
        if is_within { Place(number, index + 1) } else { Place(number + 1, 0) }
    }

    /// Returns the place `count` further on; there may be nothing at it.
    pub(super) fn further(&self, Place(mut number, index): Place, count: usize) -> Place {
        let mut index = index + count;
        while let Some(entries) = self.pieces.get(number).map(Piece::entries)
            && index >= entries.len()
        {
            index -= entries.len();
            number += 1;
        }
        Place(number, index)
    }

    /// Returns the place before, if there is one.
    pub(super) fn before(&self, Place(number, index): Place) -> Option<Place> {
        if index > 0 {
            return Some(Place(number, index - 1));
        }
        let number = number.checked_sub(1)?;
        Some(Place(number, self.pieces.get(number)?.entries().len().checked_sub(1)?))
    }

    /// Takes out up to `count` entries from a place on.
    pub(super) fn take(&mut self, Place(mut number, mut index): Place, mut count: usize) {
        while count > 0 {
            let Some(piece) = self.pieces.get_mut(number) else { return };
            let length = piece.entries().len();
            let here = count.min(length.saturating_sub(index));
            if here == length {
                piece.clear();
                self.spare = Some(self.pieces.remove(number));
            } else {
                piece.take(index, here);
                number += 1;
            }
            count -= here;
            index = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arcwright_workload::Stream;

    use super::{Entry, Sorted};
    use crate::vdev::class::Class;

    fn keys(sorted: &Sorted) -> Vec<u128> {
        let mut keys = Vec::new();
        let mut place = sorted.place(0);
        while let Some(entry) = sorted.get(place) {
            keys.push(entry.key);
            place = sorted.after(place);
        }
        keys
    }

    #[test]
    fn pieces_are_one_sorted_row() {
        let (mut sorted, mut expected) = (Sorted::default(), BTreeSet::new());
        let mut chance = Stream::new(1, "sorted");
        for round in 0..4000u64 {
            // It grows in the first half and shrinks in the second.
            let key = u128::from(chance.below(100_000));
            if expected.insert(key) {
                sorted.insert(Entry { key, size: 1, bucket: 0, class: Class::AsyncRead });
            }
            if chance.below(2000) < round {
                let from = u128::from(chance.below(100_000));
                let count = usize::try_from(chance.below(4)).unwrap();
                let taken: Vec<u128> = expected.range(from..).take(count).copied().collect();
                sorted.take(sorted.place(from), count);
                taken.iter().for_each(|key| assert!(expected.remove(key)));
            }
            if round % 50 == 0 {
                assert!(keys(&sorted).iter().eq(&expected));
                let from = u128::from(chance.below(100_000));
                let before = sorted.before(sorted.place(from));
                let before = before.and_then(|place| sorted.get(place)).map(|entry| entry.key);
                assert_eq!(before, expected.range(..from).next_back().copied());
            }
        }
    }
}

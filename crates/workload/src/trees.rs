//! Trees of small files: which files there are, how large each is, and in which order they are visited.
//!
//! The same for every engine: an engine decides where a tree's blocks lie, not what is in it. A tree
//! has one root and below it directories that are filled one after the other; only the last may hold
//! fewer files. Sizes are drawn in the order of creation, so that a scaled tree is the beginning of the
//! full-scale one. A small case: 5 files, 2 per directory, are directories 0 and 1 with two files each
//! and directory 2 with one.

use std::ops::Range;

use arcwright_units::Bytes;

use crate::{Client, Pattern, Stream};

/// Sizes of blocks are whole sectors of this size (`SPA_MINBLOCKSIZE`, include/sys/fs/zfs.h).
const SECTOR: u64 = 512;

/// How many files a tree has, and between which bounds their sizes lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeShape {
    /// Number of files.
    pub files: u64,
    /// Files per directory, at least 1.
    pub files_per_directory: u64,
    /// Smallest file.
    pub size_min: Bytes,
    /// Largest file.
    pub size_max: Bytes,
}

/// The files of one tree, numbered from 0 in the order of creation.
#[derive(Debug, Clone)]
pub struct TreeFiles {
    per_directory: u64,
    sizes: Vec<u64>,
}

impl TreeFiles {
    /// Returns the files of the tree called `name`, whose sizes are drawn uniformly from `seed`.
    #[must_use]
    pub fn new(shape: TreeShape, seed: u64, name: &str) -> Self {
        let mut stream = Stream::new(seed, &format!("tree {name}"));
        let (least, most) = (shape.size_min.0, shape.size_max.0.max(shape.size_min.0));
        let sizes = (0..shape.files).map(|_| least + stream.below(most - least + 1));
        Self { per_directory: shape.files_per_directory.max(1), sizes: sizes.collect() }
    }

    /// Returns the number of files.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.sizes.len() as u64
    }

    /// Returns what all files hold together.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.sizes.iter().sum())
    }

    /// Returns the number of directories below the root.
    #[must_use]
    pub fn directories(&self) -> u64 {
        self.count().div_ceil(self.per_directory)
    }

    /// Returns the directory that holds `file`.
    #[must_use]
    pub fn directory_of(&self, file: u64) -> u64 {
        file / self.per_directory
    }

    /// Returns the files of `directory`.
    #[must_use]
    pub fn files_in(&self, directory: u64) -> Range<u64> {
        let first = directory.saturating_mul(self.per_directory).min(self.count());
        first..first.saturating_add(self.per_directory).min(self.count())
    }

    /// Returns the size of `file`; nothing for a file that is not there.
    #[must_use]
    pub fn size(&self, file: u64) -> Bytes {
        let size = usize::try_from(file).ok().and_then(|file| self.sizes.get(file));
        Bytes(size.copied().unwrap_or(0))
    }

    /// Returns the size of the blocks of `file`: one block of whole sectors if it fits into
    /// `recordsize`, blocks of `recordsize` otherwise.
    #[must_use]
    pub fn block_size(&self, file: u64, recordsize: Bytes) -> Bytes {
        let whole = self.size(file).0.div_ceil(SECTOR).max(1) * SECTOR;
        Bytes(whole).min(recordsize)
    }

    /// Returns what all files take in whole blocks, without compression: the last block of a file of
    /// several is as large as the others.
    #[must_use]
    pub fn blocks_bytes(&self, recordsize: Bytes) -> Bytes {
        let whole = |file: u64| {
            let block = self.block_size(file, recordsize).0.max(1);
            self.size(file).0.div_ceil(block) * block
        };
        Bytes((0..self.count()).map(whole).sum())
    }

    /// Returns the name of `file` in its directory; names sort in the order of creation.
    #[must_use]
    pub fn file_name(file: u64) -> String {
        numbered("IMG_", (file, 8), ".png")
    }

    /// Returns the name of `directory` in the root.
    #[must_use]
    pub fn directory_name(directory: u64) -> String {
        numbered("folder_", (directory, 5), "")
    }

    /// Returns every file once, in the order of `pattern`: directory by directory, as programs walk a
    /// tree.
    ///
    /// In order of creation, which is that of sorted names, when sequential; by any other pattern the
    /// directories and the files of each are shuffled, as `readdir` hands names over in the order of their hashes.
    /// `client` tells its random stream from the others.
    #[must_use]
    pub fn order(&self, pattern: Pattern, seed: u64, client: &str) -> Vec<u64> {
        if pattern == Pattern::Sequential {
            return (0..self.count()).collect();
        }
        let mut stream = Stream::new(seed, &format!("{client} order"));
        let mut directories: Vec<u64> = (0..self.directories()).collect();
        shuffle(&mut directories, &mut stream);
        let mut order = Vec::with_capacity(self.sizes.len());
        for directory in directories {
            let mut files: Vec<u64> = self.files_in(directory).collect();
            shuffle(&mut files, &mut stream);
            order.extend(files);
        }
        order
    }

    /// Returns the files that `client` visits: every file once, or, when it has an amount, as many as
    /// that takes, from the start again when more is wanted.
    ///
    /// `name` tells the client's random stream from the others.
    #[must_use]
    pub fn visits(&self, client: &Client, seed: u64, name: &str) -> Visits<'_> {
        let order = self.order(client.pattern, seed, name);
        let left = client.amount.filter(|_| self.bytes() > Bytes::ZERO).map(|amount| amount.0);
        Visits { files: self, order, next: 0, left }
    }
}

/// Iterates over the files that a client visits.
#[derive(Debug, Clone)]
pub struct Visits<'a> {
    files: &'a TreeFiles,
    order: Vec<u64>,
    next: usize,
    /// Bytes still wanted; every file once when absent.
    left: Option<u64>,
}

impl Iterator for Visits<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.left == Some(0) {
            return None;
        }
        if self.left.is_some() && self.next == self.order.len() {
            self.next = 0;
        }
        let file = *self.order.get(self.next)?;
        self.next += 1;
        let size = self.files.size(file).0;
        self.left = self.left.map(|left| left - size.min(left));
        Some(file)
    }
}

/// Puts `list` into an order drawn from `stream` (Fisher and Yates, from the end).
fn shuffle(list: &mut [u64], stream: &mut Stream) {
    for last in (1..list.len()).rev() {
        let other = usize::try_from(stream.below(last as u64 + 1)).unwrap_or(last);
        list.swap(last, other);
    }
}

/// Returns a name with a number of so many digits at least. A tree has so many names that formatting them
/// the usual way is felt.
fn numbered(before: &str, (number, digits): (u64, usize), after: &str) -> String {
    let mut reversed = [b'0'; 20];
    let (mut rest, mut used) = (number, 0);
    for digit in &mut reversed {
        if rest == 0 {
            break;
        }
        *digit = b'0' + (rest % 10).to_le_bytes()[0];
        rest /= 10;
        used += 1;
    }
    let digits = used.max(digits);
    let mut name = String::with_capacity(before.len() + digits + after.len());
    name.push_str(before);
    name.extend(reversed.iter().take(digits).rev().map(|digit| char::from(*digit)));
    name.push_str(after);
    name
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::{TreeFiles, TreeShape};
    use crate::{Client, Pattern};

    fn tree(files: u64, per_directory: u64) -> TreeFiles {
        let (size_min, size_max) = (Bytes::kib(50), Bytes::kib(200));
        let shape = TreeShape { files, files_per_directory: per_directory, size_min, size_max };
        TreeFiles::new(shape, 7, "pictures")
    }

    #[test]
    fn directories_are_filled_one_after_the_other() {
        let tree = tree(5, 2);
        assert_eq!((tree.count(), tree.directories()), (5, 3));
        let places: Vec<u64> = (0..5).map(|file| tree.directory_of(file)).collect();
        assert_eq!(places, [0, 0, 1, 1, 2]);
        assert_eq!((tree.files_in(1), tree.files_in(2)), (2..4, 4..5));
        assert!(tree.files_in(3).is_empty());
    }

    #[test]
    fn sizes_lie_between_the_bounds_and_average_in_the_middle() {
        let tree = tree(10_000, 1000);
        let sizes: Vec<u64> = (0..10_000).map(|file| tree.size(file).0).collect();
        assert!(sizes.iter().all(|size| (50 << 10..=200 << 10).contains(size)));
        let mean = tree.bytes().0 / 10_000;
        assert!((124 << 10..126 << 10).contains(&mean), "{mean}");
        assert_eq!(tree.size(10_000), Bytes::ZERO);
    }

    #[test]
    fn a_smaller_tree_is_the_beginning_of_a_larger_one() {
        let (small, large) = (tree(10, 1000), tree(1000, 1000));
        assert!((0..10).all(|file| small.size(file) == large.size(file)));
    }

    #[test]
    fn a_file_is_one_block_of_whole_sectors_or_several_of_the_record_size() {
        let sized = |size: u64| {
            let (size_min, size_max) = (Bytes(size), Bytes(size));
            TreeFiles::new(
                TreeShape { files: 1, files_per_directory: 1, size_min, size_max },
                1,
                "one",
            )
        };
        for (size, block) in [
            (1, 512),
            (512, 512),
            (513, 1024),
            (51_201, 51_712),
            (131_072, 131_072),
            (131_073, 131_072),
        ] {
            assert_eq!(sized(size).block_size(0, Bytes::kib(128)), Bytes(block), "{size}");
        }
        assert_eq!(sized(51_201).blocks_bytes(Bytes::kib(128)), Bytes(51_712));
        assert_eq!(sized(131_073).blocks_bytes(Bytes::kib(128)), Bytes::kib(256));
    }

    #[test]
    fn every_order_visits_every_file_once_and_directory_by_directory() {
        let tree = tree(95, 10);
        let zipf = Pattern::Zipf { exponent: 1.0 };
        for pattern in [Pattern::Sequential, Pattern::Random, zipf] {
            let order = tree.order(pattern, 3, "first client 0");
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..95).collect::<Vec<u64>>());
            let mut walk: Vec<u64> = order.iter().map(|file| tree.directory_of(*file)).collect();
            walk.dedup();
            assert_eq!(walk.len(), 10, "{pattern:?}");
        }
        assert_ne!(tree.order(Pattern::Random, 3, "a"), tree.order(Pattern::Random, 3, "b"));
    }

    #[test]
    fn an_amount_ends_the_visits_and_goes_round() {
        let tree = tree(4, 4);
        let mut client = Client::reader("pictures", Bytes::kib(128));
        let count = |client: &Client| tree.visits(client, 1, "client 0").count();
        assert_eq!(count(&client), 4);
        client.amount = Some(tree.size(0));
        assert_eq!(count(&client), 1);
        client.amount = Some(tree.bytes() + tree.size(0) + Bytes(1));
        assert_eq!(count(&client), 6);
    }
}

//! The attributes of files and directories, as the file system above the library stores them.

/// A file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
}

/// The attributes of a file or directory, in the order of the ZPL (`zfs_mknode`): mode, size,
/// generation, owner, group, parent, flags, four times, links, and an access list of three entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attributes {
    pub(super) words: [u64; WORDS],
}

/// Eight bytes of header, 136 of numbers, 24 of access list: the 168 bytes that `zdb` shows for files
/// and directories of pools without project quotas.
pub(super) const WORDS: usize = 21;
const SIZE: usize = 2;
pub(super) const MTIME: usize = 10;
pub(super) const CTIME: usize = 12;

impl Attributes {
    /// Returns those of a new, empty file or directory in `parent`, made at `time` in nanoseconds.
    pub(super) fn new(kind: Kind, parent: u64, time: u64) -> Self {
        // `SA_MAGIC`, layout 2 in a header of eight bytes, an access list of 24.
        let header = 0x2f_505a | (0x402 << 32) | (24 << 48);
        let (mode, size, links) = match kind {
            Kind::File => (0o100_644, 0, 1),
            Kind::Directory => (0o40_755, 2, 2),
        };
        let [second, nanosecond] = split(time);
        let words = [
            header,
            mode,
            size,
            4, // The generation: the transaction group it was made in.
            1000,
            1000,
            parent,
            0x4080_0000_0004, // Flags that `ls` never shows.
            second,
            nanosecond,
            second,
            nanosecond,
            second,
            nanosecond,
            second,
            nanosecond,
            links,
            3,
            // Owner, group and everyone: who, and what is allowed.
            0x001e_01bf_1000_0000,
            0x0012_0089_2040_0000,
            0x0012_0089_4000_0000,
        ];
        Self { words }
    }

    /// Sets a time, at `place`.
    pub(super) fn touch(&mut self, place: usize, time: u64) {
        for (word, part) in self.words.iter_mut().skip(place).zip(split(time)) {
            *word = part;
        }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.words.get(SIZE).copied().unwrap_or(0)
    }

    /// Sets the size in bytes.
    pub(super) fn set_size(&mut self, size: u64) {
        if let Some(word) = self.words.get_mut(SIZE) {
            *word = size;
        }
    }
}

fn split(time: u64) -> [u64; 2] {
    // Today, so that seconds are numbers of the usual length.
    const EPOCH: u64 = 1_700_000_000;
    [EPOCH + time / 1_000_000_000, time % 1_000_000_000]
}

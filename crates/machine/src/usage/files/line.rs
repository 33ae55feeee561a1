//! One line of the tracer: an access to a file or a volume, as ZFS was asked for it.
//!
//! ```text
//!   r TIME DEVICE INODE OFFSET BYTES SIZE         a read; what lies behind the file's end is not read
//!   w TIME DEVICE INODE OFFSET BYTES SIZE FLAGS   a write; FLAGS are those of the open file
//!   f TIME DEVICE INODE                           an fsync or fdatasync
//!   m TIME DEVICE INODE OFFSET BYTES SIZE         pages of a mapped file that were not in the page cache
//!   p TIME DEVICE INODE OFFSET BYTES SIZE         pages of a mapped file that are written back
//!   t TIME                                        every second
//! ```
//!
//! A volume's INODE is 0, which no file has; its DEVICE is that of the block device.
//!
//! All are whole numbers, so that no name of a file can be taken for something else. Times are nanoseconds of one clock.

/// Opened to append: the same bit on all of OpenZFS's platforms for Linux.
const APPEND: u64 = 0o2000;
/// The longest line that the tracer has a reason to print.
pub const LINE_BYTES_MAX: usize = 256;

/// What the tracer says in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracerLine {
    /// An access to a file.
    Access(FileAccess),
    /// It runs, at this time.
    Tick(u64),
    /// So many lines were dropped, as there was no more room.
    Lost(u64),
    /// Words about its own doing, such as how many probes it attached.
    Remark,
    /// None of these.
    Garbled,
}

/// An access to a file or a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileAccess {
    /// When, in nanoseconds of the kernel's clock.
    pub at: u64,
    /// The number of the file system or the block device, as `MAJOR << 20 | MINOR`.
    pub device: u32,
    /// The file's number in it; 0 for a volume.
    pub inode: u64,
    /// The first byte; zero where it is for the whole file.
    pub offset: u64,
    /// Bytes; zero for a read at the end of a file, and where it is for the whole file.
    pub bytes: u64,
    /// What was done.
    pub kind: AccessKind,
}

impl FileAccess {
    /// What stands for the number of a file where a volume is meant.
    pub const VOLUME: u64 = 0;
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    /// Reads by a call.
    Read,
    /// Writes by a call.
    Write,
    /// Waits until what was written is on stable storage.
    Sync,
    /// Reads pages of a mapped file.
    MappedRead,
    /// Writes back pages of a mapped file.
    MappedWrite,
}

impl AccessKind {
    /// Returns the word that a trace has for it.
    #[must_use]
    pub const fn in_trace(self) -> &'static str {
        match self {
            Self::Read | Self::MappedRead => "read",
            Self::Write | Self::MappedWrite => "write",
            Self::Sync => "flush",
        }
    }
}

impl TracerLine {
    /// Reads a line, without its end.
    #[must_use]
    pub fn parse(line: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(line) else { return Self::Garbled };
        let text = text.trim_end();
        let is_blank = text.is_empty() && !line.is_empty();
        if line.len() > LINE_BYTES_MAX || is_blank {
            return Self::Garbled;
        }
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        if let Some(lost) = lost(text) {
            return Self::Lost(lost);
        }
        // Maps that bpftrace prints at its end, and what it says when it begins.
        if text.is_empty() || text.starts_with('@') || kind == "Attaching" || kind == "Attached" {
            return Self::Remark;
        }
        numbers(rest).and_then(|numbers| of_numbers(kind, &numbers)).unwrap_or(Self::Garbled)
    }
}

/// Numbers of a line, up to as many as one may have.
fn numbers(text: &str) -> Option<Vec<u64>> {
    const NUMBERS_MAX: usize = 7;
    let mut found = Vec::with_capacity(NUMBERS_MAX);
    for word in text.split(' ') {
        let is_number = !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_digit());
        if !is_number || found.len() == NUMBERS_MAX {
            return None;
        }
        found.push(word.parse().ok()?);
    }
    Some(found)
}

fn of_numbers(kind: &str, numbers: &[u64]) -> Option<TracerLine> {
    let access = |kind, [at, device, inode]: [u64; 3], [offset, bytes]: [u64; 2]| {
        let device = u32::try_from(device).ok()?;
        // No file is longer than a signed number tells.
        let end = offset.checked_add(bytes)?;
        i64::try_from(end).ok()?;
        Some(TracerLine::Access(FileAccess { at, device, inode, offset, bytes, kind }))
    };
    match (kind, numbers) {
        ("t", [at]) => Some(TracerLine::Tick(*at)),
        ("f", [at, device, inode]) => access(AccessKind::Sync, [*at, *device, *inode], [0, 0]),
        ("w", [at, device, inode, offset, bytes, size, flags]) => {
            let offset = if flags & APPEND == 0 { *offset } else { *size };
            access(AccessKind::Write, [*at, *device, *inode], [offset, *bytes])
        }
        ("r" | "m" | "p", [at, device, inode, offset, bytes, size]) => {
            let kind = match kind {
                "r" => AccessKind::Read,
                "m" => AccessKind::MappedRead,
                _ => AccessKind::MappedWrite,
            };
            let bytes = (*bytes).min(size.saturating_sub(*offset));
            access(kind, [*at, *device, *inode], [*offset, bytes])
        }
        _ => None,
    }
}

/// Reads `Lost 17 events`, as releases of bpftrace say it with words before or after it.
fn lost(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("Lost ")?;
    let (count, rest) = rest.split_once(' ')?;
    rest.starts_with("event").then(|| count.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{AccessKind, TracerLine};

    fn check(line: &str, expected: &str) {
        let shown = match TracerLine::parse(line.as_bytes()) {
            TracerLine::Access(access) => {
                let super::FileAccess { at, device, inode, offset, bytes, kind } = access;
                format!("{kind:?} at {at}: {device}/{inode} {offset}+{bytes}")
            }
            other => format!("{other:?}"),
        };
        assert_eq!(shown, expected, "{line}");
    }

    #[test]
    fn a_line_is_an_access() {
        check("r 5 45 128 4096 512 8192", "Read at 5: 45/128 4096+512");
        check("w 5 45 128 4096 512 8192 1", "Write at 5: 45/128 4096+512");
        check("f 5 45 128", "Sync at 5: 45/128 0+0");
        check("m 5 45 128 0 131072 131072", "MappedRead at 5: 45/128 0+131072");
        check("p 5 45 128 4096 4096 131072", "MappedWrite at 5: 45/128 4096+4096");
        check("t 7", "Tick(7)");
    }

    #[test]
    fn a_read_ends_where_its_file_does() {
        check("r 5 45 128 8000 512 8192", "Read at 5: 45/128 8000+192");
        check("r 5 45 128 8192 512 8192", "Read at 5: 45/128 8192+0");
        check("r 5 45 128 9999 512 8192", "Read at 5: 45/128 9999+0");
        check("m 5 45 128 0 131072 100", "MappedRead at 5: 45/128 0+100");
    }

    #[test]
    fn what_is_appended_begins_at_the_end_wherever_the_file_stands() {
        check("w 5 45 128 0 512 8192 1025", "Write at 5: 45/128 8192+512");
    }

    #[test]
    fn loss_is_a_number_however_it_is_worded() {
        for line in
            ["Lost 17 events", "WARNING: Lost 17 events", "Lost 17 events.", "Lost 17 event"]
        {
            check(line, "Lost(17)");
        }
        for line in ["Lost many events", "Lost 17", "Lost -1 events", "Lost 17 socks"] {
            check(line, "Garbled");
        }
    }

    #[test]
    fn its_own_words_are_no_accesses() {
        for line in ["", "Attaching 5 probes...", "Attached 5 probes", "@start[12]: 4"] {
            check(line, "Remark");
        }
    }

    #[test]
    fn what_is_not_ours_is_not_understood() {
        let long = "r 5 45 128 0 512 ".to_owned() + &"0".repeat(300);
        for line in [
            "r 5 45 128 4096 512",
            "r 5 45 128 4096 512 8192 1",
            "w 5 45 128 4096 512 8192",
            "r 5 45 128 4096 512 -1",
            "r 5 45 128 4096 512 +1",
            "r 5 45 128 4096  512 8192",
            "r 5 45 128 4096 512 0x20",
            "r 5 4294967296 128 4096 512 8192",
            "w 5 45 128 18446744073709551615 512 8192 1",
            "w 5 45 128 9223372036854775807 512 8192 1",
            "r 5 45 128 99999999999999999999999 512 8192",
            "R 5 45 128 4096 512 8192",
            "t",
            "t 5 6",
            "f",
            "\u{1b}[2J",
            "read",
            " ",
            long.as_str(),
        ] {
            check(line, "Garbled");
        }
        assert_eq!(TracerLine::parse(b"r 5 45 128 4096 512 \xff"), TracerLine::Garbled);
    }

    #[test]
    fn a_trace_has_three_words() {
        let words = [AccessKind::MappedRead, AccessKind::MappedWrite, AccessKind::Sync];
        assert_eq!(words.map(AccessKind::in_trace), ["read", "write", "flush"]);
    }
}

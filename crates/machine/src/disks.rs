//! The disks' own counters, as the kernel keeps them beside ZFS.
//!
//! ```text
//!    8       0 sda 5234 12 418720 31200 880 30 70400 9100 0 22000 40300 ...
//!                  reads merged sectors ms writes merged sectors ms in flight busy-ms weighted-ms
//! ```
//!
//! Linux: `/proc/diskstats`, Documentation/admin-guide/iostats.rst; sectors have 512 bytes there
//! whatever the disk's own are.

/// Bytes of a sector in the kernel's counters.
const SECTOR: u64 = 512;

/// What a disk has done since the machine was started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiskCounts {
    /// `sda`, `nvme0n1p2`.
    pub name: String,
    /// Requests completed.
    pub reads: u64,
    /// Requests completed.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Milliseconds that all requests took, from the kernel's queue to the answer.
    pub request_ms: u64,
    /// Milliseconds in which there was a request.
    pub busy_ms: u64,
}

impl DiskCounts {
    /// Reads `/proc/diskstats`; a line that is not one of a disk is passed over.
    #[must_use]
    pub fn parse_all(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace().skip(2);
        let name = words.next()?.to_owned();
        let mut numbers = [0; 10];
        for number in &mut numbers {
            *number = words.next()?.parse().ok()?;
        }
        let [reads, _, read, read_ms, writes, _, written, write_ms, _, busy_ms] = numbers;
        Some(Self {
            name,
            reads,
            writes,
            read_bytes: read.saturating_mul(SECTOR),
            write_bytes: written.saturating_mul(SECTOR),
            request_ms: u64::saturating_add(read_ms, write_ms),
            busy_ms,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::DiskCounts;

    const LINE: &str =
        "   8       0 sda 5234 12 418720 31200 880 30 70400 9100 0 22000 40300 0 0 0 0";

    #[test]
    fn a_line_is_a_disk() {
        let found = DiskCounts::parse_all(&format!("{LINE}\nnonsense\n 254 0 vda 1 2\n"));
        let expected = DiskCounts {
            name: "sda".to_owned(),
            reads: 5234,
            writes: 880,
            read_bytes: 418_720 * 512,
            write_bytes: 70_400 * 512,
            request_ms: 40_300,
            busy_ms: 22_000,
        };
        assert_eq!(found, [expected]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,200}", cut in 0usize..80) {
            let _found = DiskCounts::parse_all(&text);
            let part: String = LINE.chars().take(cut).collect();
            prop_assert!(DiskCounts::parse_all(&part).len() <= 1);
        }
    }
}

//! What anonymous blocks take beside themselves: second copies (docs/model/txg.md#anonymous-data-in-the-arc; arc.c 0.7 to 2.4).
//!
//! A block that was read is in memory twice, in the ARC and in its dbuf. Once changed both are anonymous, until the open group is
//! handed over (`arc_write`), when the ARC lets go of its own. It makes another one when the block has its place (`arc_write_ready`),
//! which stays anonymous until the block is on the disks. A block that is filled whole has one copy before that.
//!
//! A small case: 4 KiB of a cached record of 512 KiB are changed: 1 MiB is anonymous. Its group begins: 512 KiB; the record goes to the
//! disks: 1 MiB; it is there: nothing.

/// Bytes of second copies that are anonymous.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Of blocks that the open group changes.
    open: u64,
    /// Of blocks on their way to the disks.
    written: u64,
}

impl Copies {
    /// A block of `bytes` that was in memory twice is changed.
    pub(crate) fn changed(&mut self, bytes: u64) {
        self.open += bytes;
    }

    /// The open group is handed over.
    pub(crate) fn handed_over(&mut self) {
        self.open = 0;
    }

    /// A block goes to the disks.
    pub(crate) fn sent(&mut self, bytes: u64) {
        self.written += bytes;
    }

    /// A block is on the disks.
    pub(crate) fn arrived(&mut self, bytes: u64) {
        debug_assert!(self.written >= bytes, "{bytes} B arrive of {}", self.written);
        self.written = self.written.saturating_sub(bytes);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.open + self.written
    }
}

#[cfg(test)]
mod tests {
    use super::Copies;

    /// The small case above, in KiB, and one that is filled whole.
    #[test]
    fn a_changed_record_is_anonymous_twice_but_while_it_waits_for_its_place() {
        let mut copies = Copies::default();
        copies.changed(512);
        assert_eq!(copies.bytes(), 512);
        copies.handed_over();
        assert_eq!(copies.bytes(), 0);
        copies.sent(512);
        assert_eq!(copies.bytes(), 512);
        // The next group changes another one meanwhile.
        copies.changed(128);
        copies.arrived(512);
        assert_eq!(copies.bytes(), 128);
    }
}

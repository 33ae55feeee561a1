//! Formats of records of one length.

mod lcs;
mod numbers;
mod oracle;
mod vscsi;

pub(super) use lcs::{LcsFile, MAGIC as LCS_MAGIC};
pub(super) use numbers::Numbers;
pub(super) use oracle::{LENGTH as ORACLE_LENGTH, Oracle};
pub(super) use vscsi::{Vscsi, VscsiFile};

use super::Request;

/// A record of one length as a request; none where it says nothing of data.
pub(super) trait Record {
    /// Bytes of the next record.
    fn length(&self) -> usize;

    /// Returns whether the next record belongs to the head of the file.
    fn is_head(&self) -> bool {
        false
    }

    /// Reads one record, which has that length.
    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String>;
}

/// Returns the four bytes from `at` on as a number; records are as long as they say.
pub(super) fn u32_at(record: &[u8], at: usize) -> u32 {
    let bytes = record.get(at..).and_then(|rest| rest.first_chunk());
    u32::from_le_bytes(bytes.copied().unwrap_or_default())
}

pub(super) fn u64_at(record: &[u8], at: usize) -> u64 {
    let bytes = record.get(at..).and_then(|rest| rest.first_chunk());
    u64::from_le_bytes(bytes.copied().unwrap_or_default())
}

pub(super) fn u16_at(record: &[u8], at: usize) -> u16 {
    let bytes = record.get(at..).and_then(|rest| rest.first_chunk());
    u16::from_le_bytes(bytes.copied().unwrap_or_default())
}

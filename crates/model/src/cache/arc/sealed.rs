//! What is in memory of encrypted blocks (docs/model/encryption.md#in-the-arc; arc.c 0.8 to 2.4).
//!
//! A block that was written is in memory as it is on the disks: sealed. Who reads it when its dbuf is gone has it opened first
//! (`arc_fill_hdr_crypt`), and from then on the ARC has it both ways until it leaves. What came from the disks was opened on
//! its way, and is there in the clear alone.
//!
//! A small case: a record of 128 KiB was written and its dbuf is gone: 128 KiB. Read: 256 KiB, and 128 KiB of the dbuf's copy. Read
//! again: the same, and nothing is decrypted. Evicted: nothing.
#![expect(clippy::indexing_slicing, reason = "indices are block numbers, states and kinds")]

use arcwright_units::Nanos;

use super::{ArcCache, Cell};
use crate::cache::admission::Admission;
use crate::ids::BlockId;

/// How an encrypted block is in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    /// In the clear, or not at all.
    #[default]
    Clear,
    /// As it is on the disks.
    Sealed,
    /// Both ways, for which its cell has twice its bytes.
    Both,
}

/// Which blocks are encrypted on the disks, and how each one is in memory.
#[derive(Debug, Default)]
pub(crate) struct Sealed {
    /// None where nothing is encrypted.
    which: Option<Admission>,
    /// Every block, where something is encrypted; otherwise nothing.
    forms: Vec<Form>,
    /// Bytes in memory that are encrypted (`arc_raw_size`).
    bytes: u64,
}

impl Sealed {
    /// Makes it of what is encrypted among so many blocks.
    pub(crate) fn of(which: Option<Admission>, blocks: usize) -> Self {
        let forms = if which.is_some() { vec![Form::Clear; blocks] } else { Vec::new() };
        Self { which, forms, bytes: 0 }
    }

    fn form(&self, block: BlockId) -> Form {
        self.forms.get(block.place()).copied().unwrap_or_default()
    }
}

impl ArcCache {
    /// Says whether a block is encrypted on the disks.
    pub(crate) fn encrypts(&self, block: BlockId) -> bool {
        let kind = self.lists[block].kind();
        self.sealed.which.as_ref().is_some_and(|which| which.admits(block, kind))
    }

    /// Says whether anything is encrypted.
    pub(crate) fn encrypts_any(&self) -> bool {
        self.sealed.which.is_some()
    }

    /// Returns the bytes in memory that are encrypted.
    pub(crate) fn sealed_bytes(&self) -> u64 {
        self.sealed.bytes
    }

    /// Says whether a block is in memory as it is encrypted on the disks.
    pub(crate) fn is_sealed(&self, block: BlockId) -> bool {
        self.sealed.form(block) != Form::Clear
    }

    /// Returns the bytes of a block on the disks.
    pub(crate) fn bytes_once(&self, block: BlockId) -> u64 {
        self.once(block, &self.lists[block])
    }

    /// Returns the bytes on the disks of a block, of which the cell is this.
    #[inline]
    pub(super) fn once(&self, block: BlockId, cell: &Cell) -> u64 {
        match self.sealed.form(block) {
            Form::Both => u64::from(cell.size / 2),
            Form::Clear | Form::Sealed => u64::from(cell.size),
        }
    }

    /// A block came to the ARC by being written.
    pub(super) fn seal(&mut self, block: BlockId) {
        if self.encrypts(block) {
            self.sealed.bytes += u64::from(self.lists[block].size);
            self.sealed.forms[block.place()] = Form::Sealed;
        }
    }

    /// Decrypts a block that is held and in memory as it is on the disks alone; says whether it was.
    pub(crate) fn open(&mut self, block: BlockId, now: Nanos) -> bool {
        if self.sealed.form(block) != Form::Sealed {
            return false;
        }
        let cell = self.lists[block];
        debug_assert!(cell.holds > 0, "{block:?} is opened and nobody holds it");
        let size = u64::from(cell.size);
        self.make_room(size, false, now);
        self.sealed.forms[block.place()] = Form::Both;
        self.lists[block].size *= 2;
        self.usage.sizes[cell.state as usize][cell.kind() as usize] += size;
        self.resize(size, 2 * size);
        true
    }

    /// A block goes to another state: what leaves the lists of what is in memory has one form again.
    #[inline]
    pub(super) fn end_form(&mut self, block: BlockId, new: &mut Cell) {
        if self.sealed.forms.is_empty() || new.is_in_memory() {
            return;
        }
        let form = std::mem::take(&mut self.sealed.forms[block.place()]);
        if form == Form::Both {
            new.size /= 2;
            if new.has_data() {
                let size = u64::from(new.size);
                self.resize(2 * size, size);
            }
        }
        if form != Form::Clear {
            self.sealed.bytes -= u64::from(new.size);
        }
    }
}

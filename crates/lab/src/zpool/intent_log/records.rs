//! The structures that the intent log and its users share, field by field.
//!
//! They are the same from 2.1.11 to 2.4.4 (include/sys/zil.h: `itx_t`, `lr_write_t`; dmu.h: `zgd_t`); the
//! first releases of 2.0 lack the generation, so that the log record follows at once. What a new record
//! looks like is compared with what `zil_itx_create` has filled in, so that a library with another layout
//! is refused instead of being misled.
//!
//! ```text
//!   itx_t       0 list node (two pointers)      lr_write_t   0 transaction type
//!              16 private argument                           8 record length
//!              24 write state   28 synchronous              16 transaction group  24 sequence
//!              32 callback      40 its argument             32 object   40 offset  48 length
//!              48 allocated size                            56 block offset (unused)
//!              56 object        64 (generation)             64 block pointer (128 bytes)
//!              64 or 72 log record ───────────────────────> 192 data
//! ```

use std::ffi::c_int;

use crate::LabError;
use crate::zpool::functions::Handle;

/// `TX_WRITE`.
pub(super) const TX_WRITE: u64 = 9;
/// `TX_WRITE2`: a write whose data an earlier record of the same block brought to the disks.
pub(super) const TX_WRITE2: u64 = 20;
/// More than the kinds of records of any version (`TX_MAX_TYPE` is 21 in 2.1.11, 25 in 2.3.2).
pub(super) const TX_TYPES_MAX: usize = 64;

/// How the data of a write gets into the log (`itx_wr_state_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum WriteState {
    /// The block is written to its place at once; the record points to it.
    Indirect = 0,
    /// The record has the data from the beginning.
    Copied = 1,
    /// The data is fetched when the record is written to the log.
    NeedCopy = 2,
}

impl WriteState {
    /// Returns the state that the library means by a number; data can always be fetched later.
    pub(super) const fn of(number: c_int) -> Self {
        match number {
            0 => Self::Indirect,
            1 => Self::Copied,
            _ => Self::NeedCopy,
        }
    }
}

/// The header of a log record in memory, `itx_t`.
#[repr(C)]
pub(super) struct Itx {
    node: [Handle; 2],
    pub(super) private: Handle,
    pub(super) state: c_int,
    pub(super) sync: u8,
    pub(super) callback: Handle,
    pub(super) callback_argument: Handle,
    size: usize,
    object: u64,
}

/// A write's record, `lr_write_t`; data may follow.
#[repr(C)]
pub(super) struct WriteRecord {
    pub(super) kind: u64,
    length_of_record: u64,
    pub(super) group: u64,
    sequence: u64,
    pub(super) object: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) block_offset: u64,
    pub(super) pointer: [u64; 16],
}

/// What `dmu_sync` hands to the function that it calls when it is done, `zgd_t`.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Zgd {
    pub(super) log_block: Handle,
    pub(super) pointer: *mut [u64; 16],
    pub(super) buffer: Handle,
    pub(super) lock: Handle,
    pub(super) private: Handle,
}

/// `dmu_sync_cb_t`.
pub(super) type ZgdDone = unsafe extern "C" fn(*mut Zgd, c_int);

const _: () = {
    assert!(size_of::<Itx>() == 64, "the generation, or the log record, follows at byte 64");
    assert!(size_of::<WriteRecord>() == 192, "the data follows at byte 192");
};

/// Whether records in memory have a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The first releases of 2.0.
    WithoutGeneration,
    /// 2.1 and later.
    WithGeneration,
}

impl Form {
    /// Where the log record begins.
    fn header(self) -> usize {
        size_of::<Itx>()
            + match self {
                Self::WithoutGeneration => 0,
                Self::WithGeneration => size_of::<u64>(),
            }
    }

    /// Returns the form of `itx`, which the library has made for a write without data; none where it is
    /// neither.
    ///
    /// # Safety
    /// As for [`parts`].
    pub(super) unsafe fn of(itx: *mut u8) -> Option<Self> {
        // SAFETY: every form has this header.
        #[expect(clippy::cast_ptr_alignment, reason = "the library aligns what it allocates")]
        let size = unsafe { (*itx.cast::<Itx>()).size };
        let forms = [Self::WithoutGeneration, Self::WithGeneration];
        forms.into_iter().find(|form| size == form.header() + size_of::<WriteRecord>())
    }
}

/// Returns the parts of a new record that `zil_itx_create` made with room for `copied` bytes; a generation
/// becomes zero.
///
/// # Errors
/// [`LabError::Symbol`] when the library lays it out in another way.
///
/// # Safety
/// `itx` is what the library's `zil_itx_create` returned for `TX_WRITE`.
pub(super) unsafe fn parts<'a>(
    itx: *mut u8,
    copied: usize,
    form: Form,
) -> Result<(&'a mut Itx, &'a mut WriteRecord, *mut u8), LabError> {
    // SAFETY: the library allocated header, record and data in one piece, aligned for pointers.
    let (header, record, data) = unsafe {
        let record = itx.add(form.header());
        let data = record.add(size_of::<WriteRecord>());
        itx.add(size_of::<Itx>()).write_bytes(0, form.header() - size_of::<Itx>());
        #[expect(clippy::cast_ptr_alignment, reason = "the library aligns what it allocates")]
        (&mut *itx.cast::<Itx>(), &mut *record.cast::<WriteRecord>(), data)
    };
    let length = size_of::<WriteRecord>() + copied;
    let known = header.size == form.header() + length.next_multiple_of(8)
        && header.sync == 1
        && record.kind == TX_WRITE;
    if !known {
        return Err(LabError::Symbol { name: "zil_itx_create with the layout known".to_owned() });
    }
    Ok((header, record, data))
}

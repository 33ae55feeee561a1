//! What the log asks for when it writes a record whose data is not in it yet (`zil_get_data_t`).
//!
//! As `zfs_get_data` (module/zfs/zfs_vnops.c, 2.1 to 2.4) does for a file: under a lock against
//! writers, the data is either read into the log's buffer, or its block is written to its place by
//! `dmu_sync`, and the record gets a pointer to it. That write has the log block's I/O as its parent;
//! lock and buffer are released when it is done.

use std::ffi::{c_char, c_int, c_void};

use super::records::{TX_WRITE2, WriteRecord, Zgd};
use super::{IntentLog, Locked, READER};
use crate::schedule;
use crate::zpool::functions::Handle;

/// `DMU_READ_NO_PREFETCH` up to 2.3.
const READ_NO_PREFETCH: u32 = 1;
/// `DMU_READ_NO_PREFETCH` and `DMU_KEEP_CACHING` from 2.4 on.
const READ_NO_PREFETCH_KEEP_CACHING: u32 = 1 << 3 | 1 << 9;

/// As [`get_data`], called by the first releases of 2.0.
///
/// # Safety
/// As for [`get_data`].
pub(super) unsafe extern "C" fn get_data_old(
    argument: Handle,
    record: *mut c_void,
    buffer: *mut c_char,
    log_block: Handle,
    parent: Handle,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { get_data(argument, 0, record, buffer, log_block, parent) }
}

/// Fetches the data of the write record `record`.
///
/// # Safety
/// Called by the library with an argument that `LoggedFile::add_record` put into the record.
pub(super) unsafe extern "C" fn get_data(
    argument: Handle,
    _generation: u64,
    record: *mut c_void,
    buffer: *mut c_char,
    log_block: Handle,
    parent: Handle,
) -> c_int {
    // SAFETY: the argument is the log, which is never freed; the record is the library's copy of a
    // write record, which nobody else touches during the call.
    let (log, record) =
        unsafe { (&*argument.cast::<IntentLog>(), &mut *record.cast::<WriteRecord>()) };
    let Some(file) = log.files.get(&record.object) else { return libc::ENOENT };
    if buffer.is_null() {
        // SAFETY: as above; without a buffer the library hands over its log block and its I/O.
        unsafe { write_block(log, file, record, log_block, parent) }
    } else {
        copy(log, record, buffer)
    }
}

fn copy(log: &IntentLog, record: &WriteRecord, buffer: *mut c_char) -> c_int {
    let lock = log.lock(record.object, record.offset, record.length, READER);
    let flags = if log.has_flags { READ_NO_PREFETCH_KEEP_CACHING } else { READ_NO_PREFETCH };
    // SAFETY: the library's buffer holds `length` bytes; the dataset is owned.
    let code = unsafe {
        (log.functions.dmu_read)(
            log.objset,
            record.object,
            record.offset,
            record.length,
            buffer.cast(),
            flags,
        )
    };
    schedule::spend_on_copy(usize::try_from(record.length).unwrap_or(0));
    log.unlock(lock);
    code
}

/// # Safety
/// As [`get_data`], without a buffer.
unsafe fn write_block(
    log: &'static IntentLog,
    file: &Locked,
    record: &mut WriteRecord,
    log_block: Handle,
    parent: Handle,
) -> c_int {
    let start = record.offset - record.offset % file.record;
    let lock = log.lock(record.object, start, file.record, READER);
    let zgd = Box::into_raw(Box::new(Zgd {
        log_block,
        pointer: &raw mut record.pointer,
        buffer: std::ptr::null_mut(),
        lock: lock.unwrap_or(std::ptr::null_mut()),
        private: std::ptr::from_ref(log).cast_mut().cast(),
    }));
    // SAFETY: `zgd` is alive until `done` has been called with it, which happens once: by the library
    // when `dmu_sync` returns 0, and below when it does not.
    unsafe {
        let mut buffer = std::ptr::null_mut();
        let mut code = hold(log, record.object, start, zgd.cast(), &raw mut buffer);
        if code == 0 {
            (*zgd).buffer = buffer;
            code = (log.functions.dmu_sync)(parent, record.group, done, zgd);
            if code == 0 {
                return 0;
            }
            if code == libc::EALREADY {
                // The block is on its way already for an earlier record, which points to it.
                record.kind = TX_WRITE2;
                (*zgd).pointer = std::ptr::null_mut();
                record.pointer = [0; 16];
                code = 0;
            }
        }
        done(zgd, code);
        code
    }
}

/// Holds the block at an offset of an object. Up to 2.1 it is read where it is no longer in memory;
/// `dmu_sync` does that since 2.2, and only where it writes a block that is being written already.
///
/// # Safety
/// The buffer is released with the same tag.
unsafe fn hold(
    log: &IntentLog,
    object: u64,
    offset: u64,
    tag: *const c_void,
    buffer: *mut Handle,
) -> c_int {
    let IntentLog { functions, objset, .. } = *log;
    // SAFETY: the dataset is owned, and the library writes the buffer's handle.
    unsafe {
        match log.rules.is_new {
            true => (functions.dmu_buf_hold_noread)(objset, object, offset, tag, buffer),
            false => {
                (functions.dmu_buf_hold)(objset, object, offset, tag, buffer, READ_NO_PREFETCH)
            }
        }
    }
}

/// Releases what [`write_block`] has taken.
///
/// # Safety
/// `zgd` was made by `write_block` and is not used again.
unsafe extern "C" fn done(zgd: *mut Zgd, _code: c_int) {
    // SAFETY: as the caller promises; the private argument is the log, which is never freed.
    unsafe {
        let zgd_box = Box::from_raw(zgd);
        let log = &*zgd_box.private.cast::<IntentLog>();
        if !zgd_box.buffer.is_null() {
            (log.functions.dmu_buf_rele)(zgd_box.buffer, zgd.cast());
        }
        log.unlock((!zgd_box.lock.is_null()).then_some(zgd_box.lock));
    }
}

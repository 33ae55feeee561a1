//! Replaying what a crash has left in the log (`zil_replay`).
//!
//! As `zfs_replay_write` (module/zfs/zfs_replay.c, 2.1 and 2.3): the record's data is written once
//! more, in a transaction that also says how far the replay has come. A record that points to a
//! block brings the whole block.

use std::ffi::{c_int, c_void};

use super::functions::Replay;
use super::records::{TX_TYPES_MAX, TX_WRITE, WriteRecord};
use super::{IntentLog, LabError};
use crate::zpool::functions::Handle;
use crate::zpool::object::{READ_PREFETCH, assign};

/// Replays the log, if there is anything in it.
pub(super) fn replay(log: &'static IntentLog) {
    let mut table: [Replay; TX_TYPES_MAX] = [nothing; TX_TYPES_MAX];
    if let Some(place) = usize::try_from(TX_WRITE).ok().and_then(|kind| table.get_mut(kind)) {
        *place = write;
    }
    let argument: Handle = std::ptr::from_ref(log).cast_mut().cast();
    // SAFETY: the dataset is owned and its log open; the table is longer than the library reads.
    unsafe { (log.functions.zil.zil_replay)(log.objset, argument, table.as_ptr()) };
}

/// Files have neither names nor attributes, and a second record of a block brings nothing.
unsafe extern "C" fn nothing(_log: Handle, _record: *mut c_void, _swapped: c_int) -> c_int {
    0
}

unsafe extern "C" fn write(argument: Handle, record: *mut c_void, _swapped: c_int) -> c_int {
    // SAFETY: the argument is the one given to `zil_replay`; the record is followed by its data.
    let (log, head, data) = unsafe {
        let head = &*record.cast::<WriteRecord>();
        (&*argument.cast::<IntentLog>(), head, record.cast::<u8>().add(size_of::<WriteRecord>()))
    };
    let (offset, size) = extent(head);
    let Ok(size) = c_int::try_from(size) else { return libc::EINVAL };
    match write_again(log, head.object, offset, size, data) {
        Ok(()) => 0,
        Err(LabError::Zfs { code, .. }) => code,
        Err(_) => libc::EIO,
    }
}

/// Returns what a record brings: its own bytes, or the block that it points to.
fn extent(record: &WriteRecord) -> (u64, u64) {
    // `BLK_PROP` is the seventh word of a block pointer; its first 16 bits are the block's size in
    // sectors, less one.
    let [_, _, _, _, _, _, properties, ..] = record.pointer;
    let block = ((properties & 0xffff) + 1) << 9;
    let is_pointer = properties != 0;
    if is_pointer && record.length < block {
        (record.offset - record.offset % block, block)
    } else {
        (record.offset, record.length)
    }
}

fn write_again(
    log: &IntentLog,
    object: u64,
    offset: u64,
    size: c_int,
    data: *const u8,
) -> Result<(), LabError> {
    let base = &log.base;
    // SAFETY: the dataset is owned; a transaction is made, assigned and committed as dmu.h asks.
    unsafe {
        let tx = (base.tx.dmu_tx_create)(log.objset);
        (base.tx.dmu_tx_hold_write)(tx, object, offset, size);
        assign(base, tx)?;
        (base.object.dmu_write)(
            log.objset,
            object,
            offset,
            u64::from(size.unsigned_abs()),
            data.cast(),
            tx,
            READ_PREFETCH,
        );
        (log.functions.zil.zil_replaying)(log.zilog(), tx);
        (base.tx.dmu_tx_commit)(tx);
    }
    Ok(())
}

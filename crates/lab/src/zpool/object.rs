//! Files as OpenZFS keeps them: objects of a dataset, read and written record by record.

use std::ffi::c_int;

use arcwright_scenario::DatasetKind;
use arcwright_units::Bytes;

use crate::LabError;
use crate::zpool::file::OpenFile;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::pool::{TAG, check};

/// `DMU_OT_PLAIN_FILE_CONTENTS`.
pub(crate) const TYPE_FILE: c_int = 19;
/// `DMU_OT_ZVOL`.
const TYPE_VOLUME: c_int = 23;
/// `DMU_READ_PREFETCH`: a read, or a write of part of a record, that may set off the prefetcher.
pub(crate) const READ_PREFETCH: u32 = 0;
/// `TXG_WAIT`.
const ASSIGN_WAIT: u64 = 1;

/// An open file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object<'a> {
    functions: &'a Functions,
    objset: Handle,
    number: u64,
    dnode: Handle,
}

// SAFETY: the library's objects are made for use by many threads.
unsafe impl Send for Object<'_> {}
// SAFETY: as above.
unsafe impl Sync for Object<'_> {}

/// Creates an empty file with the given record size, or a volume with such blocks, and returns its object number.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn create(
    functions: &Functions,
    objset: Handle,
    kind: DatasetKind,
    recordsize: Bytes,
) -> Result<u64, LabError> {
    // `DMU_NEW_OBJECT`
    const NEW_OBJECT: u64 = u64::MAX;
    let object_type = match kind {
        DatasetKind::Files => TYPE_FILE,
        DatasetKind::Volume => TYPE_VOLUME,
    };
    // SAFETY: the dataset is owned; a transaction is made, assigned and committed as dmu.h asks.
    unsafe {
        let tx = (functions.tx.dmu_tx_create)(objset);
        (functions.tx.dmu_tx_hold_bonus)(tx, NEW_OBJECT);
        assign(functions, tx)?;
        let size = c_int::try_from(recordsize.0).unwrap_or(c_int::MAX);
        let number = (functions.object.dmu_object_alloc)(objset, object_type, size, 0, 0, tx);
        (functions.tx.dmu_tx_commit)(tx);
        Ok(number)
    }
}

/// Assigns a transaction to a group, waiting for room as `write` does.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number; the transaction is then gone.
///
/// # Safety
/// The caller made the transaction and has not assigned it.
pub(crate) unsafe fn assign(functions: &Functions, tx: Handle) -> Result<(), LabError> {
    // SAFETY: the caller made the transaction and has not assigned it.
    unsafe {
        let code = (functions.tx.dmu_tx_assign)(tx, ASSIGN_WAIT);
        if code != 0 {
            (functions.tx.dmu_tx_abort)(tx);
        }
        check(code, "assigning a transaction")
    }
}

impl<'a> Object<'a> {
    /// Opens object `number` of the dataset; it stays open, as a file does while it is read.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn open(
        functions: &'a Functions,
        objset: Handle,
        number: u64,
    ) -> Result<Self, LabError> {
        let mut dnode: Handle = std::ptr::null_mut();
        // SAFETY: the dataset is owned; the library writes the handle.
        let code =
            unsafe { (functions.object.dnode_hold)(objset, number, TAG.as_ptr(), &raw mut dnode) };
        check(code, "opening a file")?;
        Ok(Self { functions, objset, number, dnode })
    }

    /// Returns its number in the dataset.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the library's handle of the open file.
    pub(crate) fn dnode(&self) -> Handle {
        self.dnode
    }

    /// Closes the file.
    pub(crate) fn close(self) {
        // SAFETY: the dnode was held by `open`, and the value is consumed.
        unsafe { (self.functions.object.dnode_rele)(self.dnode, TAG.as_ptr()) };
    }
}

impl OpenFile for Object<'_> {
    fn read(&self, offset: u64, target: &mut [u8]) -> Result<(), LabError> {
        // SAFETY: the dnode is held; the buffer is the caller's.
        let code = unsafe {
            (self.functions.object.dmu_read_by_dnode)(
                self.dnode,
                offset,
                target.len() as u64,
                target.as_mut_ptr().cast(),
                READ_PREFETCH,
            )
        };
        check(code, "reading a file")
    }

    /// It reaches the disks with its transaction group.
    fn write(&self, offset: u64, source: &[u8]) -> Result<(), LabError> {
        // SAFETY: the dataset is owned; a transaction is made, assigned and committed as dmu.h asks.
        unsafe {
            let tx = (self.functions.tx.dmu_tx_create)(self.objset);
            let size = c_int::try_from(source.len()).unwrap_or(c_int::MAX);
            (self.functions.tx.dmu_tx_hold_write)(tx, self.number, offset, size);
            assign(self.functions, tx)?;
            (self.functions.object.dmu_write)(
                self.objset,
                self.number,
                offset,
                source.len() as u64,
                source.as_ptr().cast(),
                tx,
                READ_PREFETCH,
            );
            (self.functions.tx.dmu_tx_commit)(tx);
        }
        Ok(())
    }
}

/// Waits until everything written so far is on the disks.
pub(crate) fn sync(functions: &Functions, objset: Handle) {
    // SAFETY: the dataset is owned.
    unsafe { (functions.dataset.txg_wait_synced)((functions.dataset.dmu_objset_pool)(objset), 0) };
}

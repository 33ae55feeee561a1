//! A file or a volume that is written with an intent log: ranges locked, records changed, the log told.

use std::ffi::c_int;

use arcwright_scenario::{DatasetKind, SyncMode};
use arcwright_workload::Waits;

use super::records::{TX_WRITE, WriteRecord, WriteState, parts};
use super::{IntentLog, READER, WRITER};
use crate::LabError;
use crate::schedule;
use crate::zpool::file::OpenFile;
use crate::zpool::functions::Handle;
use crate::zpool::object::{Object, READ_PREFETCH, assign};

/// Half of `DMU_MAX_ACCESS`: the most that a transaction of 2.2 and later writes.
const TRANSACTION_MAX: u64 = 32 << 20;

/// A file that is written, or read beside somebody who writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoggedFile<'a> {
    log: &'a IntentLog,
    object: Object<'a>,
}

impl<'a> LoggedFile<'a> {
    /// Returns the file of `object`, which the log was opened for.
    pub(crate) fn new(log: &'a IntentLog, object: Object<'a>) -> Self {
        Self { log, object }
    }

    /// Reads `target.len()` bytes at `offset`, while nobody writes them.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn read(&self, offset: u64, target: &mut [u8]) -> Result<(), LabError> {
        let lock = self.log.lock(self.object.number(), offset, target.len() as u64, READER);
        let result = self.object.read(offset, target);
        self.log.unlock(lock);
        result
    }

    /// Writes `source` at `offset` and waits as asked, and as the dataset's `sync` says.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn write(&self, offset: u64, source: &[u8], waits: Waits) -> Result<(), LabError> {
        let number = self.object.number();
        let always = self.log.rules.sync == SyncMode::Always;
        // Every write of a volume is then one that waits itself.
        let is_volume = self.log.rules.kind == DatasetKind::Volume;
        let is_sync = waits == Waits::Write || (always && is_volume);
        let lock = self.log.lock(number, offset, source.len() as u64, WRITER);
        let result = self.change(offset, source, is_sync);
        self.log.unlock(lock);
        result?;
        if is_sync || always {
            self.log.commit(number);
        }
        Ok(())
    }

    /// Waits until everything written to the file is stable.
    pub(crate) fn fsync(&self) {
        self.log.commit(self.object.number());
    }

    /// Changes the file, in transactions of a record each up to 2.1 and of many later, and of volumes.
    fn change(&self, mut offset: u64, mut source: &[u8], is_sync: bool) -> Result<(), LabError> {
        let record = self.log.files.get(&self.object.number()).map_or(1, |file| file.record.max(1));
        while !source.is_empty() {
            let most =
                if self.log.rules.has_long_transactions() { TRANSACTION_MAX } else { record };
            let size = usize::try_from(most - offset % record).unwrap_or(usize::MAX);
            let (part, rest) = source.split_at(size.min(source.len()));
            self.change_once(Change { offset, source: part, record, is_sync })?;
            offset += part.len() as u64;
            source = rest;
        }
        Ok(())
    }

    fn change_once(&self, change: Change<'_>) -> Result<(), LabError> {
        let (log, base) = (self.log, &self.log.base);
        let Change { offset, source, .. } = change;
        let size = c_int::try_from(source.len()).unwrap_or(c_int::MAX);
        // SAFETY: the dataset is owned and the dnode held; a transaction is made, assigned and
        // committed as dmu.h asks.
        unsafe {
            let tx = (base.tx.dmu_tx_create)(log.objset);
            (base.tx.dmu_tx_hold_write_by_dnode)(tx, self.object.dnode(), offset, size);
            assign(base, tx)?;
            let bytes = source.len() as u64;
            let from = source.as_ptr().cast();
            let write = base.object.dmu_write_by_dnode;
            write(self.object.dnode(), offset, bytes, from, tx, READ_PREFETCH);
            let logged = self.add_records(change, tx);
            (base.tx.dmu_tx_commit)(tx);
            logged
        }
    }

    /// Adds the log records of a change to its transaction.
    ///
    /// # Safety
    /// `tx` is assigned and not committed.
    unsafe fn add_records(&self, change: Change<'_>, tx: Handle) -> Result<(), LabError> {
        let (log, functions) = (self.log, &self.log.functions);
        let Change { mut offset, mut source, record, is_sync } = change;
        let all = source.len() as u64;
        let waits = is_sync || (log.rules.is_new && log.rules.sync == SyncMode::Always);
        let wanted = log.state_of(all, record, waits);
        while !source.is_empty() {
            // SAFETY: the log is open.
            let most_copied = || unsafe { (functions.zil.zil_max_copied_data)(log.zilog()) };
            let (state, most) = match wanted {
                WriteState::Indirect => (wanted, record - offset % record),
                WriteState::Copied if source.len() as u64 > most_copied() => {
                    (WriteState::NeedCopy, u64::MAX)
                }
                _ => (wanted, u64::MAX),
            };
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let (part, rest) = source.split_at(most.min(source.len()));
            let part = Change { offset, source: part, record, is_sync };
            // SAFETY: as the caller promises.
            unsafe { self.add_record(part, state, tx)? };
            offset += part.source.len() as u64;
            source = rest;
        }
        if let (true, Some(count)) =
            (wanted != WriteState::Indirect, functions.dsl_pool_wrlog_count)
        {
            // SAFETY: the transaction is assigned, so it has a group.
            unsafe { count(log.pool, all, (functions.dmu_tx_get_txg)(tx)) };
        }
        Ok(())
    }

    /// Adds one log record, for the whole of `part`.
    ///
    /// # Safety
    /// As [`Self::add_records`].
    unsafe fn add_record(
        &self,
        part: Change<'_>,
        state: WriteState,
        tx: Handle,
    ) -> Result<(), LabError> {
        let (log, functions) = (self.log, &self.log.functions);
        let Change { offset, source, is_sync, .. } = part;
        let copied = if state == WriteState::Copied { source.len() } else { 0 };
        // SAFETY: the record has room for what is copied; it belongs to the log once assigned.
        unsafe {
            let itx = (functions.zil.zil_itx_create)(TX_WRITE, size_of::<WriteRecord>() + copied);
            let (header, record, data) = parts(itx, copied, log.form)?;
            std::ptr::copy_nonoverlapping(source.as_ptr(), data, copied);
            schedule::spend_on_copy(copied);
            header.private = std::ptr::from_ref(log).cast_mut().cast();
            header.state = state as c_int;
            header.sync = u8::from(is_sync);
            record.object = self.object.number();
            record.offset = offset;
            record.length = source.len() as u64;
            record.block_offset = 0;
            record.pointer = [0; 16];
            (functions.zil.zil_itx_assign)(log.zilog(), itx, tx);
        }
        Ok(())
    }
}

/// Some bytes that a file is to hold.
#[derive(Debug, Clone, Copy)]
struct Change<'a> {
    offset: u64,
    source: &'a [u8],
    /// The file's record size.
    record: u64,
    /// Somebody waits until it is stable.
    is_sync: bool,
}

impl OpenFile for LoggedFile<'_> {
    fn read(&self, offset: u64, target: &mut [u8]) -> Result<(), LabError> {
        LoggedFile::read(self, offset, target)
    }

    fn write(&self, offset: u64, source: &[u8]) -> Result<(), LabError> {
        LoggedFile::write(self, offset, source, Waits::No)
    }

    fn write_and_wait(&self, offset: u64, source: &[u8], waits: Waits) -> Result<(), LabError> {
        LoggedFile::write(self, offset, source, waits)
    }

    fn fsync(&self) {
        LoggedFile::fsync(self);
    }
}

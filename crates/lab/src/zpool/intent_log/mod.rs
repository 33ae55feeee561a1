//! Files as the file system keeps them: written under locks, and with an intent log.
//!
//! The library has the log itself (module/zfs/zil.c) but not the file system above it (the ZPL). This
//! module is what the ZPL does for a write (`zfs_write`, `zfs_fsync` in module/zfs/zfs_vnops.c,
//! `zfs_log_write` in zfs_log.c) on files without names and attributes: it locks the range, changes
//! the records in a transaction, adds a log record to it, and commits the log when somebody waits.
//!
//! ```text
//!   write ──> lock the range ──> transaction ──> change records, add log records ──> unlock
//!                                                                                      │
//!         waits (O_SYNC, sync=always, fsync) ──> zil_commit ──> get_data (data.rs) <───┘
//! ```
//!
//! How the data of a write gets into the log (`zfs_log_write`): with logbias=throughput, and without a log
//! device from `zfs_immediate_write_sz` on, blocks are written to their place at once and the record points to
//! them; otherwise the record holds a copy when somebody waits already and it fits, and fetches one later when not.
//!
//! A volume (`zvol_write`, `zvol_log_write`) differs up to 2.3: a write goes to its place if it has at least a
//! block and blocks are longer than `zvol_immediate_write_sz`; in all releases one transaction has many blocks, and
//! with sync=always every write is one that waits.
//!
//! Not here: attributes, so that a write does not change the time of its file.

mod data;
mod file;
mod functions;
mod records;
mod replay;

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use arcwright_scenario::{DatasetKind, DatasetProperties, Logbias, SyncMode};
use arcwright_tunables::Version;
use arcwright_units::Bytes;

use self::functions::{GetData, GetDataOld, LogFunctions};
use self::records::{Form, TX_WRITE, WriteRecord, WriteState};
use crate::LabError;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::library::Library;

pub(crate) use file::LoggedFile;

/// `RL_READER` and `RL_WRITER`.
const READER: c_int = 0;
const WRITER: c_int = 1;
/// Default of `zfs_immediate_write_sz`, which belongs to the file system and not to the library.
const IMMEDIATE_WRITE: u64 = 32 << 10;
/// A function that came with the flags of reads and writes, in 2.4.
const HAS_FLAGS: &str = "dmu_buf_will_dirty_flags";
/// Room for a `zfs_rangelock_t` (112 bytes in 2.1.11 and 2.3.2), and as much again.
const LOCK_WORDS: usize = 32;

/// `zvol_immediate_write_sz`: blocks of a volume that are longer go to their place.
const VOLUME_BLOCK: u64 = 32 << 10;

/// What decides how writes are logged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Whether the dataset holds files or is a volume.
    pub(crate) kind: DatasetKind,
    /// `sync` of the dataset.
    pub(crate) sync: SyncMode,
    /// `logbias` of the dataset.
    pub(crate) logbias: Logbias,
    /// `zfs_immediate_write_sz`, when the scenario sets it.
    pub(crate) immediate_write: Option<u64>,
    /// Whether the file system is that of 2.2 or later: one transaction for many records, and
    /// sync=always known when the record is made.
    pub(crate) is_new: bool,
}

impl Rules {
    /// Returns the rules of a dataset under `version`.
    pub(crate) fn of(properties: DatasetProperties, version: &str) -> Self {
        let is_new = Version::parse(version) >= Version::parse("2.2");
        let DatasetProperties { kind, sync, logbias, .. } = properties;
        Self { kind, sync, logbias, immediate_write: None, is_new }
    }

    /// Says whether one transaction has many records.
    fn has_long_transactions(&self) -> bool {
        self.is_new || self.kind == DatasetKind::Volume
    }

    /// Says whether a write of `size` is long, in blocks of `block` bytes.
    fn is_long(&self, size: u64, block: u64) -> bool {
        match self.kind {
            DatasetKind::Files => size >= self.immediate_write.unwrap_or(IMMEDIATE_WRITE),
            DatasetKind::Volume => size >= block && block > VOLUME_BLOCK,
        }
    }
}

/// The open intent log of the dataset, and its files.
pub(crate) struct IntentLog {
    functions: LogFunctions,
    base: Functions,
    objset: Handle,
    pool: Handle,
    spa: Handle,
    zilog: OnceLock<Zilog>,
    rules: Rules,
    files: BTreeMap<u64, Locked>,
    form: Form,
    /// Whether reads and writes take the flags of 2.4.
    has_flags: bool,
}

#[derive(Debug, Clone, Copy)]
struct Zilog(Handle);

// SAFETY: the library's log is made for use by many threads.
unsafe impl Send for Zilog {}
// SAFETY: as above.
unsafe impl Sync for Zilog {}

/// What the log knows of a file.
struct Locked {
    record: u64,
    lock: RangeLock,
}

/// A lock of ranges of one file, `zfs_rangelock_t`; it never moves, and the library changes it through the
/// pointer that it is given.
struct RangeLock(Box<UnsafeCell<[u64; LOCK_WORDS]>>);

// SAFETY: handles of a library whose objects are made for use by many threads; the locks are the
// library's own and are only passed to it.
unsafe impl Send for IntentLog {}
// SAFETY: as above.
unsafe impl Sync for IntentLog {}

impl std::fmt::Debug for IntentLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IntentLog").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl IntentLog {
    /// Opens the log of the dataset for the objects `files`, each with its record size, and replays
    /// what a crash has left in it.
    ///
    /// The log stays open as long as the process: the library keeps pointers to it.
    ///
    /// # Errors
    /// [`LabError::Symbol`] when the library lacks a function.
    pub(crate) fn open(
        library: &Library,
        base: &Functions,
        objset: Handle,
        files: &[(u64, Bytes)],
        rules: Rules,
    ) -> Result<&'static Self, LabError> {
        let functions = LogFunctions::of(library)?;
        let lock = |(number, record): &(u64, Bytes)| {
            let words = Box::new(UnsafeCell::new([0u64; LOCK_WORDS]));
            // SAFETY: zeroed room for the lock, larger than it is, which stays where it is.
            unsafe {
                let place = words.get().cast();
                (functions.lock.zfs_rangelock_init)(
                    place,
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                );
            }
            (*number, Locked { record: record.0, lock: RangeLock(words) })
        };
        // SAFETY: the dataset is owned.
        let (pool, spa) =
            unsafe { ((base.dataset.dmu_objset_pool)(objset), (functions.dmu_objset_spa)(objset)) };
        let log: &'static Self = Box::leak(Box::new(Self {
            functions,
            base: *base,
            objset,
            pool,
            spa,
            zilog: OnceLock::new(),
            rules,
            files: files.iter().map(lock).collect(),
            form: form(&functions)?,
            has_flags: library.find(HAS_FLAGS).is_some(),
        }));
        let (new, old): (GetData, GetDataOld) = (data::get_data, data::get_data_old);
        let get_data = match log.form {
            Form::WithGeneration => new as *const c_void,
            Form::WithoutGeneration => old as *const c_void,
        };
        // SAFETY: the dataset is owned and its log was not open; the callback matches `zil_get_data_t`.
        let zilog = unsafe { (functions.zil.zil_open)(objset, get_data, std::ptr::null_mut()) };
        log.zilog.get_or_init(|| Zilog(zilog));
        replay::replay(log);
        Ok(log)
    }

    /// Returns whether every write waits (sync=always).
    pub(crate) fn is_always(&self) -> bool {
        self.rules.sync == SyncMode::Always
    }

    fn zilog(&self) -> Handle {
        self.zilog.get().map_or(std::ptr::null_mut(), |log| log.0)
    }

    /// Waits until everything that was logged for `object` is stable; with sync=disabled at once.
    fn commit(&self, object: u64) {
        if self.rules.sync != SyncMode::Disabled {
            // SAFETY: the log is open.
            unsafe { (self.functions.zil.zil_commit)(self.zilog(), object) };
        }
    }

    fn lock(&self, object: u64, offset: u64, size: u64, kind: c_int) -> Option<Handle> {
        let place = self.files.get(&object)?.lock.0.get();
        // SAFETY: the lock was initialised by `open` and lives as long as the log.
        Some(unsafe {
            (self.functions.lock.zfs_rangelock_enter)(
                place.cast::<std::ffi::c_void>(),
                offset,
                size,
                kind,
            )
        })
    }

    fn unlock(&self, lock: Option<Handle>) {
        if let Some(lock) = lock {
            // SAFETY: the lock was taken by `lock` and is released once.
            unsafe { (self.functions.lock.zfs_rangelock_exit)(lock) };
        }
    }

    /// Says how a write of `size` to a file with records of `record` gets into the log. From 2.4 on the library
    /// does, but for the property `logbias`, which the lab keeps.
    fn state_of(&self, size: u64, record: u64, waits: bool) -> WriteState {
        if let (Some(ask), Logbias::Latency) = (self.functions.zil_write_state, self.rules.logbias)
        {
            let record = u32::try_from(record).unwrap_or(u32::MAX);
            // SAFETY: the log is open.
            let state = unsafe { ask(self.zilog(), size, record, 0, c_int::from(waits)) };
            return WriteState::of(state);
        }
        let is_long = self.rules.is_long(size, record);
        // SAFETY: the pool is open.
        let has_log = || unsafe { (self.functions.spa_has_slogs)(self.spa) != 0 };
        if self.rules.logbias == Logbias::Throughput || (is_long && !has_log()) {
            WriteState::Indirect
        } else if waits {
            WriteState::Copied
        } else {
            WriteState::NeedCopy
        }
    }
}

/// Returns the form of the library's records: that of 2.1, unless it is older and says otherwise.
fn form(functions: &LogFunctions) -> Result<Form, LabError> {
    if functions.dsl_pool_wrlog_count.is_some() {
        return Ok(Form::WithGeneration);
    }
    // SAFETY: a record of a write without data, which nothing else knows of.
    let form =
        unsafe { Form::of((functions.zil.zil_itx_create)(TX_WRITE, size_of::<WriteRecord>())) };
    form.ok_or_else(|| LabError::Symbol { name: "zil_itx_create with a layout known".to_owned() })
}

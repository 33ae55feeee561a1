//! The functions of `libzpool` that the intent log and the locks of files are made of.
//!
//! Signatures from include/sys/{zil,dmu,zfs_rlock,spa}.h, 2.0.3 to 2.4.4. Where they
//! differ, an argument too many is passed and ignored by the version that does not know it
//! (`zil_open`), or a result that one version does not have is not looked at (`zil_replay`,
//! `zil_commit`). What 2.0 called back with one argument less has a form of its own.

use std::ffi::{c_char, c_int, c_void};

use super::records::{Zgd, ZgdDone};
use crate::LabError;
use crate::zpool::functions::{Handle, function};
use crate::zpool::library::Library;

/// `zil_get_data_t`: argument, generation, log record, buffer or null, log block, parent I/O.
pub(super) type GetData =
    unsafe extern "C" fn(Handle, u64, *mut c_void, *mut c_char, Handle, Handle) -> c_int;
/// The same in the first releases of 2.0, without the generation.
pub(super) type GetDataOld =
    unsafe extern "C" fn(Handle, *mut c_void, *mut c_char, Handle, Handle) -> c_int;
/// `zil_replay_func_t`: argument, log record, whether its bytes are swapped.
pub(super) type Replay = unsafe extern "C" fn(Handle, *mut c_void, c_int) -> c_int;

/// Functions by name, beside those of [`crate::zpool::functions`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogFunctions {
    pub(super) zil: ZilFunctions,
    pub(super) lock: RangeLockFunctions,
    pub(super) dmu_read: unsafe extern "C" fn(Handle, u64, u64, u64, *mut c_void, u32) -> c_int,
    pub(super) dmu_buf_hold:
        unsafe extern "C" fn(Handle, u64, u64, *const c_void, *mut Handle, u32) -> c_int,
    pub(super) dmu_buf_hold_noread:
        unsafe extern "C" fn(Handle, u64, u64, *const c_void, *mut Handle) -> c_int,
    pub(super) dmu_buf_rele: unsafe extern "C" fn(Handle, *const c_void),
    pub(super) dmu_sync: unsafe extern "C" fn(Handle, u64, ZgdDone, *mut Zgd) -> c_int,
    pub(super) dmu_tx_get_txg: unsafe extern "C" fn(Handle) -> u64,
    /// From 2.1 on.
    pub(super) dsl_pool_wrlog_count: Option<unsafe extern "C" fn(Handle, u64, u64)>,
    /// How a write gets into the log: size, block size, whether it is direct, whether somebody waits; from 2.4 on.
    pub(super) zil_write_state:
        Option<unsafe extern "C" fn(Handle, u64, u32, c_int, c_int) -> c_int>,
    pub(super) dmu_objset_spa: unsafe extern "C" fn(Handle) -> Handle,
    pub(super) spa_has_slogs: unsafe extern "C" fn(Handle) -> c_int,
}

impl LogFunctions {
    /// Finds all of them.
    ///
    /// # Errors
    /// [`LabError::Symbol`] naming the first that is missing.
    pub(crate) fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            zil: ZilFunctions::of(library)?,
            lock: RangeLockFunctions::of(library)?,
            dmu_read: function(library, "dmu_read")?,
            dmu_buf_hold: function(library, "dmu_buf_hold")?,
            dmu_buf_hold_noread: function(library, "dmu_buf_hold_noread")?,
            dmu_buf_rele: function(library, "dmu_buf_rele")?,
            dmu_sync: function(library, "dmu_sync")?,
            dmu_tx_get_txg: function(library, "dmu_tx_get_txg")?,
            dsl_pool_wrlog_count: function(library, "dsl_pool_wrlog_count").ok(),
            zil_write_state: function(library, "zil_write_state").ok(),
            dmu_objset_spa: function(library, "dmu_objset_spa")?,
            spa_has_slogs: function(library, "spa_has_slogs")?,
        })
    }
}

/// The log itself (module/zfs/zil.c).
#[derive(Debug, Clone, Copy)]
pub(super) struct ZilFunctions {
    /// With a [`GetData`] or a [`GetDataOld`], whichever the library calls back.
    pub(super) zil_open: unsafe extern "C" fn(Handle, *const c_void, Handle) -> Handle,
    pub(super) zil_replay: unsafe extern "C" fn(Handle, Handle, *const Replay),
    pub(super) zil_replaying: unsafe extern "C" fn(Handle, Handle) -> c_int,
    pub(super) zil_commit: unsafe extern "C" fn(Handle, u64),
    pub(super) zil_itx_create: unsafe extern "C" fn(u64, usize) -> *mut u8,
    pub(super) zil_itx_assign: unsafe extern "C" fn(Handle, *mut u8, Handle),
    pub(super) zil_max_copied_data: unsafe extern "C" fn(Handle) -> u64,
}

impl ZilFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            zil_open: function(library, "zil_open")?,
            zil_replay: function(library, "zil_replay")?,
            zil_replaying: function(library, "zil_replaying")?,
            zil_commit: function(library, "zil_commit")?,
            zil_itx_create: function(library, "zil_itx_create")?,
            zil_itx_assign: function(library, "zil_itx_assign")?,
            zil_max_copied_data: function(library, "zil_max_copied_data")?,
        })
    }
}

/// Locks of ranges of a file (module/zfs/zfs_rlock.c).
#[derive(Debug, Clone, Copy)]
pub(super) struct RangeLockFunctions {
    pub(super) zfs_rangelock_init: unsafe extern "C" fn(Handle, Handle, Handle),
    pub(super) zfs_rangelock_enter: unsafe extern "C" fn(Handle, u64, u64, c_int) -> Handle,
    pub(super) zfs_rangelock_exit: unsafe extern "C" fn(Handle),
}

impl RangeLockFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            zfs_rangelock_init: function(library, "zfs_rangelock_init")?,
            zfs_rangelock_enter: function(library, "zfs_rangelock_enter")?,
            zfs_rangelock_exit: function(library, "zfs_rangelock_exit")?,
        })
    }
}

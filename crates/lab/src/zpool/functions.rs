//! The functions of `libzpool` and `libnvpair` that the lab calls, with their C signatures.
//!
//! The signatures are those of include/sys/{spa,dmu,dnode,dsl_prop,txg,zap}.h and libnvpair.h, 2.0.3 to
//! 2.4.4. They differ in few places: `spa_vdev_add` took a third argument in 2.2, writes took flags as
//! their last in 2.4; both are passed always and ignored by those that do not know them. 2.3 has calls of
//! its own for what a directory's names are read into and for prefetching a dnode.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::LabError;
use crate::zpool::library::Library;

/// An opaque object of the library.
pub(crate) type Handle = *mut c_void;

/// A buffer of the DMU as its users see it (`dmu_buf_t`, include/sys/dmu.h).
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) object: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) bytes: *mut u8,
}

/// The functions that the lab calls, by what they are about. An `int` that one returns is an error number,
/// 0 for success.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Functions {
    pub(crate) pool: PoolFunctions,
    pub(crate) dataset: DatasetFunctions,
    pub(crate) key: KeyFunctions,
    pub(crate) tx: TransactionFunctions,
    pub(crate) object: ObjectFunctions,
    pub(crate) zap: ZapFunctions,
    pub(crate) list: ListFunctions,
}

impl Functions {
    /// Looks up every function.
    ///
    /// # Errors
    /// [`LabError::Symbol`] with the first one missing.
    pub(crate) fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            pool: PoolFunctions::of(library)?,
            dataset: DatasetFunctions::of(library)?,
            key: KeyFunctions::of(library)?,
            tx: TransactionFunctions::of(library)?,
            object: ObjectFunctions::of(library)?,
            zap: ZapFunctions::of(library)?,
            list: ListFunctions::of(library)?,
        })
    }
}

/// Pools: made, opened, exported, and the properties of what is in them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolFunctions {
    pub(crate) kernel_init: unsafe extern "C" fn(c_int),
    pub(crate) spa_create:
        unsafe extern "C" fn(*const c_char, Handle, Handle, Handle, Handle) -> c_int,
    pub(crate) spa_export: unsafe extern "C" fn(*const c_char, *mut Handle, c_int, c_int) -> c_int,
    pub(crate) spa_import: unsafe extern "C" fn(*const c_char, Handle, Handle, u64) -> c_int,
    pub(crate) spa_open: unsafe extern "C" fn(*const c_char, *mut Handle, *const c_char) -> c_int,
    pub(crate) spa_close: unsafe extern "C" fn(Handle, *const c_char),
    pub(crate) spa_vdev_add: unsafe extern "C" fn(Handle, Handle, c_int) -> c_int,
    pub(crate) dsl_prop_set_int:
        unsafe extern "C" fn(*const c_char, *const c_char, c_int, u64) -> c_int,
}

impl PoolFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            kernel_init: function(library, "kernel_init")?,
            spa_create: function(library, "spa_create")?,
            spa_export: function(library, "spa_export")?,
            spa_import: function(library, "spa_import")?,
            spa_open: function(library, "spa_open")?,
            spa_close: function(library, "spa_close")?,
            spa_vdev_add: function(library, "spa_vdev_add")?,
            dsl_prop_set_int: function(library, "dsl_prop_set_int")?,
        })
    }
}

/// Datasets and their transaction groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatasetFunctions {
    pub(crate) dmu_objset_create:
        unsafe extern "C" fn(*const c_char, c_int, u64, Handle, Handle, Handle) -> c_int,
    pub(crate) dmu_objset_own: unsafe extern "C" fn(
        *const c_char,
        c_int,
        c_int,
        c_int,
        *const c_char,
        *mut Handle,
    ) -> c_int,
    pub(crate) dmu_objset_disown: unsafe extern "C" fn(Handle, c_int, *const c_char),
    pub(crate) dmu_objset_pool: unsafe extern "C" fn(Handle) -> Handle,
    pub(crate) txg_wait_synced: unsafe extern "C" fn(Handle, u64),
}

impl DatasetFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            dmu_objset_create: function(library, "dmu_objset_create")?,
            dmu_objset_own: function(library, "dmu_objset_own")?,
            dmu_objset_disown: function(library, "dmu_objset_disown")?,
            dmu_objset_pool: function(library, "dmu_objset_pool")?,
            txg_wait_synced: function(library, "txg_wait_synced")?,
        })
    }
}

/// Keys of encrypted datasets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyFunctions {
    /// What is to be done, properties, hidden arguments, and where the parameters go.
    pub(crate) dsl_crypto_params_create_nvlist:
        unsafe extern "C" fn(c_int, Handle, Handle, *mut Handle) -> c_int,
    pub(crate) dsl_crypto_params_free: unsafe extern "C" fn(Handle, c_int),
    pub(crate) spa_keystore_load_wkey: unsafe extern "C" fn(*const c_char, Handle, c_int) -> c_int,
}

impl KeyFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            dsl_crypto_params_create_nvlist: function(library, "dsl_crypto_params_create_nvlist")?,
            dsl_crypto_params_free: function(library, "dsl_crypto_params_free")?,
            spa_keystore_load_wkey: function(library, "spa_keystore_load_wkey")?,
        })
    }
}

/// Transactions: what they will change is held first, then they are assigned to a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransactionFunctions {
    pub(crate) dmu_tx_create: unsafe extern "C" fn(Handle) -> Handle,
    pub(crate) dmu_tx_hold_bonus: unsafe extern "C" fn(Handle, u64),
    pub(crate) dmu_tx_hold_write: unsafe extern "C" fn(Handle, u64, u64, c_int),
    pub(crate) dmu_tx_hold_bonus_by_dnode: unsafe extern "C" fn(Handle, Handle),
    pub(crate) dmu_tx_hold_write_by_dnode: unsafe extern "C" fn(Handle, Handle, u64, c_int),
    pub(crate) dmu_tx_hold_zap: unsafe extern "C" fn(Handle, u64, c_int, *const c_char),
    pub(crate) dmu_tx_assign: unsafe extern "C" fn(Handle, u64) -> c_int,
    pub(crate) dmu_tx_abort: unsafe extern "C" fn(Handle),
    pub(crate) dmu_tx_commit: unsafe extern "C" fn(Handle),
}

impl TransactionFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            dmu_tx_create: function(library, "dmu_tx_create")?,
            dmu_tx_hold_bonus: function(library, "dmu_tx_hold_bonus")?,
            dmu_tx_hold_write: function(library, "dmu_tx_hold_write")?,
            dmu_tx_hold_bonus_by_dnode: function(library, "dmu_tx_hold_bonus_by_dnode")?,
            dmu_tx_hold_write_by_dnode: function(library, "dmu_tx_hold_write_by_dnode")?,
            dmu_tx_hold_zap: function(library, "dmu_tx_hold_zap")?,
            dmu_tx_assign: function(library, "dmu_tx_assign")?,
            dmu_tx_abort: function(library, "dmu_tx_abort")?,
            dmu_tx_commit: function(library, "dmu_tx_commit")?,
        })
    }
}

/// Objects: made, held, read and written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectFunctions {
    pub(crate) dmu_object_alloc:
        unsafe extern "C" fn(Handle, c_int, c_int, c_int, c_int, Handle) -> u64,
    pub(crate) dmu_object_set_blocksize:
        unsafe extern "C" fn(Handle, u64, u64, c_int, Handle) -> c_int,
    pub(crate) dnode_hold: unsafe extern "C" fn(Handle, u64, *const c_char, *mut Handle) -> c_int,
    pub(crate) dnode_rele: unsafe extern "C" fn(Handle, *const c_char),
    pub(crate) dmu_read_by_dnode: unsafe extern "C" fn(Handle, u64, u64, *mut c_void, u32) -> c_int,
    pub(crate) dmu_write: unsafe extern "C" fn(Handle, u64, u64, u64, *const c_void, Handle, u32),
    pub(crate) dmu_write_by_dnode:
        unsafe extern "C" fn(Handle, u64, u64, *const c_void, Handle, u32),
    pub(crate) dmu_bonus_hold_by_dnode:
        unsafe extern "C" fn(Handle, *const c_char, *mut *mut Buffer, u32) -> c_int,
    pub(crate) dmu_buf_rele: unsafe extern "C" fn(*mut Buffer, *const c_char),
    pub(crate) dmu_buf_will_dirty: unsafe extern "C" fn(*mut Buffer, Handle),
    pub(crate) dmu_prefetch: unsafe extern "C" fn(Handle, u64, i64, u64, u64, c_int),
    pub(crate) dmu_prefetch_dnode: Option<unsafe extern "C" fn(Handle, u64, c_int)>,
}

impl ObjectFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            dmu_object_alloc: function(library, "dmu_object_alloc")?,
            dmu_object_set_blocksize: function(library, "dmu_object_set_blocksize")?,
            dnode_hold: function(library, "dnode_hold")?,
            dnode_rele: function(library, "dnode_rele")?,
            dmu_read_by_dnode: function(library, "dmu_read_by_dnode")?,
            dmu_write: function(library, "dmu_write")?,
            dmu_write_by_dnode: function(library, "dmu_write_by_dnode")?,
            dmu_bonus_hold_by_dnode: function(library, "dmu_bonus_hold_by_dnode")?,
            dmu_buf_rele: function(library, "dmu_buf_rele")?,
            dmu_buf_will_dirty: function(library, "dmu_buf_will_dirty")?,
            dmu_prefetch: function(library, "dmu_prefetch")?,
            dmu_prefetch_dnode: function(library, "dmu_prefetch_dnode").ok(),
        })
    }
}

/// Directories, which are objects of names and values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ZapFunctions {
    pub(crate) zap_create_norm:
        unsafe extern "C" fn(Handle, c_int, c_int, c_int, c_int, Handle) -> u64,
    pub(crate) zap_lookup:
        unsafe extern "C" fn(Handle, u64, *const c_char, u64, u64, *mut c_void) -> c_int,
    pub(crate) zap_add: unsafe extern "C" fn(
        Handle,
        u64,
        *const c_char,
        c_int,
        u64,
        *const c_void,
        Handle,
    ) -> c_int,
    pub(crate) zap_cursor_init: unsafe extern "C" fn(Handle, Handle, u64),
    pub(crate) zap_cursor_init_serialized: unsafe extern "C" fn(Handle, Handle, u64, u64),
    pub(crate) zap_cursor_serialize: unsafe extern "C" fn(Handle) -> u64,
    pub(crate) zap_cursor_retrieve: unsafe extern "C" fn(Handle, Handle) -> c_int,
    pub(crate) zap_cursor_advance: unsafe extern "C" fn(Handle),
    pub(crate) zap_cursor_fini: unsafe extern "C" fn(Handle),
    pub(crate) zap_attribute_alloc: Option<unsafe extern "C" fn() -> Handle>,
    pub(crate) zap_attribute_free: Option<unsafe extern "C" fn(Handle)>,
}

impl ZapFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            zap_create_norm: function(library, "zap_create_norm")?,
            zap_lookup: function(library, "zap_lookup")?,
            zap_add: function(library, "zap_add")?,
            zap_cursor_init: function(library, "zap_cursor_init")?,
            zap_cursor_init_serialized: function(library, "zap_cursor_init_serialized")?,
            zap_cursor_serialize: function(library, "zap_cursor_serialize")?,
            zap_cursor_retrieve: function(library, "zap_cursor_retrieve")?,
            zap_cursor_advance: function(library, "zap_cursor_advance")?,
            zap_cursor_fini: function(library, "zap_cursor_fini")?,
            zap_attribute_alloc: function(library, "zap_attribute_alloc").ok(),
            zap_attribute_free: function(library, "zap_attribute_free").ok(),
        })
    }
}

/// Name-value lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListFunctions {
    pub(crate) fnvlist_alloc: unsafe extern "C" fn() -> Handle,
    pub(crate) fnvlist_add_string: unsafe extern "C" fn(Handle, *const c_char, *const c_char),
    pub(crate) fnvlist_add_uint64: unsafe extern "C" fn(Handle, *const c_char, u64),
    pub(crate) fnvlist_add_uint8_array:
        unsafe extern "C" fn(Handle, *const c_char, *const u8, c_uint),
    pub(crate) fnvlist_add_nvlist_array:
        unsafe extern "C" fn(Handle, *const c_char, *const Handle, c_uint),
    pub(crate) fnvlist_pack: unsafe extern "C" fn(Handle, *mut usize) -> *mut c_char,
    pub(crate) fnvlist_unpack: unsafe extern "C" fn(*const c_char, usize) -> Handle,
}

impl ListFunctions {
    fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            fnvlist_alloc: function(library, "fnvlist_alloc")?,
            fnvlist_add_string: function(library, "fnvlist_add_string")?,
            fnvlist_add_uint64: function(library, "fnvlist_add_uint64")?,
            fnvlist_add_uint8_array: function(library, "fnvlist_add_uint8_array")?,
            fnvlist_add_nvlist_array: function(library, "fnvlist_add_nvlist_array")?,
            fnvlist_pack: function(library, "fnvlist_pack")?,
            fnvlist_unpack: function(library, "fnvlist_unpack")?,
        })
    }
}

/// Returns the function `name`, whose C signature the type `F` must be.
///
/// # Errors
/// [`LabError::Symbol`] when the library lacks it.
pub(crate) fn function<F: Copy>(library: &Library, name: &str) -> Result<F, LabError> {
    const { assert!(size_of::<F>() == size_of::<Handle>(), "only function pointers") };
    let address = library.address(name)?;
    // SAFETY: the field's type is the C signature of this name, and both are one pointer wide.
    Ok(unsafe { std::mem::transmute_copy::<Handle, F>(&address) })
}

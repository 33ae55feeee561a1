//! The functions of `libzpool` and `libnvpair` that the lab calls, with their C signatures.
//!
//! The signatures are those of include/sys/{spa,dmu,dnode,dsl_prop,txg}.h and libnvpair.h; 2.1 and
//! 2.3 differ in one place only: `spa_vdev_add` took a third argument in 2.2, which is passed
//! always and ignored by those that do not know it.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::LabError;
use crate::zpool::library::Library;

/// An opaque object of the library.
pub(crate) type Handle = *mut c_void;

/// `int f(const char *, …)`: error number, 0 for success.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Functions {
    pub(crate) kernel_init: unsafe extern "C" fn(c_int),
    pub(crate) spa_create:
        unsafe extern "C" fn(*const c_char, Handle, Handle, Handle, Handle) -> c_int,
    pub(crate) spa_export: unsafe extern "C" fn(*const c_char, *mut Handle, c_int, c_int) -> c_int,
    pub(crate) spa_import: unsafe extern "C" fn(*const c_char, Handle, Handle, u64) -> c_int,
    pub(crate) spa_open: unsafe extern "C" fn(*const c_char, *mut Handle, *const c_char) -> c_int,
    pub(crate) spa_close: unsafe extern "C" fn(Handle, *const c_char),
    pub(crate) spa_vdev_add: unsafe extern "C" fn(Handle, Handle, c_int) -> c_int,
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
    pub(crate) dmu_object_alloc:
        unsafe extern "C" fn(Handle, c_int, c_int, c_int, c_int, Handle) -> u64,
    pub(crate) dmu_tx_create: unsafe extern "C" fn(Handle) -> Handle,
    pub(crate) dmu_tx_hold_bonus: unsafe extern "C" fn(Handle, u64),
    pub(crate) dmu_tx_hold_write: unsafe extern "C" fn(Handle, u64, u64, c_int),
    pub(crate) dmu_tx_assign: unsafe extern "C" fn(Handle, u64) -> c_int,
    pub(crate) dmu_tx_abort: unsafe extern "C" fn(Handle),
    pub(crate) dmu_tx_commit: unsafe extern "C" fn(Handle),
    pub(crate) dmu_write: unsafe extern "C" fn(Handle, u64, u64, u64, *const c_void, Handle),
    pub(crate) dnode_hold: unsafe extern "C" fn(Handle, u64, *const c_char, *mut Handle) -> c_int,
    pub(crate) dnode_rele: unsafe extern "C" fn(Handle, *const c_char),
    pub(crate) dmu_read_by_dnode: unsafe extern "C" fn(Handle, u64, u64, *mut c_void, u32) -> c_int,
    pub(crate) dsl_prop_set_int:
        unsafe extern "C" fn(*const c_char, *const c_char, c_int, u64) -> c_int,
    pub(crate) fnvlist_alloc: unsafe extern "C" fn() -> Handle,
    pub(crate) fnvlist_add_string: unsafe extern "C" fn(Handle, *const c_char, *const c_char),
    pub(crate) fnvlist_add_uint64: unsafe extern "C" fn(Handle, *const c_char, u64),
    pub(crate) fnvlist_add_nvlist_array:
        unsafe extern "C" fn(Handle, *const c_char, *const Handle, c_uint),
    pub(crate) fnvlist_pack: unsafe extern "C" fn(Handle, *mut usize) -> *mut c_char,
    pub(crate) fnvlist_unpack: unsafe extern "C" fn(*const c_char, usize) -> Handle,
}

impl Functions {
    /// Looks up every function.
    ///
    /// # Errors
    /// [`LabError::Symbol`] with the first one missing.
    pub(crate) fn of(library: &Library) -> Result<Self, LabError> {
        Ok(Self {
            kernel_init: function(library, "kernel_init")?,
            spa_create: function(library, "spa_create")?,
            spa_export: function(library, "spa_export")?,
            spa_import: function(library, "spa_import")?,
            spa_open: function(library, "spa_open")?,
            spa_close: function(library, "spa_close")?,
            spa_vdev_add: function(library, "spa_vdev_add")?,
            dmu_objset_create: function(library, "dmu_objset_create")?,
            dmu_objset_own: function(library, "dmu_objset_own")?,
            dmu_objset_disown: function(library, "dmu_objset_disown")?,
            dmu_objset_pool: function(library, "dmu_objset_pool")?,
            txg_wait_synced: function(library, "txg_wait_synced")?,
            dmu_object_alloc: function(library, "dmu_object_alloc")?,
            dmu_tx_create: function(library, "dmu_tx_create")?,
            dmu_tx_hold_bonus: function(library, "dmu_tx_hold_bonus")?,
            dmu_tx_hold_write: function(library, "dmu_tx_hold_write")?,
            dmu_tx_assign: function(library, "dmu_tx_assign")?,
            dmu_tx_abort: function(library, "dmu_tx_abort")?,
            dmu_tx_commit: function(library, "dmu_tx_commit")?,
            dmu_write: function(library, "dmu_write")?,
            dnode_hold: function(library, "dnode_hold")?,
            dnode_rele: function(library, "dnode_rele")?,
            dmu_read_by_dnode: function(library, "dmu_read_by_dnode")?,
            dsl_prop_set_int: function(library, "dsl_prop_set_int")?,
            fnvlist_alloc: function(library, "fnvlist_alloc")?,
            fnvlist_add_string: function(library, "fnvlist_add_string")?,
            fnvlist_add_uint64: function(library, "fnvlist_add_uint64")?,
            fnvlist_add_nvlist_array: function(library, "fnvlist_add_nvlist_array")?,
            fnvlist_pack: function(library, "fnvlist_pack")?,
            fnvlist_unpack: function(library, "fnvlist_unpack")?,
        })
    }
}

pub(crate) fn function<F: Copy>(library: &Library, name: &str) -> Result<F, LabError> {
    const { assert!(size_of::<F>() == size_of::<Handle>(), "only function pointers") };
    let address = library.address(name)?;
    // SAFETY: the field's type is the C signature of this name, and both are one pointer wide.
    Ok(unsafe { std::mem::transmute_copy::<Handle, F>(&address) })
}

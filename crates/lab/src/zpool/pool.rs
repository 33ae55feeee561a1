//! Pools: created, exported, imported, given cache and log devices.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Once;

use arcwright_scenario::{CacheContent, Compression, Logbias, SyncMode, VdevLayout};

use crate::LabError;
use crate::zpool::functions::{Functions, Handle, function};
use crate::zpool::library::Library;
use crate::zpool::nvlist::{NvList, text};

/// Name of the lab's pool.
pub(crate) const POOL: &str = "lab";
/// Name of the lab's dataset.
pub(crate) const DATASET: &str = "lab/files";

/// `DMU_OST_ZFS`: the dataset of a file system.
const OBJSET_ZFS: i32 = 2;
/// `ZPROP_SRC_LOCAL`.
const SOURCE_LOCAL: i32 = 8;
/// The tag that marks the lab's holds.
pub(crate) const TAG: &std::ffi::CStr = c"arcwright";

/// Pool features that matter to what is read and written, on in every pool made since 0.7.
///
/// Without properties `spa_create` leaves all of them off, which `zpool create` never does.
const FEATURES: [&str; 12] = [
    "async_destroy",
    "allocation_classes",
    "empty_bpobj",
    "lz4_compress",
    "spacemap_histogram",
    "enabled_txg",
    "hole_birth",
    "extensible_dataset",
    "embedded_data",
    "large_blocks",
    "large_dnode",
    "spacemap_v2",
];

/// A top-level vdev of files.
#[derive(Debug, Clone)]
pub(crate) struct FileVdev {
    /// How the files are combined.
    pub(crate) layout: VdevLayout,
    /// The vdev files, absolute.
    pub(crate) paths: Vec<std::path::PathBuf>,
}

/// What a vdev is for; its `alloc_bias` in the pool's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Data,
    Special,
    Log,
}

/// Starts the library; once in a process, before anything else is asked of it.
pub(crate) fn start_library(functions: &Functions) {
    // `SPA_MODE_READ | SPA_MODE_WRITE`
    const READ_WRITE: c_int = 3;
    static STARTED: Once = Once::new();
    // SAFETY: called once, before anything else of the library.
    STARTED.call_once(|| unsafe { (functions.pool.kernel_init)(READ_WRITE) });
}

/// Creates the pool with its data vdevs and its special ones.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn create(
    functions: &Functions,
    [data, special]: &[Vec<FileVdev>; 2],
    ashift: u8,
) -> Result<(), LabError> {
    let data = data.iter().map(|vdev| vdev_list(functions, vdev, ashift, Purpose::Data));
    let special = special.iter().map(|vdev| vdev_list(functions, vdev, ashift, Purpose::Special));
    let vdevs: Vec<NvList<'_>> = data.chain(special).collect();
    let root = root(functions).lists("children", &vdevs);
    let features = FEATURES.iter().fold(NvList::new(functions), |list, feature| {
        list.number(&format!("feature@{feature}"), 0)
    });
    let null = std::ptr::null_mut();
    // SAFETY: the library is initialised; the lists are alive.
    let code = unsafe {
        (functions.pool.spa_create)(
            text(POOL).as_ptr(),
            root.handle(),
            features.handle(),
            null,
            null,
        )
    };
    check(code, "creating the pool")
}

/// Exports the pool and returns its configuration, packed.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn export(functions: &Functions) -> Result<Vec<u8>, LabError> {
    let mut config: Handle = std::ptr::null_mut();
    // SAFETY: the library is initialised; it writes the list's handle.
    let code = unsafe { (functions.pool.spa_export)(text(POOL).as_ptr(), &raw mut config, 0, 0) };
    check(code, "exporting the pool")?;
    Ok(NvList::from_handle(functions, config).pack())
}

/// Returns the configuration of the imported pool, packed: with it the pool can be imported again
/// after a crash.
///
/// # Errors
/// [`LabError`] when the library lacks a function, or the pool is not open.
pub(crate) fn configuration(library: &Library, functions: &Functions) -> Result<Vec<u8>, LabError> {
    type Generate = unsafe extern "C" fn(Handle, Handle, u64, c_int) -> Handle;
    let generate: Generate = function(library, "spa_config_generate")?;
    let mut spa: Handle = std::ptr::null_mut();
    // SAFETY: the library is initialised; it writes the pool's handle, which is closed again. All
    // bits of the transaction group set means the last one.
    unsafe {
        let code = (functions.pool.spa_open)(text(POOL).as_ptr(), &raw mut spa, TAG.as_ptr());
        check(code, "opening the pool")?;
        let config = generate(spa, std::ptr::null_mut(), u64::MAX, 1);
        (functions.pool.spa_close)(spa, TAG.as_ptr());
        Ok(NvList::from_handle(functions, config).pack())
    }
}

/// Imports the pool from its packed configuration.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn import(functions: &Functions, config: &[u8]) -> Result<(), LabError> {
    let config = NvList::unpack(functions, config);
    // SAFETY: the library is initialised; the list is alive.
    let code = unsafe {
        (functions.pool.spa_import)(text(POOL).as_ptr(), config.handle(), std::ptr::null_mut(), 0)
    };
    check(code, "importing the pool")
}

/// Adds fresh cache devices and log vdevs to the imported pool.
///
/// They join after the import: a cache device that is imported along is first rebuilt and stays out
/// of the feed for that time.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn add(
    functions: &Functions,
    cache: &[std::path::PathBuf],
    log: &[FileVdev],
    ashift: u8,
) -> Result<(), LabError> {
    if cache.is_empty() && log.is_empty() {
        return Ok(());
    }
    let mut list = root(functions);
    if !log.is_empty() {
        let vdevs: Vec<NvList<'_>> =
            log.iter().map(|vdev| vdev_list(functions, vdev, ashift, Purpose::Log)).collect();
        list = list.lists("children", &vdevs);
    }
    if !cache.is_empty() {
        let leaves: Vec<NvList<'_>> =
            cache.iter().map(|path| leaf(functions, path, ashift, Purpose::Data)).collect();
        list = list.lists("l2cache", &leaves);
    }
    let mut spa: Handle = std::ptr::null_mut();
    // SAFETY: the library is initialised; it writes the pool's handle, which is closed again.
    unsafe {
        let code = (functions.pool.spa_open)(text(POOL).as_ptr(), &raw mut spa, TAG.as_ptr());
        check(code, "opening the pool")?;
        let code = (functions.pool.spa_vdev_add)(spa, list.handle(), 0);
        (functions.pool.spa_close)(spa, TAG.as_ptr());
        check(code, "adding cache and log devices")
    }
}

/// Creates the dataset and sets its properties.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn create_dataset(
    functions: &Functions,
    pool: &arcwright_scenario::PoolSpec,
) -> Result<(), LabError> {
    let null = std::ptr::null_mut();
    // SAFETY: the library is initialised; no encryption, no callback.
    let code = unsafe {
        (functions.dataset.dmu_objset_create)(
            text(DATASET).as_ptr(),
            OBJSET_ZFS,
            0,
            null,
            null,
            null,
        )
    };
    check(code, "creating the dataset")?;
    set_properties(functions, pool)
}

/// Sets the dataset's properties; an arm may differ in some.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn set_properties(
    functions: &Functions,
    pool: &arcwright_scenario::PoolSpec,
) -> Result<(), LabError> {
    // Values of `enum zio_compress` and `zfs_cache_type` (include/sys/zio_compress.h, fs/zfs.h).
    let compression = match pool.compression {
        Compression::Off => 2,
        Compression::Lz4 => 15,
    };
    let settings = [
        ("recordsize", pool.recordsize.0),
        ("compression", compression),
        ("primarycache", cache_content(pool.primarycache)),
        ("secondarycache", cache_content(pool.secondarycache)),
    ];
    settings.into_iter().try_for_each(|(name, value)| set(functions, name, value))
}

/// Sets what an arm says about synchronous writes, where it differs from the default.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn set_sync(
    functions: &Functions,
    pool: &arcwright_scenario::PoolSpec,
) -> Result<(), LabError> {
    // Values of `zfs_sync_type_t` and `zfs_logbias_op_t` (include/sys/fs/zfs.h).
    let sync = match pool.sync {
        SyncMode::Standard => 0,
        SyncMode::Always => 1,
        SyncMode::Disabled => 2,
    };
    let logbias = match pool.logbias {
        Logbias::Latency => 0,
        Logbias::Throughput => 1,
    };
    let settings = [("sync", sync), ("logbias", logbias)];
    let mut changed = settings.into_iter().filter(|(_, value)| *value != 0);
    changed.try_for_each(|(name, value)| set(functions, name, value))
}

/// Switches the prefetcher off for the dataset (2.3 and later).
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn prefetch_none(functions: &Functions) -> Result<(), LabError> {
    // `ZFS_PREFETCH_NONE` of `zfs_prefetch_type_t` (include/sys/fs/zfs.h).
    set(functions, "prefetch", 0)
}

fn set(functions: &Functions, name: &str, value: u64) -> Result<(), LabError> {
    // SAFETY: the library is initialised; names are NUL-terminated.
    let code = unsafe {
        (functions.pool.dsl_prop_set_int)(
            text(DATASET).as_ptr(),
            text(name).as_ptr(),
            SOURCE_LOCAL,
            value,
        )
    };
    check(code, &format!("setting {name}={value}"))
}

/// Opens the dataset for reading and writing.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(crate) fn own_dataset(functions: &Functions) -> Result<Handle, LabError> {
    let mut objset: Handle = std::ptr::null_mut();
    // SAFETY: the library is initialised; it writes the handle.
    let code = unsafe {
        (functions.dataset.dmu_objset_own)(
            text(DATASET).as_ptr(),
            OBJSET_ZFS,
            0,
            0,
            TAG.as_ptr(),
            &raw mut objset,
        )
    };
    check(code, "opening the dataset")?;
    Ok(objset)
}

/// Closes the dataset, of which nothing is open any more.
pub(crate) fn disown_dataset(functions: &Functions, objset: Handle) {
    // SAFETY: the dataset was owned with the same tag.
    unsafe { (functions.dataset.dmu_objset_disown)(objset, 0, TAG.as_ptr()) };
}

/// Turns an error number into a result.
pub(crate) fn check(code: i32, call: &str) -> Result<(), LabError> {
    match code {
        0 => Ok(()),
        code => Err(LabError::Zfs { call: call.to_owned(), code }),
    }
}

fn cache_content(content: CacheContent) -> u64 {
    match content {
        CacheContent::None => 0,
        CacheContent::Metadata => 1,
        CacheContent::All => 2,
    }
}

fn root(functions: &Functions) -> NvList<'_> {
    NvList::new(functions).string("type", "root")
}

fn vdev_list<'a>(
    functions: &'a Functions,
    vdev: &FileVdev,
    ashift: u8,
    purpose: Purpose,
) -> NvList<'a> {
    let leaves: Vec<NvList<'_>> =
        vdev.paths.iter().map(|path| leaf(functions, path, ashift, purpose)).collect();
    let list = match vdev.layout {
        VdevLayout::Single => return leaves.first().copied().unwrap_or_else(|| root(functions)),
        VdevLayout::Mirror => NvList::new(functions).string("type", "mirror"),
        VdevLayout::Raidz1 => NvList::new(functions).string("type", "raidz").number("nparity", 1),
        VdevLayout::Raidz2 => NvList::new(functions).string("type", "raidz").number("nparity", 2),
        VdevLayout::Raidz3 => NvList::new(functions).string("type", "raidz").number("nparity", 3),
    };
    marked(list, purpose).lists("children", &leaves)
}

fn leaf<'a>(functions: &'a Functions, path: &Path, ashift: u8, purpose: Purpose) -> NvList<'a> {
    let list = NvList::new(functions)
        .string("type", "file")
        .string("path", &path.to_string_lossy())
        .number("ashift", u64::from(ashift));
    marked(list, purpose)
}

fn marked(list: NvList<'_>, purpose: Purpose) -> NvList<'_> {
    let list = list.number("is_log", u64::from(purpose == Purpose::Log));
    match purpose {
        Purpose::Data => list,
        Purpose::Special => list.string("alloc_bias", "special"),
        Purpose::Log => list.string("alloc_bias", "log"),
    }
}

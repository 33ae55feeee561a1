//! Pools: created, exported, imported, given cache and log devices.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Once;

use arcwright_scenario::VdevLayout;

use crate::LabError;
use crate::zpool::functions::{Functions, Handle, function};
use crate::zpool::library::Library;
use crate::zpool::nvlist::{NvList, text};

/// Name of the lab's pool.
pub(crate) const POOL: &str = "lab";
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

/// What encryption needs besides; only where something is encrypted, since pools differ by it.
const FEATURES_OF_ENCRYPTION: [&str; 3] = ["bookmarks", "bookmark_v2", "encryption"];

/// What dRAID needs, only where there is one.
const FEATURE_OF_DRAID: &str = "draid";

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
    (ashift, is_encrypted): (u8, bool),
) -> Result<(), LabError> {
    let has_draid = data.iter().any(|vdev| matches!(vdev.layout, VdevLayout::Draid { .. }));
    let data = data.iter().map(|vdev| vdev_list(functions, vdev, ashift, Purpose::Data));
    let special = special.iter().map(|vdev| vdev_list(functions, vdev, ashift, Purpose::Special));
    let vdevs: Vec<NvList<'_>> = data.chain(special).collect();
    let root = root(functions).lists("children", &vdevs);
    let encryption = if is_encrypted { &FEATURES_OF_ENCRYPTION[..] } else { &[] };
    let more = if has_draid { &[FEATURE_OF_DRAID][..] } else { &[] }.iter().chain(encryption);
    let features = FEATURES.iter().chain(more).fold(NvList::new(functions), |list, feature| {
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

/// Turns an error number into a result.
pub(crate) fn check(code: i32, call: &str) -> Result<(), LabError> {
    match code {
        0 => Ok(()),
        code => Err(LabError::Zfs { call: call.to_owned(), code }),
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
        VdevLayout::Draid { parity, data, spares } => {
            // As many groups as fill whole rows (`zpool create`).
            let positions = (vdev.paths.len() as u64).saturating_sub(spares.into()).max(1);
            let width = u64::from(parity) + u64::from(data);
            let groups = (1..=positions).find(|groups| (groups * width).is_multiple_of(positions));
            NvList::new(functions)
                .string("type", "draid")
                .number("nparity", parity.into())
                .number("draid_ndata", data.into())
                .number("draid_nspares", spares.into())
                .number("draid_ngroups", groups.unwrap_or(positions))
        }
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

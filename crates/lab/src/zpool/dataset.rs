//! Datasets: created with their properties, opened.

use std::ffi::c_int;

use arcwright_scenario::{
    CacheContent, Compression, DatasetKind, DatasetProperties, DatasetSpec, FileSpec, Logbias,
    PoolSpec, SyncMode,
};

use super::key;
use super::pool::{TAG, check};
use crate::LabError;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::nvlist::text;

/// Name of the pool's own dataset.
const OWN: &str = "lab/files";
/// `DMU_OST_ZFS`: the dataset of a file system.
const OBJSET_ZFS: i32 = 2;
/// `DMU_OST_ZVOL`: the dataset of a volume.
const OBJSET_ZVOL: i32 = 3;
/// `ZPROP_SRC_LOCAL`.
const SOURCE_LOCAL: i32 = 8;

/// A dataset of the lab's pool.
#[derive(Debug, Clone)]
pub(crate) struct LabDataset {
    /// Its name in the pool.
    name: String,
    /// Its name in the scenario; none of the pool's own.
    scenario_name: Option<String>,
    pub(crate) properties: DatasetProperties,
}

/// A dataset that is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenDataset<'a> {
    pub(crate) dataset: &'a LabDataset,
    pub(crate) objset: Handle,
}

impl LabDataset {
    /// Returns the pool's own dataset.
    pub(crate) fn own(pool: &PoolSpec) -> Self {
        Self { name: OWN.to_owned(), scenario_name: None, properties: pool.properties() }
    }

    /// Returns the pool's own dataset and those beside it.
    pub(crate) fn all(pool: &PoolSpec) -> Vec<Self> {
        // Numbers, since names in a scenario need not be names to ZFS.
        let other = |(number, spec): (usize, &DatasetSpec)| Self {
            name: format!("lab/files-{}", number + 1),
            scenario_name: Some(spec.name.clone()),
            properties: spec.properties_in(pool),
        };
        std::iter::once(Self::own(pool))
            .chain(pool.datasets.iter().enumerate().map(other))
            .collect()
    }

    /// Says whether it is the pool's own, which holds the trees.
    pub(crate) const fn is_own(&self) -> bool {
        self.scenario_name.is_none()
    }

    fn objset_type(&self) -> i32 {
        match self.properties.kind {
            DatasetKind::Files => OBJSET_ZFS,
            DatasetKind::Volume => OBJSET_ZVOL,
        }
    }

    /// Says whether it holds a file.
    pub(crate) fn holds(&self, file: &FileSpec) -> bool {
        self.scenario_name == file.dataset
    }

    /// Creates the dataset and sets its properties.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn create(&self, functions: &Functions) -> Result<(), LabError> {
        let null = std::ptr::null_mut();
        let key = match self.is_encrypted() {
            true => key::of_new_dataset(functions)?,
            false => null,
        };
        // SAFETY: the library is initialised; it takes over the key, if there is one; no callback.
        let code = unsafe {
            (functions.dataset.dmu_objset_create)(
                text(&self.name).as_ptr(),
                self.objset_type(),
                0,
                key,
                null,
                null,
            )
        };
        key::free(functions, key, code);
        check(code, "creating the dataset")?;
        self.set_properties(functions)
    }

    /// Sets the dataset's properties; an arm may differ in some.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn set_properties(&self, functions: &Functions) -> Result<(), LabError> {
        // Values of `enum zio_compress` and `zfs_cache_type` (include/sys/zio_compress.h, fs/zfs.h).
        let compression = match self.properties.compression {
            Compression::Off => 2,
            Compression::Lz4 => 15,
        };
        let DatasetProperties {
            kind,
            recordsize,
            primarycache,
            secondarycache,
            special_small_blocks,
            ..
        } = self.properties;
        // The blocks of a volume are what its object was made with.
        let recordsize = (kind == DatasetKind::Files).then_some(("recordsize", recordsize.0));
        let small = Some(special_small_blocks.0).filter(|most| *most > 0);
        let small = small.map(|most| ("special_small_blocks", most));
        let settings = [
            ("compression", compression),
            ("primarycache", cache_content(primarycache)),
            ("secondarycache", cache_content(secondarycache)),
        ];
        let mut settings = recordsize.into_iter().chain(small).chain(settings);
        settings.try_for_each(|(name, value)| self.set(functions, name, value))
    }

    /// Sets what an arm says about synchronous writes, where it differs from the default.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn set_sync(&self, functions: &Functions) -> Result<(), LabError> {
        // Values of `zfs_sync_type_t` and `zfs_logbias_op_t` (include/sys/fs/zfs.h).
        let sync = match self.properties.sync {
            SyncMode::Standard => 0,
            SyncMode::Always => 1,
            SyncMode::Disabled => 2,
        };
        let logbias = match self.properties.logbias {
            Logbias::Latency => 0,
            Logbias::Throughput => 1,
        };
        let settings = [("sync", sync), ("logbias", logbias)];
        let mut changed = settings.into_iter().filter(|(_, value)| *value != 0);
        changed.try_for_each(|(name, value)| self.set(functions, name, value))
    }

    /// Switches the prefetcher off for the dataset (2.3 and later).
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn prefetch_none(&self, functions: &Functions) -> Result<(), LabError> {
        // `ZFS_PREFETCH_NONE` of `zfs_prefetch_type_t` (include/sys/fs/zfs.h).
        self.set(functions, "prefetch", 0)
    }

    fn set(&self, functions: &Functions, name: &str, value: u64) -> Result<(), LabError> {
        // SAFETY: the library is initialised; names are NUL-terminated.
        let code = unsafe {
            (functions.pool.dsl_prop_set_int)(
                text(&self.name).as_ptr(),
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
    pub(crate) fn open(&self, functions: &Functions) -> Result<Handle, LabError> {
        if self.is_encrypted() {
            key::load(functions, &self.name)?;
        }
        let mut objset: Handle = std::ptr::null_mut();
        // SAFETY: the library is initialised; it writes the handle.
        let code = unsafe {
            (functions.dataset.dmu_objset_own)(
                text(&self.name).as_ptr(),
                self.objset_type(),
                0,
                c_int::from(self.is_encrypted()),
                TAG.as_ptr(),
                &raw mut objset,
            )
        };
        check(code, "opening the dataset")?;
        Ok(objset)
    }

    /// Closes the dataset, of which nothing is open any more.
    pub(crate) fn close(&self, functions: &Functions, objset: Handle) {
        let is_decrypted = c_int::from(self.is_encrypted());
        // SAFETY: the dataset was owned with the same tag.
        unsafe { (functions.dataset.dmu_objset_disown)(objset, is_decrypted, TAG.as_ptr()) };
    }

    fn is_encrypted(&self) -> bool {
        !self.properties.encryption.is_off()
    }
}

fn cache_content(content: CacheContent) -> u64 {
    match content {
        CacheContent::None => 0,
        CacheContent::Metadata => 1,
        CacheContent::All => 2,
    }
}

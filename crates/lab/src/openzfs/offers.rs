//! What a library offers, read from its file without loading it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arcwright_tunables::Version;
use object::read::elf::ElfFile64;
use object::{Endianness, Object as _, ObjectSymbol as _};

use crate::LabError;

/// A tunable of the file system, which the library does not contain.
pub(crate) const IMMEDIATE_WRITE: &str = "zfs_immediate_write_sz";
/// The prefetcher's switch, which libraries from 2.2 on keep to themselves.
pub(crate) const PREFETCH_DISABLE: &str = "zfs_prefetch_disable";
/// From when on a dataset has a property `prefetch`; `none` is asked for in the same place as the switch
/// (`dmu_zfetch_prepare`, dmu_zfetch.c 2.3) and says the same of it.
const HAS_PREFETCH_PROPERTY: &str = "2.3";

/// Says whether the lab does itself what the tunable `name` says, since the library of `version` has no
/// such variable.
pub(crate) fn is_kept_by_lab(name: &str, version: &str) -> bool {
    let has_property = || Version::parse(version) >= Version::parse(HAS_PREFETCH_PROPERTY);
    name == IMMEDIATE_WRITE || (name == PREFETCH_DISABLE && has_property())
}

/// Returns the size of every variable and function that the library at `path` exports.
///
/// # Errors
/// [`LabError::Library`] when the file cannot be read as a library.
pub(crate) fn symbol_sizes(path: &Path) -> Result<BTreeMap<String, u64>, LabError> {
    let failed = |reason: String| LabError::Library { path: path.to_path_buf(), reason };
    let file = fs::read(path).map_err(|error| failed(error.to_string()))?;
    read_sizes(&file).map_err(|error| failed(error.to_string()))
}

fn read_sizes(file: &[u8]) -> Result<BTreeMap<String, u64>, object::Error> {
    let elf = ElfFile64::<Endianness>::parse(file)?;
    let defined = elf.dynamic_symbols().filter(object::ObjectSymbol::is_definition);
    defined.map(|symbol| Ok((symbol.name()?.to_owned(), symbol.size()))).collect()
}

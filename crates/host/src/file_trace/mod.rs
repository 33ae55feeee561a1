//! Accesses to files and volumes on a live Linux machine, as a tracer in the kernel sees them where they come to ZFS.
//!
//! ```text
//!   /proc/kallsyms ──> FileProbes ──> program ──> bpftrace ──> lines ──> TracerLine (machine)
//!   /proc/self/mountinfo ──> datasets by the number of their file system
//!   /proc/devices, /dev/zvol ──> volumes by the number of their block device
//!   folders of a dataset ──> names of files by their numbers, afterwards
//! ```
//!
//! Nothing of the module is changed: probes come and go with the tracer.

mod mounts;
mod names;
mod probes;
mod tracer;
mod volumes;

pub use mounts::{MountedDataset, MountedDatasets, mounted_datasets};
pub use names::names_of;
pub use probes::{FileProbes, Traced};
pub use tracer::{TRACER, Tracer, TracerError, Tracing, find_tracer};
pub use volumes::{volume_major, volumes_below};

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use thiserror::Error;

/// Why accesses cannot be recorded.
#[derive(Debug, Error)]
pub enum FileTraceError {
    /// Only root may watch the kernel.
    #[error("only root may record accesses to files: run it with sudo")]
    Denied,
    /// The module is not loaded, or has other functions.
    #[error(
        "the kernel has no zpl_iter_read and zpl_iter_write: Linux with OpenZFS 2.0 or later, loaded, has them"
    )]
    NoModule,
    /// The kernel does not say where the fields of its types lie.
    #[error("this kernel does not describe its types: /sys/kernel/btf/vmlinux is missing")]
    NoTypes,
    /// A file of the kernel could not be read.
    #[error("failed to read {0}: {1}")]
    Unread(&'static str, std::io::Error),
}

const SYMBOLS: &str = "/proc/kallsyms";
const TYPES: &str = "/sys/kernel/btf/vmlinux";
const MOUNTS: &str = "/proc/self/mountinfo";
const DEVICES: &str = "/proc/devices";
const VOLUMES: &str = "/dev/zvol";

/// Says whether this machine's accesses can be recorded, and through which functions.
///
/// # Errors
/// [`FileTraceError`].
pub fn live_probes() -> Result<FileProbes, FileTraceError> {
    if !rustix::process::geteuid().is_root() {
        return Err(FileTraceError::Denied);
    }
    // What is not Linux has no such list, and no such functions.
    let Ok(symbols) = File::open(SYMBOLS) else { return Err(FileTraceError::NoModule) };
    let probes = FileProbes::of_symbols(BufReader::new(symbols))
        .map_err(|error| FileTraceError::Unread(SYMBOLS, error))?;
    match () {
        () if !probes.are_there() => Err(FileTraceError::NoModule),
        () if !Path::new(TYPES).exists() => Err(FileTraceError::NoTypes),
        () => Ok(probes),
    }
}

/// Returns the datasets that are mounted now, and the volumes.
///
/// # Errors
/// [`FileTraceError::Unread`].
pub fn live_datasets() -> Result<MountedDatasets, FileTraceError> {
    let list = fs::read(MOUNTS).map_err(|error| FileTraceError::Unread(MOUNTS, error))?;
    let mut found = mounted_datasets(&String::from_utf8_lossy(&list));
    if let Some(major) = live_volume_major() {
        found.extend(volumes_below(Path::new(VOLUMES), major));
    }
    Ok(found)
}

/// Returns the major number of this machine's volumes.
#[must_use]
pub fn live_volume_major() -> Option<u32> {
    volume_major(&String::from_utf8_lossy(&fs::read(DEVICES).ok()?))
}

/// Bytes of a page of this machine's memory.
#[must_use]
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

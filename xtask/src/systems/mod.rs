//! Fresh Debian systems: what a machine needs that has nothing of ours.
//!
//! ```text
//!   system.rs   a system in a folder: made with mmdebstrap, used once
//!   build.rs    the program built and run there, with no packages but those that README names
//!   tool.rs     programs that checks need, without installing them
//! ```

mod build;
mod system;
pub(crate) mod tool;

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use build::run as build;
pub(crate) use system::{Suite, System};

/// Returns a folder, empty.
pub(crate) fn empty_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    Ok(folder.to_owned())
}

/// Says whether systems can be used here: only root may change the root of a process.
pub(crate) fn are_possible() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0)
}

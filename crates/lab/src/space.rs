//! Checks that the vdev files fit before anything is written.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use arcwright_scenario::{EngineError, Layout, Scenario, Vdev};
use arcwright_units::Bytes;

/// Room for labels, metadata and transaction groups beside the files themselves.
const SPARE: Bytes = Bytes::mib(256);

/// Returns the bytes that the pool's image takes: files and trees, their redundancy, and some spare.
pub(crate) fn needed(scenario: &Scenario) -> Bytes {
    let files: Bytes = scenario.files.iter().map(|file| file.size).sum();
    let recordsize = scenario.system.pool.recordsize;
    let trees = scenario.trees.iter().map(|tree| tree.drawn(scenario.seed));
    let files = files + trees.map(|tree| tree.blocks_bytes(recordsize)).sum();
    let worst = scenario.system.pool.data.iter().map(|vdev| stored(files, vdev)).max();
    let stored = worst.unwrap_or(files);
    stored + Bytes(stored.0 / 50) + SPARE
}

/// Returns what `files` take on the disks of `vdev`, for whole records.
fn stored(files: Bytes, vdev: &Vdev) -> Bytes {
    let disks = vdev.disks.len() as u64;
    let parity = match vdev.layout {
        Layout::Single => return files,
        Layout::Mirror => return files.saturating_mul(disks),
        Layout::Raidz1 => 1,
        Layout::Raidz2 => 2,
        Layout::Raidz3 => 3,
    };
    Bytes(files.saturating_mul(disks).0.div_ceil(disks.saturating_sub(parity).max(1)))
}

/// Refuses when `folder` has less than `needed` free.
///
/// # Errors
/// [`EngineError::Failed`] with what is needed, what is there, and how to choose another folder.
pub(crate) fn check(folder: &Path, needed: Bytes) -> Result<(), EngineError> {
    let free = free_in(folder).map_err(|error| EngineError::Failed {
        what: format!("cannot use the scratch folder {}: {error}", folder.display()),
        hint: Some("name another one with --scratch DIR".to_owned()),
    })?;
    if free >= needed {
        return Ok(());
    }
    Err(EngineError::Failed {
        what: format!(
            "no space for the vdev files: {needed} are needed in {}, {free} are free",
            folder.display()
        ),
        hint: Some(
            "name a folder with more room (--scratch DIR) or scale further down \
             (--set lab.scale=64)"
                .to_owned(),
        ),
    })
}

fn free_in(folder: &Path) -> std::io::Result<Bytes> {
    let path = CString::new(folder.as_os_str().as_bytes()).map_err(std::io::Error::other)?;
    let mut stat = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: a NUL-terminated path and room for the result, which is read only on success.
    unsafe {
        if libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        let stat = stat.assume_init();
        Ok(Bytes(stat.f_bavail.saturating_mul(stat.f_frsize)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arcwright_units::Bytes;

    use super::check;

    #[test]
    fn an_absurd_need_is_refused_with_both_figures_and_a_way_out() {
        let error = check(Path::new("/"), Bytes(u64::MAX)).unwrap_err().to_string();
        assert!(error.contains("no space for the vdev files"), "{error}");
        assert!(check(Path::new("/"), Bytes::ZERO).is_ok());
    }

    #[test]
    fn a_missing_folder_is_an_error_not_a_panic() {
        let error = check(Path::new("/does/not/exist"), Bytes(1)).unwrap_err().to_string();
        assert!(error.contains("/does/not/exist"), "{error}");
    }
}

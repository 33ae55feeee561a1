//! Whether a drive is whole, empty and nobody's. Nothing is written.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _};
use std::path::Path;

use super::SsdHostError;

/// What has to be zero at either end: partition tables, labels of ZFS (four of 256 KiB), of RAID and of file systems lie
/// there.
const END_BYTES: u64 = 1 << 20;
/// A sector of the kernel's sizes.
const SECTOR: u64 = 512;

/// A drive that is whole, empty and nobody's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The kernel's name: `sdc`.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Looks at a drive below `/dev`.
///
/// # Errors
/// [`SsdHostError`] says what it is, who uses it, or what is on it.
pub fn look(path: &str) -> Result<Seen, SsdHostError> {
    let seen = nobodys(path)?;
    empty(path, seen.bytes)?;
    Ok(seen)
}

/// Returns a whole drive that nobody uses, whatever is on it.
pub(super) fn nobodys(path: &str) -> Result<Seen, SsdHostError> {
    let unseen = |why: io::Error| SsdHostError::Unseen { path: path.to_owned(), why };
    let no_drive = |what: &'static str| SsdHostError::NoDrive { path: path.to_owned(), what };
    let device = fs::canonicalize(path).map_err(unseen)?;
    let kind = fs::metadata(&device).map_err(unseen)?.file_type();
    if !kind.is_block_device() {
        return Err(no_drive(if kind.is_dir() { "a folder" } else { "no block device" }));
    }
    let name = device.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let folder = Path::new("/sys/class/block").join(&name);
    if folder.join("partition").exists() {
        return Err(no_drive("a partition"));
    }
    let sectors = fs::read_to_string(folder.join("size")).map_err(unseen)?;
    let bytes = sectors.trim().parse::<u64>().map(|sectors| sectors.saturating_mul(SECTOR));
    let bytes = bytes.map_err(|error| unseen(io::Error::other(error)))?;
    if let Some(how) = user(&device, &folder).map_err(unseen)? {
        return Err(SsdHostError::InUse { path: path.to_owned(), how });
    }
    Ok(Seen { name, bytes })
}

/// Returns who uses a drive or a partition of it.
fn user(device: &Path, folder: &Path) -> io::Result<Option<String>> {
    let mut all = vec![(device.to_owned(), folder.to_owned())];
    all.extend(
        partitions(folder)?
            .into_iter()
            .map(|name| (Path::new("/dev").join(&name), Path::new("/sys/class/block").join(&name))),
    );
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let swaps = fs::read_to_string("/proc/swaps").unwrap_or_default();
    for (device, folder) in all {
        let shown = device.display();
        if let Some(holder) = first_name(&folder.join("holders"))? {
            return Ok(Some(format!("{holder} is on {shown}")));
        }
        if let Some(place) = mounted(&mounts, &device) {
            return Ok(Some(format!("{shown} is mounted on {place}")));
        }
        if swaps.lines().skip(1).any(|line| is_device(line, &device)) {
            return Ok(Some(format!("{shown} is swap")));
        }
    }
    Ok(None)
}

/// Returns the names of the partitions of a drive.
pub(super) fn partitions(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().join("partition").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn first_name(folder: &Path) -> io::Result<Option<String>> {
    let first = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().transpose()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    Ok(first.map(|entry| entry.file_name().to_string_lossy().into_owned()))
}

/// Returns where a device is mounted: the lines of `/proc/mounts` begin with it.
fn mounted(mounts: &str, device: &Path) -> Option<String> {
    let line = mounts.lines().find(|line| is_device(line, device))?;
    line.split(' ').nth(1).map(str::to_owned)
}

/// Says whether a line begins with a device, by whatever link.
fn is_device(line: &str, device: &Path) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.starts_with('/')
        && fs::canonicalize(first).map_or_else(|_| Path::new(first) == device, |it| it == device)
}

/// Refuses a drive on which something is.
pub(super) fn empty(path: &str, bytes: u64) -> Result<(), SsdHostError> {
    let unseen = |why: io::Error| SsdHostError::Unseen { path: path.to_owned(), why };
    let file = fs::File::open(path).map_err(unseen)?;
    let mut buffer = vec![0; usize::try_from(END_BYTES.min(bytes)).unwrap_or_default()];
    for (at, what) in [(0, "its beginning"), (bytes.saturating_sub(END_BYTES), "its end")] {
        file.read_exact_at(&mut buffer, at).map_err(unseen)?;
        if let Some(place) = buffer.iter().position(|byte| *byte != 0) {
            let place = at + place as u64;
            return Err(SsdHostError::NotEmpty {
                path: path.to_owned(),
                what: format!("{what} holds something (byte {place} is not zero)"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{empty, look, mounted};

    #[test]
    fn what_is_no_drive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        let check = |path: &Path, expected: &str| {
            let error = look(&path.to_string_lossy()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&file, "is no block device; a whole drive is expected");
        check(folder.path(), "is a folder; a whole drive is expected");
        check(&folder.path().join("missing"), "failed to look at");
        check(Path::new("/dev/null"), "is no block device");
    }

    #[test]
    fn only_zeros_are_empty() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        let size = 3usize << 20;
        let check = |at: Option<usize>, expected: Option<&str>| {
            let mut bytes = vec![0u8; size];
            if let Some(at) = at {
                bytes[at] = 1;
            }
            std::fs::write(&file, &bytes).unwrap();
            let found = empty(&file.to_string_lossy(), size as u64).err().map(|it| it.to_string());
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()));
        };
        check(None, None);
        check(Some(0), Some("its beginning holds something (byte 0"));
        check(Some(size - 1), Some("its end holds something"));
        check(Some(size / 2), None);
    }

    #[test]
    fn a_mounted_device_is_found() {
        let mounts = "proc /proc proc rw 0 0\n/dev/sdz9 /mnt/a\\040b ext4 rw 0 0\n";
        assert_eq!(mounted(mounts, Path::new("/dev/sdz9")).as_deref(), Some("/mnt/a\\040b"));
        assert_eq!(mounted(mounts, Path::new("/dev/sdz")), None);
    }
}

//! What a path leads to that somebody wants to have measured: a disk or a file, how large, and of which kind.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use arcwright_units::Bytes;
use thiserror::Error;

use crate::plain::{kind_of, read_text};

/// Why nothing can be measured there.
#[derive(Debug, Error)]
pub enum LookError {
    /// It is neither a disk nor a file.
    #[error("it is {0}, neither a disk nor a file")]
    Kind(&'static str),
    /// The file is not on the disk as a whole.
    #[error(
        "{there} of its {size} are on a disk: it has holes or is compressed, and reads of the rest reach no disk"
    )]
    Holes {
        /// What is there.
        there: Bytes,
        /// How long it is.
        size: Bytes,
    },
    /// Another disk is there now.
    #[error("it is another one than a moment ago")]
    Changed,
    /// The system refuses.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// What kind of device it is, as far as the system says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbedKind {
    /// It turns.
    Disk,
    /// Flash behind SATA, SAS or USB.
    Flash,
    /// Flash behind NVMe.
    Nvme,
}

/// What was seen of a device without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceLook {
    /// The path, links followed to their end.
    pub real: PathBuf,
    /// The name of the disk in the kernel, of a file that of the disk below it; none when no disk is known.
    pub disk: Option<String>,
    /// The kind; none when the system does not say.
    pub kind: Option<ProbedKind>,
    /// What the drive calls itself.
    pub model: Option<String>,
    /// Whether it is a file on a disk.
    pub is_file: bool,
    place: (u64, u64, u64),
}

/// Texts of the kernel about a disk are a line.
const TEXT_BYTES_MAX: u64 = 4096;
/// A file of which less is there than this share has holes; the rest is what file systems put elsewhere.
const THERE_MIN: f64 = 0.9;

impl DeviceLook {
    /// Looks at a path; nothing is opened.
    ///
    /// # Errors
    /// [`LookError`].
    pub fn at(path: &Path) -> Result<Self, LookError> {
        let real = path.canonicalize()?;
        let meta = fs::metadata(&real)?;
        refuse(&meta)?;
        let is_file = meta.is_file();
        let number = if is_file { meta.dev() } else { meta.rdev() };
        let folder = Self::folder(number);
        let name = folder.as_deref().and_then(Path::file_name);
        let disk = name.and_then(|name| name.to_str()).map(str::to_owned);
        let text = |file: &str| {
            let text = read_text(&folder.as_ref()?.join(file), TEXT_BYTES_MAX).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let kind = text("queue/rotational").and_then(|flag| match flag.as_str() {
            "1" => Some(ProbedKind::Disk),
            "0" if disk.as_deref().is_some_and(|disk| disk.starts_with("nvme")) => {
                Some(ProbedKind::Nvme)
            }
            "0" => Some(ProbedKind::Flash),
            _ => None,
        });
        let model = text("device/model");
        Ok(Self { real, disk, kind, model, is_file, place: place(&meta) })
    }

    /// Returns the folder of the kernel's that tells of a disk, also for a part of it.
    fn folder(number: u64) -> Option<PathBuf> {
        let (major, minor) = (libc::major(number), libc::minor(number));
        let folder = Path::new("/sys/dev/block").join(format!("{major}:{minor}"));
        let folder = folder.canonicalize().ok()?;
        match folder.join("partition").exists() {
            true => folder.parent().map(Path::to_owned),
            false => Some(folder),
        }
    }

    /// Returns names by which the device may be confirmed: its path as given and as it is, and its name.
    #[must_use]
    pub fn names(&self, given: &Path) -> Vec<String> {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let path = |path: &Path| Some(path.to_string_lossy().into_owned());
        let all = [name(&self.real), name(given), path(given), path(&self.real)];
        all.into_iter().flatten().collect()
    }

    /// Returns how often others have written to the disk and how often anybody has read from it, since the machine
    /// started; none when the kernel does not say.
    #[must_use]
    pub fn counts(&self) -> Option<(u64, u64)> {
        let disk = self.disk.as_ref()?;
        let text =
            read_text(&Path::new("/sys/block").join(disk).join("stat"), TEXT_BYTES_MAX).ok()?;
        let mut words = text.split_whitespace().map(|word| word.parse::<u64>().ok());
        let reads = words.next()??;
        Some((words.nth(3)??, reads))
    }

    /// Opens it for reading alone, past the page cache where its file system allows that; says whether it does.
    ///
    /// # Errors
    /// [`LookError`].
    pub(super) fn open(&self) -> Result<(File, Bytes, bool), LookError> {
        let open = |flags: i32| {
            OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | flags).open(&self.real)
        };
        let (mut file, is_direct) = match open(libc::O_DIRECT) {
            Ok(file) => (file, true),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => (open(0)?, false),
            Err(error) => return Err(error.into()),
        };
        let meta = file.metadata()?;
        refuse(&meta)?;
        if place(&meta) != self.place {
            return Err(LookError::Changed);
        }
        let size = Bytes(file.seek(SeekFrom::End(0))?);
        let there = Bytes(meta.blocks().saturating_mul(512));
        if self.is_file && (there.0 as f64) < size.0 as f64 * THERE_MIN {
            return Err(LookError::Holes { there, size });
        }
        Ok((file, size, is_direct))
    }
}

/// Refuses what is neither a disk nor a file.
fn refuse(meta: &Metadata) -> Result<(), LookError> {
    match kind_of(meta) {
        _ if meta.file_type().is_block_device() => Ok(()),
        Some(kind) => Err(LookError::Kind(kind)),
        None => Ok(()),
    }
}

/// Returns by what a file is known, whatever its path is.
fn place(meta: &Metadata) -> (u64, u64, u64) {
    (meta.dev(), meta.ino(), meta.rdev())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::DeviceLook;

    #[test]
    fn what_is_no_disk_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let check = |path: &Path, expected: &str| {
            let error = DeviceLook::at(path).unwrap_err().to_string();
            assert!(error.contains(expected), "{}: {error}", path.display());
        };
        check(&at("pipe"), "it is a pipe, neither a disk nor a file");
        check(folder.path(), "it is a folder");
        check(Path::new("/dev/zero"), "it is a device, neither");
        check(&at("missing"), "No such file");
    }

    #[test]
    fn a_file_with_holes_is_on_no_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
        let look = DeviceLook::at(&path).unwrap();
        assert!(look.is_file);
        let error = look.open().unwrap_err().to_string();
        assert!(error.contains("of its 1 GiB are on a disk"), "{error}");
        fs::write(folder.path().join("other"), "another").unwrap();
        fs::rename(folder.path().join("other"), &path).unwrap();
        assert!(look.open().is_err());
    }
}

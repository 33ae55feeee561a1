//! What a disk holds: memory, on top of a file or of nothing.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::ptr::NonNull;

use super::{Contents, DiskSpec};
use crate::LabError;

#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the mapping is plain memory that lives as long as the process. Concurrent requests to the
// same bytes are the library's to order, as they are on a real disk; copies go through raw pointers.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(super) fn new(spec: &DiskSpec) -> Result<Self, LabError> {
        let failed = |error: std::io::Error| LabError::Disk {
            path: spec.path.clone(),
            reason: match error.raw_os_error() {
                Some(libc::ENOMEM) => format!(
                    "its {} find no room beside the other disks: a process has 128 TiB of addresses for all of \
                     them; give disks a smaller size, or scale the lab down (lab.scale)",
                    spec.size
                ),
                _ => error.to_string(),
            },
        };
        let size = usize::try_from(spec.size.0).unwrap_or(usize::MAX);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::MAP_PRIVATE | libc::MAP_NORESERVE;
        // SAFETY: a new mapping chosen by the kernel; the file, if any, is open for reading.
        let address = unsafe {
            match spec.contents {
                Contents::PrivateCopy | Contents::Durable => {
                    let file = File::open(&spec.path).map_err(failed)?;
                    libc::mmap(std::ptr::null_mut(), size, protection, base, file.as_raw_fd(), 0)
                }
                Contents::Empty => {
                    let flags = base | libc::MAP_ANONYMOUS;
                    libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0)
                }
            }
        };
        if address == libc::MAP_FAILED {
            return Err(failed(std::io::Error::last_os_error()));
        }
        let start = NonNull::new(address.cast::<u8>())
            .ok_or_else(|| failed(std::io::Error::last_os_error()))?;
        Ok(Self { start, size })
    }

    /// Returns the part of `size` bytes at `offset`, cut at the end of the disk.
    pub(super) fn part(&self, offset: u64, size: usize) -> Option<Part<'_>> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.size)?;
        Some(Part { mapping: self, offset, size: size.min(self.size - offset) })
    }
}

/// Bytes of a mapping, all of them inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    mapping: &'a Mapping,
    offset: usize,
    size: usize,
}

impl Part<'_> {
    pub(super) fn size(self) -> usize {
        self.size
    }

    /// Copies the part, or as much of it as fits, into `target`.
    pub(super) fn read(self, target: &mut [u8]) {
        let size = self.size.min(target.len());
        // SAFETY: `Mapping::part` checked that the bytes lie inside the mapping, and the target is
        // another place, since nobody has a reference into the mapping.
        unsafe { std::ptr::copy_nonoverlapping(self.start(), target.as_mut_ptr(), size) };
    }

    /// Copies `source`, or as much of it as fits, into the part.
    pub(super) fn write(self, source: &[u8]) {
        let size = self.size.min(source.len());
        // SAFETY: as above; the mapping is writable.
        unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), self.start(), size) };
    }

    fn start(self) -> *mut u8 {
        // SAFETY: `Mapping::part` checked that the offset is inside the mapping.
        unsafe { self.mapping.start.as_ptr().add(self.offset) }
    }
}

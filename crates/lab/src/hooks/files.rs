//! The library's disks: files whose contents live in memory and whose speed is a device model's.
//!
//! A vdev file that belongs to the lab is recognised by its path when the library opens it. From
//! then on reads and writes go to a private mapping (see [`crate::disks`]) and take as long as the
//! model says. Every other file is left to the system.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use arcwright_units::Nanos;
use libc::{off64_t, size_t, ssize_t};

use super::{Hook, vdev};
use crate::disks::{Disks, EmulatedDisk};
use crate::{LabError, protocol, schedule};

/// The most file descriptors looked at; the library opens one per disk.
const FDS_MAX: usize = 4096;

static DISKS: OnceLock<Disks> = OnceLock::new();
static DISK_OF_FD: [AtomicU8; FDS_MAX] = [const { AtomicU8::new(0) }; FDS_MAX];

/// The most disks: each has a number of eight bits, and zero stands for a file that is none.
const DISKS_MAX: usize = u8::MAX as usize;

/// Says which files are disks; they are recognised when the library opens them.
///
/// # Errors
/// [`LabError::Disks`] when there are more than have numbers.
pub(crate) fn attach(disks: Disks) -> Result<&'static Disks, LabError> {
    match disks.len() {
        count if count > DISKS_MAX => Err(LabError::Disks { count, max: DISKS_MAX }),
        _ => Ok(DISKS.get_or_init(|| disks)),
    }
}

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("open64", open64 as *const c_void),
        ("close", close as *const c_void),
        ("pread64", pread64 as *const c_void),
        ("pwrite64", pwrite64 as *const c_void),
        ("fsync", fsync as *const c_void),
        ("fallocate64", fallocate64 as *const c_void),
    ]
}

/// What stands in for files while a pool is built: writes reach the file and take time.
///
/// OpenZFS hands out blocks as earlier writes are done, and those that were waiting cut in line
/// (`zio_allocate_dispatch`, module/zfs/zio.c 2.1 and 2.3). Were writes done at once, all at the same
/// moment, files would lie on the disks backwards in groups, which no disk that takes its time does.
#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn BUILDING_HOOKS() -> Vec<Hook> {
    vec![
        ("pwrite64", pwrite64_building as *const c_void),
        ("fsync", fsync_building as *const c_void),
    ]
}

/// Nobody needs an image that is half made: it does not have to survive anything.
extern "C" fn fsync_building(_fd: c_int) -> c_int {
    0
}

/// When each file is done with what was written to it so far.
static BUSY_UNTIL: Mutex<BTreeMap<c_int, Nanos>> = Mutex::new(BTreeMap::new());
/// A write to a file of the pool being built takes so long, and so much per byte.
const BUILDING_WRITE: Nanos = Nanos::micros(50);
const BUILDING_NANOS_PER_BYTE: u64 = 5;

pub(crate) unsafe extern "C" fn pwrite64_building(
    fd: c_int,
    buffer: *const c_void,
    size: size_t,
    offset: off64_t,
) -> ssize_t {
    // SAFETY: the caller's arguments are handed on as they are.
    let written = unsafe { libc::pwrite64(fd, buffer, size, offset) };
    end_if_full(written, size);
    let done = {
        let mut busy = BUSY_UNTIL.lock().unwrap_or_else(PoisonError::into_inner);
        let until = busy.entry(fd).or_default();
        let span = BUILDING_WRITE + Nanos(size as u64 * BUILDING_NANOS_PER_BYTE);
        *until = schedule::now().max(*until) + span;
        *until
    };
    schedule::sleep_until(done);
    written
}

/// Ends the worker when a write found no room. OpenZFS would suspend the pool and wait for somebody to
/// help, for ever.
fn end_if_full(written: ssize_t, size: size_t) {
    let error = std::io::Error::last_os_error();
    let is_full = matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT));
    // What fits is written first, and the next write tells.
    let is_short = usize::try_from(written).is_ok_and(|written| written < size);
    if is_short || (written < 0 && is_full) {
        // SAFETY: ends the process at once; the image it leaves is thrown away.
        unsafe { libc::_exit(protocol::EXIT_FULL) }
    }
}

fn disk_of(fd: c_int) -> Option<&'static EmulatedDisk> {
    let number = DISK_OF_FD.get(usize::try_from(fd).ok()?)?.load(Ordering::Acquire);
    DISKS.get()?.get(usize::from(number).checked_sub(1)?)
}

fn remember(fd: c_int, number: u8) {
    let place = usize::try_from(fd).ok().and_then(|fd| DISK_OF_FD.get(fd));
    // What is not remembered is read as an ordinary file, which takes no time.
    assert!(place.is_some() || number == 0, "a disk has the descriptor {fd} of {FDS_MAX}");
    if let Some(place) = place {
        place.store(number, Ordering::Release);
    }
}

/// `open64` is variadic in C; on the platforms of the lab a third argument travels the same way.
pub(crate) unsafe extern "C" fn open64(
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: the caller's arguments are handed on; the path is NUL-terminated.
    let (fd, text) = unsafe { (libc::open64(path, flags, mode), CStr::from_ptr(path)) };
    let place = DISKS
        .get()
        .and_then(|disks| disks.iter().position(|disk| disk.path_bytes() == text.to_bytes()));
    #[expect(clippy::cast_possible_truncation, reason = "there are at most DISKS_MAX")]
    let number = place.map_or(0, |place| place as u8 + 1);
    remember(fd, number);
    if let Some(disk) = disk_of(fd) {
        vdev::opened(disk.is_rotational());
    }
    fd
}

pub(crate) unsafe extern "C" fn close(fd: c_int) -> c_int {
    remember(fd, 0);
    // SAFETY: the caller's own descriptor.
    unsafe { libc::close(fd) }
}

pub(crate) unsafe extern "C" fn pread64(
    fd: c_int,
    buffer: *mut c_void,
    size: size_t,
    offset: off64_t,
) -> ssize_t {
    let Some(disk) = disk_of(fd) else {
        // SAFETY: the caller's arguments are handed on as they are.
        return unsafe { libc::pread64(fd, buffer, size, offset) };
    };
    // SAFETY: the caller owns `size` bytes at `buffer`, as for the function replaced.
    let target = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), size) };
    let read = disk.read(u64::try_from(offset).unwrap_or(u64::MAX), target);
    ssize_t::try_from(read).unwrap_or(0)
}

pub(crate) unsafe extern "C" fn pwrite64(
    fd: c_int,
    buffer: *const c_void,
    size: size_t,
    offset: off64_t,
) -> ssize_t {
    if size == 0 {
        return 0;
    }
    let Some(disk) = disk_of(fd) else {
        // SAFETY: the caller's arguments are handed on as they are.
        return unsafe { libc::pwrite64(fd, buffer, size, offset) };
    };
    // SAFETY: the caller owns `size` bytes at `buffer`, as for the function replaced.
    let source = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), size) };
    let written = disk.write(u64::try_from(offset).unwrap_or(u64::MAX), source);
    ssize_t::try_from(written).unwrap_or(0)
}

unsafe extern "C" fn fsync(fd: c_int) -> c_int {
    match disk_of(fd) {
        Some(disk) => {
            disk.flush();
            0
        }
        // SAFETY: the caller's own descriptor.
        None => unsafe { libc::fsync(fd) },
    }
}

/// TRIM of a disk takes no time and leaves the contents; a real drive promises no more.
unsafe extern "C" fn fallocate64(fd: c_int, mode: c_int, offset: off64_t, size: off64_t) -> c_int {
    match disk_of(fd) {
        Some(_) => 0,
        // SAFETY: the caller's arguments are handed on as they are.
        None => unsafe { libc::fallocate64(fd, mode, offset, size) },
    }
}

//! The few calls to the operating system that the standard library does not offer, as safe functions.

#[cfg(feature = "worker")]
mod process;

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use arcwright_units::Bytes;

#[cfg(feature = "worker")]
pub(crate) use process::{begin_worker, die, exit, set_output_aside};

/// Returns how much room is left for this user where `folder` lies.
///
/// # Errors
/// Those of statvfs(3), and a path that holds a NUL.
pub(crate) fn free_in(folder: &Path) -> io::Result<Bytes> {
    let path = CString::new(folder.as_os_str().as_bytes()).map_err(io::Error::other)?;
    let mut stat = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: a NUL-terminated path and room for the result, which is read only on success.
    unsafe {
        if libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        let stat = stat.assume_init();
        Ok(Bytes(stat.f_bavail.saturating_mul(stat.f_frsize)))
    }
}

/// Returns the number of the user whom this process acts for.
pub(crate) fn user() -> u32 {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() }
}

/// Returns the processors that this process may use.
pub(crate) fn processors() -> Vec<usize> {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: room for the set, which is plain bits.
    let set = unsafe {
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()) != 0 {
            return Vec::new();
        }
        set.assume_init()
    };
    let most = 8 * size_of::<libc::cpu_set_t>();
    // SAFETY: within the set.
    (0..most).filter(|processor| unsafe { libc::CPU_ISSET(*processor, &set) }).collect()
}

/// Returns the processor that the calling thread is on.
pub(crate) fn processor() -> Option<usize> {
    // SAFETY: takes nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Lets the process that `command` starts use one processor only. Where the system refuses that, it uses any.
pub(crate) fn keep_to(command: &mut Command, processor: usize) {
    let keep = move || {
        // SAFETY: a set of plain bits, in which `processor` is known to have a place.
        unsafe {
            let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed().assume_init();
            libc::CPU_SET(processor, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
        }
        Ok(())
    };
    // SAFETY: runs in the child between fork and exec; it makes one system call and no allocation.
    unsafe { command.pre_exec(keep) };
}

/// Lets the memory of the process that `command` starts begin at the same addresses in every run:
/// OpenZFS hashes some of them.
///
/// Where the system refuses that, runs differ a little from each other, and nothing else.
pub(crate) fn fix_addresses(command: &mut Command) {
    let fix = || {
        // SAFETY: takes a number and touches no memory.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        Ok(())
    };
    // SAFETY: runs in the child between fork and exec; it makes one system call and no allocation.
    unsafe { command.pre_exec(fix) };
}

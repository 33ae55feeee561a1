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

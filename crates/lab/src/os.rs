//! The few calls to the operating system that the standard library does not offer, as safe functions.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::FromRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use arcwright_units::Bytes;

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

/// Lets sleeps of this process end on time, not 50 µs later, and the process with its parent; threads
/// made from now on inherit it.
pub(crate) fn begin_worker() {
    // SAFETY: these options take one number each and touch no memory.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Returns standard output for the caller alone; what others print there goes to standard error.
///
/// # Errors
/// Those of dup(2).
pub(crate) fn set_output_aside() -> io::Result<File> {
    // SAFETY: duplicates our own descriptors; the new one belongs to nobody else.
    unsafe {
        let copy = libc::dup(libc::STDOUT_FILENO);
        if copy < 0 || libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(copy))
    }
}

/// Ends the process at once, without unwinding or anything that is done at exit.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: _exit has no preconditions, and does not return.
    unsafe { libc::_exit(code) }
}

/// Kills this very process, as a loss of power ends a machine.
pub(crate) fn die() {
    // SAFETY: both take and return numbers.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

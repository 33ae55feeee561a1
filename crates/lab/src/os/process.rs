//! What a worker asks of the system for its own process.

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd as _;

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

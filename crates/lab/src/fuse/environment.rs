//! The files, processes and logs that the daemon finds.
//!
//! What it keeps below `/var/lib/zfs` lies in a folder of the run. It is alone on its machine: no other
//! daemon, no configuration file, no signal, no log, and nothing of the real machine is changed.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_long, c_void};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{mode_t, size_t, ssize_t};

use super::wire;
use crate::hooks::{Hook, files, machine};

/// Where the daemon keeps the list of its pools.
const STATE: &str = "/var/lib/zfs/";

static FOLDER: OnceLock<PathBuf> = OnceLock::new();
/// The descriptors from which it reads chance.
static RANDOM: [AtomicI32; 2] = [const { AtomicI32::new(-1) }; 2];

/// Says where the daemon's own files lie.
pub(super) fn set_folder(folder: &Path) {
    let _first = FOLDER.set(folder.to_path_buf());
}

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    let zero = zero as *const c_void;
    let mut hooks = vec![
        ("open", open as *const c_void),
        ("open64", open64 as *const c_void),
        ("fopen", no_file as *const c_void),
        ("fopen64", no_file as *const c_void),
        ("stat64", stat64 as *const c_void),
        ("rename", rename as *const c_void),
        ("unlink", unlink as *const c_void),
        ("remove", unlink as *const c_void),
        ("creat64", creat64 as *const c_void),
        ("read", read as *const c_void),
        ("write", write as *const c_void),
        ("close", close as *const c_void),
        ("socket", socket as *const c_void),
        ("accept", accept as *const c_void),
        ("recvfrom", recvfrom as *const c_void),
        ("recvmsg", minus_one as *const c_void),
        ("fork", minus_one as *const c_void),
        ("gethostid", host as *const c_void),
        ("getopt_long", getopt_long as *const c_void),
        ("exit", exit as *const c_void),
    ];
    let silenced = [
        "mkdir",
        "rmdir",
        "lockf64",
        "bind",
        "listen",
        "umask",
        "system",
        "sync",
        "ioctl",
        "sigaction",
        "signal",
        "sigrelse",
        "pthread_sigmask",
        "syslog",
        "vsyslog",
        "umount",
        "kill",
        "geteuid",
        "chdir",
    ];
    hooks.extend(silenced.map(|name| (name, zero)));
    hooks
}

extern "C" fn zero() -> c_long {
    0
}

extern "C" fn minus_one() -> c_long {
    -1
}

extern "C" fn host() -> c_long {
    1
}

extern "C" fn no_file() -> *mut c_void {
    std::ptr::null_mut()
}

/// Returns where a path leads: the daemon's own files to the folder of the run.
unsafe fn path_of(path: *const c_char) -> CString {
    // SAFETY: the caller passes a NUL-terminated path.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    let text = String::from_utf8_lossy(bytes);
    // It writes the root folder before absolute paths, and a dot.
    let plain = text.replace("/./", "/").replace("//", "/").replace("//", "/");
    let target = match (plain.strip_prefix(STATE), FOLDER.get()) {
        (Some(name), Some(folder)) => folder.join(name),
        _ => PathBuf::from(OsStr::from_bytes(plain.as_bytes())),
    };
    CString::new(target.into_os_string().into_vec()).unwrap_or_default()
}

fn is_own(path: &CStr) -> bool {
    let folder = FOLDER.get().map(|folder| folder.as_os_str().as_bytes()).unwrap_or_default();
    path.to_bytes().starts_with(folder)
}

unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller's arguments, with another path.
    unsafe { files::open64(path_of(path).as_ptr(), flags, mode) }
}

/// Sources of chance, and settings of the real machine, which are not to be touched.
unsafe extern "C" fn open(path: *const c_char, flags: c_int, _mode: mode_t) -> c_int {
    // SAFETY: the caller passes a NUL-terminated path.
    let text = unsafe { CStr::from_ptr(path) }.to_bytes();
    let place = match text {
        b"/dev/random" => RANDOM.first(),
        b"/dev/urandom" => RANDOM.get(1),
        _ => return -1,
    };
    // SAFETY: as above.
    let fd = unsafe { libc::open(path, flags) };
    if let Some(place) = place {
        place.store(fd, Ordering::Relaxed);
    }
    fd
}

unsafe extern "C" fn stat64(path: *const c_char, out: *mut libc::stat64) -> c_int {
    // SAFETY: the caller's arguments, with another path.
    unsafe { libc::stat64(path_of(path).as_ptr(), out) }
}

unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: the caller passes NUL-terminated paths.
    unsafe {
        let (from, to) = (path_of(from), path_of(to));
        if is_own(&from) && is_own(&to) { libc::rename(from.as_ptr(), to.as_ptr()) } else { 0 }
    }
}

unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    // SAFETY: the caller passes a NUL-terminated path.
    unsafe {
        let path = path_of(path);
        if is_own(&path) { libc::unlink(path.as_ptr()) } else { 0 }
    }
}

/// Called only for the file that keeps a second daemon out.
extern "C" fn creat64(_path: *const c_char, _mode: mode_t) -> c_int {
    // SAFETY: a NUL-terminated path.
    unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) }
}

unsafe extern "C" fn read(fd: c_int, target: *mut c_void, size: size_t) -> ssize_t {
    if fd >= 0 && RANDOM.iter().any(|random| random.load(Ordering::Relaxed) == fd) {
        // SAFETY: the caller owns `size` bytes at `target`.
        unsafe { machine::random_bytes(target.cast(), size) };
        return ssize_t::try_from(size).unwrap_or(0);
    }
    // SAFETY: the caller's arguments are handed on as they are.
    unsafe { libc::read(fd, target, size) }
}

unsafe extern "C" fn write(fd: c_int, source: *const c_void, size: size_t) -> ssize_t {
    // SAFETY: the caller's arguments are handed on as they are.
    unsafe {
        if wire::is_connection(fd) {
            wire::send(source, size)
        } else {
            libc::write(fd, source, size)
        }
    }
}

unsafe extern "C" fn close(fd: c_int) -> c_int {
    // SAFETY: the caller's own descriptor.
    unsafe { files::close(fd) }
}

extern "C" fn socket() -> c_int {
    wire::make_listener()
}

extern "C" fn accept() -> c_int {
    wire::accept()
}

unsafe extern "C" fn recvfrom(_fd: c_int, target: *mut c_void, size: size_t) -> ssize_t {
    // SAFETY: the caller owns `size` bytes at `target`; the daemon receives from its clients alone.
    unsafe { wire::receive(target, size) }
}

type GetoptLong = unsafe extern "C" fn(
    c_int,
    *const *mut c_char,
    *const c_char,
    *const c_void,
    *mut c_int,
) -> c_int;

/// The C library's own, and the daemon's copy of `optarg`, which the C library does not know.
unsafe extern "C" fn getopt_long(
    count: c_int,
    arguments: *const *mut c_char,
    short: *const c_char,
    long: *const c_void,
    index: *mut c_int,
) -> c_int {
    // SAFETY: the C library's own functions and variables under their own names.
    unsafe {
        let real = libc::dlsym(libc::RTLD_DEFAULT, c"getopt_long".as_ptr());
        let theirs = libc::dlsym(libc::RTLD_DEFAULT, c"optarg".as_ptr()).cast::<*mut c_char>();
        if real.is_null() || theirs.is_null() {
            return -1;
        }
        let real = std::mem::transmute::<*mut c_void, GetoptLong>(real);
        let answer = real(count, arguments, short, long, index);
        let ours = super::daemon::option_argument();
        if !ours.is_null() {
            ours.write(theirs.read());
        }
        answer
    }
}

/// The daemon gives up.
extern "C" fn exit(code: c_int) -> ! {
    let text = format!("zfs-fuse ended by itself with {code}\n");
    // SAFETY: writes to standard error and ends the process.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(3)
    }
}

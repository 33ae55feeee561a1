//! What the daemon finds in place of libfuse: mounts that nobody sees, requests answered into memory.
//!
//! The daemon hands libfuse a table of operations for each thing that it mounts (its datasets and its
//! statistics) and expects it to read requests from the kernel and to call them. Here the table is
//! kept, and the lab calls the operations itself ([`super::operations`]). Layouts are those of
//! libfuse 2.9, `fuse_lowlevel.h`.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::sync::{Mutex, PoisonError};

use libc::{off_t, size_t};

use crate::hooks::Hook;

/// `struct fuse_file_info`: flags, an old handle, two words of bits, the handle, the lock owner.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileInfo {
    flags: c_int,
    old_handle: c_ulong,
    writepage: c_int,
    bits: u32,
    handle: u64,
    lock_owner: u64,
}

/// `struct fuse_ctx`: who asks.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Context {
    user: u32,
    group: u32,
    process: i32,
    umask: u32,
}

impl FileInfo {
    /// Returns what a file is to be opened with.
    pub(super) fn with_flags(flags: c_int) -> Self {
        Self { flags, ..Self::default() }
    }
}

/// One request, whose address is the `fuse_req_t` that operations are called with.
#[derive(Debug, Default)]
pub(super) struct Request {
    user_data: usize,
    context: Context,
    /// The error number that came back, if any did.
    pub(super) error: c_int,
    /// The number of the file that was looked up or made.
    pub(super) inode: u64,
    /// What was opened.
    pub(super) file: FileInfo,
    /// Where data goes, and how much came.
    pub(super) target: Option<(*mut u8, usize)>,
    pub(super) size: usize,
    /// Names in a folder.
    pub(super) names: Vec<String>,
}

impl Request {
    /// Returns a request to what was mounted with `user_data`.
    pub(super) fn new(user_data: usize) -> Self {
        Self { user_data, ..Self::default() }
    }
}

/// Something that the daemon has mounted: its operations, and what they are to be called with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mount {
    pub(super) operations: usize,
    pub(super) user_data: usize,
}

static MOUNTS: Mutex<Vec<Mount>> = Mutex::new(Vec::new());

/// Returns what is mounted: the statistics have no user data, datasets have.
pub(super) fn mounted(is_dataset: bool) -> Option<Mount> {
    let mounts = MOUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    mounts.iter().find(|mount| (mount.user_data != 0) == is_dataset).copied()
}

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    let nothing = nothing as *const c_void;
    let something = something as *const c_void;
    vec![
        ("fuse_version", version as *const c_void),
        ("fuse_opt_add_arg", nothing),
        ("fuse_opt_free_args", nothing),
        ("fuse_mount", something),
        ("fuse_unmount", nothing),
        ("fuse_lowlevel_new", new_session as *const c_void),
        ("fuse_session_add_chan", nothing),
        ("fuse_session_remove_chan", nothing),
        ("fuse_session_destroy", nothing),
        ("fuse_session_reset", nothing),
        ("fuse_chan_fd", nothing),
        ("fuse_chan_bufsize", nothing),
        ("fuse_chan_session", something),
        ("fuse_req_userdata", user_data as *const c_void),
        ("fuse_req_ctx", context as *const c_void),
        ("fuse_req_getgroups", nothing),
        ("fuse_add_direntry", add_name as *const c_void),
        ("fuse_reply_err", reply_error as *const c_void),
        ("fuse_reply_entry", reply_entry as *const c_void),
        ("fuse_reply_create", reply_create as *const c_void),
        ("fuse_reply_open", reply_open as *const c_void),
        ("fuse_reply_buf", reply_data as *const c_void),
        ("fuse_reply_write", reply_size as *const c_void),
    ]
}

extern "C" fn nothing() -> c_int {
    0
}

/// An address that the daemon only hands back.
extern "C" fn something() -> *const c_void {
    (&raw const MOUNTS).cast()
}

extern "C" fn version() -> c_int {
    29
}

extern "C" fn new_session(
    _arguments: *mut c_void,
    operations: usize,
    _size: size_t,
    user_data: usize,
) -> *const c_void {
    let mut mounts = MOUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    mounts.push(Mount { operations, user_data });
    something()
}

/// Returns the request behind a `fuse_req_t`.
unsafe fn of<'a>(request: *mut Request) -> &'a mut Request {
    // SAFETY: operations are called with the address of a `Request` that outlives them, and answer in
    // the thread that called them.
    unsafe { &mut *request }
}

unsafe extern "C" fn user_data(request: *mut Request) -> usize {
    // SAFETY: as `of` says.
    unsafe { of(request).user_data }
}

unsafe extern "C" fn context(request: *mut Request) -> *const c_void {
    // SAFETY: as `of` says.
    unsafe { (&raw const of(request).context).cast() }
}

/// Bytes that a name is said to take.
const NAME_ROOM: size_t = 8;

/// Names are kept; the buffer that they would be written to needs no room.
unsafe extern "C" fn add_name(
    request: *mut Request,
    buffer: *mut c_char,
    _size: size_t,
    name: *const c_char,
    _stat: *const c_void,
    _offset: off_t,
) -> size_t {
    // Called twice for every name, first without a buffer to hear how much room it takes.
    if buffer.is_null() {
        return NAME_ROOM;
    }
    // SAFETY: as `of` says; the name is NUL-terminated.
    unsafe { of(request).names.push(CStr::from_ptr(name).to_string_lossy().into_owned()) };
    NAME_ROOM
}

unsafe extern "C" fn reply_error(request: *mut Request, error: c_int) -> c_int {
    // SAFETY: as `of` says.
    unsafe { of(request).error = error };
    0
}

/// `struct fuse_entry_param` begins with the file's number.
unsafe extern "C" fn reply_entry(request: *mut Request, entry: *const u64) -> c_int {
    // SAFETY: as `of` says; the caller passes an entry.
    unsafe { of(request).inode = entry.read() };
    0
}

unsafe extern "C" fn reply_create(
    request: *mut Request,
    entry: *const u64,
    file: *const FileInfo,
) -> c_int {
    // SAFETY: as `of` says; the caller passes an entry and what was opened.
    unsafe {
        of(request).inode = entry.read();
        of(request).file = file.read();
    }
    0
}

unsafe extern "C" fn reply_open(request: *mut Request, file: *const FileInfo) -> c_int {
    // SAFETY: as `of` says; the caller passes what was opened.
    unsafe { of(request).file = file.read() };
    0
}

unsafe extern "C" fn reply_data(request: *mut Request, data: *const u8, size: size_t) -> c_int {
    // SAFETY: as `of` says; the caller passes `size` bytes, and the target has its own size.
    unsafe {
        let request = of(request);
        if let Some((target, room)) = request.target {
            request.size = size.min(room);
            std::ptr::copy_nonoverlapping(data, target, request.size);
        }
    }
    0
}

unsafe extern "C" fn reply_size(request: *mut Request, size: size_t) -> c_int {
    // SAFETY: as `of` says.
    unsafe { of(request).size = size };
    0
}

//! The daemon's command socket, without a socket: bytes in memory, waits in the schedule.
//!
//! `zpool` and `zfs` talk to the daemon over a Unix socket; it asks back for their memory piece by piece
//! (`zfsfuse_socket.c`). Here the one who asks is a thread of the same process.
//!
//! ```text
//!   request ── IOCTL_REQ(command, address) ──>      daemon
//!           <── COPYIN_REQ(address, size) ────
//!           ── bytes ─────────────────────────>
//!           <── COPYOUT_REQ(address, size), bytes
//!           <── IOCTL_ANS(result) ────────────
//! ```

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libc::{size_t, ssize_t};

use crate::LabError;
use crate::schedule;

/// Bytes of the daemon's `zfsfuse_cmd_t`: kind, 16 bytes by kind, user, group.
const COMMAND: usize = 32;

/// Kinds of commands, in the daemon's order.
const IOCTL_REQ: i32 = 0;
const IOCTL_ANS: i32 = 1;
const COPYIN_REQ: i32 = 2;
const COPYOUT_REQ: i32 = 5;
const MOUNT_REQ: i32 = 6;

/// A connection: what travels each way.
struct Connection {
    to_daemon: VecDeque<u8>,
    from_daemon: VecDeque<u8>,
}

static STATE: Mutex<Connection> =
    Mutex::new(Connection { to_daemon: VecDeque::new(), from_daemon: VecDeque::new() });
/// Numbers of the descriptors that stand for the two sockets; real ones, so that nobody else gets them.
static LISTENER: AtomicI32 = AtomicI32::new(-1);
static CONNECTION: AtomicI32 = AtomicI32::new(-1);
static CALLING: AtomicBool = AtomicBool::new(false);
/// Addresses at which the two sides wait.
static DAEMON_WAITS: u8 = 0;
static CLIENT_WAITS: u8 = 1;

fn state() -> MutexGuard<'static, Connection> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wake(place: &'static u8) {
    while schedule::wake_first(std::ptr::from_ref(place) as usize).is_some() {}
}

fn wait(place: &'static u8) {
    schedule::wait_at(std::ptr::from_ref(place) as usize);
}

/// Returns the descriptor that stands for the listening socket.
pub(super) fn listener() -> c_int {
    LISTENER.load(Ordering::Relaxed)
}

/// Stands in for `socket`.
pub(super) fn make_listener() -> c_int {
    let fd = reserve();
    LISTENER.store(fd, Ordering::Relaxed);
    fd
}

/// Stands in for `accept`.
pub(super) fn accept() -> c_int {
    CALLING.store(false, Ordering::Relaxed);
    let fd = reserve();
    CONNECTION.store(fd, Ordering::Relaxed);
    fd
}

fn reserve() -> c_int {
    // SAFETY: a NUL-terminated path.
    unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) }
}

/// Stands in for `poll` of the command listener: waits until somebody calls or says something.
pub(super) fn poll(fds: &mut [libc::pollfd]) -> c_int {
    loop {
        let mut ready = 0;
        for entry in fds.iter_mut() {
            let is_ready = if entry.fd == listener() {
                CALLING.load(Ordering::Relaxed)
            } else {
                entry.fd == CONNECTION.load(Ordering::Relaxed) && !state().to_daemon.is_empty()
            };
            entry.revents = if is_ready { libc::POLLIN } else { 0 };
            ready += c_int::from(is_ready);
        }
        if ready > 0 {
            return ready;
        }
        wait(&DAEMON_WAITS);
    }
}

/// Returns whether `fd` is the daemon's end of the connection.
pub(super) fn is_connection(fd: c_int) -> bool {
    fd >= 0 && fd == CONNECTION.load(Ordering::Relaxed)
}

/// Stands in for `recvfrom` on the daemon's end.
pub(super) unsafe fn receive(target: *mut c_void, size: size_t) -> ssize_t {
    while state().to_daemon.is_empty() {
        wait(&DAEMON_WAITS);
    }
    let mut state = state();
    let count = size.min(state.to_daemon.len());
    let bytes: Vec<u8> = state.to_daemon.drain(..count).collect();
    // SAFETY: the caller owns `size` bytes at `target`, of which `count` are written.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.cast(), count) };
    ssize_t::try_from(count).unwrap_or(0)
}

/// Stands in for `write` on the daemon's end.
pub(super) unsafe fn send(source: *const c_void, size: size_t) -> ssize_t {
    // SAFETY: the caller owns `size` bytes at `source`.
    let bytes = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), size) };
    state().from_daemon.extend(bytes);
    wake(&CLIENT_WAITS);
    ssize_t::try_from(size).unwrap_or(0)
}

/// Carries out an ioctl of the daemon: `argument` is the `zfs_cmd_t` that it reads and writes.
///
/// # Errors
/// [`LabError::Zfs`] with the daemon's error number.
pub(super) fn ioctl(command: i32, argument: &mut [u8], what: &str) -> Result<(), LabError> {
    let address = argument.as_mut_ptr() as u64;
    request(IOCTL_REQ, u64::from(command.unsigned_abs()), address, &[]);
    loop {
        let (kind, first, second) = answer();
        match kind {
            COPYIN_REQ => {
                let size = usize::try_from(second).unwrap_or(0);
                // SAFETY: the daemon asks for what `argument` holds or points to, which is longer than
                // its own structure and stays alive during the call.
                let bytes = unsafe { std::slice::from_raw_parts(first as *const u8, size) };
                tell(bytes);
            }
            COPYOUT_REQ => {
                let bytes = hear(usize::try_from(second).unwrap_or(0));
                // SAFETY: as above; the place is inside `argument`.
                unsafe {
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), first as *mut u8, bytes.len());
                }
            }
            IOCTL_ANS => {
                let code =
                    i32::from_ne_bytes(first.to_ne_bytes()[..4].try_into().unwrap_or([0; 4]));
                return check(code, what);
            }
            _ => return check(libc::EPROTO, what),
        }
    }
}

/// Mounts a dataset, which makes the daemon serve its files.
///
/// # Errors
/// [`LabError::Zfs`] with the daemon's error number.
pub(super) fn mount(dataset: &str, folder: &str) -> Result<(), LabError> {
    let length = |text: &str| u64::try_from(text.len()).unwrap_or(0);
    let lengths = length(dataset) | length(folder) << 32;
    request(MOUNT_REQ, lengths, 0, &[dataset.as_bytes(), folder.as_bytes()].concat());
    let code = hear(size_of::<u32>());
    let code = i32::from_ne_bytes(code.try_into().unwrap_or([0; 4]));
    check(code, "mounting the dataset")
}

fn check(code: i32, what: &str) -> Result<(), LabError> {
    match code {
        0 => Ok(()),
        code => Err(LabError::Zfs { call: what.to_owned(), code }),
    }
}

/// Sends one command, calling first if nobody has called yet.
fn request(kind: i32, first: u64, second: u64, rest: &[u8]) {
    let mut bytes = Vec::with_capacity(COMMAND + rest.len());
    bytes.extend(i64::from(kind).to_ne_bytes());
    bytes.extend(first.to_ne_bytes());
    bytes.extend(second.to_ne_bytes());
    bytes.resize(COMMAND, 0);
    bytes.extend(rest);
    if CONNECTION.load(Ordering::Relaxed) < 0 {
        CALLING.store(true, Ordering::Relaxed);
    }
    tell(&bytes);
}

fn tell(bytes: &[u8]) {
    state().to_daemon.extend(bytes);
    wake(&DAEMON_WAITS);
}

fn hear(size: usize) -> Vec<u8> {
    while state().from_daemon.len() < size {
        wait(&CLIENT_WAITS);
    }
    state().from_daemon.drain(..size).collect()
}

fn answer() -> (i32, u64, u64) {
    let bytes = hear(COMMAND);
    let word = |place: usize| {
        let part = bytes.get(place..place + 8).unwrap_or_default();
        u64::from_ne_bytes(part.try_into().unwrap_or([0; 8]))
    };
    let kind = i32::try_from(word(0) & u64::from(u32::MAX)).unwrap_or(-1);
    (kind, word(8), word(16))
}

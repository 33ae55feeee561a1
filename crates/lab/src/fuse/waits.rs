//! What the daemon waits for beside locks and conditions: semaphores, pauses, its sockets.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use arcwright_units::Nanos;

use super::wire;
use crate::hooks::Hook;
use crate::schedule;

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("sem_init", sem_init as *const c_void),
        ("sem_post", sem_post as *const c_void),
        ("sem_wait", sem_wait as *const c_void),
        ("pthread_once", pthread_once as *const c_void),
        ("poll", poll as *const c_void),
        ("sleep", sleep as *const c_void),
        ("select", select as *const c_void),
    ]
}

static IDLE: AtomicBool = AtomicBool::new(false);

/// Returns whether the daemon's first thread waits for its end: everything is up.
pub(super) fn daemon_is_up() -> bool {
    IDLE.load(Ordering::Acquire)
}

/// The start of the memory of a `sem_t`, which has 32 bytes.
#[repr(C)]
struct Semaphore {
    count: u32,
    waiting: u32,
}

unsafe extern "C" fn sem_init(semaphore: *mut Semaphore, _shared: c_int, count: c_uint) -> c_int {
    // SAFETY: the caller passes memory of a sem_t.
    unsafe { semaphore.write(Semaphore { count, waiting: 0 }) };
    0
}

unsafe extern "C" fn sem_post(semaphore: *mut Semaphore) -> c_int {
    schedule::step();
    // SAFETY: as above; only the running thread looks at it, and the reference ends before any wait.
    let semaphore_ref = unsafe { &mut *semaphore };
    if semaphore_ref.waiting > 0 && schedule::wake_first(semaphore as usize).is_some() {
        semaphore_ref.waiting -= 1;
    } else {
        semaphore_ref.count += 1;
    }
    0
}

unsafe extern "C" fn sem_wait(semaphore: *mut Semaphore) -> c_int {
    schedule::step();
    // SAFETY: as above.
    let semaphore_ref = unsafe { &mut *semaphore };
    if semaphore_ref.count > 0 {
        semaphore_ref.count -= 1;
        return 0;
    }
    semaphore_ref.waiting += 1;
    if super::daemon::is_first_thread() {
        IDLE.store(true, Ordering::Release);
    }
    schedule::wait_at(semaphore as usize);
    0
}

/// What a `pthread_once_t` says; zero is how it starts.
const ONCE_BUSY: c_int = 1;
const ONCE_DONE: c_int = 2;

unsafe extern "C" fn pthread_once(control: *mut c_int, routine: extern "C" fn()) -> c_int {
    // SAFETY: the caller's own control word; only the running thread looks at it.
    unsafe {
        while control.read() == ONCE_BUSY {
            schedule::wait_at(control as usize);
        }
        if control.read() != ONCE_DONE {
            control.write(ONCE_BUSY);
            routine();
            control.write(ONCE_DONE);
            while schedule::wake_first(control as usize).is_some() {}
        }
    }
    0
}

/// Three kinds of calls: a pause, the listener for commands, and listeners for the kernel's requests,
/// to which nothing ever comes, since clients call the operations directly.
unsafe extern "C" fn poll(fds: *mut libc::pollfd, count: libc::nfds_t, timeout_ms: c_int) -> c_int {
    let span = Nanos::millis(u64::try_from(timeout_ms).unwrap_or(0));
    if fds.is_null() || count == 0 {
        schedule::sleep_until(schedule::now() + span);
        return 0;
    }
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller passes `count` entries.
    let fds = unsafe { std::slice::from_raw_parts_mut(fds, count) };
    if fds.first().is_some_and(|first| first.fd == wire::listener()) {
        return wire::poll(fds);
    }
    loop {
        schedule::wait_at((&raw const IDLE) as usize);
    }
}

extern "C" fn sleep(seconds: c_uint) -> c_uint {
    schedule::sleep_until(schedule::now() + Nanos::secs(u64::from(seconds)));
    0
}

/// Called only to pause, with a time.
unsafe extern "C" fn select(
    _count: c_int,
    _read: *mut c_void,
    _write: *mut c_void,
    _other: *mut c_void,
    span: *const libc::timeval,
) -> c_int {
    // SAFETY: the caller passes a valid time.
    let span = unsafe { span.read() };
    let seconds = Nanos::secs(u64::try_from(span.tv_sec).unwrap_or(0));
    let micros = Nanos::micros(u64::try_from(span.tv_usec).unwrap_or(0));
    schedule::sleep_until(schedule::now() + seconds + micros);
    0
}

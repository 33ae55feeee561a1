//! Threads of the library, which run one at a time when time goes by events.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

use libc::{pthread_attr_t, pthread_t};

use super::Hook;
use crate::schedule::{self, Kind, ThreadId};

/// How long a thread that has nothing better to do lets others go first.
const YIELD: arcwright_units::Nanos = arcwright_units::Nanos::micros(1);

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("pthread_create", pthread_create as *const c_void),
        ("pthread_exit", pthread_exit as *const c_void),
        ("pthread_join", pthread_join as *const c_void),
        ("sched_yield", sched_yield as *const c_void),
    ]
}

pub(crate) type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

/// What a new thread is handed.
struct Beginning {
    routine: Routine,
    argument: *mut c_void,
    id: ThreadId,
}

static THREADS: Mutex<BTreeMap<pthread_t, ThreadId>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// What the threads stand for that this one makes.
    static MAKES: Cell<Kind> = const { Cell::new(Kind::Processor) };
}

/// Makes threads of this kind, while `make` runs.
pub(crate) fn of_kind<T>(kind: Kind, make: impl FnOnce() -> T) -> T {
    let before = MAKES.replace(kind);
    let made = make();
    MAKES.set(before);
    made
}

unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    let id = schedule::announce(MAKES.get());
    let beginning = Box::into_raw(Box::new(Beginning { routine, argument, id }));
    // SAFETY: the caller's arguments; the box is taken over by `begin`. Thread numbers are written
    // before the new thread gets a turn, since this thread has the turn until it waits.
    unsafe {
        let code = libc::pthread_create(thread, attributes, begin, beginning.cast());
        if code == 0 {
            let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
            threads.insert(thread.read(), id);
        }
        code
    }
}

/// Starts a thread of the lab's own that runs `routine` in the schedule.
///
/// # Safety
/// `routine` must take `argument`.
pub(crate) unsafe fn start(routine: Routine, argument: *mut c_void) {
    let mut thread = std::mem::MaybeUninit::<pthread_t>::uninit();
    // SAFETY: room for the thread's number, and default attributes.
    unsafe { pthread_create(thread.as_mut_ptr(), std::ptr::null(), routine, argument) };
}

extern "C" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: made by `pthread_create` above, and handed to this thread alone.
    let beginning = unsafe { Box::from_raw(beginning.cast::<Beginning>()) };
    schedule::enter(beginning.id);
    (beginning.routine)(beginning.argument);
    over()
}

/// Ends the calling thread's part in the schedule.
///
/// Its system thread sleeps for ever: were it to end, when its stack is free for the next one would
/// depend on the machine, and with it addresses that OpenZFS hashes. The library makes a few dozen
/// threads and ends them together with the process.
fn over() -> ! {
    schedule::leave();
    loop {
        // Not `std::thread::park`: it takes memory for the thread's handle, beside the thread that
        // has the turn, and addresses would differ from run to run.
        // SAFETY: waits for a signal, and has no preconditions.
        unsafe { libc::pause() };
    }
}

/// Ends a thread as [`over`] says; unwinding, by which the C library ends one, must not pass through
/// Rust.
unsafe extern "C" fn pthread_exit(_value: *mut c_void) -> ! {
    over()
}

unsafe extern "C" fn pthread_join(thread: pthread_t, value: *mut *mut c_void) -> c_int {
    let id = THREADS.lock().unwrap_or_else(PoisonError::into_inner).get(&thread).copied();
    if let Some(id) = id {
        schedule::join(id);
    }
    if !value.is_null() {
        // SAFETY: not null, and valid as for the function replaced.
        unsafe { value.write(std::ptr::null_mut()) };
    }
    0
}

extern "C" fn sched_yield() -> c_int {
    schedule::sleep_until(schedule::now() + YIELD);
    0
}

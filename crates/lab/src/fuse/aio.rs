//! The daemon's asynchronous disk I/O, on the lab's disks.
//!
//! It submits requests to the kernel (`io_submit`) and one thread of each pool waits for the answers
//! (`io_getevents`), so that a reader never waits for somebody else's request. Here the kernel's part is
//! played by threads of the lab, each asleep for one request on an emulated disk, as for `libzpool`
//! (`hooks::machine`). Layouts are those of `linux/aio_abi.h`.
//!
//! The daemon's checksums cannot be told apart as those of `libzpool` can (`hooks::checksums`): they are charged
//! for every byte that goes to a disk or comes from one, to the daemon's thread that sends or takes it.

use std::collections::VecDeque;
use std::ffi::{c_int, c_long, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arcwright_units::Nanos;

use crate::hooks::{Hook, files, threads};
use crate::schedule;

/// As many as can be in flight on a dozen disks.
const THREADS: usize = 128;

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![("syscall", syscall as *const c_void)]
}

/// `struct iocb`.
#[repr(C)]
struct Iocb {
    data: u64,
    key: u64,
    opcode: u16,
    priority: i16,
    fd: u32,
    buffer: u64,
    size: u64,
    offset: i64,
}

const OPCODE_READ: u16 = 0;

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Event {
    data: u64,
    object: u64,
    result: i64,
    result2: i64,
}

/// An answer that the daemon has not taken yet.
struct Done {
    answer: Event,
    is_read: bool,
}

struct State {
    /// Addresses of requests nobody works on yet.
    waiting: VecDeque<u64>,
    done: VecDeque<Done>,
    building: bool,
}

static STATE: Mutex<State> =
    Mutex::new(State { waiting: VecDeque::new(), done: VecDeque::new(), building: false });
/// Addresses at which threads wait for work, and the daemon for answers.
static WORKERS_WAIT: u8 = 0;
static DAEMON_WAITS: u8 = 1;
/// What the daemon's library takes for the kernel's ring of answers; zeroes send it to the kernel.
static RING: [u64; 16] = [0; 16];

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address(place: &'static u8) -> usize {
    std::ptr::from_ref(place) as usize
}

/// Starts the threads; while a pool is built, requests go to the machine's own files.
pub(super) fn start(building: bool) {
    state().building = building;
    threads::of_kind(crate::schedule::Kind::Disk, || {
        for _ in 0..THREADS {
            // SAFETY: the routine takes no argument and never returns.
            unsafe { threads::start(work, std::ptr::null_mut()) };
        }
    });
}

/// Stands in for system calls made by number: those of asynchronous I/O; the others are handed on.
unsafe extern "C" fn syscall(
    number: c_long,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
) -> c_long {
    match number {
        libc::SYS_io_setup => {
            // SAFETY: the caller passes a place for the context.
            unsafe { (second as *mut usize).write(RING.as_ptr() as usize) };
            0
        }
        libc::SYS_io_destroy => 0,
        libc::SYS_io_submit => {
            // SAFETY: the caller passes an array of addresses of requests.
            let requests = unsafe { std::slice::from_raw_parts(third as *const u64, second) };
            for request in requests {
                // SAFETY: the daemon keeps a submitted request until it has the answer.
                let iocb = unsafe { &*(*request as *const Iocb) };
                if iocb.opcode != OPCODE_READ {
                    schedule::spend_on_checksum(iocb.size);
                }
                state().waiting.push_back(*request);
                let _woken = schedule::wake_first(address(&WORKERS_WAIT));
            }
            c_long::try_from(second).unwrap_or(0)
        }
        libc::SYS_io_getevents => {
            // SAFETY: the caller passes room for `third` events and a time.
            unsafe { take_events(third, fourth as *mut Event, fifth as *const libc::timespec) }
        }
        // SAFETY: handed on as it is.
        _ => unsafe { libc::syscall(number, first, second, third, fourth, fifth) },
    }
}

unsafe fn take_events(max: usize, target: *mut Event, timeout: *const libc::timespec) -> c_long {
    if state().done.is_empty() {
        // SAFETY: the caller passes a time.
        let span = unsafe { timeout.read() };
        let seconds = Nanos::secs(u64::try_from(span.tv_sec).unwrap_or(0));
        let span = seconds + Nanos(u64::try_from(span.tv_nsec).unwrap_or(0));
        schedule::enqueue(address(&DAEMON_WAITS));
        if schedule::wait_queued(Some(schedule::now() + span)) {
            return 0;
        }
    }
    let mut state = state();
    let count = max.min(state.done.len());
    for (place, event) in state.done.drain(..count).enumerate() {
        if event.is_read {
            schedule::spend_on_checksum(u64::try_from(event.answer.result).unwrap_or(0));
        }
        // SAFETY: there is room for `max` events.
        unsafe { target.add(place).write(event.answer) };
    }
    c_long::try_from(count).unwrap_or(0)
}

/// One thread of the kernel's part.
extern "C" fn work(_argument: *mut c_void) -> *mut c_void {
    loop {
        let next = state().waiting.pop_front();
        let Some(request) = next else {
            schedule::wait_at(address(&WORKERS_WAIT));
            continue;
        };
        // SAFETY: the daemon keeps a submitted request and its buffer until it has the answer.
        let event = unsafe { carry_out(request) };
        state().done.push_back(event);
        let _woken = schedule::wake_first(address(&DAEMON_WAITS));
    }
}

unsafe fn carry_out(request: u64) -> Done {
    // SAFETY: as the caller says.
    let result = unsafe {
        let iocb = &*(request as *const Iocb);
        let fd = c_int::try_from(iocb.fd).unwrap_or(-1);
        let size = usize::try_from(iocb.size).unwrap_or(0);
        let buffer = iocb.buffer as *mut c_void;
        let building = state().building;
        match iocb.opcode {
            OPCODE_READ => files::pread64(fd, buffer, size, iocb.offset),
            _ if building => files::pwrite64_building(fd, buffer, size, iocb.offset),
            _ => files::pwrite64(fd, buffer, size, iocb.offset),
        }
    };
    // SAFETY: as above.
    let Iocb { data, opcode, .. } = unsafe { &*(request as *const Iocb) };
    let answer = Event { data: *data, object: request, result: result as i64, result2: 0 };
    Done { answer, is_read: *opcode == OPCODE_READ }
}

//! Every clock that the library reads and every wait it makes, in virtual time.

use std::ffi::{c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use arcwright_units::Nanos;
use libc::{clockid_t, pthread_cond_t, pthread_mutex_t, time_t, timespec, timeval};

use super::{Hook, feed};
use crate::schedule::{self, Clock, EPOCH};

/// What reading the clock takes, when time goes by events.
const CLOCK_READ: Nanos = Nanos(25);

/// The wall clock at the start of virtual time: 2020-01-01, the same in every run.
const WALL_START: Nanos = Nanos::secs(1_577_836_800);

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    let timedwait = ("pthread_cond_timedwait", pthread_cond_timedwait as *const c_void);
    // By events, waiting is the business of `locks`.
    let timedwait = (!schedule::is_on()).then_some(timedwait);
    let clocks = [
        ("clock_gettime", clock_gettime as *const c_void),
        ("gettimeofday", gettimeofday as *const c_void),
        ("time", time as *const c_void),
        ("nanosleep", nanosleep as *const c_void),
        ("usleep", usleep as *const c_void),
        ("poll", poll as *const c_void),
    ];
    clocks.into_iter().chain(timedwait).collect()
}

/// Returns the virtual instant of a wall-clock time.
pub(super) fn instant_of(wall_time: timespec) -> Nanos {
    EPOCH + (nanos_of(wall_time) - WALL_START)
}

fn wall() -> Nanos {
    WALL_START + (Clock::get().now() - EPOCH)
}

fn timespec_of(span: Nanos) -> timespec {
    timespec {
        tv_sec: i64::try_from(span.0 / Nanos::SECOND.0).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(span.0 % Nanos::SECOND.0).unwrap_or(0),
    }
}

fn nanos_of(time: timespec) -> Nanos {
    let whole = u64::try_from(time.tv_sec).unwrap_or(0);
    Nanos::secs(whole) + Nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

unsafe extern "C" fn clock_gettime(clock: clockid_t, out: *mut timespec) -> c_int {
    if schedule::is_on() {
        // So that a loop which waits for time to pass ends.
        schedule::spend(CLOCK_READ);
    }
    let now = match clock {
        libc::CLOCK_MONOTONIC | libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_MONOTONIC_COARSE => {
            Clock::get().now()
        }
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE => wall(),
        // SAFETY: the caller's arguments are handed on as they are.
        _ => return unsafe { libc::clock_gettime(clock, out) },
    };
    // SAFETY: the caller passes a valid pointer, as for the function replaced.
    unsafe { out.write(timespec_of(now)) };
    0
}

unsafe extern "C" fn gettimeofday(out: *mut timeval, _zone: *mut c_void) -> c_int {
    let now = timespec_of(wall());
    // SAFETY: the caller passes a valid pointer, as for the function replaced.
    unsafe { out.write(timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1000 }) };
    0
}

unsafe extern "C" fn time(out: *mut time_t) -> time_t {
    let now = timespec_of(wall()).tv_sec;
    if !out.is_null() {
        // SAFETY: not null, and valid as for the function replaced.
        unsafe { out.write(now) };
    }
    now
}

/// Waits until a virtual wall-clock deadline, which is first turned into a real one.
unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    deadline: *const timespec,
) -> c_int {
    feed::sleeps_with_deadline();
    // SAFETY: the caller passes valid pointers, as for the function replaced.
    unsafe {
        let left = nanos_of(deadline.read()) - wall();
        let mut real_now = MaybeUninit::<timespec>::uninit();
        libc::clock_gettime(libc::CLOCK_REALTIME, real_now.as_mut_ptr());
        let wait = Clock::get().real(left);
        let wait = Nanos(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX / 4));
        let until = timespec_of(nanos_of(real_now.assume_init()) + wait);
        libc::pthread_cond_timedwait(condition, mutex, &raw const until)
    }
}

unsafe extern "C" fn nanosleep(span: *const timespec, _left: *mut timespec) -> c_int {
    // SAFETY: the caller passes a valid pointer, as for the function replaced.
    Clock::get().sleep(nanos_of(unsafe { span.read() }));
    0
}

unsafe extern "C" fn usleep(micros: c_uint) -> c_int {
    Clock::get().sleep(Nanos::micros(u64::from(micros)));
    0
}

/// The library calls `poll` only to wait: no descriptors, a time in milliseconds.
unsafe extern "C" fn poll(_fds: *mut c_void, _count: libc::nfds_t, timeout_ms: c_int) -> c_int {
    Clock::get().sleep(Nanos::millis(u64::try_from(timeout_ms).unwrap_or(0)));
    0
}

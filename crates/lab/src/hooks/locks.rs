//! Locks and conditions of the library when time goes by events.
//!
//! Since only one thread runs, a lock is a plain word in the memory of the C library's own lock,
//! and a thread that cannot have it waits in the schedule. The instants between which somebody had it last are kept with
//! it: a thread whose clock is between them gets the lock no earlier than at the second.
//!
//! All-zero memory is a free lock, as it is for the C library, so that locks initialised statically
//! need no call.

use std::ffi::{c_int, c_void};

use arcwright_units::Nanos;
use libc::timespec;

use super::{Hook, feed, time};
use crate::schedule::{self, ThreadId};

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("pthread_mutex_init", clear as *const c_void),
        ("pthread_mutex_destroy", forget as *const c_void),
        ("pthread_mutex_lock", lock_alone as *const c_void),
        ("pthread_mutex_trylock", try_lock_alone as *const c_void),
        ("pthread_mutex_unlock", unlock as *const c_void),
        ("pthread_rwlock_init", clear as *const c_void),
        ("pthread_rwlock_destroy", forget as *const c_void),
        ("pthread_rwlock_rdlock", read_lock as *const c_void),
        ("pthread_rwlock_wrlock", lock_alone as *const c_void),
        ("pthread_rwlock_tryrdlock", try_read_lock as *const c_void),
        ("pthread_rwlock_trywrlock", try_lock_alone as *const c_void),
        ("pthread_rwlock_unlock", unlock as *const c_void),
        ("pthread_cond_init", clear as *const c_void),
        ("pthread_cond_destroy", forget as *const c_void),
        ("pthread_cond_wait", condition_wait as *const c_void),
        ("pthread_cond_timedwait", condition_timedwait as *const c_void),
        ("pthread_cond_signal", condition_signal as *const c_void),
        ("pthread_cond_broadcast", condition_broadcast as *const c_void),
    ]
}

/// The start of the memory of a `pthread_mutex_t`, `pthread_rwlock_t` or `pthread_cond_t`, each of
/// which is longer (40, 56 and 48 bytes) and aligned to eight.
#[repr(C)]
#[derive(Debug, Default)]
struct Word {
    /// The thread that holds it alone, by its word; zero when nobody does.
    owner: u32,
    /// How many hold it together.
    readers: u32,
    /// How many wait for it.
    waiting: u32,
    /// How many of them want it alone.
    writers: u32,
    /// When it was last taken by one alone.
    taken_since: Nanos,
    /// When the last who held it alone let go of it.
    free_since: Nanos,
    /// When the last who held it with others let go of it.
    read_until: Nanos,
}

impl Word {
    /// Gives it to the calling thread alone, which may be behind those that had it before.
    ///
    /// One whose clock is behind the instant at which another one has taken it would have had it before that one.
    fn take(&mut self) {
        self.owner = schedule::me().word();
        if schedule::now() >= self.taken_since {
            schedule::not_before(self.free_since);
        }
        schedule::not_before(self.read_until);
        self.taken_since = self.taken_since.max(schedule::now());
    }

    /// Gives it to the calling thread alone, if nobody has it.
    fn try_take(&mut self) -> bool {
        let is_free = self.owner == 0 && self.readers == 0;
        if is_free {
            self.take();
        }
        is_free
    }

    /// Gives it to the calling thread together with others.
    fn share(&mut self) {
        self.readers += 1;
        if schedule::now() >= self.taken_since {
            schedule::not_before(self.free_since);
        }
    }

    /// Hands it to a thread that waits for it.
    fn hand_to(&mut self, next: ThreadId) {
        self.owner = next.word();
        self.taken_since = self.taken_since.max(schedule::now());
    }
}

/// Makes a lock free or a condition unwaited-for.
unsafe extern "C" fn clear(word: *mut Word, _attributes: *const c_void) -> c_int {
    // SAFETY: the caller passes memory of the size of the C library's type.
    unsafe { word.write(Word::default()) };
    0
}

unsafe extern "C" fn forget(_word: *mut Word) -> c_int {
    0
}

/// Returns the lock for one operation, whose time is spent here.
///
/// The reference must not live across a wait.
unsafe fn enter<'a>(word: *mut Word) -> &'a mut Word {
    schedule::step();
    // SAFETY: valid memory of a lock; only the running thread looks at it.
    unsafe { &mut *word }
}

unsafe extern "C" fn try_read_lock(word: *mut Word) -> c_int {
    // SAFETY: as `enter` asks.
    let lock = unsafe { enter(word) };
    if lock.owner != 0 {
        return libc::EBUSY;
    }
    lock.share();
    0
}

/// Readers go first, as with the C library's default: a thread may read-lock twice.
unsafe extern "C" fn read_lock(word: *mut Word) -> c_int {
    // SAFETY: as `enter` asks; the reference is not used after the wait.
    unsafe {
        if try_read_lock(word) != 0 {
            (*word).waiting += 1;
            schedule::wait_for_lock(word as usize, ThreadId::of_word((*word).owner), false);
        }
    }
    0
}

/// Tries to take a mutex, or a lock for writing.
unsafe extern "C" fn try_lock_alone(word: *mut Word) -> c_int {
    // SAFETY: as `enter` asks.
    let lock = unsafe { enter(word) };
    if lock.try_take() { 0 } else { libc::EBUSY }
}

/// Takes a lock alone, if nobody has it; says whether the calling thread has it, as one has to whom it was handed.
unsafe fn take_or(word: *mut Word, was_woken: bool) -> bool {
    // SAFETY: as `enter` asks.
    unsafe {
        if was_woken {
            (*word).owner == schedule::me().word() || (*word).try_take()
        } else {
            enter(word).try_take()
        }
    }
}

/// Takes a mutex, which nobody reads, or a lock for writing. Those who wait are in a queue of their own, at the address after the
/// readers'.
unsafe extern "C" fn lock_alone(word: *mut Word) -> c_int {
    // SAFETY: as `enter` asks; the reference is not used after the wait.
    unsafe {
        let mut insists = false;
        while !take_or(word, insists) {
            (*word).writers += 1;
            // Nobody knows which readers have it.
            let owner = ThreadId::of_word((*word).owner);
            schedule::wait_for_lock(word as usize + 1, owner, insists);
            insists = true;
        }
    }
    0
}

unsafe extern "C" fn unlock(word: *mut Word) -> c_int {
    // SAFETY: as `enter` asks.
    let lock = unsafe { enter(word) };
    if lock.owner != 0 {
        lock.owner = 0;
        lock.free_since = lock.free_since.max(schedule::now());
    } else {
        lock.readers = lock.readers.saturating_sub(1);
        lock.read_until = lock.read_until.max(schedule::now());
    }
    if lock.readers > 0 {
        return 0;
    }
    while lock.waiting > 0 && schedule::wake_first(word as usize).is_some() {
        lock.waiting -= 1;
        lock.readers += 1;
    }
    if lock.readers == 0
        && lock.writers > 0
        && let Some((next, has_it)) = schedule::wake_for_lock(word as usize + 1)
    {
        lock.writers -= 1;
        if has_it {
            lock.hand_to(next);
        }
    }
    0
}

unsafe extern "C" fn condition_wait(condition: *mut Word, mutex: *mut Word) -> c_int {
    // SAFETY: the caller's own condition and mutex.
    unsafe { wait(condition, mutex, None) };
    0
}

unsafe extern "C" fn condition_timedwait(
    condition: *mut Word,
    mutex: *mut Word,
    deadline: *const timespec,
) -> c_int {
    feed::sleeps_with_deadline();
    // SAFETY: the caller's own condition, mutex and deadline.
    let timed_out = unsafe { wait(condition, mutex, Some(time::instant_of(deadline.read()))) };
    if timed_out { libc::ETIMEDOUT } else { 0 }
}

unsafe fn wait(condition: *mut Word, mutex: *mut Word, deadline: Option<Nanos>) -> bool {
    // SAFETY: as `enter` asks; the reference is not used after the wait.
    unsafe {
        enter(condition).waiting += 1;
        schedule::enqueue(condition as usize);
        unlock(mutex);
        let timed_out = schedule::wait_queued(deadline);
        if timed_out {
            (*condition).waiting -= 1;
        }
        lock_alone(mutex);
        timed_out
    }
}

unsafe extern "C" fn condition_signal(condition: *mut Word) -> c_int {
    // SAFETY: as `enter` asks.
    let lock = unsafe { enter(condition) };
    if lock.waiting > 0 && schedule::wake_first(condition as usize).is_some() {
        lock.waiting -= 1;
    }
    0
}

unsafe extern "C" fn condition_broadcast(condition: *mut Word) -> c_int {
    // SAFETY: as `enter` asks.
    let lock = unsafe { enter(condition) };
    while lock.waiting > 0 && schedule::wake_first(condition as usize).is_some() {
        lock.waiting -= 1;
    }
    0
}

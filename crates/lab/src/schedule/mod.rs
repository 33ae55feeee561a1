//! Virtual time by events: one thread of the library at a time, waits that take no real time.
//!
//! Every thread of the process that runs library code is known here. Exactly one of them runs; when
//! it has to wait (for a lock, a condition, a disk, the clock), the next one is chosen: the one
//! that became ready first in virtual time. When nobody is ready, time jumps to the next event: a
//! timer, or a disk that finishes a request. What a thread *does* costs virtual time by a table
//! (see [`arcwright_scenario::Processor`]), not by the clock of the machine that this runs on.
//!
//! So a run is the same, to the byte and to the nanosecond, at every load of the machine, and
//! takes no longer than the library's own work. docs/decisions/0003-time-by-events.md weighs it
//! against running in real time, which remains as `[lab] clock = "real"`.
//!
//! ```text
//!   ready threads  (time, order) ─┐
//!   timers         (time, order) ─┼─> the earliest ──> its thread runs on the core that is free
//!   disks          (next event)  ─┘                    first, until it waits
//! ```
//!
//! Invariant: the thread that runs is the only one that touches the library or this state.

mod state;
mod thread;

use std::cell::Cell;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arcwright_scenario::Costs;
use arcwright_units::Nanos;

use crate::disk::EmulatedDisk;
use state::State;

pub(crate) use thread::ThreadId;

static ON: AtomicBool = AtomicBool::new(false);
static STEP_NANOS: AtomicU64 = AtomicU64::new(0);
/// How long a thread goes on while another one is ready: as long as it takes that one to start.
static PATIENCE_NANOS: AtomicU64 = AtomicU64::new(0);
/// When the first of the others could be at work on a core.
static FIRST_START: AtomicU64 = AtomicU64::new(u64::MAX);
static STATE: Mutex<State> = Mutex::new(State::new());

thread_local! {
    static ME: Cell<Option<ThreadId>> = const { Cell::new(None) };
    static NOW: Cell<Nanos> = const { Cell::new(Nanos::ZERO) };
}

/// Begins virtual time at `epoch` with the calling thread as the one that runs.
pub(crate) fn start(epoch: Nanos, cores: u32, costs: Costs) {
    let mut state = lock();
    let me = state.begin(epoch, cores, costs);
    ME.set(Some(me));
    NOW.set(epoch);
    STEP_NANOS.store(costs.step.0, Ordering::Relaxed);
    PATIENCE_NANOS.store(costs.switch.0, Ordering::Relaxed);
    ON.store(true, Ordering::Release);
}

/// Returns whether time goes by events.
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Acquire)
}

/// Lets the disks' events drive time from now on.
pub(crate) fn attach(disks: &'static [EmulatedDisk]) {
    lock().attach(disks);
}

/// Returns the virtual time of the calling thread.
pub(crate) fn now() -> Nanos {
    NOW.get()
}

/// Returns the calling thread.
pub(crate) fn me() -> ThreadId {
    ME.get().unwrap_or(ThreadId::MAIN)
}

/// Lets the calling thread's work take `span`.
pub(crate) fn spend(span: Nanos) {
    NOW.set(NOW.get() + span);
}

/// Lets the calling thread's work take the time of one lock operation.
///
/// Somebody who became ready well before that goes first: on a machine with several cores it would
/// be at work already, and might have taken what this thread is about to touch.
pub(crate) fn step() {
    spend(Nanos(STEP_NANOS.load(Ordering::Relaxed)));
    if now().0
        > FIRST_START.load(Ordering::Relaxed).saturating_add(PATIENCE_NANOS.load(Ordering::Relaxed))
    {
        pace();
    }
}

/// Brings the calling thread's clock to at least `instant`, when what it uses was not free before.
pub(crate) fn not_before(instant: Nanos) {
    NOW.set(NOW.get().max(instant));
}

/// Lets the calling thread spend the time that the checksum of `bytes` takes.
pub(crate) fn spend_on_checksum(bytes: usize) {
    if is_on() {
        let costs = lock().costs;
        spend(costs.checksum(bytes as u64));
    }
}

/// Lets the calling thread spend the time that copying `bytes` takes.
pub(crate) fn spend_on_copy(bytes: usize) {
    if is_on() {
        let costs = lock().costs;
        spend(costs.copy(bytes as u64));
    }
}

/// Lets the calling thread spend the time that a client's call takes, which copies `bytes`, and
/// lets those run who became ready meanwhile.
pub(crate) fn spend_on_call(bytes: usize) {
    if is_on() {
        let costs = lock().costs;
        spend(costs.call + costs.copy(bytes as u64));
        pace();
    }
}

/// Announces a new thread, ready now; it must call [`enter`] first of all.
pub(crate) fn announce() -> ThreadId {
    lock().announce(now())
}

/// Waits, as the new thread `id`, until it is its turn for the first time.
pub(crate) fn enter(id: ThreadId) {
    ME.set(Some(id));
    let turn = lock().turn_of(id);
    NOW.set(turn.wait());
}

/// Ends the calling thread; it must not touch the library afterwards.
pub(crate) fn leave() {
    let mut state = lock();
    state.end(me(), now());
    state.free_core(me(), now());
    let next = state.next();
    drop(state);
    match next {
        Some(next) => next.give(),
        None => stuck(),
    }
}

/// Waits until thread `id` has ended.
pub(crate) fn join(id: ThreadId) {
    loop {
        let mut state = lock();
        if state.has_ended(id) {
            return;
        }
        state.wait_for_end(id, me());
        wait(state);
    }
}

/// Waits in the queue at `address` until another thread takes this one out of it.
pub(crate) fn wait_at(address: usize) {
    let mut state = lock();
    state.enqueue(address, me());
    wait(state);
}

/// Waits in the queue at `address` for a lock that `owner` holds: without leaving the core while the
/// owner is at work, as locks of the kernel do (optimistic spinning, kernel/locking/mutex.c).
pub(crate) fn wait_for_lock(address: usize, owner: ThreadId) {
    let mut state = lock();
    state.enqueue(address, me());
    if state.is_at_work(owner) {
        state.spin(me(), now());
        hand_on(state);
    } else {
        wait(state);
    }
}

/// Puts the calling thread into the queue at `address`, to be waited for by [`wait_queued`].
pub(crate) fn enqueue(address: usize) {
    lock().enqueue(address, me());
}

/// Waits after [`enqueue`], at most until `deadline`; returns whether that came first.
pub(crate) fn wait_queued(deadline: Option<Nanos>) -> bool {
    let mut state = lock();
    if let Some(deadline) = deadline {
        state.set_timer(me(), deadline.max(now()));
    }
    wait(state);
    lock().was_timed_out(me())
}

/// Takes the first thread out of the queue at `address` and makes it ready.
pub(crate) fn wake_first(address: usize) -> Option<ThreadId> {
    let mut state = lock();
    let first = state.dequeue(address)?;
    state.make_ready(first, now());
    Some(first)
}

/// Waits until `instant`.
pub(crate) fn sleep_until(instant: Nanos) {
    let mut state = lock();
    state.set_timer(me(), instant.max(now()));
    wait(state);
}

/// Makes a thread ready at `at`.
pub(crate) fn make_ready(id: ThreadId, at: Nanos) {
    lock().make_ready(id, at);
}

/// Lets those run who became ready before now, if there are any.
fn pace() {
    let mut state = lock();
    if state.has_earlier(now()) {
        state.stay(me(), now());
        hand_on(state);
    }
}

/// Tells when disk `number` has its next event.
pub(crate) fn disk_event(number: usize, next: Option<Nanos>) {
    lock().disk_event(number, next);
}

/// Waits until a disk makes the calling thread ready.
pub(crate) fn wait_for_disk() {
    wait(lock());
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the core, hands on the turn and waits for the next one.
fn wait(mut state: MutexGuard<'static, State>) {
    state.free_core(me(), now());
    hand_on(state);
}

/// Hands on the turn and waits for the next one.
fn hand_on(mut state: MutexGuard<'static, State>) {
    let me = me();
    let turn = state.turn_of(me);
    let Some(next) = state.next() else {
        drop(state);
        stuck();
    };
    if next.is(me) {
        NOW.set(next.at());
        return;
    }
    drop(state);
    next.give();
    NOW.set(turn.wait());
}

/// Ends the process: every thread waits for another one.
fn stuck() -> ! {
    let _told = std::io::stderr()
        .write_all(b"every thread of OpenZFS waits for another one: a defect of the lab\n");
    std::process::abort()
}

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
//!   devices        (next event)  ─┘                    first, until it waits
//! ```
//!
//! Invariant: the thread that runs is the only one that touches the library or this state.
//!
//! This file is the one scheduler of a worker process, as hooks and clients call it. What it does is in
//! [`scheduler`] (turns handed from thread to thread) and [`state`] (who is next); where device
//! events come from is a port, [`EventSource`], so that neither knows of disks.

mod clock;
mod devices;
mod scheduler;
mod state;
mod thread;

#[cfg(test)]
mod tests;

use arcwright_scenario::Costs;
use arcwright_units::Nanos;

use scheduler::Scheduler;

pub(crate) use clock::{Clock, EPOCH};
pub(crate) use devices::EventSource;
pub(crate) use thread::{Kind, ThreadId};

static SCHEDULER: Scheduler<'static> = Scheduler::new();

/// Begins virtual time at `epoch` with the calling thread as the one that runs.
pub(crate) fn start(epoch: Nanos, cores: u32, costs: Costs) {
    SCHEDULER.start(epoch, cores, costs);
}

/// Returns whether time goes by events.
pub(crate) fn is_on() -> bool {
    SCHEDULER.is_on()
}

/// Lets the events of `devices` drive time from now on.
pub(crate) fn attach(devices: &'static dyn EventSource) {
    SCHEDULER.attach(devices);
}

/// Returns the virtual time of the calling thread.
pub(crate) fn now() -> Nanos {
    scheduler::now()
}

/// Returns the calling thread.
pub(crate) fn me() -> ThreadId {
    scheduler::me()
}

/// Lets the calling thread's work take `span`.
pub(crate) fn spend(span: Nanos) {
    scheduler::spend(span);
}

/// Lets the calling thread's work take the time of one lock operation.
///
/// Somebody who became ready well before that goes first: on a machine with several cores it would
/// be at work already, and might have taken what this thread is about to touch.
pub(crate) fn step() {
    SCHEDULER.step();
}

/// Advances the calling thread's clock to at least `instant`, when what it uses was not free before.
pub(crate) fn not_before(instant: Nanos) {
    scheduler::not_before(instant);
}

/// Lets the calling thread spend the time that the checksum of `bytes` takes.
pub(crate) fn spend_on_checksum(bytes: u64) {
    if is_on() {
        spend(SCHEDULER.costs().checksum(bytes));
    }
}

/// Lets the calling thread spend the time that encrypting or decrypting `bytes` takes.
pub(crate) fn spend_on_cipher(bytes: usize) {
    if is_on() {
        spend(SCHEDULER.costs().cipher(bytes as u64));
    }
}

/// Lets the calling thread spend the time that copying `bytes` takes.
pub(crate) fn spend_on_copy(bytes: usize) {
    if is_on() {
        spend(SCHEDULER.costs().copy(bytes as u64));
    }
}

/// Lets the calling thread spend the time that a client's call takes, which copies `bytes`, and leave its
/// core to those who became ready meanwhile and find none, as a kernel lets those who were woken go before a
/// program that has computed for a while.
pub(crate) fn spend_on_call(bytes: usize) {
    if is_on() {
        let costs = SCHEDULER.costs();
        spend(costs.call + costs.copy(bytes as u64));
        SCHEDULER.give_way();
    }
}

/// Announces a new thread, ready now; it must call [`enter`] first of all.
pub(crate) fn announce(kind: Kind) -> ThreadId {
    SCHEDULER.announce(kind)
}

/// Waits, as the new thread `id`, until it is its turn for the first time.
pub(crate) fn enter(id: ThreadId) {
    SCHEDULER.enter(id);
}

/// Ends the calling thread; it must not touch the library afterwards.
pub(crate) fn leave() {
    SCHEDULER.leave();
}

/// Waits until thread `id` has ended.
pub(crate) fn join(id: ThreadId) {
    SCHEDULER.join(id);
}

/// Waits in the queue at `address` until another thread takes this one out of it.
pub(crate) fn wait_at(address: usize) {
    SCHEDULER.wait_at(address);
}

/// Waits in the queue at `address` for a lock that `owner` holds: without leaving the core while the
/// owner is at work, as locks of the kernel do (optimistic spinning, kernel/locking/mutex.c). One that `insists` was
/// woken for it before and came too late: it is first in the queue.
pub(crate) fn wait_for_lock(address: usize, owner: ThreadId, insists: bool) {
    SCHEDULER.wait_for_lock(address, owner, insists);
}

/// Makes ready who comes next for a lock at `address` that is let go, and says whether it has the lock with that: one
/// that waits on its core has, and one that insists. Another one is woken and finds whether the lock is still free: whoever is
/// at work may take it before.
///
/// Were it given to a thread that sleeps, nobody could have it for the time that waking takes, and a lock that
/// many threads want would be handed from sleeper to sleeper (a convoy).
pub(crate) fn wake_for_lock(address: usize) -> Option<(ThreadId, bool)> {
    SCHEDULER.wake_for_lock(address)
}

/// Puts the calling thread into the queue at `address`, to be waited for by [`wait_queued`].
pub(crate) fn enqueue(address: usize) {
    SCHEDULER.enqueue(address);
}

/// Waits after [`enqueue`], at most until `deadline`; returns whether that came first.
pub(crate) fn wait_queued(deadline: Option<Nanos>) -> bool {
    SCHEDULER.wait_queued(deadline)
}

/// Takes the first thread out of the queue at `address` and makes it ready.
pub(crate) fn wake_first(address: usize) -> Option<ThreadId> {
    SCHEDULER.wake_first(address)
}

/// Waits until `instant`.
pub(crate) fn sleep_until(instant: Nanos) {
    SCHEDULER.sleep_until(instant);
}

/// Makes a thread ready at `at`.
pub(crate) fn make_ready(id: ThreadId, at: Nanos) {
    SCHEDULER.make_ready(id, at);
}

/// Tells that device `number` may have its next event at another time than before.
pub(crate) fn device_changed(number: usize) {
    SCHEDULER.device_changed(number);
}

/// Waits until a device makes the calling thread ready.
pub(crate) fn wait_for_device() {
    SCHEDULER.wait_for_device();
}

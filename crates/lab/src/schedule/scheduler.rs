//! Hands the turn from thread to thread.
//!
//! Whoever has the turn calls; the others sleep in [`RunToken::wait`]. A call that waits chooses the next
//! thread ([`State::next`]), gives it the turn together with the time at which it begins, and sleeps.

use std::cell::Cell;
use std::io::Write as _;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arcwright_scenario::Costs;
use arcwright_units::Nanos;

use super::devices::EventSource;
use super::state::State;
use super::thread::{Kind, ThreadId};

thread_local! {
    static ME: Cell<Option<ThreadId>> = const { Cell::new(None) };
    static NOW: Cell<Nanos> = const { Cell::new(Nanos::ZERO) };
    static KIND: Cell<Kind> = const { Cell::new(Kind::Processor) };
}

/// Returns the virtual time of the calling thread.
pub(super) fn now() -> Nanos {
    NOW.get()
}

/// Returns the calling thread.
pub(super) fn me() -> ThreadId {
    ME.get().unwrap_or(ThreadId::MAIN)
}

/// Lets the calling thread's work take `span`; a disk's takes no time.
pub(super) fn spend(span: Nanos) {
    if KIND.get() != Kind::Disk {
        NOW.set(NOW.get() + span);
    }
}

/// Advances the calling thread's clock to at least `instant`.
pub(super) fn not_before(instant: Nanos) {
    NOW.set(NOW.get().max(instant));
}

/// The threads of one library; a thread belongs to one scheduler.
pub(super) struct Scheduler<'a> {
    on: AtomicBool,
    step_ns: AtomicU64,
    /// Until when a thread may go on before others have their turn; a copy of the state's own, for
    /// [`Scheduler::step`], which OpenZFS calls too often to lock anything.
    limit_ns: AtomicU64,
    state: Mutex<State<'a>>,
}

impl<'a> Scheduler<'a> {
    pub(super) const fn new() -> Self {
        Self {
            on: AtomicBool::new(false),
            step_ns: AtomicU64::new(0),
            limit_ns: AtomicU64::new(u64::MAX),
            state: Mutex::new(State::new()),
        }
    }

    /// As [`super::start`].
    pub(super) fn start(&self, epoch: Nanos, cores: u32, costs: Costs) {
        let mut state = self.lock();
        let me = state.begin(epoch, cores, costs);
        ME.set(Some(me));
        NOW.set(epoch);
        self.step_ns.store(costs.step.0, Ordering::Relaxed);
        self.on.store(true, Ordering::Release);
    }

    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    pub(super) fn attach(&self, devices: &'a dyn EventSource) {
        self.lock().attach(devices);
    }

    pub(super) fn costs(&self) -> Costs {
        self.lock().costs
    }

    /// As [`super::step`].
    pub(super) fn step(&self) {
        spend(Nanos(self.step_ns.load(Ordering::Relaxed)));
        if now().0 > self.limit_ns.load(Ordering::Relaxed) {
            self.pace();
        }
    }

    /// Lets those run who became ready before now, if there are any: on this core, when they go before this thread and find
    /// no other.
    pub(super) fn pace(&self) {
        let mut state = self.lock();
        if state.claimed_since(KIND.get()) < now() && KIND.get() != Kind::Disk {
            state.give_way(me(), now());
            hand_on(state);
        } else if state.has_earlier(now()) {
            state.stay(me(), now());
            hand_on(state);
        }
    }

    /// As [`super::give_way`].
    pub(super) fn give_way(&self) {
        self.pace();
        let mut state = self.lock();
        if KIND.get() != Kind::Disk && state.is_core_wanted(now()) {
            state.give_way(me(), now());
            hand_on(state);
        }
    }

    /// As [`super::announce`].
    pub(super) fn announce(&self, kind: Kind) -> ThreadId {
        self.lock().announce(kind, now())
    }

    /// As [`super::enter`].
    pub(super) fn enter(&self, id: ThreadId) {
        ME.set(Some(id));
        let state = self.lock();
        KIND.set(state.kind(id));
        let turn = state.turn_of(id);
        drop(state);
        NOW.set(turn.wait());
    }

    /// As [`super::leave`].
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        state.end(me(), now());
        state.free_core(me(), now());
        let next = state.next();
        drop(state);
        match next {
            Some(next) => next.give(),
            None => stuck(),
        }
    }

    /// As [`super::join`].
    pub(super) fn join(&self, id: ThreadId) {
        loop {
            let mut state = self.lock();
            if state.has_ended(id) {
                return;
            }
            state.wait_for_end(id, me());
            wait(state);
        }
    }

    #[cfg(test)]
    pub(super) fn has_ended(&self, id: ThreadId) -> bool {
        self.lock().has_ended(id)
    }

    /// As [`super::wait_at`].
    pub(super) fn wait_at(&self, address: usize) {
        let mut state = self.lock();
        state.enqueue(address, me());
        wait(state);
    }

    /// As [`super::wait_for_lock`].
    pub(super) fn wait_for_lock(&self, address: usize, owner: ThreadId, insists: bool) {
        let mut state = self.lock();
        state.enqueue_for_lock(address, me(), insists);
        if state.is_at_work(owner) && KIND.get() != Kind::Disk {
            state.spin(me(), now());
            hand_on(state);
        } else {
            wait(state);
        }
    }

    /// As [`super::enqueue`].
    pub(super) fn enqueue(&self, address: usize) {
        self.lock().enqueue(address, me());
    }

    /// As [`super::wait_queued`].
    pub(super) fn wait_queued(&self, deadline: Option<Nanos>) -> bool {
        let mut state = self.lock();
        if state.was_woken_early(me()) {
            state.make_ready(me(), now());
        } else if let Some(deadline) = deadline {
            state.set_timer(me(), deadline.max(now()));
        }
        wait(state);
        self.lock().was_timed_out(me())
    }

    /// As [`super::wake_first`].
    pub(super) fn wake_first(&self, address: usize) -> Option<ThreadId> {
        let mut state = self.lock();
        let first = state.dequeue(address)?;
        state.make_ready(first, now());
        Some(first)
    }

    /// As [`super::wake_for_lock`].
    pub(super) fn wake_for_lock(&self, address: usize) -> Option<(ThreadId, bool)> {
        let mut state = self.lock();
        let next = state.dequeue_for_lock(address)?;
        state.make_ready(next.0, now());
        Some(next)
    }

    /// As [`super::sleep_until`].
    pub(super) fn sleep_until(&self, instant: Nanos) {
        let mut state = self.lock();
        state.set_timer(me(), instant.max(now()));
        wait(state);
    }

    /// As [`super::make_ready`].
    pub(super) fn make_ready(&self, id: ThreadId, at: Nanos) {
        self.lock().make_ready(id, at);
    }

    /// As [`super::device_changed`].
    pub(super) fn device_changed(&self, number: usize) {
        self.lock().device_changed(number);
    }

    /// As [`super::wait_for_device`].
    pub(super) fn wait_for_device(&self) {
        wait(self.lock());
    }

    fn lock(&self) -> Locked<'_, 'a> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { state, limit_ns: &self.limit_ns }
    }
}

/// The state, locked; when it is let go, [`Scheduler::step`] learns how far a thread may go.
struct Locked<'b, 'a> {
    state: MutexGuard<'b, State<'a>>,
    limit_ns: &'b AtomicU64,
}

impl<'a> Deref for Locked<'_, 'a> {
    type Target = State<'a>;

    fn deref(&self) -> &State<'a> {
        &self.state
    }
}

impl<'a> DerefMut for Locked<'_, 'a> {
    fn deref_mut(&mut self) -> &mut State<'a> {
        &mut self.state
    }
}

impl Drop for Locked<'_, '_> {
    fn drop(&mut self) {
        self.limit_ns.store(self.state.limit().0, Ordering::Relaxed);
    }
}

/// Leaves the core, hands on the turn and waits for the next one.
fn wait(mut state: Locked<'_, '_>) {
    state.free_core(me(), now());
    hand_on(state);
}

/// Hands on the turn and waits for the next one.
fn hand_on(mut state: Locked<'_, '_>) {
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

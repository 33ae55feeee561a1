//! Who is ready when, who waits where, and which core is free.

mod cores;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;

use arcwright_scenario::Costs;
use arcwright_units::Nanos;

use super::devices::{Devices, EventSource};
use super::thread::{Kind, Presence, RunToken, Thread, ThreadId, WaitEnd};

/// Threads in order of time, then of entry.
type Waiting = BinaryHeap<Reverse<(Nanos, u64, ThreadId)>>;

/// How many steps a thread may be ahead of those at work on other cores. Fewer take longer, as each turn is handed from one
/// thread of the machine to another: with four, eight readers of one file take twice as long and come to within 1 % of the same.
pub(super) const LEAD_STEPS: u64 = 16;

/// The schedule.
pub(super) struct State<'a> {
    threads: Vec<Thread>,
    /// Threads that want a core, by the rank of their kind.
    ready: [Waiting; Kind::ON_CORES],
    /// Those that stay on their core although another one has the turn, and threads of disks, which need none.
    running: Waiting,
    /// Those that wait for a lock on their core.
    spinning: VecDeque<ThreadId>,
    timers: BinaryHeap<Reverse<(Nanos, u64, ThreadId, u32)>>,
    queues: BTreeMap<usize, VecDeque<ThreadId>>,
    /// When each core became free; never, while it is taken.
    cores: Vec<Nanos>,
    core: usize,
    /// What has the turn.
    at_turn: Kind,
    order: u64,
    devices: Devices<'a>,
    woken: Vec<(ThreadId, Nanos)>,
    pub(super) costs: Costs,
}

/// Whose turn it is next.
pub(super) struct Next {
    id: ThreadId,
    at: Nanos,
    turn: Arc<RunToken>,
}

impl Next {
    pub(super) fn is(&self, id: ThreadId) -> bool {
        self.id == id
    }

    pub(super) fn at(&self) -> Nanos {
        self.at
    }

    pub(super) fn give(&self) {
        self.turn.give(self.at);
    }
}

impl<'a> State<'a> {
    pub(super) const fn new() -> Self {
        Self {
            threads: Vec::new(),
            ready: [const { BinaryHeap::new() }; Kind::ON_CORES],
            running: BinaryHeap::new(),
            spinning: VecDeque::new(),
            timers: BinaryHeap::new(),
            queues: BTreeMap::new(),
            cores: Vec::new(),
            core: 0,
            at_turn: Kind::Processor,
            order: 0,
            devices: Devices::none(),
            woken: Vec::new(),
            costs: Costs {
                switch: Nanos::ZERO,
                step: Nanos::ZERO,
                checksum_ns_per_byte: 0.0,
                cipher_ns_per_byte: 0.0,
                copy_ns_per_byte: 0.0,
                call: Nanos::ZERO,
            },
        }
    }

    /// Starts with one thread, which runs.
    pub(super) fn begin(&mut self, epoch: Nanos, cores: u32, costs: Costs) -> ThreadId {
        self.cores = vec![epoch; cores.max(1) as usize];
        if let Some(first) = self.cores.first_mut() {
            *first = Nanos::MAX;
        }
        self.costs = costs;
        let first = self.add_thread(Kind::Processor);
        if let Some(thread) = self.thread(first) {
            (thread.core, thread.presence) = (0, Presence::OnCore);
        }
        first
    }

    pub(super) fn attach(&mut self, devices: &'a dyn EventSource) {
        self.devices = Devices::of(devices);
    }

    fn add_thread(&mut self, kind: Kind) -> ThreadId {
        let id = ThreadId(u32::try_from(self.threads.len()).unwrap_or(u32::MAX));
        self.threads.push(Thread::new(kind));
        id
    }

    /// Adds a thread that is ready at `now`.
    pub(super) fn announce(&mut self, kind: Kind, now: Nanos) -> ThreadId {
        let id = self.add_thread(kind);
        self.make_ready(id, now);
        id
    }

    pub(super) fn turn_of(&self, id: ThreadId) -> Arc<RunToken> {
        self.threads.get(id.index()).map_or_else(RunToken::new, |thread| Arc::clone(&thread.turn))
    }

    fn thread(&mut self, id: ThreadId) -> Option<&mut Thread> {
        self.threads.get_mut(id.index())
    }

    /// Returns what a thread stands for.
    pub(super) fn kind(&self, id: ThreadId) -> Kind {
        self.threads.get(id.index()).map_or_else(|| Kind::Processor, |thread| thread.kind)
    }

    /// Lets a thread that waits go on at `at`, and no earlier than it began to wait: whoever wakes it may be
    /// behind.
    ///
    /// One that stays on its core has its turn ahead of it already, and not waited yet: it goes on when
    /// it would begin to wait. A second place among those that are ready would give it two turns.
    pub(super) fn make_ready(&mut self, id: ThreadId, at: Nanos) {
        let order = self.next_order();
        let Some(thread) = self.thread(id) else { return };
        if thread.presence == Presence::Stays {
            thread.wait_end = WaitEnd::WokenEarly;
            return;
        }
        thread.wait = thread.wait.wrapping_add(1);
        let at = at.max(thread.since);
        let spun = std::mem::take(&mut thread.spins);
        let needs_none = thread.kind == Kind::Disk;
        if spun {
            self.spinning.retain(|other| *other != id);
        }
        if spun || needs_none {
            self.running.push(Reverse((at, order, id)));
        } else {
            self.want_core(at, order, id);
        }
    }

    fn want_core(&mut self, at: Nanos, order: u64, id: ThreadId) {
        let rank = self.kind(id).rank();
        if let Some(ready) = self.ready.get_mut(rank) {
            ready.push(Reverse((at, order, id)));
        }
    }

    /// Returns when the first of those that do not have the turn could be at work.
    fn others_start(&self) -> Nanos {
        let (_, start) = self.first_start();
        start.min(first(&self.running))
    }

    /// Returns until when whoever has the turn may go on before somebody else has it: a few steps beyond those that are
    /// at work on other cores or disks, and as long beyond those that become ready as it takes to start them.
    ///
    /// All of it is time in which it meets what others have not done yet. A switch ahead of those at work, which it was
    /// until 2026-11-29, made of threads that share a lock nearly one: whoever was behind got each lock at the instant
    /// at which the one ahead had let it go.
    pub(super) fn limit(&mut self) -> Nanos {
        self.drop_stale_timers();
        let (_, start) = self.first_start();
        let timer = self.timers.peek().map_or(Nanos::MAX, |Reverse(entry)| entry.0);
        let (_, event) = self.devices.first();
        let (called, at_work) = (start.min(timer), first(&self.running).min(event));
        let (lead, switch) = (self.costs.step.0 * LEAD_STEPS, self.costs.switch.0);
        let claimed = self.claimed_since(self.at_turn);
        Nanos(called.0.saturating_add(switch).min(at_work.0.saturating_add(lead)).min(claimed.0))
    }

    fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    pub(super) fn end(&mut self, id: ThreadId, now: Nanos) {
        let Some(thread) = self.thread(id) else { return };
        thread.ended = true;
        for joiner in std::mem::take(&mut thread.joiners) {
            self.make_ready(joiner, now);
        }
    }

    pub(super) fn has_ended(&self, id: ThreadId) -> bool {
        self.threads.get(id.index()).is_none_or(|thread| thread.ended)
    }

    pub(super) fn wait_for_end(&mut self, id: ThreadId, joiner: ThreadId) {
        if let Some(thread) = self.thread(id) {
            thread.joiners.push(joiner);
        }
    }

    pub(super) fn enqueue(&mut self, address: usize, id: ThreadId) {
        self.queues.entry(address).or_default().push_back(id);
        if let Some(thread) = self.thread(id) {
            thread.queue = Some(address);
            thread.wait_end = WaitEnd::Woken;
        }
    }

    pub(super) fn dequeue(&mut self, address: usize) -> Option<ThreadId> {
        let queue = self.queues.get_mut(&address)?;
        let first = queue.pop_front();
        if queue.is_empty() {
            self.queues.remove(&address);
        }
        if let Some(thread) = first.and_then(|id| self.thread(id)) {
            thread.queue = None;
        }
        first
    }

    /// Takes out of the queue at `address` who comes next for a lock that is let go, and says whether it has the lock with that: as
    /// [`super::wake_for_lock`].
    pub(super) fn dequeue_for_lock(&mut self, address: usize) -> Option<(ThreadId, bool)> {
        let threads = &self.threads;
        let thread_of = |id: &ThreadId| threads.get(id.index());
        let queue = self.queues.get_mut(&address)?;
        let spins = |id: &ThreadId| thread_of(id).is_some_and(|thread| thread.spins);
        let place = queue.iter().position(spins).unwrap_or_default();
        let id = queue.remove(place)?;
        if queue.is_empty() {
            self.queues.remove(&address);
        }
        let thread = self.thread(id)?;
        thread.queue = None;
        Some((id, thread.spins || thread.insists))
    }

    /// Puts a thread into the queue at `address` for a lock; in front, when it was woken for it before and came too late.
    pub(super) fn enqueue_for_lock(&mut self, address: usize, id: ThreadId, insists: bool) {
        self.enqueue(address, id);
        if let Some(queue) = self.queues.get_mut(&address).filter(|_| insists) {
            queue.rotate_right(1);
        }
        if let Some(thread) = self.thread(id) {
            thread.insists = insists;
        }
    }

    pub(super) fn set_timer(&mut self, id: ThreadId, deadline: Nanos) {
        let order = self.next_order();
        if let Some(thread) = self.thread(id) {
            thread.wait_end = WaitEnd::Woken;
            let wait = thread.wait;
            self.timers.push(Reverse((deadline, order, id, wait)));
        }
    }

    /// Returns whether the last wait of `id` ended at its deadline.
    pub(super) fn was_timed_out(&self, id: ThreadId) -> bool {
        let thread = self.threads.get(id.index());
        thread.is_some_and(|thread| thread.wait_end == WaitEnd::TimedOut)
    }

    /// Returns whether somebody has woken `id` before it began to wait.
    pub(super) fn was_woken_early(&self, id: ThreadId) -> bool {
        let thread = self.threads.get(id.index());
        thread.is_some_and(|thread| thread.wait_end == WaitEnd::WokenEarly)
    }

    pub(super) fn device_changed(&mut self, number: usize) {
        self.devices.ask(number);
    }

    /// Returns whether anything happens before `now`.
    pub(super) fn has_earlier(&mut self, now: Nanos) -> bool {
        self.drop_stale_timers();
        let timer = self.timers.peek().is_some_and(|Reverse(entry)| entry.0 < now);
        let (_, event) = self.devices.first();
        self.others_start() < now || timer || event < now
    }

    fn drop_stale_timers(&mut self) {
        while let Some(Reverse((_, _, id, wait))) = self.timers.peek().copied() {
            if self.threads.get(id.index()).is_some_and(|thread| thread.wait == wait) {
                return;
            }
            self.timers.pop();
        }
    }

    /// Chooses who runs next, moving time on when nobody can run. None when nothing can ever happen
    /// again.
    pub(super) fn next(&mut self) -> Option<Next> {
        loop {
            self.drop_stale_timers();
            if self.make_room() {
                continue;
            }
            let (core, start) = self.first_start();
            let staying = first(&self.running);
            let horizon = start.min(staying);
            let timer = self.timers.peek().map(|Reverse(entry)| entry.0);
            let (device, event) = self.devices.first();
            if event < Nanos::MAX && event <= horizon && timer.is_none_or(|timer| event <= timer) {
                self.advance_device(device, event);
            } else if timer.is_some_and(|timer| timer <= horizon) {
                self.fire_timer();
            } else if staying <= start {
                let Reverse((at, _, id)) = self.running.pop()?;
                let thread = self.thread(id)?;
                thread.presence = Presence::OnCore;
                (self.core, self.at_turn) = (thread.core, thread.kind);
                return Some(Next { id, at, turn: self.turn_of(id) });
            } else {
                // Of those that could start now, whoever goes before the others.
                let next = self.ready.iter_mut().find(|ready| first(ready) <= start)?;
                let Reverse((_, _, id)) = next.pop()?;
                self.core = core;
                if let Some(core) = self.cores.get_mut(core) {
                    *core = Nanos::MAX;
                }
                // One that gave way has work to do; it is not woken.
                let switch = self.costs.switch;
                self.at_turn = self.kind(id);
                let thread = self.thread(id)?;
                thread.presence = Presence::OnCore;
                let switch =
                    if std::mem::take(&mut thread.gave_way) { Nanos::ZERO } else { switch };
                return Some(Next { id, at: start + switch, turn: self.turn_of(id) });
            }
        }
    }

    fn advance_device(&mut self, number: usize, event: Nanos) {
        let mut woken = std::mem::take(&mut self.woken);
        self.devices.advance(number, event, &mut woken);
        for (id, at) in woken.drain(..) {
            self.make_ready(id, at);
        }
        self.woken = woken;
    }

    fn fire_timer(&mut self) {
        let Some(Reverse((at, _, id, _))) = self.timers.pop() else { return };
        let Some(thread) = self.thread(id) else { return };
        thread.wait_end = WaitEnd::TimedOut;
        if let Some(address) = thread.queue.take()
            && let Some(queue) = self.queues.get_mut(&address)
        {
            queue.retain(|waiting| *waiting != id);
        }
        self.make_ready(id, at);
    }
}

/// Returns the time of the first of `threads`; never, when there is none.
fn first(threads: &Waiting) -> Nanos {
    threads.peek().map_or(Nanos::MAX, |Reverse(entry)| entry.0)
}

impl std::fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

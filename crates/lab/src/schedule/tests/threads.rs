//! Real threads that carry out a program under the scheduler.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use arcwright_units::Nanos;

use super::program::{DEVICES, End, LOCKS, Op, Program, QUEUES, ROUND, STEPS_LOCKED, Seen};
use crate::schedule::scheduler::{self, Scheduler};
use crate::schedule::{EventSource, ThreadId};

/// Requests that a device has not finished yet: when it will have, and for whom.
type Pending = Vec<(Nanos, ThreadId)>;

/// Devices that finish one request after the other.
#[derive(Default)]
struct Fifos([Mutex<Pending>; DEVICES]);

impl Fifos {
    fn ask(&self, number: usize, now: Nanos, span: u64, thread: ThreadId) {
        let mut pending = lock(&self.0[number]);
        let free = pending.last().map_or(now, |(done, _)| now.max(*done));
        pending.push((free + Nanos(span), thread));
    }
}

impl EventSource for Fifos {
    fn count(&self) -> usize {
        DEVICES
    }

    fn next_event(&self, number: usize) -> Option<Nanos> {
        lock(&self.0[number]).first().map(|(done, _)| *done)
    }

    fn advance(&self, number: usize, instant: Nanos, ready: &mut Vec<(ThreadId, Nanos)>) {
        assert_eq!(self.next_event(number), Some(instant), "a device is advanced to its event");
        lock(&self.0[number]).retain(|(done, thread)| {
            if *done <= instant {
                ready.push((*thread, *done));
            }
            *done > instant
        });
    }
}

/// A lock as `hooks::locks` has them.
#[derive(Default)]
struct Word {
    owner: Option<ThreadId>,
    free_since: Nanos,
}

struct Shared<'a> {
    scheduler: Scheduler<'a>,
    devices: &'a Fifos,
    locks: [Mutex<Word>; LOCKS],
    seen: Mutex<Vec<Seen>>,
    /// How many threads are between two calls of the scheduler: never more than one.
    at_work: AtomicUsize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `program` and returns what its threads did, in their order.
pub(super) fn run(program: &Program) -> Vec<Seen> {
    let devices = Fifos::default();
    let world = Shared {
        scheduler: Scheduler::new(),
        devices: &devices,
        locks: Default::default(),
        seen: Mutex::default(),
        at_work: AtomicUsize::new(1),
    };
    world.scheduler.start(Nanos::ZERO, program.rules.cores, program.rules.costs());
    world.scheduler.attach(&devices);
    thread::scope(|scope| {
        let (first, others) = program.threads.split_first().unwrap();
        let mut own = first.iter().enumerate();
        for (index, ops) in (1..).zip(others) {
            let id = world.scheduler.announce(program.kind(index));
            assert_eq!(id.index(), index);
            let world = &world;
            scope.spawn(move || {
                world.scheduler.enter(id);
                assert_eq!(world.at_work.fetch_add(1, Ordering::SeqCst), 0, "two at work");
                ops.iter().enumerate().for_each(|(place, op)| world.perform(place, *op));
                world.pause();
                world.scheduler.leave();
            });
            own.by_ref().take(1).for_each(|(place, op)| world.perform(place, *op));
        }
        own.for_each(|(place, op)| world.perform(place, *op));
        let all = 1..program.threads.len();
        while !all.clone().all(|index| world.scheduler.has_ended(id(index))) {
            (0..QUEUES).for_each(|queue| while world.scheduler.wake_first(queue).is_some() {});
            world.outside(|| world.scheduler.sleep_until(scheduler::now() + Nanos(ROUND)));
        }
    });
    world.seen.into_inner().unwrap()
}

fn id(index: usize) -> ThreadId {
    ThreadId(u32::try_from(index).unwrap())
}

impl Shared<'_> {
    fn pause(&self) {
        assert_eq!(self.at_work.fetch_sub(1, Ordering::SeqCst), 1, "two at work");
    }

    /// Makes a call that may let other threads work.
    fn outside<T>(&self, call: impl FnOnce() -> T) -> T {
        self.pause();
        let result = call();
        assert_eq!(self.at_work.fetch_add(1, Ordering::SeqCst), 0, "two at work");
        result
    }

    fn step(&self) {
        self.outside(|| self.scheduler.step());
    }

    fn perform(&self, place: usize, op: Op) {
        let scheduler = &self.scheduler;
        let end = match op {
            Op::Spend(span) => {
                scheduler::spend(Nanos(span));
                End::Done
            }
            Op::Steps(count) => {
                (0..count).for_each(|_| self.step());
                End::Done
            }
            Op::Sleep(span) => {
                self.outside(|| scheduler.sleep_until(scheduler::now() + Nanos(span)));
                End::Done
            }
            Op::Wait(queue, patience) => {
                scheduler.enqueue(queue);
                self.wait(patience)
            }
            Op::JoinThenWait(queue, patience) => {
                scheduler.enqueue(queue);
                self.step();
                self.wait(patience)
            }
            Op::Wake(queue) => End::Woke(scheduler.wake_first(queue).map(ThreadId::index)),
            Op::Broadcast(queue) => {
                while scheduler.wake_first(queue).is_some() {}
                End::Done
            }
            Op::Critical(number, span) => {
                self.lock(number);
                scheduler::spend(Nanos(span));
                self.unlock(number);
                End::Done
            }
            Op::SleepLocked(number, span) => {
                self.lock(number);
                (0..STEPS_LOCKED).for_each(|_| self.step());
                self.outside(|| scheduler.sleep_until(scheduler::now() + Nanos(span)));
                self.unlock(number);
                End::Done
            }
            Op::AllLocks(span) => {
                (0..LOCKS).for_each(|number| self.lock(number));
                scheduler::spend(Nanos(span));
                (0..LOCKS).for_each(|number| self.unlock(number));
                End::Done
            }
            Op::Request(device, span) => {
                self.devices.ask(device, scheduler::now(), span, scheduler::me());
                scheduler.device_changed(device);
                self.outside(|| scheduler.wait_for_device());
                End::Done
            }
            Op::Join(before) => {
                if let Some(other) = scheduler::me().index().checked_sub(before)
                    && other > 0
                {
                    self.outside(|| scheduler.join(id(other)));
                }
                End::Done
            }
            Op::GiveWay => {
                self.outside(|| scheduler.give_way());
                End::Done
            }
        };
        let (thread, now) = (scheduler::me().index(), scheduler::now().0);
        lock(&self.seen).push(Seen { thread, place, now, end });
    }

    fn wait(&self, patience: Option<u64>) -> End {
        let deadline = patience.map(|span| scheduler::now() + Nanos(span));
        let timed_out = self.outside(|| self.scheduler.wait_queued(deadline));
        if timed_out { End::TimedOut } else { End::Done }
    }

    fn lock(&self, number: usize) {
        self.step();
        let mut insists = false;
        while let Some(owner) = self.other_owner(number) {
            self.outside(|| self.scheduler.wait_for_lock(QUEUES + number, owner, insists));
            insists = true;
        }
        assert_eq!(lock(&self.locks[number]).owner, Some(scheduler::me()));
    }

    /// Takes a lock that nobody has; returns who else has it.
    fn other_owner(&self, number: usize) -> Option<ThreadId> {
        let mut word = lock(&self.locks[number]);
        if word.owner.is_none() {
            word.owner = Some(scheduler::me());
            scheduler::not_before(word.free_since);
        }
        word.owner.filter(|owner| *owner != scheduler::me())
    }

    fn unlock(&self, number: usize) {
        self.step();
        let next = self.scheduler.wake_for_lock(QUEUES + number);
        let owner = next.and_then(|(next, has_it)| has_it.then_some(next));
        *lock(&self.locks[number]) = Word { owner, free_since: scheduler::now() };
    }
}

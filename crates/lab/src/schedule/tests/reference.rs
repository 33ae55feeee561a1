//! The order in which a program must run, worked out with plain lists.
//!
//! Nothing here is quick, and nothing is left to be recognised later: whoever is woken leaves every
//! list at once. Of equal instants the one that was put into its list first comes first.

mod parts;

use super::program::{DEVICES, End, LOCKS, Program, QUEUES, ROUND, Seen};
use crate::schedule::state::LEAD_STEPS;

type Time = u64;
type Id = usize;

/// The smallest parts of operations: each may end with somebody else's turn.
#[derive(Debug, Clone, Copy)]
enum Part {
    Enqueue(usize),
    Acquire(usize),
    Release(usize),
    Step,
    GiveWay,
    LeaveCore,
    Spend(u64),
    Sleep(u64),
    Wait(Option<u64>),
    Wake(usize),
    WakeAll(usize),
    Request(usize, u64),
    Join(Id),
    Spawn(Id),
    /// The operation at this place is done.
    Done(usize),
    /// Thread 0 looks whether the others have ended.
    UntilEnded,
}

#[derive(Debug, Default)]
struct Thread {
    parts: Vec<Part>,
    next: usize,
    now: Time,
    end: Option<End>,
    has_ended: bool,
    /// It has a core, at work or waiting there for a lock.
    has_core: bool,
    core: usize,
    /// It stands for a request at a disk: needs no core, and takes no time.
    is_disk: bool,
    /// When it began to wait.
    since: Time,
    /// It waits on its core for a lock.
    spins: bool,
    /// It was woken for the lock that it waits for, and came too late.
    insists: bool,
    /// It has left its core to somebody else, with work left to do.
    gave_way: bool,
    /// It stays on its core while others go first.
    stays: bool,
    /// It was woken before it had begun to wait.
    is_woken: bool,
}

#[derive(Debug)]
struct Reference {
    switch: Time,
    step: Time,
    threads: Vec<Thread>,
    /// When each core became free; `None` while it is taken.
    cores: Vec<Option<Time>>,
    ready: Vec<(Time, Id)>,
    staying: Vec<(Time, Id)>,
    spinning: Vec<Id>,
    timers: Vec<(Time, Id)>,
    queued: Vec<(usize, Id)>,
    joining: Vec<(Id, Id)>,
    devices: [Vec<(Time, Id)>; DEVICES],
    locks: [(Option<Id>, Time); LOCKS],
    seen: Vec<Seen>,
}

/// Returns what the threads of `program` must do, in their order.
pub(super) fn run(program: &Program) -> Vec<Seen> {
    let mut cores = vec![Some(0); program.rules.cores as usize];
    cores[0] = None;
    let mut reference = Reference {
        switch: program.rules.switch,
        step: program.rules.step,
        threads: parts::parts(program),
        cores,
        ready: Vec::new(),
        staying: Vec::new(),
        spinning: Vec::new(),
        timers: Vec::new(),
        queued: Vec::new(),
        joining: Vec::new(),
        devices: Default::default(),
        locks: Default::default(),
        seen: Vec::new(),
    };
    reference.threads[0].has_core = true;
    let mut turn = Some(0);
    while let Some(id) = turn {
        turn = reference.go_on(id);
    }
    reference.seen
}

impl Reference {
    /// Lets `id` go on until somebody else has the turn; returns who, or `None` at the end.
    fn go_on(&mut self, id: Id) -> Option<Id> {
        loop {
            let thread = &mut self.threads[id];
            let Some(part) = thread.parts.get(thread.next).copied() else {
                return self.end(id);
            };
            thread.next += 1;
            if let Some(next) = self.perform(id, part)
                && next != id
            {
                return Some(next);
            }
            if id == 0 && self.is_over() {
                return None;
            }
        }
    }

    fn is_over(&self) -> bool {
        let first = &self.threads[0];
        first.next == first.parts.len() && self.threads[1..].iter().all(|other| other.has_ended)
    }

    fn end(&mut self, id: Id) -> Option<Id> {
        let now = self.threads[id].now;
        self.threads[id].has_ended = true;
        let all = std::mem::take(&mut self.joining).into_iter();
        let (over, others): (Vec<_>, Vec<_>) = all.partition(|(ended, _)| *ended == id);
        self.joining = others;
        over.iter().for_each(|(_, joiner)| self.make_ready(*joiner, now));
        self.free_core(id);
        Some(self.choose())
    }

    /// Carries out one part; returns who has the turn when it was given away.
    fn perform(&mut self, id: Id, part: Part) -> Option<Id> {
        let now = self.threads[id].now;
        match part {
            Part::Done(place) => {
                let end = self.threads[id].end.take().unwrap_or(End::Done);
                self.seen.push(Seen { thread: id, place, now, end });
            }
            Part::Spend(span) => self.spend(id, span),
            Part::Enqueue(queue) => self.queued.push((queue, id)),
            Part::Spawn(child) => self.make_ready(child, now),
            Part::Wake(queue) => self.threads[id].end = Some(End::Woke(self.wake(queue, now))),
            Part::WakeAll(queue) => while self.wake(queue, now).is_some() {},
            Part::Release(lock) => self.release(lock, now),
            Part::Step => return self.step(id),
            Part::GiveWay => return self.give_way(id),
            Part::LeaveCore => return self.leave_core(id),
            Part::Acquire(lock) => return self.acquire(id, lock),
            Part::Sleep(span) => return Some(self.wait(id, Some(now + span))),
            Part::Wait(patience) => return Some(self.wait(id, patience.map(|span| now + span))),
            Part::Join(other) if self.threads[other].has_ended => {}
            Part::Join(other) => {
                self.joining.push((other, id));
                return Some(self.wait(id, None));
            }
            Part::Request(device, span) => {
                let free = self.devices[device].last().map_or(now, |(done, _)| now.max(*done));
                self.devices[device].push((free + span, id));
                return Some(self.wait(id, None));
            }
            Part::UntilEnded if self.threads[1..].iter().all(|other| other.has_ended) => {}
            Part::UntilEnded => {
                (0..QUEUES).for_each(|queue| while self.wake(queue, now).is_some() {});
                self.threads[id].next -= 1;
                return Some(self.wait(id, Some(now + ROUND)));
            }
        }
        None
    }

    fn spend(&mut self, id: Id, span: Time) {
        if !self.threads[id].is_disk {
            self.threads[id].now += span;
        }
    }

    fn step(&mut self, id: Id) -> Option<Id> {
        self.spend(id, self.step);
        let now = self.threads[id].now;
        let called = self.start().1.min(first(&self.timers));
        let at_work = first(&self.staying).min(self.device().1);
        let lead = LEAD_STEPS * self.step;
        if now <= called.saturating_add(self.switch).min(at_work.saturating_add(lead)) {
            return None;
        }
        Some(self.stay(id))
    }

    fn stay(&mut self, id: Id) -> Id {
        self.staying.push((self.threads[id].now, id));
        self.threads[id].stays = true;
        self.choose()
    }

    /// Lets those catch up that are behind, then leaves the core to somebody who finds none.
    fn give_way(&mut self, id: Id) -> Option<Id> {
        let now = self.threads[id].now;
        let others = self.start().1.min(first(&self.staying));
        if now > others.min(first(&self.timers)).min(self.device().1) {
            let thread = &mut self.threads[id];
            thread.parts.insert(thread.next, Part::LeaveCore);
            return Some(self.stay(id));
        }
        self.leave_core(id)
    }

    fn leave_core(&mut self, id: Id) -> Option<Id> {
        let now = self.threads[id].now;
        let is_free = self.cores.iter().any(|core| core.is_some_and(|free| free <= now));
        if is_free || first(&self.ready) > now || self.threads[id].is_disk {
            return None;
        }
        self.free_core(id);
        self.threads[id].gave_way = true;
        self.make_ready(id, now);
        Some(self.choose())
    }

    fn acquire(&mut self, id: Id, lock: usize) -> Option<Id> {
        let (owner, free_since) = self.locks[lock];
        let Some(owner) = owner else {
            self.locks[lock].0 = Some(id);
            self.threads[id].now = self.threads[id].now.max(free_since);
            self.threads[id].insists = false;
            return None;
        };
        if owner == id {
            self.threads[id].insists = false;
            return None;
        }
        // When it goes on, it looks again.
        self.threads[id].next -= 1;
        match self.threads[id].insists {
            true => self.queued.insert(0, (QUEUES + lock, id)),
            false => self.queued.push((QUEUES + lock, id)),
        }
        if self.threads[owner].has_core && !self.threads[id].is_disk {
            let thread = &mut self.threads[id];
            (thread.since, thread.spins) = (thread.now, true);
            self.spinning.push(id);
            return Some(self.choose());
        }
        Some(self.wait(id, None))
    }

    /// Lets go of a lock: it goes to one that waits on its core or insists; another one is woken and has to look.
    fn release(&mut self, lock: usize, now: Time) {
        self.locks[lock] = (None, now);
        let waits = |(at, _): &(usize, Id)| *at == QUEUES + lock;
        let spins = |entry: &(usize, Id)| waits(entry) && self.threads[entry.1].spins;
        let place = self.queued.iter().position(spins);
        let Some(place) = place.or_else(|| self.queued.iter().position(waits)) else { return };
        let (_, id) = self.queued.remove(place);
        if self.threads[id].spins || self.threads[id].insists {
            self.locks[lock].0 = Some(id);
        }
        self.threads[id].insists = true;
        self.make_ready(id, now);
    }

    /// Waits for somebody, at most until `deadline`.
    fn wait(&mut self, id: Id, deadline: Option<Time>) -> Id {
        let now = self.threads[id].now;
        self.free_core(id);
        if std::mem::take(&mut self.threads[id].is_woken) {
            self.make_ready(id, now);
        } else if let Some(deadline) = deadline {
            self.timers.push((deadline, id));
        }
        self.choose()
    }

    fn free_core(&mut self, id: Id) {
        let thread = &mut self.threads[id];
        thread.has_core = false;
        thread.since = thread.now;
        if !thread.is_disk {
            self.cores[thread.core] = Some(thread.now);
        }
    }

    fn wake(&mut self, queue: usize, now: Time) -> Option<Id> {
        let place = self.queued.iter().position(|(at, _)| *at == queue)?;
        let (_, id) = self.queued.remove(place);
        self.make_ready(id, now);
        Some(id)
    }

    fn make_ready(&mut self, id: Id, at: Time) {
        self.timers.retain(|(_, other)| *other != id);
        let thread = &mut self.threads[id];
        if thread.stays {
            thread.is_woken = true;
            return;
        }
        // Whoever wakes it may be behind.
        let at = at.max(thread.since);
        if std::mem::take(&mut thread.spins) {
            self.spinning.retain(|other| *other != id);
            self.staying.push((at, id));
        } else if thread.is_disk {
            self.staying.push((at, id));
        } else {
            self.ready.push((at, id));
        }
    }

    /// Returns the core that is free first, and when the first of those that are ready could start.
    fn start(&self) -> (usize, Time) {
        let free = |core: usize| self.cores[core].unwrap_or(Time::MAX);
        let core = (0..self.cores.len()).min_by_key(|core| free(*core)).unwrap();
        let ready = first(&self.ready);
        (core, if ready == Time::MAX { ready } else { ready.max(free(core)) })
    }

    fn device(&self) -> (usize, Time) {
        let first = |number: usize| self.devices[number].first().map_or(Time::MAX, |(at, _)| *at);
        let number = (0..DEVICES).min_by_key(|number| first(*number)).unwrap();
        (number, first(number))
    }

    /// Chooses who has the turn next.
    fn choose(&mut self) -> Id {
        loop {
            let is_full = self.staying.is_empty() && self.cores.iter().all(Option::is_none);
            if is_full && !self.ready.is_empty() && !self.spinning.is_empty() {
                let spinner = self.spinning.remove(0);
                let thread = &mut self.threads[spinner];
                thread.has_core = false;
                thread.spins = false;
                self.cores[thread.core] = Some(thread.since);
                continue;
            }
            let ((core, start), staying) = (self.start(), first(&self.staying));
            let (timer, (device, event)) = (first(&self.timers), self.device());
            let horizon = start.min(staying);
            if event < Time::MAX && event <= horizon && event <= timer {
                let all = std::mem::take(&mut self.devices[device]).into_iter();
                let (done, pending): (Vec<_>, Vec<_>) = all.partition(|(at, _)| *at <= event);
                self.devices[device] = pending;
                done.iter().for_each(|(at, id)| self.make_ready(*id, *at));
            } else if timer < Time::MAX && timer <= horizon {
                let (at, id) = take_first(&mut self.timers);
                if self.queued.iter().any(|(queue, other)| *queue < QUEUES && *other == id) {
                    self.threads[id].end = Some(End::TimedOut);
                }
                self.queued.retain(|(_, other)| *other != id);
                self.make_ready(id, at);
            } else if staying <= start {
                let (at, id) = take_first(&mut self.staying);
                let thread = &mut self.threads[id];
                // What has a core has one, and a disk's thread counts as at work while it has its turn.
                (thread.stays, thread.has_core, thread.now) = (false, true, at);
                return id;
            } else {
                let (_, id) = take_first(&mut self.ready);
                self.cores[core] = None;
                let thread = &mut self.threads[id];
                let switch = if std::mem::take(&mut thread.gave_way) { 0 } else { self.switch };
                (thread.core, thread.has_core, thread.now) = (core, true, start + switch);
                return id;
            }
        }
    }
}

fn first(list: &[(Time, Id)]) -> Time {
    list.iter().map(|(at, _)| *at).min().unwrap_or(Time::MAX)
}

/// Takes the first entry of the smallest time out of a list.
fn take_first(list: &mut Vec<(Time, Id)>) -> (Time, Id) {
    let time = first(list);
    let place = list.iter().position(|(at, _)| *at == time).expect("somebody can go on");
    list.remove(place)
}

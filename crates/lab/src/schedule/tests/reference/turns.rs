//! Who has the turn next.

use super::{DEVICES, End, Id, QUEUES, Reference, Time};

impl Reference {
    /// Returns the core that is free first, and when the first of those that are ready could start.
    pub(super) fn start(&self) -> (usize, Time) {
        let free = |core: usize| self.cores[core].unwrap_or(Time::MAX);
        let core = (0..self.cores.len()).min_by_key(|core| free(*core)).unwrap();
        let ready = first(&self.ready);
        (core, if ready == Time::MAX { ready } else { ready.max(free(core)) })
    }

    pub(super) fn device(&self) -> (usize, Time) {
        let first = |number: usize| self.devices[number].first().map_or(Time::MAX, |(at, _)| *at);
        let number = (0..DEVICES).min_by_key(|number| first(*number)).unwrap();
        (number, first(number))
    }

    /// Chooses who has the turn next.
    pub(super) fn choose(&mut self) -> Id {
        loop {
            let is_full = self.staying.is_empty() && self.cores.iter().all(Option::is_none);
            if is_full && !self.ready.is_empty() && !self.spinning.is_empty() {
                self.let_sleep(0, 0);
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

pub(super) fn first(list: &[(Time, Id)]) -> Time {
    list.iter().map(|(at, _)| *at).min().unwrap_or(Time::MAX)
}

/// Takes the first entry of the smallest time out of a list.
fn take_first(list: &mut Vec<(Time, Id)>) -> (Time, Id) {
    let time = first(list);
    let place = list.iter().position(|(at, _)| *at == time).expect("somebody can go on");
    list.remove(place)
}

//! The write throttle: who may change something now (docs/model/txg.md#write-throttle; dmu_tx.c 0.6.4 to 2.3).
//!
//! Up to 60 % of the dirty data that may be, nobody waits. Above, with `D` dirty of `M`, a change takes
//! at least `zfs_delay_scale × (D − 0.6 M) / (M − D)`, 100 ms at most, counted from when it was asked
//! for; and those who wait are let through one after the other, each that long behind the one before.
//! At `M` they wait until something was written. A change is delayed at most once.
//!
//! Beside it those are held, until a group has been written, who ask while too much of the ARC is new.
//!
//! A small case: M = 200 MiB, D = 160 MiB: a change takes 500 µs × 40 / 40 = 500 µs. Two writers that
//! ask at once are let through after 500 µs and after 1 ms.

use std::collections::VecDeque;

use arcwright_units::Nanos;

use super::dirty::Dirty;
use crate::ids::SlotId;

/// The longest delay of a change (`zfs_delay_max_ns`).
const DELAY_MAX: Nanos = Nanos::millis(100);

/// Whether a writer may make its change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Go on.
    Now,
    /// Go on at this instant.
    At(Nanos),
    /// Wait to be called.
    Called,
}

/// Rows of the kstat `dmu_tx`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) assigned: u64,
    pub(crate) dirty_delay: u64,
    pub(crate) dirty_over_max: u64,
    pub(crate) dirty_throttle: u64,
}

/// A slot, and when it asked or may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Writer {
    pub(crate) slot: SlotId,
    pub(crate) at: Nanos,
}

/// Who waits, and when the last one was let through.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    scale: u64,
    last: Nanos,
    /// Slots of clients and when they asked.
    waiting: VecDeque<Writer>,
    /// Those who wait for the end of a group, since too much of the ARC is new.
    held: VecDeque<Writer>,
    pub(crate) counters: Counters,
}

impl Throttle {
    pub(crate) fn new(scale: u64) -> Self {
        Self { scale, ..Self::default() }
    }

    /// A writer asks; `asked` is when it began its change.
    pub(crate) fn ask(
        &mut self,
        who: SlotId,
        asked: Nanos,
        now: Nanos,
        dirty: &Dirty,
    ) -> Admission {
        self.counters.assigned += 1;
        self.let_in(who, asked, now, dirty)
    }

    /// A writer asks who has to wait for the end of a group.
    pub(crate) fn hold(&mut self, slot: SlotId, asked: Nanos) {
        self.counters.assigned += 1;
        self.counters.dirty_throttle += 1;
        self.held.push_back(Writer { slot, at: asked });
    }

    /// Returns how many wait for the end of a group.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// The group of those who were held is over: returns the first of them and when it may go on, unless it waits
    /// for room now.
    pub(crate) fn admit(&mut self, now: Nanos, dirty: &Dirty) -> Option<Writer> {
        let Writer { slot, at: asked } = self.held.pop_front()?;
        match self.let_in(slot, asked, now, dirty) {
            Admission::Now => Some(Writer { slot, at: now }),
            Admission::At(at) => Some(Writer { slot, at }),
            Admission::Called => None,
        }
    }

    fn let_in(&mut self, who: SlotId, asked: Nanos, now: Nanos, dirty: &Dirty) -> Admission {
        if !dirty.delays() {
            return Admission::Now;
        }
        self.counters.dirty_delay += 1;
        if dirty.is_full() {
            self.counters.dirty_over_max += 1;
            self.waiting.push_back(Writer { slot: who, at: asked });
            return Admission::Called;
        }
        self.delay(asked, now, dirty)
    }

    /// Something was written: returns who may go on and when; to be asked until there is nobody.
    pub(crate) fn call(&mut self, now: Nanos, dirty: &Dirty) -> Option<Writer> {
        if dirty.is_full() {
            return None;
        }
        let Writer { slot, at: asked } = self.waiting.pop_front()?;
        let at = match self.delay(asked, now, dirty) {
            Admission::At(at) => at,
            Admission::Now | Admission::Called => now,
        };
        Some(Writer { slot, at })
    }

    fn delay(&mut self, asked: Nanos, now: Nanos, dirty: &Dirty) -> Admission {
        let room = dirty.max().saturating_sub(dirty.total()).max(1);
        let span = Nanos(self.scale.saturating_mul(dirty.beyond_delay()) / room).min(DELAY_MAX);
        if span == Nanos::ZERO || now > asked + span {
            return Admission::Now;
        }
        self.last = (asked + span).max(self.last + span);
        if self.last <= now { Admission::Now } else { Admission::At(self.last) }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_tunables::Version;
    use arcwright_units::{Bytes, Nanos};

    use super::{Admission, Throttle, Writer};
    use crate::ids::{BlockId, SlotId};
    use crate::versions::behaviour::Behaviour;
    use crate::versions::settings::Settings;
    use crate::writes::dirty::Dirty;

    /// 200 MiB may be dirty; `mib` of them are.
    fn dirty(mib: u32) -> Dirty {
        let version = Version::parse("2.3.2");
        let memory = Bytes::mib(2000);
        let mut dirty =
            Dirty::new(200, &Settings::defaults(version), Behaviour::of(version), memory);
        (0..mib).for_each(|block| assert!(dirty.mark(BlockId(block), 1 << 20, 1)));
        dirty.set_structure(1, 0);
        dirty
    }

    #[test]
    fn nobody_waits_below_sixty_percent() {
        let mut throttle = Throttle::new(500_000);
        assert_eq!(throttle.ask(SlotId(0), Nanos(5), Nanos(5), &dirty(120)), Admission::Now);
    }

    #[test]
    fn those_who_wait_are_let_through_one_after_the_other() {
        let mut throttle = Throttle::new(500_000);
        let (now, dirty) = (Nanos::secs(1), dirty(160));
        let turns: Vec<Admission> =
            (0..2).map(|who| throttle.ask(SlotId(who), now, now, &dirty)).collect();
        let after = |micros: u64| Admission::At(now + Nanos(micros * 1000));
        assert_eq!(turns, [after(500), after(1000)]);
    }

    #[test]
    fn a_full_pool_calls_those_who_wait_in_order() {
        let mut throttle = Throttle::new(500_000);
        let now = Nanos::secs(1);
        let full = dirty(200);
        assert_eq!(throttle.ask(SlotId(7), now, now, &full), Admission::Called);
        assert_eq!(throttle.ask(SlotId(8), now, now, &full), Admission::Called);
        assert_eq!(throttle.call(now, &full), None);
        let later = now + Nanos::millis(200);
        assert_eq!(throttle.call(later, &dirty(160)), Some(Writer { slot: SlotId(7), at: later }));
        assert_eq!(throttle.call(later, &dirty(160)), Some(Writer { slot: SlotId(8), at: later }));
        assert_eq!(throttle.call(later, &dirty(160)), None);
    }
}

//! Whose turn it is: how many requests of which class may be active.

use super::super::class::CLASSES;
use super::{Class, Queue};
use crate::versions::rules::QueueOrder;

/// Requests that may be active when one arrives, and when one is done, by deadlines.
const MIN_PENDING: u64 = 4;
const MAX_PENDING: u64 = 10;
/// New ones for each that is done, by deadlines.
const RAMP_RATE: u64 = 2;

/// By deadlines: how many may be active now, and how many may be added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    active: u64,
    new: u64,
}

impl Allowed {
    /// What is allowed when something arrived.
    pub(super) const ON_ARRIVAL: Self = Self { active: MIN_PENDING, new: MIN_PENDING };
    /// What is allowed when something is done.
    const WHEN_DONE: Self = Self { active: MAX_PENDING, new: RAMP_RATE };

    /// Counts one that was added.
    pub(super) fn add(&mut self) {
        self.new = self.new.saturating_sub(1);
    }
}

impl Queue {
    /// Says why the queue is looked at: something arrived, or was done.
    pub(crate) fn look(&mut self, is_done: bool) {
        self.allowed = if is_done { Allowed::WHEN_DONE } else { Allowed::ON_ARRIVAL };
    }

    /// Says whether one more may be active.
    pub(super) fn may_add(&self) -> bool {
        match self.order {
            QueueOrder::Deadlines { .. } => {
                self.load() < self.allowed.active && self.allowed.new > 0
            }
            QueueOrder::Elevator | QueueOrder::Buckets => self.next_class().is_some(),
        }
    }

    /// Returns the class that has its turn.
    pub(super) fn next_class(&self) -> Option<Class> {
        if self.load() >= self.classes.vdev_max_active {
            return None;
        }
        let is_below = |class: &Class, bound: &[u64; 4]| {
            let index = *class as usize;
            self.waiting[index] > 0 && self.classes.active[index] < bound[index]
        };
        // Without writes the order of priority alone comes to the same.
        let writes =
            self.waiting[Class::SyncWrite as usize] + self.waiting[Class::AsyncWrite as usize];
        if writes > 0 && self.classes.keeps_min_active {
            let turns = (1..=CLASSES.len())
                .map(|step| CLASSES[(self.classes.served + step) % CLASSES.len()]);
            let starved = turns.into_iter().find(|class| is_below(class, &self.classes.min_active));
            if starved.is_some() {
                return starved;
            }
        }
        CLASSES.into_iter().find(|class| is_below(class, &self.classes.max_active))
    }
}

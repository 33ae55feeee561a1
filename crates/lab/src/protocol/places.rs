//! Where a crash test writes: what the worker wrote is compared with what is found there later.

use arcwright_workload::Stream;

/// The places that one slot writes to, one after the other; slots share none.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    stream: Stream,
    slot: u64,
    slots: u64,
    count: u64,
}

impl Places {
    /// Returns the places of slot `slot` of `slots` in a file of `count` places.
    pub(crate) fn new(seed: u64, slot: u64, slots: u64, count: u64) -> Self {
        let stream = Stream::new(seed, &format!("crash lane {slot}"));
        Self { stream, slot, slots: slots.max(1), count }
    }
}

impl Iterator for Places {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let mine = (self.count / self.slots).max(1);
        Some(self.stream.below(mine) * self.slots + self.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn slots_share_no_place() {
        let of = |slot| Places::new(1, slot, 4, 64).take(200).collect::<Vec<u64>>();
        for place in of(1) {
            assert!(place < 64 && !of(2).contains(&place), "place {place}");
        }
    }
}

//! How many reads wait at once: what clients that share a machine do, and a single one does not.
//!
//! Nothing counts clients. What arrives at a rate and stays for a time is there in a number that is their product (J. Little, "A proof
//! for the queuing formula", Operations Research 9, 1961): misses per second times what a read waits, in its queue and at the disk
//! (`zpool iostat -l`). Where waits were not read, the requests that were queued and in service when they were looked at tell it (`-q`),
//! each read of a record being as many requests as the disks did for each miss.
//!
//! ```text
//!   300 misses per second, each of which waits 20 ms: 6 reads at once
//! ```

use arcwright_machine::{LeafIo, Machine, Pool};
use arcwright_units::{Bytes, Nanos};

use crate::window::in_window;

/// Most that are said, or tried.
pub(crate) const READERS_MAX: u64 = 64;
/// The queue of reads for which somebody waits.
const QUEUE: &str = "syncq_read";

/// How many reads wait at once, in the mean, and what told it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Readers {
    pub(crate) mean: f64,
    pub(crate) told_by: ToldBy,
}

/// What of `zpool iostat` tells how many reads wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ToldBy {
    /// The mean wait (`-l`).
    Wait(Nanos),
    /// What stood in the queues when they were looked at (`-q`).
    Queues,
}

impl Readers {
    /// Returns how many wait for so many misses per second that disks answered, beside what they read ahead; none where neither
    /// waits nor queues were read.
    pub(crate) fn of(
        machine: &Machine,
        pool: &Pool,
        misses: f64,
        ahead: Option<f64>,
    ) -> Option<Self> {
        let io = in_window(machine, pool)?.get(&pool.name)?;
        by_wait(io, misses).or_else(|| by_queues(io, misses + ahead?))
    }

    /// Returns the number of clients that stand for them.
    pub(crate) fn number(self) -> u64 {
        Bytes::of_f64(self.mean.ceil()).0.clamp(1, READERS_MAX)
    }
}

fn by_wait(io: &LeafIo, misses: f64) -> Option<Readers> {
    let wait = Nanos(io.waits.total_read_ns?);
    Some(Readers { mean: misses * wait.as_secs_f64(), told_by: ToldBy::Wait(wait) })
}

fn by_queues(io: &LeafIo, blocks: f64) -> Option<Readers> {
    let (waiting, active) = io.queues.get(QUEUE)?;
    let requests = waiting.saturating_add(*active) as f64;
    let each = (io.read_ops_per_s? / blocks.max(0.1)).max(1.0);
    Some(Readers { mean: requests / each, told_by: ToldBy::Queues })
}

/// Returns how many that is, and what tells it, as the head of a file says it; nothing of a single one.
pub(crate) fn in_words(readers: Option<Readers>, taken: u64) -> Option<String> {
    let said = match readers {
        Some(it) if it.number() == taken && taken > 1 => match it.told_by {
            ToldBy::Wait(wait) => {
                format!("what misses, times the {wait} that a read waits (zpool iostat -l)")
            }
            ToldBy::Queues => "the queues, when they were looked at (zpool iostat -q)".to_owned(),
        },
        _ if taken > 1 => "fewer would not have asked for so much in the time".to_owned(),
        _ => return None,
    };
    Some(format!("Reads that wait at once: {taken}. What tells it: {said}."))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arcwright_machine::{LeafIo, Machine, Pool, QueueWaits, Sample};
    use arcwright_units::Nanos;

    use super::{Readers, ToldBy, in_words};

    fn machine(io: LeafIo, since_import: bool) -> Machine {
        let vdevs =
            BTreeMap::from([("tank".to_owned(), BTreeMap::from([("tank".to_owned(), io)]))]);
        let sample = Sample { vdevs, vdevs_since_import: since_import, ..Sample::default() };
        Machine { samples: vec![sample], ..Machine::default() }
    }

    #[test]
    fn what_arrives_times_what_it_waits_is_there() {
        let pool = Pool { name: "tank".to_owned(), ..Pool::default() };
        let waits = QueueWaits { total_read_ns: Some(20_000_000), ..QueueWaits::default() };
        let waiting = LeafIo { waits, ..LeafIo::default() };
        let queued = LeafIo {
            read_ops_per_s: Some(600.0),
            queues: BTreeMap::from([("syncq_read".to_owned(), (4, 6))]),
            ..LeafIo::default()
        };
        let check = |io: &LeafIo, misses, since_import, expected: Option<u64>| {
            let readers = Readers::of(&machine(io.clone(), since_import), &pool, misses, Some(0.0));
            assert_eq!(readers.map(Readers::number), expected, "{misses} {io:?}");
        };
        check(&waiting, 300.0, false, Some(6));
        check(&waiting, 301.0, false, Some(7));
        check(&waiting, 0.0, false, Some(1));
        check(&waiting, 1e6, false, Some(64));
        // Waits since the import are of other hours.
        check(&waiting, 300.0, true, None);
        // Ten requests, of which two belong to each read of a record.
        check(&queued, 300.0, false, Some(5));
        check(&LeafIo { read_ops_per_s: None, ..queued.clone() }, 300.0, false, None);
        check(&LeafIo { queues: BTreeMap::new(), ..queued }, 300.0, false, None);
        check(&LeafIo::default(), 300.0, false, None);
        // What was read ahead was not read: nobody knows how many requests a block is.
        let queued = machine(
            LeafIo {
                queues: BTreeMap::from([("syncq_read".to_owned(), (4, 6))]),
                read_ops_per_s: Some(600.0),
                ..LeafIo::default()
            },
            false,
        );
        assert_eq!(Readers::of(&queued, &pool, 300.0, None), None);
    }

    #[test]
    fn what_tells_it_is_said() {
        let check = |readers: Option<(f64, ToldBy)>, taken, expected: &str| {
            let readers = readers.map(|(mean, told_by)| Readers { mean, told_by });
            let text = in_words(readers, taken).unwrap_or_default();
            assert!(text.contains(expected) && text.is_empty() == expected.is_empty(), "{text}");
        };
        let wait = ToldBy::Wait(Nanos::millis(20));
        check(Some((6.0, wait)), 6, "the 20.0 ms that a read waits");
        check(Some((5.2, ToldBy::Queues)), 6, "the queues");
        check(Some((0.2, wait)), 1, "");
        check(Some((0.2, wait)), 8, "fewer would not");
        check(None, 2, "fewer would not");
        check(None, 1, "");
    }
}

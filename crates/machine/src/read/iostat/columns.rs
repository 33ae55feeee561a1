//! The columns of `zpool iostat`, by title or by count.
//!
//! Six of capacity, operations and bandwidth come first. `-l` adds 9 (0.7), 10 with trim (0.8+) or 11
//! with rebuild (2.0+); `-q` adds 10, 12 or 14. No two sums are equal but 6 + 10, which is `-l` of
//! 0.8 and `-q` of 0.7: it is the former unless `-q` is known to have been given.

use super::RequestedColumns;
use crate::nicenum;
use crate::sample::{LeafIo, QueueWaits};

/// A column's place in [`LeafIo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Known from elsewhere.
    Skipped,
    /// Rates: operations and bytes.
    Rate(Rate),
    /// A mean wait, by its place in `WAITS`.
    Wait(usize),
    /// Requests waiting in a queue, by its place in `QUEUES`.
    Pending(usize),
    /// Requests of a queue at the disk.
    Active(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rate {
    ReadOps,
    WriteOps,
    ReadBytes,
    WriteBytes,
}

const PLAIN: [Column; 6] = [
    Column::Skipped,
    Column::Skipped,
    Column::Rate(Rate::ReadOps),
    Column::Rate(Rate::WriteOps),
    Column::Rate(Rate::ReadBytes),
    Column::Rate(Rate::WriteBytes),
];
/// Titles of waits with how many columns each has.
const WAITS: [(&str, usize); 7] = [
    ("total_wait", 2),
    ("disk_wait", 2),
    ("syncq_wait", 2),
    ("asyncq_wait", 2),
    ("scrub", 1),
    ("trim", 1),
    ("rebuild", 1),
];
/// Titles of queues; each has two columns. The first tools spelled the last ones otherwise.
const QUEUES: [&str; 7] = [
    "syncq_read",
    "syncq_write",
    "asyncq_read",
    "asyncq_write",
    "scrubq_read",
    "trimq_write",
    "rebuildq_write",
];
const WAIT_COUNTS: [usize; 3] = [9, 10, 11];
const QUEUE_COUNTS: [usize; 3] = [10, 12, 14];

/// Returns the columns that the upper line of titles announces; none for any other line.
pub(super) fn of_titles(line: &str) -> Option<Vec<Column>> {
    const FIRST: [&str; 2] = ["capacity", "operations"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().filter(|word| FIRST.contains(*word))?;
    // The first title may be lost; the columns below it are always there.
    let mut columns = if *first == "capacity" { Vec::new() } else { PLAIN.get(0..2)?.to_vec() };
    let mut known = 0;
    for word in words {
        let found = match word {
            "capacity" => PLAIN.get(0..2)?.to_vec(),
            "operations" => PLAIN.get(2..4)?.to_vec(),
            "bandwidth" => PLAIN.get(4..6)?.to_vec(),
            _ => of_title(word),
        };
        known += usize::from(!found.is_empty());
        columns.extend(found);
    }
    (known > 1).then_some(columns)
}

/// Returns the columns that the lower line of titles announces, as far as it was not cut:
/// `pool  alloc  free  read  write  read  write …  wait  wait  pend  activ`.
pub(super) fn of_lower_titles(line: &str) -> Option<Vec<Column>> {
    /// Waits with a column for reads and one for writes come first.
    const PAIRED_WAITS: usize = 8;
    let mut words = line.split_whitespace();
    let opens = words.next() == Some("pool") && words.next() == Some("alloc");
    opens.then_some(())?;
    let (mut waits, mut single, mut queue) = (0, PAIRED_WAITS, 0);
    let mut columns = vec![Column::Skipped];
    for (index, word) in words.enumerate() {
        let column = match (PLAIN.get(index + 1), word) {
            (Some(plain), "free" | "read" | "write") => *plain,
            (None, "read" | "write") if waits < PAIRED_WAITS => {
                waits += 1;
                Column::Wait(waits - 1)
            }
            (None, "wait") => {
                single += 1;
                Column::Wait(single - 1)
            }
            (None, "pend") => Column::Pending(queue),
            (None, "activ") => {
                queue += 1;
                Column::Active(queue - 1)
            }
            // Cut in the middle, or the title of a script's column.
            _ => break,
        };
        columns.push(column);
    }
    Some(columns)
}

fn of_title(word: &str) -> Vec<Column> {
    let mut before = 0;
    for (title, count) in WAITS {
        if title == word {
            return (before..before + count).map(Column::Wait).collect();
        }
        before += count;
    }
    let queue =
        QUEUES.iter().position(|title| *title == word || title.replace("q_read", "_read") == word);
    queue.map(|index| vec![Column::Pending(index), Column::Active(index)]).unwrap_or_default()
}

/// Returns the columns of a row with that many values; none when there is no such form.
pub(super) fn of_count(count: usize, asked: RequestedColumns) -> Option<Vec<Column>> {
    let rest = count.checked_sub(PLAIN.len())?;
    let waits = |count: usize| (0..count).map(Column::Wait);
    let queues = |count: usize| {
        (0..count / 2).flat_map(|index| [Column::Pending(index), Column::Active(index)])
    };
    let both = WAIT_COUNTS.iter().zip(QUEUE_COUNTS).find(|(l, q)| *l + q == rest);
    let only_queues = asked.queues && !asked.waits;
    let more: Vec<Column> = match both {
        Some((l, q)) => waits(*l).chain(queues(q)).collect(),
        None if rest == 0 => Vec::new(),
        None if WAIT_COUNTS.contains(&rest) && !only_queues => waits(rest).collect(),
        None if QUEUE_COUNTS.contains(&rest) => queues(rest).collect(),
        None => return None,
    };
    Some(PLAIN.into_iter().chain(more).collect())
}

/// Returns whether a word can stand in a column.
pub(super) fn is_value(word: &str) -> bool {
    word == "-" || nicenum::binary(word).is_some() || nicenum::nanoseconds(word).is_some()
}

/// Returns what a row says.
pub(super) fn row(columns: &[Column], words: &[&str]) -> LeafIo {
    let mut io = LeafIo::default();
    for (column, word) in columns.iter().zip(words) {
        set(&mut io, *column, word);
    }
    io
}

fn set(io: &mut LeafIo, column: Column, word: &str) {
    let count = || nicenum::binary(word).and_then(nicenum::whole);
    match column {
        Column::Skipped => {}
        Column::Rate(rate) => *rate_of(io, rate) = nicenum::binary(word),
        Column::Wait(index) => {
            if let Some(wait) = waits_of(&mut io.waits).into_iter().nth(index) {
                *wait = nicenum::nanoseconds(word);
            }
        }
        Column::Pending(index) => {
            if let Some((name, pending)) = QUEUES.get(index).zip(count()) {
                io.queues.entry((*name).to_owned()).or_default().0 = pending;
            }
        }
        Column::Active(index) => {
            if let Some((name, active)) = QUEUES.get(index).zip(count()) {
                io.queues.entry((*name).to_owned()).or_default().1 = active;
            }
        }
    }
}

const fn rate_of(io: &mut LeafIo, rate: Rate) -> &mut Option<f64> {
    match rate {
        Rate::ReadOps => &mut io.read_ops_per_s,
        Rate::WriteOps => &mut io.write_ops_per_s,
        Rate::ReadBytes => &mut io.read_bytes_per_s,
        Rate::WriteBytes => &mut io.write_bytes_per_s,
    }
}

/// How many kinds of waits there are.
const WAIT_COUNT: usize = 11;
const RATES: [Rate; 4] = [Rate::ReadOps, Rate::WriteOps, Rate::ReadBytes, Rate::WriteBytes];

/// Returns the waits in the order of their columns.
const fn waits_of(waits: &mut QueueWaits) -> [&mut Option<u64>; WAIT_COUNT] {
    [
        &mut waits.total_read_ns,
        &mut waits.total_write_ns,
        &mut waits.disk_read_ns,
        &mut waits.disk_write_ns,
        &mut waits.syncq_read_ns,
        &mut waits.syncq_write_ns,
        &mut waits.asyncq_read_ns,
        &mut waits.asyncq_write_ns,
        &mut waits.scrub_ns,
        &mut waits.trim_ns,
        &mut waits.rebuild_ns,
    ]
}

/// The mean of rates and waits of several reports; queues and histograms are those of the last.
#[derive(Debug, Default)]
pub(super) struct Mean {
    last: LeafIo,
    rates: [(f64, u32); RATES.len()],
    waits: [(u64, u64); WAIT_COUNT],
}

impl Mean {
    /// Adds what a report says.
    pub(super) fn add(&mut self, mut io: LeafIo) {
        for ((sum, count), rate) in self.rates.iter_mut().zip(RATES) {
            if let Some(value) = *rate_of(&mut io, rate) {
                *sum += value;
                *count = count.saturating_add(1);
            }
        }
        for ((sum, count), wait) in self.waits.iter_mut().zip(waits_of(&mut io.waits)) {
            if let Some(value) = *wait {
                *sum = sum.saturating_add(value);
                *count += 1;
            }
        }
        self.last = io;
    }

    /// Returns what all reports say together.
    pub(super) fn value(self) -> LeafIo {
        let mut value = self.last;
        for ((sum, count), rate) in self.rates.into_iter().zip(RATES) {
            *rate_of(&mut value, rate) = (count > 0).then(|| sum / f64::from(count));
        }
        for ((sum, count), wait) in self.waits.into_iter().zip(waits_of(&mut value.waits)) {
            // Rounded down; waits are given to three digits anyway.
            *wait = sum.checked_div(count);
        }
        value
    }
}

/// Adds to `io` what `other` knows more.
pub(super) fn merge(io: &mut LeafIo, mut other: LeafIo) {
    for rate in RATES {
        let new = *rate_of(&mut other, rate);
        let old = rate_of(io, rate);
        *old = old.or(new);
    }
    for (old, new) in waits_of(&mut io.waits).into_iter().zip(waits_of(&mut other.waits)) {
        *old = old.or(*new);
    }
    io.queues.extend(other.queues);
    io.latency.extend(other.latency);
    io.sizes.extend(other.sizes);
}

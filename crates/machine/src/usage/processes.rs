//! Processes by what they read, write and wait for, from the kernel's counters of each.
//!
//! Linux counts the bytes that a process reads and writes by calls, from files, pipes and terminals (`rchar`, `wchar`), hit or
//! miss: so `read` is what a program asked for, and `waiting` shows whom it cost. Its bytes of devices (`read_bytes`) do not
//! have those of OpenZFS (seen with 2.3.2). Source: `/proc/PID/io`, `/proc/PID/task/*/stat`, proc(5).

use std::collections::BTreeMap;

use arcwright_units::{Nanos, visible};
use schemars::JsonSchema;
use serde::Serialize;

use crate::device_counts::float;

/// Rows of a table.
const ROWS_MAX: usize = 200;
/// Numbers of processes that a row lists.
const PIDS_MAX: usize = 8;

/// A process at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessCount {
    /// Its number.
    pub pid: u32,
    /// When it began, in the kernel's ticks; a number may be used again.
    pub started: u64,
    /// Its name, as the kernel has it.
    pub name: String,
    /// Bytes read by calls; absent where only root may see it.
    pub read: Option<u64>,
    /// Bytes written by calls.
    pub written: Option<u64>,
    /// Threads that wait for a device, and cannot be interrupted.
    pub waiting: u32,
}

/// All processes at one moment, and who was seen waiting until then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessMoment {
    /// The processes.
    pub processes: Vec<ProcessCount>,
    /// Threads that were seen waiting, added up over all looks, by process and its beginning.
    pub waits: BTreeMap<(u32, u64), u64>,
    /// How often it was looked.
    pub looks: u64,
}

/// Processes, the busiest first; those of one name are one row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProcessTable {
    /// The time that rates are of.
    pub seconds: f64,
    /// The processes that did something.
    pub rows: Vec<ProcessRow>,
    /// How many names there are beyond these.
    pub more: usize,
    /// Processes whose bytes only root may see.
    pub hidden: usize,
}

/// Processes of one name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProcessRow {
    /// Their name, hidden characters written out.
    pub name: String,
    /// How many there are.
    pub processes: usize,
    /// The numbers of the first of them.
    pub pids: Vec<u32>,
    /// Bytes read per second; absent where only root may see any of it.
    pub read: Option<f64>,
    /// Bytes written per second.
    pub written: Option<f64>,
    /// Threads that waited for a device, in the mean.
    pub waiting: f64,
}

impl ProcessTable {
    /// Returns what processes did; one that began meanwhile counts from nothing, one that ended is not there.
    #[must_use]
    pub fn between(from: &ProcessMoment, to: &ProcessMoment, span: Nanos) -> Self {
        let span = float(span.0) / 1e9;
        let key = |process: &ProcessCount| (process.pid, process.started);
        let before: BTreeMap<(u32, u64), &ProcessCount> =
            from.processes.iter().map(|process| (key(process), process)).collect();
        let looks = to.looks.saturating_sub(from.looks);
        let waited = |key: (u32, u64)| {
            let of = |moment: &ProcessMoment| moment.waits.get(&key).copied().unwrap_or_default();
            of(to).saturating_sub(of(from))
        };
        let mut rows: BTreeMap<&str, ProcessRow> = BTreeMap::new();
        let mut hidden = 0;
        for process in &to.processes {
            let key = key(process);
            let rate = |count: fn(&ProcessCount) -> Option<u64>| {
                let from = match before.get(&key) {
                    Some(before) => count(before)?,
                    None => 0,
                };
                let more = count(process)?.checked_sub(from)?;
                (span > 0.0).then(|| float(more) / span)
            };
            hidden += usize::from(process.read.is_none());
            let row = rows.entry(&process.name).or_insert_with(|| ProcessRow {
                name: visible(&process.name).into_owned(),
                processes: 0,
                pids: Vec::new(),
                read: None,
                written: None,
                waiting: 0.0,
            });
            row.processes += 1;
            if row.pids.len() < PIDS_MAX {
                row.pids.push(process.pid);
            }
            let add = |sum: Option<f64>, more: Option<f64>| match (sum, more) {
                (Some(sum), Some(more)) => Some(sum + more),
                (sum, more) => sum.or(more),
            };
            row.read = add(row.read, rate(|process| process.read));
            row.written = add(row.written, rate(|process| process.written));
            row.waiting += float(waited(key)) / float(looks.max(1));
        }
        let bytes = |row: &ProcessRow| {
            let zero = 0.0;
            row.read.unwrap_or(zero) + row.written.unwrap_or(zero)
        };
        let mut rows: Vec<ProcessRow> =
            rows.into_values().filter(|row| bytes(row) > 0.0 || row.waiting > 0.0).collect();
        rows.sort_by(|one, other| {
            let busy = |row: &ProcessRow| (bytes(row), row.waiting);
            let (one_bytes, one_waits) = busy(one);
            let (other_bytes, other_waits) = busy(other);
            other_bytes.total_cmp(&one_bytes).then(other_waits.total_cmp(&one_waits))
        });
        let more = rows.len().saturating_sub(ROWS_MAX);
        rows.truncate(ROWS_MAX);
        Self { seconds: span, rows, more, hidden }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{ProcessCount, ProcessMoment, ProcessTable};

    fn process(pid: u32, started: u64, name: &str, read: Option<u64>) -> ProcessCount {
        ProcessCount { pid, started, name: name.to_owned(), read, written: read, waiting: 0 }
    }

    #[test]
    fn those_of_one_name_are_added_up_and_the_busiest_stands_first() {
        let from = ProcessMoment {
            processes: vec![process(1, 5, "smbd", Some(100)), process(3, 5, "cp", Some(0))],
            waits: [((1, 5), 10)].into(),
            looks: 6,
        };
        let to = ProcessMoment {
            processes: vec![
                process(1, 5, "smbd", Some(300)),
                // Began meanwhile, with the number of one that ended.
                process(3, 9, "smbd", Some(40)),
                process(4, 9, "rsync\u{1b}", Some(1000)),
                process(5, 1, "root's", None),
                process(6, 1, "idle", Some(0)),
            ],
            waits: [((1, 5), 13), ((5, 1), 1)].into(),
            looks: 10,
        };
        let table = ProcessTable::between(&from, &to, Nanos::secs(2));
        let shown: Vec<_> = table
            .rows
            .iter()
            .map(|row| (row.name.as_str(), row.processes, row.read, row.waiting))
            .collect();
        assert_eq!(
            shown,
            [
                ("rsync\\x1b", 1, Some(500.0), 0.0),
                ("smbd", 2, Some(120.0), 0.75),
                ("root's", 1, None, 0.25),
            ]
        );
        assert_eq!((table.hidden, table.more), (1, 0));
    }

    #[test]
    fn without_time_nothing_has_a_rate() {
        let to = ProcessMoment {
            processes: vec![process(1, 5, "smbd", Some(100))],
            ..ProcessMoment::default()
        };
        let table = ProcessTable::between(&ProcessMoment::default(), &to, Nanos::ZERO);
        assert!(table.rows.is_empty());
    }
}

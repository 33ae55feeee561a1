//! A pool's reads, one by one, and whose of them missed: from the read history, which tells both.
//!
//! Reads ahead of demand are left out: their block is asked for again when it is wanted.

use std::collections::BTreeMap;

use arcwright_kstat::ReadRecord;
use arcwright_units::{Bytes, visible};
use schemars::JsonSchema;
use serde::Serialize;

/// Reads that are kept: some hundred megabytes.
const READS_MAX: usize = 4_000_000;
/// Names, and files, that are told apart.
const NAMES_MAX: usize = 100_000;
/// Rows of a table.
const ROWS_MAX: usize = 200;
/// What a block is taken to be where nothing tells its size.
const BLOCK_UNKNOWN: Bytes = Bytes::kib(128);
const METADATA_UNKNOWN: Bytes = Bytes::kib(16);

/// Reads as they come.
#[derive(Debug, Default)]
pub struct ReadTotals {
    reads: Vec<KeptRead>,
    datasets: BTreeMap<u64, Sums>,
    processes: BTreeMap<String, Sums>,
    files: BTreeMap<(u64, u64), Sums>,
    last: Option<u64>,
    lost: u64,
    garbled: u64,
    ahead: u64,
    /// Reads of this process, which looks at the list.
    own: u64,
}

#[derive(Debug, Clone, Copy)]
struct KeptRead {
    at: u64,
    objset: u64,
    object: u64,
    block: u64,
    level: i8,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    reads: u64,
    misses: u64,
}

/// Who read, and whose reads missed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadTable {
    /// Reads on demand.
    pub reads: u64,
    /// Those that memory did not have.
    pub misses: u64,
    /// Reads ahead of demand.
    pub ahead: u64,
    /// Records that the kernel dropped before they were read here.
    pub lost: u64,
    /// Records that no block can have.
    pub garbled: u64,
    /// Datasets, those with the most misses first.
    pub datasets: Vec<ReadRow>,
    /// Processes, likewise.
    pub processes: Vec<ReadRow>,
    /// Files and other objects, likewise.
    pub files: Vec<ReadRow>,
}

/// What one of them read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadRow {
    /// Its name, hidden characters written out.
    pub name: String,
    /// Its dataset's number and its own; absent of datasets and processes.
    pub object: Option<(u64, u64)>,
    /// Reads on demand.
    pub reads: u64,
    /// Those that memory did not have.
    pub misses: u64,
}

impl ReadTotals {
    /// Takes what the list has at the moment: records that were there before are passed over, missing numbers are lost.
    pub fn take(&mut self, list: &str, own: u32) {
        for line in list.lines() {
            if line.trim().is_empty() || line.starts_with("UID") {
                continue;
            }
            let Some(record) = ReadRecord::parse(line) else {
                self.garbled += 1;
                continue;
            };
            if self.last.is_some_and(|last| record.number <= last) {
                continue;
            }
            if let Some(last) = self.last {
                self.lost += record.number - last - 1;
            }
            self.last = Some(record.number);
            self.add(&record, own);
        }
    }

    fn add(&mut self, record: &ReadRecord<'_>, own: u32) {
        if record.pid == own {
            self.own += 1;
            return;
        }
        if record.is_prefetch {
            self.ahead += 1;
            return;
        }
        let count = |sums: &mut Sums| {
            sums.reads += 1;
            sums.misses += u64::from(!record.is_hit);
        };
        count(self.datasets.entry(record.objset).or_default());
        if self.processes.len() < NAMES_MAX || self.processes.contains_key(record.process) {
            count(self.processes.entry(record.process.to_owned()).or_default());
        }
        let file = (record.objset, record.object);
        if self.files.len() < NAMES_MAX || self.files.contains_key(&file) {
            count(self.files.entry(file).or_default());
        }
        if !self.is_full() {
            self.reads.push(KeptRead {
                at: record.at,
                objset: record.objset,
                object: record.object,
                block: record.block,
                level: record.level,
            });
        }
    }

    /// Whether as many reads are kept as may be.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.reads.len() >= READS_MAX
    }

    /// Returns who read; `dataset` names a dataset by its number.
    #[must_use]
    pub fn table(&self, dataset: &dyn Fn(u64) -> Option<String>) -> ReadTable {
        let named = |objset: u64| match dataset(objset) {
            Some(name) => visible(&name).into_owned(),
            None if objset == 0 => "the pool's own".to_owned(),
            None => format!("dataset {objset}"),
        };
        let row = |name: String, object, sums: &Sums| ReadRow {
            name,
            object,
            reads: sums.reads,
            misses: sums.misses,
        };
        let first = |mut rows: Vec<ReadRow>| {
            rows.sort_by_key(|row| std::cmp::Reverse((row.misses, row.reads)));
            rows.truncate(ROWS_MAX);
            rows
        };
        let datasets = self.datasets.iter().map(|(objset, sums)| row(named(*objset), None, sums));
        let processes =
            self.processes.iter().map(|(name, sums)| row(visible(name).into_owned(), None, sums));
        let files = self.files.iter().map(|((objset, object), sums)| {
            let name = match object {
                0 => format!("{}: dnodes", named(*objset)),
                _ => format!("{}: object {object}", named(*objset)),
            };
            row(name, Some((*objset, *object)), sums)
        });
        ReadTable {
            reads: self.datasets.values().map(|sums| sums.reads).sum(),
            misses: self.datasets.values().map(|sums| sums.misses).sum(),
            ahead: self.ahead,
            lost: self.lost,
            garbled: self.garbled,
            datasets: first(datasets.collect()),
            processes: first(processes.collect()),
            files: first(files.collect()),
        }
    }

    /// Writes the reads as a trace, a line each; `sizes` are those of [`ObjectTotals::sizes`](super::ObjectTotals::sizes).
    ///
    /// # Errors
    /// The writer's.
    pub fn write_trace(
        &self,
        to: &mut dyn std::io::Write,
        sizes: &BTreeMap<(u64, u64), [Option<Bytes>; 2]>,
    ) -> std::io::Result<()> {
        let begin = self.reads.first().map(|read| read.at).unwrap_or_default();
        writeln!(to, "time:ns,object,bytes,op")?;
        for read in &self.reads {
            let is_data = read.level == 0 && read.object != 0;
            let known = sizes.get(&(read.objset, read.object)).copied().unwrap_or_default();
            let bytes = match known {
                [Some(data), _] if is_data => data,
                [_, Some(others)] if !is_data => others,
                _ if is_data => BLOCK_UNKNOWN,
                _ => METADATA_UNKNOWN,
            };
            let KeptRead { objset, object, level, block, .. } = read;
            let at = read.at.saturating_sub(begin);
            writeln!(to, "{at},{objset}/{object}/{level}/{block},{},read", bytes.0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ReadTotals;
    use crate::usage::ObjectTotals;

    fn line(number: u64, object: u64, flags: &str, process: &str) -> String {
        format!("{number} {} 0x51 {object} 0 3 {flags} 42 {process}\n", number * 100)
    }

    #[test]
    fn every_record_is_taken_once_and_what_is_missing_is_lost() {
        let mut totals = ReadTotals::default();
        totals.take(&(line(5, 7, "0x12", "a") + &line(6, 7, "0x1a", "a")), 1);
        totals.take(&(line(6, 7, "0x1a", "a") + &line(9, 8, "0x12", "b\u{1b}") + "garbage\n"), 1);
        totals.take(&line(10, 8, "0x800016", "b"), 1);
        totals.take(&(line(11, 8, "0x12", "us") + "UID start\n"), 42);
        let table = totals.table(&|objset| (objset == 0x51).then(|| "tank/a".to_owned()));
        assert_eq!((table.reads, table.misses, table.ahead), (3, 2, 1));
        assert_eq!((table.lost, table.garbled), (2, 1));
        let processes: Vec<_> =
            table.processes.iter().map(|row| (row.name.as_str(), row.reads, row.misses)).collect();
        assert_eq!(processes, [("a", 2, 1), ("b\\x1b", 1, 1)]);
        assert_eq!(table.datasets[0].name, "tank/a");
        assert_eq!(table.files[0].object, Some((0x51, 7)));
    }

    #[test]
    fn a_trace_has_sizes_where_they_are_known() {
        let mut totals = ReadTotals::default();
        totals.take(&(line(5, 7, "0x12", "a") + &line(7, 8, "0x12", "a")), 1);
        let mut blocks = ObjectTotals::default();
        blocks.line("pool objset object level dbsize asize");
        blocks.line("tank 81 7 0 131072 4096");
        blocks.line("tank 81 7 1 131072 512");
        let mut trace = Vec::new();
        totals.write_trace(&mut trace, &blocks.sizes("tank")).unwrap();
        let expected = "time:ns,object,bytes,op\n0,81/7/0/3,4096,read\n200,81/8/0/3,131072,read\n";
        assert_eq!(String::from_utf8(trace).unwrap(), expected);
    }
}

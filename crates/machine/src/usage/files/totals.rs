//! Whose accesses they were: sums by dataset and by file.

use std::collections::BTreeMap;

use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::{AccessKind, FileAccess};

/// Files that are told apart: as many as a trace may name.
const FILES_MAX: usize = 1 << 20;
/// Rows of a table.
const ROWS_MAX: usize = 200;

/// Sums of accesses as they come.
#[derive(Debug, Default)]
pub struct FileTotals {
    files: BTreeMap<(u32, u64), FileSums>,
    /// Accesses to files beyond those that are told apart.
    others: u64,
    all: FileSums,
    mapped: [u64; 2],
    empty: u64,
}

/// How often and how much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileSums {
    /// Reads.
    pub reads: u64,
    /// Bytes of them.
    pub read: Bytes,
    /// Writes.
    pub writes: u64,
    /// Bytes of them.
    pub written: Bytes,
    /// Calls of fsync and fdatasync; flushes of a volume, and writes to it that wait for stable storage.
    pub syncs: u64,
}

/// What was recorded, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileTable {
    /// All accesses, but for reads at the end of a file.
    pub all: FileSums,
    /// Reads among them of pages of mapped files that the page cache did not have.
    pub mapped_reads: u64,
    /// Writes among them that write pages of mapped files back.
    pub mapped_writes: u64,
    /// Reads at the end of a file or behind it, which read nothing.
    pub empty_reads: u64,
    /// Accesses that the tracer dropped, as it was not read fast enough.
    pub lost: u64,
    /// Lines of the tracer that were not understood.
    pub garbled: u64,
    /// Accesses that came too late for their place in the trace, and have the time of the one before.
    pub late: u64,
    /// Accesses to files beyond a million, which are in the sums but not in the trace.
    pub others: u64,
    /// Files that were accessed.
    pub file_count: u64,
    /// Volumes that were accessed.
    pub volume_count: u64,
    /// Datasets, those with the most bytes first.
    pub datasets: Vec<FileRow>,
    /// Files and volumes, likewise.
    pub files: Vec<FileRow>,
    /// What is not in it, a sentence each.
    pub not_covered: Vec<String>,
}

/// What the recorder could not put where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misplaced {
    /// Accesses that the tracer dropped.
    pub lost: u64,
    /// Lines that were not understood.
    pub garbled: u64,
    /// Accesses that came too late for their place.
    pub late: u64,
}

/// What was done with one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileRow {
    /// Its name, hidden characters written out.
    pub name: String,
    /// How often and how much.
    #[serde(flatten)]
    pub sums: FileSums,
}

impl FileSums {
    fn add(&mut self, access: &FileAccess) {
        let (count, bytes) = match access.kind {
            AccessKind::Read | AccessKind::MappedRead => (&mut self.reads, &mut self.read),
            AccessKind::Write | AccessKind::MappedWrite => (&mut self.writes, &mut self.written),
            AccessKind::Sync => (&mut self.syncs, &mut self.read),
        };
        *count += 1;
        bytes.0 = bytes.0.saturating_add(access.bytes);
    }

    fn merge(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.syncs += other.syncs;
        self.read.0 = self.read.0.saturating_add(other.read.0);
        self.written.0 = self.written.0.saturating_add(other.written.0);
    }

    fn weight(&self) -> (u64, u64) {
        let bytes = self.read.0.saturating_add(self.written.0);
        (bytes, self.reads + self.writes + self.syncs)
    }
}

impl FileTotals {
    /// Takes an access; returns whether it belongs in the trace.
    pub fn take(&mut self, access: &FileAccess) -> bool {
        let is_read = matches!(access.kind, AccessKind::Read | AccessKind::MappedRead);
        if is_read && access.bytes == 0 {
            self.empty += 1;
            return false;
        }
        let [reads, writes] = &mut self.mapped;
        *reads += u64::from(access.kind == AccessKind::MappedRead);
        *writes += u64::from(access.kind == AccessKind::MappedWrite);
        self.all.add(access);
        let file = (access.device, access.inode);
        if self.files.len() >= FILES_MAX && !self.files.contains_key(&file) {
            self.others += 1;
            return false;
        }
        self.files.entry(file).or_default().add(access);
        true
    }

    /// Returns the files that were accessed, as the numbers of their file systems and their own.
    pub fn files(&self) -> impl Iterator<Item = (u32, u64)> {
        self.files.keys().copied()
    }

    /// Returns the sums, with what the recorder knows; `dataset` names a file system, `file` a file.
    #[must_use]
    pub fn table(
        &self,
        dataset: &dyn Fn(u32) -> String,
        file: &dyn Fn((u32, u64)) -> String,
        Misplaced { lost, garbled, late }: Misplaced,
    ) -> FileTable {
        let mut datasets: BTreeMap<u32, FileSums> = BTreeMap::new();
        for ((device, _), sums) in &self.files {
            datasets.entry(*device).or_default().merge(sums);
        }
        // Names are made for those alone that are shown.
        let datasets = heaviest(&datasets).into_iter();
        let files = heaviest(&self.files).into_iter();
        let [mapped_reads, mapped_writes] = self.mapped;
        let is_volume = |(_, inode): &&(u32, u64)| *inode == FileAccess::VOLUME;
        let volume_count = self.files.keys().filter(is_volume).count() as u64;
        FileTable {
            all: self.all,
            mapped_reads,
            mapped_writes,
            empty_reads: self.empty,
            lost,
            garbled,
            late,
            others: self.others,
            file_count: self.files.len() as u64 - volume_count,
            volume_count,
            datasets: datasets.map(|(of, sums)| FileRow { name: dataset(of), sums }).collect(),
            files: files.map(|(of, sums)| FileRow { name: file(of), sums }).collect(),
            not_covered: Vec::new(),
        }
    }
}

fn heaviest<K: Copy>(all: &BTreeMap<K, FileSums>) -> Vec<(K, FileSums)> {
    let mut rows: Vec<(K, FileSums)> = all.iter().map(|(key, sums)| (*key, *sums)).collect();
    rows.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.weight()));
    rows.truncate(ROWS_MAX);
    rows
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::{FileSums, FileTotals, Misplaced};
    use crate::usage::files::TracerLine;

    #[test]
    fn sums_are_by_dataset_and_by_file() {
        let mut totals = FileTotals::default();
        let mut traced = 0;
        for line in [
            "r 1 45 7 0 100 1000",
            "r 2 45 7 1000 100 1000",
            "w 3 46 7 0 50 0 1",
            "f 4 46 7",
            "m 5 45 8 0 4096 10000",
            "p 6 45 8 0 4096 10000",
            "r 7 47 0 0 512 512",
        ] {
            let TracerLine::Access(access) = TracerLine::parse(line.as_bytes()) else {
                panic!("{line}")
            };
            traced += u32::from(totals.take(&access));
        }
        assert_eq!(traced, 6);
        let misplaced = Misplaced { lost: 3, garbled: 4, late: 5 };
        let dataset = |device: u32| format!("tank/{device}");
        let file = |(device, inode): (u32, u64)| format!("tank/{device}/{inode}");
        let table = totals.table(&dataset, &file, misplaced);
        assert_eq!((table.lost, table.garbled, table.late), (3, 4, 5));
        assert_eq!((table.empty_reads, table.mapped_reads, table.mapped_writes), (1, 1, 1));
        let sums = |reads, read, writes, written, syncs| {
            let (read, written) = (Bytes(read), Bytes(written));
            FileSums { reads, read, writes, written, syncs }
        };
        assert_eq!((table.file_count, table.volume_count), (3, 1));
        assert_eq!(table.all, sums(3, 4708, 2, 4146, 1));
        assert_eq!(table.datasets[0].name, "tank/45");
        assert_eq!(table.datasets[0].sums, sums(2, 4196, 1, 4096, 0));
        let names: Vec<&str> = table.files.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["tank/45/8", "tank/47/0", "tank/45/7", "tank/46/7"]);
    }
}

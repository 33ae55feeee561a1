//! Readings of a live machine: its kstats, and in tables of the same shape what its disks and its memory say.

use std::path::Path;
use std::time::Duration;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_machine::{DiskCounts, Reason};
use arcwright_units::Nanos;

use crate::clock::Clock;
use crate::observe::{Sampler, Tools};
use crate::root::Root;

/// Devices of the kernel that stand for no disk.
const NO_DISKS: [&str; 5] = ["loop", "ram", "zram", "sr", "fd"];
/// Rows of the kernel's table of memory that say what else wants it.
const MEMORY: [&str; 4] = ["MemTotal", "MemFree", "MemAvailable", "SwapFree"];

/// Takes readings of a machine.
#[derive(Debug)]
pub struct Recorder {
    sampler: Sampler,
    root: Root,
    clock: Clock,
}

/// The machine's clock is followed when it is further away than this.
const APART_MAX: Duration = Duration::from_secs(2);

impl Recorder {
    /// Returns a recorder of the machine whose files begin at `root`.
    ///
    /// # Errors
    /// The reason why its counters cannot be read.
    pub fn new(root: &Path, tools: &Tools) -> Result<Self, Reason> {
        let sampler = Sampler::new(root, tools)?;
        let root = Root::of(root).map_err(|error| Reason::Failed(error.to_string()))?;
        Ok(Self { sampler, root, clock: Clock::start() })
    }

    /// Returns the time since 1970: even, until the machine's clock was set.
    fn now(&mut self) -> Nanos {
        let told = Clock::start();
        if self.clock.now().abs_diff(told.now()) > APART_MAX {
            self.clock = told;
        }
        Nanos(u64::try_from(self.clock.now().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Returns a reading at the time since 1970. What the kernel does not tell is not in it.
    pub fn reading(&mut self) -> Snapshot {
        let at = self.now();
        let mut reading = self.sampler.sample();
        reading.at = at;
        let text = |path: &str| self.root.at(path).text().ok().flatten().unwrap_or_default();
        let disks = DiskCounts::parse_all(&text("proc/diskstats"));
        let is_disk = |disk: &&DiskCounts| !NO_DISKS.iter().any(|no| disk.name.starts_with(no));
        let tables =
            disks.iter().filter(is_disk).map(disk).chain(memory_table(&text("proc/meminfo")));
        reading.kstats.extend(tables.map(|table| (table.path(), table)));
        reading
    }
}

fn disk(disk: &DiskCounts) -> NamedKstat {
    let rows = [
        ("reads", disk.reads),
        ("writes", disk.writes),
        ("read_bytes", disk.read_bytes),
        ("write_bytes", disk.write_bytes),
        ("request_ms", disk.request_ms),
        ("busy_ms", disk.busy_ms),
    ];
    table(&format!("disks/{}", disk.name), &rows)
}

/// Returns the kernel's table of memory (`/proc/meminfo`) as a table of counters, in bytes; none where it has no row that is kept.
#[must_use]
pub fn memory_table(text: &str) -> Option<NamedKstat> {
    let rows = MEMORY.iter().filter_map(|name| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some((*name, kib.checked_mul(1024)?))
    });
    let rows: Vec<(&str, u64)> = rows.collect();
    (!rows.is_empty()).then(|| table("memory/meminfo", &rows))
}

fn table(path: &str, rows: &[(&str, u64)]) -> NamedKstat {
    let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), KstatValue::U64(*value)));
    NamedKstat::of_rows(path, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::{disk, memory_table};
    use arcwright_machine::DiskCounts;

    #[test]
    fn disks_and_memory_are_tables() {
        let text = "MemTotal:  1024 kB\nMemFree: 12 kB\nMemAvailable:  x kB\nSwapFree: 1 kB\n";
        let table = memory_table(text).unwrap();
        let check = |row: &str, expected| assert_eq!(table.get(row), expected, "{row}");
        check("MemTotal", Some(1 << 20));
        check("MemAvailable", None);
        check("SwapFree", Some(1024));
        assert_eq!(memory_table(""), None);
        let counts = DiskCounts { name: "sda".to_owned(), reads: 5, ..DiskCounts::default() };
        let table = disk(&counts);
        assert_eq!((table.path().as_str(), table.get("reads")), ("disks/sda", Some(5)));
    }
}

//! A reading as one snapshot for a recording, and back: what is no kstat stands in tables of the same shape.
//!
//! Tables of disks are those of `arcwright_host::record::Recorder`. The last group of each pool is a table of its own, and
//! all datasets are one: some thousands of them, once a second, are more than a history is worth.

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot, Txg};
use arcwright_machine::{DeviceCount, Sample};
use arcwright_units::{Bytes, Nanos};

use super::point::LiveReading;

const DISKS: &str = "disks/";
const GROUPS: &str = "txgs/";
const DATASETS: &str = "datasets/all";
const NS_PER_MS: u64 = 1_000_000;
/// Kstats that charts are made from.
const KSTATS: [&str; 4] = ["zfs/arcstats", "zfs/zil", "zfs/dmu_tx", "zfs/zfetchstats"];

impl LiveReading {
    /// Returns what charts of it need as a snapshot whose time counts since 1970.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let all = &self.sample.kstats.kstats;
        let kept = KSTATS.iter().filter_map(|path| all.get(*path).cloned());
        let mut snapshot = Snapshot::from_kstats(self.at, kept.collect());
        let datasets = self.datasets();
        let disks = self.disks.iter().map(|disk| {
            let millis = |time: Option<u64>| time.map(|time| time / NS_PER_MS);
            let rows = [
                ("reads", Some(disk.reads)),
                ("writes", Some(disk.writes)),
                ("read_bytes", Some(disk.read_bytes)),
                ("write_bytes", Some(disk.write_bytes)),
                ("request_ms", millis(disk.request_ns)),
                ("busy_ms", millis(disk.busy_ns)),
            ];
            table(&format!("{DISKS}{}", disk.name), &rows)
        });
        let groups = self.sample.txgs.iter().filter_map(|(pool, groups)| {
            let last = groups.iter().rev().find(|group| group.state == 'C')?;
            let rows = [
                ("txg", Some(last.txg)),
                ("ndirty", last.dirty.map(|dirty| dirty.0)),
                ("otime", Some(last.open.0)),
                ("stime", Some(last.syncing.0)),
            ];
            Some(table(&format!("{GROUPS}{pool}"), &rows))
        });
        for table in disks.chain(groups).chain(datasets) {
            snapshot.kstats.insert(table.path(), table);
        }
        snapshot
    }

    /// Returns what all datasets have read and written; none where none counts it.
    fn datasets(&self) -> Option<NamedKstat> {
        let sum = |row: &str| self.sample.kstats.of_datasets(row);
        let rows = [
            ("nread", sum("nread").or(self.programs_read_bytes)),
            ("nwritten", sum("nwritten").or(self.programs_written_bytes)),
        ];
        rows.iter().any(|(_, value)| value.is_some()).then(|| table(DATASETS, &rows))
    }

    /// Returns the reading that a snapshot of a recording was; `role` says what pools use a disk for, none where none does.
    #[must_use]
    pub fn of_snapshot(mut kstats: Snapshot, role: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut reading = Self { at: kstats.at, ..Self::default() };
        if let Some(all) = kstats.kstats.remove(DATASETS) {
            reading.programs_read_bytes = all.get("nread");
            reading.programs_written_bytes = all.get("nwritten");
        }
        for (path, table) in &kstats.kstats {
            if let Some(pool) = path.strip_prefix(GROUPS) {
                reading.sample.txgs.insert(pool.to_owned(), vec![group(table)]);
            } else if let Some(name) = path.strip_prefix(DISKS) {
                reading.disks.extend(role(name).map(|role| disk(name, role, table)));
            }
        }
        let is_ours = |path: &str| path.starts_with(DISKS) || path.starts_with(GROUPS);
        kstats.kstats.retain(|path, _| !is_ours(path));
        reading.sample = Sample { kstats, ..reading.sample };
        reading
    }
}

fn table(path: &str, rows: &[(&str, Option<u64>)]) -> NamedKstat {
    let rows = rows.iter().filter_map(|(name, value)| {
        value.map(|value| ((*name).to_owned(), KstatValue::U64(value)))
    });
    NamedKstat::of_rows(path, rows.collect())
}

fn group(table: &NamedKstat) -> Txg {
    let time = |row: &str| Nanos(table.get(row).unwrap_or_default());
    Txg {
        txg: table.get("txg").unwrap_or_default(),
        state: 'C',
        dirty: table.get("ndirty").map(Bytes),
        open: time("otime"),
        syncing: time("stime"),
        ..Txg::default()
    }
}

fn disk(name: &str, role: String, table: &NamedKstat) -> DeviceCount {
    let count = |row: &str| table.get(row).unwrap_or_default();
    let time = |row: &str| table.get(row).map(|millis| millis.saturating_mul(NS_PER_MS));
    DeviceCount {
        detail: String::new(),
        name: name.to_owned(),
        role,
        reads: count("reads"),
        writes: count("writes"),
        read_bytes: count("read_bytes"),
        write_bytes: count("write_bytes"),
        request_ns: time("request_ms"),
        busy_ns: time("busy_ms"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arcwright_kstat::{KstatValue, NamedKstat, Snapshot, Txg};
    use arcwright_machine::{DeviceCount, Sample};
    use arcwright_units::{Bytes, Nanos};

    use crate::live::LiveReading;

    #[test]
    fn a_reading_comes_back_from_a_recording() {
        let rows = vec![("hits".to_owned(), KstatValue::U64(5))];
        let arc = NamedKstat::of_rows("zfs/arcstats", rows);
        let group = Txg {
            txg: 7,
            state: 'C',
            dirty: Some(Bytes(9)),
            open: Nanos(5),
            syncing: Nanos(3),
            ..Txg::default()
        };
        let reading = LiveReading {
            at: Nanos::secs(1000),
            sample: Sample {
                kstats: Snapshot::from_kstats(Nanos::secs(1000), vec![arc]),
                txgs: BTreeMap::from([("tank".to_owned(), vec![group])]),
                ..Sample::default()
            },
            disks: vec![DeviceCount {
                name: "sda".to_owned(),
                role: "data".to_owned(),
                reads: 1,
                busy_ns: Some(2_000_000),
                ..DeviceCount::default()
            }],
            programs_read_bytes: Some(4),
            programs_written_bytes: None,
        };
        let of_pool = |name: &str| (name == "sda").then(|| "data".to_owned());
        assert_eq!(LiveReading::of_snapshot(reading.snapshot(), &of_pool), reading);
        let of_none = LiveReading::of_snapshot(reading.snapshot(), &|_| None);
        assert!(of_none.disks.is_empty());
    }
}

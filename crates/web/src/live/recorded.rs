//! A recorded run: readings as columns of differences, which pack well, and the experiment that they are of.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_machine::{DeviceCount, Sample};
use arcwright_scenario::Outcome;
use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};

use super::point::LiveReading;

/// A run with its readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// What it is, in a sentence or two.
    pub told: String,
    /// What made it.
    pub made_by: String,
    /// The experiment and its outcome.
    pub outcome: Outcome,
    /// The arm that is shown.
    pub arm: String,
    /// The phase whose beginning and end the machine is taken from.
    pub phase: String,
    /// All readings.
    pub readings: RecordedReadings,
}

/// Readings as columns: each value is the difference to the one before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedReadings {
    at: Vec<i64>,
    /// Whole values, as not all readings may know it.
    programs_read_bytes: Vec<Option<u64>>,
    /// By path and row.
    rows: BTreeMap<String, BTreeMap<String, Vec<i64>>>,
    disks: Vec<RecordedDisk>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedDisk {
    name: String,
    role: String,
    reads: Vec<i64>,
    writes: Vec<i64>,
    read_bytes: Vec<i64>,
    write_bytes: Vec<i64>,
    busy_ns: Vec<i64>,
}

impl RecordedReadings {
    /// Returns readings as columns. Rows that are no numbers, or that not all readings have, are left out.
    #[must_use]
    pub fn of(readings: &[LiveReading]) -> Self {
        let Some(first) = readings.first() else { return Self::default() };
        let column = |value: &dyn Fn(&LiveReading) -> Option<u64>| -> Option<Vec<i64>> {
            let mut before = 0;
            let difference = |reading: &LiveReading| {
                let value = i64::try_from(value(reading)?).ok()?;
                let difference = value.checked_sub(before)?;
                before = value;
                Some(difference)
            };
            readings.iter().map(difference).collect()
        };
        let mut rows = BTreeMap::new();
        for (path, kstat) in &first.sample.kstats.kstats {
            let columns = kstat.rows.iter().filter_map(|(row, _)| {
                let values = column(&|reading| reading.sample.kstats.get(path, row))?;
                Some((row.clone(), values))
            });
            rows.insert(path.clone(), columns.collect());
        }
        let disks = first.disks.iter().filter_map(|disk| {
            let of = |value: &dyn Fn(&DeviceCount) -> Option<u64>| {
                column(&|reading| {
                    value(reading.disks.iter().find(|other| other.name == disk.name)?)
                })
            };
            Some(RecordedDisk {
                name: disk.name.clone(),
                role: disk.role.clone(),
                reads: of(&|disk| Some(disk.reads))?,
                writes: of(&|disk| Some(disk.writes))?,
                read_bytes: of(&|disk| Some(disk.read_bytes))?,
                write_bytes: of(&|disk| Some(disk.write_bytes))?,
                busy_ns: of(&|disk| disk.busy_ns)?,
            })
        });
        Self {
            at: column(&|reading| Some(reading.sample.kstats.at.0)).unwrap_or_default(),
            programs_read_bytes: readings.iter().map(|one| one.programs_read_bytes).collect(),
            rows,
            disks: disks.collect(),
        }
    }

    /// Returns the readings with whole values instead of differences, to be taken one by one.
    #[must_use]
    pub fn opened(mut self) -> OpenedReadings {
        let columns = self.rows.values_mut().flat_map(BTreeMap::values_mut);
        let of_disks = self.disks.iter_mut().flat_map(|disk| {
            let requests = [&mut disk.reads, &mut disk.writes];
            let bytes = [&mut disk.read_bytes, &mut disk.write_bytes, &mut disk.busy_ns];
            requests.into_iter().chain(bytes)
        });
        for column in columns.chain(of_disks).chain([&mut self.at]) {
            let mut sum = 0i64;
            for value in column {
                sum = sum.saturating_add(*value);
                *value = sum;
            }
        }
        OpenedReadings(self)
    }
}

/// Readings to be taken one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedReadings(RecordedReadings);

impl OpenedReadings {
    /// Returns how many readings there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.at.len()
    }

    /// Returns the reading of a number as if it were taken at `at`; none where there are fewer.
    #[must_use]
    pub fn reading(&self, number: usize, at: Nanos) -> Option<LiveReading> {
        let value =
            |column: &[i64]| column.get(number).and_then(|value| u64::try_from(*value).ok());
        let kstats = self.0.rows.iter().map(|(path, rows)| {
            let row = |(name, column): (&String, &Vec<i64>)| {
                Some((name.clone(), KstatValue::U64(value(column)?)))
            };
            NamedKstat::of_rows(path, rows.iter().filter_map(row).collect())
        });
        let disks = self.0.disks.iter().filter_map(|disk| {
            Some(DeviceCount {
                detail: String::new(),
                name: disk.name.clone(),
                role: disk.role.clone(),
                reads: value(&disk.reads)?,
                writes: value(&disk.writes)?,
                read_bytes: value(&disk.read_bytes)?,
                write_bytes: value(&disk.write_bytes)?,
                request_ns: None,
                busy_ns: value(&disk.busy_ns),
            })
        });
        let sample = Sample {
            kstats: Snapshot::from_kstats(Nanos(value(&self.0.at)?), kstats.collect()),
            ..Sample::default()
        };
        Some(LiveReading {
            at,
            sample,
            disks: disks.collect(),
            programs_read_bytes: self.0.programs_read_bytes.get(number).copied().flatten(),
            programs_written_bytes: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
    use arcwright_machine::DeviceCount;
    use arcwright_units::Nanos;

    use super::RecordedReadings;
    use crate::live::LiveReading;

    fn reading(number: u64) -> LiveReading {
        let rows = [("hits", number * 7), ("size", 1000 - number)];
        let rows = rows.map(|(name, value)| (name.to_owned(), KstatValue::U64(value)));
        let kstat = NamedKstat::of_rows("zfs/arcstats", rows.to_vec());
        let mut reading = LiveReading {
            at: Nanos::secs(number),
            programs_read_bytes: (number != 2).then_some(number * 5),
            ..LiveReading::default()
        };
        reading.sample.kstats = Snapshot::from_kstats(Nanos::secs(number), vec![kstat]);
        reading.disks = vec![DeviceCount {
            name: "data-0".to_owned(),
            role: "data".to_owned(),
            reads: number,
            busy_ns: Some(number * 3),
            ..DeviceCount::default()
        }];
        reading
    }

    #[test]
    fn readings_come_back_as_they_were() {
        let readings: Vec<LiveReading> = (0..5).map(reading).collect();
        let text = serde_json::to_string(&RecordedReadings::of(&readings)).unwrap();
        let opened = serde_json::from_str::<RecordedReadings>(&text).unwrap().opened();
        assert_eq!(opened.count(), 5);
        for (number, expected) in readings.iter().enumerate() {
            assert_eq!(opened.reading(number, expected.at).as_ref(), Some(expected));
        }
        assert_eq!(opened.reading(5, Nanos::ZERO), None);
        assert_eq!(RecordedReadings::of(&[]).opened().count(), 0);
    }
}

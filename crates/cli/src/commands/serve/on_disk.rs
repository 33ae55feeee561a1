//! The history in a folder: a bounded recording that survives kills and full disks, beside the last points in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use arcwright_host::record::{RecordError, Recording, Store};
use arcwright_units::{Bytes, Nanos, visible, visible_path};
use arcwright_web::{LivePoint, LiveReading};

use super::history::{HistoryReader, HistoryState, HistoryWriter, InMemory, TimeRange};

/// How many times as many points as are wanted a range may have, so that a mean is one of several.
const FINER: usize = 4;

/// The writing side.
pub(super) struct DiskWriter {
    store: Store,
    memory: InMemory,
    known: Arc<Mutex<Known>>,
}

/// The reading side.
pub(super) struct DiskReader {
    folder: PathBuf,
    limit: Bytes,
    memory: InMemory,
    known: Arc<Mutex<Known>>,
}

/// What both know.
#[derive(Debug, Default)]
struct Known {
    /// What pools use a disk for; of another time it may have been something else.
    roles: BTreeMap<String, String>,
    problem: Option<String>,
    bytes: Bytes,
    since: Option<Nanos>,
}

/// Opens the history in a folder to go on with it, or makes one there.
pub(super) fn open(folder: &Path, limit: Bytes) -> anyhow::Result<(DiskWriter, DiskReader)> {
    let name = visible_path(folder);
    let store = Store::open(folder, limit).with_context(|| format!("failed to open {name}"))?;
    let first = store.recording().ok().and_then(|recording| recording.first());
    let known = Known { bytes: store.bytes(), since: first, ..Known::default() };
    let known = Arc::new(Mutex::new(known));
    let memory = InMemory::default();
    let reader = DiskReader {
        folder: folder.to_owned(),
        limit,
        memory: memory.clone(),
        known: Arc::clone(&known),
    };
    Ok((DiskWriter { store, memory, known }, reader))
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HistoryWriter for DiskWriter {
    fn append(&mut self, reading: &LiveReading, point: Option<&LivePoint>) {
        self.memory.append(reading, point);
        let snapshot = reading.snapshot();
        let written = self.store.append(&snapshot);
        let mut known = lock(&self.known);
        known.problem = written.err().map(|error| told(&error));
        known.bytes = self.store.bytes();
        known.since.get_or_insert(reading.at);
        let roles = reading.disks.iter().map(|disk| (disk.name.clone(), disk.role.clone()));
        known.roles.extend(roles);
    }
}

fn told(error: &RecordError) -> String {
    let what = match error {
        RecordError::Clock { .. } => String::new(),
        _ => "the history is not written; the page goes on with what is in memory: ".to_owned(),
    };
    visible(&format!("{what}{error}")).into_owned()
}

impl HistoryReader for DiskReader {
    fn points(&self, range: TimeRange, enough: usize) -> Vec<LivePoint> {
        if self.memory.since().is_some_and(|since| since <= range.from) {
            return self.memory.points(range, enough);
        }
        let Ok(recording) = Recording::open(&self.folder) else {
            return self.memory.points(range, enough);
        };
        let roles = lock(&self.known).roles.clone();
        let role = |name: &str| roles.get(name).cloned();
        let (from, to) = (range.from, range.to);
        // Steps of what is there: a server that was off for most of a range has its readings in a part of it.
        let steps = u64::try_from(FINER.saturating_mul(enough).max(1)).unwrap_or(u64::MAX);
        let step = Nanos(recording.covered(from, to).0 / steps);
        let mut points = Vec::new();
        let mut last: Option<LiveReading> = None;
        recording.each_step((from, to), step, &mut |snapshot| {
            let reading = LiveReading::of_snapshot(snapshot, &role);
            let point = last.take().and_then(|last| LivePoint::between(&last, &reading));
            points.extend(point.as_ref().map(LivePoint::of_all_disks));
            last = Some(reading);
        });
        points
    }

    fn state(&self) -> HistoryState {
        let known = lock(&self.known);
        let (folder, limit, bytes) = (visible_path(&self.folder), self.limit, known.bytes);
        HistoryState {
            what: format!(
                "Recorded in {folder}: {bytes} of at most {limit}. What is older has fewer readings."
            ),
            problem: known.problem.clone(),
            from_ms: known.since.map(|since| since.0 / 1_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
    use arcwright_units::{Bytes, Nanos};
    use arcwright_web::{LivePoint, LiveReading};

    use super::open;
    use crate::commands::serve::history::{HistoryReader as _, HistoryWriter as _, TimeRange};

    fn reading(second: u64) -> LiveReading {
        let at = Nanos::secs(1_700_000_000 + second);
        let rows = ["hits", "misses"].map(|row| (row.to_owned(), KstatValue::U64(second * 10)));
        let kstat = NamedKstat::of_rows("zfs/arcstats", rows.to_vec());
        let mut reading = LiveReading { at, ..LiveReading::default() };
        reading.sample.kstats = Snapshot::from_kstats(Nanos::secs(second), vec![kstat]);
        reading
    }

    #[test]
    fn what_was_recorded_before_a_restart_is_there_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        let (mut writer, _) = open(&path, Bytes::mib(1)).unwrap();
        for second in 0..100 {
            writer.append(&reading(second), None);
        }
        assert!(open(&path, Bytes::mib(1)).is_err(), "two recorders");
        drop(writer);
        let (mut writer, reader) = open(&path, Bytes::mib(1)).unwrap();
        let (before, last) = (reading(200), reading(201));
        writer.append(&before, None);
        writer.append(&last, LivePoint::between(&before, &last).as_ref());
        let whole = TimeRange { from: Nanos::ZERO, to: Nanos(u64::MAX) };
        let points = reader.points(whole, 1000);
        assert_eq!(points.len(), 101, "99 before, one over the gap, one after");
        assert!(points.iter().all(|point| point.ratio("hits", "misses") == Some(0.5)));
        assert_eq!(reader.state().from_ms, Some(1_700_000_000_000));
        assert_eq!(reader.state().problem, None);
        // A clock that is behind keeps nothing, and says so.
        writer.append(&reading(10), None);
        assert!(reader.state().problem.unwrap().contains("behind"));
    }
}

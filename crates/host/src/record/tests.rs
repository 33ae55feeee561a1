//! Recordings on disk: kills, full disks, bounds.

use std::fs;
use std::path::Path;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_machine::Machine;
use arcwright_units::{Bytes, Nanos};

use super::{RecordError, Recording, Store, Window};

const ROWS: u64 = 40;

/// A reading that takes about two bytes a row.
fn reading(second: u64) -> Snapshot {
    let mut rows = vec![
        ("hits".to_owned(), KstatValue::U64(90 * second)),
        ("misses".to_owned(), KstatValue::U64(10 * second)),
    ];
    let noise = |row: u64| {
        let mixed = (second * ROWS + row).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 50
    };
    rows.extend((0..ROWS).map(|row| (format!("row{row}"), KstatValue::U64(noise(row)))));
    let kstat = NamedKstat { crtime: Nanos(7), ..NamedKstat::of_rows("zfs/arcstats", rows) };
    Snapshot::from_kstats(Nanos::secs(second), vec![kstat])
}

fn times(path: &Path) -> Vec<u64> {
    let counts = Recording::open(path).unwrap().recorded().counts;
    counts.iter().map(|count| count.at.0 / 1_000_000_000).collect()
}

#[test]
fn a_recording_goes_on_where_it_was_left() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("deep/recording");
    for begin in [1_u64, 3000, 3600, 7300] {
        let mut store = Store::open(&path, Bytes::mib(64)).unwrap();
        for second in begin..begin + 400 {
            store.append(&reading(second)).unwrap();
        }
        assert!(matches!(store.append(&reading(begin)), Err(RecordError::Clock { .. })));
        let again = Store::open(&path, Bytes::mib(64));
        assert!(matches!(again, Err(RecordError::Busy { .. })), "two recorders");
    }
    let expected: Vec<u64> =
        [1_u64, 3000, 3600, 7300].into_iter().flat_map(|begin| begin..begin + 400).collect();
    assert_eq!(times(&path), expected);
    let recording = Recording::open(&path).unwrap();
    let few = recording.readings(Nanos::secs(3000), Nanos::secs(7301), 3);
    let seconds: Vec<u64> = few.iter().map(|reading| reading.at.0 / 1_000_000_000).collect();
    assert_eq!(seconds, [3000, 3600, 7301]);
    assert_eq!(few.first(), Some(&reading(3000)));
    assert_eq!(recording.first(), Some(Nanos::secs(1)));
    // Parts may have gaps within them.
    for (from, to, least, most) in [(0, 9000, 1596, 7698), (100, 110, 10, 10), (8000, 9000, 0, 0)] {
        let covered = recording.covered(Nanos::secs(from), Nanos::secs(to));
        assert!((Nanos::secs(least)..=Nanos::secs(most)).contains(&covered), "{covered}");
    }
    for (from, to, step) in [(0, 9000, 1), (1, 9000, 7), (250, 3601, 100), (3399, 3600, 1000)] {
        let mut heard = Vec::new();
        let range = (Nanos::secs(from), Nanos::secs(to));
        recording.each_step(range, Nanos::secs(step), &mut |reading| heard.push(reading));
        let within = expected.iter().filter(|at| (from..=to).contains(*at));
        let mut firsts: Vec<u64> = within.copied().collect();
        firsts.dedup_by_key(|at| (*at - from) / step);
        let firsts: Vec<Snapshot> = firsts.into_iter().map(reading).collect();
        assert_eq!(heard, firsts, "{from} to {to} by {step}");
    }
}

#[test]
fn whatever_a_kill_leaves_is_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("recording");
    let mut store = Store::open(&path, Bytes::mib(64)).unwrap();
    for second in 1..=3700 {
        store.append(&reading(second)).unwrap();
    }
    drop(store);
    let all: Vec<u64> = (1..=3700).collect();
    assert_eq!(times(&path), all);
    // A frame that is cut.
    let tail = fs::read(path.join("tail")).unwrap();
    fs::write(path.join("tail"), &tail[..tail.len() - 3]).unwrap();
    assert_eq!(times(&path), all[..3699]);
    let mut store = Store::open(&path, Bytes::mib(64)).unwrap();
    store.append(&reading(3700)).unwrap();
    drop(store);
    assert_eq!(times(&path), all);
    // Killed between the part that was written and the tail that was to be emptied.
    let part = fs::read_dir(path.join("counters")).unwrap().next().unwrap().unwrap();
    let mut frames = Vec::new();
    let mut before = arcwright_recording::Tail::default();
    for second in 1..=3600 {
        frames.extend(before.push(&reading(second)));
    }
    fs::write(path.join("tail"), &frames).unwrap();
    assert_eq!(times(&path), all[..3600]);
    drop(Store::open(&path, Bytes::mib(64)).unwrap());
    assert_eq!(fs::read(path.join("tail")).unwrap(), b"");
    // Killed between a part that was thinned and the one that it replaces.
    let packed = fs::read(part.path()).unwrap();
    let thinned = arcwright_recording::Block::from_bytes(&packed).unwrap().thinned();
    let name = format!("{:010}-{:010}-{}.rec", 1, 3600, thinned.len());
    fs::write(path.join("counters").join(name), thinned.to_bytes()).unwrap();
    assert_eq!(times(&path).len(), thinned.len());
    drop(Store::open(&path, Bytes::mib(64)).unwrap());
    assert_eq!(fs::read_dir(path.join("counters")).unwrap().count(), 1);
}

#[test]
fn a_recording_stays_within_its_bounds_and_keeps_its_beginning() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("recording");
    let limit = Bytes::mib(1);
    let mut store = Store::open(&path, limit).unwrap();
    let end = 40_000;
    for second in 1..=end {
        store.append(&reading(second)).unwrap();
    }
    let size: u64 = ["counters", "."]
        .iter()
        .flat_map(|folder| fs::read_dir(path.join(folder)).unwrap())
        .map(|entry| entry.unwrap().metadata().unwrap())
        .filter(|meta| meta.is_file())
        .map(|meta| meta.len())
        .sum();
    // What is not packed yet comes on top.
    assert!(size < 2 * limit.0, "{size}");
    let times = times(&path);
    assert_eq!((times.first(), times.last()), (Some(&1), Some(&end)));
    let spacing = |from: u64| {
        let first = times.iter().position(|time| *time >= from).unwrap();
        times[first + 1] - times[first]
    };
    assert!(spacing(10) > spacing(end - 5), "{} {}", spacing(10), spacing(end - 5));
}

#[test]
fn a_recording_is_read_as_a_capture() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("recording");
    let mut store = Store::open(&path, Bytes::mib(64)).unwrap();
    for second in 1..=100 {
        store.append(&reading(second)).unwrap();
    }
    let read = |window| Machine::read(&store.recording().unwrap().sources(window).unwrap()).samples;
    let samples = read(Window::Whole);
    assert_eq!(samples.len(), 25);
    let ends = [samples.first(), samples.last()].map(|sample| sample.unwrap().kstats.at);
    assert_eq!(ends, [Nanos::secs(1), Nanos::secs(100)]);
    let samples = read(Window::Busiest(Nanos::secs(10)));
    assert_eq!(samples.len(), 11);
    let none = store.recording().unwrap().sources(Window::Between(Nanos::ZERO, Nanos::secs(1)));
    assert!(matches!(none, Err(RecordError::Empty { .. })));
}

#[test]
fn other_folders_are_left_alone() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("letter"), "dear").unwrap();
    let other = Store::open(home.path(), Bytes::mib(1));
    assert!(matches!(other, Err(RecordError::Other { .. })));
    assert!(matches!(Recording::open(home.path()), Err(RecordError::Other { .. })));
    let path = home.path().join("newer");
    drop(Store::open(&path, Bytes::mib(1)).unwrap());
    fs::write(path.join("arcwright-recording"), "2\n").unwrap();
    assert!(matches!(Store::open(&path, Bytes::mib(1)), Err(RecordError::Form { .. })));
}

/// An hour of a whole machine whose every counter moves at random, a reading every second.
#[test]
fn an_hour_of_seconds_is_small() {
    let machine = Machine::read(&arcwright_fixtures::machine("guest-2.3.2-healthy").unwrap());
    let mut now = machine.samples.last().unwrap().kstats.clone();
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut readings = Vec::new();
    for second in 0..3600 {
        now.at = Nanos::secs(second);
        for kstat in now.kstats.values_mut() {
            kstat.snaptime = Nanos(second * 1_000_000_000 + random(1_000_000));
            for (_, value) in kstat.rows.iter_mut() {
                if let KstatValue::U64(value) = value {
                    *value += if *value > 0 { random(1000) } else { 0 };
                }
            }
        }
        readings.push(now.clone());
    }
    let bytes = arcwright_recording::Block::of(&readings).to_bytes().len();
    let day = Bytes(bytes as u64 * 24);
    assert!(day < Bytes::mib(64), "{day} a day");
}

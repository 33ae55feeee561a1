//! What somebody sees who follows the counters while the model runs.

use arcwright_model::Model;
use arcwright_scenario::{CounterReading, Engine, Event, RunRequest, Scenario, Unwatched, Watch};
use arcwright_units::{Bytes, Nanos};

/// Collects readings, and stops after so many.
struct Reader {
    every: Nanos,
    most: usize,
    seen: Vec<CounterReading>,
}

impl Watch for Reader {
    fn event(&mut self, event: Event) {
        if let Event::Reading(reading) = event {
            self.seen.push(*reading);
        }
    }

    fn stop(&self) -> bool {
        self.seen.len() >= self.most
    }

    fn reading_every(&self) -> Option<Nanos> {
        Some(self.every)
    }
}

fn request() -> RunRequest {
    let text = include_str!("../../../../scenarios/steam-library.toml");
    let mut scenario = Scenario::parse(text, "steam-library.toml").unwrap();
    scenario.arms.truncate(2);
    RunRequest { scenario, repeats: 1 }
}

fn read(most: usize) -> (arcwright_scenario::Outcome, Vec<CounterReading>) {
    let mut reader = Reader { every: Nanos::SECOND, most, seen: Vec::new() };
    let mut model = Model { scale: Some(32), ..Model::default() };
    let outcome = model.run(&request(), &mut reader).unwrap();
    (outcome, reader.seen)
}

#[test]
fn who_looks_changes_nothing() {
    let mut model = Model { scale: Some(32), ..Model::default() };
    let unseen = model.run(&request(), &mut Unwatched).unwrap();
    let (seen, readings) = read(usize::MAX);
    assert_eq!(seen, unseen);
    // One a second and one at each end: two arms of four reads of a minute or so.
    assert!(readings.len() > 100, "{}", readings.len());
}

#[test]
fn counters_only_grow_while_an_arm_runs() {
    let (outcome, readings) = read(usize::MAX);
    for pair in readings.windows(2).filter(|pair| pair[0].arm == pair[1].arm) {
        assert!(pair[0].kstats.at < pair[1].kstats.at);
        for row in ["hits", "misses", "l2_feeds", "demand_data_hits"] {
            let at = |index: usize| pair[index].kstats.get("zfs/arcstats", row);
            assert!(at(0).is_some() && at(0) <= at(1), "{row}: {:?} {:?}", at(0), at(1));
        }
        let moved = |index: usize| pair[index].devices.iter().map(|device| device.read_bytes.0);
        assert!(moved(0).sum::<u64>() <= moved(1).sum());
    }
    let arms: std::collections::BTreeSet<&str> =
        readings.iter().map(|reading| reading.arm.as_str()).collect();
    assert_eq!(arms.len(), outcome.arms.len());
}

#[test]
fn who_has_seen_enough_ends_the_run() {
    let (outcome, readings) = read(5);
    assert_eq!(readings.len(), 5);
    assert!(outcome.interrupted);
    assert!(outcome.arms.is_empty(), "the first arm did not end");
}

#[test]
fn what_clients_write_is_told_where_they_do_nothing_else() {
    let (_, reads) = read(5);
    let moved = |reading: &CounterReading| (reading.moved.is_some(), reading.written);
    assert!(reads.iter().all(|reading| moved(reading) == (true, Some(Bytes::ZERO))));
    let text = include_str!("../../../../scenarios/vm-sync-writes.toml");
    let mut scenario = Scenario::parse(text, "vm-sync-writes.toml").unwrap();
    scenario.arms.truncate(1);
    let mut reader = Reader { every: Nanos::SECOND, most: 5, seen: Vec::new() };
    let request = RunRequest { scenario, repeats: 1 };
    // It ends early, as the reader has seen enough.
    let _ended = Model { scale: Some(32), ..Model::default() }.run(&request, &mut reader);
    let last = reader.seen.last().unwrap();
    assert_eq!(last.moved, Some(Bytes::ZERO));
    assert!(last.written > Some(Bytes::ZERO), "{:?}", last.written);
}

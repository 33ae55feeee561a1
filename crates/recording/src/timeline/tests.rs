//! Laws of a timeline: what was counted is in it once, however the readings were packed, and nothing of a gap is.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_units::Nanos;
use proptest::prelude::*;

use super::{Timeline, TimelineMeasure, TimelineSpan};
use crate::{Block, Counts, gaps};

const COLUMNS: usize = 50;

fn table(path: &str, rows: &[(&str, u64)]) -> NamedKstat {
    let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), KstatValue::U64(*value)));
    NamedKstat::of_rows(path, rows.collect())
}

/// A reading: the ARC, a dataset, a disk; `loaded` is when the module was.
fn reading(second: u64, loaded: u64, count: u64) -> Snapshot {
    let rows = [("hits", count), ("misses", count), ("demand_data_misses", count), ("size", 7)];
    let arc = NamedKstat { crtime: Nanos(loaded), ..table("zfs/arcstats", &rows) };
    let mut dataset = table("zfs/tank/objset-0x36", &[("nread", count * 3), ("reads", count)]);
    dataset.rows.push(("dataset_name".to_owned(), KstatValue::Text("tank/a".to_owned())));
    let rows = [("read_bytes", count * 2), ("busy_ms", second * 500), ("reads", count)];
    let disks = ["sda", "sdb"].map(|name| table(&format!("disks/{name}"), &rows));
    let tables = [arc, dataset].into_iter().chain(disks).collect();
    Snapshot::from_kstats(Nanos::secs(second), tables)
}

/// Returns the timeline of readings that lie in blocks of these sizes.
fn timeline(readings: &[Snapshot], size: usize) -> Timeline {
    let counts: Vec<Counts> = Block::of(readings).counts();
    let at = |counts: Option<&Counts>| counts.map_or(Nanos::ZERO, |counts| counts.at);
    let span = TimelineSpan {
        from: at(counts.first()),
        to: at(counts.last()),
        gaps: gaps(&counts),
        disks: BTreeMap::from([("sda".to_owned(), "data".to_owned())]),
    };
    let mut timeline = Timeline::new(span, COLUMNS);
    readings.chunks(size).for_each(|some| timeline.take(&Block::of(some)));
    timeline
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * one.abs().max(other.abs()).max(1.0)
}

/// Readings at rising seconds, mostly one after the other, whose counters rise; some begin anew.
fn readings() -> impl Strategy<Value = Vec<Snapshot>> {
    let step = (prop_oneof![9 => 1_u64..3, 1 => 50_u64..500], 0_u64..1000, 0_u8..20);
    proptest::collection::vec(step, 2..80).prop_map(|steps| {
        let (mut second, mut loaded, mut count) = (0, 1, 0);
        let reading = |(step, more, chance)| {
            second += step;
            count += more;
            if chance == 0 {
                (loaded, count) = (loaded + 1, more);
            }
            reading(second, loaded, count)
        };
        steps.into_iter().map(reading).collect()
    })
}

proptest! {
    #[test]
    fn what_was_counted_outside_gaps_is_there_once(readings in readings(), size in 1_usize..30) {
        let whole = timeline(&readings, readings.len());
        let parts = timeline(&readings, size);
        let count = |reading: &Snapshot| reading.get("zfs/arcstats", "demand_data_misses").unwrap();
        let pairs = readings.windows(2).filter(|pair| {
            !whole.span.gaps.iter().any(|gap| gap.from == pair[0].at)
        });
        let (mut misses, mut seconds) = (0, 0);
        for pair in pairs {
            misses += count(&pair[1]) - count(&pair[0]);
            seconds += (pair[1].at.0 - pair[0].at.0) / 1_000_000_000;
        }
        for found in [&whole, &parts] {
            prop_assert!(near(found.covered_s, seconds as f64));
            let total = |measure| found.measures.get(&measure).map_or(0.0, |it| it.total());
            prop_assert!(near(total(TimelineMeasure::DemandDataMisses), misses as f64));
            prop_assert!(near(total(TimelineMeasure::ProgramsRead), 3.0 * misses as f64));
            // Of two disks the one that no pool uses is left out.
            prop_assert!(near(total(TimelineMeasure::DisksRead), 2.0 * misses as f64));
            prop_assert!(!found.disks.contains_key("sdb"));
            let read = found.datasets.get("tank/a").and_then(|totals| totals.read);
            prop_assert_eq!(read.unwrap_or(0), 3 * misses);
            if let Some(size) = found.measures.get(&TimelineMeasure::ArcSize).and_then(|it| it.mean()) {
                prop_assert!(near(size, 7.0));
            }
            // What was never counted is absent, not zero.
            prop_assert!(!found.measures.contains_key(&TimelineMeasure::L2Hits));
        }
        prop_assert_eq!(whole.datasets, parts.datasets);
    }
}

#[test]
fn a_gap_has_no_columns() {
    let before = (0..20).map(|second| reading(second, 1, second * 10));
    let after = (80..100).map(|second| reading(second, 2, second));
    let readings: Vec<Snapshot> = before.chain(after).collect();
    let timeline = timeline(&readings, 7);
    assert_eq!(timeline.span.gaps.len(), 1);
    let misses: Vec<Option<f64>> = timeline.measures[&TimelineMeasure::DemandDataMisses]
        .ranges()
        .map(|at| Some(at?.mean))
        .collect();
    assert!(misses[..9].iter().all(|rate| rate.is_some_and(|rate| near(rate, 10.0))));
    assert!(misses[11..39].iter().all(Option::is_none));
    assert!(misses[42..].iter().all(|rate| rate.is_some_and(|rate| near(rate, 1.0))));
    let busy = timeline.disks["sda"].busy.mean();
    assert!(busy.is_some_and(|busy| near(busy, 0.5)));
}

//! Laws of a recording: what was put in comes out, whatever it was, and a cut takes the youngest alone.

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_units::Nanos;
use proptest::prelude::*;

use crate::{Block, Counts, RecordingError, Segment, Shrink, Tail, busiest, longest, shrink};

fn value() -> impl Strategy<Value = KstatValue> {
    prop_oneof![
        any::<i32>().prop_map(KstatValue::I32),
        any::<u32>().prop_map(KstatValue::U32),
        any::<i64>().prop_map(KstatValue::I64),
        any::<u64>().prop_map(KstatValue::U64),
        any::<i64>().prop_map(KstatValue::Long),
        any::<u64>().prop_map(KstatValue::ULong),
        "\\PC{0,5}".prop_map(KstatValue::Char),
        "\\PC{0,5}".prop_map(KstatValue::Text),
    ]
}

/// Readings of few tables, so that layouts repeat, with values of every kind.
fn readings() -> impl Strategy<Value = Vec<Snapshot>> {
    let kstat = ("[ab]", proptest::collection::vec(("[xy]{1,2}", value()), 0..4), 0_u64..3);
    let tables = proptest::collection::vec(kstat, 0..3);
    proptest::collection::vec(tables, 0..12).prop_map(|all| {
        let numbered = all.into_iter().zip(1_u64..);
        let reading = numbered.map(|(tables, second)| {
            let kstats = tables.into_iter().map(|(name, rows, crtime)| {
                let path = format!("zfs/{name}");
                let snaptime = Nanos(second * 7);
                NamedKstat { crtime: Nanos(crtime), snaptime, ..NamedKstat::of_rows(&path, rows) }
            });
            Snapshot::from_kstats(Nanos::secs(second), kstats.collect())
        });
        reading.collect()
    })
}

fn all(block: &Block) -> Vec<Snapshot> {
    (0..block.len()).filter_map(|number| block.reading(number)).collect()
}

fn arc(second: u64, loaded: u64, hits: u64, misses: u64) -> Snapshot {
    let rows = [("hits", hits), ("misses", misses)];
    let rows = rows.map(|(name, value)| (name.to_owned(), KstatValue::U64(value))).to_vec();
    let kstat = NamedKstat { crtime: Nanos(loaded), ..NamedKstat::of_rows("zfs/arcstats", rows) };
    Snapshot::from_kstats(Nanos::secs(second), vec![kstat])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_is_packed_is_read_again(readings in readings()) {
        let block = Block::of(&readings);
        prop_assert_eq!(all(&block), readings);
        let read = Block::from_bytes(&block.to_bytes());
        prop_assert_eq!(read, Ok(block));
    }

    #[test]
    fn a_cut_takes_the_youngest_alone(readings in readings(), cut in any::<prop::sample::Index>()) {
        let (mut tail, mut bytes, mut ends) = (Tail::default(), Vec::new(), vec![0]);
        for reading in &readings {
            bytes.extend(tail.push(reading));
            ends.push(bytes.len());
        }
        prop_assert_eq!(tail.bytes(), bytes.len());
        let cut = cut.index(bytes.len() + 1);
        let (read, whole) = Tail::read(&bytes[..cut]);
        let kept = ends.iter().rposition(|end| *end <= cut).unwrap();
        prop_assert_eq!(whole, ends[kept]);
        prop_assert_eq!(all(read.block()), &readings[..kept]);
        // What follows is as if nothing had been cut.
        let (mut read, mut again) = (read, bytes[..whole].to_vec());
        for reading in &readings[kept..] {
            again.extend(read.push(reading));
        }
        prop_assert_eq!(all(Tail::read(&again).0.block()), readings);
    }

    #[test]
    fn a_changed_byte_is_noticed(readings in readings(), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let block = Block::of(&readings);
        let mut bytes = block.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        // Some bits of gzip's head mean nothing.
        if let Ok(read) = Block::from_bytes(&bytes) {
            prop_assert_eq!(read, block);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _tail = Tail::read(&bytes);
        prop_assert_eq!(Block::from_bytes(&bytes), Err(RecordingError::NotOne));
        let mut packed = b"ARCREC1\n".to_vec();
        packed.extend(&bytes);
        let _refused = Block::from_bytes(&packed);
    }

    #[test]
    fn a_block_of_two_is_both(readings in readings(), cut in any::<prop::sample::Index>()) {
        let cut = cut.index(readings.len() + 1);
        let both = Block::of(&readings[..cut]).followed_by(Block::of(&readings[cut..]));
        prop_assert_eq!(both, Block::of(&readings));
    }

    #[test]
    fn thinning_keeps_the_first_the_last_and_no_more_than_needed(readings in readings()) {
        let block = Block::of(&readings);
        let thinned = block.thinned();
        prop_assert_eq!(thinned.times().next(), block.times().next());
        prop_assert_eq!(thinned.times().last(), block.times().last());
        let kept = all(&thinned);
        prop_assert!(kept.iter().all(|reading| readings.contains(reading)));
    }

    #[test]
    fn whatever_there_is_becomes_small_enough(
        spans in proptest::collection::vec((1_u64..10_000, 1_u64..4000, 1_u64..100_000), 0..20),
        limit in 0_u64..200_000,
    ) {
        let mut at = 0;
        let mut segments: Vec<Segment> = Vec::new();
        for (span, readings, bytes) in spans {
            let (first, last) = (Nanos::secs(at), Nanos::secs(at + span));
            segments.push(Segment { first, last, readings, bytes });
            at += span + 1;
        }
        let mut steps = 0;
        loop {
            match shrink(&segments, limit) {
                Shrink::Nothing => break,
                Shrink::Drop(number) => drop(segments.remove(number)),
                Shrink::Thin(number) => {
                    segments[number].readings = segments[number].readings / 2 + 1;
                    segments[number].bytes = segments[number].bytes / 2 + 1;
                }
                Shrink::Merge(number) => {
                    let next = segments.remove(number + 1);
                    segments[number].last = next.last;
                    segments[number].readings += next.readings;
                    segments[number].bytes += next.bytes;
                }
            }
            steps += 1;
            prop_assert!(steps < 2000);
        }
        prop_assert!(segments.iter().map(|segment| segment.bytes).sum::<u64>() <= limit);
    }
}

#[test]
fn a_row_is_there_without_the_readings_that_lack_it() {
    let other = Snapshot::from_kstats(Nanos::secs(2), Vec::new());
    let block = Block::of(&[arc(1, 5, 10, 1), other, arc(3, 5, 30, 2)]);
    let check = |row: &str, expected: &[(u64, u64)]| {
        let expected: Vec<(Nanos, u64)> =
            expected.iter().map(|(at, value)| (Nanos::secs(*at), *value)).collect();
        assert_eq!(block.row("zfs/arcstats", row), expected, "{row}");
    };
    check("hits", &[(1, 10), (3, 30)]);
    check("misses", &[(1, 1), (3, 2)]);
    check("l2_hits", &[]);
    let counts = block.counts();
    let hits: Vec<Option<u64>> = counts.iter().map(|counts| counts.hits).collect();
    assert_eq!(hits, [Some(10), None, Some(30)]);
    assert!(counts.iter().all(|counts| counts.l2_hits.is_none()), "absent is not zero");
}

#[test]
fn the_busiest_and_the_longest_time_do_not_go_over_a_restart() {
    let reading = |(second, loaded, hits): (u64, u64, u64)| Counts {
        at: Nanos::secs(second),
        loaded: Nanos(loaded),
        hits: Some(hits),
        misses: Some(0),
        ..Counts::default()
    };
    let check = |readings: &[(u64, u64, u64)], length: u64, most: Option<_>, long: Option<_>| {
        let readings: Vec<Counts> = readings.iter().copied().map(reading).collect();
        assert_eq!(busiest(&readings, Nanos::secs(length)), most, "{readings:?}");
        assert_eq!(longest(&readings), long, "{readings:?}");
    };
    check(&[], 10, None, None);
    check(&[(0, 1, 5)], 10, None, None);
    check(&[(0, 1, 5), (10, 2, 50)], 10, None, None);
    let day = [(0, 1, 0), (10, 1, 5), (20, 1, 105), (30, 1, 110), (40, 2, 90), (50, 2, 91)];
    check(&day, 10, Some((1, 2)), Some((0, 3)));
    check(&day, 20, Some((0, 2)), Some((0, 3)));
    // Two spans as long: the later one.
    check(&[(0, 1, 0), (10, 1, 5), (20, 2, 0), (30, 2, 1)], 10, Some((0, 1)), Some((2, 3)));
}

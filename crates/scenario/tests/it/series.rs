//! Samples over time.

use arcwright_scenario::{DeviceRun, Role, SAMPLES_MAX, Sampler, Series, SeriesSample};
use arcwright_units::{Bytes, Nanos};

/// Counters of a disk of which a hundredth is moved, after so much was moved.
fn sample(moved: u64) -> SeriesSample {
    let disk = DeviceRun {
        name: "data-0-0".to_owned(),
        role: Role::Data,
        profile: "instant".to_owned(),
        part_of: None,
        link: None,
        reads: moved,
        writes: 0,
        flushes: 0,
        read_bytes: Bytes(moved),
        write_bytes: Bytes::ZERO,
        seeks: moved / 100,
        busy_ns: Nanos(moved * 10),
    };
    let l2arc_size = Some(Bytes(1000 - moved.min(1000)));
    let demand = Some([Bytes(moved / 2), Bytes(moved / 4), Bytes(moved / 4)]);
    SeriesSample {
        moved: Bytes(moved),
        written: Bytes::ZERO,
        demand,
        l2arc_size,
        devices: vec![disk],
    }
}

fn seconds(tenths: u64) -> Nanos {
    Nanos(tenths * 100_000_000)
}

/// Returns what is made of readings of what was moved, at tenths of a second; the last ends the phase.
fn series(readings: &[(u64, u64)]) -> Option<Series> {
    let start = seconds(70);
    let mut sampler = Sampler::new(start);
    let (last, before) = readings.split_last().unwrap();
    before.iter().for_each(|(at, moved)| sampler.take(start + seconds(*at), &sample(*moved)));
    sampler.end(start + seconds(last.0), &sample(last.1))
}

#[test]
fn each_second_has_what_was_moved_in_it() {
    let check = |readings: &[(u64, u64)], expected: &[u64]| {
        let series = series(readings).unwrap();
        let moved: Vec<u64> = series.bytes.iter().map(|bytes| bytes.0).collect();
        assert_eq!(moved, expected, "{readings:?}");
        assert_eq!(series.duration_ns, seconds(readings.last().unwrap().0));
        assert_eq!(series.devices[0].busy_ns.len(), moved.len());
    };
    check(&[(0, 0), (10, 100), (20, 300)], &[100, 200]);
    // What was read between two steps grew evenly.
    check(&[(0, 0), (15, 30), (20, 50)], &[20, 30]);
    check(&[(0, 0), (40, 400)], &[100, 100, 100, 100]);
    // The last step may be shorter.
    check(&[(0, 0), (10, 100), (13, 130)], &[100, 30]);
    // What happened before the first client began is no part of it.
    check(&[(0, 50), (10, 150)], &[100]);
    check(&[(0, 7), (0, 7)], &[]);
    assert_eq!(Sampler::new(seconds(100)).end(seconds(50), &sample(0)), None);
}

#[test]
fn a_size_is_that_at_the_end_of_a_step() {
    let series = series(&[(0, 0), (10, 100), (20, 300)]).unwrap();
    assert_eq!(series.l2arc_size.unwrap(), [Bytes(900), Bytes(700)]);
    assert_eq!(series.demand.unwrap().hit_bytes, [Bytes(50), Bytes(100)]);
}

#[test]
fn however_long_a_phase_is_its_samples_are_bounded_and_lose_nothing() {
    for length in [1, 239, 240, 241, 480, 481, 1000, 100_000] {
        let readings: Vec<(u64, u64)> =
            (0..=length).map(|second| (second * 10, second * 7)).collect();
        let series = series(&readings).unwrap();
        assert!(series.bytes.len() <= SAMPLES_MAX, "{length}: {}", series.bytes.len());
        assert!(series.bytes.len() as u64 >= (length / 2).min(SAMPLES_MAX as u64 / 2), "{length}");
        assert_eq!(series.bytes.iter().copied().sum::<Bytes>(), Bytes(length * 7));
        assert_eq!(series.interval_ns.0 % Nanos::SECOND.0, 0);
        let steps = length.div_ceil(series.interval_ns.0 / Nanos::SECOND.0);
        assert_eq!(series.bytes.len() as u64, steps, "{length}");
    }
}

#[test]
fn of_many_devices_the_busiest_stay() {
    let many = |times: u64| {
        let mut all = sample(0);
        let device = all.devices[0].clone();
        let busy = |number: u64| Nanos(if number >= 68 { number * times } else { times });
        let of = |number: u64| DeviceRun {
            name: format!("data-0-{number}"),
            busy_ns: busy(number),
            ..device.clone()
        };
        all.devices = (0..100).map(of).collect();
        all
    };
    let mut sampler = Sampler::new(Nanos::ZERO);
    sampler.take(Nanos::ZERO, &many(0));
    let series = sampler.end(Nanos::SECOND, &many(1000)).unwrap();
    let names: Vec<String> = series.devices.into_iter().map(|device| device.name).collect();
    assert_eq!(names, (68..100).map(|number| format!("data-0-{number}")).collect::<Vec<_>>());
}

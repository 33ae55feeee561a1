//! Repeats summed up.

use std::collections::BTreeMap;

use arcwright_scenario::{
    ArmOutcome, ArmRun, Bucket, ClientRun, DeviceRun, Latency, PhaseRun, Role,
};
use arcwright_units::{Bytes, Nanos, Rate};

fn latency(buckets: &[(u64, u64)]) -> Latency {
    let buckets: Vec<Bucket> =
        buckets.iter().map(|&(below, count)| Bucket { below_ns: Nanos(below), count }).collect();
    let count = buckets.iter().map(|bucket| bucket.count).sum();
    let (min_ns, max_ns, mean_ns) = (Nanos(5), Nanos(900), Nanos(100));
    Latency { count, min_ns, mean_ns, max_ns, buckets, ..Latency::default() }
}

fn phase(number: u64, ratio: Option<f64>, buckets: &[(u64, u64)]) -> PhaseRun {
    let bytes = Bytes(number);
    let device = DeviceRun {
        name: "data-0-0".to_owned(),
        role: Role::Data,
        profile: "instant".to_owned(),
        part_of: None,
        link: None,
        reads: number,
        writes: number,
        flushes: 0,
        read_bytes: bytes,
        write_bytes: bytes,
        seeks: number,
        busy_ns: Nanos(number),
    };
    let client = ClientRun {
        name: "read test.dat".to_owned(),
        bytes,
        operations: number,
        duration_ns: Nanos(number),
        throughput_bytes_per_sec: Rate(number),
        ended_ns: Some(Nanos(number)),
        latency: None,
    };
    let rows = BTreeMap::from([("hits".to_owned(), -(number as i64))]);
    PhaseRun {
        name: "first read".to_owned(),
        bytes,
        operations: number,
        duration_ns: Nanos(number),
        throughput_bytes_per_sec: Rate(number),
        arc_hit_ratio: ratio,
        l2arc_hit_ratio: None,
        arc_bytes: Some(bytes),
        l2arc_read_bytes: bytes,
        l2arc_write_bytes: bytes,
        device_read_bytes: bytes,
        device_write_bytes: bytes,
        devices: vec![device],
        clients: vec![client],
        latency: latency(buckets),
        metadata_hit_ratio: None,
        sync_latency: None,
        log_bytes_max: None,
        warm_up: None,
        reads_by_class: None,
        series: None,
        kstats: BTreeMap::from([("arcstats".to_owned(), rows)]),
    }
}

fn outcome(phases: Vec<PhaseRun>) -> ArmOutcome {
    let runs =
        phases.into_iter().zip(0..).map(|(phase, repeat)| ArmRun { repeat, phases: vec![phase] });
    ArmOutcome::from_runs("arm".to_owned(), Vec::new(), runs.collect())
}

#[test]
fn one_run_is_kept_as_it_is() {
    let run = phase(7, Some(0.5), &[(10, 1)]);
    assert_eq!(outcome(vec![run.clone()]).phases, [run]);
    assert!(outcome(Vec::new()).phases.is_empty());
}

#[test]
fn every_number_is_the_median() {
    let runs = [(30, Some(0.9)), (10, None), (20, Some(0.1))];
    let runs = runs.map(|(number, ratio)| phase(number, ratio, &[(10, 1)])).to_vec();
    let got = &outcome(runs).phases[0];
    assert_eq!((got.bytes, got.operations, got.duration_ns), (Bytes(20), 20, Nanos(20)));
    assert_eq!(got.throughput_bytes_per_sec, Rate(20));
    assert_eq!((got.arc_hit_ratio, got.l2arc_hit_ratio), (Some(0.5), None));
    assert_eq!((got.devices[0].reads, got.clients[0].bytes), (20, Bytes(20)));
    assert_eq!(got.kstats["arcstats"]["hits"], -20);
}

#[test]
fn of_an_even_number_the_middle_two_count() {
    let runs = [10, 20, 41, 90].map(|number| phase(number, None, &[])).to_vec();
    assert_eq!(outcome(runs).phases[0].operations, 30);
}

#[test]
fn histograms_are_merged_before_percentiles_are_read_off() {
    let runs =
        vec![phase(1, None, &[(10, 90), (100, 10)]), phase(1, None, &[(10, 90), (1000, 10)])];
    let got = &outcome(runs).phases[0].latency;
    assert_eq!((got.count, got.mean_ns), (200, Nanos(100)));
    assert_eq!((got.p50_ns, got.p95_ns), (Nanos(10), Nanos(100)));
    // The end of the last bucket is 1000 ns, but nothing took longer than 900.
    assert_eq!((got.p99_ns, got.max_ns), (Nanos(900), Nanos(900)));
    assert_eq!(got.buckets.len(), 3);
}

#[test]
fn a_run_cut_short_leaves_its_later_phases_to_the_others() {
    let first = ArmRun { repeat: 0, phases: vec![phase(1, None, &[]), phase(5, None, &[])] };
    let second = ArmRun { repeat: 1, phases: vec![phase(3, None, &[])] };
    let got = ArmOutcome::from_runs("arm".to_owned(), Vec::new(), vec![first, second]);
    let numbers: Vec<u64> = got.phases.iter().map(|phase| phase.operations).collect();
    assert_eq!(numbers, [2, 5]);
}

//! Disks behave like disks of their kind.

use arcwright_device::profile_names;
use arcwright_units::{Bytes, Nanos, Rate};

use crate::driver::{
    FLUSH, Random, closed_loop, named, random_read_iops, read, sequential, whole, write,
};

fn disks() -> impl Iterator<Item = &'static str> {
    profile_names().into_iter().filter(|name| named(name).is_rotational())
}

/// Ranges of random 4 KiB reads per second with one and with 32 under way: data sheets' average
/// seek and rotation, and reviews of the classes (simulators survey, section 6).
const IOPS: [(&str, [f64; 2], [f64; 2]); 10] = [
    ("hdd-nas-5400", [58.0, 68.0], [105.0, 150.0]),
    ("hdd-nas-7200", [74.0, 85.0], [155.0, 205.0]),
    ("hdd-enterprise-7200", [76.0, 86.0], [160.0, 220.0]),
    ("hdd-nas-8tb", [76.0, 88.0], [160.0, 220.0]),
    ("hdd-enterprise-18tb", [76.0, 86.0], [160.0, 220.0]),
    ("hdd-enterprise-24tb", [76.0, 86.0], [160.0, 220.0]),
    ("hdd-smr-4tb", [56.0, 68.0], [105.0, 150.0]),
    ("hdd-smr-8tb", [58.0, 72.0], [105.0, 160.0]),
    ("hdd-desktop-2010", [71.0, 79.0], [140.0, 200.0]),
    ("hdd-microserver", [71.0, 79.0], [140.0, 200.0]),
];

#[test]
fn random_reads_per_second_are_those_of_the_class() {
    assert_eq!(IOPS.len(), disks().count());
    for (name, one, many) in IOPS {
        let (at_one, at_many) = (random_read_iops(name, 1), random_read_iops(name, 32));
        assert!((one[0]..one[1]).contains(&at_one), "{name}: {at_one} with one under way");
        assert!((many[0]..many[1]).contains(&at_many), "{name}: {at_many} with 32 under way");
        assert!((1.7..2.8).contains(&(at_many / at_one)), "{name}: {at_one} to {at_many}");
    }
}

fn near(rate: Rate, expected: Rate) -> bool {
    (rate.0 as f64 / expected.0 as f64 - 1.0).abs() < 0.05
}

#[test]
fn streams_run_at_the_rate_of_the_outer_zone() {
    for name in disks() {
        let profile = named(name);
        for depth in [1, 2, 10] {
            for size in [64 << 10, 128 << 10, 1 << 20] {
                let rate = sequential(&profile, depth, 0, read(0, size));
                let expected = profile.read_rate_max();
                assert!(near(rate, expected), "{name}: {depth} x {size}: {rate}, not {expected}");
            }
        }
    }
}

#[test]
fn written_streams_run_at_the_rate_of_the_outer_zone_once_the_buffer_is_full() {
    for name in disks() {
        let profile = named(name);
        let mut device = whole(&profile);
        let size = 1u64 << 20;
        let mut place = 0..;
        let mut next = |_| write(place.next().unwrap_or(0) * size, 1 << 20);
        let warm = closed_loop(&mut device, Nanos::ZERO, 4, 1000, &mut next);
        let run = closed_loop(&mut device, warm.end, 4, 2000, &mut next);
        let rate = Rate::of(Bytes(2000 * size), run.end - warm.end);
        assert!(near(rate, profile.write_rate_max()), "{name}: {rate}");
    }
}

#[test]
fn inner_zones_are_slower() {
    for name in disks() {
        let profile = named(name);
        let inner = profile.capacity().0 - (1 << 30);
        let rate = sequential(&profile, 2, inner / 4096 * 4096, read(0, 1 << 20));
        let share = rate.0 as f64 / profile.read_rate_max().0 as f64;
        assert!((0.4..0.6).contains(&share), "{name}: {share}");
    }
}

#[test]
fn a_stream_with_holes_loses_no_turns() {
    // Every second 128 KiB: at best half the rate, since the holes pass under the head too.
    for name in disks() {
        let profile = named(name);
        let mut device = whole(&profile);
        let size = 128u64 << 10;
        let count = 2000;
        let run = closed_loop(&mut device, Nanos::ZERO, 4, count, |index| {
            read(index as u64 * 2 * size, 128 << 10)
        });
        let rate = Rate::of(Bytes(count as u64 * size), run.end);
        let share = rate.0 as f64 / profile.read_rate_max().0 as f64;
        assert!((0.45..0.52).contains(&share), "{name}: {share} of the rate");
    }
}

#[test]
fn a_pause_in_a_stream_costs_nothing_while_the_drive_reads_ahead() {
    let profile = named("hdd-nas-7200");
    let mut device = whole(&profile);
    let first = closed_loop(&mut device, Nanos::ZERO, 1, 1, |_| read(0, 128 << 10));
    let later = first.end + Nanos::millis(5);
    let second = closed_loop(&mut device, later, 1, 1, |_| read(128 << 10, 128 << 10));
    // Overhead and 128 KiB at 550 MB/s: 0.05 + 0.24 ms.
    assert!(second.mean_ms() < 0.35, "{}", second.mean_ms());
}

#[test]
fn a_flush_waits_for_what_was_written_and_is_cheap_afterwards() {
    for name in disks() {
        let profile = named(name);
        let mut device = whole(&profile);
        let mut random = Random(3);
        let blocks = profile.capacity().0 / 4096;
        let mut next = |_| write(random.below(blocks) * 4096, 4096);
        let writes = closed_loop(&mut device, Nanos::ZERO, 1, 32, &mut next);
        assert!(writes.mean_ms() < 0.5, "{name}: buffered writes take {}", writes.mean_ms());
        let flush = closed_loop(&mut device, writes.end, 1, 1, |_| FLUSH);
        // 32 places, reordered, at something between 3 ms and a full access each; a shingled drive
        // writes them to its cache, one behind the other.
        let least = if profile.is_shingled() { 3.0 } else { 90.0 };
        assert!((least..500.0).contains(&flush.mean_ms()), "{name}: {}", flush.mean_ms());
        let again = closed_loop(&mut device, flush.end, 1, 1, |_| FLUSH);
        assert!(again.mean_ms() < 0.2, "{name}: {}", again.mean_ms());
    }
}

#[test]
fn an_idle_drive_writes_what_it_holds_before_anyone_asks() {
    let profile = named("hdd-nas-7200");
    let mut device = whole(&profile);
    let one = closed_loop(&mut device, Nanos::ZERO, 1, 1, |_| write(1 << 40, 4096));
    let later = one.end + Nanos::millis(100);
    let flush = closed_loop(&mut device, later, 1, 1, |_| FLUSH);
    assert!(flush.mean_ms() < 0.2, "{}", flush.mean_ms());
    assert_eq!(device.next_event(), None);
}

#[test]
fn reads_get_through_while_the_drive_is_flooded_with_random_writes() {
    let profile = named("hdd-nas-7200");
    let mut device = whole(&profile);
    let mut random = Random(5);
    let blocks = profile.capacity().0 / (1 << 17);
    let run = closed_loop(&mut device, Nanos::ZERO, 12, 4000, |index| {
        let offset = random.below(blocks) << 17;
        if index % 12 == 0 { read(offset, 1 << 17) } else { write(offset, 1 << 17) }
    });
    let latency_max = run.latencies.iter().copied().max().unwrap_or_default();
    assert!(latency_max < Nanos::secs(2), "{latency_max}");
}

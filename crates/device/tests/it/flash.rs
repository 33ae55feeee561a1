//! Flash devices: floors, ceilings, the end of the fast cache, flushes, wear.

use arcwright_units::{Bytes, Nanos, Rate};

use crate::driver::{
    FLUSH, Random, closed_loop, named, random_read_iops, read, sequential, whole, write,
};

const FLASH: [&str; 7] = [
    "ssd-sata-x25m-80",
    "ssd-sata-consumer",
    "ssd-sata-plp",
    "nvme-consumer",
    "nvme-plp",
    "nvme-pm9a3",
    "nvme-optane-m10-16",
];

/// Those with power-loss protection.
const PROTECTED: [&str; 4] = ["ssd-sata-plp", "nvme-plp", "nvme-pm9a3", "nvme-optane-m10-16"];

/// 4 KiB reads: microseconds with one under way; per second with 64 under way, from data sheets.
const READS: [(&str, [f64; 2], [f64; 2]); 7] = [
    ("ssd-sata-x25m-80", [75.0, 120.0], [30e3, 37e3]),
    ("ssd-sata-consumer", [90.0, 110.0], [85e3, 100e3]),
    ("ssd-sata-plp", [105.0, 130.0], [80e3, 98e3]),
    ("nvme-consumer", [65.0, 75.0], [350e3, 510e3]),
    ("nvme-plp", [80.0, 95.0], [300e3, 510e3]),
    ("nvme-pm9a3", [80.0, 95.0], [400e3, 910e3]),
    ("nvme-optane-m10-16", [7.0, 14.0], [150e3, 195e3]),
];

#[test]
fn small_reads_have_the_floor_and_the_ceiling_of_the_class() {
    for (name, micros, iops) in READS {
        let one = 1e6 / random_read_iops(name, 1);
        assert!((micros[0]..micros[1]).contains(&one), "{name}: {one} us");
        let many = random_read_iops(name, 64);
        assert!((iops[0]..iops[1]).contains(&many), "{name}: {many}/s");
    }
}

#[test]
fn streams_run_at_the_rates_of_the_data_sheet() {
    for name in FLASH {
        let profile = named(name);
        let rate = sequential(&profile, 8, 0, read(0, 128 << 10));
        let share = rate.0 as f64 / profile.read_rate_max().0 as f64;
        assert!((0.95..=1.0).contains(&share), "{name}: {share} of the read rate");
        let rate = sequential(&profile, 8, 0, write(0, 128 << 10));
        let share = rate.0 as f64 / profile.write_rate_max().0 as f64;
        assert!((0.95..=1.0).contains(&share), "{name}: {share} of the write rate");
    }
}

#[test]
fn the_fast_cache_ends_and_idle_time_brings_it_back() {
    // Scaled by 32, so that 42 GiB of cache are 1.3 GiB.
    let profile = named("nvme-consumer").scaled(32);
    let mut device = whole(&profile);
    let mut place = 0..;
    let mut burst = |start: Nanos, count: usize| {
        let next = |_| write(place.next().unwrap_or(0) << 20, 1 << 20);
        let run = closed_loop(&mut device, start, 4, count, next);
        (Rate::of(Bytes::mib(count as u64), run.end - start).0 as f64 * 32.0, run.end)
    };
    let (fast, end) = burst(Nanos::ZERO, 1024);
    assert!((2.3e9..2.6e9).contains(&fast), "{fast}");
    let (_, end) = burst(end, 512);
    let (slow, end) = burst(end, 512);
    assert!((1.1e9..1.3e9).contains(&slow), "{slow}");
    let (again, _) = burst(end + Nanos::secs(60), 1024);
    assert!((2.3e9..2.6e9).contains(&again), "{again}");
}

#[test]
fn a_flush_costs_much_only_without_power_loss_protection_and_after_a_write() {
    for name in FLASH {
        let mut device = whole(&named(name));
        let run = closed_loop(&mut device, Nanos::ZERO, 1, 1, |_| write(0, 4096));
        let flush = closed_loop(&mut device, run.end, 1, 1, |_| FLUSH);
        let is_protected = PROTECTED.contains(&name);
        let expected = if is_protected { 0.015..0.1 } else { 0.5..5.0 };
        assert!(expected.contains(&flush.mean_ms()), "{name}: {} ms", flush.mean_ms());
        let again = closed_loop(&mut device, flush.end, 1, 1, |_| FLUSH);
        assert!(again.mean_ms() < 0.05, "{name}: {} ms for nothing", again.mean_ms());
    }
}

#[test]
fn reads_are_slower_while_the_device_programs() {
    // What is written in place makes no read wait for a program.
    for name in FLASH.into_iter().filter(|name| !name.contains("optane")) {
        let mut random = Random(1);
        let mut device = whole(&named(name));
        let alone = closed_loop(&mut device, Nanos::ZERO, 1, 1, |_| read(1 << 33, 4096));
        for ticket in 1..20 {
            device.submit(alone.end, ticket, write(random.below(1 << 20) << 12, 128 << 10));
        }
        device.submit(alone.end, 0, read(1 << 32, 4096));
        let mut done = Vec::new();
        device.advance(alone.end + Nanos::secs(1), &mut done);
        let read_end = done.iter().find(|completion| completion.ticket == 0).unwrap().at;
        let beside = (read_end - alone.end).as_secs_f64() * 1e3;
        assert!(beside > 1.3 * alone.mean_ms(), "{name}: {} to {beside} ms", alone.mean_ms());
    }
}

#[test]
fn wear_is_what_was_written_times_the_amplification() {
    for name in FLASH {
        let profile = named(name);
        let mut device = whole(&profile);
        closed_loop(&mut device, Nanos::ZERO, 4, 100, |index| write((index as u64) << 20, 1 << 20));
        let counters = device.counters();
        let ratio = counters.worn_bytes.0 as f64 / counters.write_bytes.0 as f64;
        assert!((1.0..1.5).contains(&ratio), "{name}: {ratio}");
        assert!(profile.endurance().is_some_and(|endurance| endurance > profile.capacity()));
    }
}

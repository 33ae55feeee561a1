//! A probe of the model of a device finds the parameters that the model was given.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests; a failure here is a failed test"
)]

use arcwright_device::probe::{
    DeviceFile, EmulatedTarget, ProbeError, ProbePlan, ProbeRead, ProbeTarget, ReadTime, probe,
};
use arcwright_device::{DeviceProfile, ValueBasis, profile};
use arcwright_units::{Bytes, Nanos};
use toml::Table;

/// Probes the model of a profile, with the rest of the values from another one.
fn probed(name: &str, like: &str, seed: u64) -> DeviceFile {
    let mut target = EmulatedTarget::new(&profile(name).unwrap());
    let file = probe(&mut target, &ProbePlan { like, seconds: 60, seed });
    let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(target.elapsed() < Nanos::secs(55), "{name} takes {}", target.elapsed());
    file
}

/// Returns the values of a file; those of all tables together.
fn values(text: &str) -> Table {
    let mut all = Table::new();
    let file: Table = text.parse().unwrap();
    let mut tables = vec![file];
    while let Some(table) = tables.pop() {
        for (key, value) in table {
            match value {
                toml::Value::Table(table) if key != "basis" => tables.push(table),
                value => drop(all.insert(key, value)),
            }
        }
    }
    all
}

fn number(values: &Table, key: &str) -> f64 {
    let value = &values[key];
    value.as_float().or_else(|| value.as_integer().map(|value| value as f64)).unwrap()
}

/// Returns a profile's own file.
fn own(name: &str) -> Table {
    let path = format!("{}/profiles/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    #[expect(clippy::disallowed_methods, reason = "the test looks at the files that users get")]
    values(&std::fs::read_to_string(path).unwrap())
}

fn points(values: &Table) -> Vec<(f64, f64)> {
    let point = |point: &toml::Value| {
        let point = point.as_array().unwrap();
        let number = |at: usize| {
            let value = &point[at];
            value.as_float().or_else(|| value.as_integer().map(|value| value as f64)).unwrap()
        };
        (number(0), number(1))
    };
    values["seek_ms"].as_array().unwrap().iter().map(point).collect()
}

/// Returns the curve's time at a distance: by the square root between points, then straight.
fn way(curve: &[(f64, f64)], distance: f64) -> f64 {
    let next = curve.partition_point(|point| point.0 < distance).clamp(1, curve.len() - 1);
    let (one, other) = (curve[next - 1], curve[next]);
    let form = |value: f64| if distance > other.0 { value } else { value.sqrt() };
    let share = (form(distance) - form(one.0)) / (form(other.0) - form(one.0));
    one.1 + share * (other.1 - one.1)
}

fn near(name: &str, key: &str, found: f64, given: f64) {
    assert!((found / given - 1.0).abs() < 0.1, "{name}: {key} is {given}, found {found}");
}

#[test]
fn a_disk_is_found_again() {
    for (name, like) in [
        ("hdd-nas-7200", "hdd-nas-7200"),
        ("hdd-nas-5400", "hdd-nas-5400"),
        ("hdd-enterprise-18tb", "hdd-enterprise-18tb"),
        ("hdd-nas-5400", "hdd-enterprise-24tb"),
        ("hdd-desktop-2010", "hdd-nas-5400"),
    ] {
        for seed in 1..4 {
            let file = probed(name, like, seed);
            let (found, given) = (values(&file.text("found")), own(name));
            for key in ["rpm", "outer_bytes_per_sec", "inner_bytes_per_sec"] {
                near(name, key, number(&found, key), number(&given, key));
            }
            assert_eq!(found["rpm"], given["rpm"], "{name}");
            // A cylinder of a disk with other heads is another distance.
            if name == like {
                let key = "overhead_hit_ms";
                near(name, key, number(&found, key), number(&given, key));
                let (found, given) = (points(&found), points(&given));
                assert!(found.len() >= 7, "{name}: {found:?}");
                for (distance, time) in found {
                    let key = format!("seek_ms at {distance}, seed {seed}");
                    near(name, &key, time, way(&given, distance));
                }
            }
        }
    }
}

#[test]
fn flash_is_found_again() {
    for (name, like) in [
        ("ssd-sata-consumer", "ssd-sata-plp"),
        ("nvme-plp", "nvme-consumer"),
        ("nvme-consumer", "nvme-consumer"),
        ("nvme-optane-m10-16", "nvme-consumer"),
        ("ssd-sata-x25m-80", "ssd-sata-consumer"),
    ] {
        let (found, given) = (values(&probed(name, like, 1).text("found")), own(name));
        for key in ["read_latency_us", "read_bytes_per_sec", "capacity_bytes"] {
            near(name, key, number(&found, key), number(&given, key));
        }
    }
}

#[test]
fn a_file_says_of_each_value_what_it_rests_on() {
    for (name, measured) in [("hdd-nas-7200", 6), ("nvme-plp", 5)] {
        let file = probed(name, name, 7);
        let text = file.text("my \"own\"\n\u{1b}[2J\\ device");
        let read = DeviceProfile::parse("own", &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.title(), "my own[2J device");
        let basis = read.basis().unwrap();
        let is_measured = |key: &str| basis.of(key) == Some(ValueBasis::Measured);
        assert!(file.values().iter().all(|value| is_measured(value.key)), "{text}");
        assert_eq!(file.values().len(), measured, "{text}");
        assert!(text.contains(&format!("# from {name} (unverified)")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }
}

type Answer = fn() -> Result<Vec<ReadTime>, ProbeError>;

/// A device that does something wrong after some reads.
struct Faulty {
    inner: EmulatedTarget,
    size: Bytes,
    left: usize,
    fault: Answer,
}

impl ProbeTarget for Faulty {
    fn size(&self) -> Bytes {
        self.size
    }

    fn read(&mut self, reads: &[ProbeRead], depth: usize) -> Result<Vec<ReadTime>, ProbeError> {
        for read in reads {
            assert!(read.size > 0 && read.size % 4096 == 0 && read.offset % 4096 == 0, "{read:?}");
            assert!(read.offset + u64::from(read.size) <= self.size.0, "{read:?} of {}", self.size);
        }
        if self.left == 0 {
            return (self.fault)();
        }
        self.left -= 1;
        self.inner.read(reads, depth)
    }

    fn progress(&mut self, _: &str, share: f64) {
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
}

#[test]
fn whatever_a_device_does_ends_with_a_file_or_a_reason() {
    let faults: [Answer; 5] = [
        || Err(ProbeError::Stopped),
        || Err(ProbeError::Read { offset: 4096, reason: "Input/output error".to_owned() }),
        || Ok(Vec::new()),
        || Ok(vec![ReadTime { begin: Nanos::ZERO, end: Nanos::ZERO }; 40]),
        || Ok(vec![ReadTime { begin: Nanos::ZERO, end: Nanos::MAX }; 40]),
    ];
    for name in ["hdd-nas-5400", "nvme-plp"] {
        let profile = profile(name).unwrap();
        for fault in faults {
            for left in [0, 1, 2, 5, 9, 10, 11, 12, 13, 50, 100, 255, 300] {
                let inner = EmulatedTarget::new(&profile);
                let mut target = Faulty { inner, size: profile.capacity(), left, fault };
                let plan = ProbePlan { like: name, seconds: 20, seed: 1 };
                if let Ok(file) = probe(&mut target, &plan) {
                    assert!(file.profile("x").is_ok(), "{name} {left}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let check = |size: Bytes, like: &str, expected: &str| {
        let inner = EmulatedTarget::new(&profile("nvme-plp").unwrap());
        let mut target = Faulty { inner, size, left: usize::MAX, fault: || Ok(Vec::new()) };
        let error = probe(&mut target, &ProbePlan { like, seconds: 60, seed: 1 }).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(Bytes::ZERO, "nvme-plp", "it has 0 B, and at least 64 MiB are needed");
    check(Bytes::gib(15), "hdd-nas-5400", "at least 16 GiB are needed");
    check(Bytes::gib(800), "hdd-nas-540", "no device profile is called “hdd-nas-540”");
    check(Bytes::gib(800), "instant", "no device profile is called “instant”");
    check(Bytes::gib(800), "hdd-nas-5400", "which is no turn of a disk; is it flash");
}

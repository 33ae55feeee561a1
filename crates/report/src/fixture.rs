//! Outcomes made by hand for the tests of this crate.

use std::collections::BTreeMap;

use arcwright_scenario::{
    AppliedSetting, Arm, ArmOutcome, ArmRun, CacheContent, Compression, DeviceRun, Disk,
    Encryption, EngineFacts, Figure, FileSpec, Kernel, LabSettings, Latency, Logbias, Outcome,
    OutputVersion, Phase, PhaseRun, PoolSpec, Reported, Role, Scenario, SyncMode, System,
    VdevLayout, VdevSpec,
};
use arcwright_units::{Bytes, Nanos, Rate};
use arcwright_workload::Client;

/// The Steam library: two arms, two phases, reported figures.
pub(crate) fn steam() -> Outcome {
    outcome(&[("as installed", [324, 226]), ("dumb LRU", [333, 1440])])
}

/// Arms of the Steam library with their throughput in MiB/s.
pub(crate) fn outcome(arms: &[(&str, [u64; 2])]) -> Outcome {
    Outcome {
        output_version: OutputVersion::current(),
        scenario: scenario(arms),
        engine: EngineFacts {
            name: "lab".to_owned(),
            openzfs: "2.1.11".to_owned(),
            scale: 32,
            motion: Some(4.0),
            seed: 1,
            wall_ns: Nanos::secs(90),
        },
        arms: arms.iter().map(|(name, speeds)| arm(name, *speeds)).collect(),
        interrupted: false,
        notes: vec!["Prefetch distances do not scale.".to_owned()],
        ranges: None,
    }
}

fn arm(name: &str, [first, second]: [u64; 2]) -> ArmOutcome {
    let tuned = name != "as installed";
    let cold = Origin { arc: 0, l2arc: 0, disks: 20 };
    let again = match second > first {
        true => Origin { arc: 0, l2arc: 18, disks: 2 },
        false => Origin { arc: 1, l2arc: 4, disks: 15 },
    };
    let phases = vec![
        phase("first read", first, [0.95, 0.0], cold),
        phase("second read", second, if tuned { [0.031, 0.971] } else { [0.5, 0.25] }, again),
    ];
    let setting =
        |name: &str, asked, read_back| AppliedSetting { name: name.to_owned(), asked, read_back };
    let tunables =
        vec![setting("l2arc_noprefetch", 0, 0), setting("l2arc_write_max", 1 << 30, 1 << 25)];
    ArmOutcome {
        name: name.to_owned(),
        tunables: if tuned { tunables } else { Vec::new() },
        phases: phases.clone(),
        runs: vec![ArmRun { repeat: 0, phases }],
    }
}

/// Where the bytes of a phase came from, in GiB.
#[derive(Clone, Copy)]
struct Origin {
    arc: u64,
    l2arc: u64,
    disks: u64,
}

/// A phase that moved 20 GiB, with the hit ratios of ARC and L2ARC.
fn phase(
    name: &str,
    mib_per_sec: u64,
    [arc_hits, l2arc_hits]: [f64; 2],
    origin: Origin,
) -> PhaseRun {
    let Origin { arc, l2arc, disks } = origin;
    let bytes = Bytes::gib(20);
    let rate = Rate(mib_per_sec << 20);
    PhaseRun {
        name: name.to_owned(),
        bytes,
        operations: 163_840,
        duration_ns: Nanos(rate.time_for(bytes).0 / 2 * 2),
        throughput_bytes_per_sec: rate,
        arc_hit_ratio: Some(arc_hits),
        l2arc_hit_ratio: Some(l2arc_hits),
        arc_bytes: Some(Bytes::gib(arc)),
        l2arc_read_bytes: Bytes::gib(l2arc),
        l2arc_write_bytes: Bytes::mib(if arc == 0 && l2arc == 0 { 512 } else { 1024 }),
        device_read_bytes: Bytes::gib(disks),
        device_write_bytes: Bytes::ZERO,
        devices: vec![DeviceRun {
            name: "data-0-0".to_owned(),
            role: Role::Data,
            profile: "hdd-nas-7200".to_owned(),
            part_of: None,
            link: None,
            reads: 1000,
            writes: 0,
            flushes: 0,
            read_bytes: Bytes::gib(disks),
            write_bytes: Bytes::ZERO,
            seeks: 500,
            busy_ns: Nanos::secs(10),
        }],
        clients: Vec::new(),
        latency: Latency {
            count: 163_840,
            p50_ns: Nanos::millis(1),
            p99_ns: Nanos::millis(8),
            ..Latency::default()
        },
        metadata_hit_ratio: None,
        sync_latency: None,
        log_bytes_max: None,
        warm_up: None,
        reads_by_class: None,
        series: None,
        kstats: BTreeMap::new(),
    }
}

fn scenario(arms: &[(&str, [u64; 2])]) -> Scenario {
    let disk = |profile: &str| Disk::of(profile, None);
    let read = |name: &str| Phase {
        name: name.to_owned(),
        clients: vec![Client::reader("test.dat", Bytes::kib(128))],
        pause: Nanos::ZERO,
        limit: None,
        until_warm: None,
    };
    let arm = |(name, _): &(&str, [u64; 2])| Arm { name: (*name).to_owned(), ..Arm::default() };
    Scenario {
        title: "Steam library: raidz1 with an SSD read cache".to_owned(),
        question: "Why is the second read no faster, and which settings change that?".to_owned(),
        seed: 1,
        system: System {
            zfs: "2.1.5".to_owned(),
            os: Kernel::Linux,
            memory: Bytes::gib(16),
            cpu: "nas-quad".to_owned(),
            cpu_figures: None,
            pool: PoolSpec {
                data: vec![VdevSpec {
                    layout: VdevLayout::Raidz1,
                    disks: vec![disk("hdd-nas-7200"); 3],
                }],
                cache: vec![disk("nvme-consumer")],
                log: Vec::new(),
                recordsize: Bytes::kib(128),
                compression: Compression::Off,
                encryption: Encryption::Off,
                primarycache: CacheContent::All,
                secondarycache: CacheContent::All,
                special: Vec::new(),
                sync: SyncMode::Standard,
                logbias: Logbias::Latency,
                special_small_blocks: Bytes::ZERO,
                ashift: 12,
                datasets: Vec::new(),
            },
            tunables: Vec::new(),
        },
        arms: arms.iter().map(arm).collect(),
        files: vec![FileSpec {
            name: "test.dat".to_owned(),
            size: Bytes::gib(20),
            recordsize: None,
            dataset: None,
            compressratio_percent: None,
        }],
        trees: Vec::new(),
        phases: vec![read("first read"), read("second read")],
        reported: Some(reported()),
        answers: Vec::new(),
        lab: LabSettings { scale: 32, ..LabSettings::default() },
        notes: Vec::new(),
    }
}

fn reported() -> Reported {
    let figure = |arm: &str, phase: &str, value| Figure {
        arm: arm.to_owned(),
        phase: phase.to_owned(),
        value,
    };
    Reported {
        unit: "MiB/s".to_owned(),
        figures: vec![
            figure("as installed", "first read", 324.0),
            figure("as installed", "second read", 226.0),
            figure("dumb LRU", "first read", 333.0),
            figure("dumb LRU", "second read", 1474.0),
        ],
    }
}

//! Laws of writes: what reaches the disks, who waits, and what the log holds.

use arcwright_model::{LockOps, Model, Work};
use arcwright_scenario::{Engine, PhaseRun, Role, RunRequest, Scenario, Unwatched};
use arcwright_units::Bytes;

/// Writes the whole file and reads it back, slowly enough for the last group to go to the disks.
const WRITES: &str = r#"
title = "test"
question = "test"
[system]
zfs = "VERSION"
os = "linux"
memory = "1GiB"
[system.pool]
data = [DATA]
log = [{ disk = { device = "nvme-plp", size = "1GiB" } }]
sync = "SYNC"
[system.tunables]
zfs_arc_max = "512MiB"
[[arm]]
name = "only"
[[file]]
name = "f"
size = "128MiB"
[[phase]]
name = "write"
clients = [CLIENT]
[[phase]]
name = "back"
clients = [{ read = "f", io = "128KiB", think = "20ms" }]
"#;
const WHOLE: &str = "{ write = \"f\", io = \"128KiB\" }";
const MIRROR: &str = "{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }";
const RAIDZ: &str = "{ raidz1 = [\"hdd-nas-7200\", \"hdd-nas-7200\", \"hdd-nas-7200\"] }";
const WAITING: &str =
    "{ sync-write = \"f\", io = \"16KiB\", pattern = \"random\", amount = \"32MiB\" }";

fn phases(version: &str, data: &str, sync: &str, client: &str) -> Vec<PhaseRun> {
    phases_of(WRITES, version, data, sync, client)
}

fn phases_of(text: &str, version: &str, data: &str, sync: &str, client: &str) -> Vec<PhaseRun> {
    let text = text.replace("VERSION", version).replace("DATA", data);
    let text = text.replace("SYNC", sync).replace("CLIENT", client);
    run(&mut Model::default(), &text)
}

fn run(model: &mut Model, text: &str) -> Vec<PhaseRun> {
    let scenario = Scenario::parse(text, "test.toml").unwrap();
    let request = RunRequest { scenario, repeats: 1 };
    let outcome = model.run(&request, &mut Unwatched).unwrap();
    outcome.arms.into_iter().flat_map(|arm| arm.phases).collect()
}

fn written(phases: &[PhaseRun], role: Role) -> u64 {
    let devices = phases.iter().flat_map(|phase| &phase.devices);
    devices.filter(|device| device.role == role).map(|device| device.write_bytes.0).sum()
}

/// A program that is alone waits for every part of its commit, whoever does it (docs/model/zil.md#processor-time-of-a-commit).
#[test]
fn each_part_of_a_lone_commit_is_waited_for() {
    const MORE: u32 = 100;
    let mean = |version: &str, lock_ops: LockOps| {
        let text = WRITES.replace("VERSION", version).replace("DATA", MIRROR);
        let text = text.replace("SYNC", "standard").replace("CLIENT", WAITING);
        let mut model = Model { lock_ops: Some(lock_ops), ..Model::default() };
        run(&mut model, &text)[0].latency.mean_ns.0
    };
    let parts =
        [Work::ZilCommit, Work::LwbFill, Work::LwbIssue, Work::LwbWritten, Work::LwbFlushed];
    for version in ["2.1.11", "2.3.2"] {
        // 16 KiB are copied into the record up to 2.1, and fetched later on.
        let fetch = (version == "2.3.2").then_some(Work::LogGetData);
        let counts = LockOps::of(Some(version));
        let before = mean(version, counts);
        for part in parts.into_iter().chain(fetch) {
            let count = u32::try_from(counts.count(part)).unwrap();
            let more = mean(version, counts.with(part, count + MORE)).saturating_sub(before);
            let expected = u64::from(MORE) * 100;
            // Groups begin at other requests then.
            assert!(more.abs_diff(expected) < expected / 2, "{version}, {part:?}: {more} ns");
        }
    }
}

#[test]
fn every_byte_reaches_each_disk_that_the_geometry_says_once() {
    for version in ["2.1.11", "2.3.2"] {
        // A mirror has it twice; raidz1 of three disks has half as much again.
        for (data, per_mille) in [(MIRROR, 2000), (RAIDZ, 1500)] {
            let phases = phases(version, data, "standard", WHOLE);
            let (stored, expected) = (written(&phases, Role::Data), (128 << 20) * per_mille / 1000);
            assert!(stored >= expected, "{version} {data}: {stored}");
            // What is above the data and the pool's own metadata come to a few groups' worth.
            assert!(stored < expected + (16 << 20), "{version} {data}: {stored}");
        }
    }
}

/// 4 GiB of memory let 410 MiB be dirty, half of the ARC lets less or more be new in it.
const SMALL_ARC: &str = r#"
title = "test"
question = "test"
[system]
zfs = "VERSION"
os = "linux"
memory = "4GiB"
[system.pool]
data = [DATA]
[[arm]]
name = "small"
tunables = { zfs_arc_max = "256MiB" }
[[arm]]
name = "large"
tunables = { zfs_arc_max = "2GiB" }
[[file]]
name = "f"
size = "1GiB"
[[phase]]
name = "write"
clients = [CLIENT]
"#;

#[test]
fn writers_wait_for_a_group_where_half_of_the_arc_is_new() {
    for version in ["0.7.13", "2.1.11", "2.3.2"] {
        let [small, large] =
            <[PhaseRun; 2]>::try_from(phases_of(SMALL_ARC, version, MIRROR, "", WHOLE)).unwrap();
        let held = |phase: &PhaseRun| phase.kstats["dmu_tx"]["dmu_tx_dirty_throttle"];
        assert!(held(&small) > 0, "{version}");
        assert_eq!(held(&large), 0, "{version}");
        assert!(small.duration_ns > large.duration_ns, "{version}");
    }
}

#[test]
fn what_was_written_is_read_from_memory() {
    for version in ["2.1.11", "2.3.2"] {
        let phases = phases(version, MIRROR, "standard", WHOLE);
        let back = phases.get(1).unwrap();
        assert_eq!(back.device_read_bytes, Bytes::ZERO, "{version}");
        assert!(back.arc_hit_ratio.unwrap() > 0.999, "{version}");
    }
}

#[test]
fn a_record_that_is_covered_in_part_is_read_first() {
    let part = "{ write = \"f\", io = \"16KiB\", amount = \"16KiB\" }";
    let whole = "{ write = \"f\", io = \"128KiB\", amount = \"128KiB\" }";
    for (client, data_reads) in [(part, 128 << 10), (whole, 0)] {
        let phases = phases("2.3.2", MIRROR, "standard", client);
        let read = phases.first().unwrap().device_read_bytes.0;
        // The indirect block above it is read in both cases.
        assert!(read >= data_reads && read < data_reads + (128 << 10), "{client}: {read}");
    }
}

#[test]
fn nobody_waits_longer_for_less_safety() {
    for version in ["2.1.11", "2.3.2"] {
        let time = |sync: &str| {
            let phases = phases(version, MIRROR, sync, WAITING);
            phases.first().unwrap().duration_ns
        };
        assert!(time("disabled") <= time("standard"), "{version}");
    }
}

/// docs/model/zil.md#when-log-room-is-free-again: what four groups of 5 s have logged, in 80 s that log all the time.
#[test]
fn the_log_takes_room_for_four_groups_at_most() {
    let client = "{ sync-write = \"f\", io = \"128KiB\", pattern = \"random\", amount = \"240MiB\", \
                  rate = \"3MiB/s\" }";
    for version in ["2.1.11", "2.2.2", "2.3.2"] {
        let phases = phases(version, MIRROR, "standard", client);
        let most = phases.iter().filter_map(|phase| phase.log_bytes_max).max().unwrap().0 as f64;
        let write = phases.first().unwrap();
        let seconds = write.duration_ns.0 as f64 / 1e9;
        let a_second = written(&phases, Role::Log) as f64 / seconds;
        // Blocks are up to twice as large as what is written of them.
        let bounds = a_second * 5.0..2.0 * a_second * (4.0 * 5.0 + 1.0);
        assert!(bounds.contains(&most), "{version}: {most} is not in {bounds:?}");
        assert!(bounds.end < 0.6 * a_second * seconds, "{version}: more is logged than fits");
        assert_eq!(write.sync_latency.as_ref().unwrap().count, 1920, "{version}");
    }
}

#[test]
fn from_2_4_1_on_a_record_that_is_written_in_part_leaves_with_its_dbuf() {
    let client = "{ write = \"f\", io = \"4KiB\", pattern = \"random\", amount = \"16MiB\" }";
    let read_back = |version: &str| {
        let phases = phases(version, MIRROR, "standard", client);
        phases.get(1).unwrap().device_read_bytes.0 >> 20
    };
    assert_eq!(read_back("2.3.9"), read_back("2.4.0"));
    let (kept, gone) = (read_back("2.4.0"), read_back("2.4.4"));
    assert!(gone > kept + 64, "{kept} MiB on 2.4.0, {gone} MiB on 2.4.4");
}

/// What the lab counted: 2.4.0 and before read such records on demand; then the write looks at them ahead of itself.
#[test]
fn from_2_4_1_on_a_record_that_is_written_in_part_is_read_ahead_of_the_write() {
    let client = "{ write = \"f\", io = \"4KiB\", pattern = \"random\", amount = \"4MiB\" }";
    let check = |version: &str, is_ahead: bool| {
        let phases = phases(version, MIRROR, "standard", client);
        let rows = phases.first().unwrap().kstats.get("arcstats").unwrap();
        let row = |name: &str| *rows.get(name).unwrap();
        let [demand, ahead] = ["demand_data_misses", "prefetch_data_misses"].map(row);
        let (none, all) = if is_ahead { (demand, ahead) } else { (ahead, demand) };
        assert!(all > 500 && none == 0, "{version}: {demand} on demand, {ahead} ahead");
        // Each is looked at once more, by the write itself, and is then no prefetch any more.
        let looked_at = ["demand_hit_prescient_prefetch", "prescient_prefetch"];
        let looked_at = looked_at.map(|name| rows.get(name).copied());
        let expected = if version == "2.1.11" { None } else { Some(ahead) };
        assert_eq!(looked_at, [expected; 2], "{version}");
        assert!(row("demand_data_hits") >= all, "{version}");
    };
    check("2.1.11", false);
    check("2.3.9", false);
    check("2.4.0", false);
    check("2.4.4", true);
}

/// docs/model/dbuf-cache.md#holds-that-count-as-hits: the lab counted 4608 and 18 082 for four times as much.
#[test]
fn threads_that_write_one_record_at_one_time_each_count_a_hit() {
    let hits = |version: &str, depth: u64| {
        let client = format!(
            "{{ write = \"f\", io = \"32KiB\", depth = {depth}, amount = \"64MiB\", think = \"2ms\" }}"
        );
        let phases = phases(version, MIRROR, "standard", &client);
        let rows = phases.first().unwrap().kstats.get("arcstats").unwrap();
        *rows.get("demand_data_hits").unwrap()
    };
    let (records, writes) = (512, 2048);
    for version in ["2.1.11", "2.3.2", "2.4.4"] {
        let (alone, together) = (hits(version, 1), hits(version, 4));
        assert!(alone <= records + records / 10, "{version}: {alone}");
        assert!(
            together > writes - writes / 5 && together <= writes + records,
            "{version}: {together}"
        );
    }
}

#[test]
fn a_log_device_that_is_full_leaves_the_rest_to_the_pool() {
    let client = "{ sync-write = \"f\", io = \"128KiB\", depth = 4, amount = \"256MiB\" }";
    for version in ["2.1.11", "2.3.2"] {
        let run = |mib: u64| {
            let text = WRITES.replace("size = \"1GiB\"", &format!("size = \"{mib}MiB\""));
            let phases = phases_of(&text, version, MIRROR, "standard", client);
            let most = phases.iter().filter_map(|phase| phase.log_bytes_max).max().unwrap();
            (most.0 >> 20, phases.first().unwrap().duration_ns, written(&phases, Role::Log) >> 20)
        };
        let ((small, slow, some), (large, fast, all)) = (run(64), run(4096));
        assert!(small <= 56 && large > 56, "{version}: {small} MiB, {large} MiB");
        assert!(slow > fast, "{version}: {slow:?} on the small one, {fast:?}");
        assert!(some < 256 && all >= 256, "{version}: {some} and {all} MiB were logged there");
    }
}

/// 32 KiB that somebody waits for, into records of 128 KiB and of 64 KiB, without a log device.
#[test]
fn from_2_4_on_small_parts_of_records_are_logged_and_not_written_whole() {
    let no_log =
        WRITES.replace("log = [{ disk = { device = \"nvme-plp\", size = \"1GiB\" } }]", "");
    let client = "{ sync-write = \"f\", io = \"32KiB\", amount = \"64MiB\" }";
    let bytes = |version: &str, record: &str| {
        let text = no_log.replace("sync = \"SYNC\"", &format!("recordsize = \"{record}\""));
        let phases = phases_of(&text, version, MIRROR, "", client);
        written(phases.get(..1).unwrap(), Role::Data)
    };
    // Whole records go to both sides of the mirror, each four times: once for every part of it.
    let whole = 2 * 4 * (64 << 20);
    let [old, new] = ["2.3.2", "2.4.4"].map(|version| bytes(version, "128KiB"));
    assert!(old > whole && new < whole * 3 / 4, "{old} {new} {whole}");
    assert_eq!(bytes("2.3.2", "64KiB"), bytes("2.4.4", "64KiB"));
}

/// With a special vdev and no log device, 2.4 lets nobody wait for the disks.
#[test]
fn from_2_4_on_a_special_vdev_takes_the_log() {
    let device = "{ mirror = [\"nvme-plp\", \"nvme-plp\"] }";
    let log = "log = [{ disk = { device = \"nvme-plp\", size = \"1GiB\" } }]";
    let text = WRITES.replace(log, &format!("special = [{device}]"));
    let median = |version| {
        let client = "{ sync-write = \"f\", io = \"128KiB\", amount = \"32MiB\" }";
        let phases = phases_of(&text, version, MIRROR, "standard", client);
        phases.first().unwrap().sync_latency.as_ref().unwrap().p50_ns.0
    };
    assert!(median("2.4.4") * 20 < median("2.3.2"), "{} {}", median("2.4.4"), median("2.3.2"));
}

#[test]
fn sync_always_logs_what_nobody_asked_for() {
    let none = phases("2.3.2", MIRROR, "standard", WHOLE);
    assert_eq!(written(&none, Role::Log), 0);
    let all = phases("2.3.2", MIRROR, "always", WHOLE);
    assert!(written(&all, Role::Log) >= 128 << 20);
}

#[test]
fn the_same_seed_writes_the_same() {
    let mixed = "{ mixed = \"f\", read_pct = 50, io = \"16KiB\", pattern = \"random\", \
                 amount = \"16MiB\", depth = 4, fsync = 8 }";
    let run = || phases("2.3.2", RAIDZ, "standard", mixed);
    assert_eq!(run(), run());
}

/// The old versions of the records stay in memory until their group is written.
#[test]
fn a_file_that_just_fits_does_not_while_it_is_written_anew() {
    let read_back = |arc_max: &str| {
        let text = WRITES.replace("512MiB", arc_max).replace(
            "[[phase]]\nname = \"write\"",
            "[[phase]]\nname = \"warm\"\nclients = [{ read = \"f\", io = \"128KiB\" }]\n[[phase]]\nname = \"write\"",
        );
        let phases = phases_of(&text, "2.3.2", MIRROR, "standard", WHOLE);
        assert_eq!(phases.len(), 3);
        phases.last().unwrap().device_read_bytes.0
    };
    assert!(read_back("136MiB") > 0);
    assert_eq!(read_back("512MiB"), 0);
}

/// docs/model/clients.md#range-locks: a write in small parts holds its record while that comes from the disk, so that a read of
/// whole records in step with it finds each in memory, behind the write.
#[test]
fn who_reads_behind_a_write_is_not_read_ahead_for() {
    const IN_STEP: &str = r#"
title = "test"
question = "test"
[system]
zfs = "VERSION"
os = "linux"
memory = "1GiB"
[system.pool]
data = [{ disk = "hdd-nas-5400" }]
sync = "SYNC"
[system.tunables]
zfs_arc_max = "512MiB"
[[arm]]
name = "only"
[[file]]
name = "f"
size = "64MiB"
[[file]]
name = "g"
size = "64MiB"
[[phase]]
name = "step"
clients = [{ write = "CLIENT", io = "16KiB" }, { read = "f", io = "128KiB", link = { rate = "1Gbit/s", round_trip = "300us" } }]
"#;
    let ahead = |version: &str, file: &str| {
        phases_of(IN_STEP, version, MIRROR, "standard", file)[0].kstats["zfetchstats"]["io_issued"]
    };
    for version in ["2.3.2", "2.4.4"] {
        let (same, other) = (ahead(version, "f"), ahead(version, "g"));
        assert!(same < 32, "{version}: {same} read ahead of 512 records that are written first");
        assert!(other > 400, "{version}: {other} read ahead of 512 records that nobody writes");
    }
}

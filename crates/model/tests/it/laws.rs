//! Laws of every run: nothing is lost, nothing depends on what it should not.

use arcwright_model::Model;
use arcwright_scenario::{
    ArmOutcome, Engine as _, Outcome, PhaseRun, RunRequest, Scenario, Unwatched,
};

use crate::{LOOP, run};

const VERSIONS: [&str; 4] = ["2.1.5", "2.1.11", "2.2.3", "2.3.2"];

fn outcome(version: &str) -> Outcome {
    run(&LOOP.replace("2.1.11", version)).unwrap()
}

fn phases(outcome: &Outcome) -> impl Iterator<Item = &PhaseRun> {
    outcome.arms.iter().flat_map(|arm| &arm.phases)
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for version in VERSIONS {
        assert_eq!(outcome(version), outcome(version), "{version}");
    }
}

#[test]
fn each_repeat_is_the_run_of_a_seed_of_its_own() {
    let scenario = Scenario::parse(LOOP, "loop.toml").unwrap();
    let run = |seed: u64, repeats: u32| {
        let scenario = Scenario { seed, ..scenario.clone() };
        Model::default().run(&RunRequest { scenario, repeats }, &mut Unwatched).unwrap()
    };
    let (repeated, second) = (run(7, 2), run(8, 1));
    for (arm, alone) in repeated.arms.iter().zip(&second.arms) {
        assert_eq!(arm.runs.len(), 2, "{}", arm.name);
        assert_eq!(arm.runs[1].phases, alone.runs[0].phases, "{}", arm.name);
    }
    let differ = |arm: &ArmOutcome| arm.runs[0].phases != arm.runs[1].phases;
    assert!(repeated.arms.iter().any(differ), "a spread of nothing is no spread");
    assert!(repeated.notes.iter().any(|note| note.contains("the seeds 7 to 8")));
}

#[test]
fn the_order_of_the_arms_does_not_matter() {
    let turned = {
        let (head, rest) = LOOP.split_once("[[arm]]\nname = \"with\"").unwrap();
        let (with, rest) = rest.split_once("[[arm]]\nname = \"without\"").unwrap();
        let (without, tail) = rest.split_once("[[file]]").unwrap();
        format!(
            "{head}[[arm]]\nname = \"without\"{without}[[arm]]\nname = \"with\"{with}[[file]]{tail}"
        )
    };
    let (one, other) = (run(LOOP).unwrap(), run(&turned).unwrap());
    for arm in &one.arms {
        let same = other.arms.iter().find(|found| found.name == arm.name).unwrap();
        assert_eq!(arm.phases, same.phases, "{}", arm.name);
    }
}

#[test]
fn every_request_is_a_hit_a_miss_or_a_join_and_every_miss_is_served_somewhere() {
    for version in VERSIONS {
        let outcome = outcome(version);
        for phase in phases(&outcome) {
            let arc = &phase.kstats["arcstats"];
            let by = |what: &str| -> i64 {
                ["demand_data", "demand_metadata", "prefetch_data", "prefetch_metadata"]
                    .iter()
                    .map(|kind| arc[&format!("{kind}_{what}")])
                    .sum()
            };
            assert_eq!(by("hits"), arc["hits"], "{version} {}", phase.name);
            assert_eq!(by("misses"), arc["misses"], "{version} {}", phase.name);
            let cached = phase.devices.iter().any(|device| device.name.starts_with("cache"));
            let served = arc["l2_hits"] + arc["l2_misses"];
            assert_eq!(served, if cached { arc["misses"] } else { 0 }, "{version} {}", phase.name);
        }
    }
}

#[test]
fn a_cold_read_takes_every_byte_from_the_disks_and_the_arc_stays_within_its_limit() {
    for version in VERSIONS {
        let outcome = outcome(version);
        for arm in &outcome.arms {
            let first = &arm.phases[0];
            assert!(first.device_read_bytes >= first.bytes, "{version} {}", arm.name);
            let busiest = first.devices.iter().map(|device| device.busy_ns).max().unwrap();
            assert!(busiest <= first.duration_ns, "{version}: busy longer than the phase took");
        }
        for phase in phases(&outcome) {
            // Life-size: 256 MiB, up to 16 MiB of slack, and twice 16 blocks of lag.
            let most = (256i64 + 16 + 8) << 20;
            assert!(phase.kstats["arcstats"]["size"] <= most, "{version} {}", phase.name);
        }
    }
}

#[test]
fn secondarycache_decides_what_the_l2arc_gets() {
    let written = |content: &str| {
        let pool = format!("[system.pool]\nsecondarycache = \"{content}\"");
        let outcome = run(&LOOP.replace("[system.pool]", &pool)).unwrap();
        let arm = outcome.arms.iter().find(|arm| arm.name == "with").unwrap();
        arm.phases.iter().map(|phase| phase.kstats["arcstats"]["l2_write_bytes"]).sum::<i64>()
    };
    let (all, metadata, none) = (written("all"), written("metadata"), written("none"));
    assert!(all > 50 * metadata.max(1), "{all} {metadata}");
    assert!(metadata > 0);
    assert_eq!(none, 0);
}

/// docs/model/l2arc.md#feed-pace, of whole runs: every 200 ms while there is more to write than a pass may, else
/// every second.
#[test]
fn a_feed_that_finds_enough_comes_five_times_a_second() {
    let check = |version: &str, tunables: &str, expected: f64| {
        let text = LOOP
            .replace("2.1.11", version)
            .replace("l2arc_noprefetch = 0, l2arc_write_max = \"1GiB\"", tunables);
        let outcome = run(&text).unwrap();
        let phase = &outcome.arms[0].phases[1];
        let seconds = phase.duration_ns.0 as f64 / 1e9;
        let found = phase.kstats["arcstats"]["l2_feeds"] as f64;
        assert!(
            (found - expected * seconds).abs() <= 2.0 && seconds > 2.0,
            "{version}, {tunables}: {found} passes in {seconds} s"
        );
    };
    for version in VERSIONS {
        check(
            version,
            "l2arc_noprefetch = 0, l2arc_write_max = \"1MiB\", l2arc_write_boost = 0",
            5.0,
        );
        check(
            version,
            "l2arc_noprefetch = 0, l2arc_write_max = \"1MiB\", l2arc_write_boost = 0, l2arc_feed_again = 0",
            1.0,
        );
        check(version, "l2arc_write_max = \"1GiB\"", 1.0);
    }
}

/// docs/model/l2arc.md#feed-pace: a pass that is skipped, here because headers take more than they may,
/// is looked at again after a second, and one that writes little after `l2arc_feed_secs`, here two.
#[test]
fn a_skipped_pass_is_looked_at_again_after_a_second() {
    let second = "name = \"second\"\nclients = [{ read = \"f\", io = \"128KiB\"";
    let long = LOOP.replace(second, &format!("{second}, amount = \"3GiB\"")).replace(
        "l2arc_write_max = \"1GiB\"",
        "l2arc_write_max = \"1GiB\", l2arc_feed_secs = 2, l2arc_meta_percent = 0",
    );
    for version in VERSIONS {
        let outcome = run(&long.replace("2.1.11", version)).unwrap();
        let phase = &outcome.arms[0].phases[1];
        let seconds = phase.duration_ns.0 as f64 / 1e9;
        let arc = &phase.kstats["arcstats"];
        let (skipped, passes) = (arc["l2_abort_lowmem"] as f64, arc["l2_feeds"] as f64);
        assert!(
            (skipped + 2.0 * passes - seconds).abs() <= 2.0 && skipped >= 4.0,
            "{version}: {skipped} passes were skipped and {passes} not in {seconds} s"
        );
    }
}

/// 128 KiB take 1.05 ms at 125 MB/s, and 1 ms there and back; the disks are twice as fast.
#[test]
fn no_client_is_faster_than_its_link() {
    let size = 131_072.0;
    let (rate, round_trip) = (125e6, 1e-3);
    // One at a time waits for its round trip; four share the bandwidth.
    for (depth, most) in [(1, size / (size / rate + round_trip)), (4, rate)] {
        let link = format!(
            "io = \"128KiB\", depth = {depth}, link = {{ rate = \"1Gbit/s\", round_trip = \"1ms\" }} }}]"
        );
        let outcome = run(&LOOP.replacen("io = \"128KiB\" }]", &link, 1)).unwrap();
        for arm in &outcome.arms {
            let found = arm.phases[0].throughput_bytes_per_sec.0 as f64;
            assert!(found < most && found > 0.9 * most, "{depth}: {found} of {most}");
        }
    }
}

/// Every version that the model has rules for runs, and obeys the laws that do not depend on it.
#[test]
fn every_era_runs_the_loop_and_takes_the_first_read_from_the_disks() {
    for version in ["freebsd-8", "freebsd-10", "0.6.5", "0.7", "0.8", "2.0", "2.1.5", "2.2", "2.4"]
    {
        let os = if version.starts_with("freebsd") { "freebsd" } else { "linux" };
        let text = LOOP.replace("2.1.11", version).replace("\"linux\"", &format!("\"{os}\""));
        let outcome = run(&text).unwrap();
        for phase in phases(&outcome) {
            assert!(phase.throughput_bytes_per_sec.0 > 0, "{version} {}", phase.name);
        }
        let first = &outcome.arms[0].phases[0];
        assert!(first.device_read_bytes >= first.bytes, "{version}");
    }
}

#[test]
fn the_arc_keeps_to_its_limit_whatever_is_written() {
    const LIMIT_MIB: i64 = 128;
    // What is dirty, and what an evicting thread lets through before it runs.
    const SLACK_MIB: i64 = 64;
    for version in ["freebsd-8", "freebsd-9", "freebsd-11", "0.7.13", "2.1.11", "2.3.2"] {
        let os = if version.starts_with("freebsd") { "freebsd" } else { "linux" };
        let text = format!(
            "title = \"writes\"\n[system]\nzfs = \"{version}\"\nos = \"{os}\"\nmemory = \"512MiB\"\n\
             pool = {{ data = [\"hdd-nas-7200\"], recordsize = \"32KiB\" }}\n\
             tunables = {{ zfs_arc_max = \"{LIMIT_MIB}MiB\" }}\n\
             [[file]]\nname = \"f\"\nsize = \"640MiB\"\n\
             [[phase]]\nname = \"first\"\nclients = [{{ write = \"f\", io = \"128KiB\" }}]\n\
             [[phase]]\nname = \"again\"\nclients = [{{ write = \"f\", io = \"128KiB\" }}]\n"
        );
        let outcome = run(&text).unwrap();
        let mut mib = 0;
        for phase in phases(&outcome) {
            mib += phase.kstats["arcstats"]["size"] >> 20;
            let most = LIMIT_MIB + SLACK_MIB;
            assert!(mib <= most, "{version}, {}: {mib} MiB", phase.name);
        }
    }
}

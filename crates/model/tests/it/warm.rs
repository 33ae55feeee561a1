//! Phases that are repeated until the caches are warm.

use super::{numbered, phases, run};

const VERSIONS: [&str; 3] = ["2.1.11", "2.3.2", "2.4.4"];

/// A file of 160 MiB, an ARC of so many MiB and a cache device in front of a disk; `phases` are the keys of each.
fn text(version: &str, arc_mib: u64, phases: &[&str]) -> String {
    format!(
        r#"
title = "test"
[system]
zfs = "{version}"
os = "linux"
memory = "2GiB"
[system.pool]
data = ["hdd-nas-7200"]
cache = [{{ device = "nvme-consumer", size = "4GiB" }}]
[system.tunables]
l2arc_noprefetch = 0
zfs_arc_max = "{arc_mib}MiB"
[[file]]
name = "f"
size = "160MiB"
{}"#,
        numbered(phases)
    )
}

const ROW: &str = "clients = [{ read = \"f\" }]";
const RANDOM: &str = "clients = [{ read = \"f\", pattern = \"random\", io = \"128KiB\", amount = \"480MiB\", depth = 2 }]";

/// Cold, warm, and as warm as before.
#[test]
fn what_fits_into_the_arc_is_warm_after_three_rounds() {
    for version in VERSIONS {
        let keys = format!("{ROW}\nuntil_warm = true");
        let outcome = run(&text(version, 512, &[&keys, ROW])).unwrap();
        let [first, second] = phases(&outcome) else { panic!("{version}") };
        let warm_up = first.warm_up.unwrap();
        assert_eq!((warm_up.rounds, warm_up.is_warm), (3, true), "{version}");
        assert!(warm_up.before_ns > first.duration_ns, "{version}: the first was read from disk");
        assert_eq!(first.device_read_bytes.0, 0, "{version}: the result is the last round's");
        assert_eq!((second.warm_up, second.device_read_bytes.0), (None, 0), "{version}");
        let grew: i64 = [first, second].iter().map(|run| run.kstats["arcstats"]["size"]).sum();
        assert!(grew >= 160 << 20, "{version}: what the ARC took in all rounds: {grew}");
        assert_eq!(outcome.not_warm(), None, "{version}");
    }
}

#[test]
fn what_comes_after_a_warm_phase_is_like_it() {
    for version in VERSIONS {
        let keys = format!("{RANDOM}\nuntil_warm = true\nrounds_max = 60");
        let outcome = run(&text(version, 96, &[&keys, RANDOM])).unwrap();
        let [warm, after] = phases(&outcome) else { panic!("{version}") };
        let warm_up = warm.warm_up.unwrap();
        assert!(warm_up.is_warm && warm_up.rounds > 3, "{version}: {warm_up:?}");
        let (one, other) = (warm.arc_hit_ratio.unwrap(), after.arc_hit_ratio.unwrap());
        assert!((one - other).abs() < 0.03, "{version}: {one} and {other}");
        let (one, other) = (warm.l2arc_hit_ratio.unwrap(), after.l2arc_hit_ratio.unwrap());
        assert!(other > 0.8 && (one - other).abs() < 0.05, "{version}: L2ARC {one} and {other}");
    }
}

#[test]
fn a_cache_that_is_still_filling_is_not_called_warm() {
    for version in VERSIONS {
        let keys = format!("{RANDOM}\nuntil_warm = true\nrounds_max = 2");
        let outcome = run(&text(version, 96, &[&keys, RANDOM])).unwrap();
        let warm_up = phases(&outcome)[0].warm_up.unwrap();
        assert_eq!((warm_up.rounds, warm_up.is_warm), (2, false), "{version}");
        let said = outcome.not_warm().unwrap();
        assert!(said.contains("“as is” after 2 rounds of “0”"), "{version}: {said}");
    }
}

/// The first round is the phase as it would be alone, and the next draws other places.
#[test]
fn rounds_draw_different_places() {
    let outcome = |keys: &str| run(&text("2.3.2", 96, &[keys])).unwrap();
    let short = RANDOM.replace("480MiB", "16MiB");
    let twice = outcome(&format!("{short}\nuntil_warm = true\nrounds_max = 2"));
    let read = phases(&twice)[0].device_read_bytes.0;
    assert!(read > 8 << 20, "the same places would all be in memory: {read}");
    assert_eq!(phases(&outcome(&short))[0].warm_up, None);
}

//! The lab on `zfs-fuse` 0.7.0. These tests need its package (`cargo xtask openzfs zfs-fuse-0.7.0`) and some
//! seconds each, so they are ignored unless asked for, as those of the newer libraries are.

use arcwright_scenario::Outcome;

use super::lab::texts::{on_freebsd_8, readings};
use super::lab::{outcome, phase, refused};

/// A reader of a file twice as large as the ARC, twice.
fn scenario(pool: &str, rest: &str) -> String {
    const ARMS: &str = "[[arm]]\nname = \"on\"\n[[arm]]\nname = \"off\"\n\
        tunables = { zfs_prefetch_disable = 1 }\n";
    let readings = readings("1MiB", &["first", "second"]);
    let pool = format!("compression = \"off\"\nashift = 9\n{pool}");
    on_freebsd_8("256MiB", &format!("{pool}\n{ARMS}{rest}\n{readings}"))
}

const RAIDZ: &str =
    r#"data = [{ raidz1 = ["hdd-desktop-2010", "hdd-desktop-2010", "hdd-desktop-2010"] }]"#;

fn value(outcome: &Outcome, (arm, name): (&str, &str), counter: &str) -> u64 {
    let kstats = &phase(outcome, arm, name).kstats;
    let stats = kstats.get("arcstats").or_else(|| kstats.get("zfetchstats"));
    stats.and_then(|stats| stats.get(counter)).map_or(0, |value| u64::try_from(*value).unwrap_or(0))
}

#[test]
#[ignore = "needs zfs-fuse: ./test, or cargo xtask openzfs zfs-fuse-0.7.0"]
fn the_old_daemon_reads_every_byte_from_its_disks_and_tells_its_own_counters() {
    let found = outcome(&scenario(RAIDZ, ""), &["--openzfs", "zfs-fuse"]);
    assert_eq!(found.engine.openzfs, "zfs-fuse-0.7.0");
    for arm in ["on", "off"] {
        let first = phase(&found, arm, "first");
        assert_eq!(first.bytes.0, 192 << 20);
        // Cold: data comes from the disks whole, with a little metadata.
        assert!((192 << 20..200 << 20).contains(&first.device_read_bytes.0), "{first:?}");
    }
    // 1536 blocks of 128 KiB, each a miss of the prefetcher or of the reader.
    assert_eq!(value(&found, ("off", "first"), "demand_data_misses"), 1536);
    assert!(value(&found, ("on", "first"), "prefetch_data_misses") > 1500);
}

#[test]
#[ignore = "needs zfs-fuse: ./test, or cargo xtask openzfs zfs-fuse-0.7.0"]
fn runs_of_the_old_daemon_are_equal_to_the_last_counter() {
    let text = scenario(RAIDZ, "");
    let (one, other) = (outcome(&text, &[]), outcome(&text, &[]));
    assert_eq!(one.arms, other.arms);
}

#[test]
#[ignore = "needs zfs-fuse: ./test, or cargo xtask openzfs zfs-fuse-0.7.0"]
fn what_the_old_daemon_cannot_do_is_refused_before_anything_runs() {
    let cache = "cache = [{ device = \"ssd-sata-consumer\", size = \"1GiB\" }]";
    refused(&scenario(&format!("{RAIDZ}\n{cache}"), ""), &[], 1, &["cache device", "zfs-fuse"]);
    let arm = "[[arm]]\nname = \"deep\"\ntunables = { zfs_vdev_max_pending = 35 }\n";
    let parts = ["deep", "zfs_vdev_max_pending", "zfs_prefetch_disable"];
    refused(&scenario(RAIDZ, arm), &[], 1, &parts);
}

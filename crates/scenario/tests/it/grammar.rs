//! What a right scenario means.

use arcwright_scenario::{CacheContent, Compression, Kernel, Scenario, VdevLayout};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Pattern};

use super::{GOOD, parsed};

const SHORT: &str = r#"title = "short"
system.zfs = "2.3"
system.memory = "1GiB"
system.pool.data = ["hdd-nas-5400", { disk = "hdd-nas-5400" }]
file = [{ name = "a", size = "1GiB" }]
phase = [{ name = "read", clients = [{ read = "a" }] }]
"#;

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = parsed(SHORT);
    assert_eq!((scenario.seed, scenario.lab.scale, scenario.lab.motion), (1, 1, None));
    assert_eq!(scenario.system.cpu, "nas-quad");
    assert_eq!(scenario.system.os, Kernel::Linux);
    let pool = &scenario.system.pool;
    assert_eq!((pool.recordsize, pool.ashift), (Bytes::kib(128), 12));
    assert_eq!((pool.compression, pool.primarycache), (Compression::Off, CacheContent::All));
    assert_eq!(
        pool.data.iter().map(|vdev| vdev.layout).collect::<Vec<_>>(),
        [VdevLayout::Single; 2]
    );
    assert_eq!(scenario.arms.len(), 1);
    assert_eq!(scenario.arms[0].name, "as is");
    let client = &scenario.phases[0].clients[0];
    assert_eq!((client.io, client.pattern), (Bytes::kib(128), Pattern::Sequential));
    assert_eq!((client.amount, client.think, client.link), (None, Nanos::ZERO, None));
}

#[test]
fn what_fills_a_pool_is_taken_from_its_data_disks() {
    let check = |fill: &str, expected_gib: u64| {
        let cache = "system.pool.cache = [{ device = \"nvme-consumer\", size = \"10GiB\" }]";
        let size = "{ device = \"hdd-nas-5400\", size = \"100GiB\" }";
        let text = SHORT.replace("[\"hdd-nas-5400\", ", &format!("[{size}, "));
        let text = format!("system.pool.fill = {fill}\n{cache}\n{text}");
        let pool = parsed(&text).system.pool;
        let disk = &pool.data[0].disks[0];
        assert_eq!(disk.taken, Bytes::gib(expected_gib), "{fill}");
        assert_eq!(disk.size, Some(Bytes::gib(100 - expected_gib)), "{fill}");
        assert_eq!(pool.cache[0].taken, Bytes::ZERO, "{fill}");
    };
    check("0", 0);
    check("0.25", 25);
    check("\"25%\"", 25);
    check("\" 90 % \"", 90);
    check("\"0.5\"", 50);
}

#[test]
fn values_keep_their_units() {
    let scenario = parsed(GOOD);
    assert_eq!(scenario.system.tunables[0].value, 8 << 30);
    let arm = &scenario.arms[1];
    let values: Vec<u64> = arm.tunables.iter().map(|setting| setting.value).collect();
    assert_eq!(values, [0, 2 << 30]);
    let phase = &scenario.phases[0];
    assert_eq!((phase.pause, phase.limit), (Nanos::secs(10), Some(Nanos::secs(3600))));
    assert_eq!(phase.clients.len(), 3);
    assert_eq!(phase.clients[2].action, Action::Mixed { read_pct: 70 });
    assert_eq!(phase.clients[2].pattern, Pattern::Zipf { exponent: 1.2 });
    assert_eq!(scenario.phases[1].clients[0].link.unwrap().rate.0, 125_000_000);
    assert_eq!(scenario.system.pool.log[0].layout, VdevLayout::Mirror);
    assert_eq!(scenario.files[0].recordsize, Some(Bytes::mib(1)));
}

#[test]
fn a_tunable_has_the_unit_of_its_number_and_its_linux_name() {
    let with = |line: &str| {
        let text = GOOD.replace("l2arc_noprefetch = false", line);
        let setting = Scenario::parse(&text, "x").unwrap().arms[1].tunables[0].clone();
        (setting.name, setting.value)
    };
    assert_eq!(with("l2arc_feed_min_ms = \"1.5s\""), ("l2arc_feed_min_ms".to_owned(), 1500));
    assert_eq!(with("zfs_txg_timeout = \"1m\""), ("zfs_txg_timeout".to_owned(), 60));
    assert_eq!(with("l2arc_write_max = \"8MiB\""), ("l2arc_write_max".to_owned(), 8 << 20));
    assert_eq!(with("\"vfs.zfs.l2arc.norw\" = 1"), ("l2arc_norw".to_owned(), 1));
}

#[test]
fn an_arm_without_cache_is_not_an_arm_that_leaves_it_alone() {
    let text = GOOD.replace("name = \"one\"", "name = \"one\"\ncache = []\nlog = []");
    let scenario = parsed(&text);
    let (one, two) = (&scenario.arms[0], &scenario.arms[1]);
    assert_eq!((one.cache.as_deref(), two.cache.as_deref()), (Some(&[][..]), None));
    assert!(scenario.system_of(one).pool.log.is_empty());
    assert_eq!(scenario.system_of(two).pool.cache.len(), 1);
}

#[test]
fn legacy_freebsd_is_freebsd() {
    let text = SHORT.replace("\"2.3\"", "\"freebsd-8\"");
    assert_eq!(parsed(&text).system.os, Kernel::Freebsd);
}

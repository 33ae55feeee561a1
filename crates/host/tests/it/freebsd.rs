//! What the machines made by hand say of `FreeBSD` machines, old and new.

use arcwright_machine::{Class, DriveKind, Kernel, Layout, Machine, Platform};

fn machine(name: &str) -> Machine {
    let sources = arcwright_fixtures::machine(name);
    Machine::read(&sources.unwrap_or_else(|error| panic!("{name}: {error}")))
}

#[test]
fn openzfs_on_freebsd_says_the_same_as_on_linux() {
    let machine = machine("freebsd-14-openzfs-2.2");
    assert_eq!((machine.os, machine.platform), (Some(Kernel::Freebsd), Some(Platform::Freebsd)));
    assert_eq!(machine.zfs.map(|zfs| zfs.to_string()).as_deref(), Some("2.2.6"));
    assert_eq!(machine.kernel.as_deref(), Some("14.2-RELEASE"));
    assert_eq!(machine.parameter("l2arc_write_max"), Some(8 << 20));
    assert_eq!(machine.parameters["zfs_arc_max"].name, "vfs.zfs.arc.max");
    assert!(!machine.parameters.contains_key("vfs.zfs.mru_size"));
    let window = machine.window().unwrap();
    assert_eq!(window.counted("zfs/arcstats", "l2_hits"), Some(181));
    assert_eq!(window.counted("zfs/zil", "zil_commit_count"), Some(52));
    assert_eq!(window.counted("zfs/tank/objset-0x81", "writes"), Some(20));
    let last = machine.samples.last().unwrap();
    assert_eq!((last.txgs["tank"].len(), last.pool_states["tank"].as_str()), (3, "ONLINE"));
    assert_eq!(last.vdevs["tank"]["/dev/gpt/cache0"].waits.disk_write_ns, Some(812_345));
    assert!(!last.vdevs_since_import);
}

#[test]
fn labels_lead_to_drives_and_drives_are_known() {
    let machine = machine("freebsd-14-openzfs-2.2");
    let tank = &machine.pools[0];
    let log = tank.of_class(Class::Log).next().unwrap();
    assert_eq!((log.layout, log.children.len()), (Layout::Mirror, 2));
    let drive_of = |name: &str| {
        machine.drives.iter().find(|drive| drive.links.iter().any(|link| link == name)).unwrap()
    };
    let names: Vec<&str> =
        log.leaves().iter().map(|leaf| drive_of(&leaf.name).name.as_str()).collect();
    assert_eq!(names, ["ada6", "ada7"]);
    let cache = drive_of("/dev/gpt/cache0");
    assert_eq!((cache.name.as_str(), cache.kind), ("ada6", Some(DriveKind::Ssd)));
    assert_eq!(cache.power_loss_protection, Some(true));
    assert_eq!(machine.drives.iter().filter(|drive| drive.kind == Some(DriveKind::Hdd)).count(), 6);
    assert_eq!(
        tank.of_class(Class::Cache).next().unwrap().space.unwrap().size.unwrap().0,
        200 << 30
    );
}

#[test]
fn freebsds_own_zfs_is_known_by_its_release_and_old_names() {
    let machine = machine("freebsd-11-legacy");
    assert_eq!(machine.zfs.map(|zfs| zfs.to_string()).as_deref(), Some("freebsd-11.4"));
    assert!(machine.zfs.unwrap().is_legacy_freebsd());
    assert_eq!(machine.parameter("zfs_prefetch_disable"), Some(1));
    assert_eq!(machine.parameter("zfs_arc_max"), Some(7_074_041_856));
    let now = machine.now().unwrap();
    assert_eq!(now.get("zfs/arcstats", "arc_meta_used"), Some(1990 << 20));
    assert_eq!(now.get("zfs/arcstats", "iohits"), None);
    let tank = &machine.pools[0];
    assert_eq!(tank.vdevs.len(), 2);
    assert!(tank.vdevs.iter().all(|vdev| vdev.layout == Layout::Mirror));
    let (first, last) = (&machine.samples[0], &machine.samples[1]);
    assert_eq!(first.vdevs["tank"]["tank"].read_ops_per_s, Some(412.0));
    assert_eq!(last.vdevs["tank"]["tank"].read_ops_per_s, Some(912.0));
    assert_eq!((first.vdevs_since_import, last.vdevs_since_import), (true, false));
    let config = machine.config.iter().find(|file| file.path == "/boot/loader.conf").unwrap();
    assert!(config.text.contains("vfs.zfs.prefetch_disable=\"1\""));
    assert!(machine.mounts.iter().all(|mount| !mount.options.contains(&"noatime".to_owned())));
}

//! What the model does not simulate it names; a system that makes no sense is not simulated.

use crate::{LOOP, run};

fn refused(from: &str, to: &str, parts: &[&str]) {
    assert!(LOOP.contains(from), "the scenario does not hold “{from}”");
    let error = run(&LOOP.replace(from, to)).unwrap_err().to_string();
    for part in parts {
        assert!(error.contains(part), "{to}: “{part}” is missing in: {error}");
    }
}

#[test]
fn systems_that_make_no_sense_are_refused_with_the_reason() {
    refused("zfs_arc_max = \"256MiB\"", "zfs_arc_max = \"32MiB\"", &["minimum"]);
    let most = "l2arc_write_max = \"1GiB\"";
    refused("size = \"4GiB\"", "size = \"1MiB\"", &["cache", "with"]);
    refused(most, "l2arc_write_max = 0", &["l2arc_write_max"]);
    refused(most, "zfs_vdev_max_active = 0", &["stands still"]);
    let none = "zfs_vdev_sync_read_min_active = 0, zfs_vdev_sync_read_max_active = 0";
    refused(most, none, &["stands still"]);
}

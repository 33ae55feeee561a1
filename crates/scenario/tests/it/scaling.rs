//! Uniform scaling.

use arcwright_units::{Bytes, Nanos};

use super::{GOOD, parsed};

#[test]
fn sizes_and_rates_are_divided_and_blocks_stay() {
    let text = GOOD.replace(
        "l2arc_noprefetch = false",
        "l2arc_noprefetch = 0\nl2arc_write_max = \"1GiB\"\nzfs_vdev_aggregation_limit = \"1MiB\"",
    );
    let (full, small) = (parsed(&text), parsed(&text).scaled(32));
    assert_eq!(small.system.memory, Bytes::mib(512));
    assert_eq!(small.system.tunables[0].value, 256 << 20);
    assert_eq!(small.files[0].size, Bytes::mib(640));
    assert_eq!((small.trees[0].files, small.trees[0].files_per_directory), (31, 3));
    assert_eq!(
        (small.trees[0].size_min, small.trees[0].size_max),
        (Bytes::kib(50), Bytes::kib(200))
    );
    assert_eq!(small.system.pool.cache[0].size, Some(Bytes::mib(3840)));
    assert_eq!(small.system.pool.data, full.system.pool.data);
    assert_eq!(small.phases[0].clients[1].amount, Some(Bytes::mib(32)));
    assert_eq!(small.phases[0].clients[0].io, full.phases[0].clients[0].io);
    assert_eq!(small.phases[0].pause, full.phases[0].pause);
    let link = small.phases[1].clients[0].link.unwrap();
    assert_eq!(link.rate.0, 3_906_250);
    assert_eq!(link.round_trip, Nanos::micros(32 * 300));
    let values: Vec<u64> = small.arms[1].tunables.iter().map(|setting| setting.value).collect();
    assert_eq!(values, [0, 32 << 20, 1 << 20, 64 << 20]);
    assert_eq!(small.lab, full.lab);
}

#[test]
fn a_distance_never_falls_below_what_a_stream_reaches_by_itself() {
    let cases =
        [("1MiB", 1 << 20), ("64MiB", 4 << 20), ("256MiB", 8 << 20), ("4095MiB", 4095 << 15)];
    for (asked, scaled) in cases {
        let text = GOOD.replace("\"2GiB\"", &format!("\"{asked}\""));
        assert_eq!(parsed(&text).scaled(32).arms[1].tunables[1].value, scaled, "{asked}");
    }
}

#[test]
fn full_scale_is_left_alone() {
    assert_eq!(parsed(GOOD).scaled(1), parsed(GOOD));
    assert_eq!(parsed(GOOD).scaled(0), parsed(GOOD));
}

#[test]
fn nothing_vanishes() {
    let small = parsed(GOOD).scaled(65_536);
    assert_eq!(small.files[0].size, Bytes::mib(1));
    assert_eq!(small.trees[0].files, 1);
    assert!(small.system.memory.0 > 0);
    assert!(
        small
            .phases
            .iter()
            .flat_map(|phase| &phase.clients)
            .all(|client| { client.amount.is_none_or(|amount| amount.0 > 0) })
    );
}

#[test]
fn what_does_not_scale_is_told() {
    let names = parsed(GOOD).unscaled_names().join(", ");
    assert!(names.contains("prefetch distances") && names.contains("aggregation"), "{names}");
}

#[test]
fn a_file_below_its_record_size_does_not_grow() {
    let text = GOOD.replace("size = \"20GiB\"", "size = \"4KiB\"");
    assert_eq!(parsed(&text).scaled(32).files[0].size, Bytes::kib(4));
}

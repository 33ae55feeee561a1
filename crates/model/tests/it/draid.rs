//! dRAID: what compressed metadata takes there.

use super::{machine, numbered, phases, run};

/// 4000 files of one block, of which the dnodes are read.
fn text(version: &str, spares: u32, special: &str) -> String {
    let data = format!(
        "data = [{{ draid1 = [{}], data = 4, spares = {spares} }}]",
        ["\"hdd-nas-7200\""; 6].join(", ")
    );
    machine(version, "")
        + &format!(
            "\n[system.pool]\n{data}\n{special}\n[[tree]]\nname = \"t\"\nfiles = 4000\nfiles_per_directory = 100\nsize_min = \"8KiB\"\nsize_max = \"8KiB\"\n"
        )
        + &numbered(&["clients = [{ tree-stat = \"t\" }]"])
}

/// 16 KiB of dnodes compress to less than a sector. Groups of four data disks take 16 KiB at least, unless a special vdev, or
/// the spares of a pool that was just made, take less (measured in the lab: 2.49, 0.71 and 0.71 MB).
#[test]
fn metadata_compresses_as_far_as_the_least_vdev_lets_it() {
    let special = "special = [{ mirror = [\"nvme-consumer\", \"nvme-consumer\"] }]";
    for version in ["2.1.11", "2.3.2", "2.4.4"] {
        let read = |spares, special| {
            let outcome =
                run(&text(version, spares, special)).unwrap_or_else(|error| panic!("{error}"));
            phases(&outcome)[0].device_read_bytes.0 >> 10
        };
        let plain = read(0, "");
        assert!((2200..2500).contains(&plain), "{version}: {plain} KiB");
        for (name, least) in [("spares", read(1, "")), ("a special vdev", read(0, special))] {
            assert!((600..750).contains(&least), "{version}, {name}: {least} KiB");
        }
    }
}

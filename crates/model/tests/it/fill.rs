//! Pools that other files fill.
#![expect(clippy::indexing_slicing, reason = "phases are those of the text above")]

use super::{numbered, phases, run};

/// Reads a film in a row from a raidz1 that is so full; returns MiB per second.
fn rate(disk: &str, fill: &str) -> u64 {
    let phases_text = numbered(&["clients = [{ read = \"film\", io = \"1MiB\" }]"]);
    let text = format!(
        r#"
title = "test"
[system]
zfs = "2.3.2"
memory = "1GiB"
[system.pool]
data = [{{ raidz1 = ["3 x {disk}"] }}]
fill = {fill}
[[file]]
name = "film"
size = "4GiB"
{phases_text}"#
    );
    phases(&run(&text).unwrap())[0].throughput_bytes_per_sec.0 >> 20
}

#[test]
fn a_full_pool_of_disks_is_slower_and_one_of_flash_is_not() {
    let of_disks = |fill| rate("hdd-nas-7200", fill);
    let rates = ["0", "\"30%\"", "\"60%\"", "\"90%\""].map(of_disks);
    assert!(rates.is_sorted_by(|fuller, full| fuller > full), "{rates:?}");
    // The worked case of docs/model/allocation.md.
    assert!((222..=232).contains(&of_disks("0.8")), "{}", of_disks("0.8"));
    let of_flash = |fill| rate("ssd-sata-plp", fill);
    assert_eq!(of_flash("0"), of_flash("0.9"));
}

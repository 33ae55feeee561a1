//! Encryption costs time of the processor and nothing else.

use arcwright_scenario::PhaseRun;

use super::{machine, numbered, phases, run};

const VERSIONS: [&str; 4] = ["2.0.3", "2.1.11", "2.3.2", "2.4.4"];

/// A file of 256 MiB on an NVMe drive, with an ARC of 96 MiB, read, read at random, written, and written synchronously.
fn text(version: &str, pool: &str, file: &str) -> String {
    let phases = numbered(&[
        "clients = [{ read = \"f\", io = \"1MiB\" }]",
        "clients = [{ read = \"f\", io = \"128KiB\", pattern = \"random\", amount = \"128MiB\" }]",
        "clients = [{ write = \"f\", io = \"1MiB\" }]",
        "clients = [{ sync-write = \"f\", io = \"128KiB\", amount = \"16MiB\" }]",
    ]);
    machine(version, "tunables = { zfs_arc_max = \"96MiB\" }")
        + &format!(
            "\n[system.pool]\ndata = [\"nvme-plp\"]\n{pool}\n[[file]]\nname = \"f\"\nsize = \"256MiB\"\n{file}\n{phases}"
        )
}

fn of(text: &str) -> Vec<PhaseRun> {
    phases(&run(text).unwrap_or_else(|error| panic!("{error}"))).to_vec()
}

#[test]
fn every_way_to_the_disks_takes_longer_and_moves_as_much() {
    for version in VERSIONS {
        let (plain, encrypted) =
            (of(&text(version, "", "")), of(&text(version, "encryption = \"on\"", "")));
        for (name, (plain, encrypted)) in (1..).zip(plain.iter().zip(&encrypted)) {
            let (before, after) = (plain.duration_ns.0 as f64, encrypted.duration_ns.0 as f64);
            // Buffered writes wait for the group only as far as the throttle lets them.
            let least = if name == 3 { 1.0 } else { 1.02 };
            assert!(after > before * least, "{version}, phase {name}: {before} ns, {after} ns");
            assert!(after < before * 6.0, "{version}, phase {name}: {before} ns, {after} ns");
        }
        let read = |of: &[PhaseRun]| of[0].device_read_bytes.0 >> 20;
        assert!(read(&plain).abs_diff(read(&encrypted)) <= 1, "{version}");
    }
}

#[test]
fn only_the_files_of_an_encrypted_dataset_cost_more() {
    let other = "[[dataset]]\nname = \"d\"\nencryption = \"on\"\n[[file]]\nname = \"g\"\ndataset = \"d\"\nsize = \"1MiB\"";
    let time = |pool: &str, more: &str| of(&text("2.3.2", pool, more))[0].duration_ns;
    assert_eq!(time("", other), time("", "[[file]]\nname = \"g\"\nsize = \"1MiB\""));
    let dataset = "dataset = \"d\"\n[[dataset]]\nname = \"d\"";
    let own = |encryption: &str| time("", &format!("{dataset}\nencryption = \"{encryption}\""));
    assert!(own("on") > own("off"));
}

#[test]
fn a_hit_costs_nothing_more() {
    let small =
        |pool: &str| text("2.3.2", pool, "").replace("size = \"256MiB\"", "size = \"32MiB\"");
    // The second phase finds everything in the ARC.
    let hits = |pool: &str| {
        of(&small(pool).replace("amount = \"128MiB\"", "amount = \"32MiB\""))[1].clone()
    };
    let (plain, encrypted) = (hits(""), hits("encryption = \"on\""));
    assert_eq!(plain.device_read_bytes.0, 0);
    assert_eq!(plain.duration_ns, encrypted.duration_ns);
}

//! Encryption costs time of the processor, and memory for what was written and is read again.

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
fn a_hit_on_what_came_from_the_disks_costs_nothing_more() {
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

/// A file of 48 MiB is written in an ARC of so much, and read twice when its group is on the disks.
fn written_and_read(version: &str, arc: &str, pool: &str) -> Vec<PhaseRun> {
    let phases = numbered(&[
        "clients = [{ write = \"f\", io = \"1MiB\" }]",
        "clients = [{ read = \"f\", io = \"1MiB\", start = \"20s\" }]",
        "clients = [{ read = \"f\", io = \"1MiB\" }]",
    ]);
    of(&(machine(version, &format!("tunables = {{ zfs_arc_max = \"{arc}\" }}"))
        + &format!(
            "\n[system.pool]\ndata = [\"nvme-plp\"]\n{pool}\n[[file]]\nname = \"f\"\nsize = \"48MiB\"\n{phases}"
        )))
}

/// Returns what a row of the ARC came to by the end of a phase, in MiB; phases have what they added.
fn mib_in_arc(phases: &[PhaseRun], until: usize, row: &str) -> i64 {
    let of_phase = |phase: &PhaseRun| phase.kstats.get("arcstats")?.get(row).copied();
    phases.iter().take(until + 1).filter_map(of_phase).sum::<i64>() >> 20
}

/// 384 records of 128 KiB, of which the dbuf cache keeps a few.
#[test]
fn what_was_written_is_decrypted_once_and_then_there_twice() {
    for version in VERSIONS {
        let of = |pool: &str| written_and_read(version, "192MiB", pool);
        let (plain, encrypted) = (of(""), of("encryption = \"on\""));
        let took = |of: &[PhaseRun], number: usize| {
            1.0 / of[number].clients[0].throughput_bytes_per_sec.0 as f64
        };
        for (name, run) in [("plain", &plain), ("encrypted", &encrypted)] {
            assert_eq!(
                run[1].device_read_bytes.0 >> 20,
                0,
                "{version}, {name}: all of it is in the ARC"
            );
        }
        // A record takes 31 us of decryption on this processor, and 20 otherwise.
        let (first, again) =
            (took(&encrypted, 1) / took(&plain, 1), took(&encrypted, 2) / took(&plain, 2));
        assert!(first > 1.5, "{version}: the first read takes {first} times as long");
        assert!(again < 1.2, "{version}: the second read takes {again} times as long");
        let raw = |until| mib_in_arc(&encrypted, until, "arc_raw_size");
        assert_eq!([raw(1), raw(2)], [48, 48], "{version}: encrypted in the ARC");
        let all = |of: &[PhaseRun]| mib_in_arc(of, 1, "compressed_size");
        assert!(all(&plain) < 56, "{version}: {} MiB in the clear", all(&plain));
        assert!(all(&encrypted) > 85, "{version}: {} MiB both ways", all(&encrypted));
    }
}

/// What fits in the clear does not fit both ways.
#[test]
fn a_file_that_just_fits_is_evicted_in_part_when_it_is_read() {
    let misses = |pool: &str| written_and_read("2.3.2", "64MiB", pool)[2].device_read_bytes.0 >> 20;
    assert_eq!(misses(""), 0);
    assert!(misses("encryption = \"on\"") > 4, "{} MiB", misses("encryption = \"on\""));
}

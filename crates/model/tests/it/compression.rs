//! What compresses takes less room on disks and in caches.

use arcwright_scenario::PhaseRun;

use super::{machine, numbered, phases, run};

const VERSIONS: [&str; 4] = ["2.0.3", "2.1.11", "2.3.2", "2.4.4"];

/// A file of 96 MiB, read three times; `pool` and `file` say how it is stored.
fn text(version: &str, pool: &str, file: &str) -> String {
    let read = "clients = [{ read = \"f\" }]";
    let phases = numbered(&[
        read,
        read,
        "clients = [{ read = \"f\", amount = \"1GiB\", rate = \"64MiB/s\" }]",
    ]);
    machine(version, "tunables = { zfs_arc_max = \"96MiB\", l2arc_noprefetch = 0 }")
        + &format!(
            r#"
[system.pool]
data = ["hdd-nas-7200"]
cache = [{{ device = "nvme-consumer", size = "4GiB" }}]
{pool}
[[file]]
name = "f"
size = "96MiB"
{file}
{phases}"#
        )
}

fn mib(run: &PhaseRun) -> u64 {
    run.device_read_bytes.0 >> 20
}

#[test]
fn a_compressed_file_is_read_as_it_is_stored() {
    for version in VERSIONS {
        let read =
            |pool: &str, file: &str| mib(&phases(&run(&text(version, pool, file)).unwrap())[0]);
        let lz4 = "compression = \"lz4\"";
        assert_eq!(read("", ""), 96, "{version}");
        assert_eq!(read(lz4, ""), 96, "{version}");
        assert_eq!(read("", "compressratio = 2.0"), 96, "{version}");
        assert_eq!(read(lz4, "compressratio = 2.0"), 48, "{version}");
        assert_eq!(read(lz4, "compressratio = 1.1"), 96, "{version}");
        let small = "compression = \"lz4\"\nrecordsize = \"4KiB\"";
        assert_eq!(read(small, "compressratio = 2.0"), 96, "{version}");
        let other = "[[dataset]]\nname = \"d\"\ncompression = \"lz4\"\n[[file]]\ndataset = \"d\"";
        let text = text(version, "", "compressratio = 3.0").replace("[[file]]", other);
        assert_eq!(mib(&phases(&run(&text).unwrap())[0]), 33, "{version}");
    }
}

#[test]
fn caches_hold_more_of_what_compresses() {
    for version in VERSIONS {
        let text = |file: &str| text(version, "compression = \"lz4\"", file);
        // 192 MiB, of which the ARC holds half, or all of it.
        let large = |file: &str| text(file).replace("size = \"96MiB\"", "size = \"192MiB\"");
        let outcome = |file: &str| {
            run(&large(file).replace("zfs_arc_max = \"96MiB\"", "zfs_arc_max = \"128MiB\""))
                .unwrap()
        };
        let (plain, half) = (outcome(""), outcome("compressratio = 2.0"));
        let again = |of| mib(&phases(of)[1]) + (phases(of)[1].l2arc_read_bytes.0 >> 20);
        let (few, many) = (again(&half), again(&plain));
        assert!(few * 3 < many, "{version}: {few} {many}");
        let fed = |of| phases(of).iter().map(|run| run.l2arc_write_bytes.0 >> 20).sum::<u64>();
        let (few, many) = (fed(&half), fed(&plain));
        assert!(few <= 104 && many > 3 * few / 2, "{version}: {few} {many}");
    }
}

#[test]
fn the_end_of_a_file_takes_what_it_holds() {
    let text = |pool: &str| text("2.3.2", pool, "").replace("96MiB\"\n\n", "130KiB\"\n\n");
    let bytes = |pool: &str| phases(&run(&text(pool)).unwrap())[0].device_read_bytes.0 >> 10;
    assert!(text("").contains("size = \"130KiB\""));
    assert_eq!(bytes("compression = \"lz4\"") + 124, bytes(""));
}

#[test]
fn what_is_written_is_compressed() {
    let write = "clients = [{ write = \"f\", amount = \"64MiB\", rate = \"4MiB/s\" }]";
    let text = text("2.3.2", "compression = \"lz4\"", "compressratio = 2.0");
    let text =
        text.replace("clients = [{ read = \"f\", amount = \"1GiB\", rate = \"64MiB/s\" }]", write);
    let written = phases(&run(&text).unwrap())[2].device_write_bytes.0 >> 20;
    assert!((20..36).contains(&written), "{written}");
}

#[test]
fn before_0_7_it_is_refused() {
    let text = |file: &str| {
        text("freebsd-10", "compression = \"lz4\"", file).replace("os = \"linux\"", "")
    };
    assert!(run(&text("")).is_ok(), "nothing compresses");
    let error = run(&text("compressratio = 2.0")).unwrap_err().to_string();
    assert!(error.contains("before OpenZFS 0.7"), "{error}");
}

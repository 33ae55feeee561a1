//! Volumes: blocks and a log by rules of their own.
#![expect(clippy::indexing_slicing, reason = "phases and disks are those of the texts above")]

use super::{machine, numbered, phases, run};

const VERSIONS: [&str; 4] = ["2.1.11", "2.2.7", "2.3.2", "2.4.4"];

/// A volume with `keys`, and the work on it.
fn text(version: &str, keys: &str, work: &str) -> String {
    let phases = numbered(&[&format!("clients = [{work}]")]);
    machine(version, "")
        + &format!(
            r#"
[system.pool]
data = [{{ mirror = ["2 x hdd-nas-7200"] }}]
[[zvol]]
name = "disk"
size = "96MiB"
{keys}
{phases}"#
        )
}

/// How many records of the log have what they log in them, and how many point to its place.
fn logged(version: &str, keys: &str, io: &str) -> [u64; 2] {
    let work =
        format!("{{ write = \"disk\", io = \"{io}\", pattern = \"random\", amount = \"2MiB\" }}");
    let outcome = run(&text(version, keys, &work)).unwrap();
    let rows = &phases(&outcome)[0].kstats["zil"];
    let row = |name: &str| u64::try_from(rows[name]).unwrap();
    [row("zil_itx_copied_count") + row("zil_itx_needcopy_count"), row("zil_itx_indirect_count")]
}

#[test]
fn a_write_goes_to_its_place_by_the_blocks_of_the_volume() {
    let always = |block: &str| format!("volblocksize = \"{block}\"\nsync = \"always\"");
    // A request is one transaction and, where it is logged whole, one record; the first one waits for its group,
    // which makes the log known.
    let check = |version: &str, keys: &str, io: &str, expected: [u64; 2]| {
        let found = logged(version, keys, io);
        let first = expected.map(|count| count / 32);
        let without_first = [0, 1].map(|at: usize| expected[at] - first[at]);
        assert_eq!(found, without_first, "{version} {keys} {io}");
    };
    for version in ["2.1.11", "2.3.2"] {
        check(version, &always("16KiB"), "64KiB", [32, 0]);
        check(version, &always("64KiB"), "64KiB", [0, 32]);
        let throughput = always("16KiB") + "\nlogbias = \"throughput\"";
        check(version, &throughput, "64KiB", [0, 128]);
    }
    // As files from 2.4 on: what is long, whatever the blocks.
    check("2.4.4", &always("16KiB"), "64KiB", [0, 128]);
}

/// A volume differs from a file with such records only in its log.
#[test]
fn a_volume_is_read_as_a_file_of_its_records_is() {
    let work =
        "{ read = \"disk\", io = \"64KiB\", pattern = \"random\", amount = \"64MiB\", depth = 4 }";
    for version in VERSIONS {
        let of_volume = text(version, "volblocksize = \"16KiB\"", work);
        let file = "[[dataset]]\nname = \"d\"\nrecordsize = \"16KiB\"\n[[file]]\ndataset = \"d\"";
        let of_file = of_volume.replace("[[zvol]]", file).replace("volblocksize = \"16KiB\"", "");
        let [of_volume, of_file] = [of_volume, of_file].map(|text| run(&text).unwrap());
        assert_eq!(phases(&of_volume), phases(&of_file), "{version}");
    }
}

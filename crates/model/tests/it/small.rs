//! Small blocks of files on special vdevs.
#![expect(clippy::indexing_slicing, reason = "phases and disks are those of the texts above")]

use arcwright_scenario::{PhaseRun, Role};

use super::{machine, numbered, phases, run};

/// A file of 64 MiB in records of 16 KiB, and a special vdev of `room`.
fn text(version: &str, room: &str, keys: &str, contents: &str) -> String {
    let read = "clients = [{ read = \"f\" }]";
    let write = "clients = [{ write = \"f\", io = \"16KiB\", pattern = \"random\", rate = \"512KiB/s\", amount = \"8MiB\" }]";
    let phases = numbered(&[read, write, "clients = [{ read = \"f\", amount = \"16KiB\" }]"]);
    machine(version, "")
        + &format!(
            r#"
[system.pool]
data = ["hdd-nas-7200"]
special = [{{ device = "nvme-consumer", size = "{room}" }}]
recordsize = "16KiB"
primarycache = "metadata"
{keys}
{contents}
name = "f"
size = "64MiB"
{phases}"#
        )
}

fn moved(phase: &PhaseRun, role: Role) -> [u64; 2] {
    let of = || phase.devices.iter().filter(|device| device.role == role);
    let mib = |bytes: u64| bytes >> 20;
    [of().map(|it| it.read_bytes.0).sum(), of().map(|it| it.write_bytes.0).sum()].map(mib)
}

/// Returns what of the file is read from the data disks.
fn from_data(version: &str, room: &str, keys: &str, contents: &str) -> u64 {
    let outcome = run(&text(version, room, keys, contents)).unwrap();
    let read = &phases(&outcome)[0];
    let [[data, _], [special, _]] = [Role::Data, Role::Special].map(|role| moved(read, role));
    assert!((64..68).contains(&(data + special)), "{version} {keys}: {data} and {special}");
    data
}

#[test]
fn blocks_up_to_the_limit_are_on_special_vdevs() {
    let file = "[[file]]";
    for version in ["2.0.3", "2.1.11", "2.3.2", "2.4.4"] {
        let check = |keys: &str, expected: u64| {
            assert_eq!(from_data(version, "1GiB", keys, file), expected, "{version} {keys}");
        };
        check("", 64);
        check("special_small_blocks = \"8KiB\"", 64);
        check("special_small_blocks = \"16KiB\"", 0);
        check("special_small_blocks = \"128KiB\"", 0);
        let of =
            "[[dataset]]\nname = \"d\"\nspecial_small_blocks = \"0B\"\n[[file]]\ndataset = \"d\"";
        let key = "special_small_blocks = \"16KiB\"";
        assert_eq!(from_data(version, "1GiB", key, of), 64, "{version}");
        let volume = "[[zvol]]\nvolblocksize = \"16KiB\"";
        let expected = if version == "2.4.4" { 0 } else { 64 };
        assert_eq!(from_data(version, "1GiB", key, volume), expected, "{version}");
    }
}

#[test]
fn small_blocks_keep_a_quarter_free_for_metadata() {
    let data = from_data("2.3.2", "64MiB", "special_small_blocks = \"16KiB\"", "[[file]]");
    assert!((16..24).contains(&data), "{data}");
}

#[test]
fn a_changed_block_stays_where_small_blocks_go() {
    let keys = "special_small_blocks = \"16KiB\"";
    let outcome = run(&text("2.3.2", "1GiB", keys, "[[file]]")).unwrap();
    let [_, data] = moved(&phases(&outcome)[1], Role::Data);
    let [_, special] = moved(&phases(&outcome)[1], Role::Special);
    assert!(special >= 4 && data < 2, "{special} and {data}");
}

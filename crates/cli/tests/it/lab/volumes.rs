//! Volumes, and small blocks on special vdevs, on the real OpenZFS.

use arcwright_scenario::{PhaseRun, Role};

use super::texts::on_linux;
use super::{outcome, phase, versions};

/// A volume whose every write waits, in small and in large blocks, and a file of small records beside it.
const TEXT: &str = r#"
data = ["hdd-nas-7200"]
special = ["nvme-consumer"]
special_small_blocks = "16KiB"
primarycache = "metadata"
[[arm]]
name = "small"
[[arm]]
name = "large"
datasets = { disk = { volblocksize = "64KiB" } }
[[arm]]
name = "none small"
special_small_blocks = "0B"
[[zvol]]
name = "disk"
size = "32MiB"
volblocksize = "16KiB"
sync = "always"
[[file]]
name = "file"
size = "32MiB"
recordsize = "16KiB"
[[phase]]
name = "read file"
clients = [{ read = "file" }]
[[phase]]
name = "read volume"
clients = [{ read = "disk" }]
[[phase]]
name = "write"
clients = [{ write = "disk", io = "64KiB", pattern = "random", amount = "2MiB" }]
"#;

fn from_data(run: &PhaseRun) -> u64 {
    let of = run.devices.iter().filter(|device| device.role == Role::Data);
    of.map(|device| device.read_bytes.0 >> 20).sum()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn volumes_have_blocks_and_a_log_by_rules_of_their_own() {
    let text = on_linux("1GiB", TEXT);
    for version in versions() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let read = |arm: &str, name: &str| from_data(phase(&outcome, arm, name));
        assert_eq!(read("small", "read file"), 0, "{version}");
        assert!(read("none small", "read file") >= 32, "{version}");
        let is_2_4 = version.starts_with("2.4");
        assert_eq!(read("small", "read volume") == 0, is_2_4, "{version}");
        assert!(read("large", "read volume") >= 32, "{version}");
        let waits = |arm: &str| phase(&outcome, arm, "write").sync_latency.as_ref().unwrap().count;
        assert_eq!(waits("small"), 32, "{version}");
        // With special vdevs 2.4 logs what does not go there.
        if !is_2_4 {
            // The first one waits for its group, which makes the log known.
            let indirect =
                |arm: &str| phase(&outcome, arm, "write").kstats["zil"]["zil_itx_indirect_count"];
            let [small, large] = ["small", "large"].map(indirect);
            assert!(small == 0 && (31..=32).contains(&large), "{version}: {small} {large}");
        }
    }
}

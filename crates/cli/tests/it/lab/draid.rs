//! dRAID on the real OpenZFS: which of its disks a file lies on, which the model must know to the disk.

use arcwright_scenario::{Outcome, Role};

use super::texts::on_linux;
use super::{outcome, phase, predicted, versions};

const TEXT: &str = r#"
data = [{ draid1 = ["6 x hdd-nas-7200"], data = 2, spares = 1 }]
primarycache = "metadata"
[[file]]
name = "f"
size = "400MiB"
[[phase]]
name = "read"
clients = [{ read = "f", io = "1MiB" }]
"#;
/// The last of the libraries without it.
const WITHOUT: &str = "2.0.3";

/// Returns what was read from each disk, MiB.
fn shares(outcome: &Outcome) -> Vec<u64> {
    let devices = phase(outcome, "as is", "read").devices.iter();
    let data = devices.filter(|device| device.role == Role::Data);
    data.map(|device| device.read_bytes.0 >> 20).collect()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_file_lies_on_the_disks_that_the_model_says() {
    let text = on_linux("1GiB", TEXT);
    for version in versions().into_iter().filter(|version| *version != WITHOUT) {
        let lab = shares(&outcome(&text, &["--openzfs", version]));
        let model = shares(&predicted(&text.replace("2.1.11", version)));
        assert_eq!(lab.len(), 6, "{version}");
        // Groups of 32 MiB over five of six disks: some hold far more than others.
        let spread = lab.iter().max().unwrap() - lab.iter().min().unwrap();
        assert!(spread > 16, "{version}: {lab:?}");
        for (lab_mib, model_mib) in lab.iter().zip(&model) {
            assert!(lab_mib.abs_diff(*model_mib) <= 2, "{version}: lab {lab:?}, model {model:?}");
        }
    }
}

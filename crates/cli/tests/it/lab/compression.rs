//! Compressed files on the real OpenZFS, and what the model says of them.

use arcwright_scenario::Outcome;

use super::texts::on_linux;
use super::{outcome, phase, predicted, versions};

const TEXT: &str = r#"
data = ["hdd-nas-7200"]
primarycache = "metadata"
compression = "lz4"
[[dataset]]
name = "plain"
compression = "off"
[[file]]
name = "half"
size = "32MiB"
compressratio = 2.0
[[file]]
name = "hardly"
size = "32MiB"
compressratio = 1.1
[[file]]
name = "small"
size = "32MiB"
recordsize = "16KiB"
compressratio = 1.5
[[file]]
name = "tail"
size = "132KiB"
[[file]]
name = "off"
size = "32MiB"
compressratio = 2.0
dataset = "plain"
[[phase]]
name = "half"
clients = [{ read = "half" }]
[[phase]]
name = "hardly"
clients = [{ read = "hardly" }]
[[phase]]
name = "small"
clients = [{ read = "small", io = "16KiB" }]
[[phase]]
name = "tail"
clients = [{ read = "tail" }]
[[phase]]
name = "off"
clients = [{ read = "off" }]
[[phase]]
name = "rewrite"
clients = [{ write = "half", io = "128KiB", rate = "2MiB/s", amount = "32MiB" }]
"#;

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn what_compresses_takes_the_sectors_that_the_model_says() {
    let text = on_linux("1GiB", TEXT);
    let kib =
        |outcome: &Outcome, name: &str| phase(outcome, "as is", name).device_read_bytes.0 >> 10;
    for version in versions() {
        let lab = outcome(&text, &["--openzfs", version]);
        let model = predicted(&text.replace("2.1.11", version));
        for name in ["half", "hardly", "small", "off"] {
            let [lab, model] = [&lab, &model].map(|of| kib(of, name));
            assert!(lab.abs_diff(model) <= 512, "{version} {name}: lab {lab}, model {model}");
        }
        assert!((16 << 10..17 << 10).contains(&kib(&lab, "half")), "{version}");
        assert!(kib(&lab, "tail") < 160, "{version}: {}", kib(&lab, "tail"));
        let written = phase(&lab, "as is", "rewrite").device_write_bytes.0 >> 20;
        assert!((10..24).contains(&written), "{version}: {written}");
    }
}

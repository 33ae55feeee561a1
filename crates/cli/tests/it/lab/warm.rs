//! Phases that are repeated until the caches are warm, on the real OpenZFS.

use super::texts::on_linux;
use super::{oldest_and_newest, outcome, phase};

const TEXT: &str = r#"
data = ["hdd-nas-7200"]
[[file]]
name = "f"
size = "96MiB"
[[phase]]
name = "warm up"
until_warm = true
clients = [{ read = "f" }]
[[phase]]
name = "after"
clients = [{ read = "f" }]
"#;

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_phase_is_repeated_until_the_arc_is_warm() {
    let text = on_linux("1GiB", TEXT);
    for version in oldest_and_newest() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let (warm, after) =
            (phase(&outcome, "as is", "warm up"), phase(&outcome, "as is", "after"));
        let warm_up = warm.warm_up.unwrap();
        assert_eq!((warm_up.rounds, warm_up.is_warm), (3, true), "{version}");
        assert_eq!((warm.device_read_bytes.0, after.device_read_bytes.0), (0, 0), "{version}");
        assert!(warm_up.before_ns > warm.duration_ns, "{version}: the first was read from disk");
        assert!(warm.kstats["arcstats"]["size"] >= 96 << 20, "{version}");
    }
}

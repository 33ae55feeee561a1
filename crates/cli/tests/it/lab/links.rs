//! Disks behind one link, on the real OpenZFS.

use super::texts::on_linux;
use super::{oldest_and_newest, outcome, phase};

/// Eight disks behind a port multiplier, and a log beside it.
const TEXT: &str = r#"
data = [{ raidz2 = ["8 x disk"] }]
recordsize = "1MiB"
[links]
multiplier = { rate = "250MB/s", one_way = true }
[devices]
disk = { device = "hdd-nas-7200", link = "multiplier" }
[[file]]
name = "film"
size = "512MiB"
[[phase]]
name = "read"
clients = [{ read = "film", io = "1MiB" }]
"#;

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn disks_move_together_what_the_link_carries() {
    let behind = on_linux("1GiB", TEXT);
    let alone = behind.replace(", link = \"multiplier\"", "");
    for version in oldest_and_newest() {
        let rate = |text: &str| {
            let outcome = outcome(text, &["--openzfs", version]);
            let run = phase(&outcome, "as is", "read");
            let busy = run.devices[0].link.as_ref().map(|link| link.read_busy_ns.0);
            (
                run.throughput_bytes_per_sec.0 / 1_000_000,
                busy.map(|it| it * 100 / run.duration_ns.0),
            )
        };
        let (behind, busy) = rate(&behind);
        let (alone, none) = rate(&alone);
        assert!((220..=250).contains(&behind), "{version}: {behind}");
        assert!(busy.unwrap() >= 90, "{version}: {busy:?}");
        assert!(alone > behind * 2, "{version}: {alone}");
        assert_eq!(none, None, "{version}");
    }
}

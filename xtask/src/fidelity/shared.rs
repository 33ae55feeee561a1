//! Cases with one device in several roles: log and cache, and special vdev, on one SSD or on several.

use super::parts::{PLAIN, Parts, text};
use super::writes::MIRROR;

/// Returns the arms of a device: each role alone, both on devices of their own, both on one.
fn arms(device: &str) -> [(&'static str, String); 4] {
    let cache = |name: &str| format!("cache = [{{ device = \"{name}\", size = \"4GiB\" }}]");
    let log = |name: &str| format!("log = [{{ device = \"{name}\", size = \"2GiB\" }}]");
    [
        ("log alone", log(device)),
        ("cache alone", cache(device)),
        ("on two", format!("{}\n{}", log(device), cache(device))),
        ("on one", format!("{}\n{}", log("spare"), cache("spare"))),
    ]
}

/// Returns the cases of a version.
pub(super) fn named(version: &str) -> Vec<(String, String)> {
    let build = |device: &str, arms: &[(&str, String)], files, phases: &[(&str, String)]| {
        let arms: Vec<(&str, &str)> =
            arms.iter().map(|(name, settings)| (*name, settings.as_str())).collect();
        let parts = Parts { pool: MIRROR, arc_mib: 128, arms: &arms, files, phases, ..PLAIN };
        let devices = format!("[devices]\nspare = {{ device = \"{device}\", shared = true }}\n");
        // Latencies are the point: full scale.
        text(version, &parts).replace("scale = 4", "scale = 1") + &devices
    };
    let warm = "{ read = \"read\", amount = \"1GiB\", rate = \"64MiB/s\" }";
    let reader = "{ read = \"read\", pattern = \"random\", io = \"128KiB\", depth = 4, amount = \"256MiB\" }";
    let phases = |writer: &str| {
        let both = format!("{reader}, {writer}");
        [("warm", warm.to_owned()), ("writer", writer.to_owned()), ("both", both)]
    };
    let files = [("read", 320), ("log", 192)];
    let large = "{ sync-write = \"log\", io = \"128KiB\", amount = \"64MiB\", depth = 2 }";
    let small = "{ sync-write = \"log\", io = \"128KiB\", amount = \"64MiB\" }";
    vec![
        (
            "shared-sata".to_owned(),
            build("ssd-sata-plp", &arms("ssd-sata-plp"), &files, &phases(large)),
        ),
        (
            "shared-nvme".to_owned(),
            build("nvme-consumer", &arms("nvme-consumer"), &files, &phases(small)),
        ),
    ]
}
